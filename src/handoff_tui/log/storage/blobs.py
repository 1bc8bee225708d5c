"""Reads entries as bytes, from the work tree and from all local and remote-tracking branches.

Names first, contents on demand: an entry whose bytes were checked before need not be read again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError, StoredFileDamagedError
from handoff_tui.git.history.commits import list_ref_ids, read_blobs, read_trees
from handoff_tui.git.objects.log_trees import LogFolder, parse_log_folder, parse_shard
from handoff_tui.git.objects.reader import matches_id
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.addressed_files import AddressedFolder, ListedFolder
from handoff_tui.system.files.atomic_write import SYSTEM, Calls
from handoff_tui.system.files.noted import note
from handoff_tui.system.files.own_folder import OWN_FOLDER

LOG_FOLDER = "log"
LOG_SUFFIX = ".intoto.jsonl"
MAX_ENTRY_BYTES = 256 * 1024
ID_PREFIX = "sha256:"
WORK_TREE = "work tree"
_LOG_PATH = f"{OWN_FOLDER}/{LOG_FOLDER}"
_MAX_TREE_BYTES = 16 * 1024 * 1024


def read_log_mark(root: Path) -> str:
    """Returns something cheap that changes whenever the log in the work tree does, without opening a file."""
    place = root / OWN_FOLDER / "log"
    note(place)
    try:
        with os.scandir(place) as entries:
            stamps = sorted((entry.name, entry.stat(follow_symlinks=False).st_mtime_ns) for entry in entries)
    except OSError:
        return ""
    return hashlib.sha256(repr(stamps).encode("utf-8", "surrogateescape")).hexdigest()


class Unsuitable(NamedTuple):
    """A file in the log's folder that is not an entry, or does not match its name."""

    path: str
    where: str
    """`work tree`, or the name of a ref."""
    reason: str


class LogContents(NamedTuple):
    """Entries by id, each with exactly the bytes that its id is the hash of."""

    contents: dict[str, bytes]
    unsuitable: tuple[Unsuitable, ...]


class Branches(NamedTuple):
    """The entries on branches."""

    refs: dict[str, str]
    shards_of: dict[str, dict[str, str]]
    """Ref to its shards, each with its tree id."""
    shelves: dict[tuple[str, str], LogFolder]
    """By tree id and name of the shard."""
    blobs: dict[str, tuple[str, ...]]
    """Entry id to the blobs under its name; if there is more than one, some are false."""
    unsuitable: tuple[Unsuitable, ...]


_NO_BRANCHES = Branches({}, {}, {}, {}, ())


class LogListing(NamedTuple):
    """Which entries there are, judged by name alone."""

    ids: tuple[str, ...]
    """All of them, sorted."""
    present: frozenset[str]
    """The same."""
    work_tree: frozenset[str]
    branches: Branches
    unsuitable: tuple[Unsuitable, ...]

    def find_places(self, identifier: str) -> tuple[str, ...]:
        """Says where an entry was found: the work tree, and refs in order."""
        here = (WORK_TREE,) if identifier in self.work_tree else ()
        return (*here, *self.find_refs(identifier))

    def find_refs(self, identifier: str, blob: str | None = None) -> Iterator[str]:
        """Finds the refs that have an entry, or have it as this blob."""
        digest = identifier.removeprefix(ID_PREFIX)
        for ref, shards in self.branches.shards_of.items():
            shelf = self.branches.shelves.get((shards.get(digest[:2], ""), digest[:2]))
            held = shelf.ours.get(digest) if shelf is not None else None
            if held is not None and blob in {None, held}:
                yield ref


class LogBlobs:
    """The log of one repository. If kept, it reads only shards and branches that changed."""

    def __init__(self, repository: Repository, calls: Calls = SYSTEM) -> None:
        self._git = repository.git
        self._id_bytes = repository.id_width // 2
        self._logs: dict[str, LogFolder | None] = {}
        self._shelves: dict[tuple[str, str], LogFolder] = {}
        self._branches: Branches | None = None
        self._seen: tuple[list[tuple[str, ...]], Branches, list[Unsuitable]] | None = None
        self._listing = LogListing((), frozenset(), frozenset(), _NO_BRANCHES, ())
        self._named: dict[int, tuple[ListedFolder, tuple[str, ...]]] = {}
        self.folder = open_log_folder(repository, calls)

    def read_listing(self) -> LogListing:
        """Lists all entries, and what else is in the log's folder. If nothing changed, it is the same object again."""
        shards, unsuitable = self._list_work_tree()
        branches = self._list_branches()
        seen = (shards, branches, unsuitable)
        if self._seen != seen:
            here = tuple(chain.from_iterable(shards))
            work_tree = frozenset(here)
            elsewhere = branches.blobs.keys() - work_tree
            ids = tuple(sorted([*here, *elsewhere])) if elsewhere else here
            present = work_tree.union(elsewhere) if elsewhere else work_tree
            self._listing = LogListing(ids, present, work_tree, branches, (*unsuitable, *branches.unsuitable))
            self._seen = seen
        return self._listing

    def read_stamps(self, listing: LogListing, identifiers: Iterable[str]) -> dict[str, str]:
        """Returns a stamp per entry that stays the same while all its copies do; none if that cannot be told."""
        wanted = sorted(set(identifiers))
        here = (one.removeprefix(ID_PREFIX) for one in wanted if one in listing.work_tree)
        files = {ID_PREFIX + digest: stamp for digest, stamp in self.folder.stamp_many(here)}
        blobs = listing.branches.blobs
        return {one: f"{files.get(one, '')}/{'+'.join(blobs.get(one, ()))}" for one in wanted if files.get(one, "/")}

    def read_contents(self, listing: LogListing, identifiers: Iterable[str]) -> LogContents:
        """Reads some entries of a listing. It looks at every copy: names a false one, uses a true one."""
        wanted = sorted(set(identifiers))
        contents, unsuitable = self._read_work_tree([one for one in wanted if one in listing.work_tree])
        needed: dict[str, list[str]] = {}
        for identifier in wanted:
            for blob in listing.branches.blobs.get(identifier, ()):
                if identifier not in contents or not matches_id(blob, b"blob", contents[identifier]):
                    needed.setdefault(blob, []).append(identifier)
        for blob, content in read_blobs(self._git, list(needed), MAX_ENTRY_BYTES).items():
            for identifier in needed[blob]:
                reason = _find_fault(identifier, content)
                if content is not None and reason is None:
                    contents[identifier] = content
                    continue
                path = self.folder.build_path(identifier.removeprefix(ID_PREFIX))
                unsuitable.extend(Unsuitable(path, ref, reason or "") for ref in listing.find_refs(identifier, blob))
        return LogContents(contents, tuple(unsuitable))

    def _list_work_tree(self) -> tuple[list[tuple[str, ...]], list[Unsuitable]]:
        """Lists the entries of each shard in order, and what else is there."""
        try:
            found = self.folder.walk()
        except StoredFileDamagedError as linked:
            return [], [Unsuitable(_LOG_PATH, WORK_TREE, linked.message)]
        # an unchanged shard is the same object as before and keeps its ids
        self._named = {id(one): self._named.get(id(one)) or (one, _build_ids(one.digests)) for one in found}
        shards = [self._named[id(one)][1] for one in found]
        return shards, [Unsuitable(path, WORK_TREE, reason) for one in found for path, reason in one.foreign]

    def _list_branches(self) -> Branches:
        refs = self._list_refs()
        if self._branches is None or self._branches.refs != refs:
            self._branches = self._read_branches(refs)
        return self._branches

    def _read_branches(self, refs: dict[str, str]) -> Branches:
        self._load_logs(set(refs.values()))
        logs = {ref: log for ref, commit in refs.items() if (log := self._logs[commit]) is not None}
        unsuitable = [
            Unsuitable(f"{_LOG_PATH}/{name}", ref, reason) for ref, log in logs.items() for name, reason in log.foreign
        ]
        owners = {(tree, shard): ref for ref, log in logs.items() for shard, tree in log.ours.items()}
        self._load_shards(set(owners))
        blobs: dict[str, tuple[str, ...]] = {}
        for (tree, shard), ref in sorted(owners.items()):
            shelf = self._shelves[tree, shard]
            for digest, blob in shelf.ours.items():
                held = blobs.get(ID_PREFIX + digest, ())
                if blob not in held:
                    blobs[ID_PREFIX + digest] = (*held, blob)
            unsuitable.extend(Unsuitable(f"{_LOG_PATH}/{shard}/{name}", ref, why) for name, why in shelf.foreign)
        shards_of = {ref: log.ours for ref, log in logs.items()}
        return Branches(refs, shards_of, dict(self._shelves), blobs, tuple(unsuitable))

    def _list_refs(self) -> dict[str, str]:
        """The branches: at first as the session knows them, later as they are then."""
        return list_ref_ids(self._git, "refs/heads", "refs/remotes", fresh=self._branches is not None)

    def _load_logs(self, commits: set[str]) -> None:
        missing = sorted(commits - self._logs.keys())
        names = {f"{commit}:{_LOG_PATH}": commit for commit in missing}
        for name, content in read_trees(self._git, list(names), _MAX_TREE_BYTES).items():
            self._logs[names[name]] = None if content is None else parse_log_folder(content, self._id_bytes)

    def _load_shards(self, owned: set[tuple[str, str]]) -> None:
        missing = sorted(owned - self._shelves.keys())
        contents = read_trees(self._git, [tree for tree, _ in missing], _MAX_TREE_BYTES)
        for tree, shard in missing:
            content = contents[tree]
            if content is None:
                self._shelves[tree, shard] = LogFolder({}, (("", "this folder cannot be read from the repository"),))
            else:
                self._shelves[tree, shard] = parse_shard(content, self._id_bytes, shard, LOG_SUFFIX)

    def _read_work_tree(self, identifiers: list[str]) -> tuple[dict[str, bytes], list[Unsuitable]]:
        contents: dict[str, bytes] = {}
        unsuitable: list[Unsuitable] = []
        for digest, answer in self.folder.read_many(one.removeprefix(ID_PREFIX) for one in identifiers):
            if isinstance(answer, HandoffError):
                unsuitable.append(Unsuitable(self.folder.build_path(digest), WORK_TREE, answer.message))
            else:
                contents[ID_PREFIX + digest] = answer
        return contents, unsuitable


def open_log_folder(repository: Repository, calls: Calls = SYSTEM) -> AddressedFolder:
    """Opens the folder where the entries of a work tree are, and new ones are written."""
    return AddressedFolder(
        repository.root, LOG_FOLDER, LOG_SUFFIX, sharded=True, max_bytes=MAX_ENTRY_BYTES, calls=calls
    )


def _build_ids(digests: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(ID_PREFIX + digest for digest in digests)


def _find_fault(identifier: str, content: bytes | None) -> str | None:
    if content is None:
        return f"it is missing from this clone, or larger than {MAX_ENTRY_BYTES:,} bytes"
    if ID_PREFIX + hashlib.sha256(content).hexdigest() != identifier:
        return "its content does not match its name"
    return None
