from __future__ import annotations

import pytest

from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.runs.run import RunEnd, RunEnding
from handoff_tui.agents.step.judge import build_rewritten_notice, find_signs, is_tampering
from handoff_tui.agents.step.report import Notice, Sign
from handoff_tui.config.settings.hub import Hub
from handoff_tui.core.severity import Severity

BEFORE = Observation(head="a", branch="refs/heads/main", refs={"refs/heads/main": "a"}, tree="t1")
AFTER = BEFORE.model_copy(update={"head": "b", "tree": "t2", "refs": {"refs/heads/main": "b"}})
GOOD = RunEnd(ending=RunEnding.EXITED, code=0)


def signs(
    end: RunEnd = GOOD, before: Observation = BEFORE, after: Observation = AFTER, output: str = ""
) -> dict[Sign, Notice]:
    return {notice.sign: notice for notice in find_signs(end, before, after, output, Hub().suspicious_output)}


def test_good_run_has_no_signs() -> None:
    """A commit on its own branch is what it is for."""
    assert signs() == {}


@pytest.mark.parametrize(
    ("end", "sign"),
    [
        (RunEnd(ending=RunEnding.NOT_STARTED, failure="x: gone"), Sign.NOT_STARTED),
        (RunEnd(ending=RunEnding.EXITED, code=2), Sign.FAILED),
        (RunEnd(ending=RunEnding.SIGNALLED, signal=11), Sign.FAILED),
        (RunEnd(ending=RunEnding.TIMED_OUT, signal=15), Sign.TIMED_OUT),
        (RunEnd(ending=RunEnding.STOPPED, code=0), Sign.STOPPED),
        (RunEnd(ending=RunEnding.FLOODED, signal=15), Sign.FLOODED),
        (RunEnd(ending=RunEnding.LOST), Sign.LOST),
        (RunEnd(ending=RunEnding.EXITED, code=0, left_running=2), Sign.LEFT_RUNNING),
        (RunEnd(ending=RunEnding.EXITED, code=0, output_rewritten=True), Sign.OUTPUT_REWRITTEN),
    ],
)
def test_every_bad_end_has_its_sign(end: RunEnd, sign: Sign) -> None:
    """One, and the right one."""
    assert list(signs(end)) == [sign]


def test_exit_code_of_zero_without_work_is_a_sign() -> None:
    """A failed run without work has failed already."""
    assert list(signs(after=BEFORE)) == [Sign.DID_NOTHING]
    assert list(signs(RunEnd(ending=RunEnding.EXITED, code=1), after=BEFORE)) == [Sign.FAILED]


@pytest.mark.parametrize(
    ("change", "sign", "severity"),
    [
        ({"refs": {}, "branch": "refs/heads/main"}, Sign.BRANCH_DELETED, Severity.CRITICAL),
        ({"branch": "refs/heads/other"}, Sign.BRANCH_MOVED, Severity.HIGH),
        ({"branch": None}, Sign.BRANCH_MOVED, Severity.HIGH),
        ({"problem": "gone"}, Sign.UNREADABLE, Severity.CRITICAL),
        ({"own": {".handoff-tui/x": "1"}}, Sign.OWN_FOLDER_EDITED, Severity.HIGH),
        ({"own": {".handoff-tui/log/aa/x": "1"}}, Sign.OWN_FOLDER_EDITED, Severity.MEDIUM),
        ({"rules": {"handoff-tui.toml": "1"}}, Sign.CHECKS_EDITED, Severity.CRITICAL),
        ({"git_files": {"config": "2"}}, Sign.GIT_EDITED, Severity.HIGH),
        ({"guarded": {"~/.ssh": "2"}}, Sign.WROTE_OUTSIDE, Severity.HIGH),
        ({"neighbours": {"/x": "2"}}, Sign.WROTE_OUTSIDE, Severity.MEDIUM),
        ({"repository_tree": "t9"}, Sign.WROTE_OUTSIDE, Severity.HIGH),
    ],
)
def test_every_trespass_has_its_sign(change: dict[str, object], sign: Sign, severity: Severity) -> None:
    """With how bad it is."""
    notice = signs(after=AFTER.model_copy(update=change))[sign]
    assert notice.severity is severity
    assert is_tampering(notice) is (severity is Severity.CRITICAL)


def test_deleted_and_changed_decisions_are_critical() -> None:
    """Both are named."""
    before = BEFORE.model_copy(update={"own": {"a": "1", "b": "1", "c": "1"}})
    after = AFTER.model_copy(update={"own": {"a": "2", "c": "1"}})
    notice = signs(before=before, after=after)[Sign.OWN_FOLDER_EDITED]
    assert (notice.severity, notice.places) == (Severity.CRITICAL, ("a", "b"))


def test_branch_of_somebody_else_that_moved_is_told() -> None:
    """New branches are no sign."""
    before = BEFORE.model_copy(update={"refs": {**BEFORE.refs, "refs/heads/theirs": "x"}})
    after = AFTER.model_copy(update={"refs": {**AFTER.refs, "refs/heads/theirs": "y", "refs/heads/new": "b"}})
    assert signs(before=before, after=after)[Sign.BRANCH_MOVED].places == ("refs/heads/theirs",)


@pytest.mark.parametrize(
    "line",
    ["HTTP 500 from upstream", "Traceback (most recent call last):", "sh: claude: command not found", "panic: oh"],
)
def test_errors_in_the_output_of_a_good_run_are_quoted(line: str) -> None:
    """A failed run has failed already, and says so itself."""
    output = f"all is well\n  {line}\nbye\n"
    assert signs(output=output)[Sign.ERROR_IN_OUTPUT].places == (line,)
    assert Sign.ERROR_IN_OUTPUT not in signs(RunEnd(ending=RunEnding.EXITED, code=1), output=output)


def test_worst_sign_comes_first_and_places_are_bounded() -> None:
    """The rest is told by number."""
    many = {f"/n/{number}": "2" for number in range(50)}
    found = find_signs(GOOD, BEFORE, AFTER.model_copy(update={"neighbours": many, "problem": "gone"}), "", ())
    assert [notice.severity for notice in found] == [Severity.CRITICAL, Severity.MEDIUM]
    assert found[1].places[-1] == "and 30 more"


def test_rewritten_history_is_critical() -> None:
    """Named by the commit that is no longer there."""
    notice = build_rewritten_notice("0123456789abcdef", "refs/heads/main")
    assert (notice.sign, is_tampering(notice)) == (Sign.HISTORY_REWRITTEN, True)
    assert "0123456789ab is no longer behind refs/heads/main" in notice.text


def test_folder_beside_is_told_and_no_more() -> None:
    """Others write there all the time; a file beside, or a folder that is new, is another matter."""
    before = BEFORE.model_copy(update={"neighbours": {"/w/other": "40755 9 1 7", "/w/a.txt": "100644 9 1 8"}})
    touched = AFTER.model_copy(update={"neighbours": before.neighbours | {"/w/other": "40755 9 2 7"}})
    [notice] = find_signs(GOOD, before, touched, "", ())
    assert (notice.sign, notice.severity, notice.places) == (Sign.WROTE_OUTSIDE, Severity.LOW, ("/w/other",))
    for change in ({"/w/a.txt": "100644 9 2 8"}, {"/w/new": "40755 9 2 9"}, {"/w/other": "100644 9 2 7"}):
        written = AFTER.model_copy(update={"neighbours": before.neighbours | change})
        assert [one.severity for one in find_signs(GOOD, before, written, "", ())] == [Severity.MEDIUM]
