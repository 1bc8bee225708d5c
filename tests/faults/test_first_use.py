"""First use, as a newcomer does it: what `init` prints leads to an approval, and the approval lasts as it should."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, make_person
from tests.support.tmux import Terminal

ID = "notes/HANDOFF.md"
TEXT = (
    "# Handoff: switch the lamp on\n\nStatus: complete\n\n## Files changed\n- Created `on.py`\n- Modified `lamp.py`\n"
)


def find_states(person: Person, folder: Path) -> tuple[str, str, int]:
    """The state by `status`, by `gate`, and the gate's exit code."""
    status = person.say("status", "--repo", folder, "--json").json
    gate = person.say("gate", ID, "--repo", folder, "--json")
    return status["handoffs"][0]["gate"]["state"], gate.json["state"], gate.code


def test_what_init_prints_leads_to_an_approval_that_lasts(
    builder: RepositoryBuilder, terminal: Terminal, tmp_path: Path
) -> None:
    """Ada alone: init, what it prints, her agent's commit under her name, approve; then edits and a clone."""
    ada, guest = make_person(tmp_path / "homes"), make_person(tmp_path / "homes", "guest")
    builder.config("user.name", "Ada").config("user.email", ada.email)
    builder.write("lamp.py", "1\n").commit("first").write("lamp.py", "2\n").commit("second")
    said = ada.say("init", "--repo", builder.folder)
    command = re.search(r"^git add .* && git commit .*$", said.stdout, re.MULTILINE)
    assert command is not None, said.stdout
    subprocess.run(["sh", "-c", command[0]], cwd=builder.folder, check=True, capture_output=True)
    status = ada.say("status", "--repo", builder.folder, "--json").json
    assert (status["handoffs"], status["unclaimed"]["files"]) == ([], [])

    builder.write("on.py", "on\n").write("lamp.py", "3\n").write("HANDOFF.md", TEXT).commit("switch it on")
    assert find_states(ada, builder.folder) == ("pending", "pending", 1)
    terminal.start({**ada.environment, "NO_COLOR": "1"}, "decide", "approve", ID, "--repo", builder.folder)
    terminal.wait_for(f"Type {ID} to")
    terminal.answer(ID)
    code, shown = terminal.wait_for_end()
    assert code == 0, shown
    assert f"decided by {ada.email} (solo)" in shown
    assert find_states(ada, builder.folder) == ("approved", "approved", 0)
    assert "solo" in ada.say("log", "--repo", builder.folder).stdout

    builder.commit("the log").write("README.md", "unrelated\n").commit("something else")
    assert find_states(ada, builder.folder) == ("approved", "approved", 0)
    builder.write("on.py", "other\n")
    assert find_states(ada, builder.folder) == ("superseded", "superseded", 1)
    builder.commit("edited")
    assert find_states(ada, builder.folder) == ("superseded", "superseded", 1)
    builder.write("on.py", "on\n").commit("restored")
    assert find_states(ada, builder.folder) == ("approved", "approved", 0)

    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(builder.folder), str(clone)], check=True)
    assert find_states(guest, clone) == ("approved", "approved", 3)  # nothing vouches for the log there
    (genesis,) = [entry["id"] for entry in ada.say("log", "--repo", builder.folder, "--json").json["entries"][-1:]]
    assert guest.say("gate", ID, "--repo", clone, "--pin", genesis).code == 0
    assert guest.say("log", "pin", genesis, "--repo", clone).code == 0
    assert find_states(guest, clone) == ("approved", "approved", 0)


def test_first_hour_inside_the_app_ends_with_an_approval(
    builder: RepositoryBuilder, terminal: Terminal, tmp_path: Path
) -> None:
    """Ada opens a repository where nothing is signed: i, ^s, her agent hands over, R runs the tests, a, ^s."""
    ada = make_person(tmp_path / "homes")
    builder.config("user.name", "Ada").config("user.email", ada.email)
    builder.write("Makefile", "test:\n\t@true\n").write("lamp.py", "1\n").write("staged.py", "1\n").commit("first")
    builder.write("staged.py", "2\n")
    builder.git("add", "staged.py")
    terminal.start({**ada.environment, "NO_COLOR": "1"}, "--repo", builder.folder, width=100, height=30)
    terminal.wait_for("Nothing is signed here yet: i sets it up")
    shown = terminal.wait_for("Looked at every tracked and new file")
    assert "n   begins one" in shown
    terminal.press_slowly("i")
    terminal.wait_for("add a few lines on handing over to AGENTS.md")
    terminal.insist("C-s", "Set up and committed")
    terminal.wait_for("What agents commit from now on appears here")
    subjects = builder.git("log", "--format=%s").splitlines()
    assert subjects == ["Begin the handoff log", "Set up handoff-tui", "first"]
    assert builder.git("status", "--porcelain").split() == ["M", "staged.py"]
    builder.git("commit", "-qm", "of mine", "staged.py")

    builder.write("on.py", "on\n").write("lamp.py", "2\n").write("HANDOFF.md", TEXT).commit("switch it on")
    shown = terminal.wait_for("`make test` was not run here yet; R runs it")
    assert "? 1 not run" in shown, "nothing is wrong yet"
    terminal.press_slowly("R")
    terminal.wait_for("READY TO APPROVE")
    terminal.press_slowly("a")
    terminal.wait_for("Ready: ^s signs as")
    terminal.insist("C-s", "Signed and stored")
    assert find_states(ada, builder.folder) == ("approved", "approved", 0)


def test_tests_run_on_another_machine_only_after_consent(
    builder: RepositoryBuilder, terminal: Terminal, tmp_path: Path
) -> None:
    """What Ada consented to runs nowhere else: R shows the command first, and consent runs it."""
    ada = make_person(tmp_path / "homes")
    builder.config("user.name", "Ada").config("user.email", ada.email)
    builder.write("Makefile", "test:\n\t@true\n").write("lamp.py", "1\n").commit("first")
    ada.say("init", "--tests", "--repo", builder.folder)
    builder.commit("the log").write("on.py", "on\n").write("lamp.py", "2\n").write("HANDOFF.md", TEXT)
    builder.commit("switch it on")
    other = {**ada.environment, "XDG_STATE_HOME": str(tmp_path / "other"), "NO_COLOR": "1"}
    terminal.start(other, "--repo", builder.folder, width=100, height=30)
    terminal.wait_for("`make test` was not run: nobody has consented to it")
    terminal.press_slowly("Enter")
    terminal.wait_for("PROBLEMS")
    terminal.press_slowly("R")
    terminal.wait_for("Any change to them or their scripts asks for your consent again")
    terminal.insist("C-s", "PROBLEMS · 0")


def test_init_asks_again_until_an_answer_can_be_used(
    builder: RepositoryBuilder, terminal: Terminal, tmp_path: Path
) -> None:
    """A wrong answer ends nothing; without a key nothing is asked."""
    ada = make_person(tmp_path / "homes")
    builder.write("Makefile", "test:\n\t@true\n").commit("first")
    terminal.start({**ada.environment, "NO_COLOR": "1"}, "init", "--no-agent-note", "--repo", builder.folder)
    terminal.wait_for("Run `make test` as a check")
    terminal.answer("what", "'what' is neither y nor n")
    terminal.answer("n", "Which of them are in place")
    terminal.answer("yes", "'yes' is not one of the protections")
    terminal.answer("none")
    code, shown = terminal.wait_for_end()
    assert code == 0, shown
    assert "[checks.tests]" not in (builder.folder / "handoff-tui.toml").read_text()


def test_the_app_does_not_open_outside_a_repository(terminal: Terminal, tmp_path: Path) -> None:
    """One line and a hint on stderr, and exit code 2."""
    terminal.start({}, "--repo", tmp_path)
    code, shown = terminal.wait_for_end()
    assert code == 2
    assert "is not inside a git repository" in shown
