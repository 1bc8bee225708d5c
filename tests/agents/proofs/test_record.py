from __future__ import annotations

from handoff_tui.agents.proofs import MeasuredProof
from handoff_tui.core.tasks import ProofKind


def test_proof_holds_when_it_is_what_was_recorded() -> None:
    """Where nothing was recorded, nothing is said."""
    proof = MeasuredProof(path="x", kind=ProofKind.LOG, sha256="a", recorded="a")
    assert proof.holds is True
    assert proof.model_copy(update={"sha256": None}).holds is False
    assert proof.model_copy(update={"recorded": None}).holds is None
