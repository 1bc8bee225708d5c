"""One entry of the log whole, and its parts as files for checking by hand."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from handoff_tui.core.errors import EntryNotFoundError, HandoffError, LogEntryError
from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.log.entries.entry import ParsedEntry, parse_entry
from handoff_tui.log.open_log import OpenLog
from handoff_tui.log.policy.policy import parse_policy
from handoff_tui.log.record import NO_BASELINE, Entry, PolicyText
from handoff_tui.log.show.entries import RowBuilder
from handoff_tui.log.show.view import EntryView, EvidenceView, SignatureView
from handoff_tui.log.storage.blobs import ID_PREFIX, WORK_TREE
from handoff_tui.log.storage.evidence_files import BASELINES, REVIEWS, EvidenceFiles
from handoff_tui.system.files.named_files import write_new_files

_WRITTEN_ID = re.compile(r"(?:sha256:)?([0-9a-f]{4,64})")
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class BoundFile:
    """A stored file that an entry names."""

    name: str
    folder: str
    digest: str


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """One entry, with its bytes."""

    view: EntryView
    content: bytes
    parsed: ParsedEntry | None
    policies: tuple[PolicyText, ...]
    """What its signatures are held against: the policy in force; of a policy its own text and the one before."""


def show_entry(log: OpenLog, written: str) -> ShownEntry:
    """An entry by the beginning of its id: valid, void or refused."""
    verdict = log.verify()
    listing = log.blobs.read_listing()
    identifier = find_entry_id(listing.ids, written)
    content = log.blobs.read_contents(listing, (identifier,)).contents.get(identifier)
    if content is None:
        raise EntryNotFoundError(
            f"no file has the content that {identifier} stands for",
            "handoff-tui log verify tells what is in its place; a copy on another branch or in a backup would do.",
        )
    rows = RowBuilder(verdict, log.find_candidates())
    places = listing.find_places(identifier)
    parsed = _try_parse(content)
    policies = _find_policies(parsed.entry, rows) if parsed is not None else ()
    followers = (entry.id for entry in verdict.entries if identifier in entry.parents)
    files, refs = EvidenceFiles(log.repository), tuple(place for place in places if place != WORK_TREE)
    view = EntryView(
        row=rows.build_row(identifier),
        entry=parsed.entry if parsed is not None else None,
        size=len(content),
        places=places,
        policy=rows.find_policy(parsed.entry) if parsed is not None else None,
        signatures=_list_signatures(parsed, policies) if parsed is not None else (),
        followers=tuple(sorted(followers)),
        evidence=tuple(
            EvidenceView(name=one.name, digest=one.digest, present=files.read(one.folder, one.digest, refs) is not None)
            for one in (list_evidence(parsed.entry) if parsed is not None else ())
        ),
    )
    return ShownEntry(view, content, parsed, policies)


def write_extract(shown: ShownEntry, folder: Path, readme: str) -> tuple[str, ...]:
    """Writes the parts of an entry as files, none of which may be there already; their names."""
    files = {**build_parts(shown), "README.md": readme.encode()}
    write_new_files(folder, files)
    return tuple(files)


def build_parts(shown: ShownEntry) -> dict[str, bytes]:
    """The file as stored; and, where it can be read, what was signed, the signatures, and who may sign."""
    parts = {"entry.intoto.jsonl": shown.content}
    if shown.parsed is None:
        return parts
    envelope = json.loads(shown.content)
    parts["payload.json"] = base64.b64decode(envelope["payload"])
    parts["entry.pae"] = shown.parsed.pae
    for number, signature in enumerate(envelope["signatures"], start=1):
        parts[f"signature-{number}.sig"] = base64.b64decode(signature["sig"])
    for text, suffix in zip(shown.policies, ("", ".previous"), strict=False):
        parts[f"allowed_signers{suffix}"] = text.allowed_signers.encode()
        parts[f"policy{suffix}.toml"] = text.policy_toml.encode()
    return parts


def find_entry_id(ids: tuple[str, ...], written: str) -> str:
    """The whole id of which a person wrote the beginning."""
    asked = _WRITTEN_ID.fullmatch(written.strip().lower())
    if asked is None:
        raise EntryNotFoundError(f"{written} is not the beginning of an id", "Give at least its first 4 hex digits.")
    found = [one for one in ids if one.startswith(ID_PREFIX + asked[1])]
    if not found:
        raise EntryNotFoundError(f"no entry has an id that begins with {asked[1]}", "`handoff-tui log` lists them.")
    if len(found) > 1:
        named = ", ".join(one[:SHORT_ENTRY] for one in found[:_MOST_NAMED])
        raise EntryNotFoundError(f"{len(found)} entries begin with {asked[1]}: {named}", "Give more of the id.")
    return found[0]


def list_evidence(entry: Entry) -> tuple[BoundFile, ...]:
    """The stored files that an entry is bound to; a baseline only where there was one."""
    if entry.work is None:
        return ()
    subject = entry.work.subject
    found = [BoundFile("snapshot", BASELINES, subject.snapshot)]
    if subject.baseline != NO_BASELINE:
        found.insert(0, BoundFile("baseline", BASELINES, subject.baseline))
    if entry.decision is not None:
        found.append(BoundFile("review", REVIEWS, entry.decision.review))
    return tuple(found)


def _try_parse(content: bytes) -> ParsedEntry | None:
    try:
        return parse_entry(content)
    except LogEntryError:
        return None


def _find_policies(entry: Entry, rows: RowBuilder) -> tuple[PolicyText, ...]:
    if entry.policy is not None:
        before = rows.candidates.get(entry.policy.previous or "")
        earlier = before.entry.policy if before is not None else None
        return (entry.policy,) if earlier is None else (entry.policy, earlier)
    named = rows.candidates.get(rows.find_policy(entry) or "")
    return () if named is None or named.entry.policy is None else (named.entry.policy,)


def _list_signatures(parsed: ParsedEntry, policies: tuple[PolicyText, ...]) -> tuple[SignatureView, ...]:
    known = [_find_people(text) for text in policies]
    views: list[SignatureView] = []
    for signature in parsed.signatures:
        keyid = signature.key.fingerprint
        place = next((number for number, people in enumerate(known) if keyid in people), None)
        view = SignatureView(
            keyid=keyid,
            key_type=signature.key.type.value,
            hash=signature.hash_name.decode(),
            principal=None if place is None else known[place][keyid],
            former=bool(place),
            user_present=signature.user_present,
            counter=signature.counter,
        )
        views.append(view)
    return tuple(views)


def _find_people(text: PolicyText) -> Mapping[str, str]:
    """Key to principal; nobody where the policy makes no sense."""
    try:
        return {keyid: signer.principal for keyid, signer in parse_policy(text).signers.items()}
    except HandoffError:
        return {}
