"""A proposed policy as pages and as public JSON: exactly what is signed, who still has to, and what became of it."""

from __future__ import annotations

from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.log.policy.page import add_fact
from handoff_tui.log.policy.reports import ProposalReport, SealReport, SignatureTally, SignReport

PROPOSE_SCHEMA = "handoff-tui/policy-propose/v1"
SIGN_SCHEMA = "handoff-tui/policy-sign/v1"
SEAL_SCHEMA = "handoff-tui/policy-seal/v1"
RESTORE_SCHEMA = "handoff-tui/policy-restore/v1"
_COMMIT = 'git add .handoff-tui && git commit -m "Policy {version}"'


def build_propose_json(report: ProposalReport) -> dict[str, object]:
    return {"schema": PROPOSE_SCHEMA, **_build_proposal_json(report)}


def build_sign_json(report: SignReport) -> dict[str, object]:
    return {
        "schema": SIGN_SCHEMA,
        "principal": report.principal,
        "keyid": report.keyid,
        "added": report.added,
        "proposal": _build_proposal_json(report.proposal),
    }


def build_seal_json(report: SealReport) -> dict[str, object]:
    return {"schema": SEAL_SCHEMA, "sealed": True, **report.model_dump(mode="json")}


def build_unsealed_json(report: ProposalReport) -> dict[str, object]:
    """What keeps a proposal from being sealed: signatures that are missing, or another policy that came first."""
    return {"schema": SEAL_SCHEMA, "sealed": False, "entry": None, "proposal": _build_proposal_json(report)}


def build_restore_json(paths: tuple[str, ...]) -> dict[str, object]:
    return {"schema": RESTORE_SCHEMA, "written": list(paths)}


def _build_proposal_json(report: ProposalReport) -> dict[str, object]:
    return {**report.model_dump(mode="json"), "complete": report.complete}


def build_proposal_page(report: ProposalReport, *, texts: bool = True) -> Page:
    """Builds the page; with `texts`, both files line by line, so that people see what they sign."""
    page = Page()
    page.line(Cell(f"Policy {report.version}  ", "heading"), Cell(render_safe(report.file), "path"))
    add_fact(page, "digest", report.digest)
    add_fact(page, "log", report.log)
    add_fact(page, "succeeds", report.previous)
    add_fact(page, "proposed", f"by {report.actor} at {report.time}")
    for parent in report.parents:
        add_fact(page, "follows", parent)
    if report.stale is not None:
        page.line(Cell("✗ ", "fail"), Cell(render_safe(report.stale)), indent=2)
    page.heading("What changes")
    for change in report.changes:
        page.line(Cell("~ ", "accent"), Cell(render_safe(change)), indent=2)
    for warning in report.warnings:
        page.line(Cell("! ", "warning"), Cell(render_safe(warning)), indent=2)
    if texts:
        for name, text in (("allowed_signers", report.allowed_signers), ("policy.toml", report.policy_toml)):
            page.heading(name)
            for line in render_safe_lines(text.removesuffix("\n")):
                page.line(Cell(line), indent=2)
    page.heading("Signatures")
    for tally in report.tallies:
        _add_tally(page, tally)
    return page


def build_propose_page(report: ProposalReport) -> Page:
    page = build_proposal_page(report, texts=False)
    page.heading("Next")
    page.line(Cell(f"handoff-tui policy sign {render_safe(report.file)}", "key"), Cell("  by each of them, in turn"))
    page.line(Cell(f"handoff-tui policy seal {render_safe(report.file)}", "key"), Cell("  when all have signed"))
    return page


def build_sign_page(report: SignReport) -> Page:
    page = Page()
    words = "signed" if report.added else "had already signed; the file is unchanged"
    page.line(Cell("✓ ", "pass"), Cell(render_safe(f"{report.principal} {words} ({report.keyid})")), indent=2)
    for tally in report.proposal.tallies:
        _add_tally(page, tally)
    file = render_safe(report.proposal.file)
    if report.proposal.complete:
        page.line(Cell("All have signed: "), Cell(f"handoff-tui policy seal {file}", "key"))
    else:
        page.line(Cell(f"Send {file} to the next one.", "muted"))
    return page


def build_unsealed_page(report: ProposalReport) -> Page:
    """Says why it cannot be sealed."""
    page = Page()
    page.line(Cell("✗ ", "fail"), Cell(f"policy {report.version} was not sealed"), indent=2)
    if report.stale is not None:
        page.line(Cell(render_safe(report.stale)), indent=2)
    for tally in report.tallies:
        _add_tally(page, tally)
    return page


def build_seal_page(report: SealReport) -> Page:
    page = Page()
    words = "is in force" if report.added else "was already in the log"
    page.line(Cell("✓ ", "pass"), Cell(f"policy {report.version} {words}: {report.entry}"), indent=2)
    add_fact(page, "signed by", ", ".join(report.signed_by))
    for change in report.changes:
        page.line(Cell("~ ", "accent"), Cell(render_safe(change)), indent=2)
    for keyid in report.left_out:
        page.line(
            Cell("· ", "muted"), Cell(render_safe(f"{keyid} has no say here; its signature was left out")), indent=2
        )
    for entry in report.void:
        page.line(Cell("! ", "warning"), Cell(f"{entry} no longer counts"), indent=2)
    for warning in report.warnings:
        page.line(Cell("! ", "warning"), Cell(render_safe(warning)), indent=2)
    page.line(Cell("Commit it: ", "muted"), Cell(_COMMIT.format(version=report.version), "key"))
    return page


def _add_tally(page: Page, tally: SignatureTally) -> None:
    done = not tally.missing
    signed = f"{len(tally.signed)} of {tally.threshold}"
    people = f" ({', '.join(tally.signed)})" if tally.signed else ""
    missing = "" if done else f"; {tally.missing} more of: {', '.join(tally.waiting) or 'nobody who could'}"
    page.line(
        Cell("✓ " if done else "○ ", "pass" if done else "waiting"),
        Cell(render_safe(f"{tally.whose} (version {tally.version}): {signed}{people}{missing}")),
        indent=2,
    )
