"""Reports of the verbs of trust put together by hand, for tests of what is shown."""

from __future__ import annotations

from typing import Any

from handoff_tui.log.entry import LogProblem, LogProblemLevel
from handoff_tui.log.policy.reports import (
    GateRuleView,
    KeyState,
    KeyView,
    PolicyReport,
    PolicyStep,
    PolicyView,
    ProposalReport,
    SignatureTally,
)

GENESIS = "sha256:" + "a" * 64
SECOND = "sha256:" + "b" * 64
DRIFT = LogProblem(level=LogProblemLevel.NOTE, code="trust-drift", entry=GENESIS, text="trust/policy.toml differs")
FATAL = LogProblem(level=LogProblemLevel.FATAL, code="policy-forked", entry=GENESIS, text="the policy has 2 successors")


def build_key_view(**fields: Any) -> KeyView:  # noqa: ANN401 - any field
    usual = {"principal": "ada", "keyid": "SHA256:abc", "type": "ssh-ed25519", "roles": ("root",), "line": "ada …"}
    return KeyView(**{"state": KeyState.VALID, **usual, **fields})


def build_policy_view(**fields: Any) -> PolicyView:  # noqa: ANN401 - any field
    gate = GateRuleView(phase="*", words=("one person decides",), people=("ada",), threshold=1)
    usual: dict[str, Any] = {
        "id": GENESIS,
        "version": 1,
        "time": "2026-01-01T00:00:00Z",
        "root": ("ada",),
        "root_threshold": 1,
        "reviewers": ("ada", "bob"),
        "agents": (),
        "roles": {"agent": (), "reviewer": ("ada", "bob"), "root": ("ada",), "security": ("bob",)},
        "gates": (gate,),
        "keys": (build_key_view(),),
    }
    return PolicyView(**{**usual, **fields})


def build_policy_report(**fields: Any) -> PolicyReport:  # noqa: ANN401 - any field
    step = PolicyStep(
        id=GENESIS,
        version=1,
        time="2026-01-01T00:00:00Z",
        actor="ada",
        signed_by=("ada",),
        changes=("root ada",),
        in_force=True,
    )
    usual: dict[str, Any] = {
        "repo": "/home/ada/lamp",
        "log": GENESIS,
        "pinned": True,
        "policies": (build_policy_view(),),
        "history": (step,),
        "problems": (),
    }
    return PolicyReport(**{**usual, **fields})


def build_proposal_report(*missing: int, **fields: Any) -> ProposalReport:  # noqa: ANN401 - any field
    """A proposal that lacks so many signatures by the old policy, and by the new one."""
    old, new = missing or (1, 1)
    usual: dict[str, Any] = {
        "file": "p.json",
        "digest": SECOND,
        "log": GENESIS,
        "version": 2,
        "previous": GENESIS,
        "parents": (GENESIS,),
        "actor": "ada",
        "time": "2026-01-02T00:00:00Z",
        "changes": ("bob may decide from now on",),
        "warnings": ("carol has a role and no key",),
        "tallies": (_build_tally("the policy in force", 1, old), _build_tally("the new policy", 2, new)),
        "allowed_signers": "ada key\n",
        "policy_toml": "version = 2\n# \x1b[31mred\n",
    }
    return ProposalReport(**{**usual, **fields})


def _build_tally(whose: str, version: int, missing: int) -> SignatureTally:
    return SignatureTally(
        whose=whose,
        version=version,
        threshold=1,
        signed=() if missing else ("ada",),
        missing=missing,
        waiting=("ada", "bob") if missing else (),
    )
