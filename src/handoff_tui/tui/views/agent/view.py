"""The agents of the current handoff: their runs, the output of one, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from handoff_tui.agents.runs.run import ALIVE, RunKey, RunStatus
from handoff_tui.agents.step.report import RunView
from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.page import Cell
from handoff_tui.live.state.agents import (
    AgentProposal,
    AgentsView,
    MentionedFile,
    ProposalKind,
    ProposalStage,
    find_mentioned_files,
)
from handoff_tui.live.state.app import AppState, DiffRange, Part
from handoff_tui.tui.messages import (
    CopyWanted,
    DescriptionChanged,
    FollowUpsCancelled,
    NoteWanted,
    PlacesFound,
    ProofsWanted,
    ProposalWanted,
    RunPaused,
    RunReviewWanted,
    ScopeWanted,
    ViewWanted,
)
from handoff_tui.tui.views.agent.output_lines import OutputLines, OutputPanel
from handoff_tui.tui.views.agent.rows import AgentRows, build_run_name, build_run_page, describe_run, name_run
from handoff_tui.tui.views.listed_view import describe_trouble
from handoff_tui.tui.views.view import Act, View
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

_STEPS = frozenset({"agent.start", "agent.again", "agent.back", "agent.loop"})
_OF_A_RUN = frozenset({"app.follow", "agent.inputs", "review.form", "changes.wrap"})
_OWN = _STEPS | _OF_A_RUN | {
    "agent.stop", "agent.pause", "agent.note", "agent.proofs", "agent.rollback", "agent.breakpoint", "agent.unlock",
    "agent.changes", "app.edit", "review.compare", "nav.next-section", "nav.previous-section", "app.undo",
}  # fmt: skip


class RunInView(NamedTuple):
    """The selected run, the one before it, and what is known of all."""

    view: AgentsView | None = None
    run: RunView | None = None
    earlier: RunView | None = None

    @property
    def status(self) -> RunStatus | None:
        return self.run.state.status if self.run is not None else None

    @property
    def is_paused(self) -> bool:
        return self.status is RunStatus.PAUSED

    @property
    def is_alive(self) -> bool:
        return self.status in ALIVE

    @property
    def is_unseen(self) -> bool:
        """Whether it has ended and nobody has reviewed its work."""
        if self.run is None or self.view is None or self.run.report is not None:
            return False
        return self.run.state.is_over and self.run.state.key not in self.view.reviewing

    @property
    def goes_on(self) -> bool:
        """Whether something starts automatically afterwards, as far as is known."""
        return self.view is not None and (self.view.scheduled is not None or self.view.loops)


def list_agent_hints(here: RunInView) -> tuple[str, ...]:
    """Lists the most useful actions for the key bar."""
    if here.is_alive:
        return ("agent.pause", "agent.stop", "agent.note", "app.follow", "review.form", "agent.inputs", "changes.wrap")
    if here.run is None:
        return ("agent.start", "agent.loop", "agent.note", "agent.breakpoint", "agent.proofs")
    if here.is_unseen:
        return ("agent.pause", "agent.start", "agent.again", "review.form", "app.follow")
    ends = ("agent.stop",) if here.goes_on else ()
    return (
        *(*ends, "agent.start", "agent.again", "review.form", "agent.changes", "decide.retry", "agent.loop"),
        *("agent.proofs", "review.compare", "agent.note"),
    )


def refuse_agent_action(action: str, here: RunInView, *, places: int = 0) -> str:
    """Says why an action can't be done now; empty if it can. `places` are the files named in the visible lines."""
    if action in _STEPS:
        return "" if here.view is None or here.view.agents else _NO_AGENT
    if action in _OF_A_RUN:
        return "" if here.run is not None else "no agent started yet"
    can = {
        "agent.pause": (here.is_alive or here.is_unseen, "it isn't running"),
        "agent.stop": (here.is_alive or here.goes_on, "it isn't running"),
        "agent.unlock": (here.view is not None and bool(here.view.locks), "nothing is locked"),
        "agent.changes": (find_run_scope(here) is not None, "its files aren't known yet"),
        "review.compare": (find_compared_scope(here) is not None, "no two runs with commits to compare"),
        "app.edit": (places > 0, "no file mentioned here"),
        "agent.breakpoint": (here.view is not None and bool(here.view.agents), _NO_AGENT),
        "nav.next-section": (here.run is not None, "no agent started yet"),
        "nav.previous-section": (here.run is not None, "no agent started yet"),
    }
    possible, reason = can.get(action, (True, ""))
    return "" if possible else reason


def find_started(proposal: AgentProposal | None) -> RunKey | None:
    """Returns the run that was started by a confirmed proposal; None if none was."""
    plan = proposal.plan if proposal is not None and proposal.stage is ProposalStage.DONE else None
    if plan is None:
        return None
    return RunKey(handoff=plan.handoff, phase=plan.phase, attempt=plan.attempt, number=plan.number)


def find_run_scope(here: RunInView) -> DiffRange | None:
    """Returns the scope from before a run to after it, or to the present work if it made no commit."""
    report = here.run.report if here.run is not None else None
    if report is None or report.head_before is None:
        return None
    after = report.head_after if report.head_after != report.head_before else None
    return DiffRange(DiffScope.BETWEEN, report.head_before, after)


def find_compared_scope(here: RunInView) -> DiffRange | None:
    """Returns the scope from the previous run to this one."""
    before = _find_head(here.earlier)
    after = _find_head(here.run)
    return DiffRange(DiffScope.BETWEEN, before, after) if before and after and before != after else None


def _find_head(run: RunView | None) -> str | None:
    return run.report.head_after if run is not None and run.report is not None else None


_WIDE = 100
"""From this width on, output and outcome are side by side."""
_MARK = 2
_SHOWN = ("agent", "output", "found", "chosen")
_PROPOSALS = {
    "agent.start": ProposalKind.STEP,
    "agent.again": ProposalKind.AGAIN,
    "agent.back": ProposalKind.BACK,
    "agent.loop": ProposalKind.LOOP,
    "agent.unlock": ProposalKind.UNLOCK,
    "agent.rollback": ProposalKind.ROLLBACK,
    "app.undo": ProposalKind.UNDO,
}


_NO_AGENT = "no phase here has an agent; [agents] in handoff-tui.toml can name one"


class AgentView(View):
    """Runs newest first; below them the output of the selected one."""

    DEFAULT_CSS = """
    AgentView RowList { height: 2; max-height: 30%; }
    AgentView #agent-lower { height: 1fr; }
    AgentView #agent-outcome { width: 45%; display: none; }
    AgentView.-outcome #agent-outcome { width: 1fr; display: block; }
    AgentView.-outcome #agent-output { display: none; }
    AgentView.-both #agent-outcome { width: 45%; display: block; border-left: solid $border; }
    AgentView.-both #agent-output { width: 1fr; display: block; }
    """
    parts: ClassVar[frozenset[Part]] = frozenset({Part.AGENT})

    def __init__(self) -> None:
        super().__init__()
        self._rows: AgentRows | None = None
        self._started: RunKey | None = None
        """The run that was just started here, until it is in the list."""

    def compose(self) -> ComposeResult:
        yield Bar(id="heading")
        yield RowList()
        with Horizontal(id="agent-lower"):
            yield OutputPanel(self.post_message)
            with Vertical(id="agent-outcome"):
                yield Divider(id="outcome-title")
                yield PageView(id="outcome")

    @property
    def rows(self) -> RowList:
        return self.query_one(RowList)

    @property
    def panel(self) -> OutputPanel:
        return self.query_one(OutputPanel)

    @property
    def output(self) -> OutputLines:
        return self.panel.lines

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        self._started = find_started(state.proposal) or self._started
        if all(getattr(state, name) is getattr(before, name) for name in _SHOWN):
            return
        if state.agent is not before.agent:
            self._redraw(is_new=state.chosen != before.chosen)
        if state.output is not before.output:
            self.panel.show_window(state.output)
        if state.found is not before.found:
            self.panel.show_found(state.found)
        self.panel.show_run(self._run)
        self.post_message(DescriptionChanged())

    def _redraw(self, *, is_new: bool = False) -> None:
        view, rows = self._state.agent.value, self.rows
        was_newest = rows.index <= 0
        self._rows = AgentRows(view) if view is not None and view.runs else None
        if self._rows is None:
            self.query_one("#heading", Bar).show()
            rows.show(EmptyRows(self._explain_empty()))
        else:
            width = max(1, rows.room - _MARK)
            self.query_one("#heading", Bar).show(Cell(" " * _MARK), *self._rows.build_heading(width))
            rows.styles.height = max(2, len(self._rows.keys))
            rows.show(self._rows)
            if was_newest or is_new:  # a person on the newest run wants to see the next one
                rows.choose(self._rows.keys[0])
            if self._started is not None and (started := build_run_name(self._started)) in self._rows.keys:
                self._started = None
                rows.choose(started)
        self._show_outcome()

    def _show_outcome(self, *, from_top: bool = False) -> None:
        run = self._run
        title = f"Outcome of {name_run(run)}" if run is not None else "Agents you can start"
        self.query_one("#outcome-title", Divider).show_title(Cell(title, "muted"))
        self.query_one("#outcome", PageView).show(build_run_page(run, self._state.agent.value), from_top=from_top)
        self._arrange()

    def _arrange(self) -> None:
        """Puts both side by side if there is room; without a run there is no output to show."""
        self.set_class(self.size.width >= _WIDE and self._rows is not None, "-both")
        if self._rows is None:
            self.add_class("-outcome")
        elif self.has_class("-outcome") and not self.has_class("-chosen"):
            self.remove_class("-outcome")

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.rows.key:
            self.panel.show_run(self._run)
            self._show_outcome(from_top=True)
            self.post_message(DescriptionChanged())

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self._read_on()

    def _read_on(self) -> None:
        panel = self.output if self.panel.display else self.query_one("#outcome", PageView)
        panel.focus(scroll_visible=False)

    def on_resize(self) -> None:
        self.call_after_refresh(self._redraw)

    def choose(self, name: str) -> None:
        """Shows the output of a run, by its key in the list."""
        self.rows.choose(name)
        self._read_on()

    # what can be done

    def list_hints(self) -> tuple[str, ...]:
        return list_agent_hints(self._here)

    def refuse(self, action: str) -> str:
        if action not in _OWN:
            return "no run selected" if action == "app.copy" and self._run is None else ""
        if self._state.item is None:
            return "no handoff selected"
        places = len(self._find_places()) if action == "app.edit" else 0
        return refuse_agent_action(action, self._here, places=places)

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {
            **{action: ProposalWanted(kind, self._key) for action, kind in _PROPOSALS.items()},
            "agent.stop": ProposalWanted(ProposalKind.STOP, self._key) if self._here.is_alive else FollowUpsCancelled(),
            "app.follow": lambda: self.output.follow(following=not self.output.following),
            "changes.wrap": lambda: self.output.wrap(wraps=not self.output.wraps),
            "nav.next-section": lambda: self.rows.move(-1),
            "nav.previous-section": lambda: self.rows.move(1),
            "agent.inputs": self._toggle_inputs,
            "review.form": self._toggle_report,
            "agent.changes": lambda: self._open_diff(find_run_scope(self._here)),
            "review.compare": lambda: self._open_diff(find_compared_scope(self._here)),
            "app.edit": lambda: self.post_message(PlacesFound(self._find_places())),
            "agent.note": NoteWanted(),
            "agent.proofs": ProofsWanted(),
        }
        run = self._run
        if run is None:
            return acts
        key, resumes = run.state.key, self._here.is_paused
        return acts | {
            "agent.pause": RunReviewWanted(key) if self._here.is_unseen else RunPaused(key, paused=not resumes),
            "app.copy": CopyWanted(run.output, "the path of its output"),
        }

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        return self.panel.find(text, backwards=backwards, again=again)

    def describe(self) -> tuple[Cell, ...]:
        return describe_run(self._run, self._state.agent.value, unseen=self._here.is_unseen)

    # what is shown

    @property
    def _run(self) -> RunView | None:
        return self._rows.find(self.rows.key) if self._rows is not None else None

    @property
    def _here(self) -> RunInView:
        earlier = self._rows.find_earlier(self.rows.key) if self._rows is not None else None
        return RunInView(self._state.agent.value, self._run, earlier)

    @property
    def _key(self) -> RunKey | None:
        return self._run.state.key if self._run is not None else None

    def _toggle_inputs(self) -> None:
        self.panel.toggle_source()
        self.remove_class("-outcome", "-chosen")

    def _toggle_report(self) -> None:
        """In a narrow window, swaps outcome and output."""
        if self.has_class("-both"):
            self.query_one("#outcome", PageView).focus(scroll_visible=False)
            return
        chosen = not self.has_class("-chosen")
        self.set_class(chosen, "-chosen")
        self.set_class(chosen, "-outcome")
        self.call_after_refresh(self._read_on)

    def _find_places(self) -> tuple[MentionedFile, ...]:
        """Lists the files named in the visible lines, then those the run touched."""
        run = self._run
        root = self._state.chosen.root if self._state.chosen else ""
        named = find_mentioned_files(self.output.list_lines_in_view(), root) if self.panel.display else ()
        touched = run.report.files if run is not None and run.report is not None else ()
        known = {place.path for place in named}
        return (*named, *(MentionedFile(file.path) for file in touched if file.path not in known))

    def _open_diff(self, scope: DiffRange | None) -> None:
        if scope is not None:
            self.post_message(ScopeWanted(scope))
            self.post_message(ViewWanted("changes"))

    def _explain_empty(self) -> Cell:
        part = self._state.agent
        if part.trouble is not None:
            return describe_trouble(part.trouble)
        if self._state.item is None:
            return Cell("No handoff selected. 1 shows the inbox.", "muted")
        if part.value is None:
            return Cell("reading…", "muted")
        return Cell("No agent has been started for this handoff yet", "muted")
