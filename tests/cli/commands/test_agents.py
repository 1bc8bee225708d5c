"""The verbs for agents: step, unlock, rollback and run. Whole procedures run in tests/faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.agents.runs.phase_locks import take_lock
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.cli.exit_codes import ExitCode
from tests.support.command_line import InProcess
from tests.support.gates import CODE, GateDesk
from tests.support.repositories import EMAIL, RepositoryBuilder
from tests.support.stepping import HANDOFF, WORK, Stepping
from tests.support.waiting import wait_until


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
    assert (said.code, f"# {HANDOFF}: build" in said.stdout) == (ExitCode.OK, True)
    assert "You are the agent of the phase build" in said.stdout
    assert say("step", "--list", "--repo", stepping.root, "--json").json["runs"] == []


def test_detached_agent_is_controlled_and_looked_at_later(stepping: Stepping, say: InProcess) -> None:
    """Paused, resumed, stopped; attached to when it has ended."""
    stepping.teach("sleep 60")
    started = say("step", "build", "--detach", "--repo", stepping.root)
    assert (started.code, "is running" in started.stdout) == (ExitCode.OK, True)
    assert say("step", "build", "--repo", stepping.root).code == ExitCode.BLOCKED
    assert "can read the note" in say("step", "--note", "hurry", "--repo", stepping.root).stderr
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
        _, stderr = process.communicate(timeout=150)
    assert process.returncode == ExitCode.NO_HUMAN
    assert b"only a person may start" in stderr


def test_interrupt_stops_the_agent_and_tells_what_it_did(stepping: Stepping) -> None:
    """Ctrl-C, as at a terminal."""
    begun = stepping.root.parent / "begun"
    stepping.teach(f"echo more >> src/app.py; touch {begun}; sleep 60")
    argv = [sys.executable, "-m", "handoff_tui", "step", "build", "--json", "--repo", str(stepping.root)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env=dict(os.environ)) as process:
        wait_until(begun.exists)
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=150)
    assert process.returncode == ExitCode.INTERRUPTED
    assert b'"outcome": "stopped"' in stdout
    assert b"src/app.py" in stdout


def test_locks_are_shown_and_broken_on_request(builder: RepositoryBuilder, say: InProcess) -> None:
    """A living holder keeps its lock unless it is forced."""
    builder.write("a").commit()
    take_lock(builder.folder / ".git", RunKey(handoff="H-1", phase="RED"), "ada")
    assert "» held" in say("unlock", "--list", "--repo", builder.folder).stdout
    assert say("unlock", "RED", "--repo", builder.folder).code == ExitCode.BLOCKED
    assert (
        say("unlock", "red", "--force", "--repo", builder.folder).stdout
        == "RED is unlocked. The lock belonged to ada.\n"
    )
    said = say("unlock", "--list", "--json", "--repo", builder.folder)
    assert said.json == {"schema": "handoff-tui/unlock/v1", "locks": [], "broken": None}


def test_rollback_is_shown_done_listed_and_undone(gate_desk: GateDesk) -> None:
    """A dry run by default; pages and JSON."""
    bo = gate_desk.person("bo")
    gate_desk.builder.config("user.email", EMAIL).config("user.name", "Ada")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "approve", "--reason", "good")
    gate_desk.change("broken\n")

    def say(*options: str) -> tuple[int, str]:
        said = gate_desk.speaking(bo, "rollback", *options, "--repo", gate_desk.root)
        return said.code, said.stdout

    assert say("--dry-run")[1].startswith("dry run")
    assert '"applied": false' in say("--json")[1]
    code, page = say("--apply")
    assert (code, "refs/handoff-tui/saved/" in page) == (ExitCode.OK, True)
    assert gate_desk.builder.place("src/app.py").read_text(encoding="utf-8") == CODE
    assert "done" in say("--list")[1]
    assert '"rollbacks"' in say("--list", "--json")[1]
    assert '"undone"' in say("--undo", "--json")[1]
    assert say("--undo")[0] == ExitCode.BLOCKED
    assert gate_desk.builder.place("src/app.py").read_text(encoding="utf-8") == "broken\n"


@pytest.fixture
def root(builder: RepositoryBuilder) -> Path:
    return builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit().folder


def test_repository_without_runs_lists_none_and_writes_nothing(say: InProcess, root: Path) -> None:
    """Looking changes nothing: not even the engine's file is made."""
    said = say("run", "--list", "--repo", root)
    assert (said.code, said.stdout) == (0, "No procedure has run here\n")
    assert say("run", "--list", "--json", "--repo", root).json["runs"] == []
    assert not (root / ".git" / "handoff-tui").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "name a procedure"),
        (("NOPE",), "there is no procedure 'NOPE'"),
        (("PHASE_TRANSITION_STANDARD", "--handoff", "H-9"), "no handoff has the id 'H-9'"),
        (("--show", "H-9:x:1:P:1"), "there is no run"),
        (("--withdraw", "H-9:x:1:P:1"), "there is no run"),
        (("--profile", "NOPE"), "there is no profile 'NOPE'"),
        (("--trust", "sha256:0"), "there is nothing to consent to"),
        (("--list", "--show", "x"), "not allowed with"),
    ],
)
def test_wrong_call_is_refused_with_a_hint(words: tuple[str, ...], complaint: str, say: InProcess, root: Path) -> None:
    """Code 2 and nothing on stdout."""
    said = say("run", *words, "--repo", root)
    assert (said.code, said.stdout) == (2, "")
    assert complaint in said.stderr


def test_engine_that_is_not_installed_is_named(say: InProcess, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the words that install it."""
    monkeypatch.setitem(__import__("sys").modules, "dbos", None)
    said = say("run", "PHASE_TRANSITION_STANDARD", "--repo", root)
    assert said.code == 2
    assert "pip install 'handoff-tui[engine]'" in said.stderr
