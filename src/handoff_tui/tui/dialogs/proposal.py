"""The box in which a person reads what is about to be done with agents. Only its own key does it, never Enter."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from handoff_tui.agents.rollback.report import build_preview_page
from handoff_tui.agents.step.page import add_locks
from handoff_tui.checks.report import RequestedCommands
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.live.state.agents import AgentProposal, Breakpoint, ProposalKind, ProposalStage, StepPlan
from handoff_tui.live.state.app import AppState
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.dialogs.box import LEAVING, PAUSE_SECONDS, ArmedBox, NameField, keep_key, read_time
from handoff_tui.tui.messages import ChecksWanted, ProposalConfirmed
from handoff_tui.tui.views.agent.rows import describe_clock
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.page_view import PageView

_WORD_WIDTH = 9
_COMMAND = "handoff-tui "
_STARTS = frozenset({ProposalKind.STEP, ProposalKind.AGAIN, ProposalKind.BACK, ProposalKind.LOOP})
_LEADING_ON = {
    "decide.approve": "approve",
    "decide.reject": "send back",
    "decide.retry": "retry",
    "decide.choose": "decide",
}
"""What leads on where an agent can't be started: most often a gate waits."""


def add_trust(page: Page, plan: RequestedCommands) -> None:
    """Shows each command word by word, its scripts with their digests, and the digest of everything."""
    number = len(plan.commands) + len(plan.functions)
    page.line(Cell(f"This repository asks to run {plural(number, 'check')} with your permissions."))
    page.line(Cell("Any change to them or their scripts asks for your consent again.", "muted"))
    for command in plan.commands:
        page.heading(render_safe(command.id))
        for place, word in enumerate(command.argv):
            page.fact("" if place else "runs", word)
        for place, (path, digest) in enumerate(command.scripts):
            name = "" if place else "script"
            page.line(
                Cell(f"{name:<{_WORD_WIDTH}}", "muted"),
                Cell(render_safe(path), "path"),
                Cell(f"  {render_safe(digest)}", "muted"),
                indent=_WORD_WIDTH,
            )
    if plan.functions:
        page.heading("Python in this repository")
        for function in plan.functions:
            page.fact("calls", function)
    page.blank()
    page.fact("digest", plan.digest)


TITLES = {
    ProposalKind.STEP: "Start the agent",
    ProposalKind.AGAIN: "Start the same phase again",
    ProposalKind.BACK: "Start the previous phase",
    ProposalKind.LOOP: "Start agents until a person is needed",
    ProposalKind.STOP: "Stop the agent",
    ProposalKind.UNLOCK: "Break a lock",
    ProposalKind.ROLLBACK: "Roll back to what was approved",
    ProposalKind.UNDO: "Undo the last rollback",
    ProposalKind.TRUST: "Consent to run this repository's commands",
}
VERBS = {
    ProposalKind.STEP: "start",
    ProposalKind.AGAIN: "start",
    ProposalKind.BACK: "start",
    ProposalKind.LOOP: "start",
    ProposalKind.STOP: "stop",
    ProposalKind.UNLOCK: "break the lock",
    ProposalKind.ROLLBACK: "roll back",
    ProposalKind.UNDO: "undo",
    ProposalKind.TRUST: "consent",
}
_DIRECTIONS = {
    "forward": "the gate before it is open",
    "again": "again",
    "failed": "the work failed and came back",
    "back": "an earlier phase again",
}
_MOST_PROMPT_LINES = 2_000
_FRAME = 6
"""The lines around the page: border, title, field, state, keys."""
_LEAST_LINES = 4


def build_proposal_page(proposal: AgentProposal) -> Page:
    """Shows what would be done, word for word, or why it can't be."""
    page = Page()
    if proposal.note:
        page.warn(proposal.note, "warning")
        page.blank()
    if proposal.stage is ProposalStage.PREPARING:
        page.line(Cell("looking…", "muted"))
    if proposal.trouble is not None:
        page.line(Cell("✗ ", "fail"), Cell(render_safe(proposal.trouble.message)), indent=2)
        if proposal.trouble.hint and _COMMAND not in proposal.trouble.hint:  # the keys below lead on
            page.line(Cell("  "), Cell(render_safe(proposal.trouble.hint), "muted"), indent=2)
        return page
    if proposal.plan is not None:
        _add_plan(page, proposal.plan)
        if proposal.kind is ProposalKind.LOOP:
            _add_loop(page, proposal.plan, proposal.breakpoints)
        _add_prompt(page, proposal.plan)
    _add_others(page, proposal)
    return page


def _add_plan(page: Page, plan: StepPlan) -> None:
    way = _DIRECTIONS[plan.direction] + (f", from {plan.source}" if plan.source and plan.source != plan.phase else "")
    page.fact("phase", f"{plan.phase}: {way}")
    page.fact("run", f"attempt {plan.attempt}, run {plan.number}; {plan.tries_left} left in the loop")
    page.fact("agent", plan.agent + (", set by this repository, with your consent" if plan.from_repository else ""))
    for number, word in enumerate(plan.argv):
        page.fact("runs" if number == 0 else "", word)
    page.fact("in", plan.folder + ("  (a separate work tree)" if plan.worktree else ""))
    page.fact("env", ", ".join(plan.environment))
    page.fact("limit", describe_clock(plan.timeout_seconds))
    if plan.demands:
        page.fact("packet", f"{plural(plan.demands, 'point')} from the reviewer who sent the work back, in the prompt")
    if plan.waits:
        waits = ", ".join(f"{wait:g} s" for wait in plan.waits)
        page.fact(
            "retries",
            f"{len(plan.waits)} automatic if it crashes, after {waits}; only while this app is open",
        )


def _add_loop(page: Page, plan: StepPlan, breakpoints: frozenset[Breakpoint]) -> None:
    """Says what follows automatically, and what stops it."""
    page.heading("Then, automatically")
    target = plan.failure_target or plan.phase
    places = ", ".join(map(str, sorted(breakpoints)))
    ends = ("every gate: a person decides", "anything only a person can judge", "X, and quitting this app")
    for words in (
        f"failed work goes back to {target} with what to fix, while runs are left: {plan.tries_left}",
        "finished work goes on if its phase has no gate",
    ):
        page.line(Cell("  · "), Cell(render_safe(words)), indent=4)
    page.line(Cell("  It stops at ", "muted"), Cell("; ".join(ends), "muted"), indent=4)
    if places:
        page.line(Cell("  and at your breakpoints: ", "muted"), Cell(render_safe(places), "muted"), indent=4)


def _add_prompt(page: Page, plan: StepPlan) -> None:
    page.heading("What the agent is told")
    lines = render_safe_lines(plan.prompt)
    for line in lines[:_MOST_PROMPT_LINES]:
        page.line(Cell(line))
    if len(lines) > _MOST_PROMPT_LINES:
        page.line(Cell(f"and {len(lines) - _MOST_PROMPT_LINES:,} more lines", "muted"))


def _add_others(page: Page, proposal: AgentProposal) -> None:
    if proposal.run is not None:
        state = proposal.run.state
        key = state.key
        page.fact("agent", f"{key.handoff} · {key.phase} · attempt {key.attempt}, run {key.number}")
        page.fact("running", f"{describe_clock(state.elapsed)}; {state.status.value}")
        grace = f"{state.plan.grace_seconds:g} s" if state.plan else "a grace period"
        page.blank()
        page.line(Cell(f"Sends TERM, waits {grace}, then KILLs everything it started. Its work stays and is reviewed."))
    if proposal.lock is not None:
        add_locks(page, (proposal.lock,))
        page.blank()
        page.line(Cell("Its holder is gone. Check whether its work is worth keeping before you start another agent."))
    if proposal.rollback is not None:
        page.parts.extend(build_preview_page(proposal.rollback).parts[:-2])
    if proposal.trust is not None:
        add_trust(page, proposal.trust)
    if proposal.record is not None:
        page.fact("rollback", f"{proposal.record.time}, by {proposal.record.owner}")
        page.fact("saved", proposal.record.saved.ref)


def describe_obstacle(proposal: AgentProposal, typed: str) -> str:
    """Says why it can't be confirmed now; empty if it can."""
    waiting = {
        ProposalStage.PREPARING: "still being prepared",
        ProposalStage.REFUSED: "this can't be done now",
        ProposalStage.DOING: "under way",
        ProposalStage.DONE: "done",
    }
    if proposal.stage in waiting:
        return waiting[proposal.stage]
    if proposal.typed and typed.strip() != proposal.typed:
        return f"type {proposal.typed}: {proposal.typed_why}"
    return ""


class ProposalScreen(ArmedBox[str | None]):
    """Shows a proposal and carries it out. Keys count only once it has been on screen for a moment.

    Returns the action that leads on from a refusal.
    """

    CSS_PATH = "proposal.tcss"

    def __init__(self, kind: ProposalKind, keys: Keys) -> None:
        super().__init__()
        self._kind = kind
        self._keymap = keys
        self._proposal: AgentProposal | None = None
        self._said = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="proposal"):
            yield Divider(id="proposal-title")
            yield PageView(id="proposal-page")
            yield NameField(id="proposal-name", compact=True, select_on_focus=False, placeholder="type it here")
            yield Bar(id="proposal-state")
            yield Bar(id="proposal-keys", raised=True)

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)

    def show(self, state: AppState) -> None:
        """Shows what is known so far."""
        proposal = state.proposal
        if proposal is None or proposal is self._proposal or proposal.kind is not self._kind or not self.is_mounted:
            return
        self._proposal = proposal
        self._said = ""
        if proposal.stage is ProposalStage.DONE:
            self.dismiss(None)
            if proposal.kind is ProposalKind.TRUST:  # consent was asked for to run them
                self.app.post_message(ChecksWanted())
            return
        self._painted.disarm()
        field = self.query_one(NameField)
        field.display = bool(proposal.typed)
        page = self.query_one(PageView)
        page.show(build_proposal_page(proposal), from_top=True)
        self.query_one("#proposal").styles.max_height = max(page.line_count, _LEAST_LINES) + _FRAME
        self.arm_again()
        self._draw()

    def _settle(self) -> None:
        """The box has been on screen long enough: opens the field for typing."""
        field = self.query_one(NameField)
        if field.display and self.focused is None:
            field.focus(scroll_visible=False)
        self._draw()

    def takes(self, event: events.Key | events.Paste) -> bool:
        """Sees every key before the focused field does; tells whether it keeps the key from the field."""
        if not self._painted.admits(event.time):
            return True
        if isinstance(event, events.Paste) or event.is_printable:
            self._readable.begin_again(event.time)
            self.set_timer(PAUSE_SECONDS, self._draw)
            return False
        return self._perform(self._keymap.find(event, ("decision", "focus")), event.time)

    def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, NameField):
            return
        keep_key(event)
        scopes = ("decision", "focus", "nav", "app", *(("decide",) if self._leads_on else ()))
        self._perform(self._keymap.find(event, scopes), event.time)

    @property
    def _leads_on(self) -> bool:
        """Whether an agent can't be started, and a decision may be what it waits for."""
        refused = self._proposal is not None and self._proposal.stage is ProposalStage.REFUSED
        return refused and self._kind in _STARTS

    def _perform(self, action: str | None, at: float) -> bool:
        """Performs an action; tells whether it belongs to this box."""
        if action == "decision.confirm":
            self._confirm(at)
        elif action in LEAVING:
            self.dismiss(None)
        elif action in _LEADING_ON and self._painted.admits(at):
            self.dismiss(action)
        elif action in {"focus.next", "focus.previous"}:
            self.focus_next()
        elif action is not None and action.startswith("nav."):
            self.query_one(PageView).navigate(action)
        else:
            return False
        return True

    def _confirm(self, at: float) -> None:
        proposal, typed = self._proposal, self.query_one(NameField).value
        obstacle = "still being prepared" if proposal is None else describe_obstacle(proposal, typed)
        if proposal is None or obstacle:
            self._said = f"Not done: {obstacle}"
        elif not self._readable.admits(at):
            self._said = f"Too fast; press {self._keymap.show('decision.confirm')} again"
        else:
            self._readable.disarm()
            self.post_message(ProposalConfirmed(proposal.number, typed))
        self._draw()

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        proposal = self._proposal
        self.query_one("#proposal-title", Divider).show_title(Cell(TITLES[self._kind], "heading"))
        typed = self.query_one(NameField).value
        obstacle = "" if proposal is None else describe_obstacle(proposal, typed)
        words = self._said or f"{obstacle[:1].upper()}{obstacle[1:]}" or "Nothing is done yet"
        self.query_one("#proposal-state", Bar).show(Cell(f" {render_safe(words)}", "warning" if obstacle else "muted"))
        armed = proposal is not None and not obstacle and self._readable.admits(read_time())
        roles = ("key", "text") if armed else ("muted", "muted")
        confirms = (
            Cell(f"{self._keymap.show('decision.confirm')}", roles[0]),
            Cell(f" {VERBS[self._kind]}  ", roles[1]),
        )
        is_refused = proposal is not None and proposal.stage is ProposalStage.REFUSED
        leading = {name: f" {words}  " for name, words in _LEADING_ON.items()} if self._leads_on else {}
        self.query_one("#proposal-keys", Bar).show(
            Cell(" "),
            *(() if is_refused else confirms),
            *(cell for name, words in leading.items() for cell in (Cell(self._keymap.show(name), "key"), Cell(words))),
            Cell(self._keymap.show("decision.cancel"), "key"),
            Cell(" close  " if is_refused else " cancel  "),
            Cell("j k", "key"),
            Cell(" scroll"),
        )
