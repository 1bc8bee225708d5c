"""The rules of formats that anybody uses."""

from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule, UndecidableError
from handoff_tui.checks.rules.public import (
    checkpoint_cleared,
    human_actions_cleared,
    named_commits_exist,
    uncommitted_files_agree,
)
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.world import HEAD, MemoryWorld, find_subjects, judge

PATH = ".planning/HANDOFF.json"


def state(*commits: object) -> dict[str, str | bytes]:
    tasks = [{"id": number, "name": "row", "commit": commit} for number, commit in enumerate(commits, start=1)]
    return {PATH: json.dumps({"phase": "3", "completed_tasks": tasks, "remaining_tasks": [], "context_notes": ""})}


def test_commits_that_exist_pass() -> None:
    """By their short ids, also outside the history of HEAD."""
    other = "c0ffee1" + "0" * 33
    assert judge(named_commits_exist, MemoryWorld(state(HEAD[:7], "c0ffee1", None), known_commits={other: None})) == []


def test_commit_that_does_not_exist_is_found() -> None:
    """With its place and what to look up."""
    [found] = judge(named_commits_exist, MemoryWorld(state("dead1234")))
    assert (found.expected, found.command) == ("a commit dead1234", "git cat-file -t dead1234")
    assert found.place is not None


@pytest.mark.parametrize("commit", ["latest", "TBD", "abc"])
def test_commit_that_can_be_none_is_found(commit: str) -> None:
    """A task is not committed with a word."""
    [found] = judge(named_commits_exist, MemoryWorld(state(commit)))
    assert found.actual == commit


def test_commit_in_a_shallow_clone_cannot_be_judged() -> None:
    """It may be among those that are not here."""
    world = MemoryWorld(state("dead1234"), repository=RepositoryFacts(root="/r", head=HEAD, shallow=True))
    with pytest.raises(UndecidableError):
        judge(named_commits_exist, world)


def subjects(listed: object, changed: tuple[str, ...] = (), untracked: tuple[str, ...] = ()) -> list[str]:
    root = {"phase": "3", "completed_tasks": [], "remaining_tasks": [], "uncommitted_files": listed}
    files: dict[str, str | bytes] = {PATH: json.dumps(root), "src/row.py": "", "src/sail.py": "", "data/a.csv": ""}
    facts = RepositoryFacts(root="/r", head=HEAD, changed=changed, untracked=untracked)
    return find_subjects(uncommitted_files_agree, MemoryWorld(files, repository=facts))


@pytest.mark.parametrize(
    ("listed", "changed"),
    [
        ([], ()),
        (["none"], ()),
        (["src/row.py"], ("src/row.py",)),
        (["src/row.py (half of the stroke)", "data/"], ("src/row.py", "data/a.csv")),
        ([], (PATH,)),
    ],
)
def test_list_that_agrees_with_git_passes(listed: list[str], changed: tuple[str, ...]) -> None:
    """Paths, paths with prose, folders; the state file itself need not be named."""
    assert subjects(listed, changed) == []


def test_list_that_names_a_clean_file_is_found() -> None:
    """Named and clean."""
    assert subjects(["src/row.py", "src/gone.py"]) == ["gsd/3 src/row.py", "gsd/3 src/gone.py"]


def test_change_that_is_not_named_is_found() -> None:
    """Changed and not named, untracked files too."""
    found = subjects(["src/row.py"], ("src/row.py", "src/sail.py"), ("new.py",))
    assert found == ["unnamed new.py", "unnamed src/sail.py"]


def test_mere_mention_covers_nothing() -> None:
    """An entry without a path names no file."""
    assert subjects(["several uncommitted things"], ("src/row.py",)) == [
        "gsd/3 several uncommitted things",
        "unnamed src/row.py",
    ]


def test_rule_does_not_apply_without_the_list() -> None:
    """A state file that does not have it, or has it as null."""
    with pytest.raises(NotApplicableError):
        subjects(None, ("src/row.py",))


def test_state_that_is_broken_is_found() -> None:
    """The list in it is not known."""
    [found] = judge(uncommitted_files_agree, MemoryWorld({PATH: '{"uncommitted_files": ['}))
    assert found.subject == f"unreadable {PATH}"


PATH_CHECKPOINT = ".claude/handoff.json"

FIELDS = ("feature", "phase", "goal", "scope", "relevant_files", "acceptance_criteria", "verification_commands")


def handoff(**fields: object) -> dict[str, str | bytes]:
    return {PATH_CHECKPOINT: json.dumps({**dict.fromkeys(FIELDS, "x"), "source_spec": "docs/a.md", **fields}, indent=1)}


@pytest.mark.parametrize("value", ["clarification", "architecture-review", "something else", True, 1])
def test_checkpoint_that_is_pending_is_found(value: object) -> None:
    """Whatever it is called."""
    [found] = judge(checkpoint_cleared, MemoryWorld(handoff(checkpoint_pending=value)))
    assert found.actual == str(value)
    assert (found.place and found.place.line) == 10


@pytest.mark.parametrize("fields", [{}, *({"checkpoint_pending": value} for value in (None, False, "", "none"))])
def test_checkpoint_that_is_not_pending_passes(fields: dict[str, object]) -> None:
    """Absent, null, false or said to be none."""
    assert judge(checkpoint_cleared, MemoryWorld(handoff(**fields))) == []


def test_checkpoint_in_a_broken_file_is_not_taken_for_cleared() -> None:
    """It cannot be known."""
    [found] = judge(checkpoint_cleared, MemoryWorld({PATH_CHECKPOINT: '{"checkpoint_pending": "cl'}))
    assert found.subject == f"unreadable {PATH_CHECKPOINT}"


def waiting_state(**fields: object) -> dict[str, str | bytes]:
    whole = {"phase": "3", "phase_name": "Charts", "completed_tasks": [], "remaining_tasks": [], "context_notes": "x"}
    return {PATH: json.dumps({**whole, **fields}, indent=1)}


def messages(files: dict[str, str | bytes]) -> list[str]:
    return [found.message.split(": ", 2)[-1] for found in judge(human_actions_cleared, MemoryWorld(files))]


def test_actions_and_blockers_are_found_people_first() -> None:
    """Only people can act on theirs, so these come first."""
    files = waiting_state(
        blockers=[{"description": "Tide data is missing", "type": "technical"}],
        human_actions_pending=[{"action": "Buy the chart licence", "blocking": True}],
    )
    found = judge(human_actions_cleared, MemoryWorld(files))
    assert ["Buy" in one.message for one in found] == [True, False]
    assert all(one.place is not None and one.place.line for one in found)


@pytest.mark.parametrize("action", ["Buy the licence", {"action": "Buy"}, {"action": "Buy", "blocking": "no"}])
def test_action_that_does_not_say_whether_it_blocks_does(action: object) -> None:
    """What is not said cannot be taken for a no."""
    assert len(messages(waiting_state(human_actions_pending=[action]))) == 1


def test_open_points_and_notes_are_found_and_resolved_ones_are_not() -> None:
    """The relay's open points; blockers of notes until they are resolved."""
    relay = {
        "task": "row",
        "status": "implemented",
        "actor": "one",
        "changed_files": [],
        "checks": [],
        "open_points": ["The oar is short"],
        "next_role": "two",
    }
    note = "# Handoff\n\n## Status\nPaused\n\n## Blockers\n- [x] Rope is old\n- Sail is torn\n"
    files: dict[str, str | bytes] = {"HANDOFF.json": json.dumps(relay), "HANDOFF.md": note}
    assert messages(files) == ["The oar is short", "Sail is torn"]


def test_checkpoint_is_left_to_its_own_rule() -> None:
    """It is told once."""
    fields = ("feature", "phase", "goal", "scope", "relevant_files", "acceptance_criteria", "verification_commands")
    root = {**dict.fromkeys(fields, "x"), "source_spec": "docs/a.md", "checkpoint_pending": "clarification"}
    assert messages({".claude/handoff.json": json.dumps(root)}) == []


def test_state_that_is_broken_is_found_of_waiting_for_people() -> None:
    """What waits in it is not known."""
    [found] = judge(human_actions_cleared, MemoryWorld({PATH: '{"blockers": ['}))
    assert found.subject == f"unreadable {PATH}"


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (named_commits_exist, MemoryWorld(state(None))),
        (checkpoint_cleared, MemoryWorld({"HANDOFF.md": "# Handoff\n\n## Status\nx\n\n## Next steps\n- y\n"})),
        (human_actions_cleared, MemoryWorld({"bugs.json": '{"bugs": []}'})),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)
