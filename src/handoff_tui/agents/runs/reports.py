"""What a step keeps: in the run's folder its report and what was there before, and per handoff the operator's notes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from handoff_tui.agents.runs.files import EXIT, MESSAGES, OUTPUT, PLAN, TRANSCRIPT
from handoff_tui.agents.runs.folders import build_name, load_secret, load_value, write_value
from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.runs.run import RunState
from handoff_tui.agents.step.report import OperatorNote, Route, StepReport
from handoff_tui.config.pipeline import Pipeline
from handoff_tui.core.errors import StoreWriteError
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER
from handoff_tui.system.files.sealed_files import find_name, load_cache_secret, read_sealed, seal
from handoff_tui.system.processes.output_reader import hash_output

BEFORE, REPORT, ROUTE, PIPELINE, CONTEXT, CONTEXT_TEXT, NOTES = (
    *("before.json", "report.json", "route.json", "pipeline.json", "context.json", "context.md"),
    "notes.md",
)
"""Further files in a run's folder."""
_SEALED = (PLAN, EXIT, BEFORE, ROUTE, PIPELINE, REPORT)
_LINE_SEAL = " # seal "
_NOTES_FOLDER = "notes"
_LONGEST_NOTE = 64 * 1024


def find_output(state: RunState) -> Path:
    """Returns the file with the output of a run, its proof of work."""
    return Path(state.folder) / OUTPUT


def find_readable(state: RunState) -> Path:
    """Returns what a person reads of a run: its transcript, or its output if that is only text."""
    has_stream = state.plan is not None and state.plan.stream is not None
    return Path(state.folder) / TRANSCRIPT if has_stream else find_output(state)


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
        write_value(Path(state.folder) / REPORT, report)
    except OSError as refused:
        raise build_write_error(refused, state.folder) from refused


def list_edited(state: RunState) -> tuple[str, ...]:
    """Lists the files of a run that is over which handoff-tui didn't write as they are now."""
    if not state.is_over:
        return ()
    folder = Path(state.folder)
    edited = [name for name in _SEALED if (folder / name).exists() and read_sealed(folder / name) is None]
    return (*edited, *([OUTPUT] if is_output_edited(state) else []))


def is_output_edited(state: RunState) -> bool:
    """Whether the output is no longer the one that the supervisor saw."""
    end, place = state.end, find_output(state)
    if end is None or not end.output_sha256:
        return False
    try:
        found = place.stat()
    except OSError:
        return end.output_bytes > 0
    if found.st_size != end.output_bytes:
        return True
    stamp = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return _hash_once(str(place), stamp) != end.output_sha256


@lru_cache(maxsize=256)
def _hash_once(place: str, _: tuple[int, ...]) -> str | None:
    """Hashes an output once, as long as nobody writes to it: it may be long, and is asked about often."""
    return hash_output(place)


def append_run_note(state: RunState, text: str) -> None:
    """Adds to the notes of a run, which its agent can read while it works; tells it now if its program listens."""
    _append_line(Path(state.folder) / NOTES, text.rstrip("\n"))
    if state.plan is not None and state.plan.input == "messages":
        from handoff_tui.agents.runs.listening import build_message  # noqa: PLC0415 - few programs listen

        _append_line(Path(state.folder) / MESSAGES, build_message(text).decode().rstrip("\n"))


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
    _append_line(place, _seal_line(note.model_dump_json(), place, load_secret()))


def read_notes(common_dir: Path, handoff: str) -> tuple[OperatorNote, ...]:
    """Reads every note for a handoff's agents, oldest first; leaves out lines that no person wrote here."""
    place, secret = _find_notes(common_dir, handoff), load_cache_secret()
    if secret is None:
        return ()
    try:
        lines = place.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ()
    notes: list[OperatorNote] = []
    for line in lines:
        text = line.rpartition(_LINE_SEAL)[0]
        try:
            if text and line == _seal_line(text, place, secret):
                notes.append(OperatorNote.model_validate_json(text))
        except ValueError:
            continue
    return tuple(notes)


def _seal_line(text: str, place: Path, secret: bytes) -> str:
    sealed = seal(text.encode("utf-8", "surrogateescape"), find_name(place), secret)
    return sealed.decode("utf-8", "surrogateescape").rstrip("\n").replace("\n", " ")


def _append_line(place: Path, line: str) -> None:
    try:
        with place.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    except OSError as refused:
        raise build_write_error(refused, str(place)) from refused


def _find_notes(common_dir: Path, handoff: str) -> Path:
    return common_dir / LOCAL_FOLDER / _NOTES_FOLDER / f"{build_name(handoff)}.jsonl"
