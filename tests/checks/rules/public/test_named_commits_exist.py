from __future__ import annotations

import json

import pytest

from handoff_tui.checks.contract import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.public.agrees_with_git import NAMED_COMMITS_EXIST
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.world import HEAD, MemoryWorld, judge

PATH = ".planning/HANDOFF.json"


def state(*commits: object) -> dict[str, str | bytes]:
    tasks = [{"id": number, "name": "row", "commit": commit} for number, commit in enumerate(commits, start=1)]
    return {PATH: json.dumps({"phase": "3", "completed_tasks": tasks, "remaining_tasks": [], "context_notes": ""})}


def test_commits_that_exist_pass() -> None:
    """By their short ids, also outside the history of HEAD."""
    other = "c0ffee1" + "0" * 33
    assert judge(NAMED_COMMITS_EXIST, MemoryWorld(state(HEAD[:7], "c0ffee1", None), known_commits={other: None})) == []


def test_commit_that_does_not_exist_is_found() -> None:
    """With its place and what to look up."""
    [found] = judge(NAMED_COMMITS_EXIST, MemoryWorld(state("dead1234")))
    assert (found.expected, found.command) == ("a commit dead1234", "git cat-file -t dead1234")
    assert found.place is not None


@pytest.mark.parametrize("commit", ["latest", "TBD", "abc"])
def test_commit_that_can_be_none_is_found(commit: str) -> None:
    """A task is not committed with a word."""
    [found] = judge(NAMED_COMMITS_EXIST, MemoryWorld(state(commit)))
    assert found.actual == commit


def test_commit_in_a_note_is_looked_up() -> None:
    """Prose that names a commit."""
    note = "# Handoff\n\n## Status\nDone in commit `dead1234`.\n\n## Next steps\n- row\n"
    assert len(judge(NAMED_COMMITS_EXIST, MemoryWorld({"HANDOFF.md": note}))) == 1


def test_commit_in_a_shallow_clone_cannot_be_judged() -> None:
    """It may be among those that are not here."""
    world = MemoryWorld(state("dead1234"), repository=RepositoryFacts(root="/r", head=HEAD, shallow=True))
    with pytest.raises(UndecidableError):
        judge(NAMED_COMMITS_EXIST, world)


def test_rule_does_not_apply_where_no_commit_is_named() -> None:
    """No handoff, or one without commits."""
    for files in ({}, state(None)):
        with pytest.raises(NotApplicableError):
            judge(NAMED_COMMITS_EXIST, MemoryWorld(dict(files)))
