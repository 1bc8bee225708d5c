"""The single values behind each metric, the entries that say so, and how they are shown."""

from __future__ import annotations

import csv
import io

import pytest

from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.history.metrics import definitions as observe
from handoff_tui.history.metrics import page
from handoff_tui.history.metrics.definitions import Observed
from handoff_tui.history.metrics.facts import BY_COMMIT, BY_SUBMISSION, parse_seconds
from handoff_tui.history.metrics.page import build_metrics_page
from handoff_tui.history.metrics.report import Metric, MetricGroup, Spread, Target, Unit
from tests.support.desk_states import list_lines
from tests.support.replays import DAY, ENTRY, HOSTILE, OTHER, FigureLog, build_metrics_report, build_record, build_share

COMMIT = "a" * 40


def list_values(observed: Observed) -> list[float]:
    return [one.value for one in observed.observations]


def count_left_out(observed: Observed) -> dict[str, int]:
    return {why: len(sources) for why, sources in observed.left_out.items() if sources}


def at(time: str) -> float:
    return parse_seconds(f"{DAY}{time}Z")


def test_failure_is_an_attempt_sent_back_or_overridden() -> None:
    """Skipped phases are left out, open attempts are not there yet."""
    log = FigureLog()
    back = log.decide("reject", "10:00:00")
    log.decide("approve", "11:00:00", attempt=2)
    log.decide("override", "12:00:00", handoff="H-2")
    log.decide("skip", "12:30:00", handoff="H-3")
    log.decide("hold", "12:40:00", handoff="H-4")
    observed = observe.observe_failures(log.build())
    assert list_values(observed) == [1, 0, 1]
    assert observed.observations[0].sources == (back,)
    assert count_left_out(observed) == {"the phase was skipped": 1}


def test_compliance_asks_for_a_submission_of_the_very_files_before_the_decision() -> None:
    """Other files, or a submission that came later, do not count."""
    log = FigureLog()
    made = log.submit("09:00:00")
    decided = log.decide("approve", "10:00:00")
    log.submit("09:00:00", handoff="H-2", tree="other")
    log.decide("approve", "10:01:00", handoff="H-2")
    log.decide("approve", "10:02:00", handoff="H-3")
    log.submit("11:00:00", handoff="H-3")
    observed = observe.observe_compliance(log.build())
    assert list_values(observed) == [1, 0, 0]
    assert observed.observations[0].sources == (made, decided)


def test_compliance_of_a_log_without_submissions_is_not_known() -> None:
    """Agents that do not sign leave no trace: that isn't a failure of theirs."""
    log = FigureLog()
    log.decide("approve", "10:00:00")
    observed = observe.observe_compliance(log.build())
    assert (list(observed.observations), "leave no trace" in observed.why) == ([], True)


def test_session_without_a_commit_is_left_out() -> None:
    """What happened before the decision or after the next entry is not of that session."""
    log = FigureLog()
    back = log.decide("reject", "10:00:00")
    log.submit("10:03:00", attempt=2, tree="two")
    facts = log.build(behind=frozenset({COMMIT}), work_seconds=[at("09:59:59"), at("10:03:01")])
    observed = observe.observe_resumption(facts)
    assert list_values(observed) == []
    assert dict(observed.left_out) == {"no commit between it and the next entry": [back]}


def test_sent_back_attempt_of_one_person_is_a_session() -> None:
    """From the rejection to the first commit after it."""
    log = FigureLog()
    back = log.decide("reject", "10:00:00")
    following = log.submit("11:00:00", attempt=2, tree="two")
    last = log.decide("approve", "11:30:00", attempt=2, tree="two")
    facts = log.build(behind=frozenset({COMMIT}), work_seconds=[at("09:00:00"), at("10:04:00"), at("10:05:00")])
    observed = observe.observe_resumption(facts)
    assert [(one.value, one.sources) for one in observed.observations] == [(240, (back, following))]
    assert dict(observed.left_out) == {"nothing was submitted or decided after it yet": [last]}


def test_rewritten_history_tells_of_no_session() -> None:
    """A decision on a commit that is not behind HEAD is left out, not guessed."""
    log = FigureLog()
    log.decide("reject", "10:00:00")
    log.submit("11:00:00", attempt=2, tree="two")
    observed = observe.observe_resumption(log.build(work_seconds=[at("10:04:00")]))
    assert count_left_out(observed) == {"its commit isn't in the history of HEAD": 1}


def test_rediscovery_counts_what_had_been_shown_before() -> None:
    """By fingerprint, over all earlier attempts; the entries are those that first told it, and the own."""
    log = FigureLog()
    first = log.decide("reject", "10:00:00", record=build_record(findings=("f1", "f2")))
    second = log.decide("reject", "11:00:00", attempt=2, record=build_record(findings=("f3",)))
    third = log.decide("approve", "12:00:00", attempt=3, record=build_record(findings=("f2", "f3", "f4")))
    missing = log.decide("approve", "13:00:00", attempt=4)
    observed = observe.observe_rediscovery(log.build())
    assert [(one.value, one.sources) for one in observed.observations] == [
        (0, (first, second)),
        (2, (first, second, third)),
    ]
    assert dict(observed.left_out) == {"the review record isn't here": [missing]}


def test_success_is_the_last_attempt_of_a_phase_by_type() -> None:
    """A phase that was sent back first and approved then succeeded; a handoff that is gone has no type."""
    log = FigureLog()
    log.decide("reject", "10:00:00")
    log.decide("approve", "11:00:00", attempt=2)
    log.decide("override", "12:00:00", handoff="H-2")
    log.decide("skip", "12:00:00", handoff="H-3")
    observed = observe.observe_success(log.build(types={"H-1": "phase_transition"}))
    assert [(one.value, one.group) for one in observed.observations] == [
        (1, "phase_transition"),
        (0, "no longer here"),
    ]
    assert count_left_out(observed) == {"the phase was skipped": 1}


def test_duration_runs_from_the_first_submission_to_the_approval() -> None:
    """Over all attempts; without a submission from the commit; what is dated backwards is left out."""
    log = FigureLog()
    made = log.submit("09:00:00")
    log.decide("reject", "10:00:00")
    ended = log.decide("approve", "11:00:00", attempt=2)
    log.decide("approve", "12:00:00", handoff="H-2", commit="b")
    log.decide("approve", "12:00:00", handoff="H-3", commit="c")
    log.decide("approve", "12:00:00", handoff="H-4", commit="d")
    log.decide("reject", "12:00:00", handoff="H-5")
    seconds = {"b" * 40: at("11:50:00"), "c" * 40: at("12:30:00")}
    observed = observe.observe_duration(log.build(commit_seconds=seconds))
    assert list_values(observed) == [7_200, 600]
    assert observed.observations[0].sources == (made, ended)
    assert sorted(count_left_out(observed).values()) == [1, 1]


def test_decision_time_tells_what_it_is_measured_from() -> None:
    """Submission before commit; a hold isn't a decision yet."""
    log = FigureLog()
    log.submit("09:00:00")
    log.decide("hold", "09:01:00")
    log.decide("reject", "09:05:00")
    log.decide("approve", "10:00:00", handoff="H-2")
    log.decide("approve", "10:00:00", handoff="H-3", commit="b")
    log.decide("approve", "10:00:00", handoff="H-4", commit="c")
    observed = observe.observe_decision_time(
        log.build(commit_seconds={COMMIT: at("09:50:00"), "c" * 40: at("10:00:01")})
    )
    assert [(one.value, one.group) for one in observed.observations] == [(300, BY_SUBMISSION), (600, BY_COMMIT)]
    assert sorted(count_left_out(observed).values()) == [1, 1]


def test_loops_are_counted_by_phase() -> None:
    """One value per phase of a handoff; an attempt that nobody decided is none."""
    log = FigureLog()
    log.decide("reject", "10:00:00")
    log.decide("retry", "11:00:00", attempt=2)
    log.decide("approve", "12:00:00", attempt=3)
    log.decide("approve", "13:00:00", phase="test")
    log.submit("14:00:00", phase="release")
    observed = observe.observe_loops(log.build())
    assert [(one.value, one.group) for one in observed.observations] == [(2, "build"), (0, "test")]


def test_approval_is_stale_when_the_phase_is_looked_at_again_with_other_files() -> None:
    """A second approval of the same files is no sign of it, neither is a rejection before."""
    log = FigureLog()
    log.decide("reject", "08:00:00", tree="zero")
    stale = log.decide("approve", "09:00:00", tree="one")
    log.decide("approve", "09:10:00", tree="one", actor="bob")
    later = log.submit("10:00:00", tree="two")
    log.decide("approve", "11:00:00", tree="two")
    log.decide("approve", "12:00:00", tree="three", phase="test")
    observed = observe.observe_staleness(log.build())
    assert list_values(observed) == [1, 1, 0, 0]
    assert observed.observations[0].sources[0] == stale
    assert later not in observed.observations[2].sources


def test_debt_is_an_override_that_no_approval_regards() -> None:
    """Its age is told; a settled one is none."""
    log = FigureLog()
    settled = log.decide("override", "08:00:00")
    log.decide("approve", "09:00:00", regards=(settled,))
    owed = log.decide("override", "10:00:00", handoff="H-2")
    observed = observe.observe_debts(log.build(now=f"{DAY}10:30:00Z"))
    assert [(one.value, one.sources, one.group) for one in observed.observations] == [(1_800, (owed,), "H-2")]


def test_rubber_stamp_is_quick_and_blind() -> None:
    """Within a minute and no file looked at; one of the two is none; without a record nothing is said."""
    log = FigureLog()
    seen, blind = build_record(looked=True), build_record(looked=False)
    for handoff, moment, record in (
        ("H-1", "09:00:30", blind),
        ("H-2", "09:00:30", seen),
        ("H-3", "09:01:00", blind),
        ("H-4", "09:00:30", None),
    ):
        log.submit("09:00:00", handoff=handoff)
        log.decide("approve", moment, handoff=handoff, record=record)
    log.decide("approve", "10:00:00", handoff="H-5", record=blind, commit="b")
    log.decide("approve", "10:00:00", handoff="H-6", record=seen, commit="b", actor="bob")
    log.decide("reject", "09:00:01", handoff="H-7", record=blind)
    observed = observe.observe_rubber_stamps(log.build(reviewer="alice"))
    assert sorted((one.value, one.group) for one in observed.observations) == [
        (0, "others"),
        (0, "you"),
        (0, "you"),
        (1, "you"),
    ]
    assert sorted(count_left_out(observed).values()) == [1, 1]


def test_debt_is_a_state_at_the_end_of_a_day() -> None:
    """Settled later it was open then; made later it was none yet; its age is that of the end of the day."""
    log = FigureLog()
    owed = log.decide("override", "2026-03-01T22:59:59Z")
    log.decide("approve", "2026-03-03T09:00:00Z", regards=(owed,))
    facts = log.build()
    assert [one.value for one in observe.observe_debts(facts, "2026-03-01").observations] == [3_600]
    assert observe.observe_debts(facts, "2026-02-28").observations == []
    assert observe.observe_debts(facts, "2026-03-03").observations == []


def test_withdrawn_decision_is_in_no_figure() -> None:
    """It is no rubber stamp, nothing that grew stale, and ended no waiting."""
    log = FigureLog()
    log.submit("09:00:00")
    taken = log.decide("approve", "09:00:10", record=build_record(looked=False))
    log.decide("withdraw", "09:01:00", regards=(taken,), record=build_record(looked=False))
    facts = log.build()
    for observer in (observe.observe_rubber_stamps, observe.observe_staleness, observe.observe_decision_time):
        assert list(observer(facts).observations) == []


WIDTH = 80


def test_page_has_value_target_bars_weeks_and_entries() -> None:
    """Each figure by itself, what needs a look first."""
    lines = list_lines(build_metrics_page(build_metrics_report(not_counted=2, since="2026-03-01")))
    text = "\n".join(lines)
    assert "3 entries · 1 submission · 1 decision · 2 not counted · 2026-03-01 to now" in lines[0]
    assert any(line.startswith("✗ Success rate") and "50.0 %" in line and "at least 95.0 %" in line for line in lines)
    assert any(line.startswith("? Time to resume") for line in lines)
    assert "can't be computed: no session can be told" in text
    assert text.index("agent_handoff") < text.index("phase_transition")
    assert "▁█  by week, 2026-03-02 to 2026-03-09" in text
    assert "left out: 3, the phase was skipped" in text
    assert "from abababababab, cdcdcdcdcdcd" in text
    assert "least 5 s · median 4 min 10 s · 90 % within 2 h 5 min · most 2 h 5 min" in text


def test_page_fits_into_80_columns() -> None:
    """With long names too."""
    long = build_share(groups=tuple(MetricGroup(name="x" * 90 + str(one), value=1.0, of=10_000) for one in range(3)))
    for row in lay_out(build_metrics_page(build_metrics_report(long), everything=True), WIDTH):
        assert len("".join(cell.text for cell in row).rstrip()) <= WIDTH


def test_long_lists_are_cut_unless_all_is_asked_for() -> None:
    """And say so."""
    groups = tuple(MetricGroup(name=f"rule-{one:02d}", value=1.0, part=1.0, of=1) for one in range(12))
    report = build_metrics_report(build_share(groups=groups, sources=tuple(f"sha256:{one:064x}" for one in range(9))))
    short = "\n".join(list_lines(build_metrics_page(report)))
    whole = "\n".join(list_lines(build_metrics_page(report, everything=True)))
    assert "… and 2 more; --all shows them" in short
    assert "and 5 more" in short
    assert "rule-11" in whole
    assert "more" not in whole


def test_debt_tells_ages_beside_its_number() -> None:
    """The number is a number, the spread is of times."""
    debt = Metric(
        id="override-debt",
        system="desk",
        title="Override debt",
        means="Owed.",
        unit=Unit.NUMBER,
        value=0.0,
        target=Target(most=0.0),
    )
    owed = debt.model_copy(update={"value": 1.0, "of": 1, "spread": Spread(least=60, median=60, ninetieth=60, most=60)})
    assert any(
        line.startswith("✓ Override debt") for line in list_lines(build_metrics_page(build_metrics_report(debt)))
    )
    assert "most 1 min" in "\n".join(list_lines(build_metrics_page(build_metrics_report(owed))))


def test_hostile_texts_are_made_visible() -> None:
    """Names and reasons come from files."""
    figure = build_share(groups=(MetricGroup(name=HOSTILE, value=None, of=0),), value=None, why=HOSTILE)
    text = "\n".join(list_lines(build_metrics_page(build_metrics_report(figure, notes=(HOSTILE,), fatal=True))))
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("unit", "value", "words"),
    [
        (Unit.SHARE, 0.125, "12.5 %"),
        (Unit.SECONDS, 250.0, "4 min 10 s"),
        (Unit.NUMBER, 1_234.0, "1,234"),
        (Unit.NUMBER, 0.25, "0.25"),
        (Unit.SHARE, None, "–"),
    ],
)
def test_value_is_said_in_its_unit(unit: Unit, value: float | None, words: str) -> None:
    """What is not known is a dash, never a zero."""
    assert page.render_value(unit, value) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3_725, "1 h 2 min"), (86_400, "1 d"), (90_000_000, "1,041 d 16 h")],
)
def test_time_has_its_two_largest_units(seconds: float, words: str) -> None:
    """Short enough for a column."""
    assert page.render_span(seconds) == words


def test_target_and_share_are_said() -> None:
    """With the word that tells whether the edge counts."""
    assert page.render_target(Unit.SHARE, Target(below=0.05)) == "below 5.0 %"
    assert page.render_target(Unit.NUMBER, Target(most=0)) == "at most 0"
    assert page.render_target(Unit.NUMBER, None) == ""
    assert (page.render_share(1.0, 2, Unit.SHARE), page.render_share(None, 2, Unit.SECONDS)) == ("1 of 2", "of 2")


def test_table_has_a_row_for_each_figure_and_group() -> None:
    """Empty cells where there is nothing; ids parted by blanks."""
    rows = list(csv.DictReader(io.StringIO(page.render_metrics_csv(build_metrics_report()))))
    assert tuple(rows[0]) == page.COLUMNS
    assert [(row["figure"], row["group"], row["value"]) for row in rows] == [
        ("time-to-resume", "", ""),
        ("success-rate", "", "0.5"),
        ("success-rate", "phase_transition", "1"),
        ("success-rate", "agent_handoff", "0"),
        ("time-to-decision", "", "250"),
    ]
    assert (rows[1]["met"], rows[1]["left_out"], rows[1]["sources"]) == ("false", "3", f"{ENTRY} {OTHER}")


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-x", "@sum", "\tx"])
def test_table_keeps_names_from_being_formulas(name: str) -> None:
    """A spreadsheet would compute what begins so; a tab is shown as blanks."""
    figure = build_share(groups=(MetricGroup(name=name, value=1.0, part=1.0, of=1),))
    rows = list(csv.DictReader(io.StringIO(page.render_metrics_csv(build_metrics_report(figure)))))
    assert not rows[1]["group"].startswith(("=", "+", "-", "@", "\t"))
