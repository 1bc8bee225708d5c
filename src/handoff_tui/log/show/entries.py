"""The entries of the log as a list: newest first, each with what verification says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handoff_tui.core.errors import HandoffError
from handoff_tui.log.chain import Candidate
from handoff_tui.log.open_log import OpenLog
from handoff_tui.log.policy.policy import parse_policy
from handoff_tui.log.record import Entry, EntryKind, LogProblem, LogVerdict, ProblemLevel
from handoff_tui.log.show.view import EntryState, LogRow, LogView

_KINDS = {EntryKind.POLICY: "policy", EntryKind.SUBMISSION: "submission", EntryKind.DECISION: "decision"}
SUBMIT = "submit"
POLICY = "policy"


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries to list; what is not said is not asked for."""

    handoff: str | None = None
    person: str | None = None
    verb: str | None = None

    def fits(self, row: LogRow) -> bool:
        verb = (row.what or "").partition(" ")[0]
        wanted = ((self.handoff, row.handoff), (self.person, row.actor), (self.verb, verb))
        return all(asked is None or asked == found for asked, found in wanted)


def list_log(log: OpenLog, choice: EntryFilter) -> LogView:
    """Everything that is in the log or claims to be."""
    verdict = log.verify()
    rows = RowBuilder(verdict, log.find_candidates()).build_all()
    return LogView(
        fatal=verdict.fatal,
        log=verdict.log,
        policy=verdict.policy,
        heads=verdict.heads,
        total=len(rows),
        rows=tuple(row for row in rows if choice.fits(row)),
        problems=verdict.problems,
    )


class RowBuilder:
    """Rows of one verdict."""

    def __init__(self, verdict: LogVerdict, candidates: Mapping[str, Candidate]) -> None:
        self.verdict = verdict
        self.candidates = candidates
        self._heads = frozenset(verdict.heads)
        self._valid = frozenset(entry.id for entry in verdict.entries)
        self._refused = {one.entry: one for one in verdict.problems if one.entry and _is_refusal(one)}
        self._roles: dict[tuple[str | None, str], tuple[str, ...]] = {}

    def build_all(self) -> list[LogRow]:
        """Newest first; what could not be read has no time, and comes last."""
        unread = sorted(one for one in self._refused if one.startswith("sha256:") and one not in self.candidates)
        rows = [self.build_row(one) for one in [*self.candidates, *unread]]
        rows.sort(key=lambda row: (row.time or "", row.seq or 0, row.id), reverse=True)
        return rows

    def build_row(self, identifier: str) -> LogRow:
        state, code, why = self._judge(identifier)
        candidate = self.candidates.get(identifier)
        if candidate is None:
            return LogRow(id=identifier, state=state, code=code, why=why)
        entry, work = candidate.entry, candidate.entry.work
        return LogRow(
            id=identifier,
            state=state,
            code=code,
            why=why,
            kind=_KINDS[entry.kind],
            what=describe_act(entry),
            seq=entry.seq,
            time=entry.time,
            actor=entry.actor,
            roles=self._find_roles(entry),
            handoff=work.handoff if work else None,
            phase=work.phase if work else None,
            attempt=work.attempt if work else None,
            keyids=entry.keyids,
            head=identifier in self._heads,
            touched=candidate.touched,
            parents=entry.parents,
        )

    def find_policy(self, entry: Entry) -> str | None:
        """The policy that an entry was made under; a policy is one itself."""
        return entry.id if entry.work is None else entry.work.policy

    def _judge(self, identifier: str) -> tuple[EntryState, str | None, str]:
        if identifier in self.verdict.void:
            return EntryState.VOID, None, self.verdict.void[identifier]
        if identifier in self._valid:
            return EntryState.VALID, None, ""
        problem = self._refused.get(identifier)
        if problem is None:
            return EntryState.REFUSED, None, "verification does not count it"
        return EntryState.REFUSED, problem.code, problem.text

    def _find_roles(self, entry: Entry) -> tuple[str, ...]:
        place = (self.find_policy(entry), entry.actor)
        if place not in self._roles:
            self._roles[place] = self._read_roles(*place)
        return self._roles[place]

    def _read_roles(self, policy: str | None, actor: str) -> tuple[str, ...]:
        named = self.candidates.get(policy or "")
        if named is None or named.entry.policy is None:
            return ()
        try:
            roles = parse_policy(named.entry.policy).roles
        except HandoffError:
            return ()
        return tuple(sorted(name for name, people in roles.items() if actor in people))


def describe_act(entry: Entry) -> str:
    """What an entry does, in a word or two."""
    if entry.decision is not None:
        return entry.decision.verb.value
    return SUBMIT if entry.policy is None else f"{POLICY} {entry.policy.version}"


def _is_refusal(problem: LogProblem) -> bool:
    """Whether a problem says why its entry does not count; a rollback or a fork is about more than one entry."""
    return problem.level is ProblemLevel.REFUSED or problem.code == "missing-parent"
