"""The tour of the demo at a real terminal: seven steps, with the scripted agent that really runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.support.signed import list_entries
from tests.support.tmux import Terminal

REASON = "Two tests are skipped and five are gone. Bring them back."


def read_coverage(screen: str) -> int:
    """How much is approved, in percent."""
    (percent,) = re.findall(r"approved (\d+) %", screen)
    return int(percent)


def walk(terminal: Terminal) -> None:
    """Does what the line above the keys says."""
    assert "▸ Stations" in terminal.wait_for("1 of 7"), "the cursor is where the tour begins"
    terminal.wait_for("is not the file whose hash")
    terminal.press_slowly("Enter")
    terminal.wait_for("2 of 7")
    terminal.wait_for("Package the tide table (FMWK-002)")
    terminal.press_slowly("x")
    terminal.wait_for("Can't sign yet: give a reason")
    terminal.type_slowly(REASON)
    terminal.press_slowly("Tab")
    terminal.wait_for("Ready: ^s signs")
    terminal.insist("C-s", "✓ Signed")
    terminal.wait_for("4 of 7")  # the line above the keys follows while the box is open
    terminal.press_slowly("Enter")
    terminal.wait_for("H-3 was sent back")
    terminal.wait_for("5 of 7")
    terminal.wait_for("build ready. needs you")
    terminal.press_slowly("Enter")
    terminal.wait_for("READY TO APPROVE")
    terminal.wait_for("6 of 7")
    terminal.press_slowly("Space")
    terminal.wait_for("1 of 12 looked at")
    terminal.press_slowly("a")
    terminal.wait_for("Ready: ^s signs")
    terminal.insist("C-s", "✓ Signed")
    terminal.wait_for("7 of 7")
    terminal.press_slowly("Enter")
    terminal.wait_for("Done")


def test_tour_leads_from_a_red_row_to_a_verified_log(terminal: Terminal, tmp_path: Path) -> None:
    """Each step is noticed by what was done; coverage grows, and the named command verifies the log by itself."""
    folder = tmp_path / "demo"
    terminal.start({"SSH_AUTH_SOCK": ""}, "demo", "--dir", folder, width=100, height=30)
    before = read_coverage(terminal.wait_for("1 of 7"))
    walk(terminal)
    assert read_coverage(terminal.wait_for("2 Log")) > before
    terminal.press_slowly("Escape")
    terminal.press_slowly("q")
    code, said = terminal.wait_for_end()
    assert (code, "sh ../verify.sh" in said) == (0, True)
    repository = folder / "tide-table"
    verified = subprocess.run(
        ["sh", "../verify.sh"], cwd=repository, capture_output=True, text=True, check=False
    ).stdout
    for verb in ("reject", "approve"):
        assert f"{verb} of H-3 in build, signed by marit.holm@example.com" in verified
    assert len(list_entries(repository)) == 8
