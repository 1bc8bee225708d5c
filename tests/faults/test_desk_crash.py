"""The terminal is given back as it was: after a bug, in a window too small, and while the app is suspended."""

from __future__ import annotations

import shlex
import signal
import sys
from pathlib import Path

import pytest

from tests.support.raw_terminal import RawTerminal
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, make_person
from tests.support.tmux import Terminal, open_terminal

PLANT = """
from handoff_tui.{home} import {module}

def fail(*_, **__):
    raise RuntimeError("a planted fault")

{module}.{name} = fail
"""
LEAVES = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?2004l")
"""The other screen, the hidden cursor, the mouse and pasting in brackets are all given up."""


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return make_person(tmp_path, "ada")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    text = "# Handoff\n\n**Status**: done\n\n## Files created\n\n- `a.py`\n\n## Next\n\n- go\n"
    return RepositoryBuilder.init(tmp_path / "lamp").write("HANDOFF.md", text).write("a.py").commit().folder


def plant(person: Person, module: str, name: str) -> dict[str, str]:
    """The surroundings of a program in which a function of ours fails."""
    folder = person.home / "plant"
    folder.mkdir()
    home, _, last = module.rpartition(".")
    (folder / "sitecustomize.py").write_text(PLANT.format(home=home, module=last, name=name), encoding="utf-8")
    return {**person.environment, "PYTHONPATH": str(folder), "TMPDIR": str(folder)}


def test_half_of_a_key_and_bytes_of_another_encoding_do_no_harm(person: Person, repository: Path) -> None:
    """Over a slow line the rest of an arrow key comes late: it is no letter. Nor is an escape in a paste a key."""
    with RawTerminal("--repo", repository, environment=person.environment) as terminal:
        terminal.wait_for("HANDOFF.md")
        terminal.press("\x1b[")
        terminal.press("B")  # alone it opens a box
        terminal.press(b"\xe9\xff")
        terminal.press("\x1b[200~\x1bq\x1b[201~")
        terminal.press("?")
        terminal.wait_for("Help: keys, words, glyphs")
        assert b"oll back" not in terminal.written.partition(b"Help: keys")[0]
        terminal.press("\x1b")
        terminal.press("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_that_ends_the_program_gives_the_terminal_back(
    person: Person, repository: Path, number: signal.Signals
) -> None:
    """A logout or a `kill` leaves no other screen, no hidden cursor and no mouse behind; the signal is the end."""
    with RawTerminal("--repo", repository, environment=person.environment) as terminal:
        terminal.wait_for("HANDOFF.md")
        terminal.send(number)
        code = terminal.wait_for_end()
    assert code == -number, terminal.written[-500:]
    assert [leave for leave in LEAVES if leave not in terminal.written] == []


@pytest.mark.parametrize(
    ("module", "name"),
    [("tui.views.log.rows", "LogRows.__init__"), ("tui.chrome", "build_title")],
    ids=["when a view is opened", "at the first drawing"],
)
def test_fault_gives_the_terminal_back_and_names_its_report(
    person: Person, repository: Path, module: str, name: str
) -> None:
    """Whatever we had asked of the terminal is undone; the report has the traceback; the code is that of a bug."""
    surroundings = plant(person, module, name)
    with RawTerminal("--repo", repository, environment=surroundings) as terminal:
        if module == "tui.views.log.rows":
            person.say("init", "--repo", repository)
            terminal.wait_for("PAST · 1")
            terminal.press("2")
        code = terminal.wait_for_end()
    assert code == 70, terminal.written[-500:]
    assert [leave for leave in LEAVES if leave not in terminal.written] == []
    told = terminal.written.rpartition(b"\x1b[?1049l")[2].decode()
    assert "this is a bug in handoff-tui: RuntimeError" in told
    assert "Traceback" not in told
    (report,) = (person.home / "plant").glob("handoff-tui-report-*")
    assert str(report) in told
    text = report.read_text(encoding="utf-8")
    assert "a planted fault" in text
    assert "Traceback" in text


def open_app(terminal: Terminal, person: Person, repository: Path, width: int = 100, height: int = 30) -> None:
    terminal.start_shell(person.environment, width, height)
    terminal.type(shlex.join([sys.executable, "-m", "handoff_tui", "--repo", str(repository)]))
    terminal.press("Enter")
    terminal.wait_for("need")


def test_desk_is_suspended_and_comes_back(person: Person, repository: Path) -> None:
    """Ctrl+z gives the shell back, with its echo; `fg` brings the desk back as it was."""
    with open_terminal() as terminal:
        open_app(terminal, person, repository)
        terminal.wait_for("HANDOFF.md")
        terminal.press("C-z")
        terminal.wait_for("Stopped")
        terminal.type("echo $((6 * 7))!")
        terminal.press("Enter")
        terminal.wait_for("\n42!")
        terminal.type("fg")
        terminal.press("Enter")
        terminal.wait_for("HANDOFF.md")
        terminal.press("q")
        terminal.wait_for_shell()


def test_window_that_is_too_small_says_so(person: Person, repository: Path) -> None:
    """It says what it needs and what it has, and is whole again when there is room."""
    with open_terminal() as terminal:
        open_app(terminal, person, repository)
        terminal.resize(40, 10)
        terminal.wait_for("Needs 60x16, is 40x10")
        terminal.resize(100, 30)
        terminal.wait_for("HANDOFF.md")
        assert "needs 60x16" not in terminal.read_screen()
        terminal.press("q")
