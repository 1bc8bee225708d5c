"""Remembers which sessions of agents were told about which decisions."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.sealed_files import load_json, write_json

_DELIVERED = "delivered-packets.json"
_MOST_SESSIONS = 50


class Delivered:
    """Which decisions a session was told about. A lost file costs a repetition."""

    def __init__(self, root: Path, session: str) -> None:
        self._place = find_cache_folder(root) / _DELIVERED
        self._session = session

    def has(self, mark: str) -> bool:
        return mark in self._load().get(self._session, [])

    def add(self, marks: list[str]) -> None:
        sessions = self._load()
        known = sessions.pop(self._session, [])
        sessions[self._session] = [*known, *marks]
        while len(sessions) > _MOST_SESSIONS:
            sessions.pop(next(iter(sessions)))
        write_json(self._place, sessions)

    def _load(self) -> dict[str, list[str]]:
        value = load_json(self._place)
        if not isinstance(value, dict):
            return {}
        return {name: [str(mark) for mark in marks] for name, marks in value.items() if isinstance(marks, list)}
