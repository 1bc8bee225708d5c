"""The folder of one trial of the engine: what is tried, and a record of every step that was really done."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from handoff_tui.core.errors import EngineError
from handoff_tui.system.files.cache_files import load_json, write_json

_TRIAL = "trial.json"
_RECORD = "record.jsonl"
_READY = "ready"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


def make_trial() -> Path:
    """A folder of its own, outside every repository."""
    return Path(tempfile.mkdtemp(prefix="handoff-tui-trial-"))


def write_trial(folder: Path, trial: dict[str, object]) -> None:
    """What the worker of the trial is told."""
    if not write_json(folder / _TRIAL, trial):
        raise EngineError(f"{folder} cannot be written", "Is the disk full?")


def mark_ready(folder: Path) -> None:
    (folder / _READY).touch()


def is_ready(folder: Path) -> bool:
    return (folder / _READY).exists()


def read_words(place: Path) -> str:
    """The last line that a process left behind."""
    try:
        lines = place.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return "it said nothing"
    return lines[-1] if lines else "it said nothing"


def load_trial(folder: Path) -> object:
    return load_json(folder / _TRIAL)


def remove_trial(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def append_record(folder: Path, record: dict[str, object]) -> None:
    """One line in one call, so that lines of many threads and processes do not mix."""
    descriptor = os.open(folder / _RECORD, _FLAGS, 0o600)
    try:
        os.write(descriptor, (json.dumps(record) + "\n").encode())
    finally:
        os.close(descriptor)


def read_records(folder: Path) -> list[dict[str, object]]:
    """Every line that was written whole."""
    try:
        lines = (folder / _RECORD).read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]
