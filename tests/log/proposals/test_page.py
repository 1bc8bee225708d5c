from __future__ import annotations

from handoff_tui.log.policy.reports import SealReport, SignReport
from handoff_tui.log.proposals.page import (
    build_proposal_page,
    build_propose_page,
    build_seal_page,
    build_sign_page,
    build_unsealed_page,
)
from tests.support.reviewed import list_lines
from tests.support.trust_reports import GENESIS, SECOND, build_proposal_report


def test_exactly_what_is_signed_is_shown() -> None:
    """The digest, the place, what changes, and both texts, with nothing in them obeyed."""
    lines = list_lines(build_proposal_page(build_proposal_report(0, 1)))
    assert lines == [
        "Policy 2  p.json",
        f"digest      {SECOND}",
        f"log         {GENESIS}",
        f"succeeds    {GENESIS}",
        "proposed    by ada at 2026-01-02T00:00:00Z",
        f"follows     {GENESIS}",
        "",
        "What changes",
        "~ bob may decide from now on",
        "! carol has a role and no key",
        "",
        "allowed_signers",
        "ada key",
        "",
        "policy.toml",
        "version = 2",
        "# ␛[31mred",
        "",
        "Signatures",
        "✓ the policy in force (version 1): 1 of 1 (ada)",
        "○ the new policy (version 2): 0 of 1; 1 more of: ada, bob",
    ]


def test_proposed_policy_says_what_comes_next() -> None:
    """Without the texts, which everybody is shown before they sign."""
    lines = list_lines(build_propose_page(build_proposal_report()))
    assert "policy.toml" not in lines
    assert lines[-2:] == [
        "handoff-tui policy sign p.json  by each of them, in turn",
        "handoff-tui policy seal p.json  when all have signed",
    ]


def test_signature_says_what_is_missing() -> None:
    """Or that nothing is; and whether it was there before."""
    added = SignReport(proposal=build_proposal_report(0, 1), principal="ada", keyid="SHA256:abc", added=True)
    lines = list_lines(build_sign_page(added))
    assert (lines[0], lines[-1]) == ("✓ ada signed (SHA256:abc)", "Send p.json to the next one.")
    again = added.model_copy(update={"added": False, "proposal": build_proposal_report(0, 0)})
    lines = list_lines(build_sign_page(again))
    assert lines[0] == "✓ ada had already signed; the file is unchanged (SHA256:abc)"
    assert lines[-1] == "All have signed: handoff-tui policy seal p.json"


def test_unsealed_proposal_says_why() -> None:
    """Missing signatures, and another policy that came first."""
    lines = list_lines(build_unsealed_page(build_proposal_report(0, 1, stale="another policy has come into force")))
    assert lines[:2] == ["✗ policy 2 was not sealed", "another policy has come into force"]
    assert lines[-1] == "○ the new policy (version 2): 0 of 1; 1 more of: ada, bob"
    assert "✗ stale" in list_lines(build_proposal_page(build_proposal_report(stale="stale")))


def test_sealed_policy_says_what_counts_no_more() -> None:
    """Left-out signatures, void entries, copies that could not be written."""
    report = SealReport(
        repo="r",
        entry=SECOND,
        version=2,
        signed_by=("ada", "bob"),
        changes=("bob may decide from now on",),
        added=True,
        left_out=("SHA256:xyz",),
        void=(GENESIS,),
        warnings=("the policy is in the log, but",),
    )
    assert list_lines(build_seal_page(report)) == [
        f"✓ policy 2 is in force: {SECOND}",
        "signed by   ada, bob",
        "~ bob may decide from now on",
        "· SHA256:xyz has no say here; its signature was left out",
        f"! {GENESIS} no longer counts",
        "! the policy is in the log, but",
        'Commit it: git add .handoff-tui && git commit -m "Policy 2"',
    ]
    again = list_lines(build_seal_page(report.model_copy(update={"added": False})))
    assert again[0] == f"✓ policy 2 was already in the log: {SECOND}"
