"""Policies, proposals, keys and new logs as pages and as public JSON: who may do what, and who has to sign."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.core.short_id import SHORT_DIGEST, SHORT_ENTRY
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.log.policy.reports import (
    EnrolmentReport,
    InitReport,
    KeyState,
    KeyView,
    PolicyReport,
    PolicyStep,
    PolicyView,
    ProposalReport,
    SealReport,
    SignatureTally,
    SignReport,
)

SCHEMA = "handoff-tui/policy-show/v1"
_DRIFT = "trust-drift"
_ANY_GATE = "*"
_PLAIN_ROLES = frozenset({"root", "reviewer", "agent"})
_NAMES = 12
_NOBODY = "nobody"
_STATES = {
    KeyState.VALID: ("valid", "pass"),
    KeyState.NOT_YET: ("not yet", "warning"),
    KeyState.EXPIRED: ("expired", "fail"),
}
ENROLL_SCHEMA = "handoff-tui/keys-enroll/v1"
LIST_SCHEMA = "handoff-tui/keys-list/v1"
INIT_SCHEMA = "handoff-tui/init/v1"
PROPOSE_SCHEMA = "handoff-tui/policy-propose/v1"
SIGN_SCHEMA = "handoff-tui/policy-sign/v1"
SEAL_SCHEMA = "handoff-tui/policy-seal/v1"
RESTORE_SCHEMA = "handoff-tui/policy-restore/v1"
_COMMIT = 'git add .handoff-tui && git commit -m "Policy {version}"'


def build_policy_json(report: PolicyReport) -> dict[str, object]:
    """`policy` is the one in force; null where the log is forked or broken, and `policies` has every side."""
    policies = [policy.model_dump(mode="json") for policy in report.policies]
    problems = [problem.model_dump(mode="json") for problem in report.problems]
    return {
        "schema": SCHEMA,
        "repo": report.repo,
        "log": report.log,
        "pinned": report.pinned,
        "policy": policies[0] if len(policies) == 1 else None,
        "policies": policies,
        "history": [step.model_dump(mode="json") for step in report.history],
        "drift": [problem for problem in problems if problem["code"] == _DRIFT],
        "problems": [problem for problem in problems if problem["code"] != _DRIFT],
    }


def build_policy_page(report: PolicyReport) -> Page:
    page = Page(names=_NAMES)
    for problem in report.problems:
        fatal = problem.level == "FATAL"
        page.line(
            Cell("✗ " if fatal else "! ", "fail" if fatal else "warning"), Cell(render_safe(problem.text)), indent=2
        )
    forked = len(report.policies) > 1
    for number, policy in enumerate(report.policies, start=1):
        page.heading(
            f"Policy {policy.version}" + (f", side {number} of a fork" if forked else ""), f"since {policy.time}"
        )
        _add_policy(page, policy)
    _add_history(page, report.history)
    if report.log is not None and not report.pinned:
        page.line(
            Cell(f"The first entry is {report.log}; it isn't pinned, so another log could take its place.", "muted")
        )
    return page


def _add_policy(page: Page, policy: PolicyView) -> None:
    number = policy.root_threshold
    needed = "any one of them" if number == 1 and len(policy.root) > 1 else f"{plural(number, 'signature')} needed"
    page.fact("changes it", f"{', '.join(policy.root)}; {needed}")
    page.fact("decide", ", ".join(policy.reviewers))
    page.fact("agents", ", ".join(policy.agents) or _NOBODY)
    for role, people in policy.roles.items():
        if role not in _PLAIN_ROLES:
            page.fact(role, ", ".join(people) or _NOBODY)
    if policy.start_line:
        page.fact("start line", policy.start_line)
    if policy.solo:
        page.fact("solo", "a single reviewer may approve work under their own name")
    if policy.commits_by_agents:
        page.fact("by agents", f"commits under {', '.join(policy.commits_by_agents)}")
    if policy.protection is not None:
        page.fact("protection", ", ".join(policy.protection) or "none")
    for warning in policy.warnings:
        page.warn(warning)
    page.heading("Gates")
    for gate in policy.gates:
        phase = "all others" if gate.phase == _ANY_GATE and len(policy.gates) > 1 else gate.phase
        page.fact("all phases" if phase == _ANY_GATE else phase, ", ".join(gate.words))
        page.line(Cell(" " * 12), Cell(f"could: {render_safe(', '.join(gate.people) or _NOBODY)}", "muted"), indent=12)
    page.heading("Keys")
    add_keys(page, policy.keys)


def add_keys(page: Page, keys: Iterable[KeyView]) -> None:
    columns = (Column(""), Column("who"), Column("roles"), Column("key"), Column("type"), Column("valid"))
    page.grid(columns, [_build_key(key) for key in keys])


def _build_key(key: KeyView) -> tuple[Cell, ...]:
    word, role = _STATES[key.state]
    parts = [f"from {key.valid_after}"] * (key.valid_after is not None)
    parts += [f"until {key.valid_before}"] * (key.valid_before is not None)
    return (
        Cell(word, role),
        Cell(render_safe(key.principal)),
        Cell(", ".join(map(render_safe, key.roles)) or "none", "muted"),
        Cell(render_safe(key.keyid), "key"),
        Cell(render_safe(key.type), "muted"),
        Cell(" ".join(parts) or "always", "muted"),
    )


def _add_history(page: Page, history: Iterable[PolicyStep]) -> None:
    page.heading("History")
    for step in history:
        now = Cell("  in force", "pass") if step.in_force else Cell("")
        words = f"  {step.time}  signed by {', '.join(step.signed_by)}"
        page.line(
            Cell(f"{step.version:>3}  ", "key"),
            Cell(step.id[:SHORT_ENTRY], "muted"),
            Cell(render_safe(words)),
            now,
            indent=5,
        )
        for change in step.changes:
            page.line(Cell("     "), Cell(render_safe(change), "muted"), indent=7)


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
    return {"schema": INIT_SCHEMA, **report.model_dump(mode="json")}


def build_init_page(report: InitReport) -> Page:
    page = Page(names=_NAMES)
    page.line(Cell("✓ ", "pass"), Cell("The signed log has begun. Its first entry:"), indent=2)
    page.line(Cell(f"  {report.log}", "key"))
    page.fact("you", report.principal)
    page.fact("key", f"{report.keyid} ({report.key})")
    if report.key_grade is not None and not report.key_grade.is_weak:  # a weak one is among the warnings
        page.fact("", report.key_grade.words)
    for path in report.written:
        page.fact("written", path)
    for path in report.kept:
        page.fact("kept", f"{path}, which already existed")
    page.fact("start line", _describe_start(report.start_line))
    page.fact("approvals", _describe_solo(solo=report.solo))
    if report.protection is not None:
        page.fact("protection", ", ".join(report.protection) or "none")
    for warning in report.warnings:
        page.warn(warning)
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
    page.heading("For colleagues", "once they have compared the id with you; in CI, set HANDOFF_TUI_PIN to it")
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
    page = Page(names=_NAMES)
    page.line(Cell(f"Policy {report.version}  ", "heading"), Cell(render_safe(report.file), "path"))
    page.fact("digest", report.digest)
    page.fact("log", report.log)
    page.fact("succeeds", report.previous)
    page.fact("proposed", f"by {report.actor} at {report.time}")
    for parent in report.parents:
        page.fact("follows", parent)
    if report.stale is not None:
        page.line(Cell("✗ ", "fail"), Cell(render_safe(report.stale)), indent=2)
    page.heading("What changes")
    for change in report.changes:
        page.line(Cell("~ ", "accent"), Cell(render_safe(change)), indent=2)
    for warning in report.warnings:
        page.warn(warning)
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
    page = Page(names=_NAMES)
    words = "is in force" if report.added else "was already in the log"
    page.line(Cell("✓ ", "pass"), Cell(f"policy {report.version} {words}: {report.entry}"), indent=2)
    page.fact("signed by", ", ".join(report.signed_by))
    for change in report.changes:
        page.line(Cell("~ ", "accent"), Cell(render_safe(change)), indent=2)
    for keyid in report.left_out:
        page.line(
            Cell("· ", "muted"), Cell(render_safe(f"{keyid} has no say here; its signature was left out")), indent=2
        )
    for entry in report.void:
        page.line(Cell("! ", "warning"), Cell(f"{entry} no longer counts"), indent=2)
    for warning in report.warnings:
        page.warn(warning)
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
