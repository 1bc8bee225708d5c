"""What people see of checks, diagnoses and hooks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from handoff_tui.checks.hooks.doctor_report import Diagnosis, DoctorReport, build_doctor_json, build_doctor_page
from handoff_tui.checks.hooks.hook_files import (
    HookDeed,
    HookName,
    HookReport,
    HookStep,
    build_hooks_json,
    build_hooks_page,
)
from handoff_tui.checks.output.page import build_check_list_page, build_check_page
from handoff_tui.checks.output.words import build_check_detail, build_group_detail, list_places
from handoff_tui.checks.report import ConsentState, Evidence, Finding, Outcome, Remedy, RuleInfo
from handoff_tui.core.place import Place, Severity
from handoff_tui.core.text.page import Grid, Line, Page
from handoff_tui.tui.views.evidence.rows import CheckRows
from tests.support.check_reports import build_report, build_result
from tests.support.desk_states import MOMENT, list_lines, render_page


def test_many_passes_are_counted_unless_all_are_asked_for() -> None:
    """A few are listed, many are a number; one that wavers is always shown."""
    results = [build_result(f"rule-{number}") for number in range(12)]
    results.append(build_result("wavering").model_copy(update={"flaky": True}))
    report = build_report(*results)
    short, whole = render_page(build_check_page(report)), render_page(build_check_page(report, everything=True))
    assert "rule-3" not in short
    assert "wavering" in short
    assert "12 passed; --all lists them" in short
    assert "rule-3" in whole


def test_reason_common_to_all_is_said_once() -> None:
    """A first run does not repeat itself on each line."""
    results = [
        build_result(name).model_copy(update={"rerun_because": "no earlier result"}) for name in ("one", "two", "three")
    ]
    assert render_page(build_check_page(build_report(*results))).count("no earlier result") == 1


def test_not_applicable_is_one_line() -> None:
    """Counted; listed with reasons when all is asked for."""
    results = [build_result(f"n-{number}", Outcome.NOT_APPLICABLE, summary=f"why {number}") for number in range(3)]
    report = build_report(*results)
    assert "· 3 checks not applicable here" in render_page(build_check_page(report))
    assert "why 2" not in render_page(build_check_page(report))
    assert "why 2" in render_page(build_check_page(report, everything=True))


def test_baseline_is_named_or_its_absence_explained() -> None:
    """Against what was compared, or why against nothing."""
    report = build_report(build_result())
    none = report.model_copy(update={"baseline_reason": "nothing was approved yet", "head": None})
    text = render_page(build_check_page(none))
    assert "no baseline (nothing was approved yet)" in text
    assert "no commit yet" in text
    tagged = report.model_copy(update={"baseline": "v1.2", "baseline_reason": "as asked"})
    assert "against v1.2 (as asked)" in render_page(build_check_page(tagged))


FINDINGS = (
    Finding(
        message="the hash of a.py is another",
        fingerprint="1",
        evidence=(Evidence(path="a.py", line=3, expected="aa", actual="bb"),),
    ),
    Finding(message="so is this", fingerprint="2", evidence=(Evidence(path="a.py", line=3), Evidence(path="b.py"))),
)

RESULT = build_result(
    "hashes-hold", Outcome.FAIL, *FINDINGS, remedy=Remedy(text="Hash it again.", commands=("sha256sum a.py",))
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
    """It says when the check ran, also where the result is a remembered one."""
    ran = RESULT.model_copy(update={"ran_at": MOMENT - timedelta(minutes=3)})
    for result in (ran, ran.model_copy(update={"from_cache": True})):
        headline = list_lines(build_check_detail(result, None, MOMENT))[0]
        assert headline.endswith("ran 3 min ago")
        assert "cached" not in headline


def test_places_are_all_that_the_findings_name_each_once() -> None:
    """In their order: what one jumps to."""
    assert list_places(RESULT) == (Place(path="a.py", line=3), Place(path="b.py"))
    assert list_places(build_result("x", Outcome.PASS)) == ()


def test_heading_tells_what_the_run_rests_on() -> None:
    """Numbers, the baseline, and commands that wait for trust."""
    report = build_report(RESULT).model_copy(update={"trust": ConsentState(digest="sha256:12", trusted=False)})
    group = CheckRows(report).groups[0]
    lines = list_lines(build_group_detail(group, report))
    assert lines[0] == "Blocking  1 check"
    assert any("without your consent" in line for line in lines)
    assert "  $ handoff-tui check --trust sha256:12" in lines


RULE = RuleInfo(
    id="a-rule", system="all", severity=Severity.HIGH, blocking=True, holds="It holds.", reads="x", remedy="y"
)


def words(trust: ConsentState | None) -> str:
    parts = build_check_list_page([RULE], trust).parts
    cells = [cell for part in parts for row in (part.rows if isinstance(part, Grid) else (part.cells,)) for cell in row]
    assert all(isinstance(part, Grid | Line) for part in parts)
    return " ".join(cell.text for cell in cells)


@pytest.mark.parametrize(("trusted", "shown"), [(True, False), (False, True)])
def test_digest_is_offered_for_trust_until_it_is_trusted(trusted: bool, shown: bool) -> None:  # noqa: FBT001
    """The command to copy is there when it is needed."""
    text = words(ConsentState(digest="sha256:12", trusted=trusted))
    assert ("--trust sha256:12" in text) is shown


PLACES = tuple(Place(path=f"f{number}", line=number) for number in range(1, 8))

CI = Diagnosis.ok("ci", "CI runs the checks", PLACES)

PROMPT = Diagnosis.missing("agent-prompt:A.md", "silent", commands=("echo 1",))

TERMINAL = Diagnosis.unknown("terminal", "a pipe", counts=False)

STEPS = (
    HookStep(
        name=HookName.PRE_COMMIT, path="/h/pre-commit", earlier="/h/kept", deed=HookDeed.CHAIN, text="keep\x1b it"
    ),
    HookStep(name=HookName.PRE_PUSH, path="/h/pre-push", earlier=None, deed=HookDeed.NOTHING, text="is up to date"),
)


def build_doctor_report(*diagnoses: Diagnosis) -> DoctorReport:
    return DoctorReport(repo="/r\x1b", version="1", diagnoses=diagnoses)


def build_hook_report(verb: str, *, dry_run: bool = False) -> HookReport:
    notes = ("mind the gap",) if verb == "install" else ()
    return HookReport(repo="/r", folder="/h", shared=False, dry_run=dry_run, verb=verb, steps=STEPS, notes=notes)


def draw(page: Page) -> str:
    return "\n".join("".join(cell.text for cell in part.cells) for part in page.parts if isinstance(part, Line))


@pytest.mark.parametrize(
    ("second", "wired"),
    [
        (Diagnosis.ok("second", "there"), True),
        (PROMPT, False),
        (Diagnosis.unknown("second", "who knows"), False),
        (TERMINAL, True),
    ],
)
def test_repository_is_wired_if_every_part_that_counts_is(second: Diagnosis, *, wired: bool) -> None:
    """A part that can't be told counts against it, unless it doesn't count at all."""
    report = build_doctor_report(CI, second)
    assert build_doctor_json(report)["verdict"] == ("wired" if wired else "not-wired")
    assert draw(build_doctor_page(report)).endswith("The checks are enforced.") is wired


def test_doctor_page_shows_standing_evidence_and_command() -> None:
    """A glyph and a word, places, commands, and a verdict at the end; JSON shortens nothing."""
    report = build_doctor_report(CI, PROMPT, TERMINAL)
    text = draw(build_doctor_page(report))
    for words in ("✓ ok", "✗ missing", "? cannot tell", "f1:1", "$ echo 1", "and 3 more; --all", "1 part missing"):
        assert words in text
    assert "f7:7" in draw(build_doctor_page(report, everything=True))
    assert "\x1b" not in text
    told = build_doctor_json(report)
    assert isinstance(told["diagnoses"], list)
    assert (told["schema"], len(told["diagnoses"][0]["evidence"])) == ("handoff-tui/doctor/v1", 7)


@pytest.mark.parametrize(
    ("verb", "dry_run", "words"),
    [("install", False, "--no-verify"), ("install", True, "dry run"), ("uninstall", True, "dry run")],
)
def test_hooks_page_says_what_was_done_or_would_be(verb: str, words: str, *, dry_run: bool) -> None:
    """One line per hook, and what to know about it."""
    report = build_hook_report(verb, dry_run=dry_run)
    text = draw(build_hooks_page(report))
    for expected in ("pre-commit", "is up to date", words, *report.notes):
        assert expected in text
    assert "\x1b" not in text
    assert ("✓" in text) is not dry_run


def test_hooks_page_after_an_uninstall_says_only_what_was_done() -> None:
    """Nothing is installed any more that could be skipped."""
    assert len(draw(build_hooks_page(build_hook_report("uninstall"))).splitlines()) == len(STEPS)


def test_hooks_json_has_every_step() -> None:
    """The deed and where the earlier hook is kept."""
    told = build_hooks_json(build_hook_report("install"))
    assert told["schema"] == "handoff-tui/hooks/v1"
    assert isinstance(told["steps"], list)
    assert [(step["deed"], step["earlier"]) for step in told["steps"]] == [("chain", "/h/kept"), ("nothing", None)]
