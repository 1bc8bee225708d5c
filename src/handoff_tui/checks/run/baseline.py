"""Chooses the commit that the work is compared with, and says why."""

from __future__ import annotations

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import UsageError
from handoff_tui.git.history.commit_graph import find_merge_bases, list_work_commits
from handoff_tui.git.history.commits import list_ref_ids, resolve_commits
from handoff_tui.handoffs.session import Session, has_log

_USUAL_NAMES = ("main", "master", "trunk", "develop")


class ChosenBaseline(NamedTuple):
    """A commit, or None, and the reason."""

    commit: str | None
    reason: str


def choose_baseline(session: Session, named: str | None) -> ChosenBaseline:
    """The named commit, else the last approved one on this branch, else the usual one."""
    if named is None:
        return _find_approved(session) or choose_usual_baseline(session)
    commit = resolve_commits(session.repository.git, [named]).get(named)
    if commit is None:
        raise UsageError(f"{named!r} is not a commit here", "Name a commit, branch or tag with --baseline.")
    return ChosenBaseline(commit, f"named: {named}")


def choose_handoff_baseline(session: Session, start: str | None) -> ChosenBaseline:
    """Where a handoff's own work started: neither refs nor pins have a say."""
    if start is not None:
        return ChosenBaseline(start, "where this handoff's own work started")
    if session.work_tree.facts.shallow:
        return ChosenBaseline(None, "the history is cut off, so nothing says where this handoff's work started")
    return ChosenBaseline(None, "this handoff's work began with the first commit")


def choose_usual_baseline(session: Session) -> ChosenBaseline:
    """Where unpushed work began, else where this branch left the main one. Commits of the log are not work."""
    git, facts = session.repository.git, session.work_tree.facts
    if facts.head is None:
        return ChosenBaseline(None, "there is no commit yet")
    if facts.upstream is not None and facts.ahead:
        base = next(iter(find_merge_bases(git, "HEAD", "@{upstream}")), None)
        if base is not None and _has_work_since(session, base):
            return ChosenBaseline(base, f"where {facts.upstream} ends: everything after it is unpushed")
    for ref in _list_main_branches(session):
        base = next(iter(find_merge_bases(git, "HEAD", ref)), None)
        if base is not None and base != facts.head and _has_work_since(session, base):
            return ChosenBaseline(
                base, f"where this branch left {ref.removeprefix('refs/heads/').removeprefix('refs/remotes/')}"
            )
    return ChosenBaseline(None, "everything is pushed and on the main branch; name an earlier commit with --baseline")


def _find_approved(session: Session) -> ChosenBaseline | None:
    """What the log says; a repository without a log doesn't pay for it."""
    if session.work_tree.facts.head is None or not has_log(session):
        return None
    from handoff_tui.log.gates.approved import find_trusted_commit  # noqa: PLC0415

    point = find_trusted_commit(session)
    return None if point is None else ChosenBaseline(point.commit, point.words)


def _has_work_since(session: Session, base: str) -> bool:
    return not has_log(session) or bool(list_work_commits(session.repository.git, base))


def _list_main_branches(session: Session) -> list[str]:
    names = list_ref_ids(session.repository.git, "refs/heads", "refs/remotes")
    own = f"refs/heads/{session.work_tree.facts.branch}"
    wanted = (f"refs/{folder}{name}" for name in _USUAL_NAMES for folder in ("remotes/origin/", "heads/"))
    return [ref for ref in wanted if ref in names and ref != own]
