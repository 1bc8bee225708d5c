"""Rows of the lists: whatever stands in a repository, a row is one safe line of the width it was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.checks.output.words import build_check_detail
from handoff_tui.checks.report import CheckReport
from handoff_tui.core.place import Place
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.core.text.safe_text import has_hidden_characters
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.live.state.app import AppState
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, QueueGroup, RiskFact, RiskKind, WorkSize, sort_inbox
from handoff_tui.status.pipeline import PhaseProgress, PhaseView, PipelineView
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.tui.views.evidence.rows import CheckRows, ClaimRows, build_claim_page
from handoff_tui.tui.views.overview.cards import build_overview_page, build_strip
from handoff_tui.tui.views.queue.rows import QueueForm, QueueRows, filter_queue
from handoff_tui.tui.widgets.row_list import RowSource
from tests.support.check_reports import nasty_reports, nasty_texts
from tests.support.desk_states import build_reviewed, make_item

WIDTHS = st.integers(20, 200)
MOMENTS = st.none() | st.datetimes(timezones=st.just(UTC))
RISKS = st.builds(
    RiskFact,
    kind=st.sampled_from(RiskKind),
    text=nasty_texts(),
    places=st.lists(st.builds(Place, path=nasty_texts(), line=st.none() | st.integers(1, 9)), max_size=3).map(tuple),
)
SIZES = st.none() | st.builds(
    WorkSize, st.integers(0, 10**6), st.none() | st.integers(0, 10**6), st.integers(0, 10**6)
).map(lambda size: size._replace(deleted=None) if size.added is None else size)


@st.composite
def inbox_items(draw: st.DrawFn) -> InboxItem:
    item = make_item(
        mine=draw(st.booleans()),
        state=draw(st.sampled_from(GateName)),
        who=draw(st.sampled_from(Mover)),
        agent=draw(st.none() | nasty_texts()),
        phase=draw(st.none() | nasty_texts()),
        since=draw(MOMENTS),
        risks=draw(st.none() | st.lists(RISKS, max_size=3).map(tuple)),
        claims=draw(st.tuples(*[st.integers(0, 999)] * 3)),
        size=draw(SIZES),
        blocking=draw(st.lists(nasty_texts(), max_size=2).map(tuple)),
    )
    return item._replace(
        key=HandoffKey(draw(nasty_texts()), draw(nasty_texts())), search=draw(nasty_texts()).casefold()
    )


def check_cells(cells: Sequence[Cell]) -> str:
    text = "".join(cell.text for cell in cells)
    assert not has_hidden_characters(text)
    assert "\n" not in text
    return text


def check_rows(rows: RowSource, width: int) -> None:
    assert len({key for key in rows.keys if key}) == len([key for key in rows.keys if key])
    for index in range(len(rows.keys)):
        check_cells(rows.build_row(index, width))


def check_page(page: Page, width: int) -> None:
    for row in lay_out(page, width):
        check_cells(row)


@given(st.lists(inbox_items(), max_size=5, unique_by=lambda item: item.key), WIDTHS, MOMENTS, st.booleans())
def test_queue_rows_are_safe_lines(items: list[InboxItem], width: int, now: datetime | None, reasons: bool) -> None:  # noqa: FBT001 - drawn
    """With and without reasons; sorting loses nothing and keeps the groups together."""
    ordered = sort_inbox(items)
    assert sorted(ordered, key=lambda item: item.key) == sorted(items, key=lambda item: item.key)
    assert [item.group for item in ordered] == sorted(item.group for item in items)
    check_rows(QueueRows(ordered, QueueForm(opened=frozenset(QueueGroup), reasons=reasons), now=now), width)
    for item in items:
        check_page(build_overview_page(AppState(inbox=(item,), chosen=item.key), item, now), width)


@given(st.lists(inbox_items(), max_size=5), nasty_texts())
def test_filter_finds_some_and_changes_none(items: list[InboxItem], text: str) -> None:
    """Whatever is typed; each of its plain words is in what is left."""
    found = filter_queue(items, text)
    assert all(item in items for item in found)
    if ":" not in text:
        assert all(word in item.search for item in found for word in text.casefold().split())


@given(report=nasty_reports(), width=WIDTHS, text=nasty_texts(), only=st.booleans(), stale=st.booleans())
def test_check_rows_are_safe_lines(*, report: CheckReport, width: int, text: str, only: bool, stale: bool) -> None:
    """Of every outcome; each result stands in one group."""
    rows = CheckRows(report, only_failing=only, text=text, stale=stale)
    for index in range(len(rows.keys)):
        check_cells(rows.build_row(index, width))
    assert sum(len(group.results) for group in CheckRows(report).groups) == len(report.results)
    for result in report.results:
        check_page(build_check_detail(result, report), width)


@given(
    st.lists(
        st.builds(
            Verdict,
            claim=st.builds(
                Claim,
                text=nasty_texts(),
                kind=st.sampled_from(ClaimKind),
                where=st.builds(Place, path=nasty_texts(), line=st.none() | st.integers(1, 9)),
                subject=st.none() | nasty_texts(),
                value=st.none() | nasty_texts() | st.integers() | st.booleans(),
            ),
            state=st.sampled_from(VerdictState),
            measured=st.none() | nasty_texts() | st.integers() | st.booleans(),
            evidence=nasty_texts(),
        ),
        max_size=4,
    ),
    WIDTHS,
)
def test_claim_rows_are_safe_lines(verdicts: list[Verdict], width: int) -> None:
    """Each claim has a row, also one that is said twice."""
    rows = ClaimRows(ShownHandoff(reviewed=build_reviewed(), verdicts=tuple(verdicts)))
    assert len(rows.keys) == len(verdicts)
    check_rows(rows, width)
    for verdict in verdicts:
        check_page(build_claim_page(verdict), width)


@given(
    phases=st.lists(
        st.builds(
            PhaseView,
            name=nasty_texts(),
            standing=st.sampled_from(PhaseProgress),
            gate=st.none() | st.sampled_from(GateName),
            who=st.none() | nasty_texts(),
            when=st.none() | nasty_texts(),
            agent=st.none() | nasty_texts(),
            note=nasty_texts(),
        ),
        max_size=5,
    ),
    mine=st.booleans(),
)
def test_strip_of_the_pipeline_is_a_safe_line(*, phases: list[PhaseView], mine: bool) -> None:
    """Each phase is named."""
    text = check_cells(build_strip(PipelineView(phases=tuple(phases)), needs_you=mine))
    assert text.count(" ── ") >= len(phases) - 1
