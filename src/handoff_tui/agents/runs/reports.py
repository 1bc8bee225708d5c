"""What a step keeps: in the run's folder its report and what was there before, and per handoff the operator's notes."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from handoff_tui.agents.runs.files import OUTPUT, write_json
from handoff_tui.agents.runs.folders import build_name, load_value
from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.runs.run import RunState
from handoff_tui.agents.step.report import OperatorNote, Route, StepReport
from handoff_tui.config.pipeline import Pipeline
from handoff_tui.core.errors import StoreWriteError
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER

BEFORE, REPORT, ROUTE, PIPELINE, PROMPT, CONTEXT, CONTEXT_TEXT, NOTES = (
    *("before.json", "report.json", "route.json", "pipeline.json", "prompt.md", "context.json", "context.md"),
    "notes.md",
)
"""Further files in a run's folder."""
_NOTES_FOLDER = "notes"
_LONGEST_NOTE = 64 * 1024


def find_output(state: RunState) -> Path:
    """Returns the file with the output of a run, its proof of work."""
    return Path(state.folder) / OUTPUT


def load_observation(state: RunState) -> Observation | None:
    """Loads what was there before the run; None if it can't be read."""
    return load_value(Path(state.folder) / BEFORE, Observation)


def load_route(state: RunState) -> Route | None:
    """Loads the route into the phase; None if no step started the run."""
    return load_value(Path(state.folder) / ROUTE, Route)


def load_pipeline(state: RunState) -> Pipeline | None:
    """Loads the pipeline as it was when the run began; None if no step started the run."""
    return load_value(Path(state.folder) / PIPELINE, Pipeline)


def load_report(state: RunState) -> StepReport | None:
    """Loads the report of a run; None until the run was finished."""
    return load_value(Path(state.folder) / REPORT, StepReport)


def write_report(state: RunState, report: StepReport) -> None:
    try:
        write_json(Path(state.folder) / REPORT, report.model_dump(mode="json"))
    except OSError as refused:
        raise build_write_error(refused, state.folder) from refused


def append_run_note(state: RunState, text: str) -> None:
    """Adds to the notes of a run, which its agent can read while it works."""
    _append_line(Path(state.folder) / NOTES, text.rstrip("\n"))


def append_note(common_dir: Path, handoff: str, note: OperatorNote) -> None:
    """Adds a note for the agents of a handoff; refuses a very long one, because it goes into a prompt."""
    if len(note.text) > _LONGEST_NOTE:
        raise StoreWriteError(
            f"the note has {len(note.text):,} characters; the limit is {_LONGEST_NOTE:,}",
            "Put it into a file in the repository, and name the file.",
        )
    place = _find_notes(common_dir, handoff)
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as refused:
        raise build_write_error(refused, str(place)) from refused
    _append_line(place, note.model_dump_json())


def read_notes(common_dir: Path, handoff: str) -> tuple[OperatorNote, ...]:
    """Reads every note for a handoff's agents, oldest first; leaves out damaged lines."""
    try:
        lines = _find_notes(common_dir, handoff).read_bytes().splitlines()
    except OSError:
        return ()
    notes: list[OperatorNote] = []
    for line in lines:
        try:
            notes.append(OperatorNote.model_validate_json(line))
        except ValidationError:
            continue
    return tuple(notes)


def _append_line(place: Path, line: str) -> None:
    try:
        with place.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    except OSError as refused:
        raise build_write_error(refused, str(place)) from refused


def _find_notes(common_dir: Path, handoff: str) -> Path:
    return common_dir / LOCAL_FOLDER / _NOTES_FOLDER / f"{build_name(handoff)}.jsonl"
