from __future__ import annotations

from datetime import timedelta

import pytest

from handoff_tui.core.place import Place
from handoff_tui.core.text.page import Page
from handoff_tui.live.state.app import Loaded, RepositoryPart, Trouble
from handoff_tui.log.gates.gate_state import GateName, GateState, Mover, NextMove
from handoff_tui.status.inbox_item import InboxGroup, InboxOrder, RiskFact, RiskKind, WorkSize, close_items
from handoff_tui.status.review_state import ScopeSummary
from handoff_tui.tui.views.inbox.page import add_blocking, build_broken_page, build_inbox_page
from handoff_tui.tui.views.inbox.rows import InboxRows, build_key, filter_inbox, label_item
from tests.support.desk_states import MOMENT, list_lines, make_item

RISKS = (RiskFact(kind=RiskKind.TESTS_REMOVED, text="1 test is gone"), RiskFact(kind=RiskKind.SIZE, text="large"))
MINE = make_item("H-1", since=MOMENT - timedelta(minutes=12), risks=RISKS, claims=(11, 2, 3), size=WorkSize(7, 182, 40))
THEIRS = make_item("H-2", mine=False, who=Mover.AGENT, agent="heron", phase="plan")
DONE = make_item("H-3", mine=False, who=Mover.NOBODY, state=GateName.APPROVED)


def draw(rows: InboxRows, index: int, width: int) -> str:
    return "".join(cell.text for cell in rows.build_row(index, width))


def test_narrow_row_loses_counts_then_age_then_who() -> None:
    """The name, the state and the number of wrong claims are never lost."""
    rows = InboxRows((MINE._replace(waits_on_me=False),), now=MOMENT)
    gone = [
        next(width for width in range(160, 20, -1) if words not in draw(rows, 0, width))
        for words in ("+182", "✓11", "12m", "reviewer")
    ]
    assert gone == sorted(gone, reverse=True)
    tight = draw(rows, 0, 40)
    assert "H-1" in tight
    assert "○ waiting" in tight
    assert "✗2" in tight


def test_handoff_behind_closed_gates_needs_nobody_here() -> None:
    """Also one that was approved: no earlier approval counts. The row says why."""
    for item in close_items((MINE, DONE), "the signed log is not intact: an entry is gone"):
        assert str(label_item(item)) == "■ closed"
        row = draw(InboxRows((item,), now=MOMENT), 0, 240)
        assert "closed: the signed log is not intact" in row
        assert "needs you" not in row
        assert (item.group, item.waits_on_me) == (InboxGroup.WAITS_ON_OTHERS, False)


def test_unmeasured_risk_is_not_called_none() -> None:
    """Three dots until it was measured; nothing where nothing stands out."""
    assert "…" in draw(InboxRows((make_item(risks=None),)), 0, 100)
    assert "!" not in draw(InboxRows((make_item(risks=()),)), 0, 100)


def test_lines_part_what_is_mine_theirs_and_settled() -> None:
    """The cursor passes over them; keys name the handoff and its repository."""
    rows = InboxRows((MINE, THEIRS, DONE))
    assert rows.keys == [build_key(MINE), "", build_key(THEIRS), "", build_key(DONE)]
    assert set(draw(rows, 1, 20)) == {"─"}
    assert rows.find(build_key(THEIRS)) is THEIRS
    assert rows.find("gone") is None


def test_repository_is_named_only_where_there_are_several() -> None:
    """One alone needs no column."""
    alone = "".join(cell.text for cell in InboxRows((MINE, THEIRS)).build_heading(160))
    several = InboxRows((MINE, make_item("H-1", root="/home/ada/shop")))
    both = "".join(cell.text for cell in several.build_heading(160))
    assert ("  IN  " in alone, "  IN  " in both) == (False, True)
    assert "shop" in draw(several, 1, 160)


def test_broken_repository_is_listed_below_the_others() -> None:
    """With what is wrong and what helps; the rest stays usable."""
    broken = RepositoryPart("/x", "shop", Loaded(trouble=Trouble("git cannot open it", "Clone again.")))
    rows = InboxRows((MINE,), broken=(broken,))
    assert rows.keys == [build_key(MINE), ""]
    assert draw(rows, 1, 80) == "✗ shop  git cannot open it. Clone again."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("h-1", ["H-1"]),
        ("TITLE h", ["H-1", "H-2", "H-3"]),
        ("title plan", ["H-2"]),
        ("phase:plan", ["H-2"]),
        ("who:heron", ["H-2"]),
        ("state:approved", ["H-3"]),
        ("is:mine", ["H-1"]),
        ("repo:lamp h-3", ["H-3"]),
        ("nowhere", []),
        ("phase:", []),
    ],
)
def test_filter_asks_for_every_word(text: str, found: list[str]) -> None:
    """In any letters; a name before a colon asks for one thing only."""
    assert [item.key.handoff for item in filter_inbox((MINE, THEIRS, DONE), text)] == found


def test_other_orders_sort_what_the_filter_left() -> None:
    """By name here."""
    items = (make_item("b"), make_item("a"), make_item("c"))
    rows = InboxRows(items, order=InboxOrder.NAME, text="the title")
    assert [item.key.handoff for item in rows.handoffs] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (make_item(), "◆ needs you"),
        (THEIRS, "» agent"),
        (DONE, "✓ approved"),
        (make_item(mine=False), "○ waiting"),
        (make_item(mine=False, blocking=("x",)), "■ blocked"),
        (make_item(mine=False, state=GateName.REJECTED, who=Mover.AGENT), "✗ rejected"),
        (make_item(mine=False, who=Mover.NOBODY), "· nobody"),
    ],
)
def test_state_is_a_glyph_and_a_word(item: object, words: str) -> None:
    """As it is seen from the desk."""
    assert str(label_item(item)) == words  # type: ignore[arg-type]


def test_page_tells_whose_move_it_is_and_everything_that_blocks() -> None:
    """Each reason on a line of its own."""
    item = make_item(blocking=("1 claim is contradicted", "H-0 is not approved"), since=MOMENT - timedelta(hours=2))
    lines = list_lines(build_inbox_page(item, None, MOMENT))
    assert lines[0] == "H-1  The title of H-1"
    assert "changed 2 h ago" in lines[1]
    assert "next    you: review and decide" in lines
    assert "blocked ■ 1 claim is contradicted" in lines
    assert "        ■ H-0 is not approved" in lines


def test_page_of_a_decided_gate_tells_who_let_it_pass_and_what_is_owed() -> None:
    """Neither is in the way; a debt is marked as one."""
    page = Page()
    nobody = NextMove(who=Mover.NOBODY, what="decided")
    add_blocking(page, GateState(state=GateName.APPROVED, why=("decided by ada", "a debt"), next_move=nobody))
    assert list_lines(page) == ["decided ✓ decided by ada", "        ! a debt"]


def test_page_of_a_handoff_behind_closed_gates_says_so() -> None:
    """With the reason; nobody is told that it is their move."""
    [item] = close_items([make_item()], "the signed log is not intact: an entry is gone")
    lines = list_lines(build_inbox_page(item, None, MOMENT))
    assert "gates   ■ Every gate is closed: the signed log is not intact: an entry is gone" in lines
    assert not any("you: " in line for line in lines)


def test_page_of_a_broken_repository_tells_all_of_its_trouble() -> None:
    """The row has room for its beginning only."""
    broken = RepositoryPart("/r", "r", Loaded(trouble=Trouble("/r cannot be read", "Look at its owner.")))
    lines = list_lines(build_broken_page([broken, RepositoryPart("/s", "s")]))
    assert lines == ["✗ r  /r cannot be read", "    Look at its owner."]


def test_page_gives_the_facts_behind_the_risk() -> None:
    """In words, with the places to look at; size and claims in numbers."""
    places = tuple(Place(path=f"tests/test_{number}.py", line=number) for number in range(1, 9))
    risk = RiskFact(kind=RiskKind.TESTS_REMOVED, text="8 tests are gone", places=places)
    item = make_item(risks=(risk,), claims=(3, 1, 2), size=WorkSize(7, 182, 40))
    own = item.reviewed.model_copy(update={"scope": ScopeSummary(files=7, commits=2, source="span")})
    text = "\n".join(list_lines(build_inbox_page(item._replace(reviewed=own), None)))
    assert "! tests 8 tests are gone  tests/test_1.py:1, tests/test_2.py:2" in text
    assert "and 2 more" in text
    assert "✗ 1 false  ✓ 3 hold  ? 2 not measured" in text
    assert "own     7 files, +182 -40, 2 commits  a guess: before its report" in text


def test_page_does_not_call_unmeasured_work_harmless() -> None:
    """Not measured yet is another thing than nothing found."""
    assert "risk    not measured yet" in list_lines(build_inbox_page(make_item(risks=None), None))
    assert "risk    none found" in list_lines(build_inbox_page(make_item(risks=()), None))


def test_page_says_why_i_may_not_decide() -> None:
    """A reviewer's move that is not mine: the note of the repository."""
    repository = RepositoryPart("/r", "r", reviewer_note="your key is not in the policy")
    lines = list_lines(build_inbox_page(make_item(mine=False), repository))
    assert "you     your key is not in the policy" in lines
    assert not any("your key" in line for line in list_lines(build_inbox_page(make_item(), repository)))
