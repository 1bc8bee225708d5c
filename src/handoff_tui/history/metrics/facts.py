"""What metrics are computed from: attempts as the log has them, what reviewers saw, and times of commits. Pure."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.log.entry import APPROVING, PASSING, SENDING_BACK, DecisionVerb, Entry, GateKey, PhaseKey
from handoff_tui.log.gates.gate import bound_files
from handoff_tui.log.index import DecisionEntry, LogIndex, SubmissionEntry

ENDING = PASSING | SENDING_BACK


class AttemptEnd(StrEnum):
    """How an attempt ended, by each person's last decision on it; sending back outweighs everything else."""

    SENT_BACK = "sent back"
    OPEN = "open"
    PASSED = "passed"
    OVERRIDDEN = "overridden"
    SKIPPED = "skipped"


_ORDER = (
    (SENDING_BACK, AttemptEnd.SENT_BACK),
    (frozenset({DecisionVerb.HOLD}), AttemptEnd.OPEN),
    (APPROVING, AttemptEnd.PASSED),
    (frozenset({DecisionVerb.OVERRIDE}), AttemptEnd.OVERRIDDEN),
    (frozenset({DecisionVerb.SKIP}), AttemptEnd.SKIPPED),
)


class DecidedAttempt(NamedTuple):
    """One attempt at a phase of a handoff, without void entries, withdrawn decisions and withdrawals."""

    key: GateKey
    submissions: tuple[SubmissionEntry, ...]
    decisions: tuple[DecisionEntry, ...]
    end: AttemptEnd
    ended_by: DecisionEntry | None
    """The last of the decisions that ended it."""

    def list_entries(self) -> Iterator[Entry]:
        yield from (made.entry for made in self.submissions)
        yield from (decided.entry for decided in self.decisions)

    def find_first_ending(self) -> DecisionEntry | None:
        """The first decision that wasn't a hold."""
        return next((decided for decided in self.decisions if decided.decision.verb in ENDING), None)


def build_decided_attempts(index: LogIndex) -> list[DecidedAttempt]:
    """Every attempt that was submitted or decided on, by handoff, phase and number."""
    submissions: defaultdict[GateKey, list[SubmissionEntry]] = defaultdict(list)
    decisions: defaultdict[GateKey, list[DecisionEntry]] = defaultdict(list)
    for submission in chain.from_iterable(index.submissions_at.values()):
        if not index.is_void(submission.entry.id):
            submissions[submission.work.key].append(submission)
    for decided in chain.from_iterable(index.decisions_at.values()):
        if not index.is_void(decided.entry.id):
            decisions[decided.work.key].append(decided)
    withdrawn = index.find_withdrawn().keys()
    return [
        _build_attempt(key, submissions[key], decisions[key], withdrawn) for key in sorted({*submissions, *decisions})
    ]


def group_by_place(attempts: Iterable[DecidedAttempt]) -> dict[PhaseKey, list[DecidedAttempt]]:
    """The attempts at each phase of each handoff, first to last."""
    places: dict[PhaseKey, list[DecidedAttempt]] = {}
    for attempt in attempts:
        places.setdefault(attempt.key.place, []).append(attempt)
    return places


def sort_key(entry: Entry) -> tuple[str, int, str]:
    """Sorts entries by time, then by position in the log."""
    return entry.time, entry.seq, entry.id


@lru_cache(maxsize=65_536)
def parse_seconds(time: str) -> float:
    """A log time as seconds since 1970."""
    return datetime.fromisoformat(time).timestamp()


def _build_attempt(
    key: GateKey,
    submissions: list[SubmissionEntry],
    decisions: list[DecisionEntry],
    withdrawn: Collection[str],
) -> DecidedAttempt:
    """A withdrawal is its author's last decision, so nothing they decided before counts for the end."""
    if len(submissions) > 1:
        submissions.sort(key=lambda one: sort_key(one.entry))
    if len(decisions) > 1:
        decisions.sort(key=lambda decided: sort_key(decided.entry))
    last = {decided.entry.actor: decided for decided in decisions}
    end, ended_by = AttemptEnd.OPEN, None
    for verbs, found in _ORDER:
        fitting = [decided for decided in last.values() if decided.decision.verb in verbs]
        if fitting:
            end, ended_by = found, max(fitting, key=lambda decided: sort_key(decided.entry))
            break
    counted = tuple(
        decided
        for decided in decisions
        if decided.decision.verb is not DecisionVerb.WITHDRAW and decided.entry.id not in withdrawn
    )
    return DecidedAttempt(key, tuple(submissions), counted, end, None if end is AttemptEnd.OPEN else ended_by)


BY_SUBMISSION = "since the submission"
BY_COMMIT = "since the commit"
_PASSED = "pass"
_CLOSED = (_PASSED, "not-applicable")
_VERSION = 1
_MOST_SORTED = 1_000
"""How many different sets of results are kept; if every record differs, more wouldn't help."""


class Judged(NamedTuple):
    """A check and its severity."""

    rule: str
    severity: str


class RecordFacts(NamedTuple):
    """What metrics need of a review record; full records of a long log wouldn't fit into memory."""

    held: tuple[Judged, ...]
    """Checks that passed."""
    open: tuple[Judged, ...]
    """Checks that applied and didn't pass."""
    findings: frozenset[str]
    """Fingerprints of the open checks' findings."""
    looked: bool
    """Whether the reviewer marked a file as read or wrote a comment."""


class Start(NamedTuple):
    """When an attempt was ready to be decided on, in seconds since 1970, and what says so."""

    seconds: float
    by: str
    sources: tuple[str, ...]


class RunFacts(NamedTuple):
    """One run of an agent on this machine, by its own stream."""

    time: str
    agent: str
    turns: int
    tokens: int
    cost: float | None
    denials: int


@dataclass(frozen=True)
class MetricsFacts:
    """One log, read. What isn't here is missing from the maps, never guessed."""

    index: LogIndex
    attempts: Sequence[DecidedAttempt]
    now: str
    records: Mapping[str, RecordFacts] = field(default_factory=dict)
    """By digest; review records that aren't here are missing."""
    commit_seconds: Mapping[str, float] = field(default_factory=dict)
    """When the commits of the entries were made."""
    behind: frozenset[str] = frozenset()
    """Which of them are in the history of HEAD."""
    work_seconds: Sequence[float] = ()
    """When the work commits in the history of HEAD were made, sorted."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Handoff id to type, for the handoffs that are here now."""
    reviewer: str | None = None
    """The person asking."""
    runs: Sequence[RunFacts] = ()
    """Runs of agents here whose stream could be read."""

    @cached_property
    def places(self) -> dict[PhaseKey, list[DecidedAttempt]]:
        """The attempts at each phase of each handoff, first to last."""
        return group_by_place(self.attempts)

    @cached_property
    def decisions(self) -> list[DecisionEntry]:
        """Every decision, oldest first."""
        return sorted(
            (decided for one in self.attempts for decided in one.decisions), key=lambda decided: sort_key(decided.entry)
        )

    def find_record(self, decided: DecisionEntry) -> RecordFacts | None:
        return self.records.get(decided.decision.review)

    def find_first_work(self, after: float, until: float) -> float | None:
        """The time of the first commit between two times; None if there is none."""
        place = bisect_left(self.work_seconds, after)
        found = self.work_seconds[place] if place < len(self.work_seconds) else None
        return found if found is not None and found <= until else None

    def find_start(self, one: DecidedAttempt, decided: DecisionEntry) -> Start | None:
        """When what was decided on was submitted, else committed; None if neither is known."""
        submitted = next((made for made in one.submissions if is_submission_of(made, decided)), None)
        if submitted is not None:
            return Start(parse_seconds(submitted.entry.time), BY_SUBMISSION, (submitted.entry.id,))
        made_at = self.commit_seconds.get(decided.work.subject.commit)
        return None if made_at is None else Start(made_at, BY_COMMIT, ())

    def find_beginning(self, attempts: Sequence[DecidedAttempt]) -> Start | None:
        """When work at a phase began: the first submission, else the commit first decided on."""
        submitted = next((made for one in attempts for made in one.submissions), None)
        voted = next((decided for one in attempts for decided in one.decisions), None)
        if submitted is not None and (voted is None or submitted.entry.time <= voted.entry.time):
            return Start(parse_seconds(submitted.entry.time), BY_SUBMISSION, (submitted.entry.id,))
        made_at = None if voted is None else self.commit_seconds.get(voted.work.subject.commit)
        return None if voted is None or made_at is None else Start(made_at, BY_COMMIT, (voted.entry.id,))


def is_submission_of(made: SubmissionEntry, decided: DecisionEntry) -> bool:
    return made.entry.time <= decided.entry.time and bound_files(made.work) == bound_files(decided.work)


_Results = tuple[tuple[str, str, str], ...]
_SHOWN = itemgetter("outcome", "id", "severity")


class _Sorted(NamedTuple):
    """The results of a record; `places` are the positions of the open ones."""

    held: tuple[Judged, ...]
    open: tuple[Judged, ...]
    places: tuple[int, ...]


class RecordParser:
    """Reads only what metrics need of review records, in a fraction of the time.

    Thousands of records have mostly the same results, so equal results are sorted once.
    """

    def __init__(self) -> None:
        self._judged: dict[tuple[str, str], Judged] = {}
        self._sorted: dict[_Results, _Sorted] = {}

    def parse(self, content: bytes) -> RecordFacts | None:
        """The facts of a record; None if this version can't read it."""
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict) or value.get("schema_version") != _VERSION:
            return None
        try:
            return self._build(value.get("checks", []), looked=bool(value.get("viewed") or value.get("comments")))
        except (KeyError, TypeError, AttributeError):  # not the shape of a record
            return None

    def _build(self, checks: list[dict[str, Any]], *, looked: bool) -> RecordFacts:
        results = tuple(map(_SHOWN, checks))
        known = self._sorted.get(results) or self._sort(results)
        findings = frozenset(
            _require_text(found["fingerprint"]) for place in known.places for found in checks[place].get("findings", ())
        )
        return RecordFacts(known.held, known.open, findings, looked)

    def _sort(self, results: _Results) -> _Sorted:
        places = tuple(place for place, (outcome, _, _) in enumerate(results) if outcome not in _CLOSED)
        found = _Sorted(
            held=tuple(self._find(*key) for outcome, *key in results if outcome == _PASSED),
            open=tuple(self._find(*results[place][1:]) for place in places),
            places=places,
        )
        if len(self._sorted) < _MOST_SORTED:
            self._sorted[results] = found
        return found

    def _find(self, rule: str, severity: str) -> Judged:
        judged = self._judged.get((rule, severity))
        if judged is None:
            judged = self._judged[rule, severity] = Judged(_require_text(rule), _require_text(severity))
        return judged


def _require_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
