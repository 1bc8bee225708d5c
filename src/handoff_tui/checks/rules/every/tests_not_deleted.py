"""Every test of the baseline is still there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.facts.changed_files import read_changed
from handoff_tui.checks.testcode.compared_tests import compare_tests
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity

_SHOWN = 5
_TEST_NAME = compile_later(r"(?:^|[-_.])(?:test|tests|spec)(?:[-_.]|$)", re.IGNORECASE)


def judge(context: Context) -> Iterator[Found]:
    baseline = context.require_baseline()
    files = read_changed(context, context.setting("tamper.test_files", tuple))
    pairs = compare_tests(context)
    gone = [pair for pair in pairs if pair.now is None]
    lost = {file.old_path: file for file in files if file.old_path is not None and file.new_path is None}
    moved = {file.now for file in files if file.new_path is not None}
    for path, file in sorted(lost.items()):
        missing = [pair.before.name for pair in gone if pair.old_path == path]
        silent = all(pair.old_path != path for pair in pairs) and file.before not in moved
        if missing or (silent and _TEST_NAME.search(path.rpartition("/")[2])):
            told = f", with {len(missing)} tests that are nowhere now" if missing else ""
            yield Found(
                message=f"the test file {path} is gone{told}",
                subject=path,
                place=Place(path=path),
                expected="a test file",
                actual=", ".join(missing[:_SHOWN]) or "no such file",
                command=f"git checkout {baseline} -- {shlex.quote(path)}",
            )
    there = {file.old_path: file.new_path for file in files}
    for pair in gone:
        if pair.old_path not in lost:
            path = there.get(pair.old_path) or pair.old_path
            yield Found(
                message=f"the test {pair.before.name} of {pair.old_path} is gone",
                subject=f"{pair.old_path} {pair.before.name}",
                place=Place(path=path),
                expected=f"{pair.before.name}, at line {pair.before.line} of the baseline",
                actual="no such test",
                command=f"git diff {baseline} -- {shlex.quote(path)}",
            )


TESTS_NOT_DELETED = Rule(
    id="tests-not-deleted",
    system=System.ALL,
    severity=Severity.CRITICAL,
    holds="Every test of the baseline is still there.",
    reads="test files that differ from the baseline",
    remedy="Bring the tests back; one that is truly obsolete is for the reviewer to let go, not for the agent.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
    version=2,
)
