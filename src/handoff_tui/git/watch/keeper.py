"""Listens to file system events, sorts them, and keeps the right folders watched as they come and go."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FoldersMovedError, HandoffError, WatchRefusedError
from handoff_tui.git.repository import Repository
from handoff_tui.git.watch.reconcile import (
    FullScan,
    is_folder,
    read_git_folders,
    read_named_folders,
    reopen,
    walk_folders,
)
from handoff_tui.system.files.atomic_write import TEMPORARY_PREFIX
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER
from handoff_tui.system.files.own_folder import OWN_FOLDER, is_below_own_folder

ADDED, MODIFIED, DELETED = 1, 2, 3
Event = tuple[int, str]

_NOISE_OF_GIT = frozenset({
    "COMMIT_EDITMSG", "FETCH_HEAD", "TAG_EDITMSG", "gc.log", "gc.pid", "logs", "objects", "packed-refs.new",
    LOCAL_FOLDER,
})  # fmt: skip
_REFS = ("refs", "reftable", "packed-refs")
_IGNORE_RULES = ".gitignore"


class WatchedPlaces(NamedTuple):
    """Absolute folders, without a slash at the end."""

    root: str
    git: tuple[str, ...]
    """The git folder and the one that linked work trees share; the more special first."""
    cache: str
    """Our cache. It lies outside, unless the home folder itself is a repository."""


class Sorted(NamedTuple):
    """What a batch of events is about."""

    paths: frozenset[str]
    """Paths of the work tree, from its root."""
    appeared: frozenset[str]
    """Absolute paths that are new or changed; a folder among them isn't watched yet."""
    deleted: frozenset[str]
    """Absolute."""
    refs: bool
    """A ref, HEAD, the index or git's configuration."""
    reconcile: bool
    """Something that may affect any path: HEAD, the index, configuration, ignore rules."""
    root_gone: bool


def sort_events(events: Iterable[Event], places: WatchedPlaces) -> Sorted:
    """Leaves noise out: git's locks and messages, our cache and half-written files."""
    paths: set[str] = set()
    appeared: set[str] = set()
    deleted: set[str] = set()
    refs = reconcile = root_gone = False
    for kind, path in events:
        git_name = _find_git_name(path, places.git)
        if git_name is None:
            name = _find_name(path, places)
            if name is None:
                continue
            paths.add(name)
            reconcile |= name.rpartition("/")[2] == _IGNORE_RULES or name == ".git"
            root_gone |= kind == DELETED and not name
        elif _is_noise(git_name):
            continue
        else:
            refs = True
            reconcile |= git_name.partition("/")[0] not in _REFS
            root_gone |= kind == DELETED and not git_name
        (deleted if kind == DELETED else appeared).add(path)
    return Sorted(frozenset(paths - {""}), frozenset(appeared), frozenset(deleted), refs, reconcile, root_gone)


def _find_git_name(path: str, git: tuple[str, ...]) -> str | None:
    """Returns a path relative to the git folder it is in."""
    return next((path[len(top) + 1 :] for top in git if path == top or path.startswith(f"{top}/")), None)


def _find_name(path: str, places: WatchedPlaces) -> str | None:
    """Returns a path relative to the root of the work tree; None if it is outside or ours."""
    if path == places.root:
        return ""
    if not path.startswith(f"{places.root}/") or path == places.cache or path.startswith(f"{places.cache}/"):
        return None
    name = path[len(places.root) + 1 :]
    if is_below_own_folder(name) and name.rpartition("/")[2].startswith(TEMPORARY_PREFIX):
        return None
    return name


def _is_noise(name: str) -> bool:
    return name.endswith(".lock") or name.partition("/")[0] in _NOISE_OF_GIT


STEP_MILLISECONDS = 5
"""A change is reported after one to two steps, and each step costs a little even if nothing happens."""
RESTING_STEP_MILLISECONDS = 10
"""Used after some quiet seconds; the first change then comes half a frame later, and waiting costs half as much."""
UNFOCUSED_STEP_MILLISECONDS = 50
DEBOUNCE_MILLISECONDS = 50
"""The longest time that consecutive changes are collected."""
_LOOK_UP_MILLISECONDS = 1_000
"""How often it checks whether the listener is still wanted."""
_RESTS_AFTER = 5
"""So many times nothing was heard for that long."""
_ATTEMPTS = 5


class Notify(Protocol):
    """The part of `watchfiles.RustNotify` that is used."""

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: threading.Event | None
    ) -> set[Event] | Literal["signal", "stop", "timeout"]: ...

    def close(self) -> None: ...


OpenNotify = Callable[[list[str]], Notify]


class Pace:
    """The step of all listeners; it may be changed while they listen."""

    def __init__(self) -> None:
        self.step = STEP_MILLISECONDS


class Listener(threading.Thread):
    """Reports batches of events until `stop` is set or it is retired. If it can't continue, it says so and ends."""

    def __init__(
        self,
        notify: Notify,
        pace: Pace,
        stop: threading.Event,
        tell: Callable[[set[Event]], None],
        tell_broken: Callable[[str], None],
    ) -> None:
        super().__init__(name="watch-listener", daemon=True)
        self._notify = notify
        self._pace = pace
        self._stop_event = stop
        self._tell = tell
        self._tell_broken = tell_broken
        self._retired = threading.Event()
        self.start()

    def retire(self) -> None:
        """Retires it; events it has already received are still reported."""
        self._retired.set()

    def run(self) -> None:
        try:
            self._listen()
        except RuntimeError as broken:  # a name that is not UTF-8 ends it for good, for one
            if not self._retired.is_set():
                self._tell_broken(str(broken))
        finally:
            self._notify.close()

    def _listen(self) -> None:
        quiet = 0
        while not self._retired.is_set():
            step = self._pace.step if quiet < _RESTS_AFTER else max(self._pace.step, RESTING_STEP_MILLISECONDS)
            answer = self._notify.watch(DEBOUNCE_MILLISECONDS, step, _LOOK_UP_MILLISECONDS, self._stop_event)
            quiet += 1
            if isinstance(answer, set):
                quiet = 0
                self._tell(answer)
            elif answer != "timeout":
                return
        rest = self._notify.watch(0, 1, 1, None)
        if isinstance(rest, set):
            self._tell(rest)


def open_rust_notify(folders: list[str]) -> Notify:
    from watchfiles import _rust_notify  # noqa: PLC0415 - only who watches pays for the import

    # `ignore_permission_denied` would ignore every error, the watch limit included
    notify: Notify = _rust_notify.RustNotify(folders, False, False, 0, False, False)  # noqa: FBT003 - positional there
    return notify


def open_notify(folders: Iterable[str], open_one: OpenNotify = open_rust_notify) -> Notify:
    """Watches the folders that exist and are readable; raises `WatchRefusedError` if not all of them can be."""
    fault: Exception | None = None
    for _ in range(_ATTEMPTS):
        there = [folder for folder in folders if is_folder(folder) and os.access(folder, os.R_OK | os.X_OK)]
        try:
            return open_one(there)
        except (FileNotFoundError, PermissionError) as moved:  # between the look and the call
            fault = moved
        except (OSError, RuntimeError) as refused:
            raise build_refusal(refused) from refused
    raise FoldersMovedError(f"the folders come and go: {fault}", "They are watched again when it is quiet.") from fault


def is_watchable(folder: str) -> bool:
    """Tells whether watchfiles can handle the name: it must be UTF-8."""
    try:
        folder.encode()
    except UnicodeEncodeError:
        return False
    return True


def build_refusal(refused: Exception) -> WatchRefusedError:
    words = str(refused)
    if "limit" in words or "os error 28" in words:
        hint = "Raise it with: sudo sysctl fs.inotify.max_user_watches=1048576"
    elif "os error 24" in words or "Too many open files" in words:
        hint = "Raise it with: sudo sysctl fs.inotify.max_user_instances=1024, or close programs that watch files."
    else:
        hint = "Is the repository on a network drive?"
    return WatchRefusedError(f"the folders cannot be watched: {words}", hint)


_MOST_EXTRAS = 4
"""A listener can't add folders; new ones get another listener until they are merged. The system allows 128."""


class WatchSet:
    """Absolute folders. A new listener starts before the old one is retired, so no event is lost."""

    def __init__(self, listen: Callable[[Iterable[str]], Listener]) -> None:
        self.folders: set[str] = set()
        self.unwatchable: set[str] = set()
        """Folders whose names watchfiles can't handle."""
        self._listen = listen
        self._listeners: list[Listener] = []

    @property
    def scattered(self) -> bool:
        """Whether there is more than one listener; each costs a little even when nothing happens."""
        return len(self._listeners) > 1

    def add(self, folders: Iterable[str]) -> None:
        """Watches more folders; known ones are watched again, as they may have been replaced."""
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
        """Forgets a folder and everything below it; tells whether it was known."""
        if folder not in self.folders and folder not in self.unwatchable:
            return False
        for known in (self.folders, self.unwatchable):
            known -= {name for name in known if name == folder or name.startswith(f"{folder}/")}
        return True

    def clear(self) -> None:
        """Stops watching."""
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


_MOST_NEW_FOLDERS = 16
_MOST_FOLDERS_BELOW = 500
_ROUNDS = 3


class WatchKeeper:
    """The watched folders of one repository. If a method returns False, only a full scan can tell what is missing."""

    def __init__(
        self,
        repository: Repository,
        named: tuple[str, ...],
        stop: threading.Event,
        tell: Callable[[set[Event]], None],
        tell_broken: Callable[[str], None],
        open_one: OpenNotify,
    ) -> None:
        self.pace = Pace()
        self.refused: WatchRefusedError | None = None
        """Why only the few folders that matter most are watched, if so."""
        self._repository = repository
        self._named = (*named, OWN_FOLDER)
        self._set = WatchSet(
            lambda folders: Listener(open_notify(folders, open_one), self.pace, stop, tell, tell_broken)
        )

    @property
    def complete(self) -> bool:
        """Whether every folder that is known can be watched."""
        return self.refused is None and not self._set.unwatchable

    @property
    def refused_for_now(self) -> bool:
        """Whether only a temporary condition prevented watching."""
        return isinstance(self.refused, FoldersMovedError)

    @property
    def scattered(self) -> bool:
        return self._set.scattered

    def watch(self, folders: Iterable[str]) -> bool:
        """Watches exactly these folders; returns False if nobody listened for a moment."""
        folders = set(folders)
        self.refused = None
        try:
            self._set.replace(folders)
        except WatchRefusedError:
            self._set.clear()  # old and new together may have been too many
        else:
            return True
        try:
            self._set.replace(folders)
        except WatchRefusedError as refused:
            self._refuse(refused)
        return False

    def merge(self) -> bool:
        """Merges all listeners into one."""
        return self.watch(self._set.folders | self._set.unwatchable)

    def clear(self) -> None:
        self._set.clear()

    def follow(self, found: Sorted) -> bool:
        """Forgets folders that are gone, and watches new ones."""
        appeared = [path for path in found.appeared if is_folder(path)]
        for folder in (*found.deleted, *appeared):
            self._set.forget(folder)
        if self.refused or not appeared:
            return True
        if len(appeared) > _MOST_NEW_FOLDERS:
            return False
        try:
            return self._extend(appeared)
        except WatchRefusedError as refused:
            self._refuse(refused)
        except HandoffError:  # git can't say what is ignored; the full scan says why
            pass
        return False

    def adjust(self, look: FullScan, *, quiet: bool) -> bool:
        """Watches what a full scan found; returns False if folders were added, where events may have been missed.

        Folders that the scan didn't find are dropped if it was `quiet` all the time.
        """
        if self.refused:
            return True
        missing = look.folders - self._set.folders - self._set.unwatchable
        if missing:
            try:
                self._set.add(missing)
            except WatchRefusedError as refused:
                self._refuse(refused)
            return False
        if look.complete and quiet and self._set.folders > look.folders:
            return self.watch(look.folders)
        return True

    def _extend(self, appeared: list[str]) -> bool:
        """Walks again each time after watching, until nothing new is found."""
        root = str(self._repository.root)
        tops = [path[len(root) + 1 :] for path in appeared if path.startswith(f"{root}/")]
        git = reopen(self._repository)
        for _ in range(_ROUNDS):
            walk = walk_folders(self._repository.root, git, tops, _MOST_FOLDERS_BELOW)
            found = {f"{root}/{folder}" for folder in walk.folders} | self._read_special()
            found -= self._set.folders | self._set.unwatchable
            if not walk.complete or not found:
                return walk.complete
            self._set.add(found)
        return False

    def _refuse(self, refused: WatchRefusedError) -> None:
        """Watches the few most important folders; the rest must be polled."""
        self.refused = refused
        self._set.clear()
        try:
            self._set.replace({str(self._repository.root)} | self._read_special())
        except WatchRefusedError:
            self._set.clear()

    def _read_special(self) -> frozenset[str]:
        """Returns git's folders, and those that are watched even if git ignores them."""
        root = self._repository.root
        named = frozenset(f"{root}/{folder}" for folder in read_named_folders(root, self._named))
        return named | read_git_folders(self._repository)
