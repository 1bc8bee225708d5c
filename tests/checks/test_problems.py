"""Problems: what goes back to one cause is one, what does not stays apart."""

from __future__ import annotations

from handoff_tui.checks.problems import find_problems
from handoff_tui.checks.report import UNCONSENTED, Evidence, Finding, Outcome
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState, build_claim
from handoff_tui.status.inbox_item import Unmeasured
from tests.support.check_reports import build_report, build_result


def _find(message: str, line: int) -> Finding:
    return Finding(message=message, fingerprint=message, evidence=(Evidence(path="HANDOFF.md", line=line),))


def test_each_false_claim_of_a_document_is_a_problem_of_its_own() -> None:
    """Together with the finding about it; what another rule says about the whole file is one problem."""
    claims = (("test/a.js", 3), ("test/b.js", 4))
    verdicts = [
        Verdict(
            claim=build_claim(ClaimKind.FILE_CREATED, Place(path="HANDOFF.md", line=line), path, subject=path),
            state=VerdictState.CONTRADICTED,
        )
        for path, line in claims
    ]
    report = build_report(
        build_result("claims-hold", Outcome.FAIL, *(_find(f"says {path}", line) for path, line in claims)),
        build_result("no-skips", Outcome.FAIL, _find("skips one", 8), _find("skips another", 9)),
    )
    titles = [problem.title for problem in find_problems(report, verdicts)]
    assert titles == [
        "test/a.js was not created in this work",
        "test/b.js was not created in this work",
        "Skips one (1 more like it)",
    ]


def test_what_was_not_run_is_no_failure() -> None:
    """It stops an approval, comes after what was measured, and says what is missing: a run, or consent to one."""
    report = build_report(
        build_result("unit", Outcome.UNKNOWN).model_copy(update={"summary": "`pytest` was not run here yet"}),
        build_result("lint", Outcome.ERROR).model_copy(update={"summary": f"`ruff` {UNCONSENTED}"}),
        build_result("no-skips", Outcome.FAIL, _find("skips one", 8)),
    )
    told = [(problem.title, problem.blocks, problem.fails, problem.unmeasured) for problem in find_problems(report)]
    assert told[0] == ("Skips one", True, True, None)
    assert set(told[1:]) == {
        ("`pytest` was not run here yet", True, False, Unmeasured.NOT_RUN),
        (f"`ruff` {UNCONSENTED}", True, False, Unmeasured.NO_CONSENT),
    }
