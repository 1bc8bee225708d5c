from __future__ import annotations

import shutil

from handoff_tui.decisions.examine import examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.views import Packet
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.open_log import open_log
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.signed import Person


def reject(desk: GateDesk, comments: str) -> Person:
    """Bo sends the work back with these comments."""
    bo = desk.person("bo")
    desk.begin(bo)
    file = desk.folder / "comments.txt"
    file.write_text(comments, encoding="utf-8")
    desk.decide(bo, "reject", "--reason", "no tests", "--comments", file)
    return bo


def build(desk: GateDesk) -> Packet:
    opened = open_session(desk.root)
    return build_packet(examine(opened, open_log(opened.repository), HANDOFF))


def test_rejection_with_comments_becomes_a_packet(gate_desk: GateDesk) -> None:
    """Reason, code around the lines, and nothing addressed while nothing has changed."""
    bo = reject(gate_desk, "src/app.py:2: why?\n\nsrc/gone.py: where is it?\n\nAll in all thin.\n")
    packet = build(gate_desk)
    assert (packet.attempt, packet.state, packet.changed_files) == (2, "rejected", ())
    demand = packet.demands[0]
    assert (demand.reason, demand.author, demand.verb, demand.attempt) == ("no tests", bo.email, "reject", 1)
    assert demand.commented == ("src/app.py:2", "src/gone.py")
    assert (demand.untouched, demand.addressed) == (("src/app.py:2",), False)
    line, missing, whole = packet.comments
    assert ">    2      return a + b" in line.code
    assert (line.changed, missing.changed, whole.changed) == (False, None, None)


def test_changed_lines_address_a_comment(gate_desk: GateDesk) -> None:
    """Lines that only moved do not; the files that changed since are listed."""
    reject(gate_desk, "src/app.py:2: why?\n")
    gate_desk.change("# moved\n" + CODE)
    packet = build(gate_desk)
    assert (packet.changed_files, packet.demands[0].addressed) == (("src/app.py",), False)
    gate_desk.change(CODE.replace("a + b", "b + a"))
    packet = build(gate_desk)
    assert (packet.attempt, packet.demands[0].untouched, packet.demands[0].addressed) == (2, (), True)


def test_failing_checks_of_then_and_now_are_compared(gate_desk: GateDesk, bo: Person) -> None:
    """What blocked then and passes now was addressed; what fails now has its remedy."""
    gate_desk.change("Status: COMPLETE\n\nCreated `src/gone.py`.\n", "HANDOFF.md")
    gate_desk.decide(bo, "retry", "--reason", "the file is not there")
    packet = build(gate_desk)
    assert [check.id for check in packet.failing] == ["claims-hold"]
    assert packet.failing[0].remedy
    demand = packet.demands[0]
    assert (demand.checks, demand.still_failing, demand.addressed) == (("claims-hold",), ("claims-hold",), False)
    gate_desk.change("Status: COMPLETE\n\nAll is well.\n", "HANDOFF.md")
    packet = build(gate_desk)
    assert (packet.failing, packet.demands[0].still_failing, packet.demands[0].addressed) == ((), (), True)


def test_all_earlier_reasons_are_there_newest_first(gate_desk: GateDesk) -> None:
    """A hold sends nothing back; what was taken back is said to be."""
    bo, cy = gate_desk.person("bo"), gate_desk.person("cy")
    gate_desk.begin(bo, cy)
    gate_desk.decide(bo, "reject", "--reason", "first")
    gate_desk.change("# 2\n")
    gate_desk.decide(bo, "retry", "--reason", "second")
    gate_desk.decide(cy, "hold", "--reason", "third")
    packet = build(gate_desk)
    assert [(one.reason, one.attempt) for one in packet.demands] == [("third", 2), ("second", 2), ("first", 1)]
    assert packet.attempt == 3
    gate_desk.decide(bo, "withdraw", "--reason", "my mistake")
    packet = build(gate_desk)
    assert [(one.reason, one.taken_back) for one in packet.demands] == [
        ("third", False),
        ("second", True),
        ("first", False),
    ]
    assert packet.attempt == 2


def test_work_that_nobody_decided_on_has_an_empty_packet(gate_desk: GateDesk) -> None:
    """With or without a log."""
    packet = build(gate_desk)
    assert (packet.demands, packet.comments, packet.attempt, packet.state) == ((), (), 1, "pending")


def test_missing_record_is_a_note(gate_desk: GateDesk, bo: Person) -> None:
    """The reason is in the log; the comments are gone, and that is said once."""
    gate_desk.decide(bo, "reject", "--reason", "no")
    shutil.rmtree(gate_desk.root / ".handoff-tui" / "reviews")
    packet = build(gate_desk)
    assert packet.demands[0].reason == "no"
    assert packet.demands[0].addressed is None
    assert packet.notes == (f"the record of {bo.email}'s decision on attempt 1 is missing; only its reason is known",)


def test_files_of_a_rewritten_attempt_may_be_gone(gate_desk: GateDesk, bo: Person) -> None:
    """After the history was rewritten and cleaned up, what has changed cannot be told, and is not guessed."""
    gate_desk.decide(bo, "reject", "--reason", "no")
    gate_desk.builder.write("src/app.py", "# new\n")
    gate_desk.builder.git("add", "--all")
    gate_desk.builder.git("commit", "--quiet", "--amend", "--no-verify", "-m", "rewritten")
    gate_desk.builder.git("reflog", "expire", "--expire=all", "--all")
    gate_desk.builder.git("gc", "--quiet", "--prune=now")
    shutil.rmtree(gate_desk.folder / "homes" / "bo" / "cache")
    packet = build(gate_desk)
    assert packet.changed_files == ()
    assert any("are missing, so what has changed since is unknown" in note for note in packet.notes)


def test_renamed_file_does_not_address_a_comment(gate_desk: GateDesk) -> None:
    """The lines are looked for where they are now; where the file is gone, nothing is said of the comment."""
    reject(gate_desk, "src/app.py:2: why?\n")
    (gate_desk.root / "src/app.py").rename(gate_desk.root / "src/other.py")
    gate_desk.change("# beside it\n", "src/more.py")
    packet = build(gate_desk)
    assert (packet.comments[0].changed, packet.demands[0].addressed) == (False, False)
    (gate_desk.root / "src/other.py").unlink()
    gate_desk.change("# beside it, still\n", "src/more.py")
    packet = build(gate_desk)
    assert (packet.comments[0].changed, packet.demands[0].addressed) == (None, None)
