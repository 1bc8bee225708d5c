from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from handoff_tui.agents.proofs import (
    MeasuredProof,
    TaskProofs,
    build_proofs_json,
    build_proofs_page,
    list_proofs,
    read_picture,
)
from handoff_tui.core.errors import UnsafePathError
from handoff_tui.core.tasks import Proof, ProofKind
from handoff_tui.core.text.page import Line
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


def make_proof(recorded: str | None, path: str = "proofs/a.png") -> MeasuredProof:
    return MeasuredProof(path=path, kind=ProofKind.SCREENSHOT, sha256="a" * 64, recorded=recorded)


def join(tasks: tuple[TaskProofs, ...]) -> str:
    parts = build_proofs_page("T1", tasks).parts
    return "\n".join("".join(cell.text for cell in part.cells) for part in parts if isinstance(part, Line))


@pytest.mark.parametrize(
    ("recorded", "words"), [("a" * 64, "as recorded"), ("b" * 64, "changed since"), (None, "not recorded")]
)
def test_proof_says_whether_it_is_what_was_recorded(recorded: str | None, words: str) -> None:
    """In words, never by colour alone."""
    assert words in join((TaskProofs(task="T1", proofs=(make_proof(recorded),)),))


def test_hostile_names_are_shown_not_obeyed() -> None:
    """A path is an agent's word."""
    assert "\x1b" not in join((TaskProofs(task="\x1b[31m", proofs=(make_proof(None, "a\x1b]52;c;x\x07.png"),)),))


def test_no_proofs_are_said_to_be_none() -> None:
    """An empty list is no answer."""
    assert "none offered" in join(())
    assert build_proofs_json(()) == []


def test_json_has_every_proof_with_its_task() -> None:
    """And whether it holds."""
    [row] = build_proofs_json((TaskProofs(task="T1", proofs=(make_proof("a" * 64),)),))
    assert (row["task"], row["holds"]) == ("T1", True)
