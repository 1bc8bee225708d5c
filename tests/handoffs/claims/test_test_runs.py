"""Claimed numbers of tests stand beside what the test commands counted here, on the same content."""

from __future__ import annotations

import pytest

from handoff_tui.checks.run.check import check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.handoffs.claim import ClaimKind, VerdictState
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.grammar.counts import count_output
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.system.files.named_files import find_config_folder
from tests.support.repositories import RepositoryBuilder

CONFIG = "[checks.tests]\nrun = ['echo', {!r}]\n"
HOLDS, FALSE, OPEN = VerdictState.HOLDS, VerdictState.CONTRADICTED, VerdictState.UNVERIFIED


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    """Three tests are claimed."""
    builder.write("README.md").commit("start")
    return builder.write("HANDOFF.md", "# Handoff\n\n## Tests\n\nAll 3 tests pass.\n").write("src/a.py", "one\n")


def run_tests(work: RepositoryBuilder, output: str) -> None:
    """The user's own command says what it counted."""
    folder = find_config_folder()
    assert folder is not None
    place = folder / "config.toml"
    folder.mkdir(parents=True, exist_ok=True)
    place.write_text(CONFIG.format(output.strip()), encoding="utf-8")
    session = open_session(work.folder)
    check(session, CheckRequest(run_commands=True))


def list_states(work: RepositoryBuilder, *, counts_runs: bool = True) -> set[VerdictState]:
    session = open_session(work.folder)
    handoffs = read_repository(session).result.handoffs
    evidence = RepositoryEvidence(session, counts_runs=counts_runs)
    prepare(evidence, handoffs, handoffs)
    return {one.state for one in measure_claims(handoffs[0], evidence) if one.claim.kind is ClaimKind.COUNT}


@pytest.mark.parametrize(
    ("output", "states"),
    [
        ("=== 3 passed, 1 skipped in 0.10s ===\n", {HOLDS}),
        ("1 failed, 2 passed in 0.10s\n", {HOLDS, FALSE}),  # three tests, but not three passed
        ("7 passed in 0.10s\n", {OPEN}),  # others than those that are claimed
        ("2 passed in 0.10s\n", {FALSE}),  # fewer than are claimed
        ("no summary\n", {OPEN}),
    ],
)
def test_claimed_numbers_are_measured_by_a_run_here(
    work: RepositoryBuilder, output: str, states: set[VerdictState]
) -> None:
    """As many tests are the same tests; a gate, which is the same in every clone, counts no runs of this machine."""
    run_tests(work, output)
    assert list_states(work) == states
    assert list_states(work, counts_runs=False) == {OPEN}


def test_run_counts_for_the_content_it_saw(work: RepositoryBuilder) -> None:
    """Committing it and changing documents isn't a difference; an edit is, until it is taken back."""
    run_tests(work, "3 passed in 0.10s\n")
    work.commit("work").write("HANDOFF.md", "# Handoff\n\n## Tests\n\nAll 3 tests pass, all of them.\n")
    assert list_states(work) == {HOLDS}
    work.write("src/a.py", "two\n")
    assert list_states(work) == {OPEN}
    work.write("src/a.py", "one\n")
    assert list_states(work) == {HOLDS}
    work.write("src/a.py", "two\n").commit("more work")
    assert list_states(work) == {OPEN}


@pytest.mark.parametrize(
    ("output", "passed", "failed", "skipped"),
    [
        ("test result: ok. 3 passed; 0 failed; 1 ignored\n\ntest result: ok. 4 passed; 0 failed\n", 7, 0, None),
        ("Tests:       1 failed, 4 passed, 5 total\nTest Suites: 2 passed, 2 total\n", 4, 1, None),
        ("Ran 5 tests in 0.1s\n\nFAILED (failures=1, skipped=1)\n", None, 1, 1),
        ("  12 passing (30ms)\n  1 failing\n", 12, 1, None),
        ("all is well\n", None, None, None),
    ],
)
def test_outputs_of_runners_are_summed(
    output: str, passed: int | None, failed: int | None, skipped: int | None
) -> None:
    """Several runs in one output are one sum."""
    counts = count_output(output)
    found = (counts.passed, counts.failed, counts.skipped) if counts is not None else (None, None, None)
    assert found == (passed, failed, skipped)
