"""Documents whose author had not read the grammar; it was improved on them since, and must not fall behind that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.blind_claims import Tally, World, load_samples, measure


def _share(tally: Tally, others: int) -> float:
    right = sum(tally.right.values())
    return right / (right + others)


@pytest.mark.parametrize(
    ("name", "alarms_right", "alarms_raised", "claims_right", "claims_found"),
    [
        ("blind_claims.toml", 0.97, 0.93, 0.97, 0.95),
        ("blind_documents.toml", 0.97, 0.88, 0.98, 0.95),
        ("blind_reports.toml", 0.97, 0.77, 0.98, 0.8),
    ],
)
def test_claims_of_documents_written_blind(
    tmp_path: Path, name: str, alarms_right: float, alarms_raised: float, claims_right: float, claims_found: float
) -> None:
    """Of `contradicted`, and of what is taken for a claim, so many are right; of what there is, so much is found."""
    recognised, contradicted = measure(load_samples(name), World.build(tmp_path / "library"))
    report = "\n".join((*recognised.rows(), *contradicted.rows(), *recognised.lines, *contradicted.lines))
    assert _share(contradicted, sum(contradicted.wrong.values())) >= alarms_right, report
    assert _share(contradicted, sum(contradicted.missed.values())) >= alarms_raised, report
    assert _share(recognised, sum(recognised.wrong.values())) >= claims_right, report
    assert _share(recognised, sum(recognised.missed.values())) >= claims_found, report
