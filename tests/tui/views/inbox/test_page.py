from __future__ import annotations

from datetime import timedelta

from handoff_tui.core.place import Place
from handoff_tui.core.text.page import Page
from handoff_tui.live.state.app import Loaded, RepositoryPart, Trouble
from handoff_tui.log.gates.gate_state import GateName, GateState, Mover, NextMove
from handoff_tui.status.inbox_item import RiskFact, RiskKind, WorkSize, close_items
from handoff_tui.tui.views.inbox.page import add_blocking, build_broken_page, build_inbox_page, list_places
from tests.support.inbox_items import MOMENT, make_item
from tests.support.reviewed import list_lines


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
    text = "\n".join(list_lines(build_inbox_page(item, None)))
    assert "! tests 8 tests are gone  tests/test_1.py:1, tests/test_2.py:2" in text
    assert "and 2 more" in text
    assert "✗ 1 false  ✓ 3 hold  ? 2 not measured" in text
    assert "7 files, +182 -40 since the baseline" in text


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


def test_text_from_disk_is_shown_and_never_obeyed() -> None:
    """A path that would turn the line around is spelled out."""
    assert list_places((Place(path="a\u202eb\x1b[2J"),)) == "a⟨U+202E⟩b␛[2J"
