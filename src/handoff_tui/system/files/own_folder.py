"""The folder `.handoff-tui/`: which paths are ours, and the two files that stop git from changing or adding others."""

from __future__ import annotations

import os
from pathlib import Path

from handoff_tui.core.errors import HandoffError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.system.files.atomic_write import TEMPORARY_PREFIX, Folder
from handoff_tui.system.files.reader import FileReader

OWN_FOLDER = ".handoff-tui"
TRUST_POLICY = f"{OWN_FOLDER}/trust/policy.toml"
FOLDERS = ("log", "trust", "baselines", "reviews", "runs")
_HEX = "[0-9a-f]"
_DIGEST = _HEX * 64
_KNOWN_NAMES = (
    ".gitattributes",
    ".gitignore",
    "trust/allowed_signers",
    "trust/policy.toml",
    f"log/{_HEX * 2}/{_DIGEST}.intoto.jsonl",
    *(f"{folder}/{_DIGEST}.json" for folder in ("baselines", "reviews", "runs")),
)
"""What we write below the folder, as patterns that git reads too. All else there is work like any other."""
ALL_BUT_OWN = ("--", ":(top)", *(f":(top,exclude,glob){OWN_FOLDER}/{name}" for name in _KNOWN_NAMES))
"""Path arguments for a git call that asks about the work."""
_OWN = compile_later("|".join(f"{OWN_FOLDER}/{name}".replace(".", r"\.") for name in _KNOWN_NAMES))


def is_own(path: str) -> bool:
    """Whether a path is one of the files that we write, and so no part of the work."""
    return path.startswith(f"{OWN_FOLDER}/") and _OWN.fullmatch(path) is not None


def is_below_own_folder(path: str) -> bool:
    """Whether a path is below `.handoff-tui/`, whoever wrote it."""
    return path.startswith(f"{OWN_FOLDER}/")


_GIT_FILES = {
    ".gitattributes": tuple(f"{folder}/** -text -ident -filter" for folder in FOLDERS),
    ".gitignore": tuple(f"{folder}/{TEMPORARY_PREFIX}*" for folder in FOLDERS),
}
_MAX_BYTES = 64 * 1024


def write_git_files(own: Folder, temporaries: Folder) -> None:
    """Writes the two files if they are missing; never changes existing ones."""
    for name, lines in _GIT_FILES.items():
        try:
            os.stat(name, dir_fd=own.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            own.write_once(name, "".join(f"{line}\n" for line in lines).encode(), temporaries)


def read_layout_problems(root: Path) -> tuple[str, ...]:
    """Lists what is wrong with the two files, one sentence each; empty if there is no `.handoff-tui/` yet."""
    if not (root / OWN_FOLDER).is_dir():
        return ()
    return tuple(problem for name, lines in _GIT_FILES.items() for problem in _find_missing_lines(root, name, lines))


def _find_missing_lines(root: Path, name: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    path = f"{OWN_FOLDER}/{name}"
    if (root / path).is_symlink():
        return (f"{path} is a link, which git does not follow; replace it with a file",)
    try:
        present = FileReader(root, _MAX_BYTES).read_bytes(path).decode("utf-8", "replace").split("\n")
    except HandoffError as unread:
        return (f"{unread.message}; without it git may change or add what it should not",)
    missing = [line for line in lines if line not in present]
    return (f'{path} lacks the line "{missing[0]}"; add it',) if missing else ()
