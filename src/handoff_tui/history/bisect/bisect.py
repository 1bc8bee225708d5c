"""Since when a check fails: finds the commit, with the check and the settings of now.

The order of trials is that of `git bisect`. Both ends are tried first, and the parents of the commit at the end: what
was not tried is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Event
from typing import NamedTuple

from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.baseline import choose_baseline
from handoff_tui.checks.run.commands import list_commands
from handoff_tui.checks.run.rule_overrides import find_declared
from handoff_tui.config.nearest import suggest
from handoff_tui.core.errors import BisectError, UsageError
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commit_graph import GraphCommit, count_commits, find_merge_bases, read_graph, read_message
from handoff_tui.git.objects.tree_diff import count_lines, list_changes, read_patch
from handoff_tui.handoffs.read_handoffs import read_shelf
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.bisect.report import (
    BisectEnd,
    BisectProgress,
    BisectReport,
    BisectWay,
    CommitLine,
    Culprit,
    CulpritFile,
    Standing,
    Trial,
)
from handoff_tui.history.bisect.search import Search, build_places, count_steps
from handoff_tui.history.bisect.trials import Trials, Tried, open_command_trials, open_rule_trials
from handoff_tui.history.travel.past_checks import list_suited_rules
from handoff_tui.history.travel.past_session import find_commit
from handoff_tui.status.show import find_id

_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_MOST_PATCH_LINES = 200
_MOST_FILES = 500


def read_culprit(desk: Desk, commit: GraphCommit, result: CheckResult) -> Culprit:
    """What the commit changed against its first parent, and what the check says of it."""
    git = desk.repository.git
    before = commit.parents[0] if commit.parents else _EMPTY_TREES[desk.repository.object_format]
    changes = list_changes(git, before, commit.id)
    counts = count_lines(git, before, commit.id)
    named = _find_named(changes, result)
    lines, cut = _read_patch(desk, before, commit.id, named)
    return Culprit(
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
            CulpritFile(
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
    """The changed files that a finding names as its place, or speaks of."""
    evidence = [one for finding in result.findings for one in finding.evidence]
    places = {one.path for one in evidence}
    spoken = [finding.message for finding in result.findings]
    words = " ".join([*spoken, *(part for one in evidence for part in (one.expected, one.actual) if part)])
    return [change for change in changes if change.path in places or _is_spoken_of(change.path, words)]


def _is_spoken_of(path: str, words: str) -> bool:
    """Whether a path stands there as a whole: `a.md` is not named by `docs/a.md`, nor by `a.mdx`."""
    if path not in words:  # most are not, and this is the quicker question
        return False
    return re.search(rf"(?<![\w/.~@+-])(?:\./)?{re.escape(path)}(?![\w/~@+-]|\.\w)", words) is not None


def _read_patch(desk: Desk, before: str, after: str, named: list[FileChange]) -> tuple[list[str], bool]:
    """The beginning of the diff; of the named files where there are some."""
    lines: list[str] = []
    rest = b""
    for piece in read_patch(desk.repository.git, before, after, only=named or None):
        *whole, rest = (rest + piece).split(b"\n")
        lines += [line.decode("utf-8", "replace") for line in whole]
        if len(lines) > _MOST_PATCH_LINES:
            return lines[:_MOST_PATCH_LINES], True
    return lines, False


_MOST_LEFT = 200
_MOST_LISTED = 5
_MOST_LOOKED = {BisectWay.TREES: 1_000, BisectWay.WORK_TREE: 32}
"""So many commits are tried in search of one where it passes; a command may take minutes for each."""
_EARLIER = "Name an earlier commit with --good, or leave it out: then one is looked for."


class BisectRequest(NamedTuple):
    """What is asked. Without `good` a passing commit is looked for; without `bad` it is HEAD."""

    check: str
    handoff: str | None = None
    good: str | None = None
    bad: str | None = None
    finding: str | None = None
    """A fingerprint: only this finding counts, and a commit that fails for another reason is good."""


@dataclass(slots=True)
class BisectTelling:
    """How the caller follows a search, and ends it."""

    on_progress: Callable[[BisectProgress], None] | None = None
    cancel: Event = field(default_factory=Event)


def bisect(desk: Desk, request: BisectRequest, telling: BisectTelling | None = None) -> BisectReport:
    """Searches the history that leads to the bad commit. Nothing of the repository is changed."""
    telling = telling or BisectTelling()
    if desk.work_tree.facts.head is None:
        raise BisectError("there is no commit yet, so there is no history to search", "Commit something first.")
    with _open_trials(desk, request, telling.cancel) as trials:
        return _Bisection(desk, request, telling, trials).run()


@contextmanager
def _open_trials(desk: Desk, request: BisectRequest, cancel: Event) -> Iterator[Trials]:
    rules = list_suited_rules(desk)
    wanted = find_declared(request.check, rules)
    rule = next((rule for rule in rules if rule.id == wanted), None)
    if rule is not None:
        handoffs = read_shelf(desk).harvest.handoffs if request.handoff is not None else ()
        scope = find_id(handoffs, request.handoff) if request.handoff is not None else None
        with open_rule_trials(desk, rule, cache(lambda: choose_baseline(desk, None)), scope) as trials:
            yield trials
        return
    commands = list_commands(desk, None, None)
    command = next((command for command in commands if command.id == wanted), None)
    if command is None:
        known = sorted([*(rule.id for rule in rules), *(command.id for command in commands)])
        raise UsageError(
            f"no check has the id {request.check!r}; {suggest(request.check, known)}",
            "`handoff-tui check --list` lists them.",
        )
    if request.handoff is not None:
        raise UsageError(f"{command.id} is a command, which knows nothing of handoffs", "Leave out --handoff.")
    with open_command_trials(desk, command, cancel) as runs:
        yield runs


class _CancelledError(Exception):
    """The caller wants no more."""


class _Bisection:
    """One search."""

    def __init__(self, desk: Desk, request: BisectRequest, telling: BisectTelling, trials: Trials) -> None:
        self._desk = desk
        self._git = desk.repository.git
        self._request = request
        self._telling = telling
        self._trials = trials
        self._tried: dict[str, tuple[GraphCommit, Tried]] = {}
        self._assumed: list[str] = []
        self._notes: list[str] = []
        self._search: Search | None = None
        self._graph: dict[str, GraphCommit] = {}
        self._good: str | None = None
        self._bad = self._read_bad()
        self._between = 0
        self._untried = 0

    def _read_bad(self) -> GraphCommit:
        head = self._desk.work_tree.facts.head
        if self._request.bad is None and head is not None:
            return read_graph(self._git, head, "--max-count=1")[0]
        return find_commit(self._desk, self._request.bad or "HEAD")

    def run(self) -> BisectReport:
        try:
            return self._run()
        except _CancelledError:
            return self._build(BisectEnd.CANCELLED)

    def _run(self) -> BisectReport:
        if not self._begin_bad():
            return self._build(BisectEnd.NOT_FAILING)
        good = self._find_named_good() if self._request.good else self._look_for_good()
        if good is None:
            return self._build(self._end_without_good())
        self._begin(good)
        return self._narrow()

    def _begin_bad(self) -> bool:
        """Whether the check fails where it should."""
        tried = self._try(self._bad)
        if tried.standing is Standing.UNTESTABLE:
            raise BisectError(
                f"whether {self._request.check} fails at {_shorten(self._bad)} cannot be told: {tried.result.summary}",
                "Name a commit where it fails with --bad.",
            )
        if tried.standing is Standing.GOOD:
            self._refuse_unknown_finding(tried)
            self._note_why_not(tried)
        return tried.standing is Standing.BAD

    def _refuse_unknown_finding(self, tried: Tried) -> None:
        """It fails there, but the finding that was asked about is not among what it found."""
        if self._request.finding is None or not tried.result.findings:
            return
        known = [finding.fingerprint for finding in tried.result.findings]
        more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
        raise UsageError(
            f"no finding of {self._request.check} at {_shorten(self._bad)} has the fingerprint {self._request.finding}",
            f"There are {', '.join(known[:_MOST_LISTED])}{more}: `handoff-tui check --json` has them with their words.",
        )

    def _note_why_not(self, tried: Tried) -> None:
        """Why it may fail today although it does not fail at the commit."""
        if self._request.finding is not None and tried.result.outcome is Outcome.FAIL:
            return
        if self._trials.fails_by_now(self._bad):
            self._notes.append(
                "it rests on the clock: by the clock of the commit it passes, by that of now it fails. Time has done "
                "it, and no commit"
            )
        elif self._desk.work_tree.facts.changed and self._request.bad is None:
            self._notes.append("there are uncommitted changes: if it fails in the work tree, they may be why")

    def _find_named_good(self) -> GraphCommit:
        """The commit that a person calls good, tried; where it is no ancestor, the commits where the lines parted."""
        good = find_commit(self._desk, self._request.good or "")
        tried = self._try(good)
        if tried.standing is Standing.BAD:
            raise BisectError(f"{self._request.check} fails at {_shorten(good)} as well", _EARLIER)
        if tried.standing is Standing.UNTESTABLE:
            self._assumed.append(
                f"{_shorten(good)} is good by your word; it cannot be told there: {tried.result.summary}"
            )
        bases = find_merge_bases(self._git, good.id, self._bad.id)
        if not bases:
            raise BisectError(
                f"{_shorten(good)} and {_shorten(self._bad)} have no common history here",
                "History may have been rewritten, or this clone is shallow. Name an ancestor with --good.",
            )
        for base in bases:
            if base != good.id:
                self._try_base(find_commit(self._desk, base), good)
        return good

    def _try_base(self, base: GraphCommit, good: GraphCommit) -> None:
        tried = self._try(base)
        parted = f"{_shorten(base)}, where the lines to {_shorten(good)} and {_shorten(self._bad)} parted"
        if tried.standing is Standing.BAD:
            raise BisectError(
                f"{self._request.check} fails already at {parted}: it was mended on the way to {_shorten(good)}",
                _EARLIER,
            )
        if tried.standing is Standing.UNTESTABLE:
            self._assumed.append(f"it passed at {parted}; it cannot be told there: {tried.result.summary}")

    def _look_for_good(self) -> GraphCommit | None:
        """Back along first parents in steps that double, then between them; nothing where it passes nowhere."""
        line = read_graph(self._git, self._bad.id, "--first-parent")
        for place in build_places(len(line) - 1, _MOST_LOOKED[self._trials.way]):
            if self._try(line[place]).standing is Standing.GOOD:
                self._bad = next(one for one in reversed(line[:place]) if self._is_bad(one))
                return line[place]
        self._untried = count_commits(self._git, self._bad.id) - len(self._tried)
        if self._untried and len(self._tried) == len(line):
            self._notes.append("only the line of first parents was tried; the others came in by merges")
        first = self._tried.get(line[-1].id)
        if first is not None and first[1].standing is Standing.UNTESTABLE:
            self._notes.append(f"at the first commit, {_shorten(line[-1])}, it cannot be told")
        if self._desk.repository.shallow:
            self._notes.append("this clone is shallow: what was before its first commit is not here")
        self._bad = next(one for one in reversed(line) if self._is_bad(one))
        return None

    def _is_bad(self, commit: GraphCommit) -> bool:
        known = self._tried.get(commit.id)
        return known is not None and known[1].standing is Standing.BAD

    def _end_without_good(self) -> BisectEnd:
        """That it always failed is said only where every commit was tried, and failed."""
        is_whole = not self._untried and all(self._is_bad(commit) for commit, _ in self._tried.values())
        return BisectEnd.ALWAYS if is_whole else BisectEnd.UNKNOWN

    def _begin(self, good: GraphCommit) -> None:
        self._good = good.id
        commits = read_graph(self._git, self._bad.id, without=(good.id,))
        self._graph = {commit.id: commit for commit in commits}
        self._between = len(commits)
        self._search = Search({commit.id: commit.parents for commit in commits}, self._bad.id)
        for commit, tried in list(self._tried.values()):
            if commit.id in self._search.left and commit.id != self._search.bad:
                self._search.note(commit.id, tried.standing)

    def _narrow(self) -> BisectReport:
        search = self._search
        if search is None:
            raise BisectError("the search has not begun")
        while (chosen := search.choose()) is not None:
            standing = self._try(self._graph[chosen]).standing
            search.note(chosen, standing)
            if standing is Standing.GOOD:
                self._good = chosen
        if not search.is_found:
            self._notes.append("only commits at which it cannot be told are left, so it is one of these")
            return self._build(BisectEnd.RANGE)
        self._confirm(self._graph[search.bad])
        return self._build(BisectEnd.FOUND)

    def _confirm(self, culprit: GraphCommit) -> None:
        """Tries the parents that were not tried, and says what the answer rests on."""
        for parent in culprit.parents:
            known = self._tried.get(parent)
            tried = known[1] if known is not None else self._try(find_commit(self._desk, parent))
            if tried.standing is Standing.BAD:
                self._notes.append(
                    f"its parent {parent[:SHORT_COMMIT]} fails as well: the check failed before, was mended, and fails "
                    "again. This is one of several beginnings"
                )
            elif tried.standing is Standing.UNTESTABLE:
                self._assumed.append(f"its parent {parent[:SHORT_COMMIT]} passes; it cannot be told there")
        untried = self._between - sum(commit in self._tried for commit in self._graph)
        if untried:
            self._assumed.append(
                f"once it fails, it fails in all that follows: {untried} of {self._between} commits were not tried"
            )

    def _try(self, commit: GraphCommit) -> Tried:
        known = self._tried.get(commit.id)
        if known is not None:
            return known[1]
        if self._telling.cancel.is_set():
            raise _CancelledError
        tried = self._judge_finding(self._trials.run(commit))
        if self._telling.cancel.is_set() and tried.standing is Standing.UNTESTABLE:
            raise _CancelledError
        self._tried[commit.id] = (commit, tried)
        self._tell(commit, tried.standing)
        return tried

    def _judge_finding(self, tried: Tried) -> Tried:
        """Where one finding is asked about, a failure without it is good."""
        wanted = self._request.finding
        if wanted is None or tried.standing is not Standing.BAD:
            return tried
        found = any(finding.fingerprint.startswith(wanted) for finding in tried.result.findings)
        return tried if found else tried._replace(standing=Standing.GOOD)

    def _tell(self, commit: GraphCommit, standing: Standing) -> None:
        if self._telling.on_progress is not None:
            left = len(self._search.left) if self._search is not None else 0
            self._telling.on_progress(
                BisectProgress(
                    tried=len(self._tried), left=left, steps=count_steps(left), commit=commit.id, standing=standing
                )
            )

    def _build(self, end: BisectEnd) -> BisectReport:
        search = self._search
        bad = search.bad if search is not None else self._bad.id
        culprit = read_culprit(self._desk, *self._find_culprit(bad)) if end is BisectEnd.FOUND else None
        left = search.left if search is not None and culprit is None else []
        if len(left) > _MOST_LEFT:
            self._notes.append(f"{len(left) - _MOST_LEFT:,} more commits may be it")
        return BisectReport(
            check=self._request.check,
            handoff=self._request.handoff,
            finding=self._request.finding,
            end=end,
            way=BisectWay(self._trials.way),
            good=self._good,
            bad=bad,
            untried=self._untried,
            between=self._between,
            trials=tuple(_build_trial(commit, tried) for commit, tried in self._tried.values()),
            culprit=culprit,
            left=tuple(_build_line(self._graph[one]) for one in left[:_MOST_LEFT]),
            assumed=tuple(self._assumed),
            notes=tuple(self._notes),
        )

    def _find_culprit(self, bad: str) -> tuple[GraphCommit, CheckResult]:
        commit, tried = self._tried[bad]
        return commit, tried.result


def _build_trial(commit: GraphCommit, tried: Tried) -> Trial:
    result = tried.result
    return Trial(
        commit=commit.id,
        subject=commit.subject,
        standing=tried.standing,
        outcome=result.outcome,
        summary=result.summary,
    )


def _build_line(commit: GraphCommit) -> CommitLine:
    return CommitLine(commit=commit.id, author=commit.author, date=commit.date, subject=commit.subject)


def _shorten(commit: GraphCommit) -> str:
    return commit.id[:SHORT_COMMIT]
