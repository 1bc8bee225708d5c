"""Desks of earlier visits, in memory and in our cache folder: scrubbing over known stops reads nothing of git.

A desk is kept under all that it follows from: the commit (and with it tree and history), the log of then, the refs
that belong to it now, the user's own settings, and this program.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from handoff_tui import __version__
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.travel.values import DeskThen, Stop
from handoff_tui.system.files.cache_files import drop_oldest, find_cache_folder, load_json, write_json

_MOST_IN_MEMORY = 200
_MOST_ON_DISK = 500
_SCHEMA = 2


class TravelCache:
    """What was found at stops. Losing it costs time, never truth."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._folder = find_cache_folder(desk.repository.root) / "travel"
        self._known: OrderedDict[str, DeskThen] = OrderedDict()

    def find(self, stop: Stop) -> DeskThen | None:
        key = self._build_key(stop)
        known = self._known.get(key)
        if known is None:
            known = self._load(key)
            if known is None:
                return None
            self._remember(key, known)
        return known if known.stop == stop else known.model_copy(update={"stop": stop})

    def keep(self, stop: Stop, found: DeskThen) -> None:
        key = self._build_key(stop)
        self._remember(key, found.model_copy(update={"from_cache": True}))
        # the desk as one text: reading it back is a frame's work, and its parser is the quicker one
        if write_json(self._place(key), {"schema": _SCHEMA, "desk": found.model_dump_json()}):
            drop_oldest(self._folder, _MOST_ON_DISK)

    def _remember(self, key: str, found: DeskThen) -> None:
        self._known[key] = found
        while len(self._known) > _MOST_IN_MEMORY:
            self._known.popitem(last=False)

    def _load(self, key: str) -> DeskThen | None:
        value = load_json(self._place(key))
        if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
            return None
        try:
            found = DeskThen.model_validate_json(str(value.get("desk")))
        except ValidationError:
            return None
        return found.model_copy(update={"from_cache": True})

    def _place(self, key: str) -> Path:
        return self._folder / f"{key}.json"

    def _build_key(self, stop: Stop) -> str:
        text = json.dumps([stop.commit, stop.entry, stop.key, *self._surroundings])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @cached_property
    def _surroundings(self) -> list[str]:
        """What else a desk of then rests on; asked once, since a traveller is opened anew after every change."""
        git, loaded = self._desk.repository.git, self._desk.loaded
        refs = git.read("for-each-ref", "--format=%(objectname) %(refname)")
        usual = loaded.usual.model_dump_json()
        return [__version__, hashlib.sha256(refs).hexdigest(), hashlib.sha256(usual.encode()).hexdigest()]
