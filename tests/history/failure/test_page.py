from __future__ import annotations

import json

from handoff_tui.history.failure.page import build_failed_page, build_failure_json, build_failure_page
from handoff_tui.history.failure.report import FailureReport, GoodMoment
from tests.support.attempt_records import FAILED, FAILURE
from tests.support.desk_states import find_section, list_lines


def test_page_begins_with_what_to_look_at_first() -> None:
    """Then that check whole, then the others in a line, then the run of the agent."""
    lines = list_lines(build_failure_page(FAILURE))
    assert lines[0] == "■ blocked  H-3 · build · attempt 2  3/5 passed, 2 checks fail"
    assert lines[1] == "look first at build"
    assert "holds back    tests" in lines
    assert "not set here  TOKEN" in lines
    assert "↷ skipped  tests  it needs build" in lines
    assert "maker, failed, exit code 1, 1m" in lines
    assert "? no earlier run succeeded here to compare it with" in lines


def test_output_is_shown_folded_and_safe() -> None:
    """Errors are marked by a glyph, and no control character reaches the screen."""
    lines = list_lines(build_failed_page(FAILED))
    assert "       ⋯ 10 lines" in lines
    assert any(line.startswith("  11 ✗ error: all ␛[2Jclear") for line in lines)
    assert not any("\x1b" in line or "\u202e" in line for line in lines)
    # the same lines are no finding as well
    assert not any("one error:" in line for line in lines)


def test_what_changed_since_it_passed_is_listed() -> None:
    """Which moment, which files, which settings, and how it ended before."""
    page = build_failed_page(FAILED)
    since = find_section(page, "Since it last passed")
    assert since[0] == "commit 5555555, 2026-01-01T00:00:00Z: H-2, attempt 1 (sha256:aaaaaaaaaaaa)"
    assert "    modified    build.sh  named by a finding  declares packages" in since
    assert "    … and 2 more" in since
    assert "    was  not set" in find_section(page, "Command and settings")
    met = find_section(page, "Earlier failures")
    assert met[0].startswith("✓ fixed  H-1 · build · attempt 2, reject by bo")
    assert met[1] == "    shown by attempt 3, approve by cy at 2026-01-02T00:00:00Z, commit 6666666"
    assert "  $ handoff-tui bisect build" in list_lines(page)
    assert "  $ handoff-tui bisect build --handoff H-3" in list_lines(build_failed_page(FAILED, "H-3"))


def test_pass_that_only_this_machine_knows_is_said_to_be_so() -> None:
    """No commit is named that nobody recorded."""
    failed = FAILED.model_copy(update={"last_good": GoodMoment(source="cache", time="2026-01-01T00:00:00+00:00")})
    [first, *_] = find_section(build_failed_page(failed), "Since it last passed")
    assert "on files nobody recorded" in first


def test_nothing_fails() -> None:
    """One line."""
    lines = list_lines(build_failure_page(FailureReport(blocked=False, passed=2, total=2)))
    assert lines == ["✓ nothing fails  all checks  2/2 passed"]


def test_search_is_not_offered_where_it_cannot_answer() -> None:
    """What was pushed by then is in no commit."""
    page = build_failed_page(FAILED.model_copy(update={"can_bisect": False}))
    assert not any("bisect" in line or "broke it" in line for line in list_lines(page))


def test_failure_has_its_shape() -> None:
    """Each failed check is a result with what is known of it; the first is named."""
    value = json.loads(json.dumps(build_failure_json(FAILURE)))
    assert (value["schema"], value["first"], value["blocked"]) == ("handoff-tui/failure/v1", "build", True)
    first, second = value["failed"]
    assert (first["id"], first["outcome"], first["holds_back"]) == ("build", "fail", ["tests"])
    assert first["output"]["lines"][0] == {"number": 1, "text": "", "is_error": False, "folded": 10}
    assert (second["last_good"], second["files"]) == (None, None)


def test_nothing_fails_json() -> None:
    """Then there is no first."""
    value = build_failure_json(FailureReport(blocked=False, passed=2, total=2))
    assert (value["first"], value["failed"]) == (None, [])
