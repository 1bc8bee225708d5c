"""Runs rules on a commit: on its tree, with the committer's clock.

A rule that asks for something no commit holds is undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import NoReturn

from handoff_tui.checks.context import Answers, WorldQuestion
from handoff_tui.checks.engine import RuleEngine
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.report import COMMAND, CheckReport, CheckResult, Outcome, RuleInfo, sort_results
from handoff_tui.checks.rule import Rule, UndecidableError
from handoff_tui.checks.run.baseline import ChosenBaseline, choose_usual_baseline
from handoff_tui.checks.run.choose import CheckRequest, build_rule_overrides, list_rules, load_functions
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.checks.world import Change
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.errors import ConfigError, ObjectMissingError
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.objects.tree_reader import TreeReader
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.life import Life, LifeFacts, find_lives
from handoff_tui.handoffs.reading.read import NOTHING_READ, ReadHandoffs
from handoff_tui.handoffs.session import Session
from handoff_tui.history.past.repository import PastGates, PastRepository
from handoff_tui.log.gates.approved import list_approved
from handoff_tui.system.files.own_folder import is_own

_GIT_FOLDER = ".git/"
IN_NO_COMMIT = "is in no commit"
_UNCOMMITTED = f"what was uncommitted then {IN_NO_COMMIT}"
_UNTOLD = {
    "changes-are-documented": _UNCOMMITTED,
    "documents-list-own-changes": f"whose work a change was then {IN_NO_COMMIT}",
    "nothing-unpushed": f"what was pushed by then {IN_NO_COMMIT}",
    "uncommitted-files-agree": _UNCOMMITTED,
}
"""Rules about things that neither the tree nor the history of a commit holds."""
_ASKING_OUTSIDE = frozenset({"connections-stable", "deployment-answers", "permissions-granted", "session-gate-wired"})
"""Rules that need remotes, addresses, permissions or hooks before they find anything."""


class CommitWorld(RepositoryWorld):
    """Answers from the tree and history of a commit. Handoffs are read when a rule asks for them."""

    def __init__(
        self, past: PastRepository, find_baseline: Callable[[], ChosenBaseline], moment: datetime | None = None
    ) -> None:
        """The baseline is only searched for if a rule asks. `moment` defaults to that of the commit."""
        super().__init__(past.session, NOTHING_READ, ChosenBaseline(None, "not asked for"))
        self._find_baseline = find_baseline
        self._past = past
        self._moment = moment or past.commit.moment
        self._tree_reader = past.open_reader(past.session.loaded.settings.limits.file_bytes)
        self._reader = self._tree_reader
        self._history = lambda: past.reading.files.history

    def read_handoffs(self) -> ReadHandoffs:
        return self._past.reading.result

    @cached_property
    def lives(self) -> dict[str, Life]:
        """By the documents alone: which of them the log had closed by then is in no commit."""
        result = self.read_handoffs()
        return find_lives(result.handoffs, LifeFacts(ignored=result.ignored))

    @cached_property
    def evidence(self) -> RepositoryEvidence:
        return self._past.evidence

    def _find_reader(self, path: str) -> tuple[TreeReader, str]:
        if path.startswith(_GIT_FOLDER):
            _refuse("which hooks this clone had then")
        return self._tree_reader, path

    def deleted_paths(self, word: str) -> tuple[str, ...]:  # noqa: ARG002 - what scopes know is of now
        return ()

    def is_executable(self, path: str) -> bool:
        reader, inner = self._find_reader(path)
        return reader.is_executable(inner)

    def is_writable(self, path: str) -> bool:
        _refuse(f"whether {path} could be written then")

    def find_program(self, name: str) -> str | None:
        _refuse(f"whether the program {name} was there then")

    def baseline(self) -> str | None:
        return self._find_baseline().commit

    def changes(self) -> tuple[Change, ...]:
        """The differences between the baseline and the commit."""
        commit = self.baseline()
        if commit is None:
            return ()
        found = list_changes(self._git, commit, self._past.commit.id)
        changes = (Change("A" if one.status == "C" else one.status, one.path, one.old_path) for one in found)
        return tuple(change for change in changes if not is_own(change.path))

    def remotes(self) -> tuple[tuple[str, str], ...]:
        _refuse("which remotes there were then")

    def reaches(self, remote: str) -> bool | None:
        _refuse(f"whether {remote} answered then")

    def answers(self, address: str) -> int | str | None:
        _refuse(f"whether {address} answered then")

    def now(self) -> datetime:
        """The time of the commit: a lock that was fresh then isn't stale."""
        return self._moment


def adapt_rules(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules as they run on a commit; some are always undecided."""
    return tuple(_suit(rule) for rule in rules)


def is_decidable(rule: str) -> bool:
    """Whether a rule can have an answer for a commit."""
    return rule not in _UNTOLD and rule not in _ASKING_OUTSIDE


def is_undecidable(result: CheckResult) -> bool:
    """Whether a rule was undecided because no commit holds what it asks for."""
    return result.outcome is Outcome.UNKNOWN and result.summary.endswith(IN_NO_COMMIT)


def _suit(rule: Rule) -> Rule:
    reason = _UNTOLD.get(rule.id)
    return rule if reason is None else rule._replace(judge=lambda context: context.undecidable(reason))


def _refuse(what: str) -> NoReturn:
    raise UndecidableError(f"{what} {IN_NO_COMMIT}")


def list_past_rules(session: Session) -> tuple[Rule, ...]:
    """Every rule, as it runs on a commit."""
    return adapt_rules((*RULES, *load_functions(session)))


def run_rules(
    past: PastRepository,
    rules: tuple[Rule, ...],
    find_baseline: Callable[[], ChosenBaseline],
    scope: str | None = None,
    moment: datetime | None = None,
) -> list[CheckResult]:
    """Runs rules on a commit, at its time or at `moment`. Nothing is cached between calls."""
    settings = past.session.loaded.settings
    world = CommitWorld(past, find_baseline, moment)
    answers = _CompleteAnswers(world)
    engine = RuleEngine(
        answers,
        scope,
        build_rule_overrides(settings, rules),
        fresh=True,
        blocking_severities=frozenset(settings.check_run.blocking_severities),
        now=moment or past.commit.moment,
    )
    results = engine.run(rules)
    if answers.missing is not None:
        raise answers.missing
    return results


class _CompleteAnswers(Answers):
    """Answers from a complete commit; remembers a missing object, since no rule can judge without it."""

    missing: ObjectMissingError | None = None

    def ask(self, question: WorldQuestion) -> object:
        try:
            return super().ask(question)
        except ObjectMissingError as missing:
            self.missing = self.missing or missing
            raise


def build_past_report(past: PastRepository, baseline: ChosenBaseline, request: CheckRequest) -> CheckReport:
    """All rules on a commit. Commands don't run there: each is listed as unknown, which isn't a pass."""
    _refuse_settings(past)
    infos = list_rules(past.session, request, past.open_reader(0))
    chosen = {info.id for info in infos}
    rules = tuple(rule for rule in list_past_rules(past.session) if rule.id in chosen)
    results = [_build_shown(one) for one in run_rules(past, rules, lambda: baseline, request.handoff)]
    results += [_build_not_run(info) for info in infos if info.system == COMMAND and request.wants(info.id)]
    return CheckReport(
        mode=request.moment.value if request.moment else "all",
        results=sort_results(results),
        baseline=baseline.commit,
        baseline_reason=baseline.reason,
        head=past.commit.id,
        repository=str(past.session.repository.root),
        handoff=request.handoff,
        rules=infos,
    )


def _refuse_settings(past: PastRepository) -> None:
    """Refuses to check with any settings but those of the commit."""
    refused = past.session.loaded.refused
    if refused is not None:
        at = past.commit.id[:SHORT_COMMIT]
        hint = f"They are in the commit, not in today's file: git show {at}:{REPOSITORY_FILE}"
        raise ConfigError(f"the settings as of {at} can't be used\n{refused.message}", hint)


def _build_not_run(command: RuleInfo) -> CheckResult:
    return CheckResult(
        id=command.id,
        outcome=Outcome.UNKNOWN,
        severity=command.severity,
        blocking=command.blocking,
        summary=f"not run: commands don't run on the past; `handoff-tui bisect {command.id}` runs it there",
    )


def _build_shown(result: CheckResult) -> CheckResult:
    """A past result as shown: a rule about something no commit holds doesn't apply and blocks nothing."""
    changes: dict[str, object] = {"rerun_because": None}
    if is_undecidable(result):
        changes |= {"outcome": Outcome.NOT_APPLICABLE, "remedy": None}
    return result.model_copy(update=changes)


def choose_past_baseline(past: PastRepository, gates: PastGates | None) -> ChosenBaseline:
    """The last commit approved by then; else where this branch left the main one."""
    if gates is not None and not gates.index.verdict.fatal:
        approved = list_approved(past.session, gates.index, gates.tree)
        commit = next((one.commit for one in approved if one.is_ancestor), None)
        if commit is not None:
            return ChosenBaseline(commit, "the last approved commit on this branch")
    usual = choose_usual_baseline(past.session)
    return (
        usual
        if usual.commit is not None
        else ChosenBaseline(None, "nothing was approved by then; name one with --baseline")
    )
