"""What checks the work was not changed with it: CI, hooks, test runners, targets that check."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.facts.changed_files import ChangedFile, is_match, read_changed
from handoff_tui.checks.rules.every.check_targets import find_parts
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.core.short_id import SHORT_COMMIT

_PROJECT_FILES = ("package.json", "pyproject.toml", "setup.cfg")
_WORDS = {"A": "added", "D": "deleted", "M": "changed", "R": "renamed", "T": "replaced"}


def judge(context: Context) -> Iterator[Found]:
    baseline = context.require_baseline()
    whole = context.setting("tamper.ci_files", tuple)
    for change in context.changes():
        if is_match(change.path, whole) or (change.old_path is not None and is_match(change.old_path, whole)):
            word = _WORDS.get(change.status, "changed")
            yield Found(
                message=f"{change.path} says how work is checked, and was {word}",
                subject=change.path,
                place=Place(path=change.path),
                expected=f"as at {baseline[:SHORT_COMMIT]}",
                actual=word,
                command=f"git diff {baseline} -- {shlex.quote(change.path)}",
            )
    in_parts = (*context.setting("tamper.makefiles", tuple), *_PROJECT_FILES)
    for file in read_changed(context, in_parts):
        yield from _compare_parts(context, file, baseline)


def _compare_parts(context: Context, file: ChangedFile, baseline: str) -> Iterator[Found]:
    target = re.compile(context.setting("tamper.check_target", str))
    tables = context.setting("tamper.check_tables", tuple)
    before = find_parts(file.old_path, file.before, target, tables) if file.old_path else {}
    now = find_parts(file.new_path, file.now, target, tables) if file.new_path else {}
    command = f"git diff {baseline} -- {shlex.quote(file.path)}"
    if now is None:
        yield Found(
            message=f"{file.path} cannot be read, so how work is checked is not known",
            subject=f"{file.path} unreadable",
            place=Place(path=file.path),
            expected="a file that can be read",
            actual="broken",
            command=command,
        )
        return
    for name in sorted({*(before or {}), *now}):
        old, new = (before or {}).get(name), now.get(name)
        added_target = old is None and not name.startswith(("table", "section"))
        if old != new and not added_target:
            word = "changed" if old is not None and new is not None else "added" if old is None else "removed"
            yield Found(
                message=f"{name} of {file.path} says how work is checked, and was {word}",
                subject=f"{file.path} {name}",
                place=Place(path=file.path),
                expected=_shorten(old),
                actual=_shorten(new),
                command=command,
            )


def _shorten(text: str | None) -> str:
    if text is None:
        return "none"
    joined = " ".join(text.split())
    return joined if len(joined) <= 120 else f"{joined[:119]}…"  # noqa: PLR2004 - one line of a terminal


CI_UNCHANGED = Rule(
    id="ci-unchanged",
    system=System.ALL,
    severity=Severity.HIGH,
    holds="Nothing that says how work is checked was changed since the baseline.",
    reads="CI files, hook configuration, test runners, and targets that check",
    remedy="Take the change out of this work; how work is checked is changed by itself, with a review of its own.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
)
