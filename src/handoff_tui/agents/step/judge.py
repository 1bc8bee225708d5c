"""Judges a run by what was measured: what counts against it, what it comes to, and who is next. Pure.

Nothing here is a decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunUsage
from handoff_tui.agents.step.report import Budget, Direction, Notice, Sign, StepOutcome
from handoff_tui.config.pipeline import Phase
from handoff_tui.config.presets import Preset
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Severity
from handoff_tui.core.short_id import SHORT_DIGEST

_MOST_PLACES = 20
_LONGEST_LINE = 200
_CLOSING_LINES = 5
_TRACEBACK = "Traceback (most recent call last):"
_LOG_FOLDER = ".handoff-tui/log/"
_FOLDER_KIND = "4"
"""In octal: 4 for a folder, 10 for a file, 12 for a link."""

_TROUBLES = {
    "login": (Sign.NO_LOGIN, "its program is not logged in"),
    "network": (Sign.NO_NETWORK, "its program can't reach its model"),
    "limit": (Sign.LIMITED, "its provider's limit is reached"),
    "refusal": (Sign.REFUSED, "its model refused"),
    "arguments": (Sign.WRONG_ARGUMENTS, "its program does not know an option of the command"),
}
_REMEDIES = {
    Sign.NO_NETWORK: "Check the connection, then start it again.",
    Sign.LIMITED: "Wait until the limit is reset, or use another agent; then start it again.",
    Sign.REFUSED: "Read what it said, rephrase the role or the note, and start it again.",
    Sign.WRONG_ARGUMENTS: "Update the program, or set the agent's own command: `handoff-tui agents list` shows both.",
}
_HANDING_OVER = frozenset({"commit", "tests", "edit"})
"""What an agent must be allowed to do, or its work can't be handed over."""

_ENDINGS = {
    RunEnding.TIMED_OUT: (Sign.TIMED_OUT, "it ran out of time and was stopped"),
    RunEnding.STOPPED: (Sign.STOPPED, "it was stopped on request"),
    RunEnding.FLOODED: (Sign.FLOODED, "it printed too much and was stopped"),
    RunEnding.LOST: (Sign.LOST, "its supervisor died, so nobody knows how it ended"),
}


class MeasuredRun(NamedTuple):
    """What was measured of a run."""

    end: RunEnd
    before: Observation
    after: Observation
    output: str = ""
    """The beginning and the end of what it printed."""
    error_patterns: tuple[str, ...] = ()
    may_change_nothing: bool = False
    program: Preset | None = None
    """The program that it is, if handoff-tui knows it."""
    own_notes: frozenset[str] = frozenset()
    """Notes refs that changed on nothing but the commits of the run."""
    only_log: bool = False
    """Whether its commits hold nothing but files below `.handoff-tui/`, such as decisions that waited there."""


def find_notices(run: MeasuredRun) -> list[Notice]:
    """Lists everything that counts against a run, the worst first."""
    before, after = run.before, run.after
    notices = [
        *_find_ending(run),
        *_find_stream(run),
        *_find_refs(before, after, run.own_notes),
        *_find_edits(before, after),
        *_find_outside(before, after),
        *(() if run.may_change_nothing else _find_idleness(run)),
        *_find_errors(run),
    ]
    order = {severity: number for number, severity in enumerate(Severity)}
    return sorted(notices, key=lambda notice: order[notice.severity])


def build_rewritten_notice(head: str, branch: str | None) -> Notice:
    """Reports a branch that no longer contains the commit it was at."""
    text = f"it rewrote history: {head[:SHORT_DIGEST]} is no longer behind {branch or 'HEAD'}"
    return _notice(Sign.HISTORY_REWRITTEN, Severity.CRITICAL, text)


def _find_ending(run: MeasuredRun) -> Iterable[Notice]:
    end = run.end
    if end.ending is RunEnding.NOT_STARTED:
        notice = _notice(Sign.NOT_STARTED, Severity.HIGH, f"it could not be started: {end.failure}")
        how = f"Install it: {run.program.install}" if run.program else "Install it, or correct its command."
        yield notice.model_copy(update={"remedy": how})
    elif end.ending is RunEnding.OVER_BUDGET:
        yield _build_excess(f"it was stopped: {end.failure}")
    elif end.ending in _ENDINGS:
        sign, text = _ENDINGS[end.ending]
        yield _notice(sign, Severity.LOW if sign is Sign.STOPPED else Severity.HIGH, text)
    elif end.ending is RunEnding.SIGNALLED:
        yield _notice(Sign.FAILED, Severity.HIGH, f"it was ended by signal {end.signal}")
    elif end.code:
        yield _notice(Sign.FAILED, Severity.HIGH, f"it exited with {end.code}")
    if end.left_running:
        many = end.left_running > 1
        words = f"{end.left_running} processes running, which were" if many else "a process running, which was"
        text = f"it left {words} ended"
        yield _notice(Sign.LEFT_RUNNING, Severity.MEDIUM, text)
    if end.disk_full:
        remedy = "Make room, see what it could still write, and start it again."
        yield Notice(sign=Sign.DISK_FULL, severity=Severity.HIGH, text="the disk was full when it ended", remedy=remedy)
    if end.output_rewritten:
        yield _notice(Sign.OUTPUT_REWRITTEN, Severity.HIGH, "it took back some of its output")


def _build_excess(text: str) -> Notice:
    remedy = "Look at what it did so far; allow more in its settings, and start it again."
    return Notice(sign=Sign.OVER_BUDGET, severity=Severity.HIGH, text=text, remedy=remedy)


def _find_stream(run: MeasuredRun) -> Iterable[Notice]:
    """Flags what the agent's own stream says against it."""
    end, usage = run.end, run.end.usage
    if usage is None or end.ending in {RunEnding.STOPPED, RunEnding.NOT_STARTED}:
        return
    if usage.trouble is not None and not usage.succeeded:
        yield _build_trouble(run, usage)
    elif usage.succeeded is False and end.succeeded:
        yield _notice(Sign.FAILED, Severity.HIGH, f"it says itself that it failed: {usage.verdict[:_LONGEST_LINE]}")
    elif usage.succeeded is None and end.succeeded and run.program is not None and run.program.has_verdict:
        yield _notice(Sign.NO_VERDICT, Severity.HIGH, "it exited with 0, but its output ends without a result")
    if usage.excess and end.ending is not RunEnding.OVER_BUDGET:
        yield _build_excess(usage.excess)
    yield from _find_denials(usage)
    is_same = run.before.head == run.after.head and run.after.problem is None
    if end.succeeded and is_same and run.before.tree != run.after.tree:
        remedy = "Look at its transcript for why, commit its work yourself, or start it again."
        text = "it changed files but committed nothing"
        yield Notice(sign=Sign.NOT_COMMITTED, severity=Severity.HIGH, text=text, remedy=remedy)


def _build_trouble(run: MeasuredRun, usage: RunUsage) -> Notice:
    sign, words = _TROUBLES[usage.trouble or ""]
    said = " ".join((usage.verdict or run.end.failure or "").split())[:_LONGEST_LINE]
    login = run.program.login if run.program is not None else "Log in to its program."
    remedy = f"{login} Then start it again." if sign is Sign.NO_LOGIN else _REMEDIES[sign]
    return Notice(sign=sign, severity=Severity.HIGH, text=f"{words}: {said}" if said else words, remedy=remedy)


def _find_denials(usage: RunUsage) -> Iterable[Notice]:
    needed = [denial.text for denial in usage.denials if denial.purpose in _HANDING_OVER]
    others = [denial.text for denial in usage.denials if denial.purpose not in _HANDING_OVER]
    if needed:
        text = "it was not allowed to do what its work needs: edit, test or commit"
        remedy = "Allow it: add how its commands begin to `allow` of the agent. Then start it again."
        notice = _notice(Sign.DENIED, Severity.HIGH, text, dict.fromkeys(map(_shorten, needed)))
        yield notice.model_copy(update={"remedy": remedy})
    if others:
        text = "it was not allowed to do some things"
        yield _notice(Sign.DENIED, Severity.MEDIUM, text, dict.fromkeys(map(_shorten, others)))


def _shorten(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_LINE]


def _find_refs(before: Observation, after: Observation, own: frozenset[str]) -> Iterable[Notice]:
    if after.problem is not None:
        text = f"the folder where it worked can no longer be read: {after.problem}"
        remedy = "See what is left: what it committed is on its branch. Starting it again makes a new work tree."
        yield Notice(sign=Sign.UNREADABLE, severity=Severity.CRITICAL, text=text, remedy=remedy)
        return
    gone = sorted(name for name in before.refs if name not in after.refs)
    if gone:
        yield _notice(Sign.BRANCH_DELETED, Severity.CRITICAL, "it deleted branches, tags or notes", gone)
    if before.branch != after.branch and before.branch not in gone:
        text = f"it switched from {before.branch or 'no branch'} to {after.branch or 'no branch'}"
        yield _notice(Sign.BRANCH_MOVED, Severity.HIGH, text)
    own |= {after.branch} if after.branch is not None else set()
    moved = sorted(
        name for name, target in after.refs.items() if name not in own and before.refs.get(name, target) != target
    )
    if moved:
        yield _notice(Sign.BRANCH_MOVED, Severity.HIGH, "it moved branches, tags or notes that are not its own", moved)


def _find_edits(before: Observation, after: Observation) -> Iterable[Notice]:
    if after.problem is not None and not after.own:  # the folder is gone, and everything in it
        return
    changed, added = _compare(before.own, after.own)
    if changed:
        text = "it changed or deleted files below .handoff-tui/, where decisions are kept"
        yield _notice(Sign.OWN_FOLDER_EDITED, Severity.CRITICAL, text, changed)
    entries = [path for path in added if path.startswith(_LOG_FOLDER)]
    others = [path for path in added if not path.startswith(_LOG_FOLDER)]
    if others:
        yield _notice(Sign.OWN_FOLDER_EDITED, Severity.HIGH, "it added files below .handoff-tui/", others)
    if entries:
        text = "it added log entries; their signatures are verified like all others"
        yield _notice(Sign.OWN_FOLDER_EDITED, Severity.MEDIUM, text, entries)
    edited = _list_touched(before.rules, after.rules)
    if edited:
        text = "it edited the configuration of the checks on its own work"
        yield _notice(Sign.CHECKS_EDITED, Severity.CRITICAL, text, edited)
    if after.problem is None:
        touched = _list_touched(before.git_files, after.git_files)
        if touched:
            text = "it edited the repository's git configuration, hooks or attributes"
            yield _notice(Sign.GIT_EDITED, Severity.HIGH, text, [f".git/{path}" for path in touched])


def _find_outside(before: Observation, after: Observation) -> Iterable[Notice]:
    if after.problem is None and before.repository_tree != after.repository_tree:
        text = "files in the repository were written, although it had its own work tree"
        yield _notice(Sign.WROTE_OUTSIDE, Severity.HIGH, text)
    guarded = _list_touched(before.guarded, after.guarded)
    if guarded:
        yield _notice(Sign.WROTE_OUTSIDE, Severity.HIGH, "guarded files were written", guarded)
    beside = _list_touched(before.neighbours, after.neighbours)
    folders = [path for path in beside if _is_folder(before, path) and _is_folder(after, path)]
    written = [path for path in beside if path not in folders]
    if written:
        text = "files beside its folder were written during the run, by it or another program"
        yield _notice(Sign.WROTE_OUTSIDE, Severity.MEDIUM, text, written)
    if folders:  # happens all the time where people work, so it is only mentioned
        text = "folders beside its own were written to during the run, by it or another program"
        yield _notice(Sign.WROTE_OUTSIDE, Severity.LOW, text, folders)


def _is_folder(observed: Observation, path: str) -> bool:
    """Tells by the stamp, which begins with the kind and mode of a file."""
    return observed.neighbours.get(path, "").startswith(_FOLDER_KIND)


def _find_idleness(run: MeasuredRun) -> Iterable[Notice]:
    """Flags exit code 0 without any work: a claim, not a result."""
    before, after = run.before, run.after
    is_same = before.tree == after.tree and (before.head == after.head or run.only_log)
    if run.end.succeeded and after.problem is None and is_same:
        words = "committed nothing but the log" if run.only_log else "changed nothing"
        yield _notice(Sign.DID_NOTHING, Severity.HIGH, f"it exited with 0 but {words}")


def _find_errors(run: MeasuredRun) -> Iterable[Notice]:
    """Mentions errors in the output: tools print them all the time. What the agent ends with are its own words."""
    if not run.end.succeeded or run.end.usage is not None:  # a stream has a verdict of its own
        return
    lines = [line.strip()[:_LONGEST_LINE] for line in run.output.splitlines() if line.strip()]
    patterns = [pattern for pattern in run.error_patterns if not re.search(pattern, _TRACEBACK)]
    last = [line for line in lines[-_CLOSING_LINES:] if any(re.search(pattern, line) for pattern in patterns)]
    if last:
        text = "it exited with 0, but its output ends with errors"
        yield _notice(Sign.ERROR_IN_OUTPUT, Severity.MEDIUM, text, dict.fromkeys(last))
        return
    others = [line for line in lines if any(re.search(pattern, line) for pattern in run.error_patterns)]
    if others:
        text = "its output mentions errors; only what it left behind counts"
        yield _notice(Sign.ERROR_IN_OUTPUT, Severity.LOW, text, dict.fromkeys(others[:_MOST_PLACES]))


def _compare(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Returns the paths that were changed or deleted, and those that were added."""
    changed = sorted(path for path, digest in before.items() if after.get(path, "") != digest)
    return changed, sorted(path for path in after if path not in before)


def _list_touched(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    changed, added = _compare(before, after)
    return [*changed, *added]


def _notice(sign: Sign, severity: Severity, text: str, places: Iterable[str] = ()) -> Notice:
    shown = list(places)
    more = [f"and {len(shown) - _MOST_PLACES} more"] if len(shown) > _MOST_PLACES else []
    return Notice(sign=sign, severity=severity, text=text, places=(*shown[:_MOST_PLACES], *more))


_FOR_A_PERSON = frozenset({
    *(Sign.NOT_STARTED, Sign.OVER_BUDGET, Sign.NO_LOGIN, Sign.NO_NETWORK, Sign.LIMITED, Sign.REFUSED),
    *(Sign.WRONG_ARGUMENTS, Sign.DISK_FULL),
})  # fmt: skip
"""What no other attempt would change."""
_FAILING = frozenset({
    *(Sign.FAILED, Sign.TIMED_OUT, Sign.FLOODED, Sign.LOST, Sign.DID_NOTHING, Sign.OUTPUT_REWRITTEN),
    *(Sign.NO_VERDICT, Sign.NOT_COMMITTED),
})  # fmt: skip
_WORRYING = frozenset({Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM})


class RunJudgement(NamedTuple):
    """An outcome and the reasons for it."""

    outcome: StepOutcome
    why: tuple[str, ...]


def judge_run(
    end: RunEnd, notices: list[Notice], failing: tuple[str, ...], problem: str | None, *, has_gate: bool
) -> RunJudgement:
    """Judges tampering first, then failures, then worries that nobody would see at a phase without a gate.

    `problem` says why the work could not be examined.
    """
    tampering = [notice.text for notice in notices if notice.severity is Severity.CRITICAL]
    if tampering:
        return RunJudgement(StepOutcome.NEEDS_HUMAN, tuple(tampering))
    if end.ending is RunEnding.STOPPED:
        return RunJudgement(StepOutcome.STOPPED, ("it was stopped on request",))
    personal = [notice.text for notice in notices if _needs_person(notice)]
    if personal:
        return RunJudgement(StepOutcome.NEEDS_HUMAN, tuple(personal))
    failed = [notice.text for notice in notices if notice.sign in _FAILING]
    if problem is not None:
        failed.append(problem)
    if failing:
        failed.append(f"blocking checks do not pass: {', '.join(failing)}")
    if failed:
        return RunJudgement(StepOutcome.FAILED, tuple(failed))
    worrying = [notice.text for notice in notices if notice.severity in _WORRYING]
    if worrying and not has_gate:
        return RunJudgement(StepOutcome.NEEDS_HUMAN, tuple(worrying))
    return RunJudgement(StepOutcome.READY, ())


def _needs_person(notice: Notice) -> bool:
    return notice.sign in _FOR_A_PERSON or (notice.sign is Sign.DENIED and notice.severity is Severity.HIGH)


def find_remedy(notices: Iterable[Notice]) -> str:
    """Returns what a person can do about the first notice that has a remedy."""
    return next((notice.remedy for notice in notices if notice.remedy), "")


def add_budget(judged: RunJudgement, budget: Budget) -> RunJudgement:
    """Asks for a person if a failure used up the retry budget."""
    if judged.outcome is not StepOutcome.FAILED or not budget.is_spent:
        return judged
    spent = f"the retry budget of {budget.allowed + 1} runs is used up"
    return RunJudgement(StepOutcome.NEEDS_HUMAN, (*judged.why, spent))


def can_retry(end: RunEnd, outcome: StepOutcome) -> bool:
    """Tells whether the same command may help if run again: it ran, and failed by itself."""
    by_itself = {RunEnding.EXITED, RunEnding.SIGNALLED, RunEnding.TIMED_OUT, RunEnding.LOST}
    return outcome is StepOutcome.FAILED and end.ending in by_itself and not end.succeeded


def describe_next(outcome: StepOutcome, phase: Phase, target: Phase | None, budget: Budget, remedy: str = "") -> str:
    """Says who does what next."""
    if outcome is StepOutcome.STOPPED:
        return f"{phase.name} was stopped; start it again when you want it to go on"
    if outcome is StepOutcome.NEEDS_HUMAN:
        return f"needs you: {remedy}" if remedy else "needs you: look at what happened"
    if outcome is StepOutcome.FAILED:
        left = f"{budget.left} of {budget.allowed + 1} runs left"
        return f"the work goes back to {target.name if target else phase.name}; {left}"
    if phase.gate:
        return f"needs you: decide on {phase.name}"
    if target is None:
        return f"{phase.name} was the last phase"
    return f"needs you: start {target.name}" if target.human_only else f"{target.name} can start"


def describe_procedure_next(outcome: StepOutcome) -> str:
    """Says what the procedure does next."""
    words = {
        StepOutcome.READY: "the procedure goes on",
        StepOutcome.FAILED: "the procedure retries, or rolls back",
        StepOutcome.STOPPED: "the procedure rolls back",
        StepOutcome.NEEDS_HUMAN: "the procedure rolls back; needs you: look at what happened",
    }
    return words[outcome]


def find_direction(outcome: StepOutcome) -> Direction | None:
    if outcome is StepOutcome.READY:
        return Direction.FORWARD
    return Direction.FAILED if outcome is StepOutcome.FAILED else None
