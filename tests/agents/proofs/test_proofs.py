from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from handoff_tui.agents.proofs import list_proofs, read_picture
from handoff_tui.core.errors import UnsafePathError
from handoff_tui.core.tasks import Proof, ProofKind
from handoff_tui.handoffs.handoff import Handoff
from tests.support.pictures import build_png
from tests.support.stepping import HANDOFF, Stepping


def test_proofs_are_listed_by_task_with_those_of_runs(stepping: Stepping) -> None:
    """What a document names is hashed as it is; an output that was changed does not hold."""
    report = stepping.step()
    stepping.builder.write("proofs/a.log", "log\n")
    proofs = (
        Proof(path="proofs/a.log", kind=ProofKind.LOG, task="T-1", run="R-1"),
        Proof(path="proofs/gone.png", kind=ProofKind.SCREENSHOT, task="T-1"),
    )
    handoff = Handoff(id=HANDOFF, dialect="notes", proofs=proofs)
    task, whole = list_proofs(stepping.desk(), handoff)
    assert (task.task, whole.task) == ("T-1", None)
    assert [proof.sha256 for proof in task.proofs] == [hashlib.sha256(b"log\n").hexdigest(), None]
    assert (whole.proofs[0].run, whole.proofs[0].holds) == ("build 1.1", True)
    Path(report.proof).write_text("forged", encoding="utf-8")
    assert list_proofs(stepping.desk(), handoff)[1].proofs[0].holds is False


def test_screenshot_is_read_inside_the_repository_alone(stepping: Stepping, tmp_path: Path) -> None:
    """A link out of it is refused."""
    content = build_png(1, 1, [bytes((1, 2, 3))])
    stepping.builder.write("proofs/a.png", content)
    assert read_picture(stepping.desk(), "proofs/a.png").pixels == bytes((1, 2, 3))
    (tmp_path / "outside.png").write_bytes(content)
    stepping.builder.link("proofs/b.png", tmp_path / "outside.png")
    with pytest.raises(UnsafePathError):
        read_picture(stepping.desk(), "proofs/b.png")
