"""A reviewer's hour at a real terminal: the demo is read, remarked on, rejected, tried again, approved, and verified.

One test on purpose: each step rests on the ones before it.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from handoff_tui.cli.demo.demo import build_demo
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import list_entries
from tests.support.tmux import Terminal

HANDOFF = "notes/docs/handoffs/2026-03-05-station-names.md"
DOCUMENT = "docs/handoffs/2026-03-05-station-names.md"
BY_HAND = Path(__file__).resolve().parents[2] / "docs" / "verify-by-hand.md"
ARMED = "Ready: ^s signs"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """The repository of the demo; Marit's home lies beside it."""
    return build_demo(tmp_path / "demo")


def open_app(terminal: Terminal, demo: Path) -> None:
    """As Marit, with the one handoff in view."""
    home = demo.parent / "home"
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "CACHE", "STATE")}
    environment = {"HOME": str(home), "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"), "SSH_AUTH_SOCK": "", **folders}
    terminal.start(environment, "--repo", demo, width=120, height=40)
    terminal.wait_for("need you")
    terminal.press_slowly("/")
    terminal.type_slowly("station-names")
    terminal.press_slowly("Enter")
    terminal.wait_for("▸ Names of stations")
    terminal.press_slowly("Enter")
    terminal.wait_for("1 Overview")


def read_and_remark(terminal: Terminal) -> None:
    """The document, and a comment on one of its lines."""
    terminal.press_slowly("4")
    terminal.wait_for("Two names that differ in case only")
    terminal.press_slowly("j", "j", "c")
    terminal.wait_for("Comment on")
    terminal.type_slowly("which station is meant?")
    terminal.press_slowly("Enter")
    terminal.wait_for("you  which station is meant?")


def reject(terminal: Terminal) -> None:
    terminal.press_slowly("x")
    terminal.wait_for("Can't sign yet: give a reason")
    terminal.wait_for("which station is meant?")  # the box is drawn row by row
    terminal.type_slowly("no source for the names")
    terminal.press_slowly("Tab")
    terminal.wait_for(ARMED)
    shown = terminal.insist("C-s", "✓ Signed")
    assert "✗ rejected" in shown
    terminal.press_slowly("Escape")
    terminal.wait_for("signed as sha256:")


def try_again(demo: Path) -> None:
    """The agent's next attempt: a file is written and committed."""
    builder = RepositoryBuilder(demo)
    text = (demo / DOCUMENT).read_text(encoding="utf-8")
    builder.write(DOCUMENT, text + "\nThe names are those of the harbour office.\n").git("add", "--", DOCUMENT)
    builder.git(
        "-c", "user.name=knot", "-c", "user.email=knot@example.com", "commit", "-q", "-m", "docs: say whose names"
    )


def approve(terminal: Terminal) -> None:
    """Not every file was read: that is said, and nothing more is asked for."""
    terminal.press_slowly("a")
    terminal.wait_for("attempt 2")
    shown = terminal.insist("C-r", ARMED)  # what was saved and what was committed may have come one after the other
    assert "not marked as read" in shown
    shown = terminal.insist("C-s", "✓ Signed")
    assert "✓ approved" in shown
    terminal.press_slowly("Escape")


def verify_by_hand(demo: Path, folder: Path) -> str:
    """What the script of the documentation says, with ssh-keygen and no program of ours."""
    block = re.search(r"```sh\n(#!/bin/sh\n.*?)```", BY_HAND.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    script = folder / "verify.sh"
    script.write_text(block.group(1), encoding="utf-8")
    return subprocess.run(["sh", str(script), str(demo)], capture_output=True, check=False, text=True).stdout


def test_rejected_work_comes_back_and_is_approved(demo: Path, terminal: Terminal, tmp_path: Path) -> None:
    """From the first look to the signature that ssh-keygen confirms, by keys alone."""
    before = set(list_entries(demo))
    open_app(terminal, demo)
    read_and_remark(terminal)
    reject(terminal)
    try_again(demo)
    terminal.wait_for("changed since you opened it")
    terminal.press(".")  # takes the new work in
    terminal.wait_for("The names are those of the harbour office")
    approve(terminal)
    terminal.press_slowly("q")
    assert terminal.wait_for_end()[0] == 0
    added = set(list_entries(demo)) - before
    assert len(added) == 2
    said = verify_by_hand(demo, tmp_path)
    forged = {line.split()[1] for line in said.splitlines() if line.startswith("BAD")}  # the demo has one on purpose
    assert forged <= {entry.removeprefix("sha256:")[:12] for entry in before}
    for verb in ("reject", "approve"):
        assert re.search(
            rf"^ok .* {verb} of {HANDOFF} in review, signed by marit.holm@example.com$", said, re.MULTILINE
        )
    record = "".join(file.read_text(encoding="utf-8") for file in (demo / ".handoff-tui").rglob("*.json"))
    assert "which station is meant?" in record
