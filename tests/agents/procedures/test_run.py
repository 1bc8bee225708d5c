"""Asking for runs, watching and withdrawing them: what is one run, what is a new one, and when watching ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.procedures.report import ProcedureState
from handoff_tui.agents.procedures.run import (
    FollowOptions,
    find_engine_location,
    follow_run,
    has_runs,
    submit_run,
    withdraw_run,
)
from handoff_tui.core.errors import HandoffError, ProcedureError, RepositoryError
from handoff_tui.handoffs.session import open_desk
from tests.support.procedure_reports import build_run
from tests.support.procedure_runs import REQUEST, ListEngine
from tests.support.repositories import RepositoryBuilder


def test_run_that_is_under_way_or_completed_is_that_run() -> None:
    """Nothing new is asked for."""
    for state in (ProcedureState.WAITING, ProcedureState.COMPLETED):
        engine = ListEngine((build_run(state),))
        assert submit_run(engine, REQUEST, 50).id == "H-1:build:1:P:1"
        assert engine.asked == []


def test_run_after_one_that_failed_is_a_new_one() -> None:
    """With the next number, and when it was asked for."""
    engine = ListEngine((build_run(ProcedureState.FAILED), build_run(ProcedureState.ROLLBACK, number=2, finished=True)))
    found = submit_run(engine, REQUEST, 50)
    assert found.id == "H-1:build:1:P:3"
    assert found.request is not None
    assert found.request.asked is not None


def test_run_after_one_that_stopped_for_a_person_must_be_meant() -> None:
    """Somebody has to clean up first, and says so."""
    engine = ListEngine((build_run(ProcedureState.FAILED, needs_human=True, reason="it broke"),))
    with pytest.raises(ProcedureError, match="needs you: it broke") as refused:
        submit_run(engine, REQUEST, 50)
    assert "--again" in refused.value.hint
    assert submit_run(engine, REQUEST, 50, again=True).id == "H-1:build:1:P:2"


def test_no_more_runs_than_allowed_are_under_way() -> None:
    """Those that have ended do not count."""
    busy = tuple(build_run(ProcedureState.WAITING, number=number) for number in range(11, 14))
    engine = ListEngine((*busy, build_run(number=20)))
    with pytest.raises(ProcedureError, match="3 runs are under way already"):
        submit_run(engine, REQUEST, 3)
    assert submit_run(engine, REQUEST, 4).state is ProcedureState.PENDING


def test_watching_ends_with_the_run() -> None:
    """And tells every look."""
    run = build_run()
    seen: list[str] = []
    assert follow_run(ListEngine((run,)), run, FollowOptions(on_look=lambda found: seen.append(found.id))) == run
    assert seen == [run.id]


def test_watching_a_run_that_waits_already_has_it_look_once_more() -> None:
    """A decision may have come meanwhile; watching ends at its time when nothing is new."""
    run = build_run(ProcedureState.WAITING)
    engine = ListEngine((run,))
    assert follow_run(engine, run, FollowOptions(timeout=0.0)) == run
    assert engine.asked == [f"wake {run.id}"]


def test_run_that_is_only_asked_for_is_watched_until_a_worker_has_it() -> None:
    """A worker is seen to at every look: the last one may just have gone."""
    engine = ListEngine((build_run(ProcedureState.PENDING),))
    kept: list[int] = []

    def keep() -> None:
        kept.append(1)
        if len(kept) == 2:
            engine.runs = (build_run(ProcedureState.IN_PROGRESS),)

    found = follow_run(engine, engine.runs[0], FollowOptions(until_taken=True, keep_worker=keep))
    assert (found.state, len(kept)) == (ProcedureState.IN_PROGRESS, 2)


def test_withdrawn_run_is_told_unless_it_has_ended() -> None:
    """One that has ended is shown as it is."""
    for run, asked in ((build_run(), []), (build_run(ProcedureState.WAITING), ["cancel H-1:build:1:P:1"])):
        engine = ListEngine((run,))
        assert withdraw_run(engine, run.id).id == run.id
        assert engine.asked == asked
    with pytest.raises(ProcedureError, match="there is no run"):
        withdraw_run(ListEngine(), "x")


def test_engine_is_a_file_beside_gits_own_unless_the_user_names_a_database(
    builder: RepositoryBuilder, isolated_user: Path
) -> None:
    """On a database the runs of a repository are told apart by its first commit."""
    with pytest.raises(HandoffError):
        open_desk(builder.folder / "nothing")
    first = builder.write("a").commit().head()
    desk = open_desk(builder.folder)
    assert not has_runs(desk)
    place = find_engine_location(desk)
    assert (place.shared, place.address) == (False, f"sqlite:///{builder.folder}/.git/handoff-tui/engine.sqlite")
    write_address(isolated_user)
    place = find_engine_location(open_desk(builder.folder))
    assert (place.shared, place.application) == (True, f"handoff-tui-{first[:16]}")
    assert place.address == "postgresql+psycopg://ada@db/x"


def test_database_needs_a_commit_to_tell_repositories_apart(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Nothing is sent anywhere before there is one."""
    write_address(isolated_user)
    with pytest.raises(RepositoryError, match="no commit yet"):
        find_engine_location(open_desk(builder.folder))


def write_address(home: Path) -> None:
    place = home / "config" / "handoff-tui" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text('[engine]\naddress = "postgresql://ada@db/x"\n', encoding="utf-8")
