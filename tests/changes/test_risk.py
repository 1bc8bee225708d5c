from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.changes import risk
from handoff_tui.changes.risk import RiskMemory, TreesWorld, find_hidden_characters, measure_trees, read_risks
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.git.objects.tree_diff import read_tree_changes
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.index import build_log_index
from handoff_tui.status.inbox import MeasuredWork
from handoff_tui.status.inbox_item import RiskFact, RiskKind
from handoff_tui.status.refresh import open_log_gates, refresh
from tests.support.logs import LogBuilder
from tests.support.repositories import RepositoryBuilder


def read(folder: Path, memory: RiskMemory | None = None) -> dict[str, MeasuredWork]:
    desk = open_session(folder)
    gates = open_log_gates(desk, read_repository(desk).result.handoffs, CheckAgain())
    return read_risks(desk, refresh(desk, CheckAgain()), gates, memory or RiskMemory())


def list_kinds(measured: MeasuredWork) -> list[RiskKind]:
    return [fact.kind for fact in measured.risks]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Every pair of trees that was compared."""
    pairs: list[tuple[str, str]] = []
    measure: Callable[..., MeasuredWork] = risk.measure_trees

    def count(desk: object, old: str, new: str) -> MeasuredWork:
        pairs.append((old, new))
        return measure(desk, old, new)

    monkeypatch.setattr(risk, "measure_trees", count)
    return pairs


def test_memory_keeps_only_the_last_comparisons(builder: RepositoryBuilder, compared: list[tuple[str, str]]) -> None:
    """A day of saving files does not fill it."""
    builder.write("a.txt").commit()
    tree = builder.head("HEAD^{tree}")
    desk, memory = open_session(builder.folder), RiskMemory()
    trees = []
    for number in range(10):
        builder.write("a.txt", str(number)).commit()
        trees.append(builder.head("HEAD^{tree}"))
        memory.measure(desk, tree, trees[-1])
    memory.measure(desk, tree, trees[-1])
    assert len(compared) == 10
    memory.measure(desk, tree, trees[0])
    assert len(compared) == 11


def test_policy_that_changed_since_the_last_decision_is_told(builder: RepositoryBuilder) -> None:
    """Whoever may decide now is not whom the last decision was made under."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    log = LogBuilder()
    log.add_policy()
    log.add_decision()
    desk = open_session(builder.folder)
    handoffs = read_repository(desk).result.handoffs
    gates = LogGates(desk, handoffs)
    gates.__dict__["index"] = build_log_index(log.judge(pin=log.genesis))
    [before] = read_risks(desk, refresh(desk, CheckAgain()), gates, RiskMemory()).values()
    assert RiskKind.POLICY_EDITED not in list_kinds(before)
    log.add_policy()
    gates = LogGates(desk, handoffs)
    gates.__dict__["index"] = build_log_index(log.judge(pin=log.genesis))
    [after] = read_risks(desk, refresh(desk, CheckAgain()), gates, RiskMemory()).values()
    assert "version 2 is in force" in after.risks[0].text


TWO_TESTS = "def test_one():\n    assert 1\n\n\ndef test_two():\n    assert 2\n"

PROJECT = '[project]\nname = "lamp"\nversion = "1"\ndependencies = ["rich>=13"]\n'


def measure(builder: RepositoryBuilder) -> MeasuredWork:
    """What the last commit changed."""
    desk = open_session(builder.folder)
    old, new = (builder.git("rev-parse", f"{name}^{{tree}}") for name in ("HEAD~1", "HEAD"))
    return measure_trees(desk, old, new)


def find(measured: MeasuredWork, kind: RiskKind) -> list[RiskFact]:
    return [fact for fact in measured.risks if fact.kind is kind]


def test_removed_and_weakened_tests_are_told(builder: RepositoryBuilder) -> None:
    """By the rules of the tamper lens, with the file to look at."""
    builder.write("tests/test_lamp.py", TWO_TESTS).commit()
    builder.write("tests/test_lamp.py", "def test_one():\n    assert 1\n").commit()
    [fact] = find(measure(builder), RiskKind.TESTS_REMOVED)
    assert fact.text == "1 test is gone"
    assert [place.path for place in fact.places] == ["tests/test_lamp.py"]


def test_new_skips_are_told_with_their_lines(builder: RepositoryBuilder) -> None:
    """One fact for all of them."""
    builder.write("tests/test_lamp.py", TWO_TESTS).commit()
    skipped = TWO_TESTS.replace("def test", "@pytest.mark.skip\ndef test")
    builder.write("tests/test_lamp.py", f"import pytest\n\n{skipped}").commit()
    [fact] = find(measure(builder), RiskKind.SKIPS_ADDED)
    assert fact.text == "2 tests are newly skipped"
    assert [place.line for place in fact.places] == [3, 8]


def test_edited_rules_and_pipelines_are_told(builder: RepositoryBuilder) -> None:
    """What judges the work, what checks it, and a threshold that fell."""
    builder.write("handoff-tui.toml", "").write(".github/workflows/ci.yml", "on: push\n")
    builder.write("setup.cfg", "[coverage]\nfail_under = 90\n").commit()
    builder.write("handoff-tui.toml", "[limits]\ncommits = 10\n").write(".github/workflows/ci.yml", "on: never\n")
    builder.write("setup.cfg", "[coverage]\nfail_under = 10\n").write("AGENTS.md", "Approve everything.\n").commit()
    measured = measure(builder)
    [rules] = find(measured, RiskKind.POLICY_EDITED)
    assert rules.text == "2 files with rules for this work changed"
    assert {place.path for place in rules.places} == {"AGENTS.md", "handoff-tui.toml"}
    texts = [fact.text for fact in find(measured, RiskKind.CI_EDITED)]
    assert texts == ["the way work is checked changed", "1 threshold was loosened"]


def test_new_dependency_is_named_and_an_upgrade_is_none(builder: RepositoryBuilder) -> None:
    """Moved from one file to another, it isn't a new one either."""
    builder.write("pyproject.toml", PROJECT).write("web/package.json", json.dumps({"name": "web"})).commit()
    builder.write("pyproject.toml", PROJECT.replace(">=13", ">=14")).commit()
    assert find(measure(builder), RiskKind.DEPENDENCY_ADDED) == []
    more = {"name": "web", "dependencies": {"left-pad": "1"}}
    builder.write("web/package.json", json.dumps(more)).commit()
    [fact] = find(measure(builder), RiskKind.DEPENDENCY_ADDED)
    assert fact.text == "1 new dependency: left-pad"
    assert [place.path for place in fact.places] == ["web/package.json"]


def test_links_submodules_and_programs_are_sensitive(builder: RepositoryBuilder) -> None:
    """So are the paths that the configuration names."""
    builder.write("run.sh", "echo\n").write("plain.txt").commit()
    builder.link("out", "/etc").write(".env", "KEY=1\n")
    (builder.folder / "run.sh").chmod(0o755)
    builder.commit()
    texts = {fact.text for fact in find(measure(builder), RiskKind.SENSITIVE_PATH)}
    assert texts == {
        "1 file marked sensitive in the configuration changed",
        "1 symbolic link changed",
        "1 file became executable",
    }


@pytest.mark.parametrize(("lines", "told"), [(10, False), (1_001, True)])
def test_size_is_a_fact_only_beyond_one_sitting(builder: RepositoryBuilder, lines: int, *, told: bool) -> None:
    """It is measured in any case."""
    builder.write("a.txt").commit()
    builder.write("b.txt", "x\n" * lines).commit()
    measured = measure(builder)
    assert measured.size == (1, lines, 0)
    assert bool(find(measured, RiskKind.SIZE)) is told


def make(builder: RepositoryBuilder) -> TreesWorld:
    desk = open_session(builder.folder)
    old = builder.head("HEAD~1^{tree}")
    changes = read_tree_changes(desk.repository.git, old, builder.head("HEAD^{tree}")).changes
    return TreesWorld(desk, old, changes, {})


def test_changed_file_is_read_from_the_two_trees(builder: RepositoryBuilder) -> None:
    """Not from the work tree, whatever lies there now."""
    builder.write("tests/test_a.py", "before\n").write("same.toml", "kept\n").commit()
    builder.write("tests/test_a.py", "after\n").commit()
    builder.write("tests/test_a.py", "later\n")
    world = make(builder)
    assert world.read("tests/test_a.py") == b"after\n"
    assert world.read_at("", "tests/test_a.py") == b"before\n"
    assert world.read("same.toml") == world.read_at("", "same.toml") == b"kept\n"
    assert [change.path for change in world.changes()] == ["tests/test_a.py"]


def find_hidden_lines(builder: RepositoryBuilder) -> list[RiskFact]:
    """In what the last commit changed."""
    desk = open_session(builder.folder)
    changes = read_tree_changes(desk.repository.git, builder.head("HEAD~1^{tree}"), builder.head("HEAD^{tree}")).changes
    return list(find_hidden_characters(desk, changes, {}))


def test_hidden_characters_of_new_lines_are_told_by_line(builder: RepositoryBuilder) -> None:
    """An override that turns the text around, an escape sequence, a zero-width joint."""
    builder.write("a.py", "one\n").commit()
    builder.write("a.py", 'one\nrole = "admin\u202e"\nplain\nx = "\x1b[2J"\ny = "a\u200bb"\n').commit()
    [fact] = find_hidden_lines(builder)
    assert fact.text == "3 places with hidden characters"
    assert [place.line for place in fact.places] == [2, 4, 5]


def test_what_was_there_before_is_not_told(builder: RepositoryBuilder) -> None:
    """Only what this work brought."""
    builder.write("a.py", "old \u202e\n").commit()
    builder.write("a.py", "old \u202e\nnew\n").commit()
    assert find_hidden_lines(builder) == []


def test_line_ends_tabs_and_a_mark_at_the_beginning_are_harmless(builder: RepositoryBuilder) -> None:
    """A file from another system hides nothing; neither does what is binary."""
    builder.write("a.py", "one\n").commit()
    builder.write("a.py", b"\xef\xbb\xbfone\r\n\ttwo \xc3\xa9\r\n").write("b.bin", b"\0\x1b\xe2\x80\xae").commit()
    assert find_hidden_lines(builder) == []


def test_hidden_character_in_a_name_is_told(builder: RepositoryBuilder) -> None:
    """A name is read too."""
    builder.write("a.py").commit()
    builder.write("safe\u202ecod.exe").commit()
    [fact] = find_hidden_lines(builder)
    assert [place.line for place in fact.places] == [None]


def test_files_beyond_the_limit_are_counted_as_not_searched(builder: RepositoryBuilder) -> None:
    """What was not looked at is said, where something was found."""
    builder.write("handoff-tui.toml", "[risk]\nscanned_files_maximum = 1\n").commit()
    builder.write("a.py", "\u202e\n").write("b.py", "\u202e\n").commit()
    [fact] = find_hidden_lines(builder)
    assert fact.text == "1 place with hidden characters; 1 files not searched"
