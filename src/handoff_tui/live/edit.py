"""Opens files and texts in the reviewer's editor, and knows where their pictures go."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.system.files.named_files import find_pictures_folder as find_pictures
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.processes.editor import edit_file, edit_texts

_REASON = "reason.txt"
_ANY_SIZE = 2**62
"""The editor decides how large a file may be."""


def open_in_editor(root: Path, path: str, line: int | None, configured: tuple[str, ...]) -> None:
    """Opens a file of the repository at a line. Refuses a link that leads out of it, or into `.git`."""
    reader = FileReader(root, _ANY_SIZE)
    place = reader.resolve(path)
    if not reader.exists(path):
        raise FileUnreadableError(f"{path} is not in the work tree", "It may have been deleted, or be in git notes.")
    edit_file(place, line, configured)


def edit_text(text: str, configured: tuple[str, ...]) -> str:
    """Returns the text as it was left in the editor, without the line end that editors add."""
    return edit_texts({_REASON: text}, configured)[_REASON].removesuffix("\n")


def find_pictures_folder() -> Path:
    """Returns the user's folder of pictures; raises OSError if there is none."""
    return find_pictures()
