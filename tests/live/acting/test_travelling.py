from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.classes import replace
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.session import open_session
from handoff_tui.live.acting.past_reader import PastReader
from handoff_tui.live.acting.travelling import WantedAtStop, build_past_scope, present_past
from handoff_tui.live.state.app import (
    PACKET,
    AppState,
    DecisionPart,
    DecisionStage,
    DiffRange,
    Drafts,
    Loaded,
    Part,
    PastView,
    TravelPart,
    Trouble,
)
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.policy.signer import LocalReviewer
from handoff_tui.log.show.view import ShownLog
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.gates import HANDOFF, GateDesk
from tests.support.live_desks import Onlooker, build_results, looking
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person
from tests.support.view_states import STOPS, build_desk, build_travel

RESULTS = "handoffs/H-{0}/H-{0}_RESULTS.md"


@pytest.fixture
def story(builder: RepositoryBuilder) -> RepositoryBuilder:
    """H-1 first, then H-2, then another word in H-1."""
    builder.write("src/part.py", "value = 1\n").write(RESULTS.format(1), build_results(1)).commit("first")
    builder.write(RESULTS.format(2), build_results(2)).commit("second")
    return builder.write(RESULTS.format(1), build_results(1, tests=9)).commit("third")


def visit(onlooker: Onlooker, index: int) -> AppState:
    """Goes to a stop and waits until it is shown completely."""
    onlooker.desk.travelling.go(index)
    return wait_for_stop(onlooker, index)


def wait_for_stop(onlooker: Onlooker, index: int) -> AppState:
    def is_shown(state: AppState) -> bool:
        travel = state.travel
        if travel is None or travel.visited is None or travel.loading:
            return False
        return travel.index == index and travel.visited.stop == travel.stops[index]

    return onlooker.wait_for(is_shown)


def test_past_is_told_in_place_of_now() -> None:
    """What is in view of then, and nothing that could be decided or was written meanwhile."""
    live = build_desk(
        travel=build_travel(),
        drafts=Drafts(viewed=frozenset({"a.py"})),
        decision=DecisionPart("approve", build_desk().inbox[0].key, DecisionStage.READY),
    )
    told = present_past(live)
    assert live.travel is not None
    assert live.travel.visited is not None
    assert told.repositories[0].watching is Watching.PAST
    assert told.inbox is live.travel.visited.inbox
    assert told.checks is live.travel.visited.checks
    assert (told.decision, told.drafts, told.running, told.proposal) == (None, Drafts(), None, None)
    assert told.attempts.trouble is not None
    assert told.metrics.trouble is not None
    assert told.repository is not None
    assert told.repository.reviewer is None


def test_past_is_the_same_values_each_time() -> None:
    """Views compare parts by identity, so that nothing is drawn again for nothing."""
    live = build_desk(travel=build_travel())
    first, second = present_past(live), present_past(replace(live, generation=7))
    names = ("inbox", "shown", "checks", "log", "gate", "document", "attempts", "metrics", "agent", "drafts")
    assert all(getattr(first, name) is getattr(second, name) for name in names)


def test_first_commit_has_nothing_to_be_compared_with() -> None:
    """That is said in place of what git says of it."""
    live = build_desk(travel=build_travel(), scope=build_past_scope(STOPS[1]))
    told = present_past(replace(live, files=Loaded(trouble=Trouble("'b2…^' is not a commit here"))))
    assert told.files.trouble is not None
    assert "no earlier commit" in told.files.trouble.message
    assert present_past(live).files is live.files


def test_now_is_told_until_a_stop_was_read() -> None:
    """Also by who does not travel."""
    live = build_desk()
    assert present_past(live) is live
    waiting = replace(live, travel=TravelPart(STOPS, 2))
    assert present_past(waiting) is waiting


def test_desk_goes_back_and_comes_again(story: RepositoryBuilder) -> None:
    """Inbox, checks, claims and documents are those of the stop; now goes on behind it and is there at the end."""
    with looking(story.folder) as onlooker:
        onlooker.wait_until_live()
        desk = onlooker.desk
        onlooker.choose("H-1", Part.SHOWN, Part.CHECKS)
        desk.open_document(RESULTS.format(1))
        desk.travelling.begin()
        state = wait_for_stop(onlooker, 2)
        assert state.document.value is not None
        assert "9 tests" in state.document.value.text
        state = visit(onlooker, 0)
        assert [item.key.handoff for item in state.inbox] == ["H-1"]
        assert state.document.value is not None
        assert "3 tests" in state.document.value.text
        assert state.shown.value is not None
        assert state.checks.value is not None
        assert state.checks.value.head == story.head("HEAD~2")
        assert state.repository is not None
        assert state.repository.watching is Watching.PAST
        story.write(RESULTS.format(3), build_results(3))
        onlooker.wait_for(lambda _: any(item.key.handoff == "H-3" for item in desk._store.state.inbox))
        assert [item.key.handoff for item in desk.state.inbox] == ["H-1"]
        desk.travelling.end()
        state = onlooker.wait_for_parts(Part.SHOWN, Part.CHECKS)
        assert {item.key.handoff for item in state.inbox} == {"H-1", "H-2", "H-3"}
        assert (state.travel, state.scope) == (None, DiffRange())
        assert state.open_document == RESULTS.format(1)


def test_stop_that_was_seen_is_shown_at_once(story: RepositoryBuilder) -> None:
    """On the calling thread, with the very same values; and the diff is that of its commit."""
    with looking(story.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1")
        onlooker.desk.travelling.begin(story.head("HEAD~1"))
        seen = wait_for_stop(onlooker, 1)
        visit(onlooker, 0)
        onlooker.desk.travelling.go(1)
        again = onlooker.desk.state
        assert again.travel is not None
        assert seen.travel is not None
        assert again.travel.visited is seen.travel.visited
        assert again.scope == DiffRange(DiffScope.BETWEEN, f"{story.head('HEAD~1')}^", story.head("HEAD~1"))


def test_handoff_that_was_not_there_is_named_and_comes_back(story: RepositoryBuilder) -> None:
    """Another one stands in for it; nobody has chosen that one."""
    with looking(story.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-2")
        onlooker.desk.travelling.begin()
        wait_for_stop(onlooker, 2)
        state = visit(onlooker, 0)
        assert state.travel is not None
        assert state.travel.visited is not None
        assert (state.travel.visited.missing, state.item is not None) == ("H-2", True)
        onlooker.desk.choose(state.chosen)  # as a list does whose cursor follows
        state = visit(onlooker, 2)
        assert state.chosen is not None
        assert state.chosen.handoff == "H-2"


def test_handoff_and_document_can_be_chosen_in_the_past(story: RepositoryBuilder) -> None:
    """They are read of then, and what is chosen now stays chosen."""
    with looking(story.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1")
        onlooker.desk.travelling.begin()
        state = wait_for_stop(onlooker, 2)
        second = next(item.key for item in state.inbox if item.key.handoff == "H-2")
        onlooker.desk.choose(second)
        onlooker.wait_for(lambda state: state.chosen == second and state.checks.value is not None)
        onlooker.desk.open_document(RESULTS.format(2))
        state = onlooker.wait_for(lambda state: state.document.value is not None)
        assert state.open_document == RESULTS.format(2)
        onlooker.desk.travelling.end()
        state = onlooker.desk.state
        assert state.chosen is not None
        assert (state.chosen.handoff, state.open_document) == ("H-1", None)


def test_repository_without_commits_has_nowhere_to_go(builder: RepositoryBuilder) -> None:
    """It is said, and the way back is open."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n")
    with looking(builder.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.desk.travelling.begin()
        state = onlooker.wait_for(lambda state: state.travel is not None and state.travel.trouble is not None)
        assert state.travel is not None
        assert state.travel.trouble is not None
        assert "there is no commit yet" in state.travel.trouble.message
        onlooker.desk.travelling.end()
        assert onlooker.desk.state.travel is None


def test_parts_of_now_are_not_read_while_somebody_travels(story: RepositoryBuilder) -> None:
    """They are, as soon as the journey ends."""
    with looking(story.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1")
        onlooker.desk.travelling.begin()
        wait_for_stop(onlooker, 2)
        onlooker.desk.need(frozenset({Part.METRICS}))
        assert onlooker.desk._store.state.metrics == Loaded()
        onlooker.desk.travelling.end()
        assert onlooker.wait_for_parts(Part.METRICS).metrics.value is not None


NOTHING = WantedAtStop(None, None, None)
BO = LocalReviewer("bo@example.org", may_decide=True)


def read_all(reader: PastReader, index: int, wanted: WantedAtStop = NOTHING) -> list[PastView]:
    line, _ = reader.read_line(None)
    return list(reader.read(line.stops[index], wanted))


def test_reader_shows_gate_and_log_of_the_entry(gate_desk: GateDesk, bo: Person) -> None:
    """Before the approval the gate is pending and the log is empty; at it both say so."""
    gate_desk.decide(bo, "approve")
    reader = PastReader(open_session(gate_desk.root), BO)
    line, newest = reader.read_line(None)
    assert newest == len(line.stops) - 1
    assert reader.read_line(line.stops[1].key)[1] == 1
    before, after = read_all(reader, 0)[-1], read_all(reader, newest)[-1]
    reader.close()
    for visited, state, total in ((before, GateName.PENDING, 0), (after, GateName.APPROVED, 2)):
        assert visited.inbox[0].reviewed.gate.state is state
        assert isinstance(visited.log.value, ShownLog)
        assert visited.log.value.total == total
        assert visited.repository.reviewer is None


def test_reader_shows_the_list_first_and_the_handoff_then(builder: RepositoryBuilder) -> None:
    """What takes longer is marked as being read."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    reader = PastReader(open_session(builder.folder), BO)
    first, last = read_all(reader, 0)
    assert (first.checks.loading, first.shown.loading) == (True, True)
    assert first.pipeline.value is not None
    assert not last.checks.loading
    assert last.checks.value is not None
    assert last.shown.value is not None
    assert last.chosen == HandoffKey(str(builder.folder), HANDOFF)


def test_reader_says_which_documents_cannot_be_read_of_then(builder: RepositoryBuilder) -> None:
    """One that was not there, and the packet, which is put together for now."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    reader = PastReader(open_session(builder.folder), BO)
    key = HandoffKey(str(builder.folder), HANDOFF)
    for path, words in (("later.md", "later.md"), (PACKET, "only for the current work")):
        document = read_all(reader, 0, WantedAtStop(key, None, path))[-1].document
        assert document.trouble is not None
        assert words in document.trouble.message


def test_reader_closes_gates_where_settings_were_wrong(builder: RepositoryBuilder) -> None:
    """The handoffs are listed all the same, and the checks say why they did not run."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").write("handoff-tui.toml", "nonsense = 1\n").commit()
    builder.place("handoff-tui.toml").unlink()
    builder.commit("mended")
    visited = read_all(PastReader(open_session(builder.folder), BO), 0)[-1]
    assert "nonsense" in visited.repository.refused
    assert visited.inbox[0].closed
    assert visited.checks.trouble is not None


def test_reader_has_a_stop_without_handoffs(builder: RepositoryBuilder) -> None:
    """Nothing is chosen there."""
    builder.write("a").commit()
    [visited] = read_all(
        PastReader(open_session(builder.folder), BO), 0, WantedAtStop(HandoffKey("/x", "H-1"), None, "a.md")
    )
    assert (visited.chosen, visited.inbox, visited.missing) == (None, (), "H-1")
    assert not visited.document.loading


@pytest.mark.parametrize("name", ["HEAD", "no such thing"])
def test_reader_begins_at_the_newest_stop_for_what_is_not_on_the_line(builder: RepositoryBuilder, name: str) -> None:
    """Stops are named by whole ids."""
    builder.write("a").commit().write("b").commit()
    assert PastReader(open_session(builder.folder), BO).read_line(name)[1] == 1
