"""The set of folders that are watched, and who listens to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from handoff_tui.git.watch.listener import Listener, is_watchable

_MOST_EXTRAS = 4
"""A listener cannot take in another folder; new ones get their own until they are merged. The system allows 128."""


class WatchSet:
    """Folders, absolute. A new listener listens before the old one is retired, so no event falls between."""

    def __init__(self, listen: Callable[[Iterable[str]], Listener]) -> None:
        self.folders: set[str] = set()
        self.unwatchable: set[str] = set()
        """Folders whose names watchfiles cannot take."""
        self._listen = listen
        self._listeners: list[Listener] = []

    @property
    def scattered(self) -> bool:
        """Whether there is more than one listener; each costs a little even when nothing happens."""
        return len(self._listeners) > 1

    def add(self, folders: Iterable[str]) -> None:
        """Watches more folders; one that was there before is watched anew, since it may be another by now."""
        wanted = self._take(folders)
        if not wanted:
            return
        self._listeners.append(self._listen(wanted))
        self.folders |= wanted
        if len(self._listeners) > _MOST_EXTRAS + 1:
            self.replace(self.folders)

    def replace(self, folders: Iterable[str]) -> None:
        """Watches these folders and no others, with one listener."""
        self.unwatchable.clear()
        wanted = self._take(folders)
        old, self._listeners = self._listeners, [self._listen(wanted)]
        for listener in old:
            listener.retire()
        self.folders = wanted

    def forget(self, folder: str) -> bool:
        """A folder is gone, with all below it; whether it was known."""
        if folder not in self.folders and folder not in self.unwatchable:
            return False
        for known in (self.folders, self.unwatchable):
            known -= {name for name in known if name == folder or name.startswith(f"{folder}/")}
        return True

    def clear(self) -> None:
        """Watches nothing any more."""
        for listener in self._listeners:
            listener.retire()
        self._listeners.clear()
        self.folders.clear()
        self.unwatchable.clear()

    def _take(self, folders: Iterable[str]) -> set[str]:
        folders = set(folders)
        wanted = {folder for folder in folders if is_watchable(folder)}
        self.unwatchable |= folders - wanted
        return wanted
