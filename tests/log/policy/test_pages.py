"""The pages and JSON of policies, proposals, keys and a new log."""

from __future__ import annotations

from handoff_tui.log.policy.page import (
    build_enroll_json,
    build_enroll_note,
    build_init_json,
    build_init_page,
    build_keys_json,
    build_keys_page,
    build_policy_json,
    build_policy_page,
    build_proposal_page,
    build_propose_json,
    build_propose_page,
    build_restore_json,
    build_seal_json,
    build_seal_page,
    build_sign_json,
    build_sign_page,
    build_unsealed_json,
    build_unsealed_page,
)
from handoff_tui.log.policy.reports import EnrolmentReport, GateRuleView, InitReport, KeyState, SealReport, SignReport
from tests.support.desk_states import list_lines
from tests.support.trust_reports import (
    DRIFT,
    FATAL,
    GENESIS,
    SECOND,
    build_key_view,
    build_policy_report,
    build_policy_view,
    build_proposal_report,
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


def test_one_policy_in_force_is_the_policy() -> None:
    """Drift stands apart from what is fatal."""
    value = build_policy_json(build_policy_report(problems=(DRIFT,)))
    assert list(value) == [*("schema", "repo", "log", "pinned", "policy", "policies", "history", "drift", "problems")]
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


REPORT = InitReport(
    repo="/home/ada/lamp",
    log=GENESIS,
    principal="ada@example.org",
    keyid="SHA256:abc",
    key="user.signingkey, /home/ada/.ssh/id_ed25519",
    written=(".handoff-tui/", "handoff-tui.toml"),
    kept=(),
    pin_key="handoff-tui.lamp.pin",
    pinned=False,
    warnings=("git ignores .handoff-tui/ here",),
    start_line="ab" * 20,
    solo=True,
)
SOLO = "solo: you may approve what agents commit under your name; `handoff-tui doctor` says what that risks"
STATUS_LINES = [
    "handoff-tui status",
    "lists what agents hand over from now on; `handoff-tui decide approve ID` signs off on it.",
]


def test_page_says_what_was_done_and_what_comes_next() -> None:
    """The first entry, the pin and the commit, in words that can be pasted."""
    assert list_lines(build_init_page(REPORT)) == [
        "✓ The signed log has begun. Its first entry:",
        f"  {GENESIS}",
        "you         ada@example.org",
        "key         SHA256:abc (user.signingkey, /home/ada/.ssh/id_ed25519)",
        "written     .handoff-tui/",
        "written     handoff-tui.toml",
        "start line  abababababab: older work is history; what changes from now on needs an approval",
        f"approvals   {SOLO}",
        "! git ignores .handoff-tui/ here",
        "",
        "Next",
        'git add .handoff-tui handoff-tui.toml && git commit -m "Begin the handoff log"',
        *STATUS_LINES,
        "",
        "For colleagues  once they have compared the id with you; in CI, set HANDOFF_TUI_PIN to it",
        f"git config --global handoff-tui.lamp.pin {GENESIS}",
    ]


def test_page_says_that_all_work_counts_and_nobody_approves_their_own() -> None:
    """After `init --all --team`."""
    lines = list_lines(build_init_page(REPORT.model_copy(update={"start_line": None, "solo": False})))
    assert "start line  none: all work needs an approval, past or new" in lines
    assert any(line.startswith("approvals   nobody approves work under their own name") for line in lines)


def test_pinned_log_needs_no_pin() -> None:
    """And settings that were there are said to be kept."""
    report = REPORT.model_copy(update={"pinned": True, "written": (".handoff-tui/",), "kept": ("handoff-tui.toml",)})
    lines = list_lines(build_init_page(report))
    assert "kept        handoff-tui.toml, which already existed" in lines
    assert lines[-4:] == [
        'git add .handoff-tui && git commit -m "Begin the handoff log"',
        *STATUS_LINES,
        "It is pinned in your git configuration, as handoff-tui.lamp.pin.",
    ]


def test_shape_has_every_field() -> None:
    """As scripts are promised."""
    value = build_init_json(REPORT)
    assert value["schema"] == "handoff-tui/init/v1"
    assert set(value) == {"schema", *InitReport.model_fields}


ENROLMENT = EnrolmentReport(
    principal="bob", keyid="SHA256:abc", type="ssh-ed25519", agent=False, line="bob options key", known=False
)


def test_note_says_what_to_do_with_the_line() -> None:
    """Other words for an agent's key, and for one that is known."""
    assert "policy propose --add-reviewer 'bob options key'" in build_enroll_note(ENROLMENT)
    assert "--add-agent" in build_enroll_note(ENROLMENT.model_copy(update={"agent": True}))
    assert "nothing to do" in build_enroll_note(ENROLMENT.model_copy(update={"known": True}))
    assert build_enroll_json(ENROLMENT)["schema"] == "handoff-tui/keys-enroll/v1"


def test_keys_of_every_side_are_listed() -> None:
    """Each with the policy that knows it; headings only where there are several."""
    fork = build_policy_report(policies=(build_policy_view(), build_policy_view(id=SECOND)))
    value = build_keys_json(fork)
    assert isinstance(value["keys"], list)
    assert [key["policy"] for key in value["keys"]] == [GENESIS, SECOND]
    assert f"Policy 1  {SECOND}" in list_lines(build_keys_page(fork))
    assert list_lines(build_keys_page(build_policy_report())) == [
        " | who | roles | key | type | valid",
        "valid | ada | root | SHA256:abc | ssh-ed25519 | always",
    ]
    assert list_lines(build_keys_page(build_policy_report(policies=()))) == ["no policy is in force"]
