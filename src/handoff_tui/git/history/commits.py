"""Commits, refs, notes and old file contents, read through the one door."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from handoff_tui.core.errors import GitError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git, GitAnswer
from handoff_tui.git.objects.integrity import matches_id
from handoff_tui.system.files.own_folder import ALL_BUT_OWN, OWN_FOLDER

MOST_LISTED = 20_000
"""Listing more commits than this costs more than asking about single ones."""
_COMMIT_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%cn%x00%ce%x00%aI%x00%s%x00%B%x00"
_COMMIT_FIELDS = 9
REF_FORMAT = "%(refname)%09%(objectname)%09%(objecttype)%09%(*objecttype)%09%(*objectname)%09%(contents:subject)"
_LARGEST_COMMIT = 1 << 20
_COMMITTED = compile_later(rb"\ncommitter [^\n]*> ([0-9]{1,11}) [+-][0-9]{4}\n")
_OBJECT_ID = compile_later(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Commit(NamedTuple):
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


class Ref(NamedTuple):
    """A ref and what it points to; `commit` is the peeled target of an annotated tag."""

    name: str
    target: str
    kind: str
    commit: str
    subject: str
    commit_kind: str = "commit"


def read_commits(git: Git, limit: int, paths: tuple[str, ...] = ()) -> list[Commit]:
    """The newest commits reachable from HEAD, newest first; none on an unborn branch."""
    scope = ("--", *paths) if paths else ()
    answer = git.run("log", "-z", f"--max-count={limit}", f"--format={_COMMIT_FORMAT}", *scope)
    if not answer.ok:
        if _is_unborn(answer):
            return []
        raise answer.to_error("log")
    fields = os.fsdecode(answer.stdout).split("\0")
    # `-z` adds a NUL between commits, so each commit is nine fields and one empty one
    return [
        _build_commit(fields[start : start + _COMMIT_FIELDS])
        for start in range(0, len(fields) - _COMMIT_FIELDS, _COMMIT_FIELDS + 1)
    ]


def read_refs(git: Git, *patterns: str) -> list[Ref]:
    """Refs below the given prefixes."""
    refs = parse_refs(git.read("for-each-ref", f"--format={REF_FORMAT}", *patterns))
    # git peels a tag of a tag once only
    twice = {ref.commit for ref in refs if ref.commit_kind == "tag"}
    peeled = resolve_commits(git, sorted(twice))
    return [ref._replace(commit=peeled.get(ref.commit) or ref.commit) for ref in refs]


def read_notes(git: Git, ref: str) -> dict[str, str]:
    """The notes under a ref: annotated object id to the blob id of its note."""
    lines = os.fsdecode(git.read("notes", f"--ref={ref}", "list")).split("\n")
    pairs = (line.split(" ", 1) for line in lines if " " in line)
    return {commit: blob for blob, commit in pairs}


def read_blobs(
    git: Git, names: list[str], max_bytes: int, extra: Mapping[str, str] | None = None
) -> dict[str, bytes | None]:
    """Contents by object name (`<blob id>` or `<commit>:<path>`); nothing for what is missing, too large or false.

    `extra` may name further object folders, as git's variables do.
    """
    return _read_objects(git, "blob", names, max_bytes, extra)


def read_trees(git: Git, names: list[str], max_bytes: int) -> dict[str, bytes | None]:
    """Folders as git stores them, by `<tree id>` or `<commit>:<path>`; nothing for what is no folder or too large."""
    return _read_objects(git, "tree", names, max_bytes)


def _read_objects(
    git: Git, wanted: str, names: list[str], max_bytes: int, extra: Mapping[str, str] | None = None
) -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = dict.fromkeys(names)
    asked = [name for name in found if can_be_asked(name)]
    small: list[str] = []
    for name, line in zip(asked, _check(git, "%(objecttype) %(objectsize)", asked, extra), strict=True):
        kind, _, size = line.rpartition(" ")
        if kind == wanted and size.isdigit() and int(size) <= max_bytes:
            small.append(name)
    if small:
        found.update(_parse_batch(git.read("cat-file", "--batch", stdin=_lines(small), extra=extra), small))
    return found


def resolve_commits(git: Git, names: list[str]) -> dict[str, str | None]:
    """Full commit ids for names as written (short hashes, refs); nothing for what names no commit here."""
    found: dict[str, str | None] = dict.fromkeys(names)
    asked = [name for name in found if can_be_asked(name)]
    answers = _check(git, "%(objecttype) %(objectname)", [f"{name}^{{commit}}" for name in asked])
    for name, line in zip(asked, answers, strict=True):
        kind, _, identifier = line.partition(" ")
        # what is missing is answered with its name, which may begin with «commit »
        if kind == "commit" and _OBJECT_ID.fullmatch(identifier):
            found[name] = identifier
    return found


def read_commit_dates(git: Git, commits: Iterable[str]) -> dict[str, str]:
    """The days on which commits were made, UTC with the time, by their full ids; what is not here is left out."""
    found = _read_objects(git, "commit", sorted(commits), _LARGEST_COMMIT)
    lines = {commit: _COMMITTED.search(content) for commit, content in found.items() if content is not None}
    return {commit: _render_moment(int(line[1])) for commit, line in lines.items() if line is not None}


def count_commits_since(git: Git, ancestor: str) -> int | None:
    """How many commits HEAD is ahead of an ancestor; nothing when it is no ancestor of HEAD."""
    commit = resolve_commits(git, [ancestor])[ancestor]
    if commit is None or not git.run("merge-base", "--is-ancestor", commit, "HEAD").ok:
        return None
    since = f"{commit}..HEAD"
    return int(git.read("rev-list", "--count", since)) - count_log_commits(git, since)


def count_log_commits(git: Git, reach: str) -> int:
    """How many commits bring nothing but entries of the signed log: they are no work, and nothing lags behind them."""
    touching = set(git.read("rev-list", "--full-history", reach, "--", f":(top,literal){OWN_FOLDER}").split())
    if not touching:
        return 0
    return len(touching.difference(git.read("rev-list", "--full-history", reach, *ALL_BUT_OWN).split()))


def find_last_commit(git: Git, path: str) -> str | None:
    """The newest commit that touched a path; nothing for a path that no commit could hold."""
    if not _can_be_committed(path):
        return None
    answer = git.run("log", "--max-count=1", "--format=%H", "--", path)
    if answer.ok:
        return answer.text or None
    if _is_unborn(answer) or "outside repository" in answer.stderr or "beyond a symbolic link" in answer.stderr:
        return None
    raise answer.to_error("log")


def is_cut_off(git: Git, commit: str) -> bool:
    """Whether a commit has parents that a shallow clone lacks: there it seems to have made everything it holds."""
    content = _read_objects(git, "commit", [commit], _LARGEST_COMMIT)[commit]
    head = (content or b"").partition(b"\n\n")[0]
    if b"\nparent " not in head:
        return False
    return not git.read("log", "--max-count=1", "--format=%P", commit, "--").strip()


def parse_refs(output: bytes) -> list[Ref]:
    """Reads `for-each-ref` in `REF_FORMAT`: only a newline ends a line, and only a subject may hold a tab."""
    refs = []
    for line in os.fsdecode(output).split("\n"):
        if line:
            name, target, kind, peeled_kind, peeled, subject = line.split("\t", 5)
            refs.append(Ref(name, target, kind, peeled or target, subject, peeled_kind or kind))
    return refs


def _render_moment(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()


def _is_unborn(answer: GitAnswer) -> bool:
    return "does not have any commits yet" in answer.stderr


def can_be_asked(name: str) -> bool:
    """Whether a name, which a document may have chosen, is one harmless line of a batch.

    Not asked are options, `:…` (reads the index, or searches all messages) and what makes git give up on the whole
    batch: `@{…}` and `^{…}`, and paths relative to a folder.
    """
    if name.startswith(("-", ":")) or name.endswith("\r"):
        return False
    return _can_be_committed(name) and not any(part in name for part in ("\n", "@{", "^{", ":./", ":../"))


def _can_be_committed(path: str) -> bool:
    """No empty text, nothing absolute, no NUL, and nothing that has no bytes (a lone surrogate)."""
    try:
        return path[:1] not in {"", "/"} and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _check(git: Git, template: str, names: list[str], extra: Mapping[str, str] | None = None) -> list[str]:
    """One line for each object name; the name and `missing` for what is not there."""
    if not names:
        return []
    output = git.read("cat-file", f"--batch-check={template}", stdin=_lines(names), extra=extra)
    return os.fsdecode(output).split("\n")[:-1]


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
    """Reads `cat-file --batch`: a line with id, kind and size, the content, a newline. What is false is left out."""
    contents: dict[str, bytes] = {}
    position = 0
    for name in names:
        header_end = output.find(b"\n", position)
        header = output[position:header_end]
        try:
            identifier, kind, digits = header.split(b" ")
            size = int(digits)
        except ValueError:
            raise GitError(
                f"git cat-file gave no content for {name}: {header!r}",
                "Is the repository being changed right now? Try again.",
            ) from None
        start = header_end + 1
        position = start + size + 1
        content = output[start : position - 1]
        if matches_id(identifier.decode("ascii"), kind, content):
            contents[name] = content
    return contents


def list_tree(git: Git, commit: str) -> list[str]:
    """Every path in the tree of a commit; none for what names no commit."""
    if not can_be_asked(commit):
        return []
    answer = git.run("ls-tree", "-r", "--name-only", "-z", "--full-tree", commit)
    return [path for path in os.fsdecode(answer.stdout).split("\0") if path] if answer.ok else []


def list_history(git: Git) -> list[str]:
    """The ids of the newest commits from HEAD, at most `MOST_LISTED`; none on an unborn branch."""
    answer = git.run("rev-list", f"--max-count={MOST_LISTED}", "HEAD", "--")
    return answer.text.split() if answer.ok else []
