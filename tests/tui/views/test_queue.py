"""The queue as rows: groups, marks, reasons, filters."""

from __future__ import annotations

from datetime import timedelta

import pytest

from handoff_tui.live.state.app import Loaded, RepositoryPart, Trouble
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.inbox_item import (
    InboxItem,
    MeasuredGate,
    QueueGroup,
    ReviewProblem,
    UnclaimedWork,
    WorkSize,
    close_items,
)
from handoff_tui.tui.views.queue.rows import GROUP, QueueForm, QueueRows, build_key, filter_queue, mark_item
from handoff_tui.tui.views.queue.view import build_broken_page, build_unclaimed_page
from tests.support.desk_states import MOMENT, ROOT, list_lines, make_item

CLEAN = MeasuredGate(12, 12)
READY = make_item("H-1", since=MOMENT - timedelta(minutes=12), claims=(9, 0, 0), size=WorkSize(7, 182, 40))._replace(
    measured=CLEAN
)
THEIRS = make_item("H-2", mine=False, who=Mover.AGENT, agent="heron", phase="plan")
DONE = make_item("H-3", mine=False, who=Mover.NOBODY, state=GateName.APPROVED)
LOOSE = UnclaimedWork(ROOT, "lamp", ("a.py", "b.py"), ("c" * 40,))


def draw(rows: QueueRows, index: int, width: int = 100) -> str:
    return "".join(cell.text for cell in rows.build_row(index, width))


def draw_all(rows: QueueRows, width: int = 100) -> list[str]:
    return [draw(rows, index, width).rstrip() for index in range(len(rows.keys))]


def test_groups_stand_under_headings_and_the_last_are_folded() -> None:
    """The cursor passes over headings, but for those that unfold."""
    rows = QueueRows((READY, THEIRS, DONE), now=MOMENT)
    assert rows.keys == ["", build_key(READY), "", build_key(THEIRS), f"{GROUP}DONE"]
    lines = draw_all(rows)
    assert lines[0] == "READY TO APPROVE · 1"
    assert lines[2] == "AGENT'S TURN · 1"
    assert lines[4] == "DONE · 1   enter unfolds"
    opened = QueueRows((READY, THEIRS, DONE), QueueForm(opened=frozenset({QueueGroup.DONE})))
    assert build_key(DONE) in opened.keys
    assert opened.find_group(f"{GROUP}DONE") is QueueGroup.DONE


def test_title_comes_first_and_the_reason_below() -> None:
    """One sentence a row, where there is room."""
    lines = draw_all(QueueRows((READY,), QueueForm(reasons=True), now=MOMENT))
    assert lines[1].startswith("The title of H-1")
    assert "H-1 · build" in lines[1]
    assert "✓ 12" in lines[1]
    assert lines[1].endswith("12m")
    assert lines[2] == "    12 checks pass, all 9 claims hold"


def test_narrow_row_keeps_title_and_mark() -> None:
    """Lines go first, then files, then who made it, the size, the age and the id."""
    rows = QueueRows((READY,), now=MOMENT)
    gone = [
        next(width for width in range(160, 20, -1) if words not in draw(rows, 1, width))
        for words in ("+182", "7 files", "12m", "H-1 ·")
    ]
    assert gone == sorted(gone, reverse=True)
    assert "The title" in draw(rows, 1, 40)
    assert "✓ 12" in draw(rows, 1, 40)


PROBLEM = ReviewProblem("k", "a test is gone")


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (READY, "✓ 12 pass"),
        (make_item(claims=(1, 0, 3))._replace(measured=CLEAN), "? 3 to check"),
        (make_item(), "… checking"),
        (make_item()._replace(measured=MeasuredGate(11, 12, (PROBLEM,), 1)), "✗ 1 blocking"),
        (make_item()._replace(measured=MeasuredGate(12, 12, (PROBLEM._replace(blocks=False),))), "! 1 warning"),
        (make_item()._replace(running="heron"), "● running"),
        (DONE, "✓ approved"),
        (make_item(mine=False, state=GateName.REJECTED, who=Mover.AGENT), "↩ sent back"),
        (make_item(state=GateName.HELD), "‖ held"),
        (make_item(mine=False, blocking=("x",)), "■ blocked"),
    ],
)
def test_mark_is_a_glyph_and_a_number_or_word(item: InboxItem, words: str) -> None:
    """Green needs a measurement: of the checks, and of everything that is claimed."""
    assert mark_item(item).text == words
    assert (mark_item(item).role == "pass") is (words[0] == "✓")


def test_handoff_behind_closed_gates_needs_nobody_here() -> None:
    """Also one that was approved: no earlier approval counts. The reason says why."""
    for item in close_items((READY, DONE), "the signed log is not intact"):
        lines = draw_all(QueueRows((item,), QueueForm(reasons=True)))
        assert lines[0].startswith("WAITING · 1")
        assert "■ closed" in lines[1]
        assert "every gate is closed: the signed log is not intact" in lines[2]


def test_unclaimed_work_is_the_reviewers_call() -> None:
    """A row of its own, with the files."""
    rows = QueueRows((THEIRS,), QueueForm(reasons=True), unclaimed=(LOOSE,))
    lines = draw_all(rows)
    assert lines[0] == "YOUR CALL · 1"
    assert lines[1].startswith("Unclaimed work")
    assert "2 files belong to no handoff" in lines[2]
    assert rows.find_unclaimed(rows.keys[1]) is LOOSE
    assert "gives them to a handoff" in "\n".join(list_lines(build_unclaimed_page(LOOSE, "O", "%")))


def test_repositories_are_mixed_by_group_and_named() -> None:
    """One alone needs no column."""
    other = make_item("H-9", root="/home/ada/shop")._replace(measured=CLEAN, repository="shop")
    assert "lamp" not in draw(QueueRows((READY,)), 1, 160)
    both = QueueRows((READY, other))
    assert both.keys == ["", build_key(READY), build_key(other)]
    assert "shop" in draw(both, 2, 160)
    twin = make_item("H-9", root="/home/ada/old/lamp")._replace(measured=CLEAN)
    assert "old/lamp" in draw(QueueRows((READY, twin)), 2, 160)


def test_broken_repository_is_listed_below_the_others() -> None:
    """With what is wrong and what helps; the rest stays usable."""
    broken = RepositoryPart("/x", "shop", Loaded(trouble=Trouble("git cannot open it", "Clone again.")))
    rows = QueueRows((READY,), broken=(broken,))
    assert rows.keys == ["", build_key(READY), ""]
    assert draw(rows, 2) == "✗ shop  git cannot open it. Clone again."
    assert list_lines(build_broken_page([broken])) == ["✗ shop  git cannot open it", "    Clone again."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("h-1", ["H-1"]),
        ("TITLE h", ["H-1", "H-2", "H-3"]),
        ("title plan", ["H-2"]),
        ("phase:plan", ["H-2"]),
        ("who:heron", ["H-2"]),
        ("state:approved", ["H-3"]),
        ("state:ready", ["H-1"]),
        ("is:mine", ["H-1"]),
        ("repo:lamp h-3", ["H-3"]),
        ("nowhere", []),
        ("phase:", []),
    ],
)
def test_filter_asks_for_every_word(text: str, found: list[str]) -> None:
    """In any letters; a name before a colon asks for one thing only."""
    assert [item.key.handoff for item in filter_queue((READY, THEIRS, DONE), text)] == found


def test_search_lands_on_the_best_match() -> None:
    """An id before words, the whole id before a part of it; folded groups are searched, too."""
    items = tuple(make_item(name) for name in ("H-10", "H-1", "ash"))
    titled = make_item("zz")
    handoff = titled.reviewed.handoff.model_copy(update={"title": "About H-1"})
    titled = titled._replace(reviewed=titled.reviewed.model_copy(update={"handoff": handoff}), search="zz about h-1")
    rows = QueueRows((titled, *items), QueueForm("h-1"))
    assert rows.find_best("h-1") == build_key(items[1])
    assert build_key(DONE) in QueueRows((DONE,), QueueForm("h-3")).keys


def test_selected_rows_are_marked() -> None:
    """By a glyph, not by colour."""
    rows = QueueRows((READY,), QueueForm(selected=frozenset({build_key(READY)})))
    assert draw(rows, 1).startswith("◉ ")
