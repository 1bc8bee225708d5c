"""What merges bring: commits belong to the handoff whose branch it was, and a side that was kept, in every clone."""

from __future__ import annotations

import pytest

from handoff_tui.core.place import Place
from handoff_tui.git.history.commit_changes import ChangedCommit
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.find import find_scopes, read_stated
from handoff_tui.handoffs.scope.merges import find_merged_commits
from handoff_tui.handoffs.scope.scope import Attribution, Scopes
from handoff_tui.handoffs.session import open_session
from tests.support.repositories import RepositoryBuilder

PARENTS = {"a": "", "b": "a", "c": "a", "d": "c", "e": "b d", "f": "e", "g": "d", "h": "f g"}
RESULTS = "# Results: {0}\n\n## Status: PASS\n\n## Files Created\n- `none`\n"


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


def read_scopes(builder: RepositoryBuilder) -> Scopes:
    desk = open_session(builder.folder)
    return find_scopes(desk, read_repository(desk).result.handoffs, read_stated(desk)).scopes


def read_blob(builder: RepositoryBuilder) -> str:
    return builder.git("rev-parse", "HEAD:lamp.py")


@pytest.fixture
def forked(builder: RepositoryBuilder) -> RepositoryBuilder:
    """H-1 and H-2 have reported. H-1 changes the lamp on main; a branch from before is checked out."""
    for name in ("H-1", "H-2"):
        builder.write("lamp.py", "1\n").write(f"handoffs/{name}/{name}_RESULTS.md", RESULTS.format(name))
        builder.commit(f"{name}: report")
    builder.step("branch", "side").write("lamp.py", "2\n").commit("H-1: lamp")
    return builder.step("checkout", "--quiet", "side").write("side.py").commit("H-2: side")


def merge(builder: RepositoryBuilder, content: str, message: str = "merge") -> Scopes:
    """Merges main into the branch with this lamp."""
    builder.git("merge", "--quiet", "--no-commit", "--no-ff", "-X", "theirs", "main")
    builder.write("lamp.py", content).commit(message)
    return read_scopes(builder)


def test_clean_merge_changes_nothing(forked: RepositoryBuilder) -> None:
    """The lamp is as H-1 left it, and H-1's own commits are its own."""
    scopes = merge(forked, "2\n")
    assert scopes.of("H-1").results["lamp.py"].blob == read_blob(forked)
    assert forked.head() not in scopes.of("H-1").commits


def test_merge_that_undoes_work_is_a_change_of_that_handoff(forked: RepositoryBuilder) -> None:
    """Nobody claims it, so it changed H-1's work, which is no longer what was approved."""
    scope = merge(forked, "1\n").of("H-1")
    assert scope.results["lamp.py"].blob == read_blob(forked)
    assert dict(scope.reasons())["lamp.py"] is Attribution.OWNER


def test_merge_that_names_a_handoff_undoes_work_in_its_name(forked: RepositoryBuilder) -> None:
    """The undoing is in that one's diff."""
    scopes = merge(forked, "1\n", "H-2: merge main")
    assert scopes.of("H-2").results["lamp.py"].blob == read_blob(forked)
    assert scopes.of("H-1").taken_over == {"lamp.py": "H-2"}


def test_merge_that_keeps_a_side_keeps_its_handoff(forked: RepositoryBuilder) -> None:
    """Both changed the lamp, and the merge took H-2's: whoever merged has changed neither."""
    forked.write("lamp.py", "3\n").commit("H-2: lamp")
    scopes = merge(forked, "3\n")
    assert scopes.of("H-2").results["lamp.py"].blob == read_blob(forked)
    assert scopes.of("H-1").taken_over == {"lamp.py": "H-2"}
    assert not scopes.of("H-2").taken_over
    assert forked.head() not in scopes.of("H-2").commits


def test_merge_that_keeps_what_nobody_claims_changed_the_work_of_the_last_owner(forked: RepositoryBuilder) -> None:
    """A branch on which somebody edited approved work without a handoff."""
    forked.write("lamp.py", "3\n").commit("drive-by")
    scopes = merge(forked, "3\n")
    assert scopes.of("H-1").results["lamp.py"].blob == read_blob(forked)
    assert not scopes.unclaimed


def test_merge_that_chooses_between_two_versions_of_one_handoff_is_its_result(forked: RepositoryBuilder) -> None:
    """Whichever side git lists last."""
    forked.write("lamp.py", "3\n").commit("H-1: another lamp")
    assert merge(forked, "3\n").of("H-1").results["lamp.py"].blob == read_blob(forked)
    forked.step("reset", "--quiet", "--hard", "HEAD~1")
    assert merge(forked, "2\n").of("H-1").results["lamp.py"].blob == read_blob(forked)
