from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.run.check import CheckRequest
from handoff_tui.core.errors import HandoffNotFoundError, UsageError
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.travel.travel import Traveller, build_state_at
from handoff_tui.history.travel.values import StopKind
from tests.support.gates import HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder


def test_traveller_sees_gates_and_log_of_then(gate_desk: GateDesk) -> None:
    """Pending before the approval, approved at it, superseded at the next commit; the log grows with it."""
    bo = gate_desk.person("bo")
    genesis = gate_desk.begin(bo)
    gate_desk.decide(bo, "approve")
    gate_desk.change()
    traveller = Traveller(open_desk(gate_desk.root))
    stops = traveller.line.stops
    assert [stop.kind for stop in stops] == [StopKind.COMMIT, StopKind.COMMIT, StopKind.ENTRY, StopKind.ENTRY]
    first, second = (stop.commit for stop in stops[:2])
    approval = stops[3].key

    def visit(commit: str, entry: str | None) -> tuple[str | None, int]:
        stop = stops[0].model_copy(update={"commit": commit, "entry": entry})
        then = traveller.visit(stop)
        [reviewed] = then.state.handoffs
        return reviewed.gate.state, then.log.total if then.log else 0

    assert visit(first, None) == ("pending", 0)
    assert visit(first, genesis) == ("pending", 1)
    assert visit(first, approval) == ("approved", 2)
    assert visit(second, approval) == ("superseded", 2)
    by_name = build_state_at(open_desk(gate_desk.root), first, approval[len("sha256:") :][:12])
    assert (by_name.state.handoffs[0].gate.state, by_name.stop.entry) == ("approved", approval)
    assert traveller.find_stop(approval[:20]) == stops[3]
    shown = traveller.show(stops[3], HANDOFF)
    assert (shown.reviewed.handoff.id, [one.subject for one in shown.history][-1]) == (HANDOFF, "the work")
    traveller.close()


def test_traveller_remembers_where_it_was(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory, and for the next one in our cache: nothing is looked at again."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit().write("a").commit()
    first = Traveller(open_desk(builder.folder))
    found = first.visit(first.line.stops[0])
    assert not found.from_cache
    monkeypatch.setattr("handoff_tui.history.travel.travel.open_desk_at", None)
    for traveller in (first, Traveller(open_desk(builder.folder))):
        again = traveller.visit(traveller.line.stops[0])
        assert again.from_cache
        assert again.model_copy(update={"from_cache": False}) == found


def test_traveller_checks_what_is_asked_for(builder: RepositoryBuilder) -> None:
    """One rule, one handoff, another baseline."""
    builder.write("a").commit("one").write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit("two")
    traveller = Traveller(open_desk(builder.folder))
    stop = traveller.find_stop("HEAD")
    report = traveller.check(stop, CheckRequest(only=("claims-hold",), handoff="HANDOFF.md", baseline="HEAD~1"))
    assert [result.id for result in report.results] == ["claims-hold"]
    assert (report.handoff, report.baseline) == (HANDOFF, builder.head("HEAD~1"))


def test_traveller_goes_on_where_settings_were_wrong(builder: RepositoryBuilder) -> None:
    """Everything is listed, nothing is checked, every gate is closed, and it is said why."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").write("handoff-tui.toml", "nonsense = 1\n").commit()
    (builder.folder / "handoff-tui.toml").unlink()
    builder.commit()
    traveller = Traveller(open_desk(builder.folder))
    then = traveller.visit(traveller.find_stop("HEAD~1"))
    assert (then.report, len(then.state.handoffs)) == (None, 1)
    assert "nonsense" in then.notes[0]
    assert then.state.handoffs[0].gate.blocking


def test_entry_that_is_none_is_refused(builder: RepositoryBuilder) -> None:
    """Also where there is no log at all."""
    builder.commit()
    with pytest.raises(UsageError, match="no valid entry"):
        build_state_at(open_desk(builder.folder), "HEAD", "sha256:1234")


def test_state_at_a_commit_is_that_of_the_sample(sample_repository: Path) -> None:
    """At the review of H-3 there were no procedures and no hub."""
    then = build_state_at(open_desk(sample_repository), RepositoryBuilder(sample_repository).head("HEAD~14"))
    assert {one.handoff.dialect for one in then.state.handoffs} == {"builder", "mosaic"}
    assert then.report is not None
    assert "hashes-hold" in {result.id for result in then.report.blocking_failures}


def test_name_that_is_neither_is_refused(builder: RepositoryBuilder) -> None:
    """With a hint; a commit comes before an entry that happens to begin like it."""
    builder.commit("one").commit("two")
    traveller = Traveller(open_desk(builder.folder))
    assert traveller.find_stop("main~1") == traveller.line.stops[0]
    for name in ("none", "sha256:" + "0" * 64):
        with pytest.raises(UsageError, match="no entry of the log") as refused:
            traveller.find_stop(name)
        assert refused.value.hint


def test_handoff_that_was_not_there_then_is_said_of_then(builder: RepositoryBuilder) -> None:
    """With the commit, and how to list what was there."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    traveller = Traveller(open_desk(builder.folder))
    [stop] = traveller.line.stops
    at = stop.commit[:7]
    for ask in (lambda: traveller.show(stop, "H-9"), lambda: traveller.check(stop, CheckRequest(handoff="H-9"))):
        with pytest.raises(HandoffNotFoundError, match=f"'H-9' at {at}") as refused:
            ask()
        assert f"status --at {at}" in refused.value.hint
    traveller.close()
