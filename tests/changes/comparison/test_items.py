from __future__ import annotations

from handoff_tui.changes.comparison.page import add_named_items, add_section, shorten_hashes
from handoff_tui.changes.comparison.snapshot_diff import Change, Item, Section
from handoff_tui.core.text.page import Page
from tests.support.pages import render_page


def render_section(name: str, *items: Item, everything: bool = False) -> list[str]:
    page = Page()
    section = Section(items=items, before_total=1, after_total=len(items))
    add_section(page, name, section, set(), everything=everything)
    return render_page(page).splitlines()[1:]


def find_finding(check: str, number: int) -> Item:
    return Item(f"{check}{number}", Change.NEW, after=f"{check}: message {number}")


def test_findings_are_grouped_by_check() -> None:
    """The check with the most first, with one example and how many more; everything lists each, in order."""
    items = (find_finding("b", 2), find_finding("a", 1), find_finding("b", 1))
    assert render_section("findings", *items) == ["  ✗ new  3", "    ✗ b: message 1  and 1 more", "    ✗ a: message 1"]
    assert render_section("findings", *items, everything=True)[1:] == [
        "    ✗ a: message 1",
        "    ✗ b: message 1",
        "    ✗ b: message 2",
    ]


def test_groups_beyond_the_first_are_counted() -> None:
    """By findings, not by checks."""
    items = [find_finding(f"check-{number}", 1) for number in range(9)]
    items += [find_finding("check-8", 2), find_finding("zz", 1), find_finding("zz", 2), find_finding("zz", 3)]
    assert render_section("findings", *items)[-1] == "    … and 2 more; --all shows them"


def test_new_test_that_fails_is_no_good_news() -> None:
    """It stands with the mark of a failure."""
    page = Page()
    add_named_items(page, [("tests", Item("t", Change.NEW, after="fail"))], everything=False)
    add_named_items(page, [("tests", Item("t", Change.NEW, after="pass"))], everything=False)
    assert render_page(page).splitlines() == ["✗ new and failing  test t  fail", "+ new  test t  pass"]


def test_long_hashes_are_shortened() -> None:
    """Only what is as long as a hash of git or SHA-256, and stands alone."""
    digest = "0123456789abcdef" * 4
    assert shorten_hashes(f"sha256:{digest} at {digest[:40]} and {digest[:12]}") == (
        "sha256:0123456789ab… at 0123456789ab… and 0123456789ab"
    )
    assert shorten_hashes(digest + "0") == digest + "0"


def test_items_stand_below_their_change() -> None:
    """Two steps in, and the rest is counted at the same place."""
    items = [Item(f"p{number}", Change.CHANGED, "1", "2") for number in range(9)]
    lines = render_section("packages", *items)
    assert lines[:2] == ["  ~ changed  9", "    ~ p0  1 → 2"]
    assert lines[-1] == "    … and 1 more; --all shows them"
