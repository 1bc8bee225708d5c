from __future__ import annotations

from handoff_tui.log.policy.page import build_policy_json
from handoff_tui.log.policy.reports import SealReport, SignReport
from handoff_tui.log.proposals.page import (
    build_propose_json,
    build_restore_json,
    build_seal_json,
    build_sign_json,
    build_unsealed_json,
)
from tests.support.trust_reports import (
    DRIFT,
    FATAL,
    GENESIS,
    SECOND,
    build_policy_report,
    build_policy_view,
    build_proposal_report,
)


def test_one_policy_in_force_is_the_policy() -> None:
    """Drift stands apart from what is fatal."""
    value = build_policy_json(build_policy_report(problems=(DRIFT,)))
    assert list(value) == [
        *("schema", "repo", "log", "pinned", "policy", "policies", "history", "drift", "problems"),
    ]
    assert value["policies"] == [value["policy"]]
    assert value["problems"] == []
    assert value["drift"] == [
        {"level": "NOTE", "code": "trust-drift", "entry": GENESIS, "text": "trust/policy.toml differs"}
    ]


def test_forked_policy_is_none() -> None:
    """Both sides are listed, and neither is said to be in force."""
    value = build_policy_json(
        build_policy_report(policies=(build_policy_view(), build_policy_view(id=SECOND)), problems=(FATAL,))
    )
    assert value["policy"] is None
    assert value["problems"] == [FATAL.model_dump(mode="json")]
    assert isinstance(value["policies"], list)
    assert len(value["policies"]) == 2


def test_proposal_says_whether_it_is_complete() -> None:
    """In each of the shapes that hold one."""
    assert build_propose_json(build_proposal_report(0, 1))["complete"] is False
    assert build_propose_json(build_proposal_report(0, 0))["complete"] is True
    signed = build_sign_json(SignReport(proposal=build_proposal_report(0, 0), principal="ada", keyid="k", added=True))
    assert (signed["schema"], signed["added"]) == ("handoff-tui/policy-sign/v1", True)
    assert isinstance(signed["proposal"], dict)
    assert signed["proposal"]["complete"] is True


def test_sealed_and_unsealed_share_a_shape() -> None:
    """The same schema, and one word that tells them apart."""
    sealed = SealReport(repo="r", entry=SECOND, version=2, signed_by=("ada",), changes=(), added=True)
    first, second = build_seal_json(sealed), build_unsealed_json(build_proposal_report())
    assert first["schema"] == second["schema"] == "handoff-tui/policy-seal/v1"
    assert (first["sealed"], first["entry"]) == (True, SECOND)
    assert (second["sealed"], second["entry"]) == (False, None)
    assert build_restore_json(("a",)) == {"schema": "handoff-tui/policy-restore/v1", "written": ["a"]}
