"""How often a claim is found, and a false one called false, in documents whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.claim_sentences import COUNTS
from tests.support.claim_worlds import (
    FORMATS,
    Scores,
    build_single_documents,
    build_world,
    find_numbers,
    judge_counts,
    judge_world,
)

LEAST_PRECISION = 0.95
LEAST_RECALL = 0.9


def measure(folder: Path, seeds: range) -> Scores:
    scores = Scores()
    for seed in seeds:
        for kind in FORMATS:
            judge_world(build_world(folder / f"{kind.name}{seed}", kind, seed), scores)
    return scores


def demand(scores: Scores) -> None:
    for name, table in (("claims", scores.claims), ("false", scores.false), ("was true", scores.was)):
        for kind, score in table.items():
            said = f"{name} {kind}\n{scores.show()}\n" + "\n".join(score.examples)
            assert score.precision >= LEAST_PRECISION, said
            assert score.recall >= LEAST_RECALL, said


def test_claims_of_known_truth_are_judged_rightly(tmp_path: Path) -> None:
    """Every kind is found, and called false only when it is, in every format."""
    demand(measure(tmp_path, range(2)))


@pytest.mark.slow
def test_claims_of_known_truth_are_judged_rightly_in_many_histories(tmp_path: Path) -> None:
    """The same with other orders, truths and names."""
    demand(measure(tmp_path, range(2, 40)))


@pytest.mark.parametrize("kind", FORMATS[:2], ids=lambda kind: kind.name)
def test_numbers_of_tests_have_a_grammar_and_a_role(tmp_path: Path, kind: object) -> None:
    """Expected, former and exemplary numbers are no results."""
    form = next(one for one in FORMATS if one is kind)
    head = form.head.replace("{0}", "{number}")
    paths = build_single_documents(tmp_path, form, [f"{head}\n## Test results\n\n{one.text}\n" for one in COUNTS])
    score = judge_counts(paths, find_numbers(tmp_path))
    assert score.precision >= 0.5, score.examples
    assert score.recall >= 0.4, score.examples
