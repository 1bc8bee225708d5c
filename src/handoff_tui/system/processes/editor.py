"""Lets a person change texts in their editor, at the terminal."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from handoff_tui.core.errors import FileUnreadableError, NoHumanError, SshKeygenMissingError, UsageError
from handoff_tui.system.files.named_files import read_named_texts
from handoff_tui.system.processes.programs import expand_home, find_program
from handoff_tui.system.processes.terminal import has_terminal

_DEFAULT = "vi"
_MAX_BYTES = 256 * 1024
_PLUS = frozenset(
    {"vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "kak", "micro", "joe", "mg", "ne"}
)
"""Editors that take a line as `+12` before the file."""
_COLON = frozenset({"hx", "helix"})
"""Editors that take it as `file:12`."""


def edit_texts(texts: Mapping[str, str], configured: tuple[str, ...] = ()) -> dict[str, str]:
    """Opens all texts at once, in a folder that only this user can read; returns them as they were left.

    The editor is the user's: `configured`, else $VISUAL, else $EDITOR. A repository can't choose it.
    """
    if not has_terminal():
        raise NoHumanError("there is no terminal to edit in", "Change copies of the files, and give them with --from.")
    words = _find_editor(configured)
    with tempfile.TemporaryDirectory(prefix="handoff-tui-edit-") as name:  # created with mode 0700
        folder = Path(name)
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8")
        done = subprocess.run([*words, *(str(folder / file) for file in texts)], check=False, cwd=folder)
        if done.returncode != 0:
            raise UsageError(f"{words[0]} ended with exit code {done.returncode}; nothing was changed")
        changed = read_named_texts(folder, tuple(texts), _MAX_BYTES)
    for file in texts:
        if file not in changed:
            raise FileUnreadableError(f"{file} is gone after editing; nothing was changed")
    return changed


def edit_file(file: Path, line: int | None, configured: tuple[str, ...]) -> None:
    """Opens one file in the user's editor, at a line if the editor supports it; waits until it ends.

    It runs in the home folder: some editors obey a file they find in the folder they are started in.
    """
    if not has_terminal():
        raise NoHumanError("there is no terminal to edit in", "Open the file with an editor of your own.")
    words = _build_words(file, line, configured)
    done = subprocess.run(words, check=False, cwd=expand_home("~"))
    if done.returncode != 0:
        raise UsageError(f"{Path(words[0]).name} ended with exit code {done.returncode}")


def _build_words(file: Path, line: int | None, configured: tuple[str, ...]) -> list[str]:
    if any("{path}" in word for word in configured):
        filled = [word.replace("{line}", str(line or 1)).replace("{path}", str(file)) for word in configured[1:]]
        return [*_find_editor(configured[:1]), *filled]
    words = _find_editor(configured)
    name = Path(words[0]).name
    if line is not None and name in _PLUS:
        return [*words, f"+{line}", str(file)]
    return [*words, f"{file}:{line}" if line is not None and name in _COLON else str(file)]


def _find_editor(configured: tuple[str, ...]) -> list[str]:
    # a configured command has placeholders for path and line; they go at the end here
    plain = [word for word in configured if "{" not in word]
    words = plain or shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or _DEFAULT)
    try:
        return [find_program(words[0]), *words[1:]]
    except SshKeygenMissingError as missing:
        raise UsageError(f"the editor {words[0]} is not installed", "Set EDITOR to the one you use.") from missing
