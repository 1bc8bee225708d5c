"""A scope that somebody states: for one submission, or written down for everybody."""

from __future__ import annotations

import pytest

from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.errors import UsageError
from handoff_tui.decisions.correct_scope import ScopeInForce, ScopeRequest, state_scope
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.scope import Attribution, Scopes
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.gates.all_gates import LogGates
from tests.support.repositories import RepositoryBuilder

HANDOFF = "notes/HANDOFF.md"
TEXT = "# Handoff: b\n\nStatus: complete\n\nAll done.\n"


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    """Three commits before a report, one after it."""
    builder.write("README.md").commit("before").write("a.py", "1").commit("a").step("tag", "after-a")
    builder.write("b.py", "1").commit("b").write("HANDOFF.md", TEXT).commit("report")
    return builder.write("c.py", "1").commit("c")


def find(desk: Session) -> Scopes:
    return LogGates(desk, read_repository(desk).result.handoffs).work.scopes


def state(builder: RepositoryBuilder, *paths: str, since: str | None = None, write: bool = False) -> ScopeInForce:
    return state_scope(open_session(builder.folder), HANDOFF, ScopeRequest(since, paths, write), signed=write)


def test_stated_scope_replaces_the_guess(work: RepositoryBuilder) -> None:
    """What it leaves out is nobody's, and shown as such; nothing is written."""
    assert set(find(open_session(work.folder)).of(HANDOFF).results) == {"HANDOFF.md", "a.py", "b.py"}
    scopes = find(state(work, "b.py", "c.py", since="after-a").session)
    assert dict(scopes.of(HANDOFF).reasons()) == {
        "HANDOFF.md": Attribution.DECLARED,
        "b.py": Attribution.EXPLICIT,
        "c.py": Attribution.EXPLICIT,
    }
    assert scopes.unclaimed_paths == ("a.py",)
    assert not work.place(REPOSITORY_FILE).exists()


def test_written_scope_counts_for_everybody_and_is_no_work_itself(work: RepositoryBuilder) -> None:
    """Before and after it is committed; the same again changes nothing."""
    stated = state(work, "c.py", since="after-a", write=True)
    assert stated.written
    for _ in range(2):
        scopes = find(open_session(work.folder))
        assert set(scopes.of(HANDOFF).results) == {"HANDOFF.md", "c.py"}
        assert scopes.unclaimed_paths == ("a.py", "b.py")
        work.commit("scope")


def test_later_work_is_assigned_as_usual(work: RepositoryBuilder) -> None:
    """The statement ends with the commit at which it was made."""
    state(work, since="after-a", write=True)
    work.commit("scope").write("d.py", "1").commit("d")
    scopes = find(open_session(work.folder))
    assert set(scopes.of(HANDOFF).results) == {"HANDOFF.md", "b.py", "c.py"}
    assert scopes.unclaimed_paths == ("a.py", "d.py")
    work.write("HANDOFF.md", f"{TEXT}\nMore.\n").commit("again")
    assert "d.py" in find(open_session(work.folder)).of(HANDOFF).results


def test_uncommitted_work_is_stated_by_its_path(work: RepositoryBuilder) -> None:
    """Commits say nothing about work that is in none."""
    work.write("e.py", "1").write("f.py", "1")
    assert "e.py" not in find(state(work, since="after-a").session).of(HANDOFF).results
    assert "e.py" in find(state(work, "e.py").session).of(HANDOFF).results


def test_commit_that_is_gone_states_nothing(work: RepositoryBuilder) -> None:
    """After a rebase the usual evidence counts again."""
    state(work, "c.py", since="after-a", write=True)
    work.step("commit", "--quiet", "--amend", "--message", "c, again")
    assert set(find(open_session(work.folder)).of(HANDOFF).results) == {"HANDOFF.md", "a.py", "b.py"}


@pytest.mark.parametrize(
    ("path", "since", "words"),
    [
        ("nope.py", None, "nothing changed in nope.py"),
        ("a.py", "after-a", "nothing changed in a.py"),
        ("../x", None, "leads out"),
        ("/etc", None, "leads out"),
        (".handoff-tui/log", None, "belongs to the log"),
        ("b.py", "v9", "not a commit in the history"),
        ("b\udcff.py", None, "not UTF-8"),
    ],
)
def test_statement_without_sense_is_refused(work: RepositoryBuilder, path: str, since: str | None, words: str) -> None:
    """Most likely a typing error; nothing is written."""
    with pytest.raises(UsageError, match=words):
        state(work, path, since=since, write=True)
    assert not work.place(REPOSITORY_FILE).exists()


def test_what_is_signed_must_be_written(work: RepositoryBuilder) -> None:
    """Else nobody could compute it again. A link in the file's place is not replaced."""
    with pytest.raises(UsageError, match="can't be signed"):
        state_scope(open_session(work.folder), HANDOFF, ScopeRequest("after-a"), signed=True)
    work.write("elsewhere.toml", "").link(REPOSITORY_FILE, "elsewhere.toml")
    with pytest.raises(UsageError, match="is a link"):
        state(work, "b.py", write=True)
