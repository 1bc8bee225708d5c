"""Policies, proposals and what was done with them, as public JSON shapes."""

from __future__ import annotations

from handoff_tui.log.policy.reports import PolicyReport, ProposalReport, SealReport, SignReport

SHOW_SCHEMA = "handoff-tui/policy-show/v1"
PROPOSE_SCHEMA = "handoff-tui/policy-propose/v1"
SIGN_SCHEMA = "handoff-tui/policy-sign/v1"
SEAL_SCHEMA = "handoff-tui/policy-seal/v1"
RESTORE_SCHEMA = "handoff-tui/policy-restore/v1"
_DRIFT = "trust-drift"


def build_policy_json(report: PolicyReport) -> dict[str, object]:
    """`policy` is the one in force; null where the log is forked or broken, and `policies` has every side."""
    policies = [policy.model_dump(mode="json") for policy in report.policies]
    problems = [problem.model_dump(mode="json") for problem in report.problems]
    return {
        "schema": SHOW_SCHEMA,
        "repo": report.repo,
        "log": report.log,
        "pinned": report.pinned,
        "policy": policies[0] if len(policies) == 1 else None,
        "policies": policies,
        "history": [step.model_dump(mode="json") for step in report.history],
        "drift": [problem for problem in problems if problem["code"] == _DRIFT],
        "problems": [problem for problem in problems if problem["code"] != _DRIFT],
    }


def build_propose_json(report: ProposalReport) -> dict[str, object]:
    return {"schema": PROPOSE_SCHEMA, **build_proposal(report)}


def build_sign_json(report: SignReport) -> dict[str, object]:
    return {
        "schema": SIGN_SCHEMA,
        "principal": report.principal,
        "keyid": report.keyid,
        "added": report.added,
        "proposal": build_proposal(report.proposal),
    }


def build_seal_json(report: SealReport) -> dict[str, object]:
    return {"schema": SEAL_SCHEMA, "sealed": True, **report.model_dump(mode="json")}


def build_unsealed_json(report: ProposalReport) -> dict[str, object]:
    """What keeps a proposal from being sealed: signatures that are missing, or another policy that came first."""
    return {"schema": SEAL_SCHEMA, "sealed": False, "entry": None, "proposal": build_proposal(report)}


def build_restore_json(paths: tuple[str, ...]) -> dict[str, object]:
    return {"schema": RESTORE_SCHEMA, "written": list(paths)}


def build_proposal(report: ProposalReport) -> dict[str, object]:
    return {**report.model_dump(mode="json"), "complete": report.complete}
