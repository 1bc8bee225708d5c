"""How often a claim is found, and a false one called false, in documents whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.claims.blocking import find_blocking
from handoff_tui.handoffs.handoff import Handoff
from tests.support.claim_sentences import BLOCKERS, COUNTS, WORDS
from tests.support.claim_worlds import (
    FORMATS,
    Files,
    Scores,
    build_single_documents,
    build_world,
    find_numbers,
    import_history,
    judge_counts,
    judge_world,
    measure_all,
    read_by_path,
)
from tests.support.repositories import RepositoryBuilder

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
    """Expected, former and exemplary numbers aren't results."""
    form = next(one for one in FORMATS if one is kind)
    head = form.head.replace("{0}", "{number}")
    paths = build_single_documents(tmp_path, form, [f"{head}\n## Test results\n\n{one.text}\n" for one in COUNTS])
    score = judge_counts(paths, find_numbers(tmp_path))
    assert score.precision >= LEAST_PRECISION, score.examples
    assert score.recall >= LEAST_RECALL, score.examples


def test_packages_are_counted_when_they_were_claimed(tmp_path: Path) -> None:
    """Each document counts one package more; every second one counts one too many."""
    head = FORMATS[1].head
    steps: list[tuple[Files, str]] = [({"README.md": "A project.\n"}, "begin")]
    for number in range(1, 9):
        said = f"{head.format(number)}\n## Baseline Snapshot\n\n- Packages installed: {number + number % 2}\n"
        files: Files = {f"PKG-{number}/manifest.json": "{}", FORMATS[1].path.format(number): said}
        steps.append((files, f"hand over {number}"))
    builder = RepositoryBuilder.init(tmp_path)
    import_history(builder, steps)
    builder.git("reset", "--quiet", "--hard", "main")
    told = [one for _, verdicts in measure_all(tmp_path) for one in verdicts if one.claim.kind is ClaimKind.BASELINE]
    states = {one.claim.where.path: one.state.value for one in told}
    expected = ("holds", "contradicted")
    assert states == {FORMATS[1].path.format(number): expected[number % 2] for number in range(1, 9)}


def write_note(body: str) -> str:
    head = "# Handoff {number}\n\n**From:** ada\n\n"
    front = body.startswith("---")
    return (f"{body}\n\n{head}" if front else f"{head}{body}\n\n") + "## Next steps\n\n- Go on\n"


def test_author_is_quoted_and_a_bad_word_is_never_ready(tmp_path: Path) -> None:
    """Whatever the field is called: as written, sorted, and no gate without a reason against it."""
    paths = build_single_documents(tmp_path, FORMATS[0], [write_note(one.text) for one in WORDS])
    found = read_by_path(tmp_path, lambda handoff: handoff)
    wrong = []
    for path, one in zip(paths, WORDS, strict=True):
        handoff = found[path]
        assert isinstance(handoff, Handoff)
        words = [(word.sort.value, one.words in word.text) for word in handoff.words]
        if (one.sort, True) not in words:
            wrong.append((one, handoff.words))
        if one.sort == "bad":
            assert list(find_blocking(handoff, {}, (), ())), one
    assert wrong == []


def test_blockers_are_those_that_block(tmp_path: Path) -> None:
    """`Nothing blocking`, `0`, a ticked or struck-out entry are none."""
    paths = build_single_documents(tmp_path, FORMATS[0], [write_note(one.text) for one in BLOCKERS])
    found = read_by_path(tmp_path, lambda handoff: sum(blocker.open for blocker in handoff.blockers))
    assert [(one.text, found[path]) for path, one in zip(paths, BLOCKERS, strict=True)] == [
        (one.text, one.open) for one in BLOCKERS
    ]
