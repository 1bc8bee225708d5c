from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.public.agrees_with_git import NAMED_COMMITS_EXIST, UNCOMMITTED_FILES_AGREE
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.world import HEAD, MemoryWorld, find_subjects, judge

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


def subjects(listed: object, changed: tuple[str, ...] = (), untracked: tuple[str, ...] = ()) -> list[str]:
    root = {"phase": "3", "completed_tasks": [], "remaining_tasks": [], "uncommitted_files": listed}
    files: dict[str, str | bytes] = {PATH: json.dumps(root), "src/row.py": "", "src/sail.py": "", "data/a.csv": ""}
    facts = RepositoryFacts(root="/r", head=HEAD, changed=changed, untracked=untracked)
    return find_subjects(UNCOMMITTED_FILES_AGREE, MemoryWorld(files, repository=facts))


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
    [found] = judge(UNCOMMITTED_FILES_AGREE, MemoryWorld({PATH: '{"uncommitted_files": ['}))
    assert found.subject == f"unreadable {PATH}"
