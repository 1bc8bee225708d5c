"""Many workers on a real PostgreSQL: one is killed, and the other goes on with what it had begun."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from handoff_tui.agents.engine.dbos import DbosEngine, EngineLocation, build_address
from handoff_tui.agents.engine.files import DATABASE, ON_DEMAND_LOCK, find_engine_file
from handoff_tui.agents.engine.listing import read_overview
from handoff_tui.agents.engine.profile import run_profile
from handoff_tui.agents.engine.worker import SharedLease
from handoff_tui.agents.procedures.report import ProcedureState
from handoff_tui.config.settings.root import Settings
from handoff_tui.config.settings.user import EngineSettings
from handoff_tui.core.errors import EngineError
from tests.support.gates import GateDesk
from tests.support.procedure_engine import CONFIG, TRANSITION, EngineFolder, RunDesk
from tests.support.procedure_runs import REQUEST, build_plan
from tests.support.procedure_worker import find_place
from tests.support.waiting import wait_until

NOBODY = "nobody"
_PATH = os.pathsep.join((os.environ.get("PATH", ""), *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin")))))
"""Debian keeps the programs of the server off the search path."""


def find_missing() -> str | None:
    """Why no PostgreSQL can be started here; empty if it can."""
    needed = ["initdb", "pg_ctl", *(["setpriv"] if os.geteuid() == 0 else [])]
    missing = [name for name in needed if shutil.which(name, path=_PATH) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


@contextmanager
def run_postgresql() -> Iterator[str]:
    """The address of an empty database; the server ends with the test, and its folder goes."""
    folder = Path(tempfile.mkdtemp(prefix="handoff-tui-pg-"))
    lead: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = pwd.getpwnam(NOBODY)
        os.chown(folder, user.pw_uid, user.pw_gid)
        lead = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    data = str(folder / "data")
    try:
        _run([*lead, "initdb", "--pgdata", data, "--auth=trust", "--username=tester", "--no-sync", "--encoding=UTF8"])
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c synchronous_commit=off"
        _run([*lead, "pg_ctl", "--pgdata", data, "--wait", "--log", str(folder / "log"), "--options", options, "start"])
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            _run([*lead, "pg_ctl", "--pgdata", data, "--wait", "--mode=immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    done = subprocess.run(
        command,
        cwd="/",
        capture_output=True,
        check=False,
        timeout=200,
        env={**environment, "LC_ALL": "C", "PATH": _PATH},
    )
    assert done.returncode == 0, f"{command}: {os.fsdecode(done.stderr)}"


pytestmark = [
    pytest.mark.skipif(find_missing() is not None, reason=find_missing() or ""),
]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address as a user would configure it."""
    with run_postgresql() as found:
        yield found


@pytest.fixture(scope="module")
def address(server: str) -> str:
    return build_address(server)


@pytest.mark.slow
def test_transition_is_the_same_on_postgresql(server: str, gate_desk: GateDesk) -> None:
    """Only the address in the user's configuration differs; no file of an engine is made in the repository."""
    desk = RunDesk(gate_desk, f'{CONFIG}address = "{server}"\n', ON_DEMAND_LOCK)
    try:
        said = desk.run(TRANSITION)
        assert (said.code, said.json["state"]) == (5, "waiting"), said.stderr
        assert desk.desk.decide(desk.reviewer, "approve").code == 0
        assert desk.wait_end(said.json["id"])["state"] == "completed"
        assert not find_engine_file(desk.common_dir, DATABASE).exists()
    finally:
        desk.kill_worker()


def test_second_worker_takes_over_when_the_first_is_killed(address: str, tmp_path: Path) -> None:
    """Two live side by side under names of their own; no finished step is done twice, no run is lost."""
    with EngineFolder(tmp_path, address) as folder:
        folder.write_plan(build_plan())
        folder.hold("two")
        requests = [REQUEST.model_copy(update={"handoff": f"H-{number}"}) for number in range(1, 7)]
        first = folder.start()
        runs = [folder.engine.submit(request) for request in requests[:3]]
        wait_until(lambda: folder.list_begun().count("two") == 3, "the first worker's runs")
        folder.start()
        folder.kill(first)
        runs += [folder.engine.submit(request) for request in requests[3:]]
        wait_until(lambda: folder.list_begun().count("two") == 9, "the second worker taking over")
        folder.release("two")
        assert {folder.wait_end(run).state for run in runs} == {ProcedureState.COMPLETED}
        for run in runs:
            begun = folder.list_begun(run)
            assert (begun.count("one"), begun.count("three")) == (1, 1)
            assert begun.count("two") == (2 if run in runs[:3] else 1)


@pytest.mark.slow
def test_fifty_runs_on_three_workers_survive_one_of_them(address: str, tmp_path: Path) -> None:
    """None is lost, and no step that was written down is done twice; the list shows runs and workers meanwhile."""
    with EngineFolder(tmp_path, address) as folder:
        folder.write_plan(build_plan())
        folder.hold("two")
        workers = [folder.start() for _ in range(3)]
        requests = [REQUEST.model_copy(update={"handoff": f"F-{number}"}) for number in range(50)]
        runs = [folder.engine.submit(request) for request in requests]
        wait_until(lambda: folder.list_begun().count("two") == 50, "all fifty at their second step")
        location = find_place(tmp_path, address)
        overview = read_overview(location, tmp_path, 200)
        held = {run.id: run.worker for run in overview.runs}
        assert len(overview.workers) == len(workers)
        assert {one.name for one in overview.workers} >= set(held.values())
        first = overview.workers[0].name
        taken_over = sum(worker == first for worker in held.values())
        folder.kill(workers[0])
        wait_until(lambda: folder.list_begun().count("two") == 50 + taken_over, "the others taking over")
        folder.release("two")
        assert {folder.wait_end(run).state for run in runs} == {ProcedureState.COMPLETED}
        for run in runs:
            begun = folder.list_begun(run)
            assert (begun.count("one"), begun.count("three")) == (1, 1)


@pytest.mark.slow
def test_profile_runs_on_postgresql_and_leaves_nothing(server: str) -> None:
    """In a schema of its own, which is gone afterwards."""
    usual = Settings()
    profile = usual.procedures.profiles["CONCURRENCY_STANDARD"].model_copy(update={"iterations": 5})
    procedures = usual.procedures.model_copy(update={"profiles": {"SHORT": profile}})
    engine = EngineSettings(address=server)
    report = run_profile(usual.model_copy(update={"procedures": procedures, "engine": engine}), "SHORT", None)
    assert (report.held, report.completed, report.engine) == (True, 5, "PostgreSQL")
    with psycopg.connect(server) as connection:
        left = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'handoff%'").fetchall()
    assert left == []


def test_name_is_one_workers_alone(address: str) -> None:
    """Two have two names; a living one cannot be taken for dead, and a dead one's name is free."""
    first, second = SharedLease(address, "names"), SharedLease(address, "names")
    assert (first.executor, second.executor) == ("worker-1", "worker-2")
    with second.hold_dead("worker-1") as dead:
        assert not dead
    first.close()
    wait_until(lambda: _is_dead(second, "worker-1"), "the end of the first worker's name")
    third = SharedLease(address, "names")
    assert third.executor == "worker-1"
    second.close()
    third.close()


def test_worker_whose_connection_is_gone_knows_it(address: str) -> None:
    """It must end at once, since its name may be another's by now."""
    lease = SharedLease(address, "gone")
    lease.check()
    lease.close()
    with pytest.raises(EngineError, match="connection that holds this worker's name is lost"):
        lease.check()


@pytest.mark.slow
def test_repositories_on_one_database_do_not_meet(address: str, tmp_path: Path) -> None:
    """The same handoff in another repository is another run, and each has workers of its own."""
    one, other = SharedLease(address, "lamp"), SharedLease(address, "tide")
    assert one.executor == other.executor == "worker-1"
    one.close()
    other.close()
    request = REQUEST.model_copy(update={"handoff": "same"})
    foreign = DbosEngine(EngineLocation(address, "handoff-tui-foreign"))
    with EngineFolder(tmp_path, address) as folder:
        folder.write_plan(build_plan())
        foreign.submit(request)
        assert folder.engine.view(request.run_id) is None
        folder.start()
        folder.engine.submit(request)
        assert folder.wait_end(request.run_id).state is ProcedureState.COMPLETED
        left = foreign.view(request.run_id)
        assert left is not None
        assert (left.state, [run.id for run in foreign.list()]) == (ProcedureState.PENDING, [request.run_id])
    foreign.close()


def test_database_that_is_not_there_is_a_clear_error() -> None:
    """With a hint where to look."""
    with pytest.raises(EngineError, match="can't reach") as refused:
        SharedLease(build_address("postgresql://nobody@/nothing?host=/nonexistent"), "x")
    assert "engine.address" in refused.value.hint


def _is_dead(lease: SharedLease, executor: str) -> bool:
    with lease.hold_dead(executor) as dead:
        return dead
