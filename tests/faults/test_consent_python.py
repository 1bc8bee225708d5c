"""Python loads no code of others into a program that asks a person."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.gates import HANDOFF, GateDesk
from tests.support.raw_terminal import RawTerminal
from tests.support.signed import Person, list_entries

ANSWERS = """\
import os
from handoff_tui.system.processes import terminal
os.environ.pop("PYTHONPATH")
terminal.ask = lambda *_, **__: {answer!r}
"""


@pytest.fixture
def bo(gate_desk: GateDesk) -> Person:
    person = gate_desk.person("bo")
    gate_desk.begin(person)
    return person


def test_planted_answer_signs_nothing(gate_desk: GateDesk, bo: Person, tmp_path: Path) -> None:
    """A33: a sitecustomize on PYTHONPATH answers the question."""
    (tmp_path / "plant").mkdir()
    (tmp_path / "plant" / "sitecustomize.py").write_text(ANSWERS.format(answer=HANDOFF), encoding="utf-8")
    words = ("decide", "approve", HANDOFF, "--repo", gate_desk.root)
    with RawTerminal(*words, environment={**bo.environment, "PYTHONPATH": str(tmp_path / "plant")}) as terminal:
        assert terminal.wait_for_end() == 4
    assert "PYTHONPATH puts code of others into this program" in " ".join(terminal.written.decode().split())
    assert len(list_entries(gate_desk.root)) == 1


def test_module_of_the_current_folder_is_not_loaded(gate_desk: GateDesk, bo: Person) -> None:
    """A39: `python -m handoff_tui` in a folder with modules of its own."""
    for name in ("argparse", "json", "pydantic", "tomllib", "subprocess"):
        gate_desk.change(f"open({str(gate_desk.root / 'loaded')!r}, 'a').close()\nraise SystemExit(99)\n", f"{name}.py")
    done = subprocess.run(
        [sys.executable, "-m", "handoff_tui", "status"],
        cwd=gate_desk.root,
        env=bo.environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode != 99
    assert not (gate_desk.root / "loaded").exists()
