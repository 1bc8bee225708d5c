"""The desk as of a commit: its files read from git, its settings those of that commit, its HEAD that commit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE, LoadedSettings, load_settings_with
from handoff_tui.core.errors import ConfigError, FileUnreadableError, UnsafePathError, UsageError
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git.history.commit_graph import GraphCommit, read_graph
from handoff_tui.git.history.commit_view import offer_commit_view
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.history.work_commits import find_ancestors
from handoff_tui.git.objects.tree_reader import TreeReader, TreeStore
from handoff_tui.git.repository import Repository, WorkTree
from handoff_tui.git.work_tree.listing import Tracked, leave_out_folder, sort_paths
from handoff_tui.handoffs.claims.evidence import Evidence
from handoff_tui.handoffs.claims.old_files import OldFiles
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.read_handoffs import RepositoryReading
from handoff_tui.handoffs.reading.format import RefFact, SourceFile
from handoff_tui.handoffs.reading.read import read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.own_folder import OWN_FOLDER

_NOTES = "refs/notes/"
_MOST_FILES = 5_000


class PastRepositories:
    """What commits of one repository share: objects of git, settings, and documents as they were parsed."""

    def __init__(self, repository: Repository) -> None:
        self.store = TreeStore(repository.git, repository.object_format)
        self._settings: dict[str | None, LoadedSettings] = {}
        self._files_by_content: OrderedDict[tuple[object, ...], SourceFile] = OrderedDict()

    def close(self) -> None:
        """Ends the git process that answers; it is started again when it is needed."""
        self.store.close()

    def load_settings(self, reader: TreeReader) -> LoadedSettings:
        """The settings of then; where they cannot be used, the usual ones for looking, and why."""
        key = reader.find_content(REPOSITORY_FILE)
        if key not in self._settings:
            self._settings[key] = _load_settings(reader)
        return self._settings[key]

    def find_file(self, key: tuple[object, ...], read: Callable[[], SourceFile]) -> SourceFile:
        """A file of this content, with everything that was parsed of it before."""
        file = self._files_by_content.get(key)
        if file is None:
            file = self._files_by_content[key] = read()
        self._files_by_content.move_to_end(key)
        while len(self._files_by_content) > _MOST_FILES:
            self._files_by_content.popitem(last=False)
        return file


@dataclass(frozen=True)
class PastRepository:
    """A desk whose work tree is the tree of a commit, clean. Reading it writes nothing and checks nothing out."""

    desk: Desk
    """As every use case takes it; its files must be read through `open_reader`, since the work tree has later ones."""
    commit: GraphCommit
    memory: PastRepositories

    @property
    def store(self) -> TreeStore:
        return self.memory.store

    def open_reader(self, max_bytes: int) -> TreeReader:
        return TreeReader.open(self.desk.repository.root, max_bytes, self.store, self.commit.tree)

    def read_document(self, path: str) -> bytes:
        """A file as it was; an error says why it cannot be read."""
        return self.open_reader(self.desk.loaded.settings.limits.file_bytes).read_bytes(path)

    @cached_property
    def reading(self) -> RepositoryReading:
        """Every handoff of then."""
        files = CommitFiles(self)
        return RepositoryReading(files, read_handoffs(files, FORMATS))

    def build_evidence(self, *, deep: bool) -> Evidence:
        return CommitEvidence(self, deep=deep)


class CommitFiles(RepositoryFiles):
    """What formats may read of a commit: its files, its history, and the refs that were possible then."""

    def __init__(self, past: PastRepository) -> None:
        settings = past.desk.loaded.settings
        super().__init__(past.desk.repository, past.desk.work_tree, settings)
        self._tree_reader = past.open_reader(settings.limits.file_bytes)
        self._reader = self._tree_reader
        self._memory = past.memory

    @cached_property
    def paths(self) -> tuple[str, ...]:
        return leave_out_folder(self._work_tree.paths, OWN_FOLDER)

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
        return self._memory.find_file(key, lambda: super(CommitFiles, self)._read(path))

    def refs(self) -> tuple[RefFact, ...]:
        return self._possible_refs

    @cached_property
    def _possible_refs(self) -> tuple[RefFact, ...]:
        """Refs are in no commit: of those that are there now, the ones that lead to a later commit are left out."""
        known = super().refs()
        behind = find_ancestors(self._repository.git, (ref.commit for ref in known))
        return tuple(ref for ref in known if ref.commit in behind or ref.name.startswith(_NOTES))


class CommitEvidence(Evidence):
    """Measurements at a commit."""

    def __init__(self, past: PastRepository, *, deep: bool, old_files: OldFiles | None = None) -> None:
        super().__init__(past.desk, deep=deep, old_files=old_files)
        self._reader = past.open_reader(past.desk.loaded.settings.limits.hash_bytes)


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

    def find_line(self, path: str) -> tuple[str, str] | None:  # noqa: ARG002 - there is no index of then
        return None


def open_repository_at(
    desk: Desk, commit: str | GraphCommit, memory: PastRepositories | None = None, loaded: LoadedSettings | None = None
) -> PastRepository:
    """The desk at a commit, named as git names commits. With `loaded`, these settings hold and not those of then.

    `memory` is one of this repository that is kept over several commits: what they share is read once.
    """
    repository = desk.repository
    found = commit if isinstance(commit, GraphCommit) else find_commit(desk, commit)
    memory = memory or PastRepositories(repository)
    reader = TreeReader.open(repository.root, MAX_BYTES, memory.store, found.tree)
    listing = memory.store.list_files(found.tree)
    facts = RepositoryFacts(
        root=str(repository.root),
        head=found.id,
        detached=True,
        shallow=repository.shallow,
        linked_worktree=repository.linked_worktree,
        object_format=repository.object_format,
        submodules=listing.submodules,
    )
    tracked = _TreePaths(listing.files, reader.find_blob)
    return PastRepository(
        Desk(
            offer_commit_view(repository, found.id),
            loaded or memory.load_settings(reader),
            WorkTree(facts, tracked, (), sort_paths(listing.files)),
        ),
        found,
        memory,
    )


def find_commit(desk: Desk, name: str) -> GraphCommit:
    """The commit that a person names."""
    git = desk.repository.git
    identifier = resolve_commits(git, [name]).get(name)
    if identifier is None:
        raise UsageError(f"{name!r} is no commit here", build_commit_hint(desk))
    return read_graph(git, identifier, "--max-count=1")[0]


def build_commit_hint(desk: Desk) -> str:
    if desk.repository.shallow:
        return "This clone is shallow, and may lack it: git fetch --unshallow. Else name a commit, branch or tag."
    return "Name a commit, branch or tag; one that was removed by a rewrite may be gone for good."


def _load_settings(reader: TreeReader) -> LoadedSettings:
    try:
        content = reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else None
        return load_settings_with(content)
    except (ConfigError, FileUnreadableError, UnsafePathError) as wrong:
        return replace(load_settings_with(None), refused=ConfigError(wrong.message, wrong.hint))
