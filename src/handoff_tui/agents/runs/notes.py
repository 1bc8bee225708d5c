"""Words of a person to the next agent, kept beside git's own files; one JSON object a line."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from handoff_tui.agents.runs.state import build_name
from handoff_tui.agents.step.report import OperatorNote
from handoff_tui.core.errors import StoreWriteError
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER

_FOLDER = "notes"
_LONGEST_NOTE = 64 * 1024


def append_note(common_dir: Path, handoff: str, note: OperatorNote) -> None:
    """Adds a note; a very long one is refused, since it goes into a prompt."""
    if len(note.text) > _LONGEST_NOTE:
        raise StoreWriteError(
            f"the note has {len(note.text):,} characters; the limit is {_LONGEST_NOTE:,}",
            "Put it into a file of the repository, and name the file.",
        )
    place = _find_place(common_dir, handoff)
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with place.open("a", encoding="utf-8") as file:
            file.write(note.model_dump_json() + "\n")
    except OSError as refused:
        raise build_write_error(refused, str(place)) from refused


def read_notes(common_dir: Path, handoff: str) -> tuple[OperatorNote, ...]:
    """Every note to a handoff's agents, oldest first; a damaged line is left out."""
    try:
        lines = _find_place(common_dir, handoff).read_bytes().splitlines()
    except OSError:
        return ()
    notes: list[OperatorNote] = []
    for line in lines:
        try:
            notes.append(OperatorNote.model_validate_json(line))
        except ValidationError:
            continue
    return tuple(notes)


def _find_place(common_dir: Path, handoff: str) -> Path:
    return common_dir / LOCAL_FOLDER / _FOLDER / f"{build_name(handoff)}.jsonl"
