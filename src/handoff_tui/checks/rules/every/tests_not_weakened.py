"""The tests of the baseline are still there, still run, and still assert as much."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.changed_files import BothVersions, read_changed
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule
from handoff_tui.core.classes import dataclass
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment, Place
from handoff_tui.core.text.labels import plural

if TYPE_CHECKING:
    from handoff_tui.checks.testcode.parts import SkipMark, TestFunction


@dataclass(frozen=True, slots=True)
class TestPair:
    """A test as it was, and as it is; `now` is None if it is gone."""

    __test__ = False

    old_path: str
    before: TestFunction
    new_path: str | None = None
    now: TestFunction | None = None


def _find_tests(path: str | None, text: str) -> dict[str, TestFunction]:
    if path is None:
        return {}
    from handoff_tui.checks.testcode.find import find_tests  # noqa: PLC0415 - only changed tests are read

    return {test.name: test for test in find_tests(path, text)}


def compare_tests(context: Context) -> list[TestPair]:
    """Tests of changed files. One that left its file counts as moved only to where it was not before."""
    files = read_changed(context, context.settings.tamper.test_files)
    pairs: list[TestPair] = []
    for file in files:
        if file.old_path is not None:
            now = _find_tests(file.new_path, file.now)
            for name, before in _find_tests(file.old_path, file.before).items():
                new_path = file.new_path if name in now else None
                pairs.append(TestPair(file.old_path, before, new_path, now.get(name)))
    if any(pair.now is None for pair in pairs):
        return _follow(pairs, _find_added(files))
    return pairs


def _find_added(files: list[BothVersions]) -> list[tuple[str, TestFunction]]:
    """Tests that were not in their file before."""
    return [
        (file.new_path, test)
        for file in files
        if file.new_path is not None
        for before in [_find_tests(file.old_path, file.before)]
        for test in _find_tests(file.new_path, file.now).values()
        if test.name not in before
    ]


def _follow(pairs: list[TestPair], added: list[tuple[str, TestFunction]]) -> list[TestPair]:
    """Finds tests that left their file among those that are new in another; each counts once."""
    followed: list[TestPair] = []
    for pair in pairs:
        moved = _find_moved(pair.before, added) if pair.now is None else None
        if moved is not None:
            added.remove(moved)
            followed.append(TestPair(pair.old_path, pair.before, *moved))
        else:
            followed.append(pair)
    return followed


def _find_moved(before: TestFunction, added: list[tuple[str, TestFunction]]) -> tuple[str, TestFunction] | None:
    """The test of the same name, else with the same body, else with the same title in another class."""
    by_name = [entry for entry in added if entry[1].name == before.name]
    by_body = [entry for entry in added if before.assertions and entry[1].body == before.body]
    by_method = [entry for entry in added if entry[1].title == before.title]
    return next(iter((*by_name, *by_body, *by_method)), None)


_SHOWN = 5
_TEST_NAME = compile_later(r"(?:^|[-_.])(?:test|tests|spec)(?:[-_.]|$)", re.IGNORECASE)


@critical_rule(
    holds="Every test of the baseline still exists.",
    reads="test files that differ from the baseline",
    remedy="Restore the tests. Only the reviewer decides whether a test is obsolete, not the agent.",
    moments=(CheckMoment.PRE, CheckMoment.GATE),
    version=2,
)
def tests_not_deleted(context: Context) -> Findings:
    baseline = context.require_baseline()
    files = read_changed(context, context.settings.tamper.test_files)
    pairs = compare_tests(context)
    gone = [pair for pair in pairs if pair.now is None]
    lost = {file.old_path: file for file in files if file.old_path is not None and file.new_path is None}
    moved = {file.now for file in files if file.new_path is not None}
    for path, file in sorted(lost.items()):
        missing = [pair.before.name for pair in gone if pair.old_path == path]
        silent = all(pair.old_path != path for pair in pairs) and file.before not in moved
        if missing or (silent and _TEST_NAME.search(path.rpartition("/")[2])):
            told = f", and {_describe_lost(len(missing))}" if missing else ""
            message = f"the test file {path} is gone{told}"
            actual = ", ".join(missing[:_SHOWN]) or "no such file"
            command = f"git checkout {baseline} -- {shlex.quote(path)}"
            yield RuleFinding(message, path, Place(path=path), "a test file", actual, command)
    there = {file.old_path: file.new_path for file in files}
    for pair in gone:
        if pair.old_path not in lost:
            path = there.get(pair.old_path) or pair.old_path
            message = f"the test {pair.before.name} of {pair.old_path} is gone"
            subject = f"{pair.old_path} {pair.before.name}"
            expected = f"{pair.before.name}, at line {pair.before.line} of the baseline"
            command = f"git diff {baseline} -- {shlex.quote(path)}"
            yield RuleFinding(message, subject, Place(path=path), expected, "no such test", command)


def _describe_lost(number: int) -> str:
    return "its only test exists nowhere else" if number == 1 else f"its {number} tests exist nowhere else"


@high_rule(
    holds="No test was skipped, expected to fail, or deselected since the baseline.",
    reads="test files that differ from the baseline",
    remedy="Remove the mark and make the test pass. Only the reviewer decides whether a test may be skipped.",
    moments=(CheckMoment.PRE, CheckMoment.GATE),
    version=2,
)
def no_new_skips(context: Context) -> Findings:
    files = read_changed(context, context.settings.tamper.test_files)
    if files:
        yield from _judge_files(files)


def _judge_files(files: list[BothVersions]) -> Findings:
    from handoff_tui.checks.testcode.find import find_skips  # noqa: PLC0415 - only changed tests are read

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
        message = f"{path} has a new {mark.mark} on {mark.owner or 'a test'}"
        expected = "no mark, as at the baseline"
        yield RuleFinding(message, f"{mark.mark} {mark.owner}", Place(path=path, line=mark.line), expected, mark.mark)


@high_rule(
    holds="Every test of the baseline asserts as much as it did.",
    reads="tests that differ from the baseline",
    remedy="Restore the assertions and change the code until they hold.",
    moments=(CheckMoment.PRE, CheckMoment.GATE),
    version=2,
)
def assertions_not_weakened(context: Context) -> Findings:
    for pair in compare_tests(context):
        if pair.now is None or pair.new_path is None:
            continue
        for aspect, problem, expected, actual in compare(pair.before, pair.now):
            message = f"the test {pair.now.name} of {pair.new_path} {problem}"
            subject = f"{pair.now.name} {aspect}"
            yield RuleFinding(message, subject, Place(path=pair.new_path, line=pair.now.line), expected, actual)


def compare(before: TestFunction, now: TestFunction) -> Iterator[tuple[str, str, str, str]]:
    """Yields what a test lost: the aspect, the problem in words, the value before and now."""
    if now.assertions < before.assertions:
        problem = f"asserts less: {plural(now.assertions, 'assertion')} that can fail, not {before.assertions}"
        yield "assertions", problem, plural(before.assertions, "assertion"), plural(now.assertions, "assertion")
    elif now.exact < before.exact:
        now_exact = plural(now.exact, "exact comparison")
        problem = f"compares less exactly: {now_exact}, not {before.exact}"
        yield "exactness", problem, plural(before.exact, "exact comparison"), now_exact
    elif now.empty and not before.empty:
        yield "body", "does nothing any more", "a body", "an empty body"
    for words in Counter(now.trivial) - Counter(before.trivial):
        yield f"trivial {words}", f"has an assertion that cannot fail: {words}", "an assertion that can fail", words
    if now.cases < before.cases:
        problem = f"is given fewer cases: {now.cases}, not {before.cases}"
        yield "cases", problem, f"{before.cases} cases", f"{now.cases} cases"
