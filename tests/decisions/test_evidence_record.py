from __future__ import annotations

from handoff_tui.checks.report import CheckResult, Evidence, Finding, Outcome, Remedy
from handoff_tui.core.severity import Severity
from handoff_tui.decisions.evidence_record import build_record, build_shown_check, count_differences, measure
from handoff_tui.decisions.examine import ExaminedGate, examine
from handoff_tui.handoffs.claim import VerdictState
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.entry import DecisionVerb
from handoff_tui.log.open_log import open_log
from handoff_tui.log.review_record import Comment
from handoff_tui.log.storage.evidence import encode_review, read_review, write_review
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.signed import Person


def look(desk: GateDesk) -> ExaminedGate:
    opened = open_session(desk.root)
    return examine(opened, open_log(opened.repository), HANDOFF)


def test_record_is_what_stands_at_this_moment(gate_desk: GateDesk) -> None:
    """Every check, every false claim, the comments and what was read; the same bytes each time."""
    gate_desk.change("Status: COMPLETE\n\nCreated `src/gone.py` and `src/app.py`.\n", "HANDOFF.md")
    examined = look(gate_desk)
    remark = Comment(text="why?", path="src/app.py", line=2)
    record = build_record(examined, (remark,), ("b", "a", "b"), DecisionVerb.OVERRIDE)
    assert (record.handoff, record.subject) == (HANDOFF, examined.subject)
    assert {check.id for check in record.checks} == {result.id for result in examined.report.results}
    assert [claim.where.partition(":")[0] for claim in record.contradicted] == ["HANDOFF.md"]
    assert (record.comments, record.viewed) == ((remark,), ("a", "b"))
    assert record.overridden == examined.failing == ("claims-hold",)
    again = build_record(look(gate_desk), (remark,), ("a", "b"), DecisionVerb.OVERRIDE)
    assert encode_review(again) == encode_review(record)


def test_claims_are_measured_deeply(gate_desk: GateDesk) -> None:
    """Each beside what is here."""
    gate_desk.change("Status: COMPLETE\n\nCreated `src/app.py`.\n", "HANDOFF.md")
    states = {verdict.state for verdict in measure(look(gate_desk))}
    assert VerdictState.HOLDS in states


def test_differences_are_counted_against_the_baseline(gate_desk: GateDesk, bo: Person) -> None:
    """None without one; then the files, and what is unexplained."""
    assert count_differences(look(gate_desk)) == {}
    gate_desk.decide(bo, "approve")
    gate_desk.builder.write("new.py", "x = 1\n")
    gate_desk.change(CODE + "# more\n")
    assert count_differences(look(gate_desk)) == {
        "files": 2,
        "unexplained": 0,
        "newly_failing": 0,
        "vanished_tests": 0,
        "newly_skipped": 0,
    }


def test_text_that_is_no_text_can_be_stored(gate_desk: GateDesk) -> None:
    """A file name that is no UTF-8 and comments with half a character come back as something readable."""
    remark = Comment(text="x\udc80" * 3000, path="a\udcff.py")
    record = build_record(look(gate_desk), (remark,), ("b\udcfe",), DecisionVerb.REJECT)
    digest = write_review(gate_desk.root, record)
    stored = read_review(gate_desk.root, digest)
    assert stored == record
    assert (stored.viewed, stored.comments[0].path) == (("b\\udcfe",), "a\\udcff.py")
    assert len(stored.comments[0].text) == 3000 * len("x\\udc80")


def test_shown_check_has_its_remedy_only_while_it_is_open() -> None:
    """Findings with their places, cut where they are long."""
    finding = Finding(message="m" * 900, fingerprint="f", evidence=(Evidence(), Evidence(path="a.py", line=3)))
    result = CheckResult(
        id="tests",
        outcome=Outcome.FAIL,
        severity=Severity.HIGH,
        blocking=True,
        summary="one",
        findings=(finding,),
        remedy=Remedy(text="Run them.", commands=("make test",)),
    )
    shown = build_shown_check(result)
    assert (shown.remedy, shown.commands) == ("Run them.", ("make test",))
    assert (len(shown.findings[0].message), shown.findings[0].where) == (500, "a.py:3")
    errored = build_shown_check(result.model_copy(update={"outcome": Outcome.ERROR, "findings": ()}))
    assert errored.remedy == "Run them."
    passed = build_shown_check(result.model_copy(update={"outcome": Outcome.PASS, "findings": ()}))
    assert (passed.remedy, passed.commands) == ("", ())
