"""Back to what was last approved: shown first, everything saved first, written down, and undone on request."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import ValidationError

from handoff_tui.agents.rollback.report import RollbackPreview, RollbackRecord, RollbackState
from handoff_tui.agents.rollback.saved_work import (
    change_files,
    find_unsavable,
    move_head,
    write_commit,
    write_index,
    write_saved_work,
    write_target_tree,
)
from handoff_tui.agents.runs.observe import read_new_commits
from handoff_tui.agents.runs.phase_locks import describe_holder, list_locks
from handoff_tui.agents.step.follow import find_operator
from handoff_tui.agents.step.report import StepReport, TouchedFile
from handoff_tui.agents.step.trail import list_reports
from handoff_tui.core.errors import RollbackError
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.git.history.work_commits import find_ancestors
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.work_tree.capture import build_commit_tree, write_work_tree
from handoff_tui.handoffs.session import Desk, has_log
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.index import LogIndex, Vote, build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.log.record import DecisionVerb
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.git_private_files import LocalFolder

_NAME = "rollbacks.jsonl"


def append_rollback(local: LocalFolder, record: RollbackRecord) -> None:
    local.append(_NAME, record.model_dump_json().encode() + b"\n")


def read_rollbacks(local: LocalFolder) -> tuple[RollbackRecord, ...]:
    """Every rollback in its last state, oldest first; a damaged line is left out."""
    last: dict[str, RollbackRecord] = {}
    for line in (local.read(_NAME) or b"").splitlines():
        try:
            record = RollbackRecord.model_validate_json(line)
        except ValidationError:
            continue
        last[record.id] = record
    return tuple(last.values())


_APPROVING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY})
_CHANGES = {"A": "added", "M": "modified", "D": "deleted", "T": "type changed", "R": "renamed", "C": "copied"}


class _Target(NamedTuple):
    commit: str
    reason: str


def preview_rollback(desk: Desk) -> RollbackPreview:
    """What a rollback would change; nothing is touched."""
    head = _require_head(desk)
    target = _find_target(desk, head)
    facts = desk.work_tree.facts
    uncommitted = (*facts.changed, *facts.untracked)
    repository = desk.repository
    now, then = _read_trees(desk, target.commit)
    objects = offer_objects(repository, find_cache_folder(repository.root))
    changes = list_changes(repository.git, now, then, extra=objects)
    unsavable = find_unsavable(repository.root, uncommitted)
    return RollbackPreview(
        target=target.commit,
        reason=target.reason,
        head=head,
        branch=facts.branch,
        files=tuple(
            TouchedFile(path=one.path, change=_CHANGES.get(one.status, one.status), old_path=one.old_path)
            for one in changes
        ),
        commits=read_new_commits(repository.git, target.commit, head),
        uncommitted=uncommitted,
        unexplained=_find_unexplained(desk, uncommitted, now),
        unsavable=tuple(f"{path} {reason}" for path, reason in sorted(unsavable.items())),
        held=tuple(describe_holder(lock) for lock in list_locks(repository.common_dir) if not lock.stale),
    )


def apply_rollback(desk: Desk, *, with_unexplained: bool = False) -> RollbackRecord:
    """Saves everything under a ref, then brings the files back and makes a commit of it; history is kept."""
    preview = preview_rollback(desk)
    refuse_rollback(preview, with_unexplained=with_unexplained)
    repository = desk.repository
    moment = read_now()
    stamp = moment.strftime("%Y%m%dT%H%M%S%f")
    saved = write_saved_work(repository, preview.head, preview.uncommitted, stamp)
    tree = write_target_tree(repository, preview.target, preview.head)
    commit = preview.head
    if repository.git.read("rev-parse", f"{preview.head}^{{tree}}").decode().strip() != tree:
        message = f"Roll back to {preview.target[:SHORT_DIGEST]}, the last approved commit\n\nSaved: {saved.ref}"
        commit = write_commit(repository, tree, preview.head, message)
    record = RollbackRecord(
        id=stamp,
        time=build_time(moment),
        owner=find_operator(desk),
        state=RollbackState.BEGUN,
        target=preview.target,
        saved=saved,
        tree=tree,
        commit=commit,
        branch=preview.branch,
    )
    local = LocalFolder(repository.common_dir)
    append_rollback(local, record)
    change_files(repository, saved.tree, tree)
    if commit != preview.head:
        move_head(repository, commit, preview.head, f"handoff-tui rollback to {preview.target}")
    write_index(repository, tree)
    done = record.model_copy(update={"state": RollbackState.DONE})
    append_rollback(local, done)
    return done


def undo_rollback(desk: Desk) -> RollbackRecord:
    """Brings back what the last rollback took away: commits, index, uncommitted files. New work is not run over."""
    repository = desk.repository
    local = LocalFolder(repository.common_dir)
    record = next((one for one in reversed(read_rollbacks(local)) if one.state is not RollbackState.UNDONE), None)
    if record is None:
        raise RollbackError("there is no rollback to undo", "`handoff-tui rollback --list` shows all of them.")
    _refuse_undo(desk, record)
    current = _find_current_tree(desk, record)
    change_files(repository, current, record.saved.tree, record.saved.raw)
    if _require_head(desk) != record.saved.head:
        move_head(repository, record.saved.head, record.commit, "handoff-tui rollback --undo")
    write_index(repository, record.saved.index_tree)
    undone = record.model_copy(update={"state": RollbackState.UNDONE})
    append_rollback(local, undone)
    return undone


def list_rollbacks(desk: Desk) -> tuple[RollbackRecord, ...]:
    return read_rollbacks(LocalFolder(desk.repository.common_dir))


def refuse_rollback(preview: RollbackPreview, *, with_unexplained: bool = False) -> None:
    """What must be settled first."""
    if preview.held:
        raise RollbackError(f"an agent is at work: {preview.held[0]}", "Stop it first: handoff-tui step --stop")
    if preview.unsavable:
        raise RollbackError(f"{preview.unsavable[0]}, so it cannot be saved", "Move it out of the work tree first.")
    if preview.unexplained and not with_unexplained:
        named = ", ".join(preview.unexplained[:5])
        raise RollbackError(
            f"uncommitted work is here that no agent's run accounts for: {named}",
            "Commit it, or take it along with --with-uncommitted: it is saved too, and --undo brings it back.",
        )
    if preview.is_empty:
        raise RollbackError("everything is as it was approved; there is nothing to roll back")


def _find_current_tree(desk: Desk, record: RollbackRecord) -> str:
    """The tree that the files are in now: that of the rollback, where nothing has changed since."""
    if record.state is RollbackState.DONE:
        return record.tree
    # it was interrupted: some files are of the one tree, some of the other; everything is compared anew
    facts = desk.work_tree.facts
    stamp = read_now().strftime("%Y%m%dT%H%M%S%f")
    return write_saved_work(desk.repository, _require_head(desk), (*facts.changed, *facts.untracked), stamp).tree


def _refuse_undo(desk: Desk, record: RollbackRecord) -> None:
    head, facts = _require_head(desk), desk.work_tree.facts
    if head not in {record.commit, record.saved.head}:
        raise RollbackError(
            f"there are commits after the rollback of {record.time}, which undoing it would lose",
            f"What was there before is kept: git diff HEAD {record.saved.ref}",
        )
    if record.state is RollbackState.DONE and (facts.changed or facts.untracked):
        raise RollbackError(
            f"there is uncommitted work since the rollback of {record.time}: {(*facts.changed, *facts.untracked)[0]}",
            "Commit it or move it aside first; undoing would run over it.",
        )


def _find_target(desk: Desk, head: str) -> _Target:
    """The newest approval that HEAD is built on; an approval of the work at hand itself counts."""
    if not has_log(desk):
        raise RollbackError("there is no signed log here, so nothing was approved", "handoff-tui init begins one.")
    verdict = open_log(desk.repository).verify()
    if verdict.fatal:
        raise RollbackError("the log is not sound, so nobody can say what was approved", "handoff-tui log verify")
    votes = _list_approvals(build_log_index(verdict))
    behind = find_ancestors(desk.repository.git, (vote.work.subject.commit for vote in votes), head)
    for vote in votes:
        if vote.work.subject.commit in behind:
            reason = f"{vote.entry.actor} approved {vote.work.handoff} · {vote.work.phase} there on {vote.entry.time}"
            return _Target(vote.work.subject.commit, reason)
    raise RollbackError("nothing behind this commit was ever approved", "`handoff-tui log` lists the decisions.")


def _list_approvals(index: LogIndex) -> list[Vote]:
    return [
        vote
        for vote in sorted(index.votes.values(), key=lambda vote: (-vote.entry.seq, vote.entry.id))
        if vote.decision.verb in _APPROVING and not index.is_void(vote.entry.id)
    ]


def _read_trees(desk: Desk, target: str) -> tuple[str, str]:
    """The files as they are now and as they were approved, both without our own folder."""
    cache = find_cache_folder(desk.repository.root)
    return write_work_tree(desk.repository, cache).tree, build_commit_tree(desk.repository, target, cache)


def _find_unexplained(desk: Desk, uncommitted: tuple[str, ...], now: str) -> tuple[str, ...]:
    """What no run touched, and what was touched again after the last one."""
    reports = [one for one in list_reports(desk, None, procedures=True) if one.folder == str(desk.repository.root)]
    touched = {path for report in reports for file in report.files for path in (file.path, file.old_path) if path}
    since = _list_since(desk, reports[-1], now) if reports else set(uncommitted)
    return tuple(path for path in uncommitted if path not in touched or path in since)


def _list_since(desk: Desk, last: StepReport, now: str) -> set[str]:
    """Paths that have changed after a run ended; where its files are not kept, all count as changed."""
    if last.tree_after is None:
        return set(desk.work_tree.facts.changed) | set(desk.work_tree.facts.untracked)
    objects = offer_objects(desk.repository, find_cache_folder(desk.repository.root))
    changes = list_changes(desk.repository.git, last.tree_after, now, extra=objects)
    return {path for change in changes for path in (change.path, change.old_path) if path}


def _require_head(desk: Desk) -> str:
    head = desk.work_tree.facts.head
    if head is None:
        raise RollbackError("there is no commit yet, so there is nothing to go back to")
    return head
