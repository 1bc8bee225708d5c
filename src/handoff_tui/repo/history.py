"""Commits, refs, notes and old file contents, read through the one door."""

from __future__ import annotations

import os
from dataclasses import dataclass

from handoff_tui.errors import GitError
from handoff_tui.repo.git import Git

_COMMIT_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%cn%x00%ce%x00%aI%x00%s%x00%B%x00"
_COMMIT_FIELDS = 9


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, with its message whole. `body` includes the subject."""

    id: str
    parents: tuple[str, ...]
    author: str
    author_email: str
    committer: str
    committer_email: str
    date: str
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Ref:
    """A ref and what it points to; `commit` is the peeled target of an annotated tag."""

    name: str
    target: str
    kind: str
    commit: str
    subject: str


def read_commits(git: Git, limit: int, paths: tuple[str, ...] = ()) -> list[Commit]:
    """The newest commits reachable from HEAD, newest first; none on an unborn branch."""
    scope = ("--", *paths) if paths else ()
    answer = git.run("log", "-z", f"--max-count={limit}", f"--format={_COMMIT_FORMAT}", *scope)
    if not answer.ok:
        return []
    fields = os.fsdecode(answer.stdout).split("\0")
    # `-z` adds a NUL between commits, so each commit is nine fields and one empty one
    return [
        _build_commit(fields[start : start + _COMMIT_FIELDS])
        for start in range(0, len(fields) - _COMMIT_FIELDS, _COMMIT_FIELDS + 1)
    ]


def read_refs(git: Git, *patterns: str) -> list[Ref]:
    """Refs below the given prefixes."""
    template = "%(refname)%09%(objectname)%09%(objecttype)%09%(*objectname)%09%(contents:subject)"
    output = os.fsdecode(git.read("for-each-ref", f"--format={template}", *patterns))
    refs = []
    for line in output.splitlines():
        name, target, kind, peeled, subject = line.split("\t", 4)
        refs.append(Ref(name, target, kind, peeled or target, subject))
    return refs


def read_notes(git: Git, ref: str) -> dict[str, str]:
    """The notes under a ref: annotated object id to the blob id of its note."""
    answer = git.run("notes", f"--ref={ref}", "list")
    if not answer.ok:
        return {}
    pairs = (line.split(" ", 1) for line in answer.text.splitlines() if " " in line)
    return {commit: blob for blob, commit in pairs}


def read_blobs(git: Git, names: list[str], max_bytes: int) -> dict[str, bytes | None]:
    """Contents by object name (`<blob id>` or `<commit>:<path>`); nothing for what is missing or too large."""
    names = [name for name in names if "\n" not in name]
    if not names:
        return {}
    listing = git.read("cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=_lines(names))
    small: list[str] = []
    for name, line in zip(names, os.fsdecode(listing).splitlines(), strict=True):
        kind, _, size = line.rpartition(" ")
        if kind == "blob" and size.isdigit() and int(size) <= max_bytes:
            small.append(name)
    contents = _parse_batch(git.read("cat-file", "--batch", stdin=_lines(small)), small) if small else {}
    return {name: contents.get(name) for name in names}


def resolve_commits(git: Git, names: list[str]) -> dict[str, str | None]:
    """Full commit ids for names as written (short hashes, refs); nothing for what names no commit here."""
    clean = [name for name in dict.fromkeys(names) if name and "\n" not in name and not name.startswith("-")]
    if not clean:
        return {}
    output = git.read(
        "cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=_lines([f"{name}^{{commit}}" for name in clean])
    )
    found: dict[str, str | None] = {}
    for name, line in zip(clean, os.fsdecode(output).splitlines(), strict=True):
        kind, _, identifier = line.partition(" ")
        found[name] = identifier if kind == "commit" else None
    return found


def count_commits_since(git: Git, ancestor: str) -> int | None:
    """How many commits HEAD is ahead of an ancestor; nothing when it is no ancestor of HEAD."""
    if not git.run("merge-base", "--is-ancestor", ancestor, "HEAD").ok:
        return None
    return int(git.read("rev-list", "--count", f"{ancestor}..HEAD"))


def find_last_commit(git: Git, path: str) -> str | None:
    """The newest commit that touched a path."""
    answer = git.run("log", "--max-count=1", "--format=%H", "--", path)
    return answer.text or None if answer.ok else None


def _lines(names: list[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\n" for name in names)


def _build_commit(fields: list[str]) -> Commit:
    identifier, parents, author, author_email, committer, committer_email, date, subject, body = fields
    return Commit(
        identifier.strip(),
        tuple(parents.split()),
        author,
        author_email,
        committer,
        committer_email,
        date,
        subject,
        body.strip(),
    )


def _parse_batch(output: bytes, names: list[str]) -> dict[str, bytes]:
    """Reads `cat-file --batch`: a header line with the size, that many bytes, a newline."""
    contents: dict[str, bytes] = {}
    position = 0
    for name in names:
        header_end = output.index(b"\n", position)
        header = output[position:header_end]
        try:
            size = int(header.rpartition(b" ")[2])
        except ValueError:
            raise GitError(f"git cat-file gave no content for {name}: {header!r}") from None
        start = header_end + 1
        contents[name] = output[start : start + size]
        position = start + size + 1
    return contents
