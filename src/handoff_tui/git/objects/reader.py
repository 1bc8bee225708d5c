"""Objects of a repository by name, answered by one `git cat-file --batch-command` for as long as the reader lives.

Each is compared with its id: git doesn't check when it reads, and an agent can store other content under an id. Then
what is shown isn't what is signed.
"""

from __future__ import annotations

import hashlib
import os
import select
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from threading import RLock
from typing import TYPE_CHECKING

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import GitError, ObjectMissingError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import TIMEOUT_SECONDS, Git
from handoff_tui.system.processes.child import Child

if TYPE_CHECKING:
    from _hashlib import HASH

    from handoff_tui.git.objects.tree_diff import IsolatedObjects

OBJECT_ID = compile_later(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHA1_WIDTH = 40
_BYTES_AT_ONCE = 16 * 1024 * 1024


def matches_id(identifier: str, kind: bytes, content: bytes) -> bool:
    """Tells whether an object of a kind (`blob`, `tree`, `commit`) with this content has this id."""
    return build_object_id(kind, content, len(identifier)) == identifier


def build_object_id(kind: bytes, content: bytes, id_width: int) -> str:
    """Returns the id git gives an object; it has 40 digits, or 64 in a SHA-256 repository."""
    digest = _begin(kind, len(content), id_width)
    digest.update(content)
    return digest.hexdigest()


def build_altered_error(identifier: str) -> GitError:
    return GitError(
        f"the object {identifier} of this repository does not have the content that its name says",
        "Somebody has put other content in its place, or the disk is damaged: `git fsck --full` says more.",
    )


def refuse_altered_objects(view: IsolatedObjects, reader: ObjectReader, identifiers: Iterable[str]) -> None:
    """Raises if one of these objects doesn't match its id; missing objects are left to the callers."""
    described = reader.describe(sorted(set(identifiers))).values()
    for some in _split_by_size(info for info in described if info is not None):
        if len(some) == 1 and some[0].kind == "blob":
            _check_large(view, some[0])
        else:
            _check_small(reader, some)


def _split_by_size(objects: Iterable[ObjectInfo]) -> Iterator[list[ObjectInfo]]:
    """Yields as many at once as fit into memory; a large one alone."""
    some: list[ObjectInfo] = []
    size = 0
    for info in objects:
        if some and size + info.size > _BYTES_AT_ONCE:
            yield some
            some, size = [], 0
        some.append(info)
        size += info.size
    if some:
        yield some


def _check_small(reader: ObjectReader, some: list[ObjectInfo]) -> None:
    for kind in {info.kind for info in some}:
        names = [info.id for info in some if info.kind == kind]
        contents = reader.read_many(kind, names, max(info.size for info in some))
        for name in names:
            if contents[name] is None:
                raise build_altered_error(name)


def _check_large(view: IsolatedObjects, info: ObjectInfo) -> None:
    digest = _begin(info.kind.encode(), info.size, len(info.id))
    with view.open_blob(info.id) as stream:
        for chunk in stream.chunks():
            digest.update(chunk)
    if digest.hexdigest() != info.id:
        raise build_altered_error(info.id)


def _begin(kind: bytes, size: int, id_width: int) -> HASH:
    header = b"%b %d\0" % (kind, size)
    if id_width == _SHA1_WIDTH:
        return hashlib.sha1(header, usedforsecurity=False)
    return hashlib.sha256(header)


_FOUND = compile_later(rb"([0-9a-f]{40,64}) ([a-z]+) ([0-9]+)")
_CHUNK = 1 << 16
_MAX_TREE_BYTES = 64 * 1024 * 1024
_WRITTEN_AT_ONCE = 1 << 15
"""A pipe takes this much whether git reads it or not, so writing questions never waits for reading answers."""
_MOST_SKIPPED = 1 << 20
"""More unwanted content than this isn't read: restarting git is cheaper."""
_USAGE_ERROR = 129
MISSING_HINT = (
    "The clone may be shallow or partial, or the object was pruned: git fetch --unshallow, or a fetch from a full "
    "copy, may bring it back."
)


class ObjectInfo(NamedTuple):
    """What git says about an object without reading its content."""

    id: str
    kind: str
    size: int


class ObjectReader:
    """Reads objects by name (`<id>` or `<commit>:<path>`). Threads take turns; git ends with the reader, or by `close`.

    `extra` may name further object folders, as git's variables do.
    """

    def __init__(self, git: Git, extra: Mapping[str, str] | None = None) -> None:
        # plain git: a session that owns this reader must not be kept alive by it
        self._git = Git(git.folder, git.overrides, git.git_dir, git.common_dir)
        self._extra = dict(extra or {})
        self._lock = RLock()
        self._running: _Running | None = None
        self._knows_commands = True
        """False for git before 2.36: `--batch` gives contents, and everything else takes a call of its own."""

    def describe(self, names: Iterable[str], peel: str = "") -> dict[str, ObjectInfo | None]:
        """Returns what each name stands for; None if missing. `peel` (`^{commit}`) is appended to each name."""
        found: dict[str, ObjectInfo | None] = dict.fromkeys(names)
        asked = [name for name in found if can_be_asked(name)]
        for name, line in zip(asked, self._describe([f"{name}{peel}" for name in asked]), strict=True):
            match = _FOUND.fullmatch(line)
            if match is not None:
                found[name] = ObjectInfo(match[1].decode("ascii"), match[2].decode("ascii"), int(match[3]))
        return found

    def read_many(self, kind: str, names: Iterable[str], max_bytes: int) -> dict[str, bytes | None]:
        """Returns contents by name; None if missing, of another kind, too large, or not matching the id."""
        found: dict[str, bytes | None] = dict.fromkeys(names)
        described = self.describe(found).items()
        small = [name for name, info in described if info and info.kind == kind and info.size <= max_bytes]
        with self._lock:
            try:
                found.update(zip(small, self._start().read_all(small), strict=True) if small else ())
            except (OSError, _OddAnswerError):
                self.close()
                found.update(self._read_alone(small))
        return found

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """Returns the content of a file; None if missing, too large, not a file, or not matching the id."""
        return self._read_one("blob", name, max_bytes)

    def read_tree(self, name: str, max_bytes: int) -> bytes | None:
        """Returns a folder as git stores it; None if missing, too large, not a folder, or not matching the id."""
        return self._read_one("tree", name, max_bytes)

    def require_tree(self, name: str) -> bytes:
        """Returns a folder as git stores it; raises an error if it isn't here."""
        content = self.read_tree(name, _MAX_TREE_BYTES)
        if content is None:
            message = f"the tree {name} is not in this repository, or is not what its name says"
            raise ObjectMissingError(message, MISSING_HINT)
        return content

    def close(self) -> None:
        """Ends git; it is started again on demand."""
        with self._lock:
            if self._running is not None:
                self._knows_commands &= not self._running.refused_its_words
                self._running.end()
                self._running = None

    def _start(self) -> _Running:
        if self._running is None:
            self._running = _Running(self._git, self._extra, knows_commands=self._knows_commands)
        return self._running

    def _describe(self, names: list[str]) -> list[bytes]:
        if not names:
            return []
        with self._lock:
            if self._knows_commands:
                try:
                    return self._start().describe_all(names)
                except (OSError, _OddAnswerError):
                    self.close()
            output = self._git.read("cat-file", "--batch-check", stdin=_join_lines(names), extra=self._extra)
        return output.split(b"\n")[:-1]

    def _read_one(self, kind: str, name: str, max_bytes: int) -> bytes | None:
        if not can_be_asked(name):
            return None
        with self._lock:
            try:
                return self._start().read_one(name, max_bytes, kind.encode())
            except (OSError, _OddAnswerError):
                self.close()
                return self.read_many(kind, [name], max_bytes)[name]

    def _read_alone(self, names: list[str]) -> dict[str, bytes | None]:
        """Reads some objects in one call that explains what is wrong with them."""
        output = self._git.read("cat-file", "--batch", stdin=_join_lines(names), extra=self._extra)
        contents: dict[str, bytes | None] = {}
        position = 0
        for name in names:
            header_end = output.find(b"\n", position)
            match = _FOUND.fullmatch(output[position:header_end])
            if match is None:
                raise GitError(
                    f"git cat-file gave no content for {name}: {output[position:header_end]!r}",
                    "Is the repository being changed right now? Try again.",
                )
            start = header_end + 1
            position = start + int(match[3]) + 1
            content = output[start : position - 1]
            contents[name] = content if matches_id(match[1].decode("ascii"), match[2], content) else None
        return contents


def can_be_asked(name: str) -> bool:
    """Tells whether a name, which may come from a document, is one harmless line of a batch.

    Not asked are options, `:…` (reads the index, or searches all messages) and what makes git give up on the
    batch: `@{…}` and `^{…}`, and paths relative to a folder.
    """
    if name.startswith(("-", ":")) or name.endswith("\r"):
        return False
    return can_be_committed(name) and not any(part in name for part in ("\n", "@{", "^{", ":./", ":../"))


def can_be_committed(path: str) -> bool:
    """Tells whether a commit could contain this path: not empty, not absolute, no NUL, and no lone surrogate."""
    try:
        return path[:1] not in {"", "/"} and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


class _OddAnswerError(Exception):
    """Git gave an unexpected answer."""


class _Running:
    """The process, and its unread output."""

    def __init__(self, git: Git, extra: Mapping[str, str], *, knows_commands: bool) -> None:
        self._info, self._contents = (b"info ", b"contents ") if knows_commands else (b"", b"")
        words = ("cat-file", "--batch-command" if knows_commands else "--batch")
        with ExitStack() as stack:
            argv, environment = stack.enter_context(git.prepare(*words, extra=extra))
            self._child = Child(argv, environment, complains=False)
            self._poll = select.poll()
            self._poll.register(self._child.stdout, select.POLLIN)
            self._rest = b""
            self._is_gone = False
            self.end = weakref.finalize(self, _end, self._child, stack.pop_all())

    @property
    def refused_its_words(self) -> bool:
        """Whether git ended because it does not know `--batch-command`."""
        return self._is_gone and self._child.wait() == _USAGE_ERROR

    def describe_all(self, names: list[str]) -> list[bytes]:
        answers: list[bytes] = []
        for some in _split(self._info, names):
            self._ask(some)
            answers += [self._read_line() for _ in some]
        return answers

    def read_all(self, names: list[str]) -> list[bytes | None]:
        answers: list[bytes | None] = []
        for some in _split(self._contents, names):
            self._ask(some)
            answers += [self._read_content(*_parse_header(self._read_line())) for _ in some]
        return answers

    def read_one(self, name: str, max_bytes: int, wanted_kind: bytes) -> bytes | None:
        self._ask([self._contents + os.fsencode(name) + b"\n"])
        line = self._read_line()
        if line.endswith(b" missing"):
            return None
        identifier, kind, size = _parse_header(line)
        wanted = kind == wanted_kind and size <= max_bytes
        if not wanted and size > _MOST_SKIPPED:
            raise _OddAnswerError
        content = self._read_content(identifier, kind, size)
        return content if wanted else None

    def _ask(self, questions: list[bytes]) -> None:
        try:
            os.write(self._child.stdin, b"".join(questions))
        except BrokenPipeError:
            self._is_gone = True
            raise

    def _read_line(self) -> bytes:
        while b"\n" not in self._rest:
            self._rest += self._read()
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _read_content(self, identifier: str, kind: bytes, size: int) -> bytes | None:
        """Reads that many bytes and the newline after them; None if the content doesn't match the id."""
        parts, missing = [self._rest], size + 1 - len(self._rest)
        while missing > 0:
            parts.append(self._read())
            missing -= len(parts[-1])
        content = b"".join(parts)
        self._rest = content[size + 1 :]
        content = content[:size]
        return content if matches_id(identifier, kind, content) else None

    def _read(self) -> bytes:
        if not self._poll.poll(TIMEOUT_SECONDS * 1000):
            raise _OddAnswerError
        chunk = os.read(self._child.stdout, _CHUNK)
        if not chunk:
            self._is_gone = True
            raise _OddAnswerError
        return chunk


def _parse_header(line: bytes) -> tuple[str, bytes, int]:
    match = _FOUND.fullmatch(line)
    if match is None:
        raise _OddAnswerError
    return match[1].decode("ascii"), match[2], int(match[3])


def _split(command: bytes, names: list[str]) -> Iterator[list[bytes]]:
    """Yields the questions in batches that fit into a pipe."""
    some: list[bytes] = []
    size = 0
    for name in names:
        line = command + os.fsencode(name) + b"\n"
        if some and size + len(line) > _WRITTEN_AT_ONCE:
            yield some
            some, size = [], 0
        some.append(line)
        size += len(line)
    if some:
        yield some


def _join_lines(names: list[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\n" for name in names)


def _end(child: Child, prepared: ExitStack) -> None:
    with prepared:
        child.end()
