"""The repository as of a commit: its files read from git, its settings and HEAD those of that commit.

Time travel, bisect, replay and the failure explorer all look at the past through `PastRepositories`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property

from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE, LoadedSettings, load_settings_with
from handoff_tui.core.errors import ConfigError, FileUnreadableError, UnsafePathError, UsageError
from handoff_tui.core.model import dataclass, replace
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git.history.commit_graph import GraphCommit, read_graph
from handoff_tui.git.history.commits import Ref, resolve_commits
from handoff_tui.git.history.work_commits import find_ancestors
from handoff_tui.git.objects.tree_reader import TreeReader, TreeStore
from handoff_tui.git.repository import WorkTree
from handoff_tui.git.work_tree.listing import Tracked, leave_out_own, sort_paths
from handoff_tui.git.work_tree.trial_tree import offer_commit_view
from handoff_tui.handoffs.claims.evidence import OldFiles, RepositoryEvidence
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.read_handoffs import RepositoryReading
from handoff_tui.handoffs.reading.format import SourceFile
from handoff_tui.handoffs.reading.read import read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import Session

_NOTES = "refs/notes/"
_MOST_FILES = 5_000
_MOST_OPEN = 8


class PastRepositories:
    """Opens a repository as of any commit. What commits share is read once, and the last few stay open.

    With `loaded`, those settings apply to every commit instead of its own. Not thread-safe.
    """

    def __init__(self, session: Session, loaded: LoadedSettings | None = None) -> None:
        self.session = session
        self.store = TreeStore(session.repository.git, session.repository.object_format)
        self._loaded = loaded
        self._open: OrderedDict[str, PastRepository] = OrderedDict()
        self._settings: dict[str | None, LoadedSettings] = {}
        self._files_by_content: OrderedDict[tuple[object, ...], SourceFile] = OrderedDict()

    def close(self) -> None:
        """Ends the git process that reads objects; it is started again when needed."""
        self.store.close()

    def open(self, commit: str | GraphCommit) -> PastRepository:
        """The repository as of a commit, named in any way git knows."""
        name = commit if isinstance(commit, str) else commit.id
        known = self._open.get(name)
        if known is None:
            found = find_commit(self.session, commit) if isinstance(commit, str) else commit
            known = self._open[found.id] = self._build(found)
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        return known

    def read_configuration(self, commit: str) -> bytes | None:
        """The repository's settings file as of a commit; None if there was none."""
        reader = self._open_reader(find_commit(self.session, commit).tree)
        return reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else None

    def find_file(self, key: tuple[object, ...], read: Callable[[], SourceFile]) -> SourceFile:
        """A file of this content, with everything that was parsed of it before."""
        file = self._files_by_content.get(key)
        if file is None:
            file = self._files_by_content[key] = read()
        self._files_by_content.move_to_end(key)
        while len(self._files_by_content) > _MOST_FILES:
            self._files_by_content.popitem(last=False)
        return file

    def _build(self, commit: GraphCommit) -> PastRepository:
        repository = self.session.repository
        reader = self._open_reader(commit.tree)
        listing = self.store.list_files(commit.tree)
        facts = RepositoryFacts(
            root=str(repository.root),
            head=commit.id,
            detached=True,
            shallow=repository.shallow,
            linked_worktree=repository.linked_worktree,
            object_format=repository.object_format,
            submodules=listing.submodules,
        )
        tracked = _TreePaths(listing.files, reader.find_blob)
        session = Session(
            offer_commit_view(repository, commit.id),
            self._loaded or self._load_settings(reader),
            WorkTree(facts, tracked, (), sort_paths(listing.files)),
        )
        return PastRepository(session, commit, self)

    def _open_reader(self, tree: str) -> TreeReader:
        return TreeReader.open(self.session.repository.root, MAX_BYTES, self.store, tree)

    def _load_settings(self, reader: TreeReader) -> LoadedSettings:
        """The settings as of the commit. If they can't be used: the defaults, for looking only, and why."""
        key = reader.find_content(REPOSITORY_FILE)
        if key not in self._settings:
            try:
                content = reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else None
                self._settings[key] = load_settings_with(content)
            except (ConfigError, FileUnreadableError, UnsafePathError) as wrong:
                refused = ConfigError(wrong.message, wrong.hint)
                self._settings[key] = replace(load_settings_with(None), refused=refused)
        return self._settings[key]


@dataclass(frozen=True)
class PastRepository:
    """A repository whose work tree is the tree of a commit, clean. Nothing is written or checked out."""

    session: Session
    """As every use case takes it. Read its files through `open_reader`: the work tree on disk has later ones."""
    commit: GraphCommit
    shared: PastRepositories

    @property
    def store(self) -> TreeStore:
        return self.shared.store

    def open_reader(self, max_bytes: int) -> TreeReader:
        return TreeReader.open(self.session.repository.root, max_bytes, self.store, self.commit.tree)

    def read_document(self, path: str) -> bytes:
        """A file as it was; the error says why it can't be read."""
        return self.open_reader(self.session.loaded.settings.limits.file_bytes).read_bytes(path)

    @cached_property
    def reading(self) -> RepositoryReading:
        """Every handoff as of the commit."""
        files = CommitFiles(self)
        return RepositoryReading(files, read_handoffs(files, FORMATS))

    def build_evidence(self) -> RepositoryEvidence:
        return CommitEvidence(self)


class CommitFiles(RepositoryFiles):
    """What formats may read of a commit: its files, its history, and the refs that could have existed."""

    def __init__(self, past: PastRepository) -> None:
        settings = past.session.loaded.settings
        super().__init__(past.session.repository, past.session.work_tree, settings)
        self._tree_reader = past.open_reader(settings.limits.file_bytes)
        self._reader = self._tree_reader
        self._shared = past.shared

    @cached_property
    def paths(self) -> tuple[str, ...]:
        return leave_out_own(self._work_tree.paths)

    def size(self, path: str) -> int | None:
        if path not in self._sizes:
            try:
                self._sizes[path] = len(self._reader.read_bytes(path))
            except (FileUnreadableError, UnsafePathError):
                self._sizes[path] = None
        return self._sizes[path]

    def _read(self, path: str) -> SourceFile:
        content = self._tree_reader.find_content(path)
        if content is None:
            return super()._read(path)
        limits = self.settings.limits
        key = (path, content, limits.file_bytes, limits.markdown_bytes)
        return self._shared.find_file(key, lambda: super(CommitFiles, self)._read(path))

    def refs(self) -> tuple[Ref, ...]:
        return self._possible_refs

    @cached_property
    def _possible_refs(self) -> tuple[Ref, ...]:
        """No commit holds refs. Of the refs there are now, those that point to a later commit are left out."""
        known = super().refs()
        behind = find_ancestors(self._repository.git, (ref.commit for ref in known))
        return tuple(ref for ref in known if ref.commit in behind or ref.name.startswith(_NOTES))


class CommitEvidence(RepositoryEvidence):
    """Measurements at a commit."""

    def __init__(self, past: PastRepository, *, old_files: OldFiles | None = None) -> None:
        super().__init__(past.session, old_files=old_files)
        self._reader = past.open_reader(past.session.loaded.settings.limits.hash_bytes)


class _TreePaths(Tracked):
    """The paths of a tree, each with the id of its content."""

    def __init__(self, paths: tuple[str, ...], find_blob: Callable[[str], str | None]) -> None:
        super().__init__(list(paths), "", {})
        self._find_blob = find_blob

    def __getitem__(self, path: str) -> str:
        found = self._find_blob(path)
        if found is None:
            raise KeyError(path)
        return found

    def find_line(self, path: str) -> tuple[str, str] | None:  # noqa: ARG002 - a past commit has no index
        return None


def find_commit(session: Session, name: str) -> GraphCommit:
    """The commit a person named."""
    git = session.repository.git
    identifier = resolve_commits(git, [name]).get(name)
    if identifier is None:
        raise UsageError(f"{name!r} is not a commit here", build_commit_hint(session))
    return read_graph(git, identifier, "--max-count=1")[0]


def build_commit_hint(session: Session) -> str:
    if session.repository.shallow:
        return (
            "This clone is shallow and may lack it: run `git fetch --unshallow`, or name another commit, branch or tag."
        )
    return "Name a commit, branch or tag. A commit removed by a rewrite may be gone for good."
