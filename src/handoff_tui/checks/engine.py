"""Runs rules: outcomes with reasons, findings with fingerprints, and no exception that escapes.

A rule that raises is a failed check with a reason. Error, timeout and unknown never count as a pass.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from handoff_tui.checks.context import Answers, Context, Manifest
from handoff_tui.checks.contract import NotApplicableError, Rule, RuleFinding, UndecidableError
from handoff_tui.checks.result import CheckResult, Evidence, Finding, Outcome, Remedy
from handoff_tui.core.severity import Severity

_MOST_FINDINGS = 200
_MOST_COMMANDS = 10
BLOCKING_SEVERITIES = frozenset({Severity.CRITICAL, Severity.HIGH})
"""The severities that block where nothing else is said."""


class RuleOverride(NamedTuple):
    """What the configuration changes about a rule."""

    enabled: bool = True
    severity: Severity | None = None
    blocking: bool | None = None


class CachedResult(NamedTuple):
    """An earlier result and what it was based on."""

    result: CheckResult
    manifest: Manifest
    version: int


@dataclass(slots=True)
class Engine:
    """Runs rules over one set of answers. `memory` holds earlier results by rule id, `remembered` the new ones."""

    answers: Answers
    scope: str | None = None
    adjustments: Mapping[str, RuleOverride] = field(default_factory=dict)
    memory: Mapping[str, CachedResult] = field(default_factory=dict)
    fresh: bool = False
    heavy: frozenset[Severity] = BLOCKING_SEVERITIES
    remembered: dict[str, CachedResult] = field(default_factory=dict)
    moment: datetime | None = None
    """Now, for who keeps the results."""

    def run(self, rules: Iterable[Rule], on_result: Callable[[CheckResult], None] | None = None) -> list[CheckResult]:
        """The result of each enabled rule, in order; each is told as soon as it is there."""
        results: list[CheckResult] = []
        for rule in rules:
            adjustment = self.adjustments.get(rule.id, RuleOverride())
            if not adjustment.enabled:
                continue
            result = self._run_one(rule, adjustment)
            results.append(result)
            if on_result is not None:
                on_result(result)
        return results

    def _run_one(self, rule: Rule, adjustment: RuleOverride) -> CheckResult:
        earlier = self.memory.get(rule.id)
        why = self._explain_run(rule, earlier)
        if earlier is not None and why is None:
            self.remembered[rule.id] = earlier
            return self._adjust(earlier.result, rule, adjustment, from_cache=True, why=None)
        context = Context(self.answers, self.scope, rule.id)
        started = time.perf_counter()
        judged = _judge(rule, context)
        result = _build_result(rule, judged, context.manifest, (time.perf_counter() - started, self.moment))
        if judged.outcome is not Outcome.ERROR:
            self.remembered[rule.id] = CachedResult(result, context.manifest, rule.version)
        return self._adjust(result, rule, adjustment, from_cache=False, why=why)

    def _explain_run(self, rule: Rule, earlier: CachedResult | None) -> str | None:
        """Why the rule must run; nothing when an earlier result can be used."""
        if self.fresh:
            return "asked to run afresh"
        if earlier is None:
            return "no earlier result"
        if earlier.version != rule.version:
            return "the rule itself changed"
        difference = self.answers.find_difference(earlier.manifest)
        return None if difference is None else f"{difference.describe()} changed"

    def _adjust(
        self, result: CheckResult, rule: Rule, adjustment: RuleOverride, *, from_cache: bool, why: str | None
    ) -> CheckResult:
        """As the configuration wants it, in one copy: this is most of what an event without a change costs."""
        return result.model_copy(
            update={
                "severity": adjustment.severity or rule.severity,
                "blocking": is_blocking(rule, adjustment, self.heavy),
                "from_cache": from_cache,
                "rerun_because": why,
            }
        )


class _Judged(NamedTuple):
    outcome: Outcome
    summary: str
    found: tuple[RuleFinding, ...] = ()


def _judge(rule: Rule, context: Context) -> _Judged:
    try:
        found = tuple(rule.judge(context))
    except NotApplicableError as reason:
        return _Judged(Outcome.NOT_APPLICABLE, str(reason))
    except UndecidableError as reason:
        return _Judged(Outcome.UNKNOWN, str(reason))
    except Exception as fault:  # noqa: BLE001 - a rule that raises is a failed check with a reason, never a crash
        return _Judged(Outcome.ERROR, f"the rule raised {type(fault).__name__}: {fault}")
    if not found:
        return _Judged(Outcome.PASS, " ".join([rule.holds, *(f"({note})" for note in context.notes)]))
    first = found[0].message
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return _Judged(Outcome.FAIL, f"{first}{more}", found)


def _build_result(rule: Rule, judged: _Judged, manifest: Manifest, timed: tuple[float, datetime | None]) -> CheckResult:
    """`timed` is how long it took, and when that was."""
    duration, ran_at = timed
    shown = judged.found[:_MOST_FINDINGS]
    commands = tuple(dict.fromkeys([*(found.command for found in shown if found.command), *rule.commands]))
    failed = judged.outcome not in {Outcome.PASS, Outcome.NOT_APPLICABLE}
    return CheckResult(
        id=rule.id,
        outcome=judged.outcome,
        severity=rule.severity,
        blocking=False,
        summary=judged.summary,
        findings=tuple(_build_finding(rule, found) for found in shown),
        remedy=Remedy(text=rule.remedy, commands=commands[:_MOST_COMMANDS]) if failed else None,
        inputs_digest=digest_manifest(rule, manifest),
        outside=any(question.is_outside for question in manifest),
        duration=duration,
        ran_at=ran_at,
    )


def _build_finding(rule: Rule, found: RuleFinding) -> Finding:
    place = found.place
    evidence = Evidence(
        path=place.path if place else None,
        line=place.line if place else None,
        expected=found.expected,
        actual=found.actual,
    )
    named = place is not None or found.expected is not None or found.actual is not None
    return Finding(
        message=found.message,
        fingerprint=build_fingerprint(rule.id, place.path if place else "", found.subject),
        evidence=(evidence,) if named else (),
    )


def build_fingerprint(rule: str, path: str, subject: str) -> str:
    """The same for the same finding, wherever in the file it has moved."""
    text = f"{rule}\0{path}\0{subject}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def digest_manifest(rule: Rule, manifest: Manifest) -> str:
    """One digest over the rule and everything it read."""
    text = json.dumps([rule.id, rule.version, sorted(manifest.items())])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_blocking(rule: Rule, adjustment: RuleOverride, heavy: frozenset[Severity] = BLOCKING_SEVERITIES) -> bool:
    """The configuration's word, then the rule's, then its severity's."""
    if adjustment.blocking is not None:
        return adjustment.blocking
    if rule.blocking is not None:
        return rule.blocking
    return (adjustment.severity or rule.severity) in heavy
