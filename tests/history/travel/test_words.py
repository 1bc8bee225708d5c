from __future__ import annotations

from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.history.travel.values import DeskThen, Stop, StopKind, TravelLine
from handoff_tui.history.travel.words import StopRows, add_banner, build_stop_json, describe_stop
from handoff_tui.status.review_state import ReviewState
from tests.support.pages import render_page

COMMIT = Stop(
    key="c" * 40, kind=StopKind.COMMIT, commit="c" * 40, time="2026-03-06T14:10:00Z", who="Ada", title="work\x1b[2J"
)
ENTRY = Stop(
    key="sha256:" + "e" * 64,
    kind=StopKind.ENTRY,
    commit="c" * 40,
    entry="sha256:" + "e" * 64,
    time="2026-03-06T15:00:00Z",
    who="bo@example.org",
    title="approve H-2 · build · attempt 1",
)


def test_rows_are_newest_first_and_found_again() -> None:
    """By the commit or the entry; what is hidden in a title is shown."""
    rows = StopRows(TravelLine(stops=(COMMIT, ENTRY)))
    assert rows.keys == [ENTRY.key, COMMIT.key]
    assert (rows.find(COMMIT.key), rows.find("none")) == (COMMIT, None)
    entry, commit = ("".join(cell.text for cell in rows.build_row(number, 80)) for number in (0, 1))
    assert entry == "◆ sha256:eeeeeeeeeeee…  2026-03-06 15:00  bo@example.org  approve H-2 · build · attempt 1"
    assert commit.startswith("● ccccccc  2026-03-06 14:10  Ada  work")
    assert "\x1b" not in commit


def test_page_of_then_is_marked_at_both_ends() -> None:
    """Nobody takes it for now."""
    page = Page()
    page.line(Cell("content"))
    text = render_page(add_banner(page, ENTRY, ("something is not known",)))
    assert text.startswith("AS IT WAS at ccccccc · 2026-03-06 15:00 UTC")
    assert text.index("content") < text.index("for looking only") < text.index("something is not known")


def test_stop_without_a_log_says_so() -> None:
    """Before the first entry."""
    assert describe_stop(COMMIT).endswith("no log yet")
    assert "log up to sha256:eeeeeeeeeeee…" in describe_stop(ENTRY)


def test_json_carries_the_stop() -> None:
    """With the tree, and what cannot be known."""
    then = DeskThen(stop=ENTRY, tree="t", state=ReviewState(repository=RepositoryFacts(root="/r")), notes=("a",))
    value = build_stop_json(then)
    assert (value["kind"], value["commit"], value["tree"], value["notes"]) == ("entry", "c" * 40, "t", ["a"])
