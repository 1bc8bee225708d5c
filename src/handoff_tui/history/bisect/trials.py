"""What a search does with one commit: tries the check on it, and reads what the culprit changed.

A rule runs on the commit's tree, a command in a separate work tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Protocol

from handoff_tui.checks.report import CheckResult, Outcome
from handoff_tui.checks.rule import Rule
from handoff_tui.checks.run.baseline import ChosenBaseline
from handoff_tui.checks.run.command_run import judge_run, run_isolated
from handoff_tui.checks.run.commands import CommandCheck, hash_scripts, read_consent
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import BisectError, FileUnreadableError, HandoffError, UnsafePathError
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commit_graph import GraphCommit, read_message
from handoff_tui.git.objects.tree_diff import count_lines, list_changes, read_patch
from handoff_tui.git.work_tree.trial_tree import TrialTree, open_trial_tree
from handoff_tui.handoffs.session import Session
from handoff_tui.history.bisect import report
from handoff_tui.history.past.checks import run_rules
from handoff_tui.history.past.repository import PastRepositories
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.probe import can_execute
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.processes.run import Bounds, CommandEnd

_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


_MOST_PATCH_LINES = 200


_MOST_FILES = 500


def read_culprit(session: Session, commit: GraphCommit, result: CheckResult) -> report.Culprit:
    """What the commit changed against its first parent, and what the check found."""
    git = session.repository.git
    before = commit.parents[0] if commit.parents else _EMPTY_TREES[session.repository.object_format]
    changes = list_changes(git, before, commit.id)
    counts = count_lines(git, before, commit.id)
    named = _find_named(changes, result)
    lines, cut = _read_patch(session, before, commit.id, named)
    return report.Culprit(
        commit=commit.id,
        parents=commit.parents,
        author=commit.author,
        author_email=commit.author_email,
        date=commit.date,
        subject=commit.subject,
        body=read_message(git, commit.id),
        findings=result.findings,
        summary=result.summary,
        files=tuple(
            report.CulpritFile(
                status=change.status,
                path=change.path,
                old_path=change.old_path,
                added=counts[change.path].added if change.path in counts else None,
                deleted=counts[change.path].deleted if change.path in counts else None,
                named=change in named,
            )
            for change in changes[:_MOST_FILES]
        ),
        patch="\n".join(lines),
        patch_cut=cut,
    )


def _find_named(changes: list[FileChange], result: CheckResult) -> list[FileChange]:
    """The changed files that a finding points to or mentions."""
    evidence = [one for finding in result.findings for one in finding.evidence]
    places = {one.path for one in evidence}
    spoken = [finding.message for finding in result.findings]
    words = " ".join([*spoken, *(part for one in evidence for part in (one.expected, one.actual) if part)])
    return [change for change in changes if change.path in places or _is_mentioned(change.path, words)]


def _is_mentioned(path: str, words: str) -> bool:
    """Whether the full path is mentioned: neither `docs/a.md` nor `a.mdx` mentions `a.md`."""
    if path not in words:  # quick: most are not
        return False
    return re.search(rf"(?<![\w/.~@+-])(?:\./)?{re.escape(path)}(?![\w/~@+-]|\.\w)", words) is not None


def _read_patch(session: Session, before: str, after: str, named: list[FileChange]) -> tuple[list[str], bool]:
    """The beginning of the diff, limited to the named files if there are any."""
    lines: list[str] = []
    rest = b""
    for piece in read_patch(session.repository.git, before, after, only=named or None):
        *complete, rest = (rest + piece).split(b"\n")
        lines += [line.decode("utf-8", "replace") for line in complete]
        if len(lines) > _MOST_PATCH_LINES:
            return lines[:_MOST_PATCH_LINES], True
    return lines, False


_UNTESTABLE = 125
"""A script exits with this to say so, as in `git bisect run`; higher codes mean it didn't run properly."""
_VERDICTS = {
    Outcome.PASS: report.TrialVerdict.GOOD,
    Outcome.NOT_APPLICABLE: report.TrialVerdict.GOOD,
    Outcome.FAIL: report.TrialVerdict.BAD,
}


class Tried(NamedTuple):
    """The result of a check on a commit, and what it counts as."""

    commit: GraphCommit
    result: CheckResult
    verdict: report.TrialVerdict


class Trials(Protocol):
    """Tries commits, one after another."""

    @property
    def way(self) -> report.BisectWay: ...

    def run(self, commit: GraphCommit) -> Tried: ...

    def fails_by_now(self, commit: GraphCommit) -> bool:
        """Whether it fails on the commit's files at the present time; trials use the time of the commit."""


class RuleTrials:
    """A rule on the trees of old commits, with today's settings and baseline."""

    way = report.BisectWay.TREES

    def __init__(
        self, session: Session, rule: Rule, find_baseline: Callable[[], ChosenBaseline], scope: str | None
    ) -> None:
        self._session = session
        self._rule = rule
        self._find_baseline = find_baseline
        self._scope = scope
        self._past = PastRepositories(session, session.loaded)

    def run(self, commit: GraphCommit) -> Tried:
        """If something can't be read there, the commit is untestable: never a pass or a failure."""
        try:
            results = run_rules(self._past.open(commit), (self._rule,), self._find_baseline, self._scope)
        except HandoffError as unreadable:
            return _build_untestable(commit, self._rule, unreadable.message)
        return _judge(commit, results[0])

    def fails_by_now(self, commit: GraphCommit) -> bool:
        try:
            [result] = run_rules(self._past.open(commit), (self._rule,), self._find_baseline, self._scope, read_now())
        except HandoffError:
            return False
        return result.outcome is Outcome.FAIL

    def close(self) -> None:
        self._past.close()


class CommandTrials:
    """A command as configured today, in a separate work tree.

    If the command comes from the repository, the scripts it names keep today's content: consent was given to that only.
    """

    way = report.BisectWay.WORK_TREE

    def __init__(self, session: Session, command: CommandCheck, tree: TrialTree, cancel: Event) -> None:
        self._session = session
        self._command = command
        self._tree = tree
        self._cancel = cancel
        self._scripts = _read_scripts(session, command) if command.from_repository else []
        settings = session.loaded.settings.check_run
        self._bounds = Bounds(command.check.timeout_seconds, settings.grace_seconds, settings.output_bytes)

    def run(self, commit: GraphCommit) -> Tried:
        try:
            self._tree.move_to(commit.id)
            for script in self._scripts:
                self._tree.put(script.path, script.content, executable=script.executable)
        except HandoffError as unreadable:
            return _build_untestable(commit, self._command, unreadable.message)
        end, result = self._execute()
        if end.code is not None and not 0 <= end.code < _UNTESTABLE:
            said = f"it exited with {end.code}" if end.code > 0 else f"it was ended by signal {-end.code}"
            return _build_untestable(commit, self._command, f"{said}, which means it can't be tested here")
        return _judge(commit, result)

    def fails_by_now(self, commit: GraphCommit) -> bool:  # noqa: ARG002 - a command always runs at the present time
        return False

    def _execute(self) -> tuple[CommandEnd, CheckResult]:
        end, written, _ = run_isolated(self._session, self._command, self._tree, self._bounds, self._cancel)
        return end, judge_run(self._command, end, written)


@contextmanager
def open_command_trials(session: Session, command: CommandCheck, cancel: Event) -> Iterator[CommandTrials]:
    """Refuses a command of the repository that nobody consented to."""
    trust = read_consent(session)
    if command.from_repository and (trust is None or not trust.trusted):
        raise BisectError(
            f"{command.id} is a command of the repository that nobody has consented to yet: {command.shown}",
            "Read what would run: `handoff-tui check --list` prints the digest to consent to.",
        )
    with open_trial_tree(session.repository) as tree:
        yield CommandTrials(session, command, tree, cancel)


class _Script(NamedTuple):
    path: str
    content: bytes
    executable: bool


def _read_scripts(session: Session, command: CommandCheck) -> list[_Script]:
    """Files of the repository that the command names."""
    reader = FileReader(session.repository.root, session.loaded.settings.limits.hash_bytes)
    scripts: list[_Script] = []
    for path, _ in hash_scripts(reader, command.argv):
        try:
            scripts.append(_Script(path, reader.read_bytes(path), can_execute(reader.resolve(path))))
        except (FileUnreadableError, UnsafePathError):
            continue
    return scripts


def _judge(commit: GraphCommit, result: CheckResult) -> Tried:
    return Tried(commit, result, _VERDICTS.get(result.outcome, report.TrialVerdict.UNTESTABLE))


def _build_untestable(commit: GraphCommit, check: Rule | CommandCheck, reason: str) -> Tried:
    outcome, severity = Outcome.UNKNOWN, check.severity
    result = CheckResult(id=check.id, outcome=outcome, severity=severity, blocking=True, summary=reason)
    return _judge(commit, result)
