from __future__ import annotations

from handoff_tui.log.policy.page import build_policy_page
from handoff_tui.log.policy.reports import GateRuleView, KeyState
from tests.support.reviewed import list_lines
from tests.support.trust_reports import (
    DRIFT,
    FATAL,
    SECOND,
    build_key_view,
    build_policy_report,
    build_policy_view,
)


def test_policy_is_told_in_words() -> None:
    """Who changes it, who decides, what the gate asks for, the keys, and since when."""
    lines = list_lines(build_policy_page(build_policy_report()))
    assert lines == [
        "Policy 1  since 2026-01-01T00:00:00Z",
        "changes it  ada; 1 signature needed",
        "decide      ada, bob",
        "agents      nobody",
        "security    bob",
        "",
        "Gates",
        "all phases  one person decides",
        "            could: ada",
        "",
        "Keys",
        " | who | roles | key | type | valid",
        "valid | ada | root | SHA256:abc | ssh-ed25519 | always",
        "",
        "History",
        "  1  sha256:aaaaaaaaaaaa  2026-01-01T00:00:00Z  signed by ada  in force",
        "     root ada",
    ]


def test_gates_of_phases_stand_beside_the_one_for_the_others() -> None:
    """The star is a word where there are others."""
    gates = tuple(
        GateRuleView(
            phase=phase, words=("2 different people decide", "among them 1 of security"), people=(), threshold=2
        )
        for phase in ("*", "release")
    )
    lines = list_lines(build_policy_page(build_policy_report(policies=(build_policy_view(gates=gates),))))
    assert "all others  2 different people decide, among them 1 of security" in lines
    assert "release     2 different people decide, among them 1 of security" in lines
    assert lines.count("            could: nobody") == 2


def test_keys_tell_their_window_and_state() -> None:
    """Not yet, expired, and no role at all."""
    keys = (
        build_key_view(state=KeyState.NOT_YET, valid_after="2027-01-01T00:00:00Z"),
        build_key_view(state=KeyState.EXPIRED, valid_after="A", valid_before="B", roles=()),
    )
    view = build_policy_view(keys=keys, root=("ada", "bob"), warnings=("carol has a role and no key",))
    lines = list_lines(build_policy_page(build_policy_report(policies=(view,), pinned=False)))
    assert "not yet | ada | root | SHA256:abc | ssh-ed25519 | from 2027-01-01T00:00:00Z" in lines
    assert "expired | ada | none | SHA256:abc | ssh-ed25519 | from A until B" in lines
    assert "changes it  ada, bob; any one of them" in lines
    assert "! carol has a role and no key" in lines
    assert "it isn't pinned" in lines[-1]


def test_fork_and_drift_come_first() -> None:
    """Before anything that could be believed."""
    report = build_policy_report(policies=(build_policy_view(), build_policy_view(id=SECOND)), problems=(FATAL, DRIFT))
    lines = list_lines(build_policy_page(report))
    assert lines[:2] == ["✗ the policy has 2 successors", "! trust/policy.toml differs"]
    assert [line for line in lines if "side" in line] == [
        "Policy 1, side 1 of a fork  since 2026-01-01T00:00:00Z",
        "Policy 1, side 2 of a fork  since 2026-01-01T00:00:00Z",
    ]
