from __future__ import annotations

import os
import signal
import subprocess
import sys

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.in_process import InProcess
from tests.support.stepping import HANDOFF, WORK, Stepping, wait_until


def test_step_runs_the_agent_and_tells(stepping: Stepping, say: InProcess) -> None:
    """As a page or as JSON; ready is 0, failed is 1."""
    said = say("step", "build", "--repo", stepping.root, "--note", "be kind")
    assert (said.code, said.stdout.startswith(f"○ ready  {HANDOFF} · build")) == (ExitCode.OK, True)
    stepping.teach("exit 4")
    said = say("step", "build", "--handoff", HANDOFF, "--repo", stepping.root, "--json")
    assert (said.code, said.json["outcome"], said.json["run"]["code"]) == (ExitCode.BLOCKED, "failed", 4)
    listed = say("step", "--list", "--repo", stepping.root, "--json").json
    assert [run["outcome"] for run in listed["runs"]] == ["ready", "failed"]
    assert "Runs" in say("step", "--list", "--handoff", HANDOFF, "--repo", stepping.root).stdout


def test_prompt_is_shown_without_starting_anybody(stepping: Stepping, say: InProcess) -> None:
    """What would be told."""
    said = say("step", "build", "--prompt", "--repo", stepping.root)
    assert (said.code, f"# {HANDOFF} · build" in said.stdout) == (ExitCode.OK, True)
    assert "You are the agent of the phase build" in said.stdout
    assert say("step", "--list", "--repo", stepping.root, "--json").json["runs"] == []


def test_detached_agent_is_controlled_and_looked_at_later(stepping: Stepping, say: InProcess) -> None:
    """Paused, resumed, stopped; attached to when it has ended."""
    stepping.teach("sleep 60")
    started = say("step", "build", "--detach", "--repo", stepping.root)
    assert (started.code, "is running" in started.stdout) == (ExitCode.OK, True)
    assert say("step", "build", "--repo", stepping.root).code == ExitCode.BLOCKED
    assert "can read it" in say("step", "--note", "hurry", "--repo", stepping.root).stderr
    assert say("step", "--pause", "--repo", stepping.root).stderr.endswith("is paused\n")
    assert say("step", "--resume", "--repo", stepping.root).stderr.endswith("is running\n")
    assert say("step", "--stop", "--repo", stepping.root).code == ExitCode.INTERRUPTED
    assert say("step", "--stop", "--repo", stepping.root).code == ExitCode.BLOCKED
    stepping.teach(WORK)
    say("step", "build", "--detach", "--json", "--repo", stepping.root)
    attached = say("step", "--attach", "--repo", stepping.root, "--json")
    assert (attached.code, attached.json["outcome"]) == (ExitCode.OK, "ready")


def test_trust_is_given_by_its_digest(stepping: Stepping, say: InProcess) -> None:
    """Printed by the list; until then nothing of the repository runs."""
    stepping.builder.write("handoff-tui.toml", f'[agents.maker]\ncommand = ["sh", "{stepping.script()}"]\n').commit()
    assert say("step", "build", "--repo", stepping.root).code == ExitCode.BLOCKED
    digest = say("step", "--list", "--json", "--repo", stepping.root).json["trust"]["digest"]
    assert say("step", "--trust", digest, "--repo", stepping.root).code == ExitCode.OK
    assert say("step", "build", "--repo", stepping.root).code == ExitCode.OK


def test_phase_for_people_is_refused_without_a_terminal(stepping: Stepping, say: InProcess) -> None:
    """Piped input is never an answer."""
    stepping.configure(gate=False).teach(WORK, "tester")
    said = say("step", "build", "--loop", "--json", "--repo", stepping.root)
    assert (said.code, said.json["next"]["by_person"], said.json["phase"]) == (ExitCode.OK, True, "test")
    with subprocess.Popen(
        [sys.executable, "-m", "handoff_tui", "step", "release", "--repo", str(stepping.root)],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        _, stderr = process.communicate(timeout=50)
    assert process.returncode == ExitCode.NO_HUMAN
    assert b"may only be started by a person" in stderr


def test_interrupt_stops_the_agent_and_tells_what_it_did(stepping: Stepping) -> None:
    """Ctrl-C, as at a terminal."""
    begun = stepping.root.parent / "begun"
    stepping.teach(f"echo more >> src/app.py; touch {begun}; sleep 60")
    argv = [sys.executable, "-m", "handoff_tui", "step", "build", "--json", "--repo", str(stepping.root)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env=dict(os.environ)) as process:
        wait_until(begun.exists, 30)
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=50)
    assert process.returncode == ExitCode.INTERRUPTED
    assert b'"outcome": "stopped"' in stdout
    assert b"src/app.py" in stdout
