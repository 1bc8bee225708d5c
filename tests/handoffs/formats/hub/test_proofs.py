from __future__ import annotations

import pytest

from handoff_tui.core.tasks import Proof, ProofKind
from handoff_tui.handoffs.formats.hub.format import HUB, parse_kind
from tests.support.memory_files import MemoryFiles, read_with

_CONTEXT = "# Handoff Context\nGenerated: 2031-02-03 04:05:06\nRun ID: 12 | Project: Lantern | Task: T007\n"
_LATER = _CONTEXT.replace("T007", "T008").replace("12", "13").replace("2031", "2032")
_TODO = '{"project": "Lantern", "tasks": [{"id": "LN-1", "title": "x"}]}'


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.PNG", ProofKind.SCREENSHOT),
        ("build.log", ProofKind.LOG),
        ("pytest_output.txt", ProofKind.TEST_RESULT),
        ("junit.xml", ProofKind.TEST_RESULT),
        ("change.diff", ProofKind.DIFF),
        ("report.html", ProofKind.REPORT),
        ("clip.webm", ProofKind.OTHER),
        ("keep.py", None),
    ],
)
def test_kind_of_a_proof_follows_its_name(name: str, expected: ProofKind | None) -> None:
    """Endings and names tell what a proof is; other files are none."""
    assert parse_kind(f"proofs/{name}") is expected


def test_proofs_join_the_handoff_of_their_task_or_run() -> None:
    """Folders name task and run; the size is taken, the content is not read."""
    files = {
        "HANDOFF_12_T007.md": _CONTEXT,
        "HANDOFF_13_T008.md": _LATER,
        "proofs/T007/run-12/lamp.png": "1234",
        "workspaces/x/proofs/run_12/a.log": "",
        "screenshots/any.png": "",
        "screenshots/notes.txt": "",
        "proofs/script.py": "",
    }
    reading = read_with(HUB, MemoryFiles(files))
    proofs = {handoff.id: handoff.proofs for handoff in reading.handoffs}
    assert proofs["T007"] == (
        Proof(path="proofs/T007/run-12/lamp.png", kind=ProofKind.SCREENSHOT, task="T007", run="12", size=4),
        Proof(path="workspaces/x/proofs/run_12/a.log", kind=ProofKind.LOG, run="12", size=0),
    )
    assert [proof.path for proof in proofs["T008"]] == ["screenshots/any.png"]
    assert reading.used == {"proofs/T007/run-12/lamp.png", "workspaces/x/proofs/run_12/a.log", "screenshots/any.png"}


def test_proofs_of_no_known_task_join_the_list() -> None:
    """With a task list, proofs that cannot be placed belong there."""
    files = {"todo.json": _TODO, "HANDOFF_12_T007.md": _CONTEXT, "proofs/T999/a.png": ""}
    proofs = {handoff.id: len(handoff.proofs) for handoff in read_with(HUB, MemoryFiles(files)).handoffs}
    assert proofs == {"T007": 0, "todo": 1}


def test_proofs_without_a_hub_are_left_alone() -> None:
    """A folder of that name in another repository is none of our business."""
    reading = read_with(HUB, MemoryFiles({"proofs/T007/a.png": ""}))
    assert (reading.handoffs, reading.used) == ([], set())
