from __future__ import annotations

from pathlib import Path

from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.entry import GateKey, LogVerdict
from handoff_tui.log.gates.position import build_principals, find_producers
from handoff_tui.log.index import build_log_index
from tests.support.logs import LogBuilder, build_policy
from tests.support.repositories import EMAIL, RepositoryBuilder

HANDOFF = Handoff(
    id="H-1", dialect="builder", producers=("Robot 7",), documents=(Document(path="H.md", role=DocumentRole.RESULTS),)
)
NO_LOG = build_log_index(LogVerdict())


def commit_as(builder: RepositoryBuilder, email: str, path: str) -> None:
    builder.write(path, email).git("add", "--all")
    builder.git("commit", "--quiet", "--no-verify", "-m", "x", f"--author=X <{email}>")


def test_everybody_since_the_base_is_a_producer(builder: RepositoryBuilder) -> None:
    """Authors and committers of commits after it, and whom the handoff names, made to fit the log's grammar."""
    builder.write("H.md").commit("before")
    base = builder.head()
    commit_as(builder, "bo@example.org", "a.py")
    found = find_producers(open_desk(builder.folder), HANDOFF, base, (), None)
    assert found == {EMAIL, "bo@example.org", "Robot-7"}


def test_without_a_base_it_is_who_wrote_the_documents(builder: RepositoryBuilder) -> None:
    """Who touched something else long ago is not asked about."""
    commit_as(builder, "old@example.org", "a.py")
    commit_as(builder, "bo@example.org", "H.md")
    found = find_producers(open_desk(builder.folder), HANDOFF, None, (), None)
    assert "bo@example.org" in found
    assert "old@example.org" not in found


def test_submitters_of_this_attempt_are_producers(builder: RepositoryBuilder) -> None:
    """Not those of an earlier attempt."""
    builder.write("H.md").commit("x")
    log = LogBuilder()
    log.add_policy()
    log.add_submission("claude", phase="build", attempt=2)
    log.add_submission("bob", phase="build", attempt=1)
    submitters = build_log_index(log.judge()).find_submitters(GateKey(HANDOFF.id, "build", 2))
    found = find_producers(open_desk(builder.folder), HANDOFF, builder.head(), submitters, build_policy())
    assert found == {"Robot-7", "claude"}


def test_names_are_spelled_as_the_policy_spells_them() -> None:
    """Whatever their case; others are made to fit, and what has nothing left is nobody."""
    policy = build_policy()
    assert build_principals({"ALICE", "Bob", "some one", "§§"}, policy) == {"alice", "bob", "some-one"}
    assert build_principals({"x" * 200}, None) == {"x" * 128}


def test_commits_of_the_log_make_nobody_a_producer(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Who commits an approval has not made the work."""
    builder.write("H.md").commit("work")
    base = builder.head()
    commit_as(builder, "bo@example.org", ".handoff-tui/log/aa/x")
    found = find_producers(open_desk(builder.folder), HANDOFF, base, (), None)
    assert found == {"Robot-7"}
