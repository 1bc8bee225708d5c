"""What can be measured in a repository, read once and on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.globs import matches_glob
from handoff_tui.git.history.commit_changes import GONE, read_commit_changes
from handoff_tui.git.history.commits import count_commits_since, is_cut_off, list_ref_ids, resolve_commits
from handoff_tui.git.session import session_of
from handoff_tui.git.work_tree.listing import list_below
from handoff_tui.git.work_tree.unseen import find_ignored
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.claims.moments import Moment, PathVersion, WorkHistory
from handoff_tui.handoffs.claims.path_finder import PathFinder, PathMatch
from handoff_tui.handoffs.claims.test_runs import CountedRun, load_test_runs
from handoff_tui.handoffs.grammar.tokens import find_commits, find_paths
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.reader import FileReader

_ABOUT_FILES = frozenset(
    {ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED, ClaimKind.FILE_DELETED, ClaimKind.FILE_REFERENCED}
    | {ClaimKind.HASH, ClaimKind.HASH_BEFORE, ClaimKind.UNCOMMITTED}
)


def build_hash(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def hash_file(reader: FileReader, path: str) -> str | None:
    """The hash of a file as it is; None if it is missing or must not be read."""
    try:
        return build_hash(reader.read_bytes(path))
    except (FileUnreadableError, UnsafePathError):
        return None


def hash_uncommitted(session: Session) -> dict[str, str | None]:
    """The hash of each file that differs from HEAD; None of one that was deleted."""
    facts = session.work_tree.facts
    reader = FileReader(session.repository.root, session.loaded.settings.limits.hash_bytes)
    return {path: hash_file(reader, path) for path in (*facts.changed, *facts.untracked)}


_OWN_STATE = ".handoff-tui/"
_PACKAGE = "PKG-"
_NUMBERED_NAME = compile_later(r"\d[^/]*\.\w+$")
_MANIFEST = compile_later(rf"(?:^|/){_PACKAGE}[^/]+/manifest\.json$")


class PathThen(NamedTuple):
    """A path at the moment of a claim, and now."""

    path: str
    before: bool
    """Whether it was there before the commits that the claim speaks about."""
    then: bool
    now: bool
    changed: tuple[PathVersion, ...]
    """Its changes in those commits, or right after them."""
    edited: bool
    """Whether it has changes that aren't committed, and neither is the claim."""
    since: str
    """Which commit of which handoff changed it since; empty if none did."""


class RepositoryEvidence:
    """Measurements of one repository: what holds now, and what held when a claim was made."""

    def __init__(self, session: Session, reader: FileReader | None = None, *, counts_runs: bool = True) -> None:
        """`reader` reads the files if they are not those of the work tree.

        `counts_runs`: whether the test runs of this machine count.
        """
        facts = session.work_tree.facts
        self._root, self._counts_runs = session.repository.root, counts_runs
        self._git = session.repository.git
        self._limit = session.loaded.settings.limits.hash_bytes
        self._reader = reader or FileReader(session.repository.root, self._limit)
        self._work_tree = session.work_tree
        self.finder = _build_finder(session, self._reader)
        self.branch = facts.branch
        self.shallow = facts.shallow
        self.uncommitted = frozenset({*facts.changed, *facts.untracked})
        self._hashes: dict[str, str | None] = {}
        self._commits: dict[str, str | None] = {}
        self._later: dict[tuple[str, str], list[tuple[str, str]]] = {}
        self.lag_of = cache(self._lag_of)
        self._blob_hash = cache(self._hash_blob)
        self._count_packages = cache(self._count_packages_at)
        self._list_ignored = cache(self._list_ignored_in)
        self._texts: dict[str, list[str]] = {}
        self._present: dict[str, bool] = {}
        self._handoffs: tuple[Handoff, ...] = ()
        self._asked: frozenset[str] = frozenset()
        self._ignored: frozenset[str] = frozenset()

    def move_on(self, session: Session, paths: frozenset[str]) -> None:
        """A moment later, when nothing has changed but the content of some files: whatever else was found stays."""
        facts = session.work_tree.facts
        self._work_tree = session.work_tree
        self.uncommitted = frozenset({*facts.changed, *facts.untracked})
        self._present.clear()
        self._list_ignored.cache_clear()
        for path in paths:
            self._hashes.pop(path, None)
            self._texts.pop(path, None)
        self.history.forget(paths)

    def take_in(self, handoffs: Iterable[Handoff]) -> None:
        """Learns of all handoffs: their documents say where the work of one ends and that of the next begins."""
        self._handoffs = tuple(handoffs)
        if "history" in self.__dict__:
            self.history.take_in(self._handoffs)

    @cached_property
    def history(self) -> WorkHistory:
        commits = read_commit_changes(self._git, None, self._work_tree.facts.head or "HEAD")
        history = WorkHistory(commits, self._read_old)
        history.take_in(self._handoffs)
        return history

    def find_moment(self, claim: Claim) -> Moment:
        """The commits that a claim speaks about."""
        document, number = claim.where.path, claim.where.line
        if document not in self.uncommitted and len(self.history.list_versions(document)) <= 1:
            return self.history.find_moment(document, None, None)
        lines = self._read_lines(document) if number is not None else []
        line = lines[number - 1] if number is not None and number <= len(lines) else None
        changed = "\n".join(lines) if document in self.uncommitted else None
        return self.history.find_moment(document, line, changed)

    def find_then(self, claim: Claim, moment: Moment) -> PathThen | None:
        """The path that a claim means, as it was and is; None if no file of that name was ever here."""
        found = self._find_ever(claim.subject or "", claim.where.path, moment)
        return None if found is None else self.look_at(found, moment)

    def saw_change(self, claim: Claim, moment: Moment) -> bool:
        """Whether a commit that is here, and not only where a shallow clone begins, changed the path of a claim."""
        found = self.find_then(claim, moment)
        seen = found.changed if found is not None else ()
        return any(self.history.commits[one.position].parents for one in seen) or (found is not None and found.edited)

    def list_candidates(self, claim: Claim, moment: Moment) -> tuple[str, ...]:
        """The files that a claim may mean."""
        one = self._find_ever(claim.subject or "", claim.where.path, moment)
        return self.list_alike(claim) if one is None else (one,)

    def list_alike(self, claim: Claim) -> tuple[str, ...]:
        """The files of the name that a claim gives, if it can't be told which of them it means."""
        wanted, document = claim.subject or "", claim.where.path
        return self.find(wanted, document).candidates or self._ever.find(wanted, document).candidates

    def look_at(self, path: str, moment: Moment) -> PathThen:
        history, is_now = self.history, moment.commit is None
        here = self._is_here(path)
        then = here if is_now else history.is_there(path, moment.position)
        changed = history.list_meant(path, moment)
        if not changed and path.endswith("/"):
            changed = [
                one
                for other in list_below(history.sorted_paths, path.rstrip("/"))
                for one in history.list_between(other, moment.start, moment.position)
            ]
        later = history.list_between(path, moment.position, len(history.commits))
        return PathThen(
            path,
            moment.start >= 0 and history.is_there(path, moment.start),
            then,
            here,
            tuple(changed),
            is_now
            and (path in self.uncommitted or any(one.startswith(path.rstrip("/") + "/") for one in self.uncommitted)),
            self.describe_change(later[-1].position) if later else "a change that is not committed",
        )

    def find_next_change(self, path: str, position: int) -> str:
        """The first change of a path after a commit, in words."""
        later = self.history.list_between(path, position, len(self.history.commits))
        return self.describe_change(later[0].position) if later else "a change that is not committed"

    def find_test_runs(self, claim: Claim) -> tuple[CountedRun, ...]:
        """The newest run of each command on what a claim speaks about, whatever became of documents since."""
        runs = self._test_runs
        moment = self.find_moment(claim) if runs else None
        same = (one for one in runs if moment and self._is_same_work(one, moment))
        return tuple({one.command: one for one in same}.values())

    @cached_property
    def _test_runs(self) -> tuple[CountedRun, ...]:
        return load_test_runs(self._root) if self._counts_runs else ()

    def _is_same_work(self, run: CountedRun, moment: Moment) -> bool:
        position = self.history.positions.get(run.commit)
        if position is None:
            return False
        first, last = sorted((position, min(moment.position, len(self.history.commits) - 1)))
        between = {path for commit in self.history.commits[first + 1 : last + 1] for path in commit.paths}
        now = self.uncommitted if moment.commit is None else frozenset()
        documents = {document.path for handoff in self._handoffs for document in handoff.documents}
        return all(
            self._hash_at(path, position, run.uncommitted)
            == self._hash_at(path, last, {one: self.hash_now(one) for one in now & {path}})
            for path in {*between, *now, *run.uncommitted} - documents
            if not path.startswith(_OWN_STATE)
        )

    def _hash_at(self, path: str, position: int, uncommitted: Mapping[str, str | None]) -> str | None:
        """The hash of a path at a commit, or of what differed from it."""
        if path in uncommitted:
            return uncommitted[path]
        version = self.history.find_version(path, position)
        return None if version is None or version.change.removed else self._blob_hash(version.change.blob)

    def list_uncommitted_work(self) -> list[str]:
        """The uncommitted files that aren't documents of handoffs."""
        documents = {document.path for handoff in self._handoffs for document in handoff.documents}
        return sorted(path for path in self.uncommitted - documents if not path.startswith(_OWN_STATE))

    def describe_change(self, position: int) -> str:
        """`1a2b3c4 of H-4`."""
        handoff = self.history.find_handoff(position)
        return self.history.commits[position].id[:SHORT_COMMIT] + (f" of {handoff}" if handoff else "")

    def is_ignored(self, path: str) -> bool:
        """Whether git ignores a path that isn't there: it may well have been. One question for all that are claimed."""
        if not self._asked:
            claims = (claim for handoff in self._handoffs for claim in handoff.claims)
            self._ask_ignored(claim.subject for claim in claims if claim.subject and claim.kind in _ABOUT_FILES)
        if path not in self._asked:
            self._ask_ignored([path])
        return path in self._ignored

    def _ask_ignored(self, paths: Iterable[str]) -> None:
        wanted = {path for path in paths if not path.startswith("../")}
        self._asked |= wanted
        self._ignored |= find_ignored(self._git, sorted(filter(self._may_be_ignored, wanted)))

    def _may_be_ignored(self, path: str) -> bool:
        """A cheap look before git is asked: some line of a .gitignore above the path fits one of its parts."""
        parts = path.rstrip("/").split("/")
        folders = ["/".join([*parts[:number], ".gitignore"]) for number in range(len(parts))]
        return any(
            matches_glob(part, name) for folder in folders for name in self._list_ignored(folder) for part in parts
        )

    def _list_ignored_in(self, path: str) -> frozenset[str]:
        """The names, or patterns of names, in a .gitignore."""
        lines = (line.strip().rstrip("/") for line in self._read_lines(path))
        return frozenset(line.rpartition("/")[2] for line in lines if line and not line.startswith(("#", "!")))

    def is_submodule(self, path: str) -> bool:
        """Whether a path lies in a submodule."""
        return any(path.startswith(f"{one}/") for one in self._work_tree.facts.submodules)

    def is_ref(self, name: str) -> bool:
        """Whether a word is a branch, a remote branch or a tag."""
        return name in self._branches or name in self._tags

    def _find_ever(self, wanted: str, document: str, moment: Moment) -> str | None:
        found = self.find(wanted, document)
        if found.path is not None:
            # the file of exactly this name, if it was here then; not one that only ends so
            is_moved = found.path != wanted and (
                self.history.is_there(wanted, moment.position) or bool(self.history.list_meant(wanted, moment))
            )
            return wanted if is_moved else found.path
        past = self._ever.find(wanted, document)
        there = [path for path in (found.candidates or past.candidates) if self.history.is_there(path, moment.position)]
        return past.path or (there[0] if len(there) == 1 else None)

    @cached_property
    def _ever(self) -> PathFinder:
        """Every path that is or was here."""
        gone = self.history.paths - set(self.finder.paths)
        return PathFinder.over(self.finder.paths, sorted(gone)) if gone else self.finder

    def _is_here(self, path: str) -> bool:
        return self.finder.find(path, "").path == path or self._exists(path)

    def _read_lines(self, document: str) -> list[str]:
        if document not in self._texts:
            try:
                text = self._reader.read_bytes(document).decode("utf-8", "replace")
            except (FileUnreadableError, UnsafePathError):
                text = ""
            self._texts[document] = text.split("\n")
        return self._texts[document]

    def resolve_commits(self, names: Iterable[str]) -> None:
        """Looks up many commits in one go; `find_commit` then knows them."""
        unknown = [name for name in names if name not in self._commits]
        self._commits.update(resolve_commits(self._git, unknown))

    def note_later_change(self, path: str, before: str, handoff: str, document: str) -> None:
        """A document of a handoff says that it found a file with this hash and changed it."""
        self._later.setdefault((path.rpartition("/")[2], before), []).append((handoff, document))

    def forget_later_changes(self) -> None:
        """Before the handoffs, which are not the same any more, are asked again."""
        self._later.clear()

    def find_later_change(self, path: str, before: str, document: str) -> str | None:
        """The handoff of another document that says so of a file of this name."""
        found = self._later.get((path.rpartition("/")[2], before), [])
        return next((handoff for handoff, other in found if other != document), None)

    def find_commit(self, name: str) -> str | None:
        if name not in self._commits:
            self.resolve_commits([name])
        return self._commits.get(name)

    def find(self, wanted: str, document: str) -> PathMatch:
        """The file a document means; one that git ignores is looked for on disk."""
        found = self.finder.find(wanted, document)
        if found.path is not None or found.candidates:
            return found
        if self._exists(wanted):
            return PathMatch(wanted)
        is_itself = _NUMBERED_NAME.search(wanted) is not None and document.endswith(f"/{wanted.rpartition('/')[2]}")
        return PathMatch(document) if is_itself else found  # it was written in another folder, and moved

    def _exists(self, path: str) -> bool:
        """Asks the disk once: documents name the same missing file again and again."""
        if path not in self._present:
            self._present[path] = self._reader.exists(path)
        return self._present[path]

    def has_branch(self, name: str) -> bool:
        return name in self._branches

    def find_cut_off(self, moment: Moment) -> str | None:
        """Where a shallow clone begins, if what a claim speaks about may lie before that."""
        if not self.shallow or not self.history.commits:
            return None
        first = self.history.commits[max(moment.start, 0)]
        return first.id[:SHORT_COMMIT] if moment.start < 0 or is_cut_off(self._git, first.id) else None

    def count_packages(self, moment: Moment) -> int:
        """Package manifests at the moment of a claim."""
        return self._count_packages(None if moment.commit is None else moment.position)

    def _count_packages_at(self, position: int | None) -> int:
        paths = self.finder.paths if position is None else self.history.paths
        manifests = (path for path in paths if _PACKAGE in path and _MANIFEST.search(path))
        return sum(1 for path in manifests if position is None or self.history.is_there(path, position))

    def hash_versions(self, path: str, moment: Moment) -> Iterator[tuple[str | None, int]]:
        """The hashes of a path at the end of the commits that a claim speaks about, and after each change in them."""
        history = self.history
        last = history.find_version(path, moment.position)
        nearby = history.list_meant(path, moment)
        for one in dict.fromkeys([*([last] if last else []), *reversed(nearby)]):
            if not one.change.removed:
                yield self._blob_hash(one.change.blob), one.position

    def hash_before(self, path: str, moment: Moment) -> Iterator[tuple[str | None, str]]:
        """The hashes of a path before each change in the commits that a claim speaks about, and before an edit now."""
        commits = self.history.commits
        if moment.commit is None and (last := self.history.find_version(path, moment.position)) is not None:
            yield self._blob_hash(last.change.blob), f"at {commits[last.position].id[:SHORT_COMMIT]}"
        for one in reversed(self.history.list_between(path, moment.start, moment.position)):
            if one.change.mode_before != GONE:
                yield self._blob_hash(one.change.before), f"before {commits[one.position].id[:SHORT_COMMIT]}"

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
        """Local branches, and those of remotes with and without the name of the remote."""
        names = list_ref_ids(self._git, "refs/heads", "refs/remotes")
        local = {name.removeprefix("refs/heads/") for name in names if name.startswith("refs/heads/")}
        remote = {name.removeprefix("refs/remotes/") for name in names if name.startswith("refs/remotes/")}
        return frozenset(local | remote | {name.partition("/")[2] for name in remote})

    @cached_property
    def _tags(self) -> frozenset[str]:
        return frozenset(name.removeprefix("refs/tags/") for name in list_ref_ids(self._git, "refs/tags"))

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

    def _read_old(self, blob: str) -> bytes | None:
        """Content by its id; None if it is missing or too large."""
        return session_of(self._git).read_objects().read(blob, self._limit)

    def _hash_blob(self, name: str) -> str | None:
        content = self._read_old(name)
        return None if content is None else build_hash(content)


def _build_finder(session: Session, reader: FileReader) -> PathFinder:
    gone = frozenset(path for path in session.work_tree.facts.changed if not reader.exists(path))
    paths = session.work_tree.paths
    return PathFinder(tuple(path for path in paths if path not in gone) if gone else paths)
