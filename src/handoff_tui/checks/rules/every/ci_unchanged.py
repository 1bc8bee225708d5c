"""Whatever checks the work did not change with it: CI, hooks, test runners, make targets, scripts."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.changed_files import ChangedFile, is_match, read_changed
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.core.short_id import SHORT_COMMIT

_TARGET = compile_later(r"^(?P<names>[\w./%-]+(?:[ \t]+[\w./%-]+)*)[^\n:=]*:(?![=:])")
_VARIABLE = compile_later(r"^(?:export\s+)?(?P<name>\w+)\s*(?:[:?+]?=|:=)")
_USED = compile_later(r"\$[({](\w+)[)}]|\{\{\s*(\w+)\s*\}\}")


def find_parts(path: str, text: str, target: re.Pattern[str], tables: tuple[str, ...]) -> dict[str, str] | None:
    """Returns each part by name, as text to compare; None if the file can't be parsed."""
    name = path.rpartition("/")[2]
    if name == "package.json":
        return _find_scripts(text, target)
    if name == "pyproject.toml":
        return _find_tables(text, tables)
    if name == "setup.cfg":
        return _find_sections(text, tables)
    return _find_targets(text, target)


def _find_targets(text: str, wanted: re.Pattern[str]) -> dict[str, str]:
    """Returns the check targets, each with its recipe and the variables it uses."""
    blocks: dict[str, list[str]] = {}
    variables: dict[str, str] = {}
    current: list[str] = []
    for line in text.split("\n"):
        variable, match = _VARIABLE.match(line), _TARGET.match(line)
        if variable is not None:
            variables[variable["name"]] = variables.get(variable["name"], "") + line.strip() + "\n"
        elif match is not None:
            current = [line.strip()]
            for name in match["names"].split():
                if wanted.search(name):
                    blocks.setdefault(name, []).append("")
                    blocks[name] = current
        elif line.strip() and line[:1] in "\t ":
            current.append(line.strip())
    parts: dict[str, str] = {}
    for name, lines in blocks.items():
        body = "\n".join(lines)
        used = sorted({first or second for first, second in _USED.findall(body)})
        parts[f"target {name}"] = body + "".join(
            f"\n{variables[variable]}" for variable in used if variable in variables
        )
    return parts


def _find_scripts(text: str, wanted: re.Pattern[str]) -> dict[str, str] | None:
    try:
        root = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return None
    scripts = root.get("scripts") if isinstance(root, dict) else None
    named = scripts.items() if isinstance(scripts, dict) else ()
    return {f"script {name}": str(command) for name, command in named if wanted.search(name)}


def _find_tables(text: str, tables: tuple[str, ...]) -> dict[str, str] | None:
    import tomllib  # noqa: PLC0415 - few runs compare such a file

    try:
        root: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    parts: dict[str, str] = {}
    for table in tables:
        value = root
        for key in table.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            parts[f"table {table}"] = json.dumps(value, sort_keys=True, default=str)
    return parts


def _find_sections(text: str, tables: tuple[str, ...]) -> dict[str, str] | None:
    import configparser  # noqa: PLC0415 - few runs compare such a file

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    wanted = {table.replace("tool.", "tool:") for table in tables}
    return {
        f"section {name}": json.dumps(dict(parser[name]), sort_keys=True)
        for name in parser.sections()
        if name in wanted
    }


_PROJECT_FILES = ("package.json", "pyproject.toml", "setup.cfg")
_WORDS = {"A": "added", "D": "deleted", "M": "changed", "R": "renamed", "T": "replaced"}


def judge(context: Context) -> Iterator[RuleFinding]:
    baseline = context.require_baseline()
    whole = context.settings.tamper.ci_files
    for change in context.changes():
        if is_match(change.path, whole) or (change.old_path is not None and is_match(change.old_path, whole)):
            word = _WORDS.get(change.status, "changed")
            yield RuleFinding(
                message=f"{change.path} says how work is checked, and was {word}",
                subject=change.path,
                place=Place(path=change.path),
                expected=f"as at {baseline[:SHORT_COMMIT]}",
                actual=word,
                command=f"git diff {baseline} -- {shlex.quote(change.path)}",
            )
    in_parts = (*context.settings.tamper.makefiles, *_PROJECT_FILES)
    for file in read_changed(context, in_parts):
        yield from _compare_parts(context, file, baseline)


def _compare_parts(context: Context, file: ChangedFile, baseline: str) -> Iterator[RuleFinding]:
    target = re.compile(context.settings.tamper.check_target)
    tables = context.settings.tamper.check_tables
    before = find_parts(file.old_path, file.before, target, tables) if file.old_path else {}
    now = find_parts(file.new_path, file.now, target, tables) if file.new_path else {}
    command = f"git diff {baseline} -- {shlex.quote(file.path)}"
    if now is None:
        message = f"{file.path} cannot be read, so how work is checked is not known"
        expected = "a file that can be read"
        yield RuleFinding(message, f"{file.path} unreadable", Place(path=file.path), expected, "broken", command)
        return
    for name in sorted({*(before or {}), *now}):
        old, new = (before or {}).get(name), now.get(name)
        added_target = old is None and not name.startswith(("table", "section"))
        if old != new and not added_target:
            word = "changed" if old is not None and new is not None else "added" if old is None else "removed"
            message = f"{name} of {file.path} says how work is checked, and was {word}"
            expected = _shorten(old)
            yield RuleFinding(message, f"{file.path} {name}", Place(path=file.path), expected, _shorten(new), command)


def _shorten(text: str | None) -> str:
    if text is None:
        return "none"
    joined = " ".join(text.split())
    return joined if len(joined) <= 120 else f"{joined[:119]}…"  # noqa: PLR2004 - one line of a terminal


CI_UNCHANGED = Rule(
    id="ci-unchanged",
    system=System.ALL,
    severity=Severity.HIGH,
    holds="Nothing that says how work is checked has changed since the baseline.",
    reads="CI files, hook configuration, test runners, and check targets",
    remedy="Take the change out of this work. Change how work is checked separately, in a review of its own.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
)
