"""`.handoff-tui/trust/`: a copy of the newest policy entry's texts, for people and ssh-keygen. We never use it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from handoff_tui.core.errors import HandoffError
from handoff_tui.system.files.atomic_write import SYSTEM, Calls, build_write_error, open_folders
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.files.reader import FileReader

NAMES = ("allowed_signers", "policy.toml")
FOLDER = "trust"
_MAX_BYTES = 256 * 1024
_SHARED_MODE = 0o666


def read_trust_files(root: Path) -> dict[str, str | None]:
    """Reads the two texts from disk; None for one that is missing or cannot be read."""
    reader = FileReader(root, _MAX_BYTES)
    texts: dict[str, str | None] = {}
    for name in NAMES:
        try:
            texts[name] = reader.read_bytes(f"{OWN_FOLDER}/{FOLDER}/{name}").decode("utf-8", "replace")
        except HandoffError:
            texts[name] = None
    return texts


def write_trust_files(root: Path, texts: Mapping[str, str], calls: Calls = SYSTEM) -> None:
    """Replaces both copies, each in one step. Replaces a link to a file, but refuses a linked folder."""
    shown = f"{OWN_FOLDER}/{FOLDER}"
    try:
        with open_folders(calls, root, OWN_FOLDER, FOLDER, create=True) as (_, own, folder):
            for name in NAMES:
                shown = f"{OWN_FOLDER}/{FOLDER}/{name}"
                folder.replace(name, texts[name].encode(), mode=_SHARED_MODE)
            own.sync()
    except OSError as refused:
        raise build_write_error(refused, shown) from refused
