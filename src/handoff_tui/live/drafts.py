"""What the reviewer writes and marks before signing: visible at once, on disk soon after.

The state's drafts depend on what is stored and on the contents in view: a file that changed counts as unread again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from handoff_tui.core.classes import NamedTuple, replace
from handoff_tui.core.errors import DraftsUnkeptError, LogLockedError, StoreWriteError
from handoff_tui.decisions.drafts import StoredDrafts
from handoff_tui.handoffs.handoff import Document
from handoff_tui.live.state.app import AppState, Drafts, FilesView, OpenDocument
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.review_record import Comment
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.git_private_files import GitPrivateFolder
from handoff_tui.system.files.sealed_files import find_name, load_cache_secret, seal, unseal

_NAME = "drafts.json"
_DAMAGED = "drafts.damaged.json"
_LOCK_SECONDS = 5.0

DraftChange = Callable[[StoredDrafts], StoredDrafts]


class DraftStore:
    """The drafts of one repository, sealed: only what a person did in the app is theirs.

    Every change reads first, so what another app wrote stays.
    """

    def __init__(self, root: Path) -> None:
        self._folder = GitPrivateFolder(find_choices_folder(root), make_outer=True)
        self._name = find_name(find_choices_folder(root) / _NAME)

    def load(self) -> StoredDrafts:
        """Returns the stored drafts; empty if there is no file, it cannot be read, or the app didn't write it."""
        try:
            content = self._folder.read(_NAME)
        except StoreWriteError:
            return StoredDrafts()
        return (self._parse(content) if content is not None else None) or StoredDrafts()

    def change(self, change: DraftChange) -> StoredDrafts:
        """Returns the drafts after the change. A file that isn't ours is set aside first, so nothing in it is lost."""
        secret = load_cache_secret()
        if secret is None:
            raise DraftsUnkeptError(
                "your drafts aren't saved: they can't be sealed",
                "They stay here until you quit. Make your state folder writable.",
            )
        try:
            with LogLock(self._folder, _LOCK_SECONDS).hold():
                content = self._folder.read(_NAME)
                before = self._parse(content) if content is not None else StoredDrafts()
                if before is None and content is not None:
                    self._folder.write(_DAMAGED, content)
                known = before or StoredDrafts()
                after = change(known)
                if after != known or before is None:
                    self._folder.write(_NAME, seal(render_drafts(after), self._name, secret), lasting=False)
        except LogLockedError as busy:
            raise DraftsUnkeptError(
                "your drafts aren't saved: another handoff-tui is using their file",
                "They stay here until you quit. Close the other one.",
            ) from busy
        except StoreWriteError as refused:
            raise DraftsUnkeptError(
                f"your drafts aren't saved: {refused.message}", "They stay here until you quit."
            ) from refused
        return after

    def _parse(self, stored: bytes) -> StoredDrafts | None:
        content = unseal(stored, self._name, load_cache_secret())
        return None if content is None else parse_drafts(content)


def parse_drafts(content: bytes) -> StoredDrafts | None:
    """Parses the file; None if it is damaged or of another version."""
    try:
        return StoredDrafts.model_validate_json(content)
    except ValueError:
        return None


def render_drafts(drafts: StoredDrafts) -> bytes:
    value = drafts.model_dump(mode="json", exclude_defaults=True)
    return json.dumps({"schema_version": 1, **value}, ensure_ascii=True, indent=1, sort_keys=True).encode() + b"\n"


class _DraftJob(NamedTuple):
    """A change to store; without one, the stored drafts are read."""

    root: str
    change: DraftChange | None


class _Basis(NamedTuple):
    """What the drafts of a state depend on."""

    chosen: HandoffKey | None = None
    version: int = -1
    files: FilesView | None = None
    documents: tuple[Document, ...] = ()
    stored: StoredDrafts | None = None

    def is_same(self, other: _Basis) -> bool:
        """Compares by identity where comparing values would be slow."""
        return (self.chosen, self.version) == (other.chosen, other.version) and all(
            one is another for one, another in zip(self[2:], other[2:], strict=True)
        )


class DraftKeeper:
    """Changes drafts; every call returns at once, and a thread stores them. `derive` gives a state its drafts."""

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._stored: dict[str, StoredDrafts] = {}
        self._pending: list[_DraftJob] = []
        self._version = 0
        self._jobs: SimpleQueue[_DraftJob | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._last = (_Basis(), Drafts())
        store.derive = self.derive

    def open(self, key: HandoffKey | None) -> None:
        """Reads what another app may have stored for this handoff."""
        if key is not None:
            self._submit(_DraftJob(key.root, None))

    def refresh(self) -> None:
        """Reads again what is stored for the handoff in view."""
        self.open(self._store.state.chosen)

    def add_comment(self, comment: Comment) -> None:
        self._change(lambda stored, handoff: stored.add_comment(handoff, comment))

    def remove_comment(self, comment: Comment) -> None:
        self._change(lambda stored, handoff: stored.remove_comment(handoff, comment))

    def keep_reason(self, verb: str, text: str) -> None:
        self._change(lambda stored, handoff: stored.keep_reason(handoff, verb, text))

    def forget_signed(self, verb: str, comments: tuple[Comment, ...]) -> None:
        """Drops the reason and the comments that are in the log now."""
        self.keep_reason(verb, "")
        for comment in comments:
            self.remove_comment(comment)

    def mark_viewed(self, path: str, *, viewed: bool) -> None:
        """Marks the content in view as read, or unread; it counts until that file changes."""
        files = self._store.state.files.value
        change = next((one.change for one in files.files if one.change.path == path), None) if files else None
        if change is not None:
            self._change(lambda stored, _: stored.mark(change, viewed=viewed))

    def note_opened(self, view: OpenDocument) -> None:
        """Notes that a document was opened."""
        digest = view.document.sha256 if view.document is not None else None
        path = view.path
        if digest is not None and path not in self._store.state.drafts.opened:
            self._change(lambda stored, _: stored.note_opened(path, digest))

    def get_stored(self, root: str) -> StoredDrafts:
        """Returns all drafts of a repository, including those about to be stored."""
        with self._lock:
            return self._apply_pending(root, self._stored.get(root))

    def stop(self) -> None:
        """Returns when everything is stored."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()

    def is_idle(self) -> bool:
        with self._lock:
            return not self._pending

    def derive(self, state: AppState) -> AppState:
        """Returns the state with its drafts; the same state if nothing changed. Quick, and never waits."""
        with self._lock:
            root = state.chosen.root if state.chosen else None
            stored = self._stored.get(root or "")
            documents = state.item.reviewed.handoff.documents if state.item else ()
            basis = _Basis(state.chosen, self._version, state.files.value, documents, stored)
            if not self._last[0].is_same(basis):
                drafts = build_drafts(self._apply_pending(root, stored), state)
                self._last = (basis, drafts)
            drafts = self._last[1]
        return state if state.drafts is drafts or state.drafts == drafts else replace(state, drafts=drafts)

    def _apply_pending(self, root: str | None, stored: StoredDrafts | None) -> StoredDrafts:
        result = stored or StoredDrafts()
        for job in self._pending:
            if job.root == root and job.change is not None:
                result = job.change(result)
        return result

    def _change(self, change: Callable[[StoredDrafts, str], StoredDrafts]) -> None:
        chosen = self._store.state.chosen
        if chosen is not None:
            self._submit(_DraftJob(chosen.root, lambda stored: change(stored, chosen.handoff)))

    def _submit(self, job: _DraftJob) -> None:
        with self._lock:
            self._pending.append(job)
            self._version += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="drafts", daemon=True)
                self._thread.start()
        self._jobs.put(job)
        self._store.change(lambda state: state)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._do(job)
            except Exception as bug:  # noqa: BLE001 - the owner reports it, and the thread goes on
                self._store.on_bug(bug)

    def _do(self, job: _DraftJob) -> None:
        store = DraftStore(Path(job.root))
        try:
            stored = store.load() if job.change is None else store.change(job.change)
        except DraftsUnkeptError as refused:
            self._store.say(f"{refused.message}. {refused.hint}", "warning")
            with self._lock:
                stored = self._apply_one(job)
        with self._lock:
            known = self._stored.get(job.root)
            self._stored[job.root] = known if known is not None and known == stored else stored
            self._pending.remove(job)
            self._version += 1
        self._store.change(lambda state: state)

    def _apply_one(self, job: _DraftJob) -> StoredDrafts:
        """Applies a change that could not be stored."""
        known = self._stored.get(job.root) or StoredDrafts()
        return known if job.change is None else job.change(known)


def build_drafts(stored: StoredDrafts, state: AppState) -> Drafts:
    """Returns the drafts of the handoff in view that still fit its contents."""
    if state.chosen is None:
        return Drafts()
    own = stored.get(state.chosen.handoff)
    files = state.files.value.files if state.files.value else ()
    documents = state.item.reviewed.handoff.documents if state.item else ()
    return Drafts(
        comments=own.comments,
        viewed=frozenset(file.change.path for file in files if stored.is_viewed(file.change)),
        reasons=dict(own.reasons),
        opened=frozenset(one.path for one in documents if one.sha256 and stored.opened.get(one.path) == one.sha256),
    )
