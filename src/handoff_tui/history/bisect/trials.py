"""Trying one commit: a rule on its tree, or a command in a work tree of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import NamedTuple, Protocol

from handoff_tui.checks.contract import Rule
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.baseline import Baseline
from handoff_tui.checks.run.command_consent import build_trust_state, hash_scripts
from handoff_tui.checks.run.command_run import OUT, judge_run
from handoff_tui.checks.run.commands import CommandCheck, build_environment
from handoff_tui.core.errors import BisectError, FileUnreadableError, HandoffError, UnsafePathError
from handoff_tui.core.severity import Severity
from handoff_tui.git.history.commit_graph import GraphCommit
from handoff_tui.git.work_tree.trial_tree import TrialTree, open_trial_tree
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.bisect.report import BisectWay, Standing
from handoff_tui.history.travel.past_checks import run_rules
from handoff_tui.history.travel.past_session import TravelMemory, open_desk_at
from handoff_tui.history.travel.past_world import can_be_told
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.probe import can_execute
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.processes.run import Bounds, CommandEnd, offer_report_place, read_report, run_command

_CANNOT_TELL = 125
"""By this exit code a script says so, to `git bisect run` as to us; from the next on it did not run as it should."""
_STANDINGS = {
    Outcome.PASS: Standing.GOOD,
    Outcome.NOT_APPLICABLE: Standing.GOOD,
    Outcome.FAIL: Standing.BAD,
}


class Tried(NamedTuple):
    """What a check said of a commit, and what that counts for."""

    result: CheckResult
    standing: Standing


class Trials(Protocol):
    """Tries commits, one after another."""

    @property
    def way(self) -> BisectWay: ...

    def run(self, commit: GraphCommit) -> Tried: ...

    def fails_by_now(self, commit: GraphCommit) -> bool:
        """Whether it fails on the files of a commit by the clock of now; it was judged by that of the commit."""


class RuleTrials:
    """A rule, with the settings and the baseline of now, on the trees of old commits."""

    way = BisectWay.TREES

    def __init__(self, desk: Desk, rule: Rule, find_baseline: Callable[[], Baseline], scope: str | None) -> None:
        self._desk = desk
        self._rule = rule
        self._find_baseline = find_baseline
        self._scope = scope
        self._memory = TravelMemory(desk.repository)

    def run(self, commit: GraphCommit) -> Tried:
        """Whatever cannot be read there is why it cannot be told, and never a pass or a failure."""
        try:
            past = open_desk_at(self._desk, commit, self._memory, self._desk.loaded)
            results = run_rules(past, (self._rule,), self._find_baseline, self._scope)
        except HandoffError as unreadable:
            return Tried(_build_unknown(self._rule.id, self._rule.severity, unreadable.message), Standing.UNTESTABLE)
        return Tried(results[0], _STANDINGS.get(results[0].outcome, Standing.UNTESTABLE))

    def fails_by_now(self, commit: GraphCommit) -> bool:
        try:
            past = open_desk_at(self._desk, commit, self._memory, self._desk.loaded)
            [result] = run_rules(past, (self._rule,), self._find_baseline, self._scope, read_now())
        except HandoffError:
            return False
        return result.outcome is Outcome.FAIL

    def close(self) -> None:
        self._memory.close()


class CommandTrials:
    """A command as it is configured now, in a work tree of its own.

    Of a command that comes from the repository, the files that it names have the content of now: only that was trusted.
    """

    way = BisectWay.WORK_TREE

    def __init__(self, desk: Desk, command: CommandCheck, tree: TrialTree, cancel: Event) -> None:
        self._desk = desk
        self._command = command
        self._tree = tree
        self._cancel = cancel
        self._scripts = _read_scripts(desk, command) if command.from_repository else []
        settings = desk.loaded.settings.check_run
        self._bounds = Bounds(command.check.timeout_seconds, settings.grace_seconds, settings.output_bytes)

    def run(self, commit: GraphCommit) -> Tried:
        try:
            self._tree.move_to(commit.id)
            for script in self._scripts:
                self._tree.put(script.path, script.content, executable=script.executable)
        except HandoffError as unreadable:
            unknown = _build_unknown(self._command.id, self._command.severity, unreadable.message)
            return Tried(unknown, Standing.UNTESTABLE)
        end, result = self._execute()
        if end.code is not None and not 0 <= end.code < _CANNOT_TELL:
            said = f"it exited with {end.code}" if end.code > 0 else f"it was ended by signal {-end.code}"
            reason = f"{said}, which says that it cannot be told here"
            return Tried(_build_unknown(self._command.id, self._command.severity, reason), Standing.UNTESTABLE)
        return Tried(result, _STANDINGS.get(result.outcome, Standing.UNTESTABLE))

    def fails_by_now(self, commit: GraphCommit) -> bool:  # noqa: ARG002 - a command always has the clock of now
        return False

    def _execute(self) -> tuple[CommandEnd, CheckResult]:
        with offer_report_place() as out:
            argv = [word.replace(OUT, str(out)) for word in self._command.argv]
            environment = build_environment(self._command.check)
            tree = self._tree
            end = run_command(argv, tree.folder, environment, self._bounds, self._cancel, mark=tree.mark)
            return end, judge_run(self._command, end, read_report(out))


def can_bisect(check: str) -> bool:
    """Whether it is of use to ask since when a check fails: some rules are about what is in no commit."""
    return can_be_told(check)


@contextmanager
def open_rule_trials(
    desk: Desk, rule: Rule, find_baseline: Callable[[], Baseline], scope: str | None
) -> Iterator[RuleTrials]:
    trials = RuleTrials(desk, rule, find_baseline, scope)
    try:
        yield trials
    finally:
        trials.close()


@contextmanager
def open_command_trials(desk: Desk, command: CommandCheck, cancel: Event) -> Iterator[CommandTrials]:
    """Refused where the command comes from the repository and nobody has trusted it."""
    trust = build_trust_state(desk)
    if command.from_repository and (trust is None or not trust.trusted):
        raise BisectError(
            f"{command.id} is a command of the repository that nobody trusted yet: {command.shown}",
            "Read what would run: `handoff-tui check --list` prints the digest to trust.",
        )
    with open_trial_tree(desk.repository) as tree:
        yield CommandTrials(desk, command, tree, cancel)


class _Script(NamedTuple):
    path: str
    content: bytes
    executable: bool


def _read_scripts(desk: Desk, command: CommandCheck) -> list[_Script]:
    """Files of the repository that the command names."""
    reader = FileReader(desk.repository.root, desk.loaded.settings.limits.hash_bytes)
    scripts: list[_Script] = []
    for path, _ in hash_scripts(reader, command.argv):
        try:
            scripts.append(_Script(path, reader.read_bytes(path), can_execute(reader.resolve(path))))
        except (FileUnreadableError, UnsafePathError):
            continue
    return scripts


def _build_unknown(check: str, severity: Severity, reason: str) -> CheckResult:
    return CheckResult(id=check, outcome=Outcome.UNKNOWN, severity=severity, blocking=True, summary=reason)
