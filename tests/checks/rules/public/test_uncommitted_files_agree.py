from __future__ import annotations

import json

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.public.agrees_with_git import UNCOMMITTED_FILES_AGREE
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.world import HEAD, MemoryWorld, judge

PATH = ".planning/HANDOFF.json"


def subjects(listed: object, changed: tuple[str, ...] = (), untracked: tuple[str, ...] = ()) -> list[str]:
    root = {"phase": "3", "completed_tasks": [], "remaining_tasks": [], "uncommitted_files": listed}
    files: dict[str, str | bytes] = {PATH: json.dumps(root), "src/row.py": "", "src/sail.py": "", "data/a.csv": ""}
    facts = RepositoryFacts(root="/r", head=HEAD, changed=changed, untracked=untracked)
    return [found.subject for found in judge(UNCOMMITTED_FILES_AGREE, MemoryWorld(files, repository=facts))]


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
