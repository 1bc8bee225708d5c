"""A pipeline carried by the engine: it stops at gates, survives the death of its worker, and starts nobody twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from handoff_tui.agents.procedures.run import open_engine
from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.handoffs.session import open_session
from tests.support.gates import GateDesk
from tests.support.procedure_engine import CONFIG, kill_workers
from tests.support.waiting import wait_until
from tests.support.walking import Walk, commit, write

PHASES = """\
[pipelines.team]
failure_target = "MAKE"
phases = [
  { name = "MAKE", agent = "maker" },
  { name = "CHECK", agent = "checker", gate = false },
  { name = "SHIP", agent = "maker", human_only = true },
]
"""


@pytest.fixture
def walk(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Walk]:
    (gate_desk.root / "HANDOFF.md").unlink()
    gate_desk.builder.commit("nothing is handed over yet")
    yield Walk(gate_desk, monkeypatch, "notes/docs/handoffs/T-7.md")
    kill_workers()


def _wait(walk: Walk, words: str) -> None:
    """Until the run says so."""
    with open_engine(open_session(walk.root)) as engine:

        def says() -> bool:
            found = engine.list()
            run = engine.view(found[0].id) if found else None
            return run is not None and words in f"{run.state} {run.reason} {run.tries[-1].detail if run.tries else ''}"

        wait_until(says, words, every=0.2)


def test_pipeline_goes_from_gate_to_gate_and_survives_its_worker(walk: Walk) -> None:
    """Killed while an agent works, the next worker finds that agent; a person starts the last phase, by hand."""
    flag = walk.root.parent / "go"
    slow = f"while [ ! -e {flag} ]; do sleep 0.05; done\n"
    make = slow + write("src/made.py", "MADE = 1") + commit("made")
    walk.scripts = {
        "maker": [make],
        "checker": [write("checked.txt", "yes") + commit("checked")],
    }
    walk.begin("team", name="T-7", more=PHASES + CONFIG)
    walk.write_scripts()
    said = walk.say("run", "team", "--handoff", walk.handoff, "--no-wait", "--json")
    assert said.code == 5, said.stderr
    runs = walk.root / ".git"
    wait_until(lambda: [one.status for one in list_runs(runs, walk.handoff)] == [RunStatus.RUNNING], "the agent")
    kill_workers()
    flag.touch()
    walk.say("run", "team", "--handoff", walk.handoff, "--no-wait")
    _wait(walk, "waits at the gate of MAKE")
    walk.decide("approve")
    _wait(walk, "only a person may start SHIP")
    assert [state.key.phase for state in list_runs(runs, walk.handoff)] == ["MAKE", "CHECK"]
    listed = walk.say("run", "--list", "--json").json
    assert [run["state"] for run in listed["runs"]] == ["waiting"]
