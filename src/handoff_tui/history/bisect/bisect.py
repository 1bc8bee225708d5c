"""Finds the commit that broke a check, with today's check and settings.

Commits are tried in the order of `git bisect`. Both ends are tried first, and the parents of the culprit last; the
report says what was not tried.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import pairwise
from math import isqrt
from threading import Event

from handoff_tui.checks.report import Outcome
from handoff_tui.checks.run.baseline import choose_baseline
from handoff_tui.checks.run.choose import find_declared
from handoff_tui.checks.run.commands import list_commands
from handoff_tui.config.nearest import suggest
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import BisectError, UsageError
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.labels import name_some
from handoff_tui.git.command import Git
from handoff_tui.git.history.commit_graph import GraphCommit, count_commits, find_merge_bases, read_graph
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session
from handoff_tui.history.bisect import report
from handoff_tui.history.bisect.trials import RuleTrials, Trials, Tried, open_command_trials, read_culprit
from handoff_tui.history.past.checks import list_past_rules
from handoff_tui.history.past.repository import find_commit
from handoff_tui.status.show import find_id

_MODULUS = 32_768
_MOST_LEFT = 200
_MOST_LISTED = 5
_MOST_LOOKED = {report.BisectWay.TREES: 1_000, report.BisectWay.WORK_TREE: 32}
"""How many commits are tried to find one that passes; a command may take minutes on each."""
_EARLIER = "Name an earlier commit with --good, or leave it out to search for one."


class BisectRequest(NamedTuple):
    """What to search for. Without `good`, a passing commit is searched for; `bad` defaults to HEAD."""

    check: str
    handoff: str | None = None
    good: str | None = None
    bad: str | None = None
    finding: str | None = None
    """A fingerprint: only this finding counts; a commit that fails for another reason is good."""


@dataclass(slots=True)
class BisectControl:
    """Lets the caller follow a search and cancel it."""

    on_progress: Callable[[report.BisectProgress], None] | None = None
    cancel: Event = field(default_factory=Event)


def bisect(session: Session, request: BisectRequest, control: BisectControl | None = None) -> report.BisectReport:
    """Searches the history that leads to the bad commit. Changes nothing in the repository."""
    control = control or BisectControl()
    if session.work_tree.facts.head is None:
        raise BisectError("No commit yet, so no history to search", "Commit something first.")
    with _open_trials(session, request, control.cancel) as trials:
        return _Bisection(session, request, control, trials).run()


@contextmanager
def _open_trials(session: Session, request: BisectRequest, cancel: Event) -> Iterator[Trials]:
    rules = list_past_rules(session)
    wanted = find_declared(request.check, rules)
    rule = next((rule for rule in rules if rule.id == wanted), None)
    if rule is not None:
        handoffs = read_repository(session).result.handoffs if request.handoff is not None else ()
        scope = find_id(handoffs, request.handoff) if request.handoff is not None else None
        with closing(RuleTrials(session, rule, cache(lambda: choose_baseline(session, None)), scope)) as trials:
            yield trials
        return
    commands = list_commands(session, None, None)
    command = next((command for command in commands if command.id == wanted), None)
    if command is None:
        known = sorted([*(rule.id for rule in rules), *(command.id for command in commands)])
        raise UsageError(
            f"no check has the id {request.check!r}; {suggest(request.check, known)}",
            "`handoff-tui check --list` lists them.",
        )
    if request.handoff is not None:
        raise UsageError(f"{command.id} is a command and isn't about one handoff", "Leave out --handoff.")
    with open_command_trials(session, command, cancel) as runs:
        yield runs


class _CancelledError(Exception):
    """The caller cancelled the search."""


class Candidates:
    """The commits that may be the first bad one: those that lead to the bad one and to no good one.

    git ranks them, so commits are tried in the order of `git bisect`.
    """

    def __init__(self, git: Git, bad: str, good: str) -> None:
        self._git = git
        self._good = [good]
        self._untestable: set[str] = set()
        self.bad = bad
        self.ranked = self._rank()
        """Best to try next first."""

    @property
    def is_found(self) -> bool:
        return self.ranked == [self.bad]

    def note(self, commit: str, verdict: report.TrialVerdict) -> None:
        """Takes in the result of a trial."""
        if verdict is report.TrialVerdict.UNTESTABLE:
            self._untestable.add(commit)
            return
        if verdict is report.TrialVerdict.BAD:
            self.bad = commit
        else:
            self._good.append(commit)
        self.ranked = self._rank()

    def choose(self) -> str | None:
        """The commit to try next; None if only one is left, or none that can be tried."""
        testable = [commit for commit in self.ranked if commit not in self._untestable]
        if len(self.ranked) <= 1 or testable == [self.bad]:
            return None
        if len(testable) == len(self.ranked):
            return self._list_revisions("--bisect-vars").partition("'")[2].partition("'")[0]
        if self.ranked[0] not in self._untestable:
            return self.ranked[0]
        # as git does it: further away from an untestable commit, since its neighbours are often untestable too
        count = len(testable)
        number = (count * 1_103_515_245 + 12_345) % (1 << 32) // 65_536 % _MODULUS
        index = count * number // _MODULUS * isqrt(number) // isqrt(_MODULUS)
        if testable[index] != self.bad:
            return testable[index]
        return testable[index - 1] if index else testable[1]

    def _rank(self) -> list[str]:
        return [line.split()[0] for line in self._list_revisions("--bisect-all").splitlines()]

    def _list_revisions(self, option: str) -> str:
        words = ("rev-list", option, self.bad, *(f"^{commit}" for commit in self._good), "--")
        return os.fsdecode(self._git.read(*words))


class _Bisection:
    """One search, from both ends to the culprit."""

    def __init__(self, session: Session, request: BisectRequest, control: BisectControl, trials: Trials) -> None:
        self._session = session
        self._git = session.repository.git
        self._request = request
        self._control = control
        self._trials = trials
        self._tried: dict[str, Tried] = {}
        self._assumed: list[str] = []
        self._notes: list[str] = []
        self._search: Candidates | None = None
        self._graph: dict[str, GraphCommit] = {}
        self._good: str | None = None
        self._bad = self._read_bad()
        self._between = 0
        self._untried = 0

    def _read_bad(self) -> GraphCommit:
        head = self._session.work_tree.facts.head
        if self._request.bad is None and head is not None:
            return read_graph(self._git, head, "--max-count=1")[0]
        return find_commit(self._session, self._request.bad or "HEAD")

    def run(self) -> report.BisectReport:
        try:
            return self._run()
        except _CancelledError:
            return self._build(report.BisectEnd.CANCELLED)

    def _run(self) -> report.BisectReport:
        if not self._begin_bad():
            return self._build(report.BisectEnd.NOT_FAILING)
        good = self._find_named_good() if self._request.good else self._look_for_good()
        if good is None:
            return self._build(self._end_without_good())
        self._begin(good)
        return self._narrow()

    def _begin_bad(self) -> bool:
        """Whether the check fails at the bad commit."""
        tried = self._try(self._bad)
        if tried.verdict is report.TrialVerdict.UNTESTABLE:
            raise BisectError(
                f"can't tell whether {self._request.check} fails at {_shorten(self._bad)}: {tried.result.summary}",
                "Name a commit that fails with --bad.",
            )
        if tried.verdict is report.TrialVerdict.GOOD:
            self._refuse_unknown_finding(tried)
            self._note_why_not(tried)
        return tried.verdict is report.TrialVerdict.BAD

    def _refuse_unknown_finding(self, tried: Tried) -> None:
        """Refuses a finding the check doesn't have at the bad commit."""
        if self._request.finding is None or not tried.result.findings:
            return
        known = [finding.fingerprint for finding in tried.result.findings]
        raise UsageError(
            f"no finding of {self._request.check} at {_shorten(self._bad)} has the fingerprint {self._request.finding}",
            f"Its findings: {name_some(known, _MOST_LISTED)}. `handoff-tui check --json` shows their messages.",
        )

    def _note_why_not(self, tried: Tried) -> None:
        """Says why the check may fail today although it passes at the commit."""
        if self._request.finding is not None and tried.result.outcome is Outcome.FAIL:
            return
        if self._trials.fails_by_now(self._bad):
            self._notes.append(
                "it depends on the clock: it passed at the time of the commit and fails now. No commit broke it"
            )
        elif self._session.work_tree.facts.changed and self._request.bad is None:
            self._notes.append("there are uncommitted changes; if it fails in the work tree, they may be why")

    def _find_named_good(self) -> GraphCommit:
        """Tries the commit a person calls good. If it isn't an ancestor, tries the merge bases too."""
        good = find_commit(self._session, self._request.good or "")
        tried = self._try(good)
        if tried.verdict is report.TrialVerdict.BAD:
            raise BisectError(f"{self._request.check} also fails at {_shorten(good)}", _EARLIER)
        if tried.verdict is report.TrialVerdict.UNTESTABLE:
            self._assumed.append(
                f"{_shorten(good)} passes, as you said; it can't be tested there: {tried.result.summary}"
            )
        bases = find_merge_bases(self._git, good.id, self._bad.id)
        if not bases:
            raise BisectError(
                f"{_shorten(good)} and {_shorten(self._bad)} share no history here",
                "History was rewritten, or this clone is shallow. Name an ancestor with --good.",
            )
        for base in bases:
            if base != good.id:
                self._try_base(find_commit(self._session, base), good)
        return good

    def _try_base(self, base: GraphCommit, good: GraphCommit) -> None:
        tried = self._try(base)
        fork = f"{_shorten(base)}, the merge base of {_shorten(good)} and {_shorten(self._bad)}"
        if tried.verdict is report.TrialVerdict.BAD:
            raise BisectError(
                f"{self._request.check} already fails at {fork}: it was fixed on the way to {_shorten(good)}",
                _EARLIER,
            )
        if tried.verdict is report.TrialVerdict.UNTESTABLE:
            self._assumed.append(f"it passes at {fork}; it can't be tested there: {tried.result.summary}")

    def _look_for_good(self) -> GraphCommit | None:
        """Walks back along first parents in doubling steps, then fills the gaps; None if it passes nowhere."""
        line = read_graph(self._git, self._bad.id, "--first-parent")
        for place in build_places(len(line) - 1, _MOST_LOOKED[self._trials.way]):
            if self._try(line[place]).verdict is report.TrialVerdict.GOOD:
                self._bad = next(one for one in reversed(line[:place]) if self._is_bad(one))
                return line[place]
        self._untried = count_commits(self._git, self._bad.id) - len(self._tried)
        if self._untried and len(self._tried) == len(line):
            self._notes.append("only first parents were tried; the other commits came in through merges")
        first = self._tried.get(line[-1].id)
        if first is not None and first.verdict is report.TrialVerdict.UNTESTABLE:
            self._notes.append(f"it can't be tested at the first commit, {_shorten(line[-1])}")
        if self._session.repository.shallow:
            self._notes.append("this clone is shallow: history before its first commit isn't here")
        self._bad = next(one for one in reversed(line) if self._is_bad(one))
        return None

    def _is_bad(self, commit: GraphCommit) -> bool:
        known = self._tried.get(commit.id)
        return known is not None and known.verdict is report.TrialVerdict.BAD

    def _end_without_good(self) -> report.BisectEnd:
        """ALWAYS only if every commit was tried and failed."""
        is_complete = not self._untried and all(self._is_bad(tried.commit) for tried in self._tried.values())
        return report.BisectEnd.ALWAYS if is_complete else report.BisectEnd.UNKNOWN

    def _begin(self, good: GraphCommit) -> None:
        self._good = good.id
        commits = read_graph(self._git, self._bad.id, without=(good.id,))
        self._graph = {commit.id: commit for commit in commits}
        self._between = len(commits)
        self._search = search = Candidates(self._git, self._bad.id, good.id)
        for commit, tried in list(self._tried.items()):
            if commit in search.ranked and commit != search.bad:
                search.note(commit, tried.verdict)

    def _narrow(self) -> report.BisectReport:
        search = self._search
        if search is None:
            raise BisectError("the search has not begun")
        while (chosen := search.choose()) is not None:
            verdict = self._try(self._graph[chosen]).verdict
            search.note(chosen, verdict)
            if verdict is report.TrialVerdict.GOOD:
                self._good = chosen
        if not search.is_found:
            self._notes.append("only commits that can't be tested are left, so it is one of these")
            return self._build(report.BisectEnd.RANGE)
        self._confirm(self._graph[search.bad])
        return self._build(report.BisectEnd.FOUND)

    def _confirm(self, culprit: GraphCommit) -> None:
        """Tries the culprit's parents, and notes what the answer assumes."""
        for parent in culprit.parents:
            known = self._tried.get(parent)
            tried = known or self._try(find_commit(self._session, parent))
            if tried.verdict is report.TrialVerdict.BAD:
                self._notes.append(
                    f"its parent {parent[:SHORT_COMMIT]} fails too: the check failed before, was fixed, and "
                    "broke again. This is one of several commits that broke it"
                )
            elif tried.verdict is report.TrialVerdict.UNTESTABLE:
                self._assumed.append(f"its parent {parent[:SHORT_COMMIT]} passes; it can't be tested there")
        untried = self._between - sum(commit in self._tried for commit in self._graph)
        if untried:
            self._assumed.append(
                f"once it fails, it keeps failing: {untried} of {self._between} commits were not tried"
            )

    def _try(self, commit: GraphCommit) -> Tried:
        known = self._tried.get(commit.id)
        if known is not None:
            return known
        if self._control.cancel.is_set():
            raise _CancelledError
        tried = self._judge_finding(self._trials.run(commit))
        if self._control.cancel.is_set() and tried.verdict is report.TrialVerdict.UNTESTABLE:
            raise _CancelledError
        self._tried[commit.id] = tried
        self._tell(commit, tried.verdict)
        return tried

    def _judge_finding(self, tried: Tried) -> Tried:
        """If one finding was asked about, a failure without it counts as good."""
        wanted = self._request.finding
        if wanted is None or tried.verdict is not report.TrialVerdict.BAD:
            return tried
        found = any(finding.fingerprint.startswith(wanted) for finding in tried.result.findings)
        return tried if found else tried._replace(verdict=report.TrialVerdict.GOOD)

    def _tell(self, commit: GraphCommit, verdict: report.TrialVerdict) -> None:
        if self._control.on_progress is not None:
            left = len(self._search.ranked) if self._search is not None else 0
            self._control.on_progress(
                report.BisectProgress(
                    tried=len(self._tried), left=left, steps=count_steps(left), commit=commit.id, standing=verdict
                )
            )

    def _build(self, end: report.BisectEnd) -> report.BisectReport:
        search = self._search
        bad = search.bad if search is not None else self._bad.id
        found = self._tried.get(bad) if end is report.BisectEnd.FOUND else None
        culprit = None if found is None else read_culprit(self._session, found.commit, found.result)
        candidates = frozenset(search.ranked) if search is not None and culprit is None else frozenset()
        left = [commit for commit in self._graph if commit in candidates]
        if len(left) > _MOST_LEFT:
            self._notes.append(f"{len(left) - _MOST_LEFT:,} more commits could be the one")
        return report.BisectReport(
            check=self._request.check,
            handoff=self._request.handoff,
            finding=self._request.finding,
            end=end,
            way=report.BisectWay(self._trials.way),
            good=self._good,
            bad=bad,
            untried=self._untried,
            between=self._between,
            trials=tuple(_build_trial(tried) for tried in self._tried.values()),
            culprit=culprit,
            left=tuple(_build_line(self._graph[commit]) for commit in left[:_MOST_LEFT]),
            assumed=tuple(self._assumed),
            notes=tuple(self._notes),
        )


def _build_trial(tried: Tried) -> report.TriedCommit:
    commit, result, verdict = tried
    return report.TriedCommit(
        commit=commit.id, subject=commit.subject, standing=verdict, outcome=result.outcome, summary=result.summary
    )


def _build_line(commit: GraphCommit) -> report.CommitLine:
    return report.CommitLine(commit=commit.id, author=commit.author, date=commit.date, subject=commit.subject)


def _shorten(commit: GraphCommit) -> str:
    return commit.id[:SHORT_COMMIT]


def build_places(last: int, most: int) -> list[int]:
    """Where to look for a good commit, counted back from the bad one: 1, 2, 4 and so on, and the last.

    Then the middles of the gaps, newest first, and so on until all or `most` are named.
    """
    places = [place for place in (1 << power for power in range(last.bit_length())) if place < last]
    places += [last] if last else []
    known = [0, *places]
    while len(places) < most:
        middles = [(newer + older) // 2 for newer, older in pairwise(known) if older - newer > 1]
        if not middles:
            break
        places += middles
        known = sorted([*known, *middles])
    return places[:most]


def count_steps(left: int) -> int:
    """About how many trials that many commits need."""
    return max(0, left - 1).bit_length()
