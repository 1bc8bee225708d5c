from __future__ import annotations

from handoff_tui.log.policy.reports import EnrolmentReport
from handoff_tui.log.setup.page import build_enroll_json, build_enroll_note, build_keys_json, build_keys_page
from tests.support.reviewed import list_lines
from tests.support.trust_reports import GENESIS, SECOND, build_policy_report, build_policy_view

REPORT = EnrolmentReport(
    principal="bob", keyid="SHA256:abc", type="ssh-ed25519", agent=False, line="bob options key", known=False
)


def test_note_says_what_to_do_with_the_line() -> None:
    """Other words for an agent's key, and for one that is known."""
    assert "policy propose --add-reviewer 'bob options key'" in build_enroll_note(REPORT)
    assert "--add-agent" in build_enroll_note(REPORT.model_copy(update={"agent": True}))
    assert "nothing to do" in build_enroll_note(REPORT.model_copy(update={"known": True}))
    assert build_enroll_json(REPORT)["schema"] == "handoff-tui/keys-enroll/v1"


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
