from __future__ import annotations

import pytest

from handoff_tui.handoffs.session import open_desk
from handoff_tui.live.acting.past_reader import PastReader
from handoff_tui.live.acting.travelling import Wanted
from handoff_tui.live.state.app import PACKET, PastView
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.show.view import LogView
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.gates import HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder

NOTHING = Wanted(None, None, None)


def read_all(reader: PastReader, index: int, wanted: Wanted = NOTHING) -> list[PastView]:
    line, _ = reader.read_line(None)
    return list(reader.read(line.stops[index], wanted))


def test_reader_shows_gate_and_log_of_the_entry(gate_desk: GateDesk) -> None:
    """Before the approval the gate is pending and the log is empty; at it both say so. Nobody is waited for."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "approve")
    reader = PastReader(open_desk(gate_desk.root))
    line, newest = reader.read_line(None)
    assert newest == len(line.stops) - 1
    assert reader.read_line(line.stops[1].key)[1] == 1
    before, after = read_all(reader, 0)[-1], read_all(reader, newest)[-1]
    reader.close()
    for visited, state, total in ((before, GateName.PENDING, 0), (after, GateName.APPROVED, 2)):
        assert visited.inbox[0].reviewed.gate.state is state
        assert not visited.inbox[0].waits_on_me
        assert isinstance(visited.log.value, LogView)
        assert visited.log.value.total == total
        assert visited.repository.reviewer is None


def test_reader_shows_the_list_first_and_the_handoff_then(builder: RepositoryBuilder) -> None:
    """What takes longer is marked as being read."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    reader = PastReader(open_desk(builder.folder))
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
    reader = PastReader(open_desk(builder.folder))
    key = HandoffKey(str(builder.folder), HANDOFF)
    for path, words in (("later.md", "later.md"), (PACKET, "only for the current work")):
        document = read_all(reader, 0, Wanted(key, None, path))[-1].document
        assert document.trouble is not None
        assert words in document.trouble.message


def test_reader_closes_gates_where_settings_were_wrong(builder: RepositoryBuilder) -> None:
    """The handoffs are listed all the same, and the checks say why they did not run."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").write("handoff-tui.toml", "nonsense = 1\n").commit()
    builder.place("handoff-tui.toml").unlink()
    builder.commit("mended")
    visited = read_all(PastReader(open_desk(builder.folder)), 0)[-1]
    assert "nonsense" in visited.repository.refused
    assert visited.inbox[0].closed
    assert visited.checks.trouble is not None


def test_reader_has_a_stop_without_handoffs(builder: RepositoryBuilder) -> None:
    """Nothing is chosen there."""
    builder.write("a").commit()
    [visited] = read_all(PastReader(open_desk(builder.folder)), 0, Wanted(HandoffKey("/x", "H-1"), None, "a.md"))
    assert (visited.chosen, visited.inbox, visited.missing) == (None, (), "H-1")
    assert not visited.document.loading


@pytest.mark.parametrize("name", ["HEAD", "no such thing"])
def test_reader_begins_at_the_newest_stop_for_what_is_not_on_the_line(builder: RepositoryBuilder, name: str) -> None:
    """Stops are named by whole ids."""
    builder.write("a").commit().write("b").commit()
    assert PastReader(open_desk(builder.folder)).read_line(name)[1] == 1
