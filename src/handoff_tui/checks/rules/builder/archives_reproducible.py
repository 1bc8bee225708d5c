"""Archives that results declare are here, have the declared hash, and carry nothing that varies between builds."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.rules.builder.archive_members import ArchiveBrokenError, find_varying, is_tar
from handoff_tui.checks.rules.builder.documents import require_finished
from handoff_tui.checks.rules.builder.packages import build_hash, find_measured
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.handoff import Handoff

_KINDS = (ClaimKind.HASH, ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED)
_MOST_SHOWN = 3


def judge(context: Context) -> Iterator[Found]:
    judged = False
    for handoff, results in require_finished(context):
        for claim in _list_archives(context, handoff, results):
            judged = True
            yield from _judge_archive(context, handoff, claim)
    if not judged:
        context.skip("no results here declare an archive")


def _list_archives(context: Context, handoff: Handoff, results: Document) -> list[Claim]:
    """Each archive once: the claim of its hash, or, if it has none, that it was built."""
    suffix = context.setting("builder.archive_suffix", str)
    found: dict[str, Claim] = {}
    for kind in _KINDS:
        for claim in handoff.claims:
            subject = claim.subject or ""
            if claim.kind is kind and subject.endswith(suffix) and claim.where.path == results.path:
                found.setdefault(subject, claim)
    return list(found.values())


def _judge_archive(context: Context, handoff: Handoff, claim: Claim) -> Iterator[Found]:
    name = claim.subject or ""
    if claim.kind is not ClaimKind.HASH:
        message = f"the archive {name} of {handoff.id} is declared without a hash"
        yield Found(message, f"hash {name}", claim.where, "sha256:<64 hex digits>", "no hash")
    path = context.find(name, claim.where.path)
    content = context.read(path) if path is not None else None
    actual = build_hash(content) if content is not None else find_measured(context, handoff, claim)
    if actual is None:
        message = f"the archive {name} of {handoff.id} is not here or cannot be read"
        yield Found(message, f"archive {name}", claim.where, "the archive", "no file")
        return
    if claim.kind is ClaimKind.HASH and actual != claim.value:
        message = f"the archive {name} is not the one that {handoff.id} declares"
        yield Found(message, f"archive {name}", claim.where, str(claim.value), actual)
    if content is None:
        message = f"the archive {name} is too large to be looked into"
        yield Found(message, f"members {name}", claim.where, "an archive that can be read", "too large")
    elif is_tar(content):
        yield from _judge_members(context, claim, content)


def _judge_members(context: Context, claim: Claim, content: bytes) -> Iterator[Found]:
    name = claim.subject or ""
    time = context.setting("builder.archive_member_time", int)
    owners: tuple[str, ...] = context.setting("builder.archive_owner_names", tuple)
    limit = context.setting("limits.hash_bytes", int)
    try:
        varying = find_varying(content, time=time, owners=owners, limit=limit)
    except ArchiveBrokenError as broken:
        yield Found(f"the archive {name} {broken}", f"members {name}", claim.where, "an archive", str(broken))
        return
    if varying:
        more = f" (and {len(varying) - _MOST_SHOWN} more)" if len(varying) > _MOST_SHOWN else ""
        yield Found(
            message=f"the archive {name} would differ if it were built again",
            subject=f"members {name}",
            place=claim.where,
            expected=f"time {time}, user and group 0, no names",
            actual="; ".join(varying[:_MOST_SHOWN]) + more,
        )


ARCHIVES_REPRODUCIBLE = Rule(
    id="archives-reproducible",
    system=System.BUILDER,
    severity=Severity.MEDIUM,
    holds="Every declared archive is here with its hash, and nothing in it varies between builds",
    reads="archives that results declare, and the metadata of their members",
    remedy="Build the archive with fixed times and owners instead of a shell's tar, and declare the hash of that file.",
    judge=judge,
)
