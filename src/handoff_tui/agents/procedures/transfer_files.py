"""What a procedure hands over: plain JSON files beside git's own, in `<git-common-dir>/handoff-tui/transfers/`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from handoff_tui.agents.runs.files import write_json
from handoff_tui.agents.runs.state import build_name
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.cache_files import load_json
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER

TRANSFERS = "transfers"


class TransferFolder:
    """The files of one handoff in one phase and attempt. Writing twice is writing once."""

    def __init__(self, common_dir: Path, handoff: str, phase: str, attempt: int) -> None:
        parts = (build_name(handoff), build_name(phase), f"a{attempt}")
        self.place = common_dir / LOCAL_FOLDER / TRANSFERS / Path(*parts)

    def write(self, name: str, value: dict[str, object]) -> str:
        """Replaces a file in one step; the digest of its content."""
        try:
            self.place.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_json(self.place / name, value)
        except OSError as refused:
            raise build_write_error(refused, str(self.place / name)) from refused
        return build_transfer_digest(value)

    def load(self, name: str) -> dict[str, object] | None:
        """The content of a file; nothing when it is missing or damaged."""
        value = load_json(self.place / name)
        return value if isinstance(value, dict) else None

    def remove(self, name: str) -> None:
        try:
            (self.place / name).unlink(missing_ok=True)
        except OSError as refused:
            raise build_write_error(refused, str(self.place / name)) from refused


def build_transfer_digest(value: dict[str, object]) -> str:
    """Of the value, however it is laid out."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
