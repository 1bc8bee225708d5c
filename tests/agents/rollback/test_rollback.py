from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.rollback import saved_work
from handoff_tui.agents.rollback.report import RollbackState
from handoff_tui.agents.rollback.rollback import apply_rollback, list_rollbacks, preview_rollback, undo_rollback
from handoff_tui.agents.runs.phase_locks import take_lock, unlock
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.core.errors import RollbackError
from handoff_tui.handoffs.placed_by_runs import ROLLBACK
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.system.files.git_private_files import GitPrivateFolder
from tests.support.gates import CODE, GateDesk
from tests.support.stepping import Stepping


@pytest.fixture
def approved(gate_desk: GateDesk) -> GateDesk:
    """Work that was approved and more work after it; the log is committed with it."""
    gate_desk.begin_approved()
    gate_desk.change("new\n", "new.py")
    return gate_desk


def desk_of(gate_desk: GateDesk) -> Session:
    return open_session(gate_desk.root)


def read(gate_desk: GateDesk, path: str) -> str:
    return gate_desk.builder.place(path).read_text(encoding="utf-8")


def test_preview_touches_nothing(approved: GateDesk) -> None:
    """Target, reason, files, commits."""
    head, status = approved.builder.head(), approved.builder.git("status", "--porcelain")
    preview = preview_rollback(desk_of(approved))
    assert "bo@example.org approved" in preview.reason
    assert [(file.path, file.change) for file in preview.files] == [("new.py", "deleted"), ("src/app.py", "modified")]
    assert [commit.subject for commit in preview.commits] == ["more work", "more work", "the log"]
    assert (approved.builder.head(), approved.builder.git("status", "--porcelain")) == (head, status)
    assert approved.builder.git("for-each-ref", "refs/handoff-tui") == ""


@pytest.mark.short
def test_rollback_brings_back_what_was_approved_and_undo_what_was_there(approved: GateDesk) -> None:
    """History and decisions stay; everything is saved under a ref; undoing restores all of it."""
    head = approved.builder.head()
    entries = sorted(path.name for path in approved.builder.place(".handoff-tui/log").rglob("*.jsonl"))
    record = apply_rollback(desk_of(approved))
    assert (read(approved, "src/app.py"), approved.builder.place("new.py").exists()) == (CODE, False)
    assert approved.builder.head("HEAD~1") == head
    assert approved.builder.git("status", "--porcelain") == ""
    assert sorted(path.name for path in approved.builder.place(".handoff-tui/log").rglob("*.jsonl")) == entries
    assert approved.builder.git("show", f"{record.saved.ref}:new.py") == "new"
    undone = undo_rollback(desk_of(approved))
    assert (undone.state, approved.builder.head(), read(approved, "new.py")) == (RollbackState.UNDONE, head, "new\n")
    assert [one.state for one in list_rollbacks(desk_of(approved))] == [RollbackState.UNDONE]
    with pytest.raises(RollbackError, match="no rollback to undo"):
        undo_rollback(desk_of(approved))


def test_rollback_makes_its_operator_no_producer(approved: GateDesk) -> None:
    """The commit says that it is ours, restores the approval, and its operator may go on deciding."""
    approved.builder.config("user.name", "bo").config("user.email", "bo@example.org")
    apply_rollback(desk_of(approved))
    author, subject = approved.builder.git("log", "-1", "--format=%ae%n%s").splitlines()
    assert author == "bo@example.org"
    assert subject.startswith(ROLLBACK)
    gate = approved.gate(approved.person("eve")).json
    assert (gate["state"], gate["producers"]) == ("approved", ["ada@example.org"])


@pytest.mark.short
def test_work_that_nobody_accounts_for_is_not_run_over(approved: GateDesk) -> None:
    """It is named; with consent it is saved and comes back."""
    approved.builder.write("mine.txt", "mine\n").write("src/app.py", "mine too\n")
    with pytest.raises(RollbackError, match=r"src/app\.py, mine\.txt") as refused:
        apply_rollback(desk_of(approved))
    assert "--with-uncommitted" in refused.value.hint
    apply_rollback(desk_of(approved), with_unexplained=True)
    assert not approved.builder.place("mine.txt").exists()
    undo_rollback(desk_of(approved))
    assert (read(approved, "mine.txt"), read(approved, "src/app.py")) == ("mine\n", "mine too\n")


def test_work_of_a_run_is_accounted_for_until_it_is_touched(
    approved: GateDesk, isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the agent left uncommitted may go; what somebody changed after it may not."""
    monkeypatch.setenv("HOME", str(isolated_user))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(isolated_user / "config"))
    stepping = Stepping(approved.builder, isolated_user).teach("echo loose > loose.txt; echo x > other.txt")
    stepping.step()
    assert preview_rollback(desk_of(approved)).unexplained == ()
    approved.builder.write("other.txt", "changed by hand\n")
    assert preview_rollback(desk_of(approved)).unexplained == ("other.txt",)


def test_uncommitted_work_on_approved_files_goes_without_a_commit(approved: GateDesk) -> None:
    """The approval of the very commit counts."""
    approved.builder.step("reset", "--hard", "--quiet", "HEAD~2").write("src/app.py", "loose\n")
    head = approved.builder.head()
    record = apply_rollback(desk_of(approved), with_unexplained=True)
    assert (record.commit, approved.builder.head(), read(approved, "src/app.py")) == (head, head, CODE)
    undo_rollback(desk_of(approved))
    assert read(approved, "src/app.py") == "loose\n"
    approved.builder.step("checkout", "--", ".")
    with pytest.raises(RollbackError, match="nothing to roll back"):
        apply_rollback(desk_of(approved))


def test_agent_at_work_stands_in_the_way(approved: GateDesk) -> None:
    """Nothing is taken away under it."""
    common_dir = desk_of(approved).repository.common_dir
    take_lock(common_dir, RunKey(handoff="H", phase="RED"), "ada")
    with pytest.raises(RollbackError, match="an agent is at work"):
        apply_rollback(desk_of(approved))
    unlock(common_dir, "RED", force=True)
    apply_rollback(desk_of(approved))


def test_undo_does_not_run_over_what_came_after(approved: GateDesk) -> None:
    """Neither commits nor uncommitted work; where the saved work is, is said."""
    apply_rollback(desk_of(approved))
    approved.builder.write("later.txt")
    with pytest.raises(RollbackError, match="uncommitted work since"):
        undo_rollback(desk_of(approved))
    approved.change("later\n", "later.txt")
    with pytest.raises(RollbackError, match="commits after the rollback") as refused:
        undo_rollback(desk_of(approved))
    assert "refs/handoff-tui/saved/" in refused.value.hint


@pytest.mark.parametrize("at", ["change_files", "move_head", "write_index"])
def test_interrupted_rollback_can_be_undone(approved: GateDesk, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Wherever it broke off: everything was saved and written down before the first file changed."""
    head = approved.builder.head()
    with monkeypatch.context() as broken:
        broken.setattr(saved_work, at, _fail)
        with pytest.raises(OSError, match="no space"):
            apply_rollback(desk_of(approved))
    assert list_rollbacks(desk_of(approved))[0].state is RollbackState.BEGUN
    undo_rollback(desk_of(approved))
    assert (approved.builder.head(), read(approved, "new.py")) == (head, "new\n")
    assert approved.builder.git("status", "--porcelain") == ""


def test_where_nothing_was_approved_there_is_no_way_back(gate_desk: GateDesk) -> None:
    """No log, or a log without an approval behind HEAD."""
    with pytest.raises(RollbackError, match="no signed log"):
        preview_rollback(desk_of(gate_desk))
    gate_desk.begin(gate_desk.person("bo"))
    with pytest.raises(RollbackError, match="ever approved"):
        preview_rollback(desk_of(gate_desk))


def test_what_cannot_be_saved_stands_in_the_way(approved: GateDesk) -> None:
    """It is named before anything is touched."""
    from tests.support.repositories import RepositoryBuilder  # noqa: PLC0415

    RepositoryBuilder.init(approved.root / "inner").commit()
    with pytest.raises(RollbackError, match="nested repository"):
        apply_rollback(desk_of(approved), with_unexplained=True)
    assert saved_work.SAVED_REFS not in approved.builder.git("for-each-ref")


def _fail(*_: object, **__: object) -> None:
    raise OSError("no space")


def test_damaged_lines_of_the_journal_are_left_out(approved: GateDesk) -> None:
    """The last state of each rollback is read."""
    done = apply_rollback(desk_of(approved))
    GitPrivateFolder(desk_of(approved).repository.common_dir).append("rollbacks.jsonl", b"{half\n")
    assert list_rollbacks(desk_of(approved)) == (done,)
