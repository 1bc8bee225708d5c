"""One handoff in full: what it says beside what was measured."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from handoff_tui.core.errors import HandoffNotFoundError
from handoff_tui.core.place import Problem
from handoff_tui.git.history.commits import read_commits
from handoff_tui.git.session import session_of
from handoff_tui.git.signing.signing_key import read_identity
from handoff_tui.handoffs.agent_comments import read_comments
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.handoffs.claims.blocking import ProblemIndex
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.scope.scope import Content, Scope, Scopes
from handoff_tui.handoffs.session import Session
from handoff_tui.status.next_move import build_gate, mark_validated
from handoff_tui.status.refresh import Refreshed, count_claims
from handoff_tui.status.review_state import (
    EarlierHandoff,
    OwnFile,
    ReviewedHandoff,
    Reviewer,
    ReviewState,
    Revision,
    ShownHandoff,
    ShownScope,
)

if TYPE_CHECKING:
    from handoff_tui.log.gates.all_gates import LogGates

_MOST_REVISIONS = 20


def show(session: Session, refreshed: Refreshed, wanted: str) -> ShownHandoff:
    """The handoff with this id, with all that was found out about it."""
    reviewed = find_handoff(refreshed.state, wanted)
    verdicts = refreshed.verdicts[reviewed.handoff.id]
    return show_known(session, refreshed.state, reviewed, verdicts, refreshed.gates, refreshed.scopes)


def show_known(
    session: Session,
    state: ReviewState,
    reviewed: ReviewedHandoff,
    verdicts: tuple[Verdict, ...],
    gates: LogGates | None,
    scopes: Scopes,
) -> ShownHandoff:
    """The same, from what was already measured."""
    now = {
        "needs_you": state.needs_you,
        "reviewer": _read_reviewer(session, reviewed.handoff),
        "agent_comments": read_comments(session.repository, reviewed.handoff.id),
    }
    return build_shown(session, state, reviewed, verdicts, gates, scopes).model_copy(update=now)


def _find_earlier(state: ReviewState, handoff: str) -> tuple[EarlierHandoff, ...]:
    """The past handoffs that are its history, oldest first as far as they say when they were made."""
    found = [one for one in state.handoffs if one.life.successor == handoff]
    found.sort(key=lambda one: (one.handoff.created or "", one.handoff.id))
    return tuple(
        EarlierHandoff(id=one.handoff.id, title=one.handoff.title, status=one.handoff.status, why=one.life.why)
        for one in found
    )


def build_shown(
    session: Session,
    state: ReviewState,
    reviewed: ReviewedHandoff,
    verdicts: tuple[Verdict, ...],
    gates: LogGates | None,
    scopes: Scopes,
) -> ShownHandoff:
    """What holds of a handoff at any time, without what is only known of now."""
    problems = ProblemIndex(state.problems, (other.handoff for other in state.handoffs)).of(reviewed.handoff)
    return ShownHandoff(
        reviewed=_review_deeply(gates, state, reviewed, verdicts, problems),
        scope=build_shown_scope(scopes.of(reviewed.handoff.id)),
        verdicts=verdicts,
        history=_read_history(session, reviewed.handoff),
        problems=problems,
        earlier=_find_earlier(state, reviewed.handoff.id),
    )


def build_shown_scope(scope: Scope) -> ShownScope:
    """The scope, file by file, each with the reason."""
    uncommitted = {change.path for change in scope.changes if change.commit is None}
    return ShownScope(
        start=scope.start,
        commits=scope.commits,
        files=tuple(
            OwnFile(
                path=path,
                change=_name_change(scope.befores[path], scope.results[path]),
                source=source.value,
                shared=path in scope.shared,
                uncommitted=path in uncommitted,
            )
            for path, source in scope.reasons()
        ),
        undeclared=scope.undeclared,
        never_changed=scope.never_changed,
        changed_by_others=dict(scope.changed_by_others),
        taken_over=dict(scope.taken_over),
    )


def _name_change(before: Content, after: Content) -> str:
    if before == after:
        return "none"
    return "added" if before.deleted else "deleted" if after.deleted else "modified"


def _review_deeply(
    gates: LogGates | None,
    state: ReviewState,
    reviewed: ReviewedHandoff,
    verdicts: tuple[Verdict, ...],
    problems: tuple[Problem, ...],
) -> ReviewedHandoff:
    """The gate with every measurement, including those that are too slow for the list of all handoffs."""
    states = {other.handoff.id: other.gate.state for other in state.handoffs}
    by_id = mark_validated((other.handoff for other in state.handoffs), states)
    report = gates.judge(reviewed.handoff) if gates else None
    gate = build_gate(reviewed.handoff, by_id, verdicts, problems, report=report, life=reviewed.life)
    return reviewed.model_copy(update={"gate": gate, "claims": count_claims(verdicts)})


def find_handoff(state: ReviewState, wanted: str, at: str | None = None) -> ReviewedHandoff:
    found = find_id(tuple(reviewed.handoff for reviewed in state.handoffs), wanted, at)
    return next(reviewed for reviewed in state.handoffs if reviewed.handoff.id == found)


def find_id(handoffs: tuple[Handoff, ...], wanted: str, at: str | None = None) -> str:
    """By id, by the name used in the files, by the end of the id, by one of its documents: whatever fits only one.

    `at` names the commit whose handoffs they are, if not the current ones.
    """
    for key in (_same, _same_folded, _same_letters, _same_last, _has_document):
        found = [handoff.id for handoff in handoffs if key(handoff, wanted)]
        if len(found) == 1:
            return found[0]
    near = find_near(handoffs, wanted)
    there, lister = ("in this repository", "status") if at is None else (f"at {at}", f"status --at {at}")
    if not handoffs:
        hint = f"There are no handoffs {there} that handoff-tui understands."
    elif near:
        hint = f"Did you mean {', '.join(near)}? `handoff-tui {lister}` lists all."
    else:
        hint = f"`handoff-tui {lister}` lists the ids."
    raise HandoffNotFoundError(f"no handoff has the id {wanted!r}{'' if at is None else f' at {at}'}", hint)


def find_near(handoffs: tuple[Handoff, ...], wanted: str) -> list[str]:
    """The ids that somebody who mistyped one may have meant."""
    import difflib  # noqa: PLC0415 - for a mistyped id

    return difflib.get_close_matches(wanted, [handoff.id for handoff in handoffs], n=3, cutoff=0.5)


def _same(handoff: Handoff, wanted: str) -> bool:
    return handoff.id == wanted


def _same_folded(handoff: Handoff, wanted: str) -> bool:
    return wanted.casefold() in {handoff.id.casefold(), (handoff.original_name or "").casefold()}


def _same_letters(handoff: Handoff, wanted: str) -> bool:
    """`h_29_1a`, `H 29.1A` and `29.1a` are the same name, written by different people."""
    letters = _letters(wanted)
    names = {_letters(name) for name in (handoff.id, handoff.original_name or "")}
    return bool(letters) and (letters in names or (letters[:1].isdigit() and f"h{letters}" in names))


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _same_last(handoff: Handoff, wanted: str) -> bool:
    """`REL-1` is the handoff of the note `docs/handoffs/REL-1.md`."""
    return wanted.casefold() == PurePosixPath(handoff.id).stem.casefold()


def _has_document(handoff: Handoff, wanted: str) -> bool:
    return any(document.path == wanted.removeprefix("./") for document in handoff.documents)


def _read_reviewer(session: Session, handoff: Handoff) -> Reviewer | None:
    """The reviewer, and whether they produced this: nobody reviews their own work."""
    identity = read_identity(session.repository.git)
    if identity.name is None and identity.email is None:
        return None
    producers = {producer.casefold() for producer in (*handoff.producers, handoff.source_agent or "")}
    mine = {text.casefold() for text in (identity.name, identity.email) if text}
    return Reviewer(name=identity.name, email=identity.email, produced_this=bool(mine & producers))


def _read_history(session: Session, handoff: Handoff) -> tuple[Revision, ...]:
    """The commits that touched the handoff's documents, newest first; git is asked once in a session."""
    paths = tuple(document.path for document in handoff.documents if ":" not in document.path)
    git = session.repository.git
    if not paths:
        return ()
    return tuple(
        Revision(commit=commit.id, author=commit.author, date=commit.date, subject=commit.subject)
        for commit in session_of(git).once(("revisions", paths), lambda: read_commits(git, _MOST_REVISIONS, paths))
    )
