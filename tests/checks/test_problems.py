"""Problems: what goes back to one cause is one, what does not stays apart."""

from __future__ import annotations

from handoff_tui.checks.problems import find_problems
from handoff_tui.checks.report import Evidence, Finding, Outcome
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState, build_claim
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
