"""A commit as rules see it. What no commit holds cannot be told, and a rule that asks for it is undecided."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import NoReturn

from handoff_tui.checks.contract import Rule, UndecidableError
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.baseline import Baseline
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.checks.world import Change
from handoff_tui.core.place import Problem
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.objects.tree_reader import TreeReader
from handoff_tui.handoffs.claims.evidence import Evidence
from handoff_tui.handoffs.claims.measure import prepare
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.history.travel.past_session import CommitEvidence, PastRepository

_GIT_FOLDER = ".git/"
IN_NO_COMMIT = "is in no commit"
_UNCOMMITTED = f"what was uncommitted then {IN_NO_COMMIT}"
_UNTOLD = {
    "changes-are-documented": _UNCOMMITTED,
    "nothing-unpushed": f"what was pushed by then {IN_NO_COMMIT}",
    "uncommitted-files-agree": _UNCOMMITTED,
}
"""Rules about what the tree and the history of a commit have nothing of."""
_ASKING_OUTSIDE = frozenset({"connections-stable", "deployment-answers", "permissions-granted", "session-gate-wired"})
"""Rules that ask about remotes, addresses, permissions or hooks before they find anything."""


class CommitWorld(RepositoryWorld):
    """Answers from the tree and the history of a commit. Handoffs are read when a rule asks for them."""

    def __init__(self, past: PastRepository, find_baseline: Callable[[], Baseline], moment: datetime | None = None) -> None:
        """The baseline is looked for when a rule asks for it; most do not. The usual `moment` is that of the commit."""
        super().__init__(past.desk, (), (), Baseline(None, "not asked for"))
        self._find_baseline = find_baseline
        self._past = past
        self._moment = moment or past.commit.moment
        self._tree_reader = past.open_reader(past.desk.loaded.settings.limits.file_bytes)
        self._reader = self._tree_reader
        self._history = lambda: past.reading.files.history

    def handoffs(self) -> tuple[Handoff, ...]:
        return self._past.reading.result.handoffs

    def problems(self) -> tuple[Problem, ...]:
        return self._past.reading.result.problems

    @cached_property
    def _evidence(self) -> Evidence:
        evidence = CommitEvidence(self._past, deep=True, old_files=self._old_files)
        prepare(evidence, self.handoffs(), self.handoffs())
        return evidence

    def _find_reader(self, path: str) -> tuple[TreeReader, str]:
        if path.startswith(_GIT_FOLDER):
            _refuse("which hooks this clone had then")
        return self._tree_reader, path

    def is_executable(self, path: str) -> bool:
        reader, inner = self._find_reader(path)
        return reader.is_executable(inner)

    def is_writable(self, path: str) -> bool:
        _refuse(f"whether {path} could be written then")

    def find_program(self, name: str) -> str | None:
        _refuse(f"whether the program {name} was there then")

    def program_answers(self, name: str) -> bool | None:
        _refuse(f"whether the program {name} was there then")

    def baseline(self) -> str | None:
        return self._find_baseline().commit

    def changes(self) -> tuple[Change, ...]:
        """What differs between the baseline and the commit."""
        commit = self.baseline()
        if commit is None:
            return ()
        found = list_changes(self._git, commit, self._past.commit.id)
        changes = (Change("A" if one.status == "C" else one.status, one.path, one.old_path) for one in found)
        return tuple(change for change in changes if not change.path.startswith(".handoff-tui/"))

    def remotes(self) -> tuple[tuple[str, str], ...]:
        _refuse("which remotes there were then")

    def reaches(self, remote: str) -> bool | None:
        _refuse(f"whether {remote} answered then")

    def answers(self, address: str) -> int | str | None:
        _refuse(f"whether {address} answered then")

    def now(self) -> datetime:
        """The moment of the commit: a lock that was fresh then is not stale."""
        return self._moment


def adapt_rules(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules as they judge a commit: some cannot tell."""
    return tuple(_suit(rule) for rule in rules)


def is_decidable(rule: str) -> bool:
    """Whether a rule may have an answer for a commit."""
    return rule not in _UNTOLD and rule not in _ASKING_OUTSIDE


def is_undecidable(result: CheckResult) -> bool:
    """Whether a rule could not tell, because what it asks for is in no commit."""
    return result.outcome is Outcome.UNKNOWN and result.summary.endswith(IN_NO_COMMIT)


def _suit(rule: Rule) -> Rule:
    reason = _UNTOLD.get(rule.id)
    return rule if reason is None else rule._replace(judge=lambda context: context.undecidable(reason))


def _refuse(what: str) -> NoReturn:
    raise UndecidableError(f"{what} {IN_NO_COMMIT}")
