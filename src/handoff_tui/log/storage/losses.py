"""Finds entries that a commit has but the work tree has not: deleted, changed in place, or renamed.

As `git diff --diff-filter=MDTX COMMIT -- .handoff-tui/log`, but without git's attributes and settings in between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from enum import StrEnum

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import GitError, HandoffError, StoredFileMissingError, UsageError
from handoff_tui.git.history.commits import read_blobs, read_trees, resolve_commits
from handoff_tui.git.objects.log_trees import parse_log_folder, parse_shard
from handoff_tui.git.repository import Repository
from handoff_tui.log.storage.blobs import ID_PREFIX, LOG_SUFFIX, MAX_ENTRY_BYTES, open_log_folder
from handoff_tui.system.files.addressed_files import AddressedFolder
from handoff_tui.system.files.reader import FileReader

_LOG_PATH = ".handoff-tui/log"
_MAX_TREE_BYTES = 16 * 1024 * 1024


class Fate(StrEnum):
    """What happened to an entry."""

    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"


class Loss(NamedTuple):
    """An entry that a commit has, but that is gone from the work tree or changed there."""

    identifier: str
    fate: Fate
    detail: str


def resolve_commit(repository: Repository, written: str) -> str:
    """Returns the commit that a person named; raises if there is none."""
    commit = resolve_commits(repository.git, [written])[written]
    if commit is None:
        raise UsageError(
            f"{written} names no commit here",
            "Is the clone shallow? `git fetch` brings the commit; a branch of a remote is called origin/<name>.",
        )
    return commit


def find_losses(repository: Repository, commit: str) -> tuple[Loss, ...]:
    """Finds every entry of a commit that the work tree lacks or has changed, in the order of their ids."""
    folder = open_log_folder(repository)
    blobs = _read_entry_blobs(repository, commit)
    failures = {
        digest: answer for digest, answer in folder.read_many(sorted(blobs)) if isinstance(answer, HandoffError)
    }
    entries = _read_true_entries(repository, {digest: blobs[digest] for digest in failures})
    elsewhere = _find_names(repository, folder, entries)
    return tuple(_describe(digest, failures[digest], elsewhere) for digest in sorted(entries))


def _read_entry_blobs(repository: Repository, commit: str) -> dict[str, str]:
    """Maps digest to blob for each file in the log of a commit that is named like an entry."""
    width = repository.id_width // 2
    log = read_trees(repository.git, [f"{commit}:{_LOG_PATH}"], _MAX_TREE_BYTES)[f"{commit}:{_LOG_PATH}"]
    if log is None:
        return {}
    shards = parse_log_folder(log, width).ours
    trees = read_trees(repository.git, sorted(set(shards.values())), _MAX_TREE_BYTES)
    blobs: dict[str, str] = {}
    for shard, tree in shards.items():
        content = trees[tree]
        if content is None:
            raise GitError(
                f"the folder {_LOG_PATH}/{shard} of {commit} is not in this clone",
                "Fetch the complete commit; without it there is nothing to compare with.",
            )
        blobs |= parse_shard(content, width, shard, LOG_SUFFIX).ours
    return blobs


def _read_true_entries(repository: Repository, blobs: dict[str, str]) -> frozenset[str]:
    """Keeps those whose content matched their name in the commit: removing what was never an entry is no loss."""
    contents = read_blobs(repository.git, sorted(set(blobs.values())), MAX_ENTRY_BYTES)
    return frozenset(
        digest
        for digest, blob in blobs.items()
        if (content := contents[blob]) is None or hashlib.sha256(content).hexdigest() == digest
    )


def _find_names(repository: Repository, folder: AddressedFolder, wanted: Iterable[str]) -> dict[str, str]:
    """Finds entries under wrong names in the log's folder: digest to path."""
    if not wanted:
        return {}
    found: dict[str, str] = {}
    for path in _list_false_names(folder):
        try:
            content = FileReader(repository.root, MAX_ENTRY_BYTES).read_bytes(path)
        except HandoffError:
            continue
        found[hashlib.sha256(content).hexdigest()] = path
    return found


def _list_false_names(folder: AddressedFolder) -> Iterator[str]:
    try:
        named, foreign = folder.list(), folder.list_foreign()
    except HandoffError:  # the folder is a link: there is nothing to find behind it
        return
    yield from foreign
    for digest, answer in folder.read_many(named):
        if isinstance(answer, HandoffError):
            yield folder.build_path(digest)


def _describe(digest: str, failure: HandoffError, elsewhere: dict[str, str]) -> Loss:
    identifier = ID_PREFIX + digest
    if digest in elsewhere:
        return Loss(identifier, Fate.RENAMED, f"it has another name here: {elsewhere[digest]}")
    if isinstance(failure, StoredFileMissingError):
        return Loss(identifier, Fate.DELETED, "it is no longer in the work tree")
    return Loss(identifier, Fate.MODIFIED, failure.message)
