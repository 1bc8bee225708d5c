"""Runs rules: outcomes with reasons, findings with fingerprints, and no exception that escapes.

A rule that raises is a failed check with a reason. Error, timeout and unknown never count as a pass.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from itertools import starmap

from handoff_tui.checks.context import Answers, Context, Manifest, WorldQuestion
from handoff_tui.checks.report import CLOSED, CheckResult, Evidence, Finding, Outcome, Remedy
from handoff_tui.checks.rule import NotApplicableError, Rule, RuleFinding, UndecidableError
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.place import Severity

_MOST_FINDINGS = 200
_MOST_COMMANDS = 10
BLOCKING_SEVERITIES = frozenset({Severity.CRITICAL, Severity.HIGH})
"""The severities that block by default."""


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
class RuleEngine:
    """Runs rules on one set of answers. `cached` holds earlier results by rule id, `remembered` the new ones."""

    answers: Answers
    scope: str | None = None
    overrides: Mapping[str, RuleOverride] = field(default_factory=dict)
    cached: Mapping[str, CachedResult] = field(default_factory=dict)
    fresh: bool = False
    blocking_severities: frozenset[Severity] = BLOCKING_SEVERITIES
    remembered: dict[str, CachedResult] = field(default_factory=dict)
    now: datetime | None = None
    """When the results are said to have been made."""

    def run(self, rules: Iterable[Rule], on_result: Callable[[CheckResult], None] | None = None) -> list[CheckResult]:
        """The result of each enabled rule, in order; `on_result` gets each as soon as it is there."""
        results: list[CheckResult] = []
        for rule in rules:
            override = self.overrides.get(rule.id, RuleOverride())
            if not override.enabled:
                continue
            result = self._run_one(rule, override)
            results.append(result)
            if on_result is not None:
                on_result(result)
        return results

    def _run_one(self, rule: Rule, override: RuleOverride) -> CheckResult:
        earlier = self.cached.get(rule.id)
        why = self._explain_run(rule, earlier)
        if earlier is not None and why is None:
            self.remembered[rule.id] = earlier
            return self._apply_override(earlier.result, rule, override, from_cache=True, why=None)
        context = Context(self.answers, self.scope, rule.id)
        started = time.perf_counter()
        judgement = _judge(rule, context)
        duration = time.perf_counter() - started
        result = _build_result(rule, judgement, context.manifest, duration, self.now)
        if judgement.outcome is not Outcome.ERROR:
            self.remembered[rule.id] = CachedResult(result, context.manifest, rule.version)
        return self._apply_override(result, rule, override, from_cache=False, why=why)

    def _explain_run(self, rule: Rule, earlier: CachedResult | None) -> str | None:
        """Why the rule must run; None if an earlier result can be used."""
        if self.fresh:
            return "asked to run afresh"
        if earlier is None:
            return "no earlier result"
        if earlier.version != rule.version:
            return "the rule itself changed"
        difference = self.answers.find_difference(earlier.manifest)
        return None if difference is None else f"{difference.describe()} changed"

    def _apply_override(
        self, result: CheckResult, rule: Rule, override: RuleOverride, *, from_cache: bool, why: str | None
    ) -> CheckResult:
        """In one copy: this is most of what an event without a change costs."""
        return result.model_copy(
            update={
                "severity": override.severity or rule.severity,
                "blocking": is_blocking(rule, override, self.blocking_severities),
                "from_cache": from_cache,
                "rerun_because": why,
            }
        )


class _Judgement(NamedTuple):
    outcome: Outcome
    summary: str
    findings: tuple[RuleFinding, ...] = ()


def _judge(rule: Rule, context: Context) -> _Judgement:
    try:
        findings = tuple(rule.judge(context))
    except NotApplicableError as reason:
        return _Judgement(Outcome.NOT_APPLICABLE, str(reason))
    except UndecidableError as reason:
        return _Judgement(Outcome.UNKNOWN, str(reason))
    except Exception as fault:  # noqa: BLE001 - a rule that raises is a failed check with a reason, never a crash
        return _Judgement(Outcome.ERROR, f"the rule raised {type(fault).__name__}: {fault}")
    if not findings:
        return _Judgement(Outcome.PASS, " ".join([rule.holds, *(f"({note})" for note in context.notes)]))
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return _Judgement(Outcome.FAIL, f"{findings[0].message}{more}", findings)


def _build_result(
    rule: Rule, judgement: _Judgement, manifest: Manifest, duration: float, ran_at: datetime | None
) -> CheckResult:
    shown = judgement.findings[:_MOST_FINDINGS]
    commands = tuple(dict.fromkeys([*(finding.command for finding in shown if finding.command), *rule.commands]))
    failed = judgement.outcome not in CLOSED
    return CheckResult(
        id=rule.id,
        outcome=judgement.outcome,
        severity=rule.severity,
        blocking=False,
        summary=judgement.summary,
        findings=tuple(_build_finding(rule, finding) for finding in shown),
        remedy=Remedy(text=rule.remedy, commands=commands[:_MOST_COMMANDS]) if failed else None,
        inputs_digest=digest_manifest(rule, manifest),
        outside=any(question.is_outside for question in manifest),
        duration=duration,
        ran_at=ran_at,
    )


def _build_finding(rule: Rule, found: RuleFinding) -> Finding:
    path, line = (found.place.path, found.place.line) if found.place else (None, None)
    evidence = Evidence(path=path, line=line, expected=found.expected, actual=found.actual)
    return Finding(
        message=found.message,
        fingerprint=build_fingerprint(rule.id, path or "", found.subject),
        evidence=(evidence,) if evidence != Evidence() else (),
    )


def build_fingerprint(rule: str, path: str, subject: str) -> str:
    """The same for the same finding, wherever in the file it has moved."""
    text = f"{rule}\0{path}\0{subject}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def digest_manifest(rule: Rule, manifest: Manifest) -> str:
    """One digest over the rule and everything it read."""
    text = "\n".join([f"{rule.id} {rule.version}", *sorted(starmap(_spell_answer, manifest.items()))])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=8192)
def _spell_answer(question: WorldQuestion, digest: str) -> str:
    """One line; many rules ask the same."""
    return json.dumps([*question, digest])


def is_blocking(
    rule: Rule, override: RuleOverride, blocking_severities: frozenset[Severity] = BLOCKING_SEVERITIES
) -> bool:
    """What the configuration says, else what the rule says, else by severity."""
    if override.blocking is not None:
        return override.blocking
    if rule.blocking is not None:
        return rule.blocking
    return (override.severity or rule.severity) in blocking_severities
