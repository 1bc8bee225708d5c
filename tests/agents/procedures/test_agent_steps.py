from __future__ import annotations

import hashlib
import json
from pathlib import Path
from threading import Event

import jsonschema
import pytest

from handoff_tui.agents.engine.engine import AgentOrder
from handoff_tui.agents.procedures.actions import build_key, prepare_run, run_step_agent, stop_step_agents
from handoff_tui.agents.procedures.report import RunRequest, TryKind, TryResult
from handoff_tui.agents.runs.folders import find_run
from handoff_tui.agents.runs.phase_locks import find_lock_place, list_locks, release_lock, take_lock
from handoff_tui.agents.runs.reports import load_report
from handoff_tui.agents.runs.run import RunKey, RunStatus
from handoff_tui.agents.step import step as step_start
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.agents.step.step import start_prepared
from handoff_tui.agents.step.trail import list_reports
from handoff_tui.core.errors import HandoffError, PhaseLockedError
from tests.support.stepping import HANDOFF, WORK, Stepping

SCHEMA = Path(__file__).parents[3] / "docs" / "context.schema.json"
REQUEST = RunRequest(procedure="OWN", handoff=HANDOFF, phase="build")
ORDER = AgentOrder(TryKind.STEP, "maker", 1, 20.0)


def run(stepping: Stepping, order: AgentOrder = ORDER, cancel: Event | None = None) -> TryResult:
    done = run_step_agent(stepping.root, REQUEST, order, cancel or Event())
    assert (done.kind, done.name, done.number) == order[:3]
    return done.result


def test_agent_of_a_procedure_is_told_and_judged_like_all_others(stepping: Stepping) -> None:
    """The same context by the same schema, its digest recorded, under the lock of the phase; asked twice, one run."""
    stepping.teach(f"{WORK}; cp $HANDOFF_TUI_CONTEXT_FILE {stepping.home}/told; ls -R .git/handoff-tui/locks")
    assert run(stepping) is TryResult.PASS
    told = (stepping.home / "told").read_bytes()
    context = json.loads(told)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(context)
    assert (context["procedure"], context["route"]["direction"]) == (REQUEST.run_id, "procedure")
    state = find_run(stepping.root / ".git", build_key(REQUEST, ORDER))
    report = load_report(state)
    assert report is not None
    assert report.context_sha256 == hashlib.sha256(told).hexdigest()
    assert "build.json" in Path(report.proof).read_text(encoding="utf-8")
    assert list_locks(stepping.root / ".git") == ()
    head = stepping.builder.head()
    assert (run(stepping), stepping.builder.head()) == (TryResult.PASS, head)
    assert list_reports(stepping.desk(), HANDOFF) == ()
    assert list_reports(stepping.desk(), HANDOFF, procedures=True) == (report,)


def test_agent_of_a_dead_worker_is_found_again(stepping: Stepping) -> None:
    """Whoever goes on with the run takes its result: it was started once, and the phase is free afterwards."""
    go = stepping.home / "go"
    stepping.teach(f"echo begun >> {stepping.home}/begun; while [ ! -e {go} ]; do sleep 0.02; done; {WORK}")
    common_dir = stepping.root / ".git"
    held = take_lock(common_dir, build_key(REQUEST, ORDER), "the procedure", "mark")
    start_prepared(prepare_run(stepping.desk(), REQUEST, ORDER), held)
    assert find_run(common_dir, build_key(REQUEST, ORDER)).status is RunStatus.RUNNING
    go.touch()
    assert run(stepping) is TryResult.PASS
    assert (stepping.home / "begun").read_text(encoding="utf-8") == "begun\n"
    assert list_locks(common_dir) == ()


def test_worker_that_died_in_the_moment_of_a_start_leaves_it_to_the_next(
    stepping: Stepping, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the lock in hand and the run written: both are found again, although nobody breaks a lock by itself."""

    def die(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(step_start, "start_run", die)
        with pytest.raises(SystemExit):
            run(stepping)
    place = find_lock_place(stepping.root / ".git", RunKey(handoff=HANDOFF, phase="build"))
    place.write_text(json.dumps(json.loads(place.read_bytes()) | {"started": "long ago"}), encoding="utf-8")
    assert find_run(stepping.root / ".git", build_key(REQUEST, ORDER)).status is RunStatus.PREPARED
    assert run(stepping) is TryResult.PASS
    assert not place.exists()


@pytest.mark.parametrize(
    ("phase", "why"), [("release", "only a person may start release"), ("test", "nobody has decided at build")]
)
def test_procedure_leads_past_no_gate(stepping: Stepping, phase: str, why: str) -> None:
    """Nobody is started in a phase because a procedure was asked for there; the lock is given back."""
    request = REQUEST.model_copy(update={"phase": phase})
    with pytest.raises(HandoffError, match=why):
        run_step_agent(stepping.root, request, ORDER, Event())
    assert list_locks(stepping.root / ".git") == ()


def test_exit_code_of_zero_is_no_pass(stepping: Stepping) -> None:
    """Nothing done is a failure; on the way back there may be nothing to do, and that is another run than the step."""
    stepping.teach("echo all done")
    assert run(stepping) is TryResult.FAIL
    assert run(stepping, ORDER._replace(kind=TryKind.ROLLBACK)) is TryResult.PASS


def test_tampering_ends_the_tries(stepping: Stepping) -> None:
    """A second attempt would begin from what the first has changed, and find nothing amiss."""
    stepping.teach(f"printf '[checks.claims-hold]\\nenabled = false\\n' > handoff-tui.toml; {WORK}")
    assert run(stepping) is TryResult.NEEDS_HUMAN


def test_phase_that_somebody_works_in_is_waited_for(stepping: Stepping) -> None:
    """Until the step's time is up, or the run is withdrawn; nobody is started meanwhile."""
    key = RunKey(handoff=HANDOFF, phase="build")
    held = take_lock(stepping.root / ".git", key, "bo@example.org")
    with pytest.raises(PhaseLockedError, match=r"locked by bo@example\.org"):
        run(stepping, ORDER._replace(seconds=0.0))
    cancel = Event()
    cancel.set()
    assert run(stepping, cancel=cancel) is TryResult.WITHDRAWN
    release_lock(held)
    assert list_reports(stepping.desk(), HANDOFF, procedures=True) == ()


@pytest.mark.slow
def test_withdrawn_agent_is_stopped_and_told(stepping: Stepping) -> None:
    """What it did until then is written down, and the phase is free."""
    stepping.teach("sleep 600")

    class Soon(Event):
        """Set as soon as the agent is at work."""

        def is_set(self) -> bool:
            return find_run(stepping.root / ".git", build_key(REQUEST, ORDER)).process is not None

    assert run(stepping, cancel=Soon()) is TryResult.WITHDRAWN
    [report] = list_reports(stepping.desk(), HANDOFF, procedures=True)
    assert report.outcome is StepOutcome.STOPPED
    assert list_locks(stepping.root / ".git") == ()
    stop_step_agents(stepping.desk(), REQUEST)
