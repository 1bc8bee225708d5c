"""RED has exactly one failing test; GREEN and the phases after it have none."""

from __future__ import annotations

import re

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule
from handoff_tui.checks.rules.tdd.cycles import CommitIndex, Step, count_failing, find_last, list_steps, require_cycles
from handoff_tui.handoffs.claim import ClaimKind

_RED = "RED"
_MADE = (ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED)


@high_rule(
    holds="Every RED phase adds exactly one test, and it fails.",
    reads="notes and state files of TDD cycles, and the test file before and after the RED commit",
    remedy="Write one test that fails for the right reason, run it, and record FAIL as testResult.",
)
def red_has_one_failing_test(context: Context) -> Findings:
    reds = [step for handoff in require_cycles(context) if (step := find_last(list_steps(handoff), _RED))]
    if not reds:
        context.skip("no cycle has reached RED")
    for step in reds:
        yield from _judge_result(step)
        if step.is_present:
            yield from _judge_named_test(step)
            yield from _judge_number(step)
            yield from _judge_new_tests(context, step)


def _judge_result(step: Step) -> Findings:
    if step.status == "FAIL":
        return
    says = "its new test passes, so it proves nothing" if step.status == "PASS" else "no test result says that it fails"
    yield _report_red(step, "result", f"RED of {step.handoff.id} is not red: {says}", "FAIL", step.status or "nothing")


def _judge_named_test(step: Step) -> Findings:
    handoff = step.handoff
    number = handoff.id.removeprefix("TDD-")
    has_title = handoff.title is not None and handoff.title != f"Cycle {number}"
    if not has_title and not any(claim.kind in _MADE for claim in handoff.claims):
        yield _report_red(step, "test", f"RED of {handoff.id} does not say which test is new", "one test", "none")


def _judge_number(step: Step) -> Findings:
    failing = count_failing(step.handoff)
    if failing is not None and failing != 1:
        yield _report_red(step, "number", f"RED of {step.handoff.id} has {failing} failing tests", "1", str(failing))


def _judge_new_tests(context: Context, step: Step) -> Findings:
    """Checks how many tests the commit of the step adds to the test file."""
    path = next((claim.subject for claim in step.handoff.claims if claim.kind in _MADE and claim.subject), None)
    commit = CommitIndex(context).find(step)
    if path is None or commit is None or context.is_cut_off(commit.id):
        return
    after = _find_tests(context, context.read_at(commit.id, path))
    before = _find_tests(context, context.read_at(commit.parents[0], path)) if commit.parents else set()
    new = sorted(after - before)
    if after and len(new) != 1:
        names = ", ".join(new[:3]) or "none"
        message = f"RED of {step.handoff.id} adds {len(new)} tests to {path}, not one"
        yield _report_red(step, f"new tests of {path}", message, "one new test", names)


def _find_tests(context: Context, content: bytes | None) -> set[str]:
    text = (content or b"").decode("utf-8", "replace")
    patterns = context.settings.tdd.test_patterns
    return {match.group(1) for pattern in patterns for match in re.finditer(pattern, text, re.MULTILINE)}


def _report_red(step: Step, what: str, message: str, expected: str, actual: str) -> RuleFinding:
    return RuleFinding(message, f"{step.handoff.id} {what}", step.where, expected, actual)


_GREEN = "GREEN"
_BEHIND = ("REFACTOR", "COMPLETE")


@critical_rule(
    holds="No test fails at the end of GREEN, or in any later phase.",
    reads="test results in notes and state files of TDD cycles",
    remedy="Make every test pass, run them all, and record PASS as testResult. Don't weaken the test.",
)
def green_has_no_failing_test(context: Context) -> Findings:
    cycles = [list_steps(handoff) for handoff in require_cycles(context)]
    reached = [step for steps in cycles for phase in (_GREEN, *_BEHIND) if (step := find_last(steps, phase))]
    for step in reached or context.skip("no cycle has reached GREEN"):
        yield from _judge_step(step)


def _judge_step(step: Step) -> Findings:
    """Checks that GREEN says all tests pass, and that no later phase says otherwise."""
    failing = count_failing(step.handoff) if step.is_present else None
    told = next((blocker.title for blocker in step.handoff.blockers), None) if step.is_present else None
    if step.status == "PASS" and failing:
        yield _report_green(step, f"says PASS, but {failing} failing tests are told of", f"{failing} failing")
    elif step.status != "PASS" and (step.phase == _GREEN or step.status is not None):
        reason = f": {told}" if told else ""
        word = "has a failing test" if step.status == "FAIL" else "does not say that all tests pass"
        yield _report_green(step, f"{word}{reason}", step.status or "no result")


def _report_green(step: Step, problem: str, actual: str) -> RuleFinding:
    message = f"{step.phase} of {step.handoff.id} {problem}"
    return RuleFinding(message, f"{step.handoff.id} {step.phase}", step.where, "PASS", actual)
