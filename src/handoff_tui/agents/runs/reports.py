"""What became of runs, kept in their folders beside their output."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.agents.runs.files import OUTPUT, write_json
from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.runs.run import RunState
from handoff_tui.agents.runs.state import load_value
from handoff_tui.agents.step.report import Route, StepReport
from handoff_tui.config.pipeline import Pipeline
from handoff_tui.system.files.atomic_write import build_write_error

BEFORE, REPORT, ROUTE, PIPELINE, PROMPT, CONTEXT, CONTEXT_TEXT, NOTES = (
    *("before.json", "report.json", "route.json", "pipeline.json", "prompt.md", "context.json", "context.md"),
    "notes.md",
)
"""Further files of a run's folder."""


def find_output(state: RunState) -> Path:
    """Where the output of a run is kept: its proof of work."""
    return Path(state.folder) / OUTPUT


def load_observation(state: RunState) -> Observation | None:
    """What was there before the run; nothing when it cannot be read."""
    return load_value(Path(state.folder) / BEFORE, Observation)


def load_way(state: RunState) -> tuple[Route, Pipeline] | None:
    """The way into the phase, in the pipeline as it was then; nothing for a run that no step started."""
    route = load_value(Path(state.folder) / ROUTE, Route)
    pipeline = load_value(Path(state.folder) / PIPELINE, Pipeline)
    return None if route is None or pipeline is None else (route, pipeline)


def load_report(state: RunState) -> StepReport | None:
    """What became of a run; nothing until it was looked at."""
    return load_value(Path(state.folder) / REPORT, StepReport)


def write_report(state: RunState, report: StepReport) -> None:
    try:
        write_json(Path(state.folder) / REPORT, report.model_dump(mode="json"))
    except OSError as refused:
        raise build_write_error(refused, state.folder) from refused


def append_run_note(state: RunState, text: str) -> None:
    """Adds a word to the notes of a run, which its agent may read while it works."""
    try:
        with (Path(state.folder) / NOTES).open("a", encoding="utf-8") as file:
            file.write(text.rstrip("\n") + "\n")
    except OSError as refused:
        raise build_write_error(refused, state.folder) from refused
