"""Phases follow the pipeline, within the retry budget, with the tests and commits that each of them asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule, medium_rule
from handoff_tui.checks.rules.tdd import cycles as tdd
from handoff_tui.checks.rules.tdd.cycles import (
    CommitIndex,
    TddStep,
    count_failing,
    find_last,
    list_steps,
    require_cycles,
)
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.tdd.files import RETRIES
from handoff_tui.handoffs.handoff import Handoff

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


def _judge_result(step: TddStep) -> Findings:
    if step.status == "FAIL":
        return
    says = "its new test passes, so it proves nothing" if step.status == "PASS" else "no test result says that it fails"
    yield _report_red(step, "result", f"RED of {step.handoff.id} is not red: {says}", "FAIL", step.status or "nothing")


def _judge_named_test(step: TddStep) -> Findings:
    handoff = step.handoff
    number = handoff.id.removeprefix("TDD-")
    has_title = handoff.title is not None and handoff.title != f"Cycle {number}"
    if not has_title and not any(claim.kind in _MADE for claim in handoff.claims):
        yield _report_red(step, "test", f"RED of {handoff.id} does not say which test is new", "one test", "none")


def _judge_number(step: TddStep) -> Findings:
    failing = count_failing(step.handoff)
    if failing is not None and failing != 1:
        yield _report_red(step, "number", f"RED of {step.handoff.id} has {failing} failing tests", "1", str(failing))


def _judge_new_tests(context: Context, step: TddStep) -> Findings:
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


def _report_red(step: TddStep, what: str, message: str, expected: str, actual: str) -> RuleFinding:
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


def _judge_step(step: TddStep) -> Findings:
    """Checks that GREEN says all tests pass, and that no later phase says otherwise."""
    failing = count_failing(step.handoff) if step.is_present else None
    told = next((blocker.title for blocker in step.handoff.blockers), None) if step.is_present else None
    if step.status == "PASS" and failing:
        yield _report_green(step, f"says PASS, but {failing} failing tests are reported", f"{failing} failing")
    elif step.status != "PASS" and (step.phase == _GREEN or step.status is not None):
        reason = f": {told}" if told else ""
        word = "has a failing test" if step.status == "FAIL" else "does not say that all tests pass"
        yield _report_green(step, f"{word}{reason}", step.status or "no result")


def _report_green(step: TddStep, problem: str, actual: str) -> RuleFinding:
    message = f"{step.phase} of {step.handoff.id} {problem}"
    return RuleFinding(message, f"{step.handoff.id} {step.phase}", step.where, "PASS", actual)


_Moves = frozenset[tuple[str, str]]


@high_rule(
    holds="The phases of every cycle follow the pipeline: PLAN, RED, GREEN, REFACTOR, then PLAN or COMPLETE.",
    reads="notes, trailers and state files of TDD cycles, and the edges of the tdd pipeline",
    remedy="Go back to the phase that was left out, or correct the note that names the wrong phase.",
    commands=("git log --notes=tdd-handoffs",),
)
def phase_order_legal(context: Context) -> Findings:
    cycles = tdd.require_cycles(context)
    scope = {handoff.id for handoff in cycles}
    configured = context.settings.pipelines.get("tdd")
    if configured is None or not configured.phases:
        context.skip("the configuration has no tdd pipeline")
    pipeline = configured.build("tdd")
    moves = frozenset((edge.source, edge.target) for edge in pipeline.edges)
    phases = context.settings.tdd.phases
    for handoff in cycles:
        yield from _judge_words(handoff, phases)
        yield from _judge_announced(handoff, moves)
    for chain in _list_chains(context, cycles):
        known = [step for step in chain if step.phase in phases]
        first = known[0] if known else None
        if first is not None and first is chain[0] and first.phase != pipeline.phases[0].name:
            yield from _judge_start(context, first, pipeline.phases[0].name, scope)
        for before, after in pairwise(known):
            if before.phase != after.phase and (before.phase, after.phase) not in moves and after.handoff.id in scope:
                yield _report_order(after, f"{after.phase} follows {before.phase}", _list_targets(before.phase, moves))


def _judge_words(handoff: Handoff, phases: tuple[str, ...]) -> Findings:
    for step in tdd.list_steps(handoff):
        if step.phase is not None and step.phase not in phases:
            yield _report_order(step, f"{step.phase} is not a phase", " or ".join(phases))
    if handoff.target_phase is not None and handoff.target_phase not in phases:
        yield _report_order(
            tdd.build_present(handoff), f"the next phase {handoff.target_phase} is none", " or ".join(phases)
        )


def _judge_announced(handoff: Handoff, moves: _Moves) -> Findings:
    """Checks the announced next phase. A phase may repeat only after a failure."""
    source, target = handoff.source_phase, handoff.target_phase
    if source is None or target is None or (source, target) in moves:
        return
    leaves = {before for before, _ in moves}
    failed = handoff.status == "FAIL" or bool(handoff.blockers) or handoff.attempt > 1
    if source == target and (failed or source not in leaves):
        return
    yield _report_order(tdd.build_present(handoff), f"{target} is to follow {source}", _list_targets(source, moves))


def _list_chains(context: Context, cycles: tuple[Handoff, ...]) -> Iterator[list[tdd.TddStep]]:
    """Yields the steps on commits as one chain over all cycles, and those in files as one chain per folder."""
    commits = tdd.CommitIndex(context)
    placed: list[tuple[int, tdd.TddStep]] = []
    for handoff in tdd.list_cycles(context.every_handoff()):
        for step in tdd.list_steps(handoff):
            age = commits.age(step)
            if age is not None:
                placed.append((age, step))
    yield [step for _, step in sorted(placed, key=lambda entry: -entry[0])]
    for handoff in cycles:
        chains: dict[str, list[tdd.TddStep]] = {}
        for step in tdd.list_steps(handoff):
            if step.commit is None and not step.where.path.startswith("refs/"):
                # `.handoff/current.json` continues `.handoff/history/`, other files stand alone
                name = step.where.path.rpartition("/history/")[0] or step.where.path.removesuffix("/current.json")
                chains.setdefault(name, []).append(step)
        yield from chains.values()


def _judge_start(context: Context, first: tdd.TddStep, start: str, scope: set[str]) -> Findings:
    """Checks the first phase, if the full history is here."""
    commits = context.commits()
    is_whole = bool(commits) and not commits[-1].parents and not context.facts().shallow
    if is_whole and first.where.path.startswith("notes:") and first.handoff.id in scope:
        yield _report_order(first, f"{first.phase} comes first", start)


def _list_targets(phase: str | None, moves: _Moves) -> str:
    return " or ".join(sorted(target for source, target in moves if source == phase)) or "nothing"


def _report_order(step: tdd.TddStep, problem: str, expected: str) -> RuleFinding:
    message = f"{step.handoff.id}: {problem}, which is out of order"
    return RuleFinding(message, f"{step.handoff.id} {problem}", step.where, expected, problem)


@high_rule(
    holds="No phase was retried more often than the retry budget allows.",
    reads="retry counts and repeated phases of TDD cycles",
    remedy="Stop retrying. A person looks at the failures and decides: another test, another design, or the end.",
)
def retry_budget_kept(context: Context) -> Findings:
    budget = context.settings.tdd.retry_budget
    failures = context.settings.tdd.failures_before_human
    for handoff in tdd.require_cycles(context):
        present = tdd.build_present(handoff)
        yield from _judge_field(context, present)
        counted = handoff.attempt - 1
        if counted > budget:
            yield _report_excess(
                present, "retries", f"was tried again {counted} times", f"at most {budget} retries", counted
            )
        yield from _judge_runs(handoff, budget, failures)


def _judge_field(context: Context, present: tdd.TddStep) -> Findings:
    """Finds a retry count that isn't a number."""
    for problem in context.problems():
        if problem.path == present.where.path and problem.message.startswith(RETRIES):
            message = f"{present.handoff.id}: {problem.message}"
            expected = "a whole number"
            yield RuleFinding(message, f"{present.handoff.id} retry count", present.where, expected, problem.message)


def _judge_runs(handoff: Handoff, budget: int, failures: int) -> Findings:
    """Counts repeated attempts and failures in a row from the steps themselves, whatever their retry count."""
    tries, failed = 0, 0
    previous: tdd.TddStep | None = None
    worst: dict[str, RuleFinding] = {}
    for step in tdd.list_steps(handoff):
        repeats = previous is not None and previous.phase == step.phase and step.phase is not None
        tries = tries + 1 if repeats else 1
        failed = (failed + 1 if repeats else 1) if step.status == "FAIL" and step.phase != _RED else 0
        if tries - 1 > budget:
            problem = f"was tried again {tries - 1} times, as its steps show"
            worst[f"tries {step.phase}"] = _report_excess(
                step, "tries", problem, f"at most {budget} retries", tries - 1
            )
        if failed >= failures:
            problem = f"failed {failed} times in a row"
            worst[f"failures {step.phase}"] = _report_excess(
                step, "failures", problem, f"a person after {failures}", failed
            )
        previous = step
    yield from worst.values()


def _report_excess(step: tdd.TddStep, what: str, problem: str, expected: str, actual: int) -> RuleFinding:
    message = f"{step.phase or 'the phase'} of {step.handoff.id} {problem}; a person must decide"
    return RuleFinding(message, f"{step.handoff.id} {step.phase} {what}", step.where, expected, str(actual))


_AGENT = compile_later(r"^\[[^\]]*\]\s*")
_SCOPE = compile_later(r"(?:\([^()]*\))?!?:")
_SHOWN = 60


@medium_rule(
    holds="The subject of every annotated commit begins with the prefix of its phase.",
    reads="subjects of commits that carry a phase",
    remedy="Reword the commit if it isn't pushed yet, or move the note to the commit it belongs to.",
    commands=("git commit --amend",),
    moments=(CheckMoment.PRE, CheckMoment.GATE),
)
def commit_prefix_fits_phase(context: Context) -> Findings:
    prefixes = context.settings.tdd.commit_prefixes
    commits = tdd.CommitIndex(context)
    carried = [
        (step, prefixes[step.phase or ""], commit)
        for handoff in tdd.require_cycles(context)
        for step in tdd.list_steps(handoff)
        if step.phase in prefixes and (commit := commits.find(step)) is not None
    ]
    for step, wanted, commit in carried or context.skip("none of the newest commits carries a phase"):
        if not _has_prefix(commit.subject, wanted):
            short, expected = commit.id[:SHORT_COMMIT], " or ".join(wanted)
            message = f"the commit {short} of {step.phase} in {step.handoff.id} begins with no {expected}"
            actual, command = commit.subject[:_SHOWN], f"git show --no-patch {short}"
            yield RuleFinding(message, f"commit {commit.id}", step.where, expected, actual, command)


def _has_prefix(subject: str, prefixes: tuple[str, ...]) -> bool:
    """Accepts `feat: …`, `feat(scope): …`, and both after the name of an agent in brackets."""
    words = _AGENT.sub("", subject)
    for prefix in prefixes:
        word = prefix.removesuffix(":")
        if words.startswith(word) and (word == prefix or _SCOPE.match(words, len(word))):
            return True
    return False
