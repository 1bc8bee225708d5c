"""What can be measured in a repository, read once and on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache, cached_property

from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import count_commits_since, is_cut_off, list_ref_ids, resolve_commits
from handoff_tui.git.objects.tree_reader import find_last_change, list_tree
from handoff_tui.git.session import session_of
from handoff_tui.handoffs.claims.path_finder import PathFinder, PathMatch
from handoff_tui.handoffs.reading.claim_words import find_commits, find_paths
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.reader import FileReader


class OldFiles:
    """The past of one repository, for all that measure in one run."""

    def __init__(self, git: Git) -> None:
        self._reader = session_of(git).read_objects()
        self.find_commit = cache(lambda path: find_last_change(git, path))
        self.is_cut_off = cache(lambda commit: is_cut_off(git, commit))

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """Content by object name; None if it is missing or too large."""
        return self._reader.read(name, max_bytes)


def build_hash(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def hash_file(reader: FileReader, path: str) -> str | None:
    """The hash of a file as it is; None if it is missing or must not be read."""
    try:
        return build_hash(reader.read_bytes(path))
    except (FileUnreadableError, UnsafePathError):
        return None


_PACKAGE = "PKG-"
_MANIFEST = compile_later(rf"(?:^|/){_PACKAGE}[^/]+/manifest\.json$")


class RepositoryEvidence:
    """Measurements of one repository at one moment.

    What costs a git process per claim is measured only if `deep`: for one handoff that is looked at, not for all.
    """

    def __init__(self, desk: Desk, *, deep: bool, old_files: OldFiles | None = None) -> None:
        self.deep = deep
        facts = desk.work_tree.facts
        self._git = desk.repository.git
        self._limit = desk.loaded.settings.limits.hash_bytes
        self._reader = FileReader(desk.repository.root, self._limit)
        self._work_tree = desk.work_tree
        self.finder = _build_finder(desk, self._reader)
        self.branch = facts.branch
        self.shallow = facts.shallow
        self.uncommitted = frozenset({*facts.changed, *facts.untracked})
        self._hashes: dict[str, str | None] = {}
        self._commits: dict[str, str | None] = {}
        self._later: dict[tuple[str, str], list[str]] = {}
        self.lag_of = cache(self._lag_of)
        self._old_files = old_files or OldFiles(self._git)
        self._commit_of = self._old_files.find_commit
        self._blob_hash = cache(self._hash_blob)
        self._count_at = cache(self._count_manifests)

    def move_on(self, desk: Desk, paths: frozenset[str]) -> None:
        """A moment later, when nothing has changed but the content of some files: whatever else was found stays."""
        facts = desk.work_tree.facts
        self._work_tree = desk.work_tree
        self.uncommitted = frozenset({*facts.changed, *facts.untracked})
        for path in paths:
            self._hashes.pop(path, None)

    def resolve_commits(self, names: Iterable[str]) -> None:
        """Looks up many commits in one go; `find_commit` then knows them."""
        unknown = [name for name in names if name not in self._commits]
        self._commits.update(resolve_commits(self._git, unknown))

    def note_later_change(self, path: str, before: str, handoff: str) -> None:
        """A handoff says that it found a file with this hash and changed it."""
        self._later.setdefault((path.rpartition("/")[2], before), []).append(handoff)

    def forget_later_changes(self) -> None:
        """Before the handoffs, which are not the same any more, are asked again."""
        self._later.clear()

    def find_later_change(self, path: str, before: str, handoff: str) -> str | None:
        """Another handoff that says so of a file of this name."""
        found = self._later.get((path.rpartition("/")[2], before), [])
        return next((other for other in found if other != handoff), None)

    def find_commit(self, name: str) -> str | None:
        if name not in self._commits:
            self.resolve_commits([name])
        return self._commits.get(name)

    def find(self, wanted: str, document: str) -> PathMatch:
        """The file a document means; one that git ignores is looked for on disk."""
        found = self.finder.find(wanted, document)
        if found.path is None and not found.candidates and self._reader.exists(wanted):
            return PathMatch(wanted)
        return found

    def has_branch(self, name: str) -> bool:
        return name in self._branches

    def find_cut_off(self, document: str) -> str | None:
        """The commit that only seems to have written a document: what lies before it, a shallow clone lacks."""
        commit = self._commit_of(document) if self.shallow and document not in self.uncommitted else None
        return commit[:SHORT_COMMIT] if commit is not None and self._old_files.is_cut_off(commit) else None

    def count_packages(self, document: str) -> tuple[int | None, str]:
        """Package manifests in the tree of the commit that holds the document, or now if it is not committed."""
        commit = None if document in self.uncommitted else self._commit_of(document)
        counted = self._count_at(commit)
        return counted or None, f"at {commit[:SHORT_COMMIT]}, when this was written" if commit else "in the work tree"

    def _count_manifests(self, commit: str | None) -> int:
        """In the tree of a commit, or now; where nothing has changed since HEAD, the index is its tree."""
        tree = self._work_tree
        paths: Iterable[str] = self.finder.paths
        if commit is not None and commit == tree.facts.head and not tree.facts.changed and not tree.facts.submodules:
            paths = tree.tracked
        elif commit is not None:
            paths = list_tree(self._git, commit)
        return sum(1 for path in paths if _PACKAGE in path and _MANIFEST.search(path))

    def hash_at_document(self, path: str, document: str) -> tuple[str | None, str]:
        """The hash a file had at the last commit of a document, and that commit; None if a shallow clone lacks it."""
        if self.find_cut_off(document) is not None:
            return None, ""
        commit = self._commit_of(document)
        return (self._blob_hash(f"{commit}:{path}"), commit[:SHORT_COMMIT]) if commit else (None, "")

    def hash_before_document(self, path: str, document: str) -> tuple[str | None, str]:
        """The hash a file had just before the last commit of a document; None if a shallow clone lacks it."""
        if self.find_cut_off(document) is not None:
            return None, ""
        commit = self._commit_of(document)
        if commit is None:
            return self._blob_hash(f"HEAD:{path}"), "HEAD"
        return self._blob_hash(f"{commit}^:{path}"), f"{commit[:SHORT_COMMIT]}^"

    def find_proof(self, text: str, document: str) -> str | None:
        """A commit or a file that a text names and that exists."""
        for commit in find_commits(text):
            if self.find_commit(commit):
                return commit
        for path in find_paths(text) or find_paths(" ".join(f"`{word.strip('.,;:()')}`" for word in text.split())):
            if self.find(path, document).path is not None:
                return path
        return None

    @cached_property
    def _branches(self) -> frozenset[str]:
        names = list_ref_ids(self._git, "refs/heads", "refs/remotes")
        return frozenset(name.removeprefix("refs/heads/").removeprefix("refs/remotes/") for name in names)

    def hash_now(self, path: str) -> str | None:
        """The hash of a file as it is; of one that a link leads to it is not kept, as it changes under another name."""
        if path in self._hashes:
            return self._hashes[path]
        found = hash_file(self._reader, path)
        if found is not None and not self._reader.is_linked(path):
            self._hashes[path] = found
        return found

    def is_in_history(self, commit: str) -> bool:
        """Whether HEAD descends from a commit; one question to git for all commits of an ordinary history."""
        history = session_of(self._git).read_history()
        return commit in history.parents or (not history.complete and self.lag_of(commit) is not None)

    def _lag_of(self, commit: str) -> int | None:
        if commit == self._work_tree.facts.head:
            return 0
        return count_commits_since(self._git, commit)

    def _hash_blob(self, name: str) -> str | None:
        content = self._old_files.read(name, self._limit)
        return None if content is None else build_hash(content)


def _build_finder(desk: Desk, reader: FileReader) -> PathFinder:
    gone = frozenset(path for path in desk.work_tree.facts.changed if not reader.exists(path))
    paths = desk.work_tree.paths
    return PathFinder(tuple(path for path in paths if path not in gone) if gone else paths)
