from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.mosaic.claimed_commits_match_git import CLAIMED_COMMITS_MATCH_GIT
from handoff_tui.checks.world import CommitInfo
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.session_states import STATE_COMMIT, build_agent_state, build_state
from tests.support.world import HEAD, MemoryWorld, find_subjects, judge

STATE_ONLY = (".mosaic/agent_state.json", ".mosaic/SESSION_HANDOFF_2026-03-04.md", ".ai-agents/handoff_0304.json")


def build_commit(commit: str, *parents: str) -> CommitInfo:
    return CommitInfo(commit, parents, "A", "a@x", "2026-03-04", "subject", "")


def build_line(*between: str) -> tuple[CommitInfo, ...]:
    """HEAD, the given commits, the commit of the state, and the one before it, in one line."""
    names = [HEAD, *(letter * 40 for letter in between), STATE_COMMIT, "0" * 40]
    return tuple(build_commit(name, parent) for name, parent in zip(names, [*names[1:], "9" * 40], strict=True))


def build_world(lag: int | None = 1, **changes: object) -> MemoryWorld:
    world = MemoryWorld(files=build_state(), known_commits={STATE_COMMIT: lag})
    for name, value in changes.items():
        setattr(world, name, value)
    return world


def test_commit_one_behind_passes_and_shows_the_lag() -> None:
    """The commit that stores the state is always ahead of the one in it; the lag is told all the same."""
    context = Context(Answers(build_world(1)))
    assert list(CLAIMED_COMMITS_MATCH_GIT.judge(context)) == []
    assert context.notes == [f"HEAD is 1 commit ahead of {STATE_COMMIT[:7]} in .mosaic/agent_state.json"]


def test_commit_that_is_head_passes() -> None:
    """No lag at all is fine."""
    assert judge(CLAIMED_COMMITS_MATCH_GIT, build_world(0)) == []


def test_lag_beyond_the_tolerated_is_found() -> None:
    """Work that the state does not know of makes it stale; the finding says how far."""
    world = build_world(3, log=build_line("1", "2"), touched={HEAD: ("src/a.py",), "1" * 40: ("b.py",)})
    [found] = judge(CLAIMED_COMMITS_MATCH_GIT, world)
    assert found.message.endswith(f"was written for commit {STATE_COMMIT[:7]}, and HEAD is 3 commits ahead of it")
    assert (found.subject, found.expected, found.actual) == (STATE_COMMIT[:7], "at most 1 commit of work", "3 commits")
    assert found.command == f"git log --oneline {STATE_COMMIT[:7]}..HEAD"
    assert found.place is not None
    assert found.place.line == 7


def test_tolerated_lag_comes_from_the_configuration() -> None:
    """A project may tolerate more, or nothing."""
    assert judge(CLAIMED_COMMITS_MATCH_GIT, build_world(3, overrides={"mosaic.commit_lag_tolerated": 3})) == []
    world = build_world(1, overrides={"mosaic.commit_lag_tolerated": 0}, log=build_line(), touched={HEAD: ("a.py",)})
    assert len(judge(CLAIMED_COMMITS_MATCH_GIT, world)) == 1


def test_commits_of_state_files_are_left_out() -> None:
    """Commits that only write the state down do not make it stale; that they were left out is told."""
    touched = {HEAD: STATE_ONLY, "1" * 40: ("src/a.py",), "2" * 40: (".mosaic/LATEST_HANDOFF.md",)}
    context = Context(Answers(build_world(3, log=build_line("1", "2"), touched=touched)))
    assert list(CLAIMED_COMMITS_MATCH_GIT.judge(context)) == []
    assert context.notes[0].startswith("HEAD is 3 commits ahead")
    assert context.notes[0].endswith(", 2 of them of state files only")


@pytest.mark.parametrize(
    "path",
    [".mosaic/enforcement/session-gate.sh", ".ai-agents/AI_AGENT_PROMPT.md", "src/agent_state.json", ".mosaic/x.py"],
)
def test_other_files_of_the_folders_are_work(path: str) -> None:
    """Enforcement, prompts and code are no state, wherever they lie and whatever they are called."""
    touched = {HEAD: (*STATE_ONLY, path), "1" * 40: ("src/a.py",)}
    assert len(judge(CLAIMED_COMMITS_MATCH_GIT, build_world(2, log=build_line("1"), touched=touched))) == 1


def test_commits_of_state_files_count_when_configured() -> None:
    """The tolerance can be turned off."""
    world = build_world(
        2,
        log=build_line("1"),
        touched=dict.fromkeys((HEAD, "1" * 40), STATE_ONLY),
        overrides={"mosaic.state_only_commits_tolerated": False},
    )
    assert len(judge(CLAIMED_COMMITS_MATCH_GIT, world)) == 1


def test_commits_further_back_than_was_read_count_as_work() -> None:
    """What was not looked at is not taken for state only."""
    world = build_world(50, log=(build_commit(HEAD, "1" * 40),), touched={HEAD: STATE_ONLY})
    assert len(judge(CLAIMED_COMMITS_MATCH_GIT, world)) == 1


def test_merged_commits_are_told_from_those_the_state_knows() -> None:
    """Only what the commit of the state does not contain is counted, whatever order the history is listed in."""
    log = (
        build_commit(HEAD, "1" * 40, STATE_COMMIT),
        build_commit("1" * 40, "0" * 40),
        build_commit(STATE_COMMIT, "2" * 40, "3" * 40),
        build_commit("2" * 40, "0" * 40),
        build_commit("3" * 40, "0" * 40),
        build_commit("0" * 40),
    )
    touched = {HEAD: (), "1" * 40: ("a.py",), **{digit * 40: ("z.py",) for digit in "023"}}
    world = build_world(2, log=log, touched=touched)
    assert judge(CLAIMED_COMMITS_MATCH_GIT, world) == []


def test_commit_that_does_not_exist_is_found() -> None:
    """An invented commit fails."""
    [found] = judge(CLAIMED_COMMITS_MATCH_GIT, MemoryWorld(files=build_state()))
    assert found.message == f".mosaic/agent_state.json names commit {STATE_COMMIT[:7]}, which does not exist here"
    assert found.command is None


def test_commit_of_another_history_is_found() -> None:
    """The commit of a branch that never was merged is no commit of this work."""
    [found] = judge(CLAIMED_COMMITS_MATCH_GIT, build_world(None))
    assert "is not in the history of HEAD" in found.message


def test_other_commits_must_be_in_the_history() -> None:
    """Commits named elsewhere in the state need not be near HEAD, but must be in its history."""
    old, foreign = "c1" * 20, "d2" * 20
    document = (
        f"# SESSION HANDOFF\n\n- Commit: `{old[:8]}`\n- Commit: `{foreign[:8]}`\n- Commit: `eeee333`\n"
        f"- Commit: `{HEAD[:6]}1a`\n"
    )
    world = build_world(0, known_commits={STATE_COMMIT: 0, old: 90, foreign: None, f"{HEAD[:6]}1a": 7})
    world.files[".mosaic/SESSION_HANDOFF_1.md"] = document
    world.log = (build_commit(f"{HEAD[:6]}1a"),)
    found = judge(CLAIMED_COMMITS_MATCH_GIT, world)
    assert [finding.subject for finding in found] == [foreign[:8], "eeee333"]
    assert [finding.place.line if finding.place else None for finding in found] == [4, 5]


def test_commit_that_is_named_twice_is_told_once() -> None:
    """One finding for each document and commit, the one about the state's own commit."""
    state = build_agent_state(implementation_progress={"deployment_commit": STATE_COMMIT[:7]})
    [found] = judge(CLAIMED_COMMITS_MATCH_GIT, MemoryWorld(files=build_state(state)))
    assert found.place is not None
    assert found.place.line == 7


@pytest.mark.parametrize("value", ["latest", "", 42])
def test_field_that_holds_no_commit_is_found(value: object) -> None:
    """A word in place of a commit does not make the rule inapplicable."""
    world = MemoryWorld(files=build_state(build_agent_state(last_commit=value)))
    [found] = judge(CLAIMED_COMMITS_MATCH_GIT, world)
    assert (found.subject, found.actual) == ("last_commit", str(value) or "empty")


@pytest.mark.parametrize("text", ["{", "[]", '{"last_agent": 1, "last_agent": 2}'])
def test_state_that_cannot_be_read_is_found(text: str) -> None:
    """What cannot be read names no commit that could be compared, and that is no pass."""
    world = MemoryWorld(files={**build_state(), ".mosaic/agent_state.json": text})
    assert judge(CLAIMED_COMMITS_MATCH_GIT, world)


def test_shallow_clone_cannot_tell() -> None:
    """A commit that is not among those of a shallow clone may exist."""
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", shallow=True)
    with pytest.raises(UndecidableError, match=f"shallow.*{STATE_COMMIT[:7]}"):
        judge(CLAIMED_COMMITS_MATCH_GIT, MemoryWorld(files=build_state(), repository=facts))


def test_shallow_clone_still_tells_what_it_sees() -> None:
    """A lag that is known is a finding in a shallow clone too."""
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", shallow=True)
    world = build_world(9, repository=facts)
    world.files[".mosaic/SESSION_HANDOFF_1.md"] = "# SESSION HANDOFF\n\nCommit `eeee333`.\n"
    assert find_subjects(CLAIMED_COMMITS_MATCH_GIT, world) == [STATE_COMMIT[:7]]


def test_state_without_a_commit_does_not_apply() -> None:
    """The field is optional; without any commit there is nothing to compare."""
    world = MemoryWorld(files=build_state(build_agent_state(last_commit=...)))
    with pytest.raises(NotApplicableError, match="names no commit"):
        judge(CLAIMED_COMMITS_MATCH_GIT, world)


def test_repository_without_a_state_does_not_apply() -> None:
    """Handoffs of other kinds have their own rule for commits."""
    with pytest.raises(NotApplicableError, match="no mosaic handoff here"):
        judge(CLAIMED_COMMITS_MATCH_GIT, MemoryWorld(files={"a.txt": ""}))
