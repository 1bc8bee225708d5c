from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder

DOCUMENT = "docs/HANDOFF.md"
Look = Callable[[], RepositoryEvidence]


def sha256(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


@pytest.fixture
def look(builder: RepositoryBuilder) -> Look:
    """Looks at the repository as it is now."""
    return lambda: RepositoryEvidence(open_desk(builder.folder), deep=True)


@pytest.fixture
def story(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A file that changed before, with and after its document."""
    builder.write("a.py", "zero\n").write("PKG-1/manifest.json", "{}").commit("before")
    builder.write("a.py", "one\n").write(DOCUMENT, "said\n").commit("with the document")
    return builder.write("a.py", "two\n").write("PKG-2/manifest.json", "{}").commit("after")


def test_hash_is_that_of_the_bytes_now(story: RepositoryBuilder, look: Look) -> None:
    """Uncommitted changes count; what is not there has none."""
    assert look().hash_now("a.py") == sha256("two\n")
    story.write("a.py", "three\n")
    assert look().hash_now("a.py") == sha256("three\n")
    assert look().hash_now("absent.py") is None


def test_hash_of_a_link_that_leads_out_is_not_measured(builder: RepositoryBuilder, look: Look, tmp_path: Path) -> None:
    """Nothing outside the repository is read."""
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    builder.link("way", tmp_path / "secret")
    assert look().hash_now("way") is None


def test_hashes_of_the_past_are_those_around_the_document(story: RepositoryBuilder, look: Look) -> None:
    """At its last commit, and just before it."""
    commit = story.head("HEAD~1")[:7]
    assert look().hash_at_document("a.py", DOCUMENT) == (sha256("one\n"), commit)
    assert look().hash_before_document("a.py", DOCUMENT) == (sha256("zero\n"), f"{commit}^")
    assert look().hash_at_document("absent.py", DOCUMENT) == (None, commit)


def test_document_that_was_never_committed_is_new(story: RepositoryBuilder, look: Look) -> None:
    """It has no past of its own: what was before it is HEAD."""
    story.write("new/HANDOFF.md")
    assert look().hash_at_document("a.py", "new/HANDOFF.md") == (None, "")
    assert look().hash_before_document("a.py", "new/HANDOFF.md") == (sha256("two\n"), "HEAD")


def test_packages_are_counted_as_of_the_document(story: RepositoryBuilder, look: Look) -> None:
    """One then, two now; a document with changes speaks of now."""
    counted, moment = look().count_packages(DOCUMENT)
    assert (counted, moment) == (1, f"at {story.head('HEAD~1')[:7]}, when this was written")
    story.write(DOCUMENT, "said again\n")
    assert look().count_packages(DOCUMENT) == (2, "in the work tree")


def test_shallow_clone_has_no_past_of_a_document_at_its_end(story: RepositoryBuilder, tmp_path: Path) -> None:
    """Its only commit seems to have written everything; a document that is being changed speaks of now."""
    clone = story.clone_shallow(tmp_path / "clone")
    evidence = RepositoryEvidence(open_desk(clone.folder), deep=True)
    assert evidence.find_cut_off(DOCUMENT) == clone.head()[:7]
    assert evidence.hash_at_document("a.py", DOCUMENT) == (None, "")
    assert evidence.hash_before_document("a.py", DOCUMENT) == (None, "")
    clone.write(DOCUMENT, "said again\n")
    assert RepositoryEvidence(open_desk(clone.folder), deep=True).find_cut_off(DOCUMENT) is None
    assert RepositoryEvidence(open_desk(story.folder), deep=True).find_cut_off(DOCUMENT) is None


def test_packages_that_are_not_there_are_not_counted(builder: RepositoryBuilder, look: Look) -> None:
    """None is not zero: there is nothing to measure with."""
    builder.write(DOCUMENT).commit()
    assert look().count_packages(DOCUMENT)[0] is None


def test_commits_are_found_by_any_part_of_their_id(story: RepositoryBuilder, look: Look) -> None:
    """Asked together or one by one; words that are no commit are not found."""
    evidence = look()
    head = story.head()
    evidence.resolve_commits([head[:7], "abc1234"])
    assert evidence.find_commit(head[:7]) == head
    assert evidence.find_commit("abc1234") is None
    assert evidence.find_commit(story.head("HEAD~1")[:10]) == story.head("HEAD~1")
    assert [evidence.find_commit(name) for name in ("", "--all", "HEAD\n", "a b", "\0")] == [None] * 5


def test_lag_is_counted_from_a_commit_to_head(story: RepositoryBuilder, look: Look) -> None:
    """None behind, two behind, and nothing for a commit outside the history."""
    loose = story.git("commit-tree", story.head("HEAD^{tree}"), "-m", "loose")
    assert [look().lag_of(name) for name in (story.head(), story.head("HEAD~2"), loose)] == [0, 2, None]


def test_branches_are_known_with_those_of_remotes(story: RepositoryBuilder, look: Look, tmp_path: Path) -> None:
    """By their short names."""
    story.push(tmp_path / "remote.git").step("branch", "side/lamp")
    evidence = look()
    assert evidence.branch == "main"
    known = [evidence.has_branch(name) for name in ("main", "side/lamp", "origin/main", "lamp", "refs/heads/main")]
    assert known == [True, True, True, False, False]


def test_files_are_found_as_documents_name_them(story: RepositoryBuilder, look: Look) -> None:
    """From the root, from beside the document, and where git ignores them; deleted ones are not."""
    story.write("docs/b.md").write("c.py").commit().write(".gitignore", "build\n").write("build/out.txt")
    story.place("c.py").unlink()
    evidence = look()
    found = {name: evidence.find(name, DOCUMENT).path for name in ("a.py", "b.md", "build/out.txt", "c.py", "../x")}
    assert found == {"a.py": "a.py", "b.md": "docs/b.md", "build/out.txt": "build/out.txt", "c.py": None, "../x": None}


@pytest.mark.parametrize("name", ["", "\0", "/etc/passwd", "~", "x" * 5_000, "a\ud800b", "."])
def test_name_of_any_shape_can_be_looked_for(story: RepositoryBuilder, look: Look, name: str) -> None:
    """What an agent wrote is never a failure, and never leads out."""
    found = look().find(name, DOCUMENT).path
    assert found in {None, "", "."}


def test_proof_is_a_commit_or_a_file_that_exists(story: RepositoryBuilder, look: Look) -> None:
    """The first one that a text names; words alone prove nothing."""
    commit = story.head()[:7]
    evidence = look()
    assert evidence.find_proof(f"fixed in commit {commit}, see `a.py`", DOCUMENT) == commit
    assert evidence.find_proof("commit abc1234 and `a.py`", DOCUMENT) == "a.py"
    assert evidence.find_proof("see (a.py).", DOCUMENT) == "a.py"
    assert evidence.find_proof("it works now, see nope.py", DOCUMENT) is None


def test_uncommitted_paths_are_known(story: RepositoryBuilder, look: Look) -> None:
    """Changed and new ones."""
    story.write("a.py", "three\n").write("new.py")
    assert look().uncommitted == {"a.py", "new.py"}
    assert not look().shallow


def test_saved_files_are_measured_again(story: RepositoryBuilder) -> None:
    """What else was found stays; a file behind a link is hashed each time."""
    story.link("way.py", "a.py")
    evidence = RepositoryEvidence(open_desk(story.folder), deep=False)
    assert (evidence.hash_now("a.py"), evidence.hash_now("way.py")) == (sha256("two\n"), sha256("two\n"))
    story.write("a.py", "three\n").write("PKG-1/manifest.json", "{} ")
    evidence.move_on(open_desk(story.folder), frozenset({"a.py"}))
    assert (evidence.hash_now("a.py"), evidence.hash_now("way.py")) == (sha256("three\n"), sha256("three\n"))
    assert "a.py" in evidence.uncommitted
