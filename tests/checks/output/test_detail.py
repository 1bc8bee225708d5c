from __future__ import annotations

from datetime import timedelta

from handoff_tui.checks.output.detail import build_check_detail, build_group_detail, list_places
from handoff_tui.checks.report import ConsentState
from handoff_tui.checks.result import Evidence, Finding, Outcome, Remedy
from handoff_tui.core.place import Place
from handoff_tui.tui.views.checks.rows import CheckRows
from tests.support.check_reports import build_report, build_result
from tests.support.inbox_items import MOMENT
from tests.support.reviewed import list_lines

FINDINGS = (
    Finding(
        message="the hash of a.py is another",
        fingerprint="1",
        evidence=(Evidence(path="a.py", line=3, expected="aa", actual="bb"),),
    ),
    Finding(message="so is this", fingerprint="2", evidence=(Evidence(path="a.py", line=3), Evidence(path="b.py"))),
)
RESULT = build_result(
    "hashes-hold",
    Outcome.FAIL,
    *FINDINGS,
    remedy=Remedy(text="Hash it again.", commands=("sha256sum a.py",)),
).model_copy(update={"log": "logs/hashes"})


def test_detail_has_evidence_expectation_remedy_and_command() -> None:
    """Expected and actual one under the other, the command to copy last."""
    lines = list_lines(build_check_detail(RESULT, build_report(RESULT)))
    assert "hashes-hold" in lines[0]
    assert "blocks" in lines[0]
    assert "    at        a.py:3" in lines
    place = lines.index("    expected  aa")
    assert lines[place + 1] == "    actual    bb"
    assert "Action required" in lines
    assert "  $ sha256sum a.py" in lines
    assert "output: logs/hashes" in lines


def test_detail_says_how_old_the_result_is() -> None:
    """Cached or run: when that was."""
    ran = RESULT.model_copy(update={"ran_at": MOMENT - timedelta(minutes=3)})
    assert "ran 3 min ago" in list_lines(build_check_detail(ran, None, MOMENT))[0]
    cached = ran.model_copy(update={"from_cache": True})
    assert "cached 3 min ago" in list_lines(build_check_detail(cached, None, MOMENT))[0]


def test_places_are_all_that_the_findings_name_each_once() -> None:
    """In their order: what one jumps to."""
    assert list_places(RESULT) == (Place(path="a.py", line=3), Place(path="b.py"))
    assert list_places(build_result("x", Outcome.PASS)) == ()


def test_passed_check_says_what_holds() -> None:
    """Its summary stands in place of findings."""
    result = build_result("x", Outcome.PASS, summary="Everything is as it was.")
    assert "Everything is as it was." in list_lines(build_check_detail(result))


def test_heading_tells_what_the_run_rests_on() -> None:
    """Numbers, the baseline, and commands that wait for trust."""
    report = build_report(RESULT).model_copy(update={"trust": ConsentState(digest="sha256:12", trusted=False)})
    group = CheckRows(report).groups[0]
    lines = list_lines(build_group_detail(group, report))
    assert lines[0] == "Blocking  1 check"
    assert any("without your consent" in line for line in lines)
    assert "  $ handoff-tui check --trust sha256:12" in lines


def test_text_of_a_finding_is_shown_and_never_obeyed() -> None:
    """Escape sequences are spelled out."""
    finding = Finding(message="\x1b[2Jgone", fingerprint="1", evidence=(Evidence(actual="\u202e"),))
    text = "\n".join(list_lines(build_check_detail(build_result("x", Outcome.FAIL, finding))))
    assert "␛[2Jgone" in text
    assert "⟨U+202E⟩" in text
