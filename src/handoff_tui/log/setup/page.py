"""A new log and its keys, as pages and as public JSON."""

from __future__ import annotations

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.policy.page import add_fact, add_keys
from handoff_tui.log.policy.reports import EnrolmentReport, InitReport, PolicyReport

ENROLL_SCHEMA = "handoff-tui/keys-enroll/v1"
LIST_SCHEMA = "handoff-tui/keys-list/v1"
SCHEMA = "handoff-tui/init/v1"


def build_enroll_json(report: EnrolmentReport) -> dict[str, object]:
    return {"schema": ENROLL_SCHEMA, **report.model_dump(mode="json")}


def build_enroll_note(report: EnrolmentReport) -> str:
    """What to do with the line, which alone goes to stdout."""
    if report.known:
        return f"{report.keyid} is already in the policy in force; there is nothing to do."
    option = "--add-agent" if report.agent else "--add-reviewer"
    return (
        f"{report.keyid}, {report.principal}\n"
        "Send this line to whoever changes the policy, and the fingerprint by another channel:\n"
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


def build_init_json(report: InitReport) -> dict[str, object]:
    return {"schema": SCHEMA, **report.model_dump(mode="json")}


def build_init_page(report: InitReport) -> Page:
    page = Page()
    page.line(Cell("✓ ", "pass"), Cell("began a signed log; its first entry is"), indent=2)
    page.line(Cell(f"  {report.log}", "key"))
    add_fact(page, "you", report.principal)
    add_fact(page, "key", f"{report.keyid} ({report.key})")
    if report.key_grade is not None and not report.key_grade.is_weak:  # a weak one is among the warnings
        add_fact(page, "", report.key_grade.words)
    for path in report.written:
        add_fact(page, "written", path)
    for path in report.kept:
        add_fact(page, "kept", f"{path}, which already existed")
    add_fact(page, "start line", _describe_start(report.start_line))
    add_fact(page, "approvals", _describe_solo(solo=report.solo))
    if report.protection is not None:
        add_fact(page, "protection", ", ".join(report.protection) or "none")
    for warning in report.warnings:
        page.line(Cell("! ", "warning"), Cell(render_safe(warning)), indent=2)
    page.heading("Next")
    added = " ".join(path.rstrip("/") for path in report.written)
    page.line(Cell(f'git add {added} && git commit -m "Begin the handoff log"', "key"))
    page.line(Cell("handoff-tui status", "key"))
    page.line(
        Cell("lists what agents hand over from now on; `handoff-tui decide approve ID` signs off on it.", "muted")
    )
    if report.pinned:
        page.line(Cell(f"It is pinned in your git configuration, as {render_safe(report.pin_key)}."))
        return page
    page.heading("For colleagues", "once they have compared the id with you; CI is told with HANDOFF_TUI_PIN")
    page.line(Cell(f"git config --global {render_safe(report.pin_key)} {report.log}", "key"))
    return page


def _describe_start(commit: str | None) -> str:
    if commit is None:
        return "none: all work needs an approval, past or new"
    return f"{commit[:SHORT_DIGEST]}: older work is history; what changes from now on needs an approval"


def _describe_solo(*, solo: bool) -> str:
    if solo:
        return "solo: you may approve what agents commit under your name; `handoff-tui doctor` says what that risks"
    return "nobody approves work under their own name, so agents must commit under names of their own"
