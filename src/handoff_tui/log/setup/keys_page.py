"""Keys: the line that enrols one, and the list of all, as public JSON shapes and as pages."""

from __future__ import annotations

from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.policy.page import add_keys
from handoff_tui.log.policy.reports import EnrolmentReport, PolicyReport

ENROLL_SCHEMA = "handoff-tui/keys-enroll/v1"
LIST_SCHEMA = "handoff-tui/keys-list/v1"


def build_enroll_json(report: EnrolmentReport) -> dict[str, object]:
    return {"schema": ENROLL_SCHEMA, **report.model_dump(mode="json")}


def build_enroll_note(report: EnrolmentReport) -> str:
    """What to do with the line, which alone goes to stdout."""
    if report.known:
        return f"{report.keyid} is in the policy in force already; there is nothing to do."
    option = "--add-agent" if report.agent else "--add-reviewer"
    return (
        f"{report.keyid}, {report.principal}\n"
        "Send this line, and its fingerprint by another way, to whoever changes the policy:\n"
        f"  handoff-tui policy propose {option} '{report.line}'"
    )


def build_keys_json(report: PolicyReport) -> dict[str, object]:
    """Every key of the policy in force; in a fork, of each side, with the id of its policy."""
    return {
        "schema": LIST_SCHEMA,
        "repo": report.repo,
        "log": report.log,
        "keys": [
            {"policy": policy.id, **key.model_dump(mode="json")} for policy in report.policies for key in policy.keys
        ],
    }


def build_keys_page(report: PolicyReport) -> Page:
    page = Page()
    for policy in report.policies:
        if len(report.policies) > 1:
            page.heading(f"Policy {policy.version}", render_safe(policy.id))
        add_keys(page, policy.keys)
    if not report.policies:
        page.line(Cell("no policy is in force", "warning"))
    return page
