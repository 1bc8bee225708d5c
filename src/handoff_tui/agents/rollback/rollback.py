"""Rolls back to the last approved commit: shows what would change, saves everything first, and can be undone."""

from __future__ import annotations

from handoff_tui.agents.rollback import saved_work
from handoff_tui.agents.rollback.report import Rollback, RollbackPreview, RollbackState
from handoff_tui.agents.runs.observation import read_new_commits, read_touched_files
from handoff_tui.agents.runs.phase_locks import describe_holder, list_locks
from handoff_tui.agents.step.report import StepReport
from handoff_tui.agents.step.step import find_operator
from handoff_tui.agents.step.trail import list_reports
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import RollbackError
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.git.history.commit_graph import find_ancestors
from handoff_tui.git.objects.private_objects import build_commit_tree
from handoff_tui.git.work_tree.capture import write_work_tree
from handoff_tui.handoffs.placed_by_runs import ROLLBACK
from handoff_tui.handoffs.session import Session, has_log
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import APPROVING
from handoff_tui.log.index import DecisionEntry, LogIndex, build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.git_private_files import GitPrivateFolder

_JOURNAL = "rollbacks.jsonl"


class _Target(NamedTuple):
    commit: str
    reason: str


def preview_rollback(session: Session) -> RollbackPreview:
    """Returns what a rollback would change; touches nothing."""
    head = _require_head(session)
    target = _find_target(session, head)
    facts = session.work_tree.facts
    uncommitted = (*facts.changed, *facts.untracked)
    repository = session.repository
    now, then = _read_trees(session, target.commit)
    unsavable = saved_work.find_unsavable(repository.root, uncommitted)
    return RollbackPreview(
        target=target.commit,
        reason=target.reason,
        head=head,
        branch=facts.branch,
        files=read_touched_files(repository, now, then),
        commits=read_new_commits(repository.git, target.commit, head),
        uncommitted=uncommitted,
        unexplained=_find_unexplained(session, uncommitted, now),
        unsavable=tuple(f"{path} {reason}" for path, reason in sorted(unsavable.items())),
        held=tuple(describe_holder(lock) for lock in list_locks(repository.common_dir) if not lock.stale),
    )


def apply_rollback(session: Session, *, with_unexplained: bool = False) -> Rollback:
    """Saves everything under a ref, then restores the approved files and commits them; history stays."""
    preview = preview_rollback(session)
    refuse_rollback(preview, with_unexplained=with_unexplained)
    repository = session.repository
    moment = read_now()
    stamp = moment.strftime("%Y%m%dT%H%M%S%f")
    saved = saved_work.write_saved_work(repository, preview.head, preview.uncommitted, stamp)
    tree = saved_work.write_target_tree(repository, preview.target, preview.head)
    commit = preview.head
    if repository.git.read("rev-parse", f"{preview.head}^{{tree}}").decode().strip() != tree:
        message = f"{ROLLBACK} to {preview.target[:SHORT_DIGEST]}, the last approved commit\n\nSaved: {saved.ref}"
        commit = saved_work.write_commit(repository, tree, preview.head, message)
    rollback = Rollback(
        id=stamp,
        time=build_time(moment),
        owner=find_operator(session),
        state=RollbackState.BEGUN,
        target=preview.target,
        saved=saved,
        tree=tree,
        commit=commit,
        branch=preview.branch,
    )
    _append(session, rollback)
    saved_work.change_files(repository, saved.tree, tree)
    if commit != preview.head:
        saved_work.move_head(repository, commit, preview.head, f"handoff-tui rollback to {preview.target}")
    saved_work.write_index(repository, tree)
    gone = (commit.id for commit in preview.commits)
    notes = saved_work.take_notes(repository, session.loaded.settings.tdd.notes_ref, gone, stamp)
    return _append(session, rollback.model_copy(update={"state": RollbackState.DONE, "notes": notes}))


def undo_rollback(session: Session) -> Rollback:
    """Restores what the last rollback removed: commits, index, uncommitted files. Refuses to overwrite new work."""
    repository = session.repository
    open_ones = [one for one in list_rollbacks(session) if one.state is not RollbackState.UNDONE]
    if not open_ones:
        raise RollbackError("there is no rollback to undo", "`handoff-tui rollback --list` shows all of them.")
    rollback = open_ones[-1]
    saved = rollback.saved
    _refuse_undo(session, rollback)
    saved_work.change_files(repository, _find_current_tree(session, rollback), saved.tree, saved.raw)
    if _require_head(session) != saved.head:
        saved_work.move_head(repository, saved.head, rollback.commit, "handoff-tui rollback --undo")
    saved_work.write_index(repository, saved.index_tree)
    if rollback.notes is not None:
        saved_work.restore_notes(repository, rollback.notes)
    return _append(session, rollback.model_copy(update={"state": RollbackState.UNDONE}))


def list_rollbacks(session: Session) -> tuple[Rollback, ...]:
    """Lists every rollback in its last state, oldest first; leaves out damaged lines."""
    last: dict[str, Rollback] = {}
    for line in (GitPrivateFolder(session.repository.common_dir).read(_JOURNAL) or b"").splitlines():
        try:
            rollback = Rollback.model_validate_json(line)
        except ValueError:
            continue
        last[rollback.id] = rollback
    return tuple(last.values())


def refuse_rollback(preview: RollbackPreview, *, with_unexplained: bool = False) -> None:
    """Raises an error for what must be settled first."""
    if preview.held:
        raise RollbackError(f"an agent is at work: {preview.held[0]}", "Stop it first: handoff-tui step --stop")
    if preview.unsavable:
        raise RollbackError(f"{preview.unsavable[0]}, so it can't be saved", "Move it out of the work tree first.")
    if preview.unexplained and not with_unexplained:
        named = ", ".join(preview.unexplained[:5])
        raise RollbackError(
            f"there is uncommitted work that no agent made: {named}",
            "Commit it, or include it with --with-uncommitted: it is saved too, and --undo brings it back.",
        )
    if preview.is_empty:
        raise RollbackError("everything is as approved; there is nothing to roll back")


def _append(session: Session, rollback: Rollback) -> Rollback:
    """Adds the present state of a rollback to the journal."""
    GitPrivateFolder(session.repository.common_dir).append(_JOURNAL, rollback.model_dump_json().encode() + b"\n")
    return rollback


def _find_current_tree(session: Session, rollback: Rollback) -> str:
    """Returns the tree of the files now: that of the rollback, if it was completed."""
    if rollback.state is RollbackState.DONE:
        return rollback.tree
    # it was interrupted: some files are of one tree, some of the other, so everything is compared again
    facts = session.work_tree.facts
    stamp = read_now().strftime("%Y%m%dT%H%M%S%f")
    return saved_work.write_saved_work(
        session.repository, _require_head(session), (*facts.changed, *facts.untracked), stamp
    ).tree


def _refuse_undo(session: Session, rollback: Rollback) -> None:
    head, facts = _require_head(session), session.work_tree.facts
    if head not in {rollback.commit, rollback.saved.head}:
        raise RollbackError(
            f"there are commits after the rollback of {rollback.time}, which undoing it would lose",
            f"What was there before is kept: git diff HEAD {rollback.saved.ref}",
        )
    if rollback.state is RollbackState.DONE and (facts.changed or facts.untracked):
        raise RollbackError(
            f"there is uncommitted work since the rollback of {rollback.time}: {(*facts.changed, *facts.untracked)[0]}",
            "Commit it or move it aside first: undoing would overwrite it.",
        )


def _find_target(session: Session, head: str) -> _Target:
    """Finds the newest approval that HEAD is built on; an approval of HEAD itself counts."""
    if not has_log(session):
        raise RollbackError("there is no signed log here, so nothing was approved", "handoff-tui init begins one.")
    verdict = open_log(session.repository).verify()
    if verdict.fatal:
        raise RollbackError("the log is not intact, so nobody can say what was approved", "handoff-tui log verify")
    votes = _list_approvals(build_log_index(verdict))
    behind = find_ancestors(session.repository.git, (vote.work.subject.commit for vote in votes), head)
    for vote in votes:
        if vote.work.subject.commit in behind:
            reason = f"{vote.entry.actor} approved {vote.work.handoff} · {vote.work.phase} there on {vote.entry.time}"
            return _Target(vote.work.subject.commit, reason)
    raise RollbackError("no commit before this one was ever approved", "`handoff-tui log` lists the decisions.")


def _list_approvals(index: LogIndex) -> list[DecisionEntry]:
    return [
        vote
        for vote in sorted(index.decisions.values(), key=lambda vote: (-vote.entry.seq, vote.entry.id))
        if vote.decision.verb in APPROVING and not index.is_void(vote.entry.id)
    ]


def _read_trees(session: Session, target: str) -> tuple[str, str]:
    """Returns the trees of the files now and as approved, both without our own folder."""
    cache = find_cache_folder(session.repository.root)
    return write_work_tree(session.repository, cache).tree, build_commit_tree(session.repository, target, cache)


def _find_unexplained(session: Session, uncommitted: tuple[str, ...], now: str) -> tuple[str, ...]:
    """Lists what no run touched, and what changed again after the last one."""
    reports = [
        one for one in list_reports(session, None, procedures=True) if one.folder == str(session.repository.root)
    ]
    touched = {path for report in reports for file in report.files for path in (file.path, file.old_path) if path}
    since = _list_since(session, reports[-1], now) if reports else set(uncommitted)
    return tuple(path for path in uncommitted if path not in touched or path in since)


def _list_since(session: Session, last: StepReport, now: str) -> set[str]:
    """Lists the paths that changed after a run; all uncommitted ones if its files were not kept."""
    if last.tree_after is None:
        return set(session.work_tree.facts.changed) | set(session.work_tree.facts.untracked)
    files = read_touched_files(session.repository, last.tree_after, now)
    return {path for file in files for path in (file.path, file.old_path) if path}


def _require_head(session: Session) -> str:
    head = session.work_tree.facts.head
    if head is None:
        raise RollbackError("there is no commit yet, so there is nothing to go back to")
    return head
