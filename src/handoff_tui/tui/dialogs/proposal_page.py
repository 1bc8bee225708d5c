"""What is about to be done about agents, as a page to read before it is confirmed."""

from __future__ import annotations

from handoff_tui.agents.rollback.page import build_preview_page
from handoff_tui.agents.step.page import add_locks
from handoff_tui.checks.report import TrustPlan
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.decisions.pages.gate import add_fact
from handoff_tui.live.state.agents import Proposal, ProposalKind, ProposalStage, StepPlan, Stop
from handoff_tui.tui.views.agent.rows import describe_clock

_WORD_WIDTH = 9


def add_trust(page: Page, plan: TrustPlan) -> None:
    """Each command word by word, its scripts with their digests, and the digest over all of it."""
    number = len(plan.commands) + len(plan.functions)
    page.line(Cell(f"This repository asks to run {plural(number, 'check')} of its own, with your rights."))
    page.line(Cell("Whatever changes in them, or in their scripts, asks for your trust again.", "muted"))
    for command in plan.commands:
        page.heading(render_safe(command.id))
        for place, word in enumerate(command.argv):
            add_fact(page, "" if place else "runs", word)
        for place, (path, digest) in enumerate(command.scripts):
            name = "" if place else "script"
            page.line(
                Cell(f"{name:<{_WORD_WIDTH}}", "muted"),
                Cell(render_safe(path), "path"),
                Cell(f"  {render_safe(digest)}", "muted"),
                indent=_WORD_WIDTH,
            )
    if plan.functions:
        page.heading("Python of this repository")
        for function in plan.functions:
            add_fact(page, "calls", function)
    page.blank()
    add_fact(page, "digest", plan.digest)


TITLES = {
    ProposalKind.STEP: "Start the agent",
    ProposalKind.AGAIN: "Start the same phase again",
    ProposalKind.BACK: "Start the phase before",
    ProposalKind.LOOP: "Start the agents, up to where a person is needed",
    ProposalKind.STOP: "Stop the agent",
    ProposalKind.UNLOCK: "Break a lock",
    ProposalKind.ROLLBACK: "Roll back to what was approved",
    ProposalKind.UNDO: "Undo the last rollback",
    ProposalKind.TRUST: "Trust this repository's commands",
}
VERBS = {
    ProposalKind.STEP: "start it",
    ProposalKind.AGAIN: "start it",
    ProposalKind.BACK: "start it",
    ProposalKind.LOOP: "start them",
    ProposalKind.STOP: "stop it",
    ProposalKind.UNLOCK: "break the lock",
    ProposalKind.ROLLBACK: "roll back",
    ProposalKind.UNDO: "undo it",
    ProposalKind.TRUST: "trust them",
}
_DIRECTIONS = {
    "forward": "the gate before it is open",
    "again": "once more",
    "failed": "the work failed and came back",
    "back": "an earlier phase again",
}
_MOST_PROMPT_LINES = 2_000


def build_proposal_page(proposal: Proposal) -> Page:
    """What would be done, word for word; or why it cannot be."""
    page = Page()
    if proposal.note:
        page.line(Cell("! ", "warning"), Cell(render_safe(proposal.note), "warning"), indent=2)
        page.blank()
    if proposal.stage is ProposalStage.PREPARING:
        page.line(Cell("looking…", "muted"))
    if proposal.trouble is not None:
        page.line(Cell("✗ ", "fail"), Cell(render_safe(proposal.trouble.message)), indent=2)
        if proposal.trouble.hint:
            page.line(Cell("  "), Cell(render_safe(proposal.trouble.hint), "muted"), indent=2)
        return page
    if proposal.plan is not None:
        _add_plan(page, proposal.plan)
        if proposal.kind is ProposalKind.LOOP:
            _add_loop(page, proposal.plan, proposal.stops)
        _add_prompt(page, proposal.plan)
    _add_others(page, proposal)
    return page


def _add_plan(page: Page, plan: StepPlan) -> None:
    way = _DIRECTIONS[plan.direction] + (f", from {plan.source}" if plan.source and plan.source != plan.phase else "")
    add_fact(page, "phase", f"{plan.phase}: {way}")
    add_fact(page, "try", f"attempt {plan.attempt}, try {plan.number}; {plan.tries_left} left in the loop")
    add_fact(page, "agent", plan.agent + (", named by this repository, trusted" if plan.from_repository else ""))
    for number, word in enumerate(plan.argv):
        add_fact(page, "runs" if number == 0 else "", word)
    add_fact(page, "in", plan.folder + ("  (a work tree of its own)" if plan.worktree else ""))
    add_fact(page, "env", ", ".join(plan.environment))
    add_fact(page, "limit", describe_clock(plan.timeout_seconds))
    if plan.demands:
        add_fact(page, "packet", f"{plural(plan.demands, 'demand')} of who sent the work back, in the prompt")
    if plan.waits:
        waits = ", ".join(f"{wait:g} s" for wait in plan.waits)
        add_fact(
            page,
            "retries",
            f"{len(plan.waits)} by itself where it fails by itself, after {waits}; only while this desk is open",
        )


def _add_loop(page: Page, plan: StepPlan, stops: frozenset[Stop]) -> None:
    """What follows by itself, and what ends it."""
    page.heading("Then, by itself")
    target = plan.failure_target or plan.phase
    places = ", ".join(describe_stop(stop) for stop in sorted(stops))
    ends = ("every gate: a person decides", "anything that only a person can judge", "X, and leaving this desk")
    for words in (
        f"failed work goes back to {target} with what is to be mended, while tries are left: {plan.tries_left}",
        "work that is ready goes on where its phase has no gate",
    ):
        page.line(Cell("  · "), Cell(render_safe(words)), indent=4)
    page.line(Cell("  It ends at ", "muted"), Cell("; ".join(ends), "muted"), indent=4)
    if places:
        page.line(Cell("  and at your breakpoints: ", "muted"), Cell(render_safe(places), "muted"), indent=4)


def describe_stop(stop: Stop) -> str:
    return f"{'before' if stop.before else 'after'} {stop.phase}"


def _add_prompt(page: Page, plan: StepPlan) -> None:
    page.heading("What it is told")
    lines = render_safe_lines(plan.prompt)
    for line in lines[:_MOST_PROMPT_LINES]:
        page.line(Cell(line))
    if len(lines) > _MOST_PROMPT_LINES:
        page.line(Cell(f"and {len(lines) - _MOST_PROMPT_LINES:,} lines more", "muted"))


def _add_others(page: Page, proposal: Proposal) -> None:
    if proposal.run is not None:
        state = proposal.run.state
        key = state.key
        add_fact(page, "agent", f"{key.handoff} · {key.phase} · attempt {key.attempt}, try {key.number}")
        add_fact(page, "at work", f"{describe_clock(state.elapsed)}; {state.status.value}")
        grace = f"{state.plan.grace_seconds:g} s" if state.plan else "a grace"
        page.blank()
        page.line(Cell(f"TERM, {grace}, then KILL of everything that it started. Its work stays and is looked at."))
    if proposal.lock is not None:
        add_locks(page, (proposal.lock,))
        page.blank()
        page.line(Cell("Its holder is gone. Look whether its work is worth keeping before another agent is started."))
    if proposal.rollback is not None:
        page.parts.extend(build_preview_page(proposal.rollback).parts[:-2])
    if proposal.trust is not None:
        add_trust(page, proposal.trust)
    if proposal.record is not None:
        add_fact(page, "rollback", f"{proposal.record.time}, by {proposal.record.owner}")
        add_fact(page, "saved", proposal.record.saved.ref)


def describe_obstacle(proposal: Proposal, typed: str) -> str:
    """Why it cannot be confirmed now; nothing when it can."""
    waiting = {
        ProposalStage.PREPARING: "it is being put together",
        ProposalStage.REFUSED: "it cannot be done",
        ProposalStage.DOING: "it is being done",
        ProposalStage.DONE: "it is done",
    }
    if proposal.stage in waiting:
        return waiting[proposal.stage]
    if proposal.typed and typed.strip() != proposal.typed:
        return f"type {proposal.typed}: {proposal.typed_why}"
    return ""
