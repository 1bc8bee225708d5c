"""VR008: every checksum matches its file, wherever it is named: claims, manifests, metadata, lists of checksums.

What a document of the past said may have been overtaken: it is intact when it was true at the document's own commit.
A manifest, metadata and a list of checksums are about now.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import describe_cut_off, find_line, is_document_cut_off, read_json, walk_objects
from handoff_tui.checks.rule import Findings, RuleFinding, high_rule
from handoff_tui.checks.rules.procedure.records import PROCEDURE, find_broken
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, VerdictState
from handoff_tui.handoffs.handoff import DocumentRole, Handoff

_HASH: Final = compile_later(r"^(?:sha256:)?([0-9a-f]{64})$", re.IGNORECASE)
_SUM_LINE: Final = compile_later(r"^\\?([0-9a-fA-F]{64}) [ *](\S.*)$")
_NAMES: Final = ("path", "file", "file_path", "filename", "name")
_ONE_FILE = ".sha256"


class NamedSum(NamedTuple):
    """A checksum and its path, as written. `value` is None if it isn't a SHA-256."""

    path: str
    value: str | None
    where: Place


def parse_sum(text: object) -> str | None:
    """Returns the 64 digits of a SHA-256 in lower case; None if it isn't one."""
    match = _HASH.match(text.strip()) if isinstance(text, str) else None
    return match.group(1).lower() if match else None


def list_metadata_sums(context: Context, handoff: Handoff) -> Iterator[NamedSum]:
    """Yields `{"path": …, "sha256": …}` and `"checksums": {path: …}` anywhere in the files of a procedure."""
    fields = frozenset(context.settings.procedures.checksum_fields)
    for document in handoff.documents:
        if not document.path.lower().endswith(".json"):
            continue
        content = context.read(document.path) or b""
        for members in walk_objects(read_json(context, document.path)):
            for key, path, value in _list_pairs(members, fields):
                if parse_sum(value) is not None or "sha256" in key.casefold():
                    line = find_line(content, key, value) or find_line(content, path, value)
                    yield NamedSum(path, parse_sum(value), Place(path=document.path, line=line))


def _list_pairs(members: Mapping[str, object], fields: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """Yields field, path and checksum as written."""
    name = next((text for key in _NAMES if isinstance(text := members.get(key), str)), None)
    for key, value in members.items():
        if key.casefold() not in fields:
            continue
        if isinstance(value, str) and name is not None:
            yield key, name, value
        elif isinstance(value, dict):
            yield from ((key, path, entry) for path, entry in value.items() if isinstance(entry, str))


def list_file_sums(context: Context) -> Iterator[NamedSum]:
    """Yields the lines of every checksum list; a line without a checksum has no value."""
    names = frozenset(context.settings.procedures.checksum_files)
    for listing in context.paths_ending((*sorted(names), _ONE_FILE)):
        name = listing.rpartition("/")[2]
        if name in names or name.endswith(_ONE_FILE):
            yield from _read_listing(listing, context.read_text(listing) or "")


def _read_listing(listing: str, text: str) -> Iterator[NamedSum]:
    folder = listing.rpartition("/")[0]
    for number, line in enumerate(text.splitlines(), start=1):
        where = Place(path=listing, line=number)
        match = _SUM_LINE.match(line)
        if match is not None:
            path = match.group(2).strip().removeprefix("./")
            yield NamedSum(f"{folder}/{path}" if folder else path, match.group(1).lower(), where)
        elif listing.endswith(_ONE_FILE) and parse_sum(line) is not None:
            yield NamedSum(listing.removesuffix(_ONE_FILE), parse_sum(line), where)
        elif line.strip() and not line.startswith("#"):
            yield NamedSum(line.strip()[:40], None, where)


class _Compared(NamedTuple):
    """Whether a checksum could be compared, and what is wrong with it."""

    judged: bool
    found: RuleFinding | None = None
    unseen: str | None = None
    """The document, if a shallow clone doesn't show whether the checksum was true when it was written."""


@high_rule(
    declared="VR008",
    holds="VR008: every checksum matches its file.",
    reads="hashes in results, manifests and metadata, checksum lists, and the files they name",
    remedy="Find out whether the file or the checksum is right. Restore the file, or compute the checksum again.",
)
def data_intact(context: Context) -> Findings:
    handoffs = context.handoffs()
    procedures = [handoff for handoff in handoffs if handoff.dialect == PROCEDURE]
    named = [named for handoff in procedures for named in list_metadata_sums(context, handoff)]
    named.extend(list_file_sums(context))
    claims = [(handoff, claim) for handoff in handoffs for claim in handoff.claims if claim.kind is ClaimKind.HASH]
    if not named and not claims:
        context.skip("no checksum is mentioned")
    found = [found for handoff in procedures for found in find_broken(context, handoff, "VR008")]
    judged = bool(named or found)
    found += [one for entry in dict.fromkeys(named) for one in _judge_named(context, entry)]
    # several handoffs repeat the manifest of one package
    single = {(claim.where.path, claim.subject, claim.value): (handoff, claim) for handoff, claim in claims}
    compared = [_compare(context, handoff, claim) for handoff, claim in single.values()]
    found += [one.found for one in compared if one.found is not None]
    unseen = [one.unseen for one in compared if one.unseen is not None]
    if unseen and not found:
        context.undecidable(describe_cut_off(unseen))
    if not judged and not any(one.judged for one in compared):
        context.undecidable("none of the files with checksums is here to compare with")
    yield from found


def _judge_named(context: Context, entry: NamedSum) -> Findings:
    if entry.value is None:
        yield _report(entry, "names no SHA-256", "64 hex digits", "something else")
        return
    path = entry.path if context.exists(entry.path) else context.find(entry.path, entry.where.path)
    content = context.read(path) if path else None
    if content is None:
        yield _report(
            entry, "names the checksum of a file that is not here or cannot be read", entry.value, "no content"
        )
    elif _hash(content) != entry.value:
        yield _report(entry, "has a checksum that doesn't match the file", entry.value, _hash(content))


def _compare(context: Context, handoff: Handoff, claim: Claim) -> _Compared:
    path = context.find(claim.subject or "", claim.where.path)
    content = context.read(path) if path else None
    value = parse_sum(claim.value)
    if value is None:
        return _ask_measurement(context, handoff, claim)
    if content is not None and _hash(content) == value:
        return _Compared(judged=True)
    if not _speaks_of_now(handoff, claim):
        if is_document_cut_off(context, claim.where.path):
            return _Compared(judged=True, unseen=claim.where.path)
        if _was_true(context, claim, path or claim.subject or "", value):
            return _Compared(judged=True)
    if path is None or content is None:
        return _ask_measurement(context, handoff, claim)
    entry = NamedSum(path, value, claim.where)
    return _Compared(
        judged=True, found=_report(entry, "has a checksum that doesn't match the file", value, _hash(content))
    )


def _ask_measurement(context: Context, handoff: Handoff, claim: Claim) -> _Compared:
    """Uses the measurement of a claim if the file or the full hash is missing."""
    for verdict in context.verdicts(handoff.id):
        if verdict.claim == claim and verdict.state is VerdictState.CONTRADICTED:
            entry = NamedSum(claim.subject or "a file", parse_sum(claim.value), claim.where)
            found = _report(entry, "has a wrong checksum", str(claim.value), verdict.evidence)
            return _Compared(judged=True, found=found)
    return _Compared(judged=False)


def _speaks_of_now(handoff: Handoff, claim: Claim) -> bool:
    roles = {document.path: document.role for document in handoff.documents}
    return roles.get(claim.where.path) is DocumentRole.MANIFEST


def _was_true(context: Context, claim: Claim, path: str, value: str) -> bool:
    commit = context.document_commit(claim.where.path)
    content = context.read_at(commit, path) if commit else None
    return content is not None and _hash(content) == value


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _report(entry: NamedSum, problem: str, expected: str, actual: str) -> RuleFinding:
    message = f"VR008: {entry.where.path} {problem}: {entry.path}"
    command = f"sha256sum -- {quote(entry.path)}" if entry.value is not None else None
    return RuleFinding(message, f"checksum {entry.path}", entry.where, expected, actual, command)
