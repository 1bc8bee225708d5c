"""Everything that figures are computed from, in one value: the log, what reviewers saw, and times of commits."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

from handoff_tui.history.metrics.rounds import Round, group_by_place, parse_seconds, sort_key
from handoff_tui.log.index import LogIndex, Submission, Vote

BY_SUBMISSION = "since the submission"
BY_COMMIT = "since the commit"
_PASSED = "pass"
_CLOSED = (_PASSED, "not-applicable")
_VERSION = 1
_MOST_SORTED = 1_000
"""So many different sets of results are kept; a log in which each is another one gains nothing by more."""


class Judged(NamedTuple):
    """A check by its id, and how severe it was."""

    rule: str
    severity: str


class RecordFacts(NamedTuple):
    """What figures need of a review record; whole records of a long log would not fit into memory."""

    held: tuple[Judged, ...]
    """Checks that passed."""
    open: tuple[Judged, ...]
    """Checks that neither passed nor were out of place."""
    findings: frozenset[str]
    """Fingerprints of what open checks found."""
    looked: bool
    """Whether the reviewer marked a file as read or wrote a remark."""


class Start(NamedTuple):
    """When the work of an attempt was there to be decided on, in seconds since 1970, and what says so."""

    seconds: float
    by: str
    sources: tuple[str, ...]


@dataclass(frozen=True)
class MetricsFacts:
    """One log, read. What is not here is missing from the maps, never guessed."""

    index: LogIndex
    rounds: Sequence[Round]
    now: str
    records: Mapping[str, RecordFacts] = field(default_factory=dict)
    """By digest of the review record; those that are not here are not in it."""
    commit_seconds: Mapping[str, float] = field(default_factory=dict)
    """When commits that entries are bound to were made."""
    behind: frozenset[str] = frozenset()
    """Those of them that are in the history of HEAD."""
    work_seconds: Sequence[float] = ()
    """When the commits of work in the history of HEAD were made, sorted."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Handoff to its type, for the handoffs that are here now."""
    reviewer: str | None = None
    """Who is asking."""

    @cached_property
    def places(self) -> dict[tuple[str, str], list[Round]]:
        """The attempts at each phase of each handoff, first to last."""
        return group_by_place(self.rounds)

    @cached_property
    def votes(self) -> list[Vote]:
        """Every decision, oldest first."""
        return sorted((vote for one in self.rounds for vote in one.votes), key=lambda vote: sort_key(vote.entry))

    def find_record(self, vote: Vote) -> RecordFacts | None:
        return self.records.get(vote.decision.review)

    def find_first_work(self, after: float, until: float) -> float | None:
        """When the first commit between two moments was made."""
        place = bisect_left(self.work_seconds, after)
        found = self.work_seconds[place] if place < len(self.work_seconds) else None
        return found if found is not None and found <= until else None

    def find_start(self, one: Round, vote: Vote) -> Start | None:
        """The submission of what was decided on; else the commit. Nothing where neither is known."""
        submitted = next((made for made in one.submissions if _is_submission_of(made, vote)), None)
        if submitted is not None:
            return Start(parse_seconds(submitted.entry.time), BY_SUBMISSION, (submitted.entry.id,))
        made_at = self.commit_seconds.get(vote.work.subject.commit)
        return None if made_at is None else Start(made_at, BY_COMMIT, ())

    def find_beginning(self, rounds: Sequence[Round]) -> Start | None:
        """When the first work at a phase was there: the first submission, else the commit first decided on."""
        submitted = next((made for one in rounds for made in one.submissions), None)
        voted = next((vote for one in rounds for vote in one.votes), None)
        if submitted is not None and (voted is None or submitted.entry.time <= voted.entry.time):
            return Start(parse_seconds(submitted.entry.time), BY_SUBMISSION, (submitted.entry.id,))
        made_at = None if voted is None else self.commit_seconds.get(voted.work.subject.commit)
        return None if voted is None or made_at is None else Start(made_at, BY_COMMIT, (voted.entry.id,))


def _is_submission_of(made: Submission, vote: Vote) -> bool:
    return made.entry.time <= vote.entry.time and made.work.subject.tree == vote.work.subject.tree


_Results = tuple[tuple[str, str, str], ...]
_SHOWN = itemgetter("outcome", "id", "severity")


class _Sorted(NamedTuple):
    """The results of a record by how they stood; `places` are those of the open ones."""

    held: tuple[Judged, ...]
    open: tuple[Judged, ...]
    places: tuple[int, ...]


class RecordParser:
    """Reads review records for figures only, in a fraction of the time that whole records take.

    Thousands of records say the same of most checks, so what they say is sorted once.
    """

    def __init__(self) -> None:
        self._judged: dict[tuple[str, str], Judged] = {}
        self._sorted: dict[_Results, _Sorted] = {}

    def parse(self, content: bytes) -> RecordFacts | None:
        """Nothing for what is no record that this version can read."""
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict) or value.get("schema_version") != _VERSION:
            return None
        try:
            return self._build(value.get("checks", []), looked=bool(value.get("viewed") or value.get("comments")))
        except (KeyError, TypeError, AttributeError):  # another shape than a record has
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
