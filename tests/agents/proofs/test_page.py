"""Proofs of work in words."""

from __future__ import annotations

import pytest

from handoff_tui.agents.proofs import MeasuredProof, TaskProofs, build_proofs_json, build_proofs_page
from handoff_tui.core.tasks import ProofKind
from handoff_tui.core.text.page import Line


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
