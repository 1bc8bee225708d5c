"""`--plain`: the queue and the guided review as sequential text, at a real terminal, with the same safety."""

from __future__ import annotations

from pathlib import Path

from tests.support.repositories import RepositoryBuilder
from tests.support.signed import make_person
from tests.support.tmux import Terminal

ID = "notes/HANDOFF.md"
TEXT = "# Handoff: lamp\n\nStatus: complete\n\n## Files changed\n- Created `lamp.py`\n"


def test_handoff_is_reviewed_commented_and_sent_back_in_plain_text(
    builder: RepositoryBuilder, terminal: Terminal, tmp_path: Path
) -> None:
    """List, problems, the gate on request, changes, a comment, a reason; then the id is typed, the list is empty."""
    ada = make_person(tmp_path / "homes")
    builder.config("user.name", "Ada").config("user.email", ada.email).write("a", "1\n").commit("first")
    assert ada.say("init", "--no-tests", "--no-agent-note", "--repo", builder.folder).code == 0
    builder.commit("the log").write("lamp.py", "on = 1\n").write("HANDOFF.md", TEXT).commit("a lamp")
    terminal.start({**ada.environment, "NO_COLOR": "1"}, "--plain", "--repo", builder.folder, height=120)
    terminal.wait_for("1 handoff for you")
    for answer, then in (
        ("7", "There is no number 7"),
        ("1", "1 of 3. Problems"),
        ("t", " passed, "),
        ("g", "0 of 1 approvals"),
        ("", "2 of 3. Changes of HANDOFF.md"),
        ("", "3 of 3. Changes of lamp.py"),
        ("c", "empty for none:"),
        ("lamp.py:1: on or off?", "1 comment to go along"),
        ("x", "goes into the log:"),
        ("say which", f"Type {ID} to reject"),
        (ID, "0 handoffs for you, 1 with agents"),
        ("q", "ended with"),
    ):
        terminal.answer(answer, then)
        if answer == "x":  # no step is shown again after a comment
            assert terminal.read().count("3 of 3. Changes of lamp.py") == 1
    assert terminal.wait_for_end()[0] == 0
    packet = ada.say("packet", ID, "--repo", builder.folder, "--json").json
    assert [one["reason"] for one in packet["demands"]] == ["say which"]
    assert [one["comment"]["path"] for one in packet["comments"]] == ["lamp.py"]
