"""Proofs of work as a list, and as lines."""

from __future__ import annotations

from handoff_tui.agents.proofs import MeasuredProof, TaskProofs
from handoff_tui.core.tasks import ProofKind
from handoff_tui.live.state.agents import ProofShown
from handoff_tui.tui.dialogs.proofs import ProofRows, build_proof_line, build_proof_name, describe_proof
from tests.support.agent_states import PROOFS

SHOT, LOG, GONE = (proof for task in PROOFS for proof in task.proofs)


def read(rows: ProofRows) -> list[str]:
    return ["".join(cell.text for cell in rows.build_row(index, 80)) for index in range(len(rows.keys))]


def test_proofs_stand_below_their_tasks() -> None:
    """With what is known of each; the cursor passes over the tasks."""
    rows = ProofRows(PROOFS)
    assert read(rows) == [
        "T-1",
        "? not recorded  screenshot  proofs/shot.png  70 bytes  run R-1  sha256 " + "a" * 12,
        "the whole handoff",
        "✓ as recorded   log         output of build 1.1  12 bytes  sha256 " + "b" * 12,
        "✗ unreadable    report      proofs/gone.json  can't be read",
    ]
    assert [bool(key) for key in rows.keys] == [False, True, False, True, True]
    assert rows.find(build_proof_name(LOG)) is LOG
    assert rows.find("") is None
    assert rows.find("no such") is None


def test_changed_output_is_marked() -> None:
    """By glyph and word."""
    forged = LOG.model_copy(update={"sha256": "c" * 64})
    assert "✗ changed since" in read(ProofRows([TaskProofs(task=None, proofs=(forged,))]))[1]


def test_hostile_names_are_text() -> None:
    """Nothing of a path or task is obeyed."""
    hostile = MeasuredProof(path="\x1b[2Jx.png", kind=ProofKind.SCREENSHOT, sha256="a" * 64)
    assert describe_proof(hostile) == "␛[2Jx.png"
    assert "\x1b" not in "".join(read(ProofRows([TaskProofs(task="\x1bT", proofs=(hostile,))])))


def test_lines_of_a_diff_are_told_apart() -> None:
    """By their role; those of other texts are plain, and can be read from a column on."""
    lines = ("+new", "-old", "@@ 1", " same")
    diff = ProofShown(SHOT.model_copy(update={"kind": ProofKind.DIFF}), lines)
    assert [build_proof_line(diff, index, 0)[0].role for index in range(4)] == ["added", "removed", "muted", "text"]
    assert build_proof_line(ProofShown(LOG, lines), 0, 1)[0] == ("new", "text")
