"""Hashes and archives that documents declare are complete, and true when they were written."""

from __future__ import annotations

import io
import shlex
import zlib
from collections.abc import Collection, Iterator
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import describe_cut_off, find_unreadable
from handoff_tui.checks.rule import Findings, RuleFinding, high_rule, medium_rule
from handoff_tui.checks.rules.builder.documents import require_finished
from handoff_tui.checks.rules.builder.packages import find_measured, measure_hash
from handoff_tui.core.lazy_pattern import compile_known
from handoff_tui.handoffs.claim import HASHES, Claim, ClaimKind
from handoff_tui.handoffs.claims.evidence import build_hash
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff

_Replaced = frozenset[tuple[str, str, str]]


@high_rule(
    holds="Every quoted hash is complete, and was true when it was written.",
    reads="hashes quoted in builder documents, and the files they name, now and at the document's commit",
    remedy="Quote the full hash of the committed file. If you change the file later, quote its hash before and after.",
)
def hashes_hold(context: Context) -> Findings:
    judged = False
    unseen: list[str] = []
    replaced = _list_replaced(context)
    found: list[RuleFinding] = []
    for handoff in context.require_handoffs("builder"):
        quoting = {document.path for document in handoff.documents if document.role is not DocumentRole.MANIFEST}
        claims = [claim for claim in handoff.claims if claim.kind in HASHES and claim.where.path in quoting]
        unreadable = list(find_unreadable(context, quoting))
        judged = judged or bool(claims) or bool(unreadable)
        found.extend(unreadable)
        for claim in claims:
            if _is_unseen(context, handoff, claim, replaced):
                unseen.append(claim.where.path)
            else:
                found.extend(_judge_claim(context, handoff, claim, replaced))
    if not judged:
        context.skip("no builder document quotes a hash")
    if unseen and not found:
        context.undecidable(describe_cut_off(unseen))
    yield from found


def _list_replaced(context: Context) -> _Replaced:
    """Lists what documents declare as replaced: file name, hash before the change, document."""
    return frozenset(
        (_name_of(claim), str(claim.value), claim.where.path)
        for handoff in context.every_handoff()
        for claim in handoff.claims
        if claim.kind is ClaimKind.HASH_BEFORE
    )


def _is_unseen(context: Context, handoff: Handoff, claim: Claim, replaced: _Replaced) -> bool:
    """Returns whether a claim depends on a commit that a shallow clone lacks: false now, but declared as replaced."""
    if claim.kind is not ClaimKind.HASH or not _is_replaced(claim, replaced):
        return False
    path = context.find(claim.subject or "", claim.where.path) if (claim.subject or "").isprintable() else None
    if _measure_now(context, handoff, claim, path) == str(claim.value):
        return False
    commit = _find_commit(context, claim.where.path)
    return commit is not None and context.is_cut_off(commit)


def _is_replaced(claim: Claim, replaced: _Replaced) -> bool:
    return any(
        (name, digest) == (_name_of(claim), str(claim.value)) and document != claim.where.path
        for name, digest, document in replaced
    )


def _judge_claim(context: Context, handoff: Handoff, claim: Claim, replaced: _Replaced) -> Findings:
    value, subject = str(claim.value), claim.subject or ""
    pattern = context.settings.builder.hash_pattern
    if not compile_known(pattern).match(value):
        message = f"the hash quoted for {subject} is not a complete SHA-256"
        yield RuleFinding(message, f"form {claim.kind.value} {subject}", claim.where, "sha256:<64 hex digits>", value)
    elif claim.kind is ClaimKind.HASH:
        yield from _judge_truth(context, handoff, claim, replaced)


def _judge_truth(context: Context, handoff: Handoff, claim: Claim, replaced: _Replaced) -> Findings:
    value, subject = str(claim.value), claim.subject or ""
    path = context.find(subject, claim.where.path) if subject.isprintable() else None
    now = _measure_now(context, handoff, claim, path)
    then = _measure_then(context, claim.where.path, path or subject)
    if value in {now, then} or _is_replaced(claim, replaced):
        return  # what changed since is the scope's business
    if now is None:
        message = f"{subject}, whose hash is quoted, is not here or cannot be read"
    else:
        message = f"the hash quoted for {subject} is false"
    actual = now or "no such file"
    command = f"sha256sum {shlex.quote(path)}" if path and now else None
    yield RuleFinding(message, f"hash {subject}", claim.where, value, actual, command)


def _measure_now(context: Context, handoff: Handoff, claim: Claim, path: str | None) -> str | None:
    if path is None or not context.exists(path):
        return None
    return measure_hash(context, path) or find_measured(context, handoff, claim)


def _measure_then(context: Context, document: str, path: str) -> str | None:
    """Returns the hash at the commit of the document.

    None if one of the two isn't committed or is being changed, or if a shallow clone lacks the commit.
    """
    commit = _find_commit(context, document)
    if commit is None or not path.isprintable() or context.is_cut_off(commit):
        return None
    content = context.read_at(commit, path)
    return None if content is None else build_hash(content)


def _find_commit(context: Context, document: str) -> str | None:
    facts = context.facts()
    return None if document in {*facts.changed, *facts.untracked} else context.document_commit(document)


def _name_of(claim: Claim) -> str:
    return (claim.subject or "").rpartition("/")[2]


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


@medium_rule(
    holds="Every declared archive exists with its hash, and nothing in it varies between builds.",
    reads="archives declared in results, and the metadata of their members",
    remedy="Build the archive with fixed times and owners instead of plain tar, and declare the hash of that file.",
)
def archives_reproducible(context: Context) -> Findings:
    finished = require_finished(context)
    archives = [
        (handoff, claim) for handoff, results in finished for claim in _list_archives(context, handoff, results)
    ]
    for handoff, claim in archives or context.skip("no results declare an archive"):
        yield from _judge_archive(context, handoff, claim)


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


def _judge_archive(context: Context, handoff: Handoff, claim: Claim) -> Findings:
    name = claim.subject or ""
    if claim.kind is not ClaimKind.HASH:
        message = f"the archive {name} of {handoff.id} is declared without a hash"
        yield RuleFinding(message, f"hash {name}", claim.where, "sha256:<64 hex digits>", "no hash")
    path = context.find(name, claim.where.path)
    content = context.read(path) if path is not None else None
    actual = build_hash(content) if content is not None else find_measured(context, handoff, claim)
    if actual is None:
        message = f"the archive {name} of {handoff.id} is not here or cannot be read"
        wanted = str(claim.value) if claim.kind is ClaimKind.HASH else name
        yield RuleFinding(message, f"archive {name}", claim.where, wanted, "no file")
        return
    if claim.kind is ClaimKind.HASH and actual != claim.value:
        message = f"the archive {name} is not the one that {handoff.id} declares"
        yield RuleFinding(message, f"archive {name}", claim.where, str(claim.value), actual)
    if content is None:
        message = f"the archive {name} is too large to be looked into"
        yield RuleFinding(message, f"members {name}", claim.where, "an archive that can be read", "too large")
    elif is_tar(content):
        yield from _judge_members(context, claim, content)


def _judge_members(context: Context, claim: Claim, content: bytes) -> Findings:
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
