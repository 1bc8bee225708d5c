"""Which checks a request runs, and what the configuration says about each: enabled, how severe, blocking or not.

The severity under the rule's own id comes first, then what `procedures.rules` declares, then the rule's own.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from typing import cast

from handoff_tui.checks.context import Context
from handoff_tui.checks.engine import RuleOverride, is_blocking
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.report import COMMAND, RuleInfo
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.run.commands import SESSION_GATE, CommandCheck, list_commands
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.nearest import suggest
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import ConfigError, UsageError
from handoff_tui.core.place import CheckMoment, Severity
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.probe import is_inside
from handoff_tui.system.files.reader import FileReader

_Judge = Callable[[Context], Iterable[RuleFinding]]


class CheckRequest(NamedTuple):
    """What to check, and how."""

    moment: CheckMoment | None = None
    phase: str | None = None
    handoff: str | None = None
    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    baseline: str | None = None
    fresh: bool = False
    network: bool = False
    run_commands: bool = True
    """If False, a command's earlier result counts if its inputs are the same; otherwise it is unknown."""

    def wants(self, check: str) -> bool:
        return (not self.only or check in self.only) and check not in self.excluded


def choose_rules(session: Session, request: CheckRequest) -> list[Rule]:
    """The rules a request runs, with the user's own functions."""
    _refuse_misnamed(session)
    rules = (*RULES, *load_functions(session))
    only, excluded = ({find_declared(name, rules) for name in names} for names in (request.only, request.excluded))
    _refuse_unknown(only | excluded, {rule.id for rule in rules} | {c.id for c in list_commands(session, None, None)})
    overrides = build_rule_overrides(session.loaded.settings, rules)
    return [
        rule
        for rule in rules
        if (request.moment is None or request.moment in rule.moments)
        and (not only or rule.id in only)
        and rule.id not in excluded
        and overrides.get(rule.id, RuleOverride()).enabled
    ]


def choose_commands(session: Session, request: CheckRequest) -> list[CommandCheck]:
    """The commands a request runs."""
    return [command for command in list_commands(session, request.moment, request.phase) if request.wants(command.id)]


def list_rules(session: Session, request: CheckRequest, reader: FileReader | None = None) -> tuple[RuleInfo, ...]:
    """Every rule and command of a request. `reader` reads the files if they are not those of the work tree."""
    chosen = choose_rules(session, request)
    overrides = build_rule_overrides(session.loaded.settings, chosen)
    rules = [_describe_rule(session, rule, overrides.get(rule.id, RuleOverride())) for rule in chosen]
    commands = list_commands(session, request.moment, request.phase, reader)
    return (*rules, *(_describe_command(command) for command in commands))


def _refuse_misnamed(session: Session) -> None:
    """A command with the id of a built-in rule would pass for it; a name that nothing has would change nothing."""
    built_in = {rule.id for rule in RULES}
    for name, configured in session.loaded.settings.checks.items():
        if not configured.run and not configured.python and name not in {*built_in, SESSION_GATE}:
            raise ConfigError(
                f"checks.{name} names no command and is not a built-in check; {suggest(name, sorted(built_in))}",
                "`handoff-tui check --list` lists the built-in ones.",
            )
        if configured.parameters and not configured.python:
            raise ConfigError(
                f"checks.{name} has parameters, which only a function (`python`) is given",
                "Thresholds and words of built-in checks are in the sections of their systems.",
            )
        if name in built_in and (configured.run or configured.python):
            raise ConfigError(
                f"checks.{name} names a command, but {name} is a built-in check",
                "Give your own check another id; you can adjust or switch off a built-in check, not replace it.",
            )


def _refuse_unknown(wanted: set[str], known: set[str]) -> None:
    for name in sorted(wanted):
        if name not in known:
            raise UsageError(f"no check has the id {name!r}", "`handoff-tui check --list` lists them.")


def _describe_rule(session: Session, rule: Rule, override: RuleOverride) -> RuleInfo:
    return RuleInfo(
        id=rule.id,
        system=rule.system.value,
        severity=override.severity or rule.severity,
        blocking=is_blocking(rule, override, frozenset(session.loaded.settings.check_run.blocking_severities)),
        holds=rule.holds,
        reads=rule.reads,
        remedy=rule.remedy,
        moments=tuple(moment.value for moment in rule.moments),
    )


def _describe_command(command: CommandCheck) -> RuleInfo:
    return RuleInfo(
        id=command.id,
        system=COMMAND,
        severity=command.severity,
        blocking=command.blocking,
        holds=f"`{command.shown}` succeeds.",
        reads=", ".join(command.check.inputs) or "the whole work tree",
        remedy=command.check.remedy,
        moments=tuple(moment.value for moment in command.check.moments),
    )


def build_rule_overrides(settings: Settings, rules: Iterable[Rule]) -> dict[str, RuleOverride]:
    """What the configuration changes about rules, by their ids."""
    overrides = {
        name: RuleOverride(configured.enabled, configured.severity, configured.blocking)
        for name, configured in settings.checks.items()
    }
    for rule in rules:
        declared = settings.procedures.rules.get(rule.declared) if rule.declared else None
        own = overrides.get(rule.id, RuleOverride())
        if declared is not None and own.severity is None:
            overrides[rule.id] = own._replace(severity=declared.severity)
    return overrides


def find_usual_severity(settings: Settings, name: str) -> Severity | None:
    """How severe a rule is under these settings, by its id or declared name; None if there is no such rule."""
    declared = settings.procedures.rules.get(name)
    if declared is not None:
        return declared.severity
    rule = next((rule for rule in RULES if rule.id == name), None)
    if rule is not None:
        override = build_rule_overrides(settings, (rule,)).get(name, RuleOverride())
        return override.severity or rule.severity
    configured = settings.checks.get(name)
    return configured.severity if configured is not None else None


def find_declared(name: str, rules: Iterable[Rule]) -> str:
    """The id of the rule declared under a name; any other name stays as it is."""
    return next((rule.id for rule in rules if rule.declared == name), name)


def load_functions(session: Session) -> list[Rule]:
    """A rule for each Python function (`module:function`) of the configuration, never from the reviewed tree.

    One that cannot be loaded is a rule that says so.
    """
    return [
        Rule(
            id=name,
            system=System.ALL,
            severity=check.severity or Severity.HIGH,
            blocking=check.blocking,
            holds=f"{check.python} finds nothing.",
            reads="whatever it asks its context for",
            remedy=check.remedy or "See the function's own findings.",
            judge=_build_judge(session, name, check.python),
            moments=check.moments,
        )
        for name, check in session.loaded.settings.checks.items()
        if check.python and check.enabled
    ]


def _build_judge(session: Session, name: str, target: str) -> _Judge:
    """Loads the function when it is first called, so that a fault in it is a result and not a crash."""
    origin = session.loaded.origins.get(f"checks.{name}.python", "")

    def judge(context: Context) -> Iterable[RuleFinding]:
        if origin.startswith(REPOSITORY_FILE):
            context.undecidable(f"{target} is named by the repository; name it in your own file to have it run")
        module_name, _, function_name = target.partition(":")
        module = _import_outside(session, module_name)
        return cast("_Judge", getattr(module, function_name))(context)

    return judge


def _import_outside(session: Session, name: str) -> object:
    """Imports a module with the reviewed tree taken off the search path; refuses one that comes from it anyway."""
    root = session.repository.root
    before = list(sys.path)
    sys.path[:] = [entry for entry in before if entry and not is_inside(root, entry)]
    try:
        module = importlib.import_module(name)
    finally:
        sys.path[:] = before
    file = getattr(module, "__file__", None)
    if file is not None and is_inside(root, file):
        raise ImportError(f"{name} lies in the reviewed repository")
    return module
