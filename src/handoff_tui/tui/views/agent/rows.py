"""The agent runs of a handoff as rows, and the outcome of one as a page."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.agents.runs.run import AGENT_STEP, UNDER_WAY, LockState, RunEnd, RunEnding, RunKey, RunStatus
from handoff_tui.agents.step.page import add_locks, add_overlaps, build_step_page, label_run, label_step
from handoff_tui.agents.step.report import RunView
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import AgentsView, OutputSource, OutputWindow

_HEADINGS = ("STATE", "PHASE", "RUN", "TOOK", "EXIT", "FILES", "COMMITS", "WHY")
_LONGEST_STATE = 16
_PIPELINE = 12
_LONGEST_PHASE = 14
_LONGEST_WHY = 400
_LONGEST_RAW = 4_000
"""Only the beginning of a longer line of output is shown."""
_MEGABYTE = 1_000_000
_MANY_BYTES = 10 * _MEGABYTE
_MINUTE = 60
_HOUR = 3_600
_LOOKING = Label("…", "checks running", "agent")
_UNSEEN = Label("◆", "not reviewed", "waiting")


def build_run_name(key: RunKey) -> str:
    """Returns a run's key among the runs of its handoff; it stays the same across refreshes."""
    return f"{key.phase}\0{key.attempt}\0{key.step}\0{key.number}"


class AgentRows:
    """Every run, newest first."""

    def __init__(self, view: AgentsView) -> None:
        self._runs = tuple(reversed(view.runs))
        self._reviewing = view.reviewing
        self.keys: Sequence[str] = tuple(build_run_name(run.state.key) for run in self._runs)
        self._phase = min(_LONGEST_PHASE, max((len(run.state.key.phase) for run in self._runs), default=5))
        self._phase = max(self._phase, len("PHASE"))

    def find(self, name: str) -> RunView | None:
        return next((run for key, run in zip(self.keys, self._runs, strict=True) if key == name), None)

    def find_earlier(self, name: str) -> RunView | None:
        """Returns the run before this one; None if there is none."""
        index = self.keys.index(name) + 1 if name in self.keys else len(self._runs)
        return self._runs[index] if index < len(self._runs) else None

    def build_heading(self, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - the last column takes the rest
        return (Cell(self._join(_HEADINGS), "muted"),)

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:
        run = self._runs[index]
        label = label_run_view(run, reviewing=run.state.key in self._reviewing)
        state = f"{label.glyph} {label.word}"
        words = self._join(("", *_describe(run)))
        room = max(10, width - len(words))
        return (
            Cell(_fit(state, _LONGEST_STATE), label.role),
            Cell(words[_LONGEST_STATE:]),
            Cell(render_safe(_find_why(run)[:_LONGEST_WHY], room), "muted"),
        )

    def _join(self, words: Sequence[str]) -> str:
        widths = (_LONGEST_STATE, self._phase, 5, 8, 6, 5, 7)
        parts = [_fit(word, width) for word, width in zip(words, widths, strict=False)]
        return " ".join([*parts, *words[len(widths) :], *([""] if len(words) <= len(widths) else [])])


def _fit(text: str, width: int) -> str:
    """Fits a text to exactly this many columns."""
    while compute_width(text) > width:
        text = text[:-2] + "…"
    return text + " " * (width - compute_width(text))


def label_run_view(run: RunView, *, reviewing: bool = False) -> Label:
    """Labels a run: with its supervisor's state, until its work has been reviewed."""
    if run.report is not None:
        return label_step(run.report.outcome)
    if reviewing:
        return _LOOKING
    if run.state.status is RunStatus.FINISHED and run.state.key.step == AGENT_STEP:
        return _UNSEEN
    return label_run(run.state.status)


def _describe(run: RunView) -> tuple[str, ...]:
    key, report = run.state.key, run.report
    number = f"{key.attempt}.{key.number}"
    files = str(len(report.files)) if report else "-"
    commits = str(len(report.commits)) if report else "-"
    return render_safe(key.phase), number, describe_clock(run.state.elapsed), describe_exit(run), files, commits


def describe_clock(seconds: float) -> str:
    """Formats seconds like a clock; the width changes only after an hour."""
    whole = int(seconds)
    minutes = f"{whole % _HOUR // _MINUTE:02d}:{whole % _MINUTE:02d}"
    return f"{whole // _HOUR}:{minutes}" if whole >= _HOUR else minutes


def describe_exit(run: RunView) -> str:
    """Returns the exit code, or what ended the run instead; `-` while it runs."""
    end = run.state.end
    return "-" if end is None else _name_ending(end)


def _name_ending(end: RunEnd) -> str:
    names = {
        RunEnding.EXITED: str(end.code),
        RunEnding.SIGNALLED: f"sig {end.signal}",
        RunEnding.TIMED_OUT: "time",
        RunEnding.FLOODED: "flood",
        RunEnding.STOPPED: "stop",
        RunEnding.NOT_STARTED: "none",
    }
    return names.get(end.ending, end.ending.value)


def _find_why(run: RunView) -> str:
    if run.report is None:
        return run.last_line
    return "; ".join(run.report.why) or run.report.next_move


def build_run_page(run: RunView | None, view: AgentsView | None) -> Page:
    """Shows the outcome of a run, or what is known so far."""
    page = Page()
    _add_agenda(page, view)
    if view is not None:
        add_overlaps(page, view.overlaps)
    if run is None:
        _add_idle(page, view)
        return page
    if page.parts:
        page.blank()
    if run.report is not None:
        page.parts += build_step_page(run.report).parts
    else:
        _add_progress(page, run, view)
    _add_inputs(page, run)
    others = list_foreign_locks(view) if view is not None else ()
    if others:
        page.heading("Locks")
        add_locks(page, others)
    return page


def _add_progress(page: Page, run: RunView, view: AgentsView | None) -> None:
    """Shows the progress until the work has been reviewed."""
    key, plan, process = run.state.key, run.state.plan, run.state.process
    label = label_run_view(run, reviewing=view is not None and key in view.reviewing)
    page.line(
        Cell(f"{label.glyph} {label.word}  ", label.role), Cell(render_safe(f"{key.phase} {key.attempt}.{key.number}"))
    )
    page.blank()
    page.fact("elapsed", describe_clock(run.state.elapsed))
    if plan is not None:
        page.fact("agent", plan.agent)
        page.fact("by", plan.owner)
        page.fact("limit", describe_clock(plan.timeout_seconds))
    if process is not None:
        page.fact("process", f"{process.agent_pid or process.pid} on {process.host}")
    if run.state.survivors:
        page.fact("left", plural(run.state.survivors, "process"))
    page.fact("files", "known when it ends")


def list_foreign_locks(view: AgentsView) -> tuple[LockState, ...]:
    """Lists locks that no running agent of this handoff holds: left behind, or held for another handoff."""
    own = {(run.state.key.handoff, run.state.key.phase) for run in view.runs if run.state.status in UNDER_WAY}
    return tuple(one for one in view.locks if one.stale or (one.lock.handoff, one.lock.phase) not in own)


def _add_inputs(page: Page, run: RunView) -> None:
    plan = run.state.plan
    if plan is None:
        return
    page.heading("What the agent was given")
    page.fact("folder", plan.folder)
    page.fact("env", ", ".join(plan.environment) or "none")
    page.fact("prompt", f"sha256 {plan.prompt_sha256[:SHORT_DIGEST]}")
    page.fact("context", f"sha256 {plan.context_sha256[:SHORT_DIGEST]}")


def _add_agenda(page: Page, view: AgentsView | None) -> None:
    """Says what happens automatically, and where it would stop."""
    if view is None:
        return
    if view.scheduled is not None:
        at = view.scheduled.at.astimezone().strftime("%H:%M:%S")
        words = f"{view.scheduled.phase} starts automatically at {at}: {view.scheduled.why}"
        page.line(Cell("» ", "agent"), Cell(render_safe(words)))
    elif view.loops:
        page.line(Cell("» ", "agent"), Cell("agents follow one another up to the next gate"))
    if view.breakpoints:
        places = ", ".join(map(str, sorted(view.breakpoints)))
        page.line(Cell("‖ ", "warning"), Cell(render_safe(f"breakpoints: nothing starts automatically {places}")))


def _add_idle(page: Page, view: AgentsView | None) -> None:
    """Says who could be started, as nobody was yet: every command once, with the phases it is for."""
    if view is None:
        return
    if page.parts:
        page.blank()
    if not view.agents:
        page.line(Cell("No phase here has an agent; [agents] in handoff-tui.toml can name one", "muted"))
    commands: dict[tuple[str, bool], dict[str, list[str]]] = {}
    for one in view.agents:
        commands.setdefault((one.command, one.from_repository), {}).setdefault(one.pipeline, []).append(one.phase)
    for (command, from_repository), pipelines in commands.items():
        for pipeline, phases in pipelines.items():
            page.line(Cell(f"{render_safe(pipeline):<{_PIPELINE}}"), Cell(render_safe(", ".join(phases))), indent=12)
        origin = "from the repository" if from_repository else "from your configuration"
        page.line(Cell(f"{'command':<{_PIPELINE}}", "muted"), Cell(render_safe(command)), indent=_PIPELINE)
        page.line(Cell(f"{'':<{_PIPELINE}}{origin}", "muted"))
        page.blank()
    if view.locks:
        page.heading("Locks")
        add_locks(page, view.locks)


def name_run(run: RunView) -> str:
    """Names a run by phase, attempt and number."""
    key = run.state.key
    return render_safe(f"{key.phase} {key.attempt}.{key.number}")


def describe_run(run: RunView | None, view: AgentsView | None, *, unseen: bool) -> tuple[Cell, ...]:
    """Describes the selected run, what starts automatically, and what is in the way, for the status line."""
    if view is None:
        return ()
    if run is None:
        first = [Cell(f" No agent started · {plural(len(view.agents), 'phase')} with an agent", "muted")]
    else:
        label = label_run_view(run, reviewing=run.state.key in view.reviewing)
        agent = run.state.plan.agent if run.state.plan else ""
        words = f" · {name_run(run)} · {render_safe(agent)} · {describe_clock(run.state.elapsed)}"
        first = [Cell(f" {label.glyph} {label.word}", label.role), Cell(words, "muted")]
    if view.overlaps:
        first.append(Cell(f" · {plural(len(view.overlaps), 'file')} also changed by another agent", "warning"))
    first += [_describe_lock(one) for one in list_foreign_locks(view)[:1]]
    if unseen:
        first.append(Cell(" · p reviews its work", "muted"))
    if view.scheduled is not None:
        at = view.scheduled.at.astimezone().strftime("%H:%M:%S")
        first.append(
            Cell(f" · {render_safe(view.scheduled.phase)} starts automatically at {at}; S cancels it", "agent")
        )
    elif view.loops:
        first.append(Cell(" · runs to the next gate", "agent"))
    if run is not None and run.report is not None and run.report.why:
        first.append(Cell(f" · {render_safe(run.report.why[0][:_LONGEST_WHY])}"))
    return tuple(first)


def _describe_lock(state: LockState) -> Cell:
    phase = render_safe(state.lock.phase)
    if state.stale:
        return Cell(f" · lock of {phase} left behind: :unlock", "warning")
    return Cell(
        f" · {phase} is held by {render_safe(state.lock.owner)} for {render_safe(state.lock.handoff)}", "warning"
    )


def build_output_line(line: str, shift: int) -> str:
    """Draws a line of output, made safe, from a column on."""
    return render_safe(line[:_LONGEST_RAW])[shift:]


def describe_output(window: OutputWindow | None, *, following: bool, brief: bool = False) -> str:
    """Says how much output there is; only in lines if there is little room."""
    if window is None:
        return ""
    counting = "" if window.complete else ", counting"
    size = f"{window.size:,} bytes" if window.size < _MANY_BYTES else f"{window.size / _MEGABYTE:,.0f} MB"
    lines = plural(window.total, "line") + ("" if brief else f" · {size}") + counting
    return f"follow ● · {lines}" if following and window.source is OutputSource.OUTPUT else lines
