"""Policies and their history as a page and as the public JSON: who may do what, and since when."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.policy.reports import KeyState, KeyView, PolicyReport, PolicyStep, PolicyView

SCHEMA = "handoff-tui/policy-show/v1"
_DRIFT = "trust-drift"
_ANY_GATE = "*"
_PLAIN_ROLES = frozenset({"root", "reviewer", "agent"})
_NOBODY = "nobody"
_STATES = {
    KeyState.VALID: ("valid", "pass"),
    KeyState.NOT_YET: ("not yet", "warning"),
    KeyState.EXPIRED: ("expired", "fail"),
}


def build_policy_json(report: PolicyReport) -> dict[str, object]:
    """`policy` is the one in force; null where the log is forked or broken, and `policies` has every side."""
    policies = [policy.model_dump(mode="json") for policy in report.policies]
    problems = [problem.model_dump(mode="json") for problem in report.problems]
    return {
        "schema": SCHEMA,
        "repo": report.repo,
        "log": report.log,
        "pinned": report.pinned,
        "policy": policies[0] if len(policies) == 1 else None,
        "policies": policies,
        "history": [step.model_dump(mode="json") for step in report.history],
        "drift": [problem for problem in problems if problem["code"] == _DRIFT],
        "problems": [problem for problem in problems if problem["code"] != _DRIFT],
    }


def build_policy_page(report: PolicyReport) -> Page:
    page = Page()
    for problem in report.problems:
        fatal = problem.level == "FATAL"
        page.line(
            Cell("✗ " if fatal else "! ", "fail" if fatal else "warning"), Cell(render_safe(problem.text)), indent=2
        )
    forked = len(report.policies) > 1
    for number, policy in enumerate(report.policies, start=1):
        page.heading(
            f"Policy {policy.version}" + (f", side {number} of a fork" if forked else ""), f"since {policy.time}"
        )
        _add_policy(page, policy)
    _add_history(page, report.history)
    if report.log is not None and not report.pinned:
        page.line(
            Cell(f"The first entry is {report.log}; it isn't pinned, so another log could take its place.", "muted")
        )
    return page


def _add_policy(page: Page, policy: PolicyView) -> None:
    number = policy.root_threshold
    needed = "any one of them" if number == 1 and len(policy.root) > 1 else f"{plural(number, 'signature')} needed"
    add_fact(page, "changes it", f"{', '.join(policy.root)}; {needed}")
    add_fact(page, "decide", ", ".join(policy.reviewers))
    add_fact(page, "agents", ", ".join(policy.agents) or _NOBODY)
    for role, people in policy.roles.items():
        if role not in _PLAIN_ROLES:
            add_fact(page, role, ", ".join(people) or _NOBODY)
    if policy.start_line:
        add_fact(page, "start line", policy.start_line)
    if policy.solo:
        add_fact(page, "solo", "a single reviewer may approve work under their own name")
    if policy.commits_by_agents:
        add_fact(page, "by agents", f"commits under {', '.join(policy.commits_by_agents)}")
    if policy.protection is not None:
        add_fact(page, "protection", ", ".join(policy.protection) or "none")
    for warning in policy.warnings:
        page.line(Cell("! ", "warning"), Cell(render_safe(warning)), indent=2)
    page.heading("Gates")
    for gate in policy.gates:
        phase = "all others" if gate.phase == _ANY_GATE and len(policy.gates) > 1 else gate.phase
        add_fact(page, "all phases" if phase == _ANY_GATE else phase, ", ".join(gate.words))
        page.line(Cell(" " * 12), Cell(f"could: {render_safe(', '.join(gate.people) or _NOBODY)}", "muted"), indent=12)
    page.heading("Keys")
    add_keys(page, policy.keys)


def add_keys(page: Page, keys: Iterable[KeyView]) -> None:
    columns = (Column(""), Column("who"), Column("roles"), Column("key"), Column("type"), Column("valid"))
    page.grid(columns, [_build_key(key) for key in keys])


def add_fact(page: Page, name: str, value: str) -> None:
    page.line(Cell(f"{render_safe(name):<12}", "muted"), Cell(render_safe(value)), indent=12)


def _build_key(key: KeyView) -> tuple[Cell, ...]:
    word, role = _STATES[key.state]
    parts = [f"from {key.valid_after}"] * (key.valid_after is not None)
    parts += [f"until {key.valid_before}"] * (key.valid_before is not None)
    return (
        Cell(word, role),
        Cell(render_safe(key.principal)),
        Cell(", ".join(map(render_safe, key.roles)) or "none", "muted"),
        Cell(render_safe(key.keyid), "key"),
        Cell(render_safe(key.type), "muted"),
        Cell(" ".join(parts) or "always", "muted"),
    )


def _add_history(page: Page, history: Iterable[PolicyStep]) -> None:
    page.heading("History")
    for step in history:
        now = Cell("  in force", "pass") if step.in_force else Cell("")
        words = f"  {step.time}  signed by {', '.join(step.signed_by)}"
        page.line(
            Cell(f"{step.version:>3}  ", "key"),
            Cell(step.id[:SHORT_ENTRY], "muted"),
            Cell(render_safe(words)),
            now,
            indent=5,
        )
        for change in step.changes:
            page.line(Cell("     "), Cell(render_safe(change), "muted"), indent=7)
