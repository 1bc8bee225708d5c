from __future__ import annotations

import pytest

from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.runs.run import RunEnd, RunEnding
from handoff_tui.agents.step.judge import (
    MeasuredRun,
    add_budget,
    build_rewritten_notice,
    can_retry,
    describe_next,
    find_notices,
    judge_run,
)
from handoff_tui.agents.step.report import Budget, Notice, Sign, StepOutcome
from handoff_tui.config.pipeline import Phase
from handoff_tui.config.settings.hub import Hub
from handoff_tui.core.severity import Severity

BEFORE = Observation(head="a", branch="refs/heads/main", refs={"refs/heads/main": "a"}, tree="t1")
AFTER = BEFORE.model_copy(update={"head": "b", "tree": "t2", "refs": {"refs/heads/main": "b"}})
GOOD = RunEnd(ending=RunEnding.EXITED, code=0)


def find(
    end: RunEnd = GOOD, before: Observation = BEFORE, after: Observation = AFTER, output: str = ""
) -> dict[Sign, Notice]:
    patterns = tuple(Hub().suspicious_output)
    return {notice.sign: notice for notice in find_notices(MeasuredRun(end, before, after, output, patterns))}


@pytest.mark.parametrize(
    ("end", "signs"),
    [
        (GOOD, []),
        (RunEnd(ending=RunEnding.NOT_STARTED, failure="x: gone"), [Sign.NOT_STARTED]),
        (RunEnd(ending=RunEnding.EXITED, code=2), [Sign.FAILED]),
        (RunEnd(ending=RunEnding.SIGNALLED, signal=11), [Sign.FAILED]),
        (RunEnd(ending=RunEnding.TIMED_OUT, signal=15), [Sign.TIMED_OUT]),
        (RunEnd(ending=RunEnding.STOPPED, code=0), [Sign.STOPPED]),
        (RunEnd(ending=RunEnding.FLOODED, signal=15), [Sign.FLOODED]),
        (RunEnd(ending=RunEnding.LOST), [Sign.LOST]),
        (RunEnd(ending=RunEnding.EXITED, code=0, left_running=2), [Sign.LEFT_RUNNING]),
        (RunEnd(ending=RunEnding.EXITED, code=0, output_rewritten=True), [Sign.OUTPUT_REWRITTEN]),
    ],
)
def test_every_bad_end_is_noticed(end: RunEnd, signs: list[Sign]) -> None:
    """A commit on its own branch speaks against nobody."""
    assert list(find(end)) == signs


def test_exit_code_of_zero_without_work_is_noticed() -> None:
    """A failed run without work has failed already."""
    assert list(find(after=BEFORE)) == [Sign.DID_NOTHING]
    assert list(find(RunEnd(ending=RunEnding.EXITED, code=1), after=BEFORE)) == [Sign.FAILED]
    assert find_notices(MeasuredRun(GOOD, BEFORE, BEFORE, may_change_nothing=True)) == []


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
def test_every_trespass_is_noticed(change: dict[str, object], sign: Sign, severity: Severity) -> None:
    """With how bad it is."""
    assert find(after=AFTER.model_copy(update=change))[sign].severity is severity


def test_deleted_and_changed_decisions_are_critical() -> None:
    """Both are named."""
    before = BEFORE.model_copy(update={"own": {"a": "1", "b": "1", "c": "1"}})
    after = AFTER.model_copy(update={"own": {"a": "2", "c": "1"}})
    notice = find(before=before, after=after)[Sign.OWN_FOLDER_EDITED]
    assert (notice.severity, notice.places) == (Severity.CRITICAL, ("a", "b"))


def test_moved_branch_of_somebody_else_is_noticed() -> None:
    """New branches are not."""
    before = BEFORE.model_copy(update={"refs": {**BEFORE.refs, "refs/heads/theirs": "x"}})
    after = AFTER.model_copy(update={"refs": {**AFTER.refs, "refs/heads/theirs": "y", "refs/heads/new": "b"}})
    assert find(before=before, after=after)[Sign.BRANCH_MOVED].places == ("refs/heads/theirs",)


@pytest.mark.parametrize(
    "line",
    ["HTTP 500 from upstream", "Traceback (most recent call last):", "sh: claude: command not found", "panic: oh"],
)
def test_errors_in_the_output_of_a_good_run_are_quoted(line: str) -> None:
    """A failed run has failed already, and says so itself."""
    output = f"all is well\n  {line}\nbye\n"
    assert find(output=output)[Sign.ERROR_IN_OUTPUT].places == (line,)
    assert Sign.ERROR_IN_OUTPUT not in find(RunEnd(ending=RunEnding.EXITED, code=1), output=output)


def test_worst_notice_comes_first_and_places_are_bounded() -> None:
    """The rest is a number."""
    many = {f"/n/{number}": "2" for number in range(50)}
    after = AFTER.model_copy(update={"neighbours": many, "problem": "gone"})
    worst, other = find_notices(MeasuredRun(GOOD, BEFORE, after))
    assert [worst.severity, other.severity] == [Severity.CRITICAL, Severity.MEDIUM]
    assert other.places[-1] == "and 30 more"


def test_rewritten_history_is_critical() -> None:
    """Named by the commit that is no longer there."""
    notice = build_rewritten_notice("0123456789abcdef", "refs/heads/main")
    assert (notice.sign, notice.severity) == (Sign.HISTORY_REWRITTEN, Severity.CRITICAL)
    assert "0123456789ab is no longer behind refs/heads/main" in notice.text


def test_folder_beside_is_only_mentioned() -> None:
    """Others write there all the time; a file beside, or a new folder, is another matter."""
    before = BEFORE.model_copy(update={"neighbours": {"/w/other": "40755 9 1 7", "/w/a.txt": "100644 9 1 8"}})

    def find_beside(change: dict[str, str]) -> Notice:
        after = AFTER.model_copy(update={"neighbours": before.neighbours | change})
        return find(before=before, after=after)[Sign.WROTE_OUTSIDE]

    touched = find_beside({"/w/other": "40755 9 2 7"})
    assert (touched.severity, touched.places) == (Severity.LOW, ("/w/other",))
    for change in ({"/w/a.txt": "100644 9 2 8"}, {"/w/new": "40755 9 2 9"}, {"/w/other": "100644 9 2 7"}):
        assert find_beside(change).severity is Severity.MEDIUM


CRITICAL = Notice(sign=Sign.CHECKS_EDITED, severity=Severity.CRITICAL, text="edited")
WORRY = Notice(sign=Sign.ERROR_IN_OUTPUT, severity=Severity.MEDIUM, text="errors")
STOPPED = RunEnd(ending=RunEnding.STOPPED)


@pytest.mark.parametrize(
    ("end", "notices", "gate", "outcome"),
    [
        (GOOD, [], True, StepOutcome.READY),
        (GOOD, [CRITICAL], True, StepOutcome.NEEDS_HUMAN),
        (STOPPED, [CRITICAL], True, StepOutcome.NEEDS_HUMAN),
        (STOPPED, [], True, StepOutcome.STOPPED),
        (GOOD, [WORRY], True, StepOutcome.READY),
        (GOOD, [WORRY], False, StepOutcome.NEEDS_HUMAN),
    ],
)
def test_outcome_follows_from_the_worst(
    end: RunEnd, notices: list[Notice], outcome: StepOutcome, *, gate: bool
) -> None:
    """Tampering always needs a person; a worry only where no gate has one look anyway."""
    assert judge_run(end, notices, (), None, has_gate=gate).outcome is outcome


def test_failure_names_checks_and_problem_and_asks_for_a_person_when_the_budget_is_used_up() -> None:
    """Only a failure does, and only after the last run."""
    failed = judge_run(GOOD, [], ("a", "b"), "no such handoff", has_gate=True)
    assert tuple(failed) == (StepOutcome.FAILED, ("no such handoff", "blocking checks do not pass: a, b"))
    assert add_budget(failed, Budget(used=3, allowed=3)) == failed
    spent = add_budget(failed, Budget(used=4, allowed=3))
    assert (spent.outcome, spent.why[-1]) == (StepOutcome.NEEDS_HUMAN, "the retry budget of 4 runs is used up")
    ready = judge_run(GOOD, [], (), None, has_gate=True)
    assert add_budget(ready, Budget(used=9, allowed=3)) == ready


@pytest.mark.parametrize(
    ("end", "outcome", "expected"),
    [
        (RunEnd(ending=RunEnding.EXITED, code=1), StepOutcome.FAILED, True),
        (RunEnd(ending=RunEnding.TIMED_OUT), StepOutcome.FAILED, True),
        (RunEnd(ending=RunEnding.LOST), StepOutcome.FAILED, True),
        (RunEnd(ending=RunEnding.NOT_STARTED), StepOutcome.FAILED, False),
        (RunEnd(ending=RunEnding.FLOODED), StepOutcome.FAILED, False),
        (RunEnd(ending=RunEnding.EXITED, code=1), StepOutcome.NEEDS_HUMAN, False),
        (GOOD, StepOutcome.FAILED, False),
    ],
)
def test_only_what_failed_by_itself_is_retried(end: RunEnd, outcome: StepOutcome, *, expected: bool) -> None:
    """A missing program stays missing; failing checks send the work back instead."""
    assert can_retry(end, outcome) is expected


DEV, FREE = Phase(name="DEV", gate=True), Phase(name="DEV", gate=False)
QA, DEPLOY = Phase(name="QA"), Phase(name="DEPLOY", human_only=True)


@pytest.mark.parametrize(
    ("outcome", "phase", "target", "words"),
    [
        (StepOutcome.READY, DEV, QA, "needs you: decide at the gate behind DEV"),
        (StepOutcome.READY, FREE, QA, "QA can start"),
        (StepOutcome.READY, FREE, None, "DEV was the last phase"),
        (StepOutcome.READY, FREE, DEPLOY, "needs you: start DEPLOY"),
        (StepOutcome.FAILED, DEV, QA, "the work goes back to QA; 3 of 4 runs left"),
        (StepOutcome.NEEDS_HUMAN, DEV, QA, "needs you: look at what happened"),
        (StepOutcome.STOPPED, DEV, QA, "DEV was stopped; start it again when you want it to go on"),
    ],
)
def test_next_move_says_who_does_what(outcome: StepOutcome, phase: Phase, target: Phase | None, words: str) -> None:
    """For every outcome."""
    assert describe_next(outcome, phase, target, Budget(used=1, allowed=3)) == words
