"""Nothing that checks the work is weaker than at the baseline: CI, handoff-tui.toml, thresholds."""

from __future__ import annotations

import json
import re
import shlex

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.changed_files import BothVersions, is_match, read_changed
from handoff_tui.checks.facts.configuration_changes import (
    FILE,
    SettingChange,
    build_found,
    compare_configuration,
    list_weaker,
)
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule, low_rule
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_known, compile_later
from handoff_tui.core.place import CheckMoment, Place
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.toml_text import parse_toml

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
    try:
        root: object = parse_toml(text)
    except ValueError:
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


PROJECT_FILES = ("package.json", "pyproject.toml", "setup.cfg")
_WORDS = {"A": "added", "D": "deleted", "M": "changed", "R": "renamed", "T": "replaced"}


@high_rule(
    holds="Nothing that says how work is checked has changed since the baseline.",
    reads="CI files, hook configuration, test runners, and check targets",
    remedy="Take the change out of this work. Change how work is checked separately, in a review of its own.",
    moments=(CheckMoment.PRE, CheckMoment.GATE),
)
def ci_unchanged(context: Context) -> Findings:
    baseline = context.require_baseline()
    whole = context.settings.tamper.ci_files
    for change in context.changes():
        if is_match(change.path, whole) or (change.old_path is not None and is_match(change.old_path, whole)):
            word = _WORDS.get(change.status, "changed")
            message = f"{change.path} says how work is checked, and was {word}"
            expected = f"as at {baseline[:SHORT_COMMIT]}"
            command = f"git diff {baseline} -- {shlex.quote(change.path)}"
            yield RuleFinding(message, change.path, Place(path=change.path), expected, word, command)
    in_parts = (*context.settings.tamper.makefiles, *PROJECT_FILES)
    for file in read_changed(context, in_parts):
        yield from _compare_parts(context, file, baseline)


def _compare_parts(context: Context, file: BothVersions, baseline: str) -> Findings:
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


class ConfigurationChange(NamedTuple):
    """What differs. `broken` says why the current file can't be read."""

    differences: list[SettingChange]
    text: str = ""
    broken: str | None = None


def read_change(context: Context) -> ConfigurationChange:
    """Compares the file with the baseline; skips the rule if there is no baseline, or no file on either side."""
    baseline = context.require_baseline()
    old, new = context.read_at(baseline, FILE), context.read(FILE)
    if old is None and new is None:
        context.skip(f"no {FILE}, at the baseline or now")
    if new is None and context.exists(FILE):
        return ConfigurationChange([], broken="cannot be read")
    if old == new:
        return ConfigurationChange([])
    before = _parse(old)
    if isinstance(before, str):
        context.undecidable(f"{FILE} {before} at {baseline[:SHORT_COMMIT]}")
    now = _parse(new)
    text = (new or b"").decode("utf-8", "replace")
    if isinstance(now, str):
        return ConfigurationChange([], text, now)
    return ConfigurationChange(compare_configuration(before, now, context.usual_severity), text)


def _parse(content: bytes | None) -> dict[str, object] | str:
    """Returns the table, or what is wrong with it."""
    try:
        return parse_toml(content or b"")
    except ValueError as wrong:
        return f"is not valid TOML: {wrong}"


@critical_rule(
    holds="There is something to compare the work with.",
    reads="where the handoff's own work started",
    remedy="Fetch the rest of the history, then look again.",
    commands=("git fetch --unshallow",),
    moments=(CheckMoment.GATE,),
)
def work_can_be_compared(context: Context) -> Findings:
    if context.scope is None:
        context.skip("asked about one handoff only")
    if context.facts().shallow and (context.baseline() is None or not context.own_paths(context.scope)):
        message = "the history is cut off, so nothing says where this work started and what it changed"
        yield RuleFinding(message, "no start", expected="the commit before the work", actual="a shallow clone")


@critical_rule(
    holds="The configuration of the checks is no weaker than at the baseline.",
    reads="handoff-tui.toml, now and at the baseline",
    remedy="Take the change out of this work. Change the checks separately, in a review of their own.",
    commands=("git log -p -- handoff-tui.toml",),
    moments=(CheckMoment.PRE, CheckMoment.GATE),
)
def check_configuration_unchanged(context: Context) -> Findings:
    change = read_change(context)
    if change.broken is not None:
        message = f"{FILE} cannot be compared with the baseline: it {change.broken}"
        yield RuleFinding(message, "unreadable", Place(path=FILE), "valid TOML", change.broken)
    for difference, reason in list_weaker(change.differences):
        yield build_found(difference, change.text, f"{difference.name} was weakened: {reason}")


@low_rule(
    holds="Every other setting is the same as at the baseline.",
    reads="handoff-tui.toml, now and at the baseline",
    remedy="Make sure that the change is intended. It doesn't weaken any check.",
    commands=("git log -p -- handoff-tui.toml",),
    moments=(CheckMoment.PRE, CheckMoment.GATE),
)
def settings_unchanged(context: Context) -> Findings:
    change = read_change(context)
    for difference in change.differences:
        if difference.weaker is None:
            yield build_found(difference, change.text, f"{difference.name} of {FILE} differs from the baseline")


class _Threshold(NamedTuple):
    value: float
    line: int
    path: str


@high_rule(
    holds="No threshold for coverage, warnings, complexity, retries or time was loosened since the baseline.",
    reads="project, coverage, linter and CI files that differ from the baseline",
    remedy="Restore the threshold and meet it. Only the reviewer decides whether it may be loosened.",
    moments=(CheckMoment.PRE, CheckMoment.GATE),
)
def thresholds_not_lowered(context: Context) -> Findings:
    files = read_changed(context, context.settings.tamper.threshold_files)
    zero_unless_set = context.settings.tamper.zero_unless_set
    tamper = context.settings.tamper
    for limits, floor in ((tamper.floors, True), (tamper.ceilings, False)):
        for name, words in limits.items():
            pattern = compile_known(words, re.IGNORECASE)
            changed, gone, added = _pair(files, pattern)
            for old, new in changed:
                if _is_looser(old.value, new.value, floor=floor):
                    yield _build(name, old, new, f"{'fell' if floor else 'rose'} from {old.value:g} to {new.value:g}")
            moved = _drop_moved(gone, added, floor=floor)
            if name not in zero_unless_set:
                yield from (_build(name, old, None, f"of {old.value:g} is gone") for old in gone if old not in moved)
            else:
                yield from _judge_added(name, [new for new in added if new.value > 0 and new not in moved])


def _pair(
    files: list[BothVersions], pattern: re.Pattern[str]
) -> tuple[list[tuple[_Threshold, _Threshold]], list[_Threshold], list[_Threshold]]:
    """Returns thresholds before and now in pairs, then the removed and the added ones."""
    changed: list[tuple[_Threshold, _Threshold]] = []
    gone: list[_Threshold] = []
    added: list[_Threshold] = []
    for file in files:
        before = _find(file.old_path, file.before, pattern)
        now = _find(file.new_path, file.now, pattern)
        if len(before) != len(now):
            before, now, lost, more = _match_up(before, now)
            gone.extend(lost)
            added.extend(more)
        changed.extend(zip(before, now, strict=True))
    return changed, gone, added


def _drop_moved(gone: list[_Threshold], added: list[_Threshold], *, floor: bool) -> list[_Threshold]:
    """Returns thresholds that only moved to another file: the old ones, and new ones that are not looser."""
    moved: list[_Threshold] = []
    for old in gone:
        new = next(
            (one for one in added if one not in moved and not _is_looser(old.value, one.value, floor=floor)), None
        )
        if new is not None:
            moved += [old, new]
    return moved


def _judge_added(name: str, added: list[_Threshold]) -> Findings:
    for new in added:
        yield _build(name, _Threshold(0, 0, new.path), new, f"rose from 0 to {new.value:g}")


def _find(path: str | None, text: str, pattern: re.Pattern[str]) -> list[_Threshold]:
    """Returns every threshold outside comments, in order."""
    if path is None:
        return []
    found: list[_Threshold] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.lstrip().startswith(("#", "//", ";")):
            found.extend(_Threshold(float(match[1]), number, path) for match in pattern.finditer(line))
    return found


def _match_up(
    before: list[_Threshold], now: list[_Threshold]
) -> tuple[list[_Threshold], list[_Threshold], list[_Threshold], list[_Threshold]]:
    """Pairs equal values first, then the rest in order; what is left over was removed or added."""
    left, rest = list(before), list(now)
    for old in before:
        same = next((new for new in rest if new.value == old.value), None)
        if same is not None:
            left.remove(old)
            rest.remove(same)
    pairs = min(len(left), len(rest))
    return left[:pairs], rest[:pairs], left[pairs:], rest[pairs:]


def _is_looser(old: float, new: float, *, floor: bool) -> bool:
    return new < old if floor else new > old


def _build(name: str, old: _Threshold, new: _Threshold | None, problem: str) -> RuleFinding:
    place = Place(path=new.path, line=new.line) if new is not None else Place(path=old.path)
    message = f'{place.path}: the threshold "{name}" {problem}'
    return RuleFinding(message, name, place, f"{old.value:g}", "none" if new is None else f"{new.value:g}")
