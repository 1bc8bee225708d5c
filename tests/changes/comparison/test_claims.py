from __future__ import annotations

from handoff_tui.changes.comparison.claims import compare_claims
from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, Snapshot
from tests.support.snapshots import build_package, build_snapshot


def build(packages: int, tests: int, **claimed: ClaimedTotals) -> Snapshot:
    """That many packages and passing tests, and what documents claim."""
    return build_snapshot(
        packages={f"manifest:p{number}": build_package(f"p{number}") for number in range(packages)},
        tests={f"t{number}": "pass" for number in range(tests)},
        claimed=claimed,
    )


def test_number_stands_beside_what_is_here_and_what_was() -> None:
    """In words, as a reviewer would say it."""
    (check,) = compare_claims(build(21, 0), build(22, 0, H2=ClaimedTotals(where="r.md", packages=22)))
    assert check.text == "says 22 packages, baseline had 21, here are 22"
    assert (check.handoff, check.what, check.where) == ("H2", "packages", "r.md")
    assert (check.claimed, check.measured, check.before, check.agrees) == (22, 22, 21, True)


def test_number_that_is_wrong_does_not_agree() -> None:
    """Even when it is what the baseline had."""
    totals = ClaimedTotals(where="r.md", baseline_packages=21)
    (check,) = compare_claims(build(21, 0), build(22, 0, H2=totals))
    assert check.agrees is False
    assert check.text == "says 21 packages, baseline had 21, here are 22"


def test_full_regression_is_compared_part_by_part() -> None:
    """An error counts as a failure."""
    tests = {"a": "pass", "b": "fail", "c": "error", "d": "skipped"}
    totals = ClaimedTotals(
        where="r.md", regression={"total": 4, "passed": 1, "failed": 1, "skipped": 1}, baseline_tests=4
    )
    checks = compare_claims(build_snapshot(), build_snapshot(tests=tests, claimed={"H1": totals}))
    assert {check.what: (check.measured, check.agrees) for check in checks} == {
        "regression.total": (4, True),
        "regression.passed": (1, True),
        "regression.failed": (2, False),
        "regression.skipped": (1, True),
        "baseline.tests": (4, True),
    }


def test_own_tests_can_only_be_too_many() -> None:
    """They are a part of what is here, and which part is not known."""
    totals = ClaimedTotals(where="r.md", tests={"total": 3, "failed": 1})
    total, failed = compare_claims(build(0, 0), build(0, 3, H1=totals))
    assert (total.agrees, total.measured, total.text) == (None, None, "says 3 tests of its own, here are 3 in all")
    assert (failed.agrees, failed.text) == (
        False,
        "says 1 failed test of its own, here are 0 in all, fewer than that",
    )


def test_without_reports_nothing_is_measured() -> None:
    """What was not read is not zero."""
    totals = ClaimedTotals(where="r.md", packages=1, tests={"total": 2}, regression={"total": 9})
    checks = compare_claims(build(0, 0), build(0, 0, H1=totals))
    assert [(check.measured, check.agrees) for check in checks] == [(None, None)] * 3
    assert checks[0].text == "says 1 package, the baseline has no count of them, here they could not be counted"
    assert checks[1].text == "says 2 tests of its own, here are no test reports to count them"


def test_without_a_baseline_it_is_said() -> None:
    """The measurement of now stands all the same."""
    (check,) = compare_claims(None, build(1, 0, H1=ClaimedTotals(where="r.md", packages=2)))
    assert check.text == "says 2 packages, no snapshot to compare with, here is 1"
    assert (check.before, check.agrees) == (None, False)


def test_without_a_baseline_an_older_document_is_not_contradicted() -> None:
    """Which of two is the latest is not known; the one that is named is judged."""
    after = build(2, 0, H1=ClaimedTotals(where="1.md", packages=1), H2=ClaimedTotals(where="2.md", packages=2))
    old, new = compare_claims(None, after)
    assert (old.agrees, new.agrees) == (None, True)
    assert old.text.endswith("; which of 2 documents is the latest is not known")
    (named,) = compare_claims(None, after, "H1")
    assert named.agrees is False
    assert compare_claims(None, after, "H9") == ()


def test_document_of_the_baseline_that_says_the_same_is_left_out() -> None:
    """It spoke of its own time; one that says something else now is compared."""
    old = ClaimedTotals(where="1.md", packages=1)
    before = build(1, 0, H1=old)
    assert compare_claims(before, build(2, 0, H1=old)) == ()
    (check,) = compare_claims(before, build(2, 0, H1=ClaimedTotals(where="1.md", packages=2)))
    assert (check.previous, check.text) == (1, "says 2 packages, baseline had 1, here are 2; it said 1 before")


def test_previous_document_is_told_with_what_is_fewer() -> None:
    """The highest that any document of the baseline said; fewer failures are no loss."""
    before = build_snapshot(
        claimed={
            "H1": ClaimedTotals(where="1.md", baseline_packages=5, regression={"failed": 3}),
            "H2": ClaimedTotals(where="2.md", baseline_packages=7),
        }
    )
    totals = ClaimedTotals(where="3.md", baseline_packages=6, regression={"failed": 0})
    failed, packages = compare_claims(before, build_snapshot(claimed={"H3": totals}))
    assert (packages.previous, failed.previous) == (7, 3)
    assert packages.text.endswith("; H2 said 7 before: 1 fewer")
    assert failed.text.endswith("; H1 said 3 before")


def test_packages_of_other_makes_count_where_no_manifest_is() -> None:
    """The builder's documents count manifests only."""
    python = build_package("x", kind="python")
    totals = ClaimedTotals(where="r.md", packages=1)
    for packages in ({"p": python}, {"p": python, "m": build_package("y")}):
        (check,) = compare_claims(None, build_snapshot(packages=packages, claimed={"H1": totals}))
        assert check.measured == 1
