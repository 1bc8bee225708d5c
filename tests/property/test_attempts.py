"""Laws of attempts and failures: nothing is lost, causes come first, the last word of each person counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.checks.report import CheckResult, Outcome
from handoff_tui.core.place import Severity
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.history.attempts.attempts import parse_attempt_name
from handoff_tui.history.attempts.report import AttemptOutcome
from handoff_tui.history.attempts.sources import group_attempts
from handoff_tui.history.failure.failure import order_failures
from handoff_tui.log.entry import DecisionVerb
from tests.support.attempts import HANDOFF, PHASE, build_entry, build_index

_PEOPLE = ("alice", "bob", "cy")
_NAMES = ("a", "b", "c", "d", "e")
_ACTS = st.lists(
    st.tuples(
        st.sampled_from(_PEOPLE), st.integers(1, 3), st.sampled_from([None, *(verb.value for verb in DecisionVerb)])
    ),
    max_size=12,
)


@given(_ACTS, st.sets(st.integers(0, 11)))
def test_every_entry_belongs_to_one_attempt(acts: list[tuple[str, int, str | None]], void: set[int]) -> None:
    """In its order; and an attempt is rejected exactly when somebody's last word that counts is to reject it."""
    entries = [build_entry(number, *act) for number, act in enumerate(acts, start=1)]
    gone = tuple(entry.id for place, entry in enumerate(entries) if place in void)
    sources = group_attempts(build_index(*entries, void=gone), Handoff(id=HANDOFF, dialect="notes"), PHASE)
    votes = [vote.entry.id for one in sources for vote in one.decisions]
    assert sorted(votes) == sorted(entry.id for entry in entries if entry.decision is not None)
    assert [one.number for one in sources] == sorted({one.number for one in sources})
    for one in sources:
        last: dict[str, str | None] = {}
        for entry, (actor, attempt, verb) in zip(entries, acts, strict=True):
            if attempt == one.number and verb is not None and entry.id not in gone:
                last[actor] = verb
        assert (one.outcome is AttemptOutcome.REJECTED) == ("reject" in last.values())


@given(
    st.dictionaries(
        st.sampled_from(_NAMES),
        st.tuples(st.sampled_from([Outcome.FAIL, Outcome.SKIPPED]), st.sampled_from(Severity), st.booleans()),
    ),
    st.dictionaries(st.sampled_from(_NAMES), st.lists(st.sampled_from(_NAMES), max_size=3).map(tuple)),
)
def test_causes_come_before_what_waits_for_them(
    failing: dict[str, tuple[Outcome, Severity, bool]], needs: dict[str, tuple[str, ...]]
) -> None:
    """Every failure is told once; the first waits for none but those that wait for it too."""
    results = [
        CheckResult(id=name, outcome=outcome, severity=severity, blocking=blocking, summary="")
        for name, (outcome, severity, blocking) in failing.items()
    ]
    ordered = order_failures(results, needs)
    assert sorted(one.result.id for one in ordered) == sorted(failing)
    below = {name: _reach(name, failing, needs) for name in failing}
    if ordered:
        first = ordered[0].result.id
        assert all(first in below[other] for other in below[first])
    for one in ordered:
        assert all(one.result.id in below[other] for other in one.holds_back)


def _reach(
    name: str, failing: dict[str, tuple[Outcome, Severity, bool]], needs: dict[str, tuple[str, ...]]
) -> set[str]:
    """All that a check needs and that fails, by going there step by step."""
    found: set[str] = set()
    for _ in failing:
        found |= {need for one in (name, *found) for need in needs.get(one, ()) if need in failing}
    return found


@given(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,20}", fullmatch=True), st.integers(0, 999_999_999))
def test_name_of_an_attempt_is_read_as_it_is_shown(handoff: str, number: int) -> None:
    """With a phase, without, and with what is here now."""
    assert parse_attempt_name(f"{handoff}:build:{number}") == (handoff, "build", number)
    assert parse_attempt_name(f"{handoff}:{number}") == (handoff, None, number)
    assert parse_attempt_name(f"{handoff}:now") == (handoff, None, None)
