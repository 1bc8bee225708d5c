"""Pairs each test of the baseline with what became of it, even in another file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.changed_files import ChangedFile, read_changed
from handoff_tui.core.model import dataclass

if TYPE_CHECKING:
    from handoff_tui.checks.testcode.parts import TestFunction


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


def _find_added(files: list[ChangedFile]) -> list[tuple[str, TestFunction]]:
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
