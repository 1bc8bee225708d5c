from __future__ import annotations

import pytest

from handoff_tui.core.errors import DecisionForbiddenError
from handoff_tui.decisions.changed_since_shown import find_changes_since, refuse_changed
from handoff_tui.decisions.examine import ExaminedGate, examine
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.open_log import open_log
from tests.support.gates import CODE, HANDOFF, GateDesk


@pytest.fixture
def examined(gate_desk: GateDesk) -> ExaminedGate:
    """The work of the agent, as it was looked at."""
    desk = open_desk(gate_desk.root)
    return examine(desk, open_log(desk.repository), HANDOFF)


def test_what_is_ours_is_no_movement(gate_desk: GateDesk, examined: ExaminedGate) -> None:
    """An entry of the log, and whatever else is in our folder."""
    gate_desk.builder.write(".handoff-tui/note", "ours")
    assert find_changes_since(examined) == ()
    refuse_changed(examined)


def test_changed_files_are_named(gate_desk: GateDesk, examined: ExaminedGate) -> None:
    """Added, changed, deleted; a name cannot begin a line of our own words."""
    gate_desk.builder.write("new\nline.txt", "theirs").write("src/app.py", "import os\n")
    with pytest.raises(DecisionForbiddenError) as refused:
        refuse_changed(examined)
    assert refused.value.message == (
        "the work has changed since it was looked at, so nothing was signed: "
        "2 files changed: new\\nline.txt, src/app.py"
    )
    assert refused.value.hint == "Look again, then decide."


def test_many_changed_files_are_counted(gate_desk: GateDesk, examined: ExaminedGate) -> None:
    """Five by name, the rest as a number."""
    for number in range(7):
        gate_desk.builder.write(f"new-{number}.txt", f"{number}\n")
    assert find_changes_since(examined) == (
        "7 files changed: new-0.txt, new-1.txt, new-2.txt, new-3.txt, new-4.txt and 2 more",
    )


def test_another_commit_is_named(gate_desk: GateDesk, examined: ExaminedGate) -> None:
    """Both are; files that are as they were are not spoken of."""
    old = gate_desk.builder.head()
    gate_desk.builder.commit("an empty one")
    new = gate_desk.builder.head()
    assert find_changes_since(examined) == (f"the commit is another one now: {old[:7]} → {new[:7]}",)


def test_commit_with_changed_files_says_both(gate_desk: GateDesk, examined: ExaminedGate) -> None:
    """The commit first, then what is in it."""
    gate_desk.change(CODE + "# more\n")
    commit, files = find_changes_since(examined)
    assert (commit.startswith("the commit is another one now"), files) == (True, "1 file changed: src/app.py")


def test_edited_handoff_is_said(gate_desk: GateDesk, examined: ExaminedGate) -> None:
    """Beside the file that it is in."""
    gate_desk.builder.write("HANDOFF.md", "# Handoff: adding\n\nStatus: BLOCKED\n")
    assert find_changes_since(examined) == ("1 file changed: HANDOFF.md", "the handoff itself was edited")


def test_vanished_handoff_is_said(gate_desk: GateDesk, examined: ExaminedGate) -> None:
    """There is nothing to decide on any more."""
    (gate_desk.root / "HANDOFF.md").unlink()
    assert find_changes_since(examined) == ("1 file changed: HANDOFF.md", "the handoff itself is gone")


def test_trees_that_cannot_be_compared_have_changed_all_the_same(
    gate_desk: GateDesk, examined: ExaminedGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their ids tell; only the names are missing."""
    gate_desk.builder.write("new.txt", "theirs")
    monkeypatch.setattr("handoff_tui.decisions.changed_since_shown.offer_objects", lambda *_: {})
    assert find_changes_since(examined) == ("files have changed",)
