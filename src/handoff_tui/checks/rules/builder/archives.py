"""Archives that results declare are there, have the declared hash, and do not vary between builds."""

from __future__ import annotations

import io
import zlib
from collections.abc import Collection, Iterator
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.rules.builder.documents import require_finished
from handoff_tui.checks.rules.builder.packages import build_hash, find_measured
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import Document, Handoff

_GZIP: Final = b"\x1f\x8b"
_TIME_IN_GZIP: Final = slice(4, 8)
_TAR_MARK: Final = b"ustar"
_MARK_IN_TAR: Final = slice(257, 262)


class ArchiveBrokenError(Exception):
    """The bytes are not an archive, or not a complete one."""


class _Bounded(io.RawIOBase):
    """A stream that raises an error when a small archive unpacks into a huge one."""

    def __init__(self, stream: io.BufferedIOBase, limit: int) -> None:
        self._stream = stream
        self._left = limit

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size if size >= 0 else self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise ArchiveBrokenError("unpacks into more than may be read")
        return data


def is_tar(content: bytes) -> bool:
    """Returns whether the bytes are a tar archive, plain or gzipped; other kinds are not inspected."""
    return content.startswith(_GZIP) or content[_MARK_IN_TAR] == _TAR_MARK


def find_varying(content: bytes, *, time: int, owners: Collection[str], limit: int) -> list[str]:
    """Describes what varies between two builds of the same files."""
    import tarfile  # noqa: PLC0415 - few runs look into an archive

    try:
        return list(_find_varying(content, time, owners, limit))
    except (tarfile.TarError, OSError, EOFError, zlib.error) as broken:
        raise ArchiveBrokenError(f"cannot be read as an archive: {broken}") from broken


def _find_varying(content: bytes, time: int, owners: Collection[str], limit: int) -> Iterator[str]:
    import gzip  # noqa: PLC0415 - few runs look into an archive
    import tarfile  # noqa: PLC0415

    raw: io.BufferedIOBase = io.BytesIO(content)
    if content.startswith(_GZIP):
        if int.from_bytes(content[_TIME_IN_GZIP], "little") != time:
            yield "the gzip header carries the time of the build"
        raw = gzip.GzipFile(fileobj=io.BytesIO(content))
    with tarfile.open(fileobj=_Bounded(raw, limit), mode="r|") as archive:
        for member in archive:
            if member.mtime != time:
                yield f"{member.name} carries the time {member.mtime:g}"
            if member.uid or member.gid:
                yield f"{member.name} belongs to user {member.uid} and group {member.gid}"
            if member.uname not in owners or member.gname not in owners:
                yield f"{member.name} names its owner {member.uname}:{member.gname}"


_KINDS = (ClaimKind.HASH, ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED)
_MOST_SHOWN = 3


def judge(context: Context) -> Iterator[RuleFinding]:
    judged = False
    for handoff, results in require_finished(context):
        for claim in _list_archives(context, handoff, results):
            judged = True
            yield from _judge_archive(context, handoff, claim)
    if not judged:
        context.skip("no results declare an archive")


def _list_archives(context: Context, handoff: Handoff, results: Document) -> list[Claim]:
    """Lists each archive once: the claim of its hash or, without one, that it was built."""
    suffix = context.settings.builder.archive_suffix
    found: dict[str, Claim] = {}
    for kind in _KINDS:
        for claim in handoff.claims:
            subject = claim.subject or ""
            if claim.kind is kind and subject.endswith(suffix) and claim.where.path == results.path:
                found.setdefault(subject, claim)
    return list(found.values())


def _judge_archive(context: Context, handoff: Handoff, claim: Claim) -> Iterator[RuleFinding]:
    name = claim.subject or ""
    if claim.kind is not ClaimKind.HASH:
        message = f"the archive {name} of {handoff.id} is declared without a hash"
        yield RuleFinding(message, f"hash {name}", claim.where, "sha256:<64 hex digits>", "no hash")
    path = context.find(name, claim.where.path)
    content = context.read(path) if path is not None else None
    actual = build_hash(content) if content is not None else find_measured(context, handoff, claim)
    if actual is None:
        message = f"the archive {name} of {handoff.id} is not here or cannot be read"
        yield RuleFinding(message, f"archive {name}", claim.where, "the archive", "no file")
        return
    if claim.kind is ClaimKind.HASH and actual != claim.value:
        message = f"the archive {name} is not the one that {handoff.id} declares"
        yield RuleFinding(message, f"archive {name}", claim.where, str(claim.value), actual)
    if content is None:
        message = f"the archive {name} is too large to be looked into"
        yield RuleFinding(message, f"members {name}", claim.where, "an archive that can be read", "too large")
    elif is_tar(content):
        yield from _judge_members(context, claim, content)


def _judge_members(context: Context, claim: Claim, content: bytes) -> Iterator[RuleFinding]:
    name = claim.subject or ""
    time = context.settings.builder.archive_member_time
    owners = context.settings.builder.archive_owner_names
    limit = context.settings.limits.hash_bytes
    try:
        varying = find_varying(content, time=time, owners=owners, limit=limit)
    except ArchiveBrokenError as broken:
        yield RuleFinding(f"the archive {name} {broken}", f"members {name}", claim.where, "an archive", str(broken))
        return
    if varying:
        more = f" (and {len(varying) - _MOST_SHOWN} more)" if len(varying) > _MOST_SHOWN else ""
        message = f"the archive {name} would differ if it were built again"
        expected = f"time {time}, user and group 0, no names"
        yield RuleFinding(message, f"members {name}", claim.where, expected, "; ".join(varying[:_MOST_SHOWN]) + more)


ARCHIVES_REPRODUCIBLE = Rule(
    id="archives-reproducible",
    system=System.BUILDER,
    severity=Severity.MEDIUM,
    holds="Every declared archive exists with its hash, and nothing in it varies between builds.",
    reads="archives declared in results, and the metadata of their members",
    remedy="Build the archive with fixed times and owners instead of plain tar, and declare the hash of that file.",
    judge=judge,
)
