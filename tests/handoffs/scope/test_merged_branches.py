"""Commits that a merge brought belong to the handoff whose branch it was, in every clone."""

from __future__ import annotations

import pytest

from handoff_tui.core.place import Place
from handoff_tui.git.history.commit_changes import ChangedCommit
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.scope.merges import find_merged_commits

PARENTS = {"a": "", "b": "a", "c": "a", "d": "c", "e": "b d", "f": "e", "g": "d", "h": "f g"}


def build_history(**subjects: str) -> list[ChangedCommit]:
    """Commits a to h: e merges c and d into b; h merges g."""
    return [
        ChangedCommit(name, tuple(parents.split()), "A", "a@x", "a@x", 0, subjects.get(name, name), ())
        for name, parents in PARENTS.items()
    ]


def build_handoff(name: str, *branches: str) -> Handoff:
    where = Place(path="HANDOFF.md", line=1)
    claims = (Claim(text=branch, kind=ClaimKind.BRANCH, where=where, value=branch) for branch in branches)
    return Handoff(id=name, dialect="notes", claims=tuple(claims))


@pytest.mark.parametrize(
    "subject",
    [
        "Merge branch 'lamp'",
        "Merge branch 'lamp' into main",
        "Merge remote-tracking branch 'origin/lamp'",
        "Merge pull request #12 from ada/lamp",
    ],
)
def test_merge_brings_the_commits_of_its_branch(subject: str) -> None:
    """Those of the side alone, with the merge."""
    found = find_merged_commits(build_history(e=subject), [build_handoff("H-1", "lamp"), build_handoff("H-2")])
    assert found == {"H-1": frozenset("cde")}


def test_later_merge_brings_only_what_is_new() -> None:
    """The same branch goes on after its first merge."""
    found = find_merged_commits(build_history(h="Merge branch 'lamp'"), [build_handoff("H-1", "lamp")])
    assert found == {"H-1": frozenset("gh")}


def test_branch_of_an_agent_names_its_handoff() -> None:
    """As `step` names them; the handoff's documents need not say so."""
    history = build_history(e="Merge branch 'handoff-tui/notes-HANDOFF.md/build/a1'")
    assert find_merged_commits(history, [build_handoff("notes/HANDOFF.md")]) == {"notes/HANDOFF.md": frozenset("cde")}


@pytest.mark.parametrize(
    ("subject", "handoffs"),
    [
        ("Merge branch 'main' into lamp", (build_handoff("H-1", "main"),)),
        ("Merge branch 'lamp'", (build_handoff("H-1", "lamp"), build_handoff("H-2", "lamp"))),
        ("Merge branch 'other'", (build_handoff("H-1", "lamp"),)),
        ("merged lamp", (build_handoff("H-1", "lamp"),)),
    ],
)
def test_branch_of_everybody_says_nothing(subject: str, handoffs: tuple[Handoff, ...]) -> None:
    """A trunk, a branch that two handoffs name, one that nobody does, and a merge in other words."""
    assert find_merged_commits(build_history(e=subject), handoffs) == {}
