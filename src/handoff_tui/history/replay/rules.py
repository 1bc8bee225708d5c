"""Whether work that passed would pass the rules of today: they run on the tree that the decision is bound to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from handoff_tui.checks.contract import Moment
from handoff_tui.checks.report import is_open
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.baseline import Baseline
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.replay.report import Answer, Question, Standing
from handoff_tui.history.travel.past_checks import list_suited_rules, run_rules
from handoff_tui.history.travel.past_session import PastDesk, TravelMemory, open_desk_at
from handoff_tui.log.index import Vote
from handoff_tui.log.record import DecisionVerb
from handoff_tui.log.review_record import ReviewRecord

_CLOSED = frozenset({"pass", "not-applicable"})
_FAILED = frozenset({Outcome.FAIL})


class RuleJudge:
    """Runs the rules of today on old trees. Decisions on one commit share what was read of it."""

    def __init__(self, desk: Desk, memory: TravelMemory) -> None:
        self._desk = desk
        self._memory = memory
        self._last: PastDesk | None = None
        self._rules = tuple(rule for rule in list_suited_rules(desk) if Moment.GATE in rule.moments)

    def judge(self, vote: Vote, record: ReviewRecord | None) -> Answer:
        """What cannot be judged on a commit rests on the record of then; without one it is unknown."""
        if vote.decision.verb is DecisionVerb.SKIP:
            return _build(Standing.HOLDS, "a skip claims nothing about the checks")
        try:
            past = self._open(vote.work.subject.commit)
            results = run_rules(past, self._rules, partial(self._find_baseline, record), vote.work.handoff)
            handoffs = {handoff.id for handoff in past.reading.harvest.handoffs}
        except HandoffError as missing:
            return _build(Standing.UNKNOWN, f"the rules cannot run on its tree: {missing.message}")
        if vote.work.handoff not in handoffs:
            return _build(Standing.UNKNOWN, f"{vote.work.handoff} is not read from that commit by the formats of today")
        return build_rules_answer(results, record)

    def _open(self, commit: str) -> PastDesk:
        if self._last is None or self._last.commit.id != commit:
            self._last = open_desk_at(self._desk, commit, self._memory, self._desk.loaded)
        return self._last

    def _find_baseline(self, record: ReviewRecord | None) -> Baseline:
        """Changes are counted from where they were counted then; nothing where that is not known or not here."""
        named = record.check_baseline if record is not None else None
        found = resolve_commits(self._desk.repository.git, [named]).get(named) if named is not None else None
        return Baseline(found, "as in the record" if found else "not known")


def build_rules_answer(results: Sequence[CheckResult], record: ReviewRecord | None) -> Answer:
    """Fails where a blocking rule fails that nobody let past then; unknown where one can be told by nothing."""
    overridden = frozenset(record.overridden) if record is not None else frozenset()
    passed_then = {check.id for check in record.checks if check.outcome in _CLOSED} if record is not None else set()
    blocking = [result for result in results if result.blocking and is_open(result)]
    failing = [one for one in blocking if one.outcome in _FAILED and one.id not in overridden]
    known = [one for one in blocking if one.outcome in _FAILED and one.id in overridden]
    untold = [one for one in blocking if one.outcome not in _FAILED]
    unknown = [one for one in untold if one.id not in passed_then | overridden]
    details = (
        *(f"{one.id} fails: {one.summary}" for one in failing),
        *(f"{one.id} fails, and was overridden knowingly" for one in known),
        *(f"{one.id} cannot be judged: {one.summary}" for one in unknown),
        *(f"{one.id} rests on the record: {one.summary}" for one in untold if one not in unknown),
    )
    held = sum(result.outcome is Outcome.PASS for result in results)
    if failing:
        return _build(Standing.FAILS, f"{_count(len(failing))} that would block today", details)
    if unknown:
        return _build(Standing.UNKNOWN, f"{_count(len(unknown))} that cannot be judged on a commit", details)
    more = f", {len(known)} fail that were overridden knowingly" if known else ""
    more += f", {len(untold)} rest on the record" if untold else ""
    return _build(Standing.HOLDS, f"{held} of today's rules hold{more}", details)


def _count(number: int) -> str:
    return "1 rule" if number == 1 else f"{number} rules"


def _build(standing: Standing, summary: str, details: tuple[str, ...] = ()) -> Answer:
    return Answer(question=Question.RULES, standing=standing, summary=summary, details=details)
