from __future__ import annotations

import pytest

from handoff_tui.config.theme import ROLES
from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.status_page import (
    build_status_page,
    label_state,
    sort_by_turn,
)
from tests.support.reviewed import ROOT, build_reviewed, build_state, find_section, list_lines

HEAD = "0123456789abcdef0123456789abcdef01234567"


def test_handoffs_that_wait_for_a_person_come_first() -> None:
    """By whose turn it is, then by dialect and id."""
    rows = (
        build_reviewed(Handoff(id="z", dialect="tdd"), who=Mover.NOBODY),
        build_reviewed(Handoff(id="b", dialect="tdd"), who=Mover.AGENT),
        build_reviewed(Handoff(id="b", dialect="mosaic"), who=Mover.AGENT),
        build_reviewed(Handoff(id="a", dialect="tdd"), who=Mover.AGENT),
        build_reviewed(Handoff(id="y", dialect="tdd"), who=Mover.REVIEWER),
        build_reviewed(Handoff(id="x", dialect="tdd"), who=Mover.HUMAN),
    )
    ordered = [(reviewed.handoff.dialect, reviewed.handoff.id) for reviewed in sort_by_turn(rows)]
    assert ordered == [("tdd", "x"), ("tdd", "y"), ("mosaic", "b"), ("tdd", "a"), ("tdd", "b"), ("tdd", "z")]


@pytest.mark.parametrize(
    ("state", "who", "blocking", "word"),
    [
        (GateName.PENDING, Mover.REVIEWER, (), "ready"),
        (GateName.PENDING, Mover.HUMAN, (), "ready"),
        (GateName.PENDING, Mover.AGENT, (), "open"),
        (GateName.PENDING, Mover.NOBODY, (), "settled"),
        (GateName.PENDING, Mover.AGENT, ("no results yet",), "blocked"),
        (GateName.PENDING, Mover.REVIEWER, ("no results yet",), "blocked"),
        (GateName.APPROVED, Mover.REVIEWER, ("no results yet",), "approved"),
        (None, Mover.HUMAN, (), "unknown"),
    ],
)
def test_state_is_labelled(state: GateName | None, who: Mover, blocking: tuple[str, ...], word: str) -> None:
    """A pending gate says what is in the way, or whether it waits for a decision; any other says its own name."""
    label = label_state(build_reviewed(state=state, who=who, blocking=blocking))
    assert label.word == word
    assert label.role in ROLES


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({}, "on no branch · no commit yet · no upstream"),
        ({"branch": "main", "head": HEAD}, "on main · at 0123456 · no upstream"),
        ({"detached": True, "head": HEAD}, "HEAD is detached · at 0123456 · no upstream"),
        ({"upstream": "o/main"}, "on no branch · no commit yet · upstream o/main is gone"),
        ({"branch": "m", "upstream": "o/m", "ahead": 0, "behind": 0}, "on m · no commit yet · o/m: up to date"),
        ({"branch": "m", "upstream": "o/m", "ahead": 2, "behind": 0}, "on m · no commit yet · o/m: 2 unpushed"),
        (
            {"branch": "m", "upstream": "o/m", "ahead": 2, "behind": 3},
            "on m · no commit yet · o/m: 2 unpushed, 3 behind",
        ),
        (
            {"changed": ("a",), "untracked": ("b", "c")},
            "on no branch · no commit yet · no upstream · 1 changed file · 2 untracked files",
        ),
        (
            {"shallow": True, "linked_worktree": True},
            "on no branch · no commit yet · no upstream · shallow clone · linked worktree",
        ),
    ],
)
def test_page_begins_with_the_repository(facts: dict[str, object], line: str) -> None:
    """Where we are, on what, how far from the upstream, and what is not committed."""
    repository = RepositoryFacts.model_validate({"root": ROOT, **facts})
    assert list_lines(build_status_page(build_state(repository=repository)))[:2] == [ROOT, line]


def test_page_of_then_says_nothing_of_branches() -> None:
    """Which branch was checked out then is not known."""
    repository = RepositoryFacts(root=ROOT, detached=True)
    lines = list_lines(build_status_page(build_state(repository=repository), of_then=True))
    assert lines[0] == ROOT
    assert not any("detached" in line or "upstream" in line for line in lines)


def test_page_lists_handoffs_with_their_next_move() -> None:
    """One row each: gate, id, format, phase, attempt, own word, and who moves."""
    handoff = Handoff(id="H-1", dialect="builder", source_phase="build", status="PASS", attempt=2)
    state = build_state(
        build_reviewed(handoff),
        build_reviewed(Handoff(id="mosaic", dialect="mosaic"), who=Mover.AGENT, name="heron", what="finish the work"),
    )
    page = build_status_page(state)
    assert "2 handoffs  1 waiting for a person" in list_lines(page)
    assert find_section(page, "2 handoffs")[1:] == [
        "○ ready | H-1 | builder | build | 2 | PASS | reviewer: review and decide",
        "○ open | mosaic | mosaic | – | 1 | – | agent heron: finish the work",
    ]


def test_page_shortens_reasons_unless_all_are_wanted() -> None:
    """Two reasons, and how many more; a reason that the move already says is not said twice."""
    reviewed = build_reviewed(
        who=Mover.AGENT, what="says FAIL", blocking=("says FAIL", "one thing", "another", "a third")
    )
    [_, short] = find_section(build_status_page(build_state(reviewed)), "1 handoff")
    [_, whole] = find_section(build_status_page(build_state(reviewed), everything=True), "1 handoff")
    assert short.endswith("| agent: says FAIL; one thing; another; and 1 more")
    assert whole.endswith("| agent: says FAIL; one thing; another; a third")


@pytest.mark.parametrize("what", ["", "L", "FAIL"])
def test_page_keeps_reasons_that_only_end_like_the_move(what: str) -> None:
    """A blocker with no title, or a short one, does not hide what else is in the way."""
    reviewed = build_reviewed(who=Mover.HUMAN, what=what, blocking=(f"a human must act: {what}", "says FAIL"))
    [_, row] = find_section(build_status_page(build_state(reviewed)), "1 handoff")
    assert row.endswith(f"| human: {what}; says FAIL")


@pytest.mark.parametrize(("everything", "listed"), [(False, 13), (True, 14)])
def test_page_lists_unknown_files_and_problems(*, everything: bool, listed: int) -> None:
    """Each with its place; long lists are cut unless all is wanted."""
    problems = [Problem(path="a.md", line=number or None, message=f"wrong {number}") for number in range(14)]
    unknown = tuple(f"handoff-{number:02}.yaml" for number in range(14))
    state = build_state().model_copy(update={"problems": tuple(problems), "unknown": unknown})
    page = build_status_page(state, everything=everything)
    lines = find_section(page, "Problems")
    assert lines[:2] == ["a.md  wrong 0", "a.md:1  wrong 1"]
    assert [len(lines), len(find_section(page, "Not understood"))] == [listed, listed]
    assert ("… and 2 more; --all lists them" in lines) is not everything


def test_page_shows_hostile_text_harmlessly() -> None:
    """Escape sequences from names, branches and documents are shown as pictures."""
    evil = "\x1b[2J\u202e"
    handoff = Handoff(id="H-1", dialect="builder", source_phase=evil, status=evil)
    state = build_state(
        build_reviewed(handoff, name=evil, what=evil, blocking=(evil + "x",)),
        repository=RepositoryFacts(root=evil, branch=evil, upstream=evil),
    ).model_copy(update={"unknown": (evil,), "problems": (Problem(path=evil, message=evil),)})
    text = "\n".join(list_lines(build_status_page(state)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "␛[2J" in text


def test_ids_are_in_the_order_of_their_numbers() -> None:
    """`H-9` comes before `H-10`."""
    ids = ["H-10", "H-9", "CLEANUP-2", "H-9B", "H-100"]
    ordered = sort_by_turn(tuple(build_reviewed(Handoff(id=name, dialect="builder")) for name in ids))
    assert [reviewed.handoff.id for reviewed in ordered] == ["CLEANUP-2", "H-9", "H-9B", "H-10", "H-100"]
