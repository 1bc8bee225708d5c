"""The agents of the handoff in view: their tries, what one of them prints, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from handoff_tui.models.agent_desk import OutputPlace, OutputSource, ProposalKind
from handoff_tui.models.agent_run import RunStatus
from handoff_tui.models.desk_state import DeskState, Part, Scope
from handoff_tui.models.run_view import RunView
from handoff_tui.models.snapshot_diff import DiffScope
from handoff_tui.presentation.agent_rows import AgentRows, build_try_page, describe_clock, describe_output, label_try
from handoff_tui.presentation.labels import plural
from handoff_tui.presentation.page import Cell
from handoff_tui.presentation.safe_text import render_safe
from handoff_tui.tui.messages import (
    CopyWanted,
    DescriptionChanged,
    NoteWanted,
    OutputSearchWanted,
    OutputWanted,
    ProposalWanted,
    RunLookWanted,
    RunPaused,
    Said,
    ScopeWanted,
    ViewWanted,
)
from handoff_tui.tui.widgets.bars import Bar, Rule
from handoff_tui.tui.widgets.output_lines import OutputLines
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList
from handoff_tui.tui.widgets.view import View

_WIDE = 100
"""From so many columns on, output and outcome stand side by side."""
_MARK = 2
_SHOWN = ("agent", "output", "found", "chosen")
_PROPOSALS = {
    "agent.step": ProposalKind.STEP,
    "agent.again": ProposalKind.AGAIN,
    "agent.back": ProposalKind.BACK,
    "agent.stop": ProposalKind.STOP,
    "agent.unlock": ProposalKind.UNLOCK,
    "agent.rollback": ProposalKind.ROLLBACK,
    "agent.undo-rollback": ProposalKind.UNDO,
}


class AgentView(View):
    """Tries newest first; below them the output of the one under the cursor."""

    DEFAULT_CSS = """
    AgentView RowList { height: 2; max-height: 30%; }
    AgentView #agent-lower { height: 1fr; }
    AgentView #agent-outcome { width: 45%; display: none; }
    AgentView.-outcome #agent-outcome { width: 1fr; display: block; }
    AgentView.-outcome #agent-output { display: none; }
    AgentView.-both #agent-outcome { width: 45%; display: block; border-left: solid $border; }
    AgentView.-both #agent-output { width: 1fr; display: block; }
    """
    scope = "agent"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.AGENT})
    hints: ClassVar[tuple[str, ...]] = (
        *("agent.step", "agent.continue", "agent.pause", "agent.stop", "decide.retry", "agent.follow"),
        *("agent.report", "agent.note"),
    )
    missing: ClassVar[frozenset[str]] = frozenset({"agent.breakpoint", "agent.wrap", "agent.open-file"})

    def __init__(self) -> None:
        super().__init__(id="agent")
        self._state = DeskState()
        self._rows: AgentRows | None = None
        self._source = OutputSource.OUTPUT
        self._asked: OutputPlace | None = None
        self._text = ""

    def compose(self) -> ComposeResult:
        yield Bar(id="heading")
        yield RowList()
        with Horizontal(id="agent-lower"):
            with Vertical(id="agent-output"):
                yield Rule(id="output-title")
                yield OutputLines(id="output")
            with Vertical(id="agent-outcome"):
                yield Rule(id="outcome-title")
                yield PageView(id="outcome")

    @property
    def rows(self) -> RowList:
        return self.query_one(RowList)

    @property
    def output(self) -> OutputLines:
        return self.query_one(OutputLines)

    def show(self, state: DeskState) -> None:
        before, self._state = self._state, state
        if all(getattr(state, name) is getattr(before, name) for name in _SHOWN):
            return
        if state.chosen != before.chosen:
            self._choose_text(OutputSource.OUTPUT)
        if state.agent is not before.agent:
            self._redraw(is_new=state.chosen != before.chosen)
        if state.output is not before.output:
            self._show_output()
        if state.found is not before.found and state.found is not None:
            self._show_found()
        self._ask_for_output()
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
            if was_newest or is_new:  # who looks at the newest try wants to see the next one
                rows.choose(self._rows.keys[0])
        self._show_outcome()

    def _show_outcome(self, *, from_top: bool = False) -> None:
        run = self._run
        title = f"What became of {_name(run)}" if run is not None else "Who could be started"
        self.query_one("#outcome-title", Rule).show_title(Cell(title, "muted"))
        self.query_one("#outcome", PageView).show(build_try_page(run, self._state.agent.value), from_top=from_top)
        self._arrange()

    def _arrange(self) -> None:
        """Both side by side where there is room; without any try there is no output to show."""
        wide = self.size.width >= _WIDE
        self.set_class(wide, "-both")
        if self._rows is None:
            self.add_class("-outcome")
        elif self.has_class("-outcome") and not self.has_class("-chosen"):
            self.remove_class("-outcome")

    def _show_output(self) -> None:
        window, run = self._state.output, self._run
        fits = window is not None and run is not None and (window.run, window.source) == (run.state.key, self._source)
        self.output.show(window if fits else None)
        self._show_output_title()

    def _show_output_title(self) -> None:
        run, window = self._run, self._state.output
        told = "What it was told" if self._source is OutputSource.PROMPT else "Output"
        right = describe_output(window, following=self.output.following) if run is not None else ""
        name = f" · {_name(run)}" if run is not None else ""
        self.query_one("#output-title", Rule).show_title(Cell(f"{told}{name}", "muted"), right=right)

    def _ask_for_output(self) -> None:
        """The lines in view, where they were not read yet; while it follows, the last ones."""
        run, output = self._run, self.output
        if run is None or not output.is_attached or output.size.height == 0:
            return
        first = None if output.following else output.top
        place = OutputPlace(run.state.key, self._source, first, output.height)
        if place != self._asked and (first is None or not output.has_all):
            self._asked = place
            self.post_message(OutputWanted(place))

    def _choose_text(self, source: OutputSource) -> None:
        self._source, self._asked = source, None
        self.output.forget()
        self.output.following = source is OutputSource.OUTPUT
        self._show_output_title()

    @on(OutputLines.Moved)
    def note_moved(self, event: OutputLines.Moved) -> None:
        event.stop()
        self._ask_for_output()
        self._show_output_title()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.rows.key:
            self._choose_text(OutputSource.OUTPUT)
            self._show_output()
            self._ask_for_output()
            self._show_outcome(from_top=True)
            self.post_message(DescriptionChanged())

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self._read_on()

    def _read_on(self) -> None:
        panel = self.output if self.output.parent.display else self.query_one("#outcome", PageView)  # type: ignore[union-attr]
        panel.focus(scroll_visible=False)

    def on_resize(self) -> None:
        self.call_after_refresh(self._redraw)

    # what can be done

    def refuse(self, action: str) -> str:
        if action in self.missing:
            return "not built yet"
        if not action.startswith("agent."):
            return "no try is chosen" if action == "app.copy" and self._run is None else ""
        if self._state.item is None:
            return "no handoff is chosen"
        reasons: dict[str, Callable[[], str]] = {
            "agent.step": self._refuse_step,
            "agent.again": self._refuse_step,
            "agent.back": self._refuse_step,
            "agent.continue": lambda: "" if self._is_paused or self._is_unseen else "it is not held",
            "agent.pause": lambda: "" if self._status is RunStatus.RUNNING else "it is not running",
            "agent.stop": lambda: "" if self._status in {RunStatus.RUNNING, RunStatus.PAUSED} else "it is not running",
            "agent.unlock": lambda: "" if self._has_locks else "nothing is locked",
            "agent.diff": lambda: "" if self._find_scope() else "nothing is known of its files yet",
            "agent.compare": lambda: (
                "" if self._find_compared() else "there are no two tries with commits of their own"
            ),
        }
        if action in {"agent.follow", "agent.inputs", "agent.report"}:
            return "" if self._run is not None else "nobody was started yet"
        return reasons[action]() if action in reasons else ""

    def _refuse_step(self) -> str:
        view = self._state.agent.value
        return "" if view is None or view.agents else "no agent is configured; docs/agents.md has examples"

    def perform(self, action: str) -> bool:
        acts: dict[str, Callable[[], object]] = {
            "agent.continue": self._continue,
            "agent.pause": self._pause,
            "agent.follow": lambda: self.output.follow(following=not self.output.following),
            "agent.next-try": lambda: self.rows.move(-1),
            "agent.previous-try": lambda: self.rows.move(1),
            "agent.inputs": self._toggle_inputs,
            "agent.report": self._toggle_report,
            "agent.diff": lambda: self._open_diff(self._find_scope()),
            "agent.compare": lambda: self._open_diff(self._find_compared()),
            "agent.note": lambda: self.post_message(NoteWanted()),
            "app.copy": self._copy,
        }
        if action in _PROPOSALS:
            run = self._run
            self.post_message(ProposalWanted(_PROPOSALS[action], run.state.key if run else None))
        elif action in acts:
            acts[action]()
        else:
            return super().perform(action)
        return True

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        run, output = self._run, self.output
        self._text = text
        output.mark(text)
        if not text or run is None:
            return ""
        found = self._state.found
        here = found.line if again and found is not None and found.line is not None and found.text == text else None
        start = output.top if here is None else here + (-1 if backwards else 1)
        if start < 0:
            return "that was the first one"
        place = OutputPlace(run.state.key, self._source, start, -1 if backwards else 1)
        self.post_message(OutputSearchWanted(place, text))
        return "looking…"

    def _show_found(self) -> None:
        found = self._state.found
        if found is None or found.text != self._text or not self._text:
            return
        if found.line is None:
            self.post_message(Said(f"«{render_safe(found.text)}» is not there from here on", "warning"))
            return
        self.output.go_to(found.line)
        self.post_message(Said(f"line {found.line + 1:,}"))

    def describe(self) -> tuple[Cell, ...]:
        run, view = self._run, self._state.agent.value
        if view is None:
            return ()
        if run is None:
            return (Cell(f" nobody was started · {plural(len(view.agents), 'phase')} with an agent", "muted"),)
        label = label_try(run, looking=run.state.key in view.looking)
        agent = run.state.plan.agent if run.state.plan else ""
        words = f" · {_name(run)} · {render_safe(agent)} · {describe_clock(run.state.elapsed)}"
        hint = " · c looks at its work" if self._is_unseen else ""
        held = next((one for one in view.locks if one.stale), None)
        lock = (Cell(f" · the lock of {render_safe(held.lock.phase)} was left behind", "warning"),) if held else ()
        return (Cell(f" {label.glyph} {label.word}", label.role), Cell(words + hint, "muted"), *lock)

    # what is in view

    @property
    def _run(self) -> RunView | None:
        return self._rows.find(self.rows.key) if self._rows is not None else None

    @property
    def _status(self) -> RunStatus | None:
        return self._run.state.status if self._run is not None else None

    @property
    def _is_paused(self) -> bool:
        return self._status is RunStatus.PAUSED

    @property
    def _is_unseen(self) -> bool:
        """It has ended, and nobody looked at its work."""
        run, view = self._run, self._state.agent.value
        if run is None or view is None or run.report is not None:
            return False
        return run.state.is_over and run.state.key not in view.looking

    @property
    def _has_locks(self) -> bool:
        return self._state.agent.value is not None and bool(self._state.agent.value.locks)

    def _continue(self) -> None:
        run = self._run
        if run is not None and self._is_paused:
            self.post_message(RunPaused(run.state.key, paused=False))
        elif run is not None:
            self.post_message(RunLookWanted(run.state.key))

    def _pause(self) -> None:
        if self._run is not None:
            self.post_message(RunPaused(self._run.state.key, paused=True))

    def _toggle_inputs(self) -> None:
        is_output = self._source is OutputSource.OUTPUT
        self._choose_text(OutputSource.PROMPT if is_output else OutputSource.OUTPUT)
        self.remove_class("-outcome", "-chosen")
        self._ask_for_output()

    def _toggle_report(self) -> None:
        """In a narrow window, one in the place of the other."""
        if self.has_class("-both"):
            self.query_one("#outcome", PageView).focus(scroll_visible=False)
            return
        chosen = not self.has_class("-chosen")
        self.set_class(chosen, "-chosen")
        self.set_class(chosen, "-outcome")
        self.call_after_refresh(self._read_on)

    def _find_scope(self) -> Scope | None:
        """From before a try to after it; to the work as it is now, where it made no commit."""
        report = self._run.report if self._run is not None else None
        if report is None or report.head_before is None:
            return None
        after = report.head_after if report.head_after != report.head_before else None
        return Scope(DiffScope.BETWEEN, report.head_before, after)

    def _find_compared(self) -> Scope | None:
        """From the try before to this one."""
        earlier = self._rows.find_earlier(self.rows.key) if self._rows is not None else None
        report = self._run.report if self._run is not None else None
        before = earlier.report.head_after if earlier is not None and earlier.report is not None else None
        after = report.head_after if report is not None else None
        return Scope(DiffScope.BETWEEN, before, after) if before and after and before != after else None

    def _open_diff(self, scope: Scope | None) -> None:
        if scope is not None:
            self.post_message(ScopeWanted(scope))
            self.post_message(ViewWanted("diff"))

    def _copy(self) -> None:
        if self._run is not None:
            self.post_message(CopyWanted(self._run.output, "the path of its output"))

    def _explain_empty(self) -> Cell:
        part = self._state.agent
        if part.trouble is not None:
            return Cell(f"✗ {render_safe(part.trouble.message)}. {render_safe(part.trouble.hint)}", "fail")
        if self._state.item is None:
            return Cell("no handoff is chosen: 1 shows the inbox", "muted")
        if part.value is None:
            return Cell("reading…", "muted")
        return Cell("nobody was started for this handoff yet", "muted")


def _name(run: RunView) -> str:
    key = run.state.key
    return render_safe(f"{key.phase} {key.attempt}.{key.number}")
