from __future__ import annotations

import pytest

from handoff_tui.core.errors import EntryNotFoundError
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.travel.past_log import GatesThen, WholeLog, read_whole_log
from handoff_tui.history.travel.past_session import open_desk_at
from handoff_tui.log.record import LogProblem, ProblemLevel
from tests.support.gates import GateDesk
from tests.support.repositories import RepositoryBuilder


def test_log_is_found_by_entry_and_cut_there(gate_desk: GateDesk) -> None:
    """By the whole id or the beginning of it; what is fatal now was so then, as far as anybody can tell."""
    genesis = gate_desk.begin(gate_desk.person("bo"))
    desk = open_desk(gate_desk.root)
    log = read_whole_log(desk)
    assert log is not None
    for name in (genesis, genesis[:20], genesis.removeprefix("sha256:")[:9]):
        found = log.find_entry(name)
        assert found is not None
        assert found.id == genesis
    assert [log.find_entry(name) for name in ("", "sha256:", "0" * 64, "HEAD")] == [None] * 4
    then = log.build_then(genesis)
    assert ([row.id for row in then.build_view().rows], then.verdict.fatal) == ([genesis], False)
    gates = GatesThen(open_desk_at(desk, "HEAD"), then)
    assert (gates.tree, gates.index.verdict.log) == (gate_desk.builder.head("HEAD^{tree}"), genesis)
    fatal = LogProblem(level=ProblemLevel.FATAL, code="rollback", text="an entry is gone")
    broken = WholeLog(log.verdict.model_copy(update={"problems": (fatal,)}), log.candidates)
    assert broken.build_then(genesis).build_view().fatal
    with pytest.raises(EntryNotFoundError, match="no valid entry"):
        log.build_then("sha256:" + "0" * 64)


def test_repository_without_a_log_has_none(builder: RepositoryBuilder) -> None:
    """Nothing is read for it."""
    assert read_whole_log(open_desk(builder.commit().folder)) is None
