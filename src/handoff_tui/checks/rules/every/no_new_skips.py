"""No test was newly skipped, expected to fail, or left out by picking others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.facts.changed_files import ChangedFile, read_changed
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity

if TYPE_CHECKING:
    from handoff_tui.checks.testcode.skip_marks import SkipMark


def judge(context: Context) -> Iterator[Found]:
    files = read_changed(context, context.setting("tamper.test_files", tuple))
    if files:
        yield from _judge_files(files)


def _judge_files(files: list[ChangedFile]) -> Iterator[Found]:
    from handoff_tui.checks.testcode.skip_marks import find_skips  # noqa: PLC0415 - only changed tests are read

    left: Counter[tuple[str, str]] = Counter()
    new: list[tuple[str, SkipMark]] = []
    for file in files:
        known = Counter(mark.key for mark in find_skips(file.old_path, file.before)) if file.old_path else Counter()
        for mark in find_skips(file.new_path, file.now) if file.new_path else ():
            if known[mark.key] > 0:
                known[mark.key] -= 1
            else:
                new.append((file.path, mark))
        left.update(known)
    for path, mark in sorted(new, key=lambda entry: (entry[0], entry[1].line)):
        if left[mark.key] > 0:  # moved here with its test
            left[mark.key] -= 1
            continue
        yield Found(
            message=f"{path} has a new {mark.mark} on {mark.owner or 'a test'}",
            subject=f"{mark.mark} {mark.owner}",
            place=Place(path=path, line=mark.line),
            expected="no mark, as at the baseline",
            actual=mark.mark,
        )


NO_NEW_SKIPS = Rule(
    id="no-new-skips",
    system=System.ALL,
    severity=Severity.HIGH,
    holds="No test was skipped, expected to fail, or left out since the baseline.",
    reads="test files that differ from the baseline",
    remedy="Take the mark off and make the test pass; whether one may be skipped is for the reviewer to say.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
    version=2,
)
