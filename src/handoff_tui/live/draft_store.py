"""Drafts on disk: one file for each repository, in the user's own folder, changed under a lock."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from handoff_tui.core.errors import DraftsUnkeptError, LogLockedError, StoreWriteError
from handoff_tui.decisions.values.drafts import StoredDrafts
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.git_private_files import LocalFolder

_NAME = "drafts.json"
_DAMAGED = "drafts.damaged.json"
_LOCK_SECONDS = 5.0

DraftChange = Callable[[StoredDrafts], StoredDrafts]


class DraftStore:
    """The drafts of one repository. Who changes them reads them first: what another app wrote stays."""

    def __init__(self, root: Path) -> None:
        self._folder = LocalFolder(find_choices_folder(root), make_outer=True)

    def load(self) -> StoredDrafts:
        """What is kept; nothing where there is no file, or one that cannot be read."""
        try:
            content = self._folder.read(_NAME)
        except StoreWriteError:
            return StoredDrafts()
        return (parse_drafts(content) if content is not None else None) or StoredDrafts()

    def change(self, change: DraftChange) -> StoredDrafts:
        """What is kept afterwards. A file that cannot be read is put aside first, so that nothing in it is lost."""
        try:
            with LogLock(self._folder, _LOCK_SECONDS).hold():
                content = self._folder.read(_NAME)
                before = parse_drafts(content) if content is not None else StoredDrafts()
                if before is None and content is not None:
                    self._folder.write(_DAMAGED, content)
                known = before or StoredDrafts()
                after = change(known)
                if after != known or before is None:
                    self._folder.write(_NAME, render_drafts(after), lasting=False)
        except LogLockedError as busy:
            raise DraftsUnkeptError(
                "your drafts are not kept: another handoff-tui has held their file for too long",
                "They stay here until you leave; close the other one.",
            ) from busy
        except StoreWriteError as refused:
            raise DraftsUnkeptError(
                f"your drafts are not kept: {refused.message}", "They stay here until you leave."
            ) from refused
        return after


def parse_drafts(content: bytes) -> StoredDrafts | None:
    """Reads the file; nothing where it is damaged, or of another version."""
    try:
        return StoredDrafts.model_validate_json(content)
    except ValidationError:
        return None


def render_drafts(drafts: StoredDrafts) -> bytes:
    value = drafts.model_dump(mode="json", exclude_defaults=True)
    return json.dumps({"schema_version": 1, **value}, ensure_ascii=True, indent=1, sort_keys=True).encode() + b"\n"
