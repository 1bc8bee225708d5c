"""What waits for whom, and in which order it is listed."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.config.theme import ROLES
from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git import command as git_door
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.life import Life, LifeState
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.log.policy.signer import LocalReviewer, read_reviewer
from handoff_tui.status.inbox import (
    InboxFacts,
    MeasuredWork,
    add_measured,
    build_inbox,
    build_inbox_facts,
    read_change_times,
)
from handoff_tui.status.inbox_item import (
    InboxItem,
    MeasuredGate,
    QueueGroup,
    ReviewProblem,
    RiskFact,
    RiskKind,
    WorkSize,
    sort_inbox,
)
from handoff_tui.status.refresh import open_log_gates, refresh
from handoff_tui.status.status_page import build_status_page, label_state, sort_by_turn
from handoff_tui.system.processes.child import Child
from tests.support.desk_states import MOMENT, ROOT, build_reviewed, build_state, find_section, list_lines, make_item
from tests.support.gates import HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person

ME = LocalReviewer("ada@example.org", may_decide=True, names=frozenset({"ada@example.org", "ada"}))


def build_one(handoff: Handoff | None = None, reviewer: LocalReviewer = ME, **gate: object) -> InboxItem:
    state = build_state(build_reviewed(handoff, **gate))  # type: ignore[arg-type]
    [item] = build_inbox(state, InboxFacts(reviewer, nameless=frozenset({"human"})))
    return item


def read(desk: GateDesk, person: Person, monkeypatch: pytest.MonkeyPatch) -> InboxItem:
    person.become(monkeypatch)
    opened = open_session(desk.root)
    gates = open_log_gates(opened, read_repository(opened).result.handoffs, CheckAgain())
    reviewer = read_reviewer(opened, gates.policy if gates else None)
    state = refresh(opened, CheckAgain())
    items = build_inbox(state, build_inbox_facts(opened, reviewer, read_change_times(opened, state), gates))
    return next(item for item in items if item.key.handoff == HANDOFF)


def test_item_waits_on_whoever_may_decide() -> None:
    """A reviewer's move is mine when I may decide, and nobody's else's business when I may not."""
    assert build_one().waits_on_me
    assert not build_one(reviewer=ME._replace(may_decide=False)).waits_on_me
    assert not build_one(who=Mover.AGENT).waits_on_me
    assert not build_one(who=Mover.NOBODY).waits_on_me


@pytest.mark.parametrize(("name", "mine"), [(None, True), ("human", True), ("Ada", True), ("ops", False)])
def test_move_of_a_person_is_mine_unless_another_is_named(name: str | None, *, mine: bool) -> None:
    """Only a person can do it, and I am one; somebody else's name sends it to them."""
    reviewer = ME._replace(may_decide=False)
    assert build_one(reviewer=reviewer, who=Mover.HUMAN, name=name).waits_on_me is mine


def test_own_work_does_not_wait_on_its_producer() -> None:
    """Under the address or under the name: nobody approves their own."""
    for producers in (("Ada",), ("ADA@example.org",)):
        assert not build_one(Handoff(id="H-1", dialect="builder", producers=producers)).waits_on_me
    assert build_one(Handoff(id="H-1", dialect="builder", producers=("heron",))).waits_on_me


def test_approval_that_others_must_join_no_longer_waits_on_me(
    gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two are asked for: after mine it waits on the other, and on me again when the work changes."""
    bo, cy = gate_desk.person("bo"), gate_desk.person("cy")
    gate_desk.begin(bo, cy, gates='[gates."*"]\nthreshold = 2\n')
    assert read(gate_desk, bo, monkeypatch).waits_on_me
    gate_desk.decide(bo, "approve")
    assert not read(gate_desk, bo, monkeypatch).waits_on_me
    assert read(gate_desk, cy, monkeypatch).waits_on_me
    gate_desk.change()
    assert read(gate_desk, bo, monkeypatch).waits_on_me


def test_submitter_does_not_review_their_own(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log says who handed it over, whatever the handoff says."""
    bo, cy = gate_desk.person("bo"), gate_desk.person("cy")
    gate_desk.begin(bo, cy)
    assert gate_desk.speaking(bo, "submit", "HANDOFF.md", "--repo", gate_desk.root, "--sign", terminal=True).code == 0
    assert not read(gate_desk, bo, monkeypatch).waits_on_me
    assert read(gate_desk, cy, monkeypatch).waits_on_me


def test_age_is_that_of_the_last_word(gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commit's time at first, then that of the decision, which is later."""
    committed = datetime.fromtimestamp(gate_desk.builder.moment, UTC)
    assert read(gate_desk, bo, monkeypatch).since == committed
    gate_desk.decide(bo, "hold", "--reason", "wait")
    decided = read(gate_desk, bo, monkeypatch).since
    assert decided is not None
    assert decided > committed


def open_lamp(builder: RepositoryBuilder, number: int = 3) -> Session:
    for one in range(number):
        builder.write(f"docs/handoffs/2026-01-{one + 1:02}-lamp.md", f"# Handoff: lamp {one}\n\nStatus: COMPLETE\n")
    builder.commit()
    return open_session(builder.folder)


def test_times_of_all_handoffs_take_one_git_call(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are."""
    desk = open_lamp(builder, 30)
    state = refresh(desk, CheckAgain())
    assert len(state.handoffs) == 30
    started: list[list[str]] = []
    popen = subprocess.Popen

    class Counted(popen):  # type: ignore[valid-type,misc]
        def __init__(self, argv: list[str], **options: object) -> None:
            started.append(argv)
            super().__init__(argv, **options)

    def refuse(_child: object, argv: list[str], *_: object, **_options: object) -> None:
        raise AssertionError(f"{argv} was started too")

    def count(_git: object, *words: str, **_options: object) -> None:
        raise AssertionError(f"git {words[0]} was asked too")

    monkeypatch.setattr(subprocess, "Popen", Counted)
    monkeypatch.setattr(Child, "__init__", refuse)
    monkeypatch.setattr(git_door.Git, "run", count)
    times = read_change_times(desk, state)
    assert len(started) == 1
    assert len(times) == 30


def test_uncommitted_document_has_the_time_of_the_disk(builder: RepositoryBuilder) -> None:
    """Changed or new: git knows nothing of it yet."""
    open_lamp(builder)
    builder.write("docs/handoffs/2026-01-01-lamp.md", "# Handoff: lamp 0\n\nStatus: BLOCKED\n").write(
        "HANDOFF.md", "# Handoff\n"
    )
    for name in ("docs/handoffs/2026-01-01-lamp.md", "HANDOFF.md"):
        os.utime(builder.folder / name, (1_900_000_000, 1_900_000_000))
    desk = open_session(builder.folder)
    times = read_change_times(desk, refresh(desk, CheckAgain()))
    later = {path for path, time in times.items() if time == datetime.fromtimestamp(1_900_000_000, UTC)}
    assert later == {"docs/handoffs/2026-01-01-lamp.md", "HANDOFF.md"}


def test_measured_risks_are_added_and_the_order_follows() -> None:
    """Only to the repository they were measured in; what was not measured stays unmeasured."""
    state = build_state(
        build_reviewed(Handoff(id="H-1", dialect="builder")), build_reviewed(Handoff(id="H-2", dialect="builder"))
    )
    items = build_inbox(state, InboxFacts(ME))
    risk = RiskFact(kind=RiskKind.CI_EDITED, text="changed")
    measured = {"H-2": MeasuredWork((risk,), WorkSize(1, 2, 3))}
    first, second = add_measured(items, items[0].key.root, measured)
    assert (first.key.handoff, first.risks, first.size) == ("H-2", (risk,), WorkSize(1, 2, 3))
    assert (second.key.handoff, second.risks) == ("H-1", None)
    assert add_measured(items, "/elsewhere", measured) == items


def name_all(items: tuple[InboxItem, ...]) -> list[str]:
    return [item.key.handoff for item in items]


def fact(kind: RiskKind) -> RiskFact:
    return RiskFact(kind=kind, text=kind.value)


def test_inbox_puts_what_waits_on_me_first_then_risk_then_age() -> None:
    """However many risks work of others has, it comes after mine."""
    items = (
        make_item("others", mine=False, who=Mover.AGENT, risks=(fact(RiskKind.TESTS_REMOVED),) * 3),
        make_item("young", since=MOMENT),
        make_item("old", since=MOMENT - timedelta(days=1)),
        make_item("risky", since=MOMENT, risks=(fact(RiskKind.SIZE),)),
        make_item("worse", since=MOMENT, risks=(fact(RiskKind.TESTS_REMOVED),)),
        make_item("settled", mine=False, who=Mover.NOBODY, state=GateName.APPROVED),
    )
    assert name_all(sort_inbox(reversed(items))) == ["worse", "risky", "old", "young", "others", "settled"]


CLEAN = MeasuredGate(12, 12)
FAILING = MeasuredGate(11, 12, (ReviewProblem("k", "The hash of a.py is wrong", facts=("it has changed",)),), 1)


@pytest.mark.parametrize(
    ("item", "group", "reason"),
    [
        (make_item(), QueueGroup.YOUR_CALL, "its checks are being run"),
        (make_item()._replace(measured=CLEAN), QueueGroup.READY, "12 checks pass"),
        (make_item(claims=(9, 0, 0))._replace(measured=CLEAN), QueueGroup.READY, "12 checks pass, all 9 claims hold"),
        (
            make_item(claims=(9, 0, 2))._replace(measured=CLEAN),
            QueueGroup.READY,
            "12 checks pass, 2 claims not measured",
        ),
        (make_item()._replace(measured=FAILING), QueueGroup.YOUR_CALL, "The hash of a.py is wrong"),
        (make_item()._replace(measured=CLEAN, refusal="nobody can sign"), QueueGroup.YOUR_CALL, "nobody can sign"),
        (make_item()._replace(closed="the log is gone"), QueueGroup.WAITING, "every gate is closed: the log is gone"),
        (make_item()._replace(running="heron"), QueueGroup.RUNNING, "heron is working on it"),
        (make_item(state=GateName.HELD, blocking=("bo: later",)), QueueGroup.WAITING, "held by bo: later"),
        (make_item(state=GateName.OVERRIDDEN), QueueGroup.YOUR_CALL, "review and decide"),
        (make_item(who=Mover.HUMAN), QueueGroup.YOUR_CALL, "a person must act: review and decide"),
        (make_item(mine=False), QueueGroup.WAITING, "another reviewer decides"),
        (make_item(mine=False, who=Mover.AGENT), QueueGroup.AGENTS_TURN, "review and decide"),
        (
            make_item(mine=False, who=Mover.AGENT, state=GateName.REJECTED, blocking=("bo: tests are gone",)),
            QueueGroup.AGENTS_TURN,
            "sent back by bo: tests are gone",
        ),
        (make_item(mine=False, who=Mover.NOBODY, state=GateName.APPROVED), QueueGroup.DONE, "review and decide"),
        (make_item(mine=False, who=Mover.NOBODY), QueueGroup.DONE, "review and decide"),
        (make_item(mine=False, who=Mover.NOBODY, blocking=("waits for H-0",)), QueueGroup.WAITING, "waits for H-0"),
    ],
)
def test_group_is_what_can_be_done_and_the_reason_says_why(item: InboxItem, group: QueueGroup, reason: str) -> None:
    """Nothing is ready before it was measured; what refuses an approval is the reason."""
    assert (item.group, item.reason) == (group, reason)
    assert item.needs_you is (group in {QueueGroup.READY, QueueGroup.YOUR_CALL})


def test_work_of_the_past_is_in_no_other_group() -> None:
    """Whatever its gate says."""
    item = make_item()._replace(measured=CLEAN)
    past = item._replace(reviewed=item.reviewed.model_copy(update={"life": Life(state=LifeState.PAST, why="archived")}))
    assert past.group is QueueGroup.PAST


def test_what_stands_against_it_is_never_ready() -> None:
    """An approval that waits for another handoff waits; a false claim is the reviewer's call."""
    item = make_item()._replace(measured=CLEAN)
    for update, group in (
        ({"against": ("says FAIL",)}, QueueGroup.YOUR_CALL),
        ({"awaits": ("H-0",)}, QueueGroup.WAITING),
    ):
        gate = item.reviewed.gate.model_copy(update=update)
        reviewed = item.reviewed.model_copy(update={"gate": gate})
        assert item._replace(reviewed=reviewed).group is group


HEAD = "0123456789abcdef0123456789abcdef01234567"


def test_handoffs_that_wait_for_a_person_come_first() -> None:
    """By whose turn it is, then by format and id."""
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
        (GateName.PENDING, Mover.REVIEWER, (), "needs you"),
        (GateName.PENDING, Mover.HUMAN, (), "waiting"),
        (GateName.PENDING, Mover.AGENT, (), "open"),
        (GateName.PENDING, Mover.NOBODY, (), "settled"),
        (GateName.PENDING, Mover.AGENT, ("no results yet",), "blocked"),
        (GateName.PENDING, Mover.REVIEWER, ("no results yet",), "blocked"),
        (GateName.APPROVED, Mover.REVIEWER, ("no results yet",), "approved"),
        (None, Mover.HUMAN, (), "unknown"),
    ],
)
def test_state_is_labelled(state: GateName | None, who: Mover, blocking: tuple[str, ...], word: str) -> None:
    """A pending gate says what is in the way, or whether it needs the reader; any other says its own name."""
    reviewed = build_reviewed(state=state, who=who, blocking=blocking)
    needs_you = frozenset({reviewed.handoff.id} if who is Mover.REVIEWER else ())
    label = label_state(reviewed, needs_you)
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
        "○ undecided | H-1 | builder | build | 2 | PASS | reviewer: review and decide",
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


@pytest.mark.parametrize(("refused", "once"), [(("H-1", "H-2"), True), (("H-1",), False)])
def test_page_says_once_why_nothing_can_be_approved(refused: tuple[str, ...], *, once: bool) -> None:
    """What holds for one handoff of several stays in its row."""
    reviewed = [build_reviewed(Handoff(id=name, dialect="builder")) for name in ("H-1", "H-2")]
    refusals = {"refusals": dict.fromkeys(refused, "no key"), "has_log": True}
    lines = list_lines(build_status_page(build_state(*reviewed).model_copy(update=refusals)))
    assert ("You can't approve here: no key" in lines) is once
    assert [line.endswith("; no key") for line in lines if line.endswith(("decide", "no key")) and "|" in line] == [
        not once,
        False,
    ]


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
