"""Laws of metrics, over generated logs and values."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.history.metrics.definitions import DayWindow, build_spread, find_percentile
from handoff_tui.history.metrics.facts import RecordParser
from handoff_tui.history.metrics.metrics import build_metrics
from handoff_tui.history.metrics.page import build_metrics_json, render_bar, render_metrics_csv, render_sparkline
from handoff_tui.history.metrics.report import MetricsReport, Unit
from handoff_tui.log.review_record import ReviewRecord
from handoff_tui.log.storage.evidence import encode_review
from tests.support.replays import FigureLog, build_record
from tests.support.strategies import json_texts, model_values

"""A busy machine isn't a finding."""
VALUES = st.lists(st.floats(0, 1e9), min_size=1, max_size=40)
VERBS = ("approve", "reject", "retry", "skip", "override", "hold", "withdraw", "carry")


class Step(NamedTuple):
    """One entry of a generated log."""

    verb: str | None
    number: int
    phase: str
    attempt: int
    tree: str
    actor: str
    minutes: int
    checks: tuple[str, ...] | None


STEPS = st.builds(
    Step,
    verb=st.sampled_from((None, *VERBS)),
    number=st.integers(1, 3),
    phase=st.sampled_from(("build", "test")),
    attempt=st.integers(1, 3),
    tree=st.sampled_from(("one", "two", "three")),
    actor=st.sampled_from(("alice", "bob")),
    minutes=st.integers(0, 5_000),
    checks=st.none() | st.lists(st.sampled_from(("a", "b", "low-c")), unique=True, max_size=3).map(tuple),
)
LOGS = st.lists(STEPS, max_size=20)


def fill(log: FigureLog, steps: list[Step], prefix: str = "H") -> FigureLog:
    """Adds the steps in the order of their times, as a log does."""
    for step in sorted(steps, key=lambda step: step.minutes):
        day, rest = divmod(step.minutes, 1_440)
        moment = f"2026-03-{day + 2:02d}T{rest // 60:02d}:{rest % 60:02d}:00Z"
        work: dict[str, Any] = {
            "handoff": f"{prefix}-{step.number}",
            "phase": step.phase,
            "attempt": step.attempt,
            "tree": step.tree,
        }
        if step.verb is None:
            log.submit(moment, **work)
            continue
        record = None if step.checks is None else build_record(("x",), step.checks, step.checks)
        log.decide(step.verb, moment, actor=step.actor, record=record, **work)
    return log


@given(VALUES, st.floats(0, 1))
def test_percentile_splits_the_values(values: list[float], share: float) -> None:
    """It is one of them; at least so large a share does not exceed it, and no smaller value has that."""
    ordered = sorted(values)
    found = find_percentile(ordered, share)
    assert found in ordered
    assert sum(value <= found for value in ordered) >= share * len(ordered) - 1e-9
    below = [value for value in ordered if value < found]
    assert not below or len(below) < share * len(ordered) + 1e-9


@given(VALUES)
def test_spread_is_ordered_and_inside(values: list[float]) -> None:
    """From the least to the most."""
    spread = build_spread(values)
    assert spread is not None
    told = list(spread.model_dump().values())
    assert told == sorted(told)
    assert (told[0], told[-1]) == (min(values), max(values))


@given(LOGS, LOGS)
def test_figures_of_two_logs_add_up(first: list[Step], second: list[Step]) -> None:
    """Over different handoffs the parts and numbers of the whole are the sums of those of the halves."""
    halves = [
        build_metrics(fill(FigureLog(), one, name).build(), DayWindow()) for one, name in ((first, "A"), (second, "B"))
    ]
    whole = FigureLog()
    fill(whole, first, "A")
    fill(whole, second, "B")
    for figure, one, other in zip(build_metrics(whole.build(), DayWindow()), *halves, strict=True):
        if figure.id == "pre-handoff-compliance" and None in {one.value, other.value}:
            continue  # of a half without submissions it is not known
        assert figure.of == one.of + other.of, figure.id
        assert (figure.part or 0) == (one.part or 0) + (other.part or 0), figure.id


@given(LOGS, st.integers(2, 4))
def test_figures_of_two_windows_add_up(steps: list[Step], day: int) -> None:
    """What happened up to a day and after it is all that happened; and every share lies between 0 and 1."""
    facts = fill(FigureLog(), steps).build()
    early, late = DayWindow(until=f"2026-03-{day:02d}"), DayWindow(since=f"2026-03-{day + 1:02d}")
    figures = build_metrics(facts, DayWindow())
    for figure, before, after in zip(figures, build_metrics(facts, early), build_metrics(facts, late), strict=True):
        if figure.id == "override-debt":  # a state: what is open at the end, whenever it began
            assert figure.of == after.of
        else:
            assert figure.of == before.of + after.of, figure.id
        assert figure.of == sum(week.of for week in figure.weeks) or figure.grouped_by in {"rule", "severity"}
        assert figure.unit is not Unit.SHARE or figure.value is None or 0 <= figure.value <= 1


@given(LOGS)
def test_figure_names_only_entries_of_the_log(steps: list[Step]) -> None:
    """Every source exists, a value has at least one, and nothing has no value without a reason."""
    log = fill(FigureLog(), steps)
    known = {entry.id for entry in log.entries}
    for figure in build_metrics(log.build(), DayWindow()):
        named = {*figure.sources, *(one for group in figure.groups for one in group.sources)}
        assert named | {one for left in figure.left_out for one in left.sources} <= known
        assert (figure.value is None) == bool(figure.why)
        assert figure.value is None or figure.sources or figure.id == "override-debt"


@given(LOGS)
def test_forms_of_a_report_have_the_same_figures(steps: list[Step]) -> None:
    """JSON is JSON, and the table has one row per metric and group."""
    figures = build_metrics(fill(FigureLog(), steps).build(), DayWindow())
    report = MetricsReport(repo="/r", head=None, log=None, fatal=False, made_at="", metrics=figures)
    assert len(json.loads(json.dumps(build_metrics_json(report)))["figures"]) == len(figures)
    rows = render_metrics_csv(report).splitlines()
    assert len(rows) == 1 + len(figures) + sum(len(figure.groups) for figure in figures)


@given(model_values(ReviewRecord))
def test_short_reading_agrees_with_the_record(record: ReviewRecord) -> None:
    """What the quick reader says is what the whole record says."""
    try:
        content = encode_review(record)
    except UnicodeEncodeError:
        return
    facts = RecordParser().parse(content)
    if facts is None:
        assert record.schema_version != 1
        return
    judged = [check for check in record.checks if check.outcome != "not-applicable"]
    assert [one.rule for one in facts.held] == [check.id for check in judged if check.outcome == "pass"]
    assert [one.rule for one in facts.open] == [check.id for check in judged if check.outcome != "pass"]
    assert facts.looked == bool(record.viewed or record.comments)


@given(json_texts(("schema_version", "checks", "id", "outcome", "severity", "findings", "fingerprint", "viewed")))
def test_short_reading_never_raises(text: str) -> None:
    """Whatever a file says."""
    RecordParser().parse(text.encode("utf-8", "surrogatepass"))


@given(st.lists(st.none() | st.floats(0, 1e6), max_size=60), st.integers(1, 40), st.floats(0, 1e6))
def test_plots_have_their_width(values: list[float | None], width: int, most: float) -> None:
    """A bar has exactly so many cells, a line at most."""
    assert all(len(render_bar(value, most, width)) == width for value in values)
    assert len(render_sparkline(values, width)) == min(width, len(values))
