"""Shows log entries: a list with verdicts, or one in full with its parts and what verifies them without handoff-tui."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from handoff_tui.core.classes import dataclass
from handoff_tui.core.errors import EntryNotFoundError, HandoffError, LogEntryError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.log.chain import Candidate
from handoff_tui.log.entries.statement import ParsedEntry, parse_entry
from handoff_tui.log.entry import NO_BASELINE, Entry, LogProblem, LogProblemLevel, LogVerdict, PolicyText
from handoff_tui.log.open_log import OpenLog
from handoff_tui.log.person import Confirmation
from handoff_tui.log.policy.policy import is_solo, parse_policy
from handoff_tui.log.review_record import ReviewRecord
from handoff_tui.log.show.view import EntryState, EntryView, LogRow, ShownEvidence, ShownLog, SignatureView
from handoff_tui.log.storage.blobs import ID_PREFIX, WORK_TREE
from handoff_tui.log.storage.evidence import BASELINES, REVIEWS, EvidenceFiles
from handoff_tui.system.files.named_files import write_new_files
from handoff_tui.system.installation import read_shipped_text

README_NAME = "README.md"
SCRIPT_NAME = "verify.sh"
SUBMIT = "submit"
POLICY = "policy"
_WRITTEN_ID = compile_later(r"(?:sha256:)?([0-9a-f]{4,64})")
_MOST_NAMED = 5


def read_script() -> str:
    """Returns the script that checks every entry of a log with ordinary tools; docs/verify-by-hand.md has it too."""
    return read_shipped_text("log/show/verify.sh")


def build_bundle_texts() -> dict[str, str]:
    """Returns the texts of every bundle, by file name."""
    return {README_NAME: read_shipped_text("log/show/bundle.md"), SCRIPT_NAME: read_script()}


def build_extract_readme(view: EntryView, files: Sequence[str]) -> str:
    """Says how to check one extracted entry with ordinary tools."""
    digest = view.row.id.removeprefix("sha256:")
    lines = [f"# Entry {view.row.id}", "", f"Verification says: {view.row.state}. {view.row.why}".rstrip(), ""]
    lines += ["## The name is the hash of the file", "", f"    echo '{digest}  entry.intoto.jsonl' | sha256sum -c", ""]
    if "payload.json" not in files:
        return "\n".join([*lines, "The file is not an entry, so there is nothing more to check.", ""])
    lines += [
        "## The payload is what the file carries, and the PAE is made of it",
        "",
        "    jq -j .payload entry.intoto.jsonl | base64 -d | cmp - payload.json",
        "    printf 'DSSEv1 28 application/vnd.in-toto+json %d ' \"$(wc -c < payload.json)\" |",
        "      cat - payload.json | cmp - entry.pae",
        "    jq . payload.json",
        "",
        "## Each signature is over the PAE, by a key of the policy",
        "",
        *_list_signature_commands(view, files),
        "",
        "`allowed_signers` is what the policy in force for this entry carries; of a policy entry, its own text, and",
        "the one before it ends in `.previous`. Whether that policy is the right one is a question about all entries:",
        "`handoff-tui log verify`, or the script in docs/verify-by-hand.md.",
        "",
    ]
    return "\n".join(lines)


def _list_signature_commands(view: EntryView, files: Sequence[str]) -> list[str]:
    at = "".join(character for character in view.row.time or "" if character.isdigit())
    lines: list[str] = []
    for number, signature in enumerate(view.signatures, start=1):
        if signature.principal is None or "allowed_signers" not in files:
            lines += [
                f"    # {signature.keyid} is in no policy that is known here; this asks only whether it fits",
                f"    ssh-keygen -Y check-novalidate -n {NAMESPACE} -s signature-{number}.sig < entry.pae",
            ]
            continue
        signers = "allowed_signers.previous" if signature.former else "allowed_signers"
        lines.append(
            f"    TZ=UTC ssh-keygen -Y verify -O verify-time={at} -f {signers} "
            f"-I {signature.principal} -n {NAMESPACE} -s signature-{number}.sig < entry.pae"
        )
    return lines


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries to list; None matches all."""

    handoff: str | None = None
    person: str | None = None
    verb: str | None = None

    def matches(self, row: LogRow) -> bool:
        verb = (row.what or "").partition(" ")[0]
        pairs = ((self.handoff, row.handoff), (self.person, row.actor), (self.verb, verb))
        return all(wanted is None or wanted == value for wanted, value in pairs)


_EVERYTHING = EntryFilter()


def list_log(log: OpenLog, wanted: EntryFilter) -> ShownLog:
    """Lists everything that is in the log or claims to be."""
    return build_log_view(log.verify(), log.find_candidates(), wanted)


def build_log_view(
    verdict: LogVerdict, candidates: Mapping[str, Candidate], wanted: EntryFilter = _EVERYTHING
) -> ShownLog:
    """Builds the view of a log, as it is now or as it was."""
    rows = RowBuilder(verdict, candidates).build_all()
    return ShownLog(
        fatal=verdict.fatal,
        log=verdict.log,
        policy=verdict.policy,
        heads=verdict.heads,
        total=len(rows),
        rows=tuple(row for row in rows if wanted.matches(row)),
        problems=verdict.problems,
    )


class RowBuilder:
    """Builds rows for one verdict."""

    def __init__(self, verdict: LogVerdict, candidates: Mapping[str, Candidate]) -> None:
        self.verdict = verdict
        self.candidates = candidates
        self._heads = frozenset(verdict.heads)
        self._valid = frozenset(entry.id for entry in verdict.entries)
        self._refused = {one.entry: one for one in verdict.problems if one.entry and _is_refusal(one)}
        self._roles: dict[tuple[str | None, str], tuple[str, ...]] = {}

    def build_all(self) -> list[LogRow]:
        """Builds all rows, newest first; what could not be read has no time and comes last."""
        unread = sorted(one for one in self._refused if one.startswith("sha256:") and one not in self.candidates)
        rows = [self.build_row(one) for one in [*self.candidates, *unread]]
        rows.sort(key=lambda row: (row.time or "", row.seq or 0, row.id), reverse=True)
        return rows

    def build_row(self, identifier: str) -> LogRow:
        state, code, why = self._judge(identifier)
        candidate = self.candidates.get(identifier)
        if candidate is None:
            return LogRow(id=identifier, state=state, code=code, why=why)
        entry, work = candidate.entry, candidate.entry.work
        return LogRow(
            id=identifier,
            state=state,
            code=code,
            why=why,
            kind=entry.kind.word,
            what=describe_act(entry),
            seq=entry.seq,
            time=entry.time,
            actor=entry.actor,
            roles=self._find_roles(entry),
            handoff=work.handoff if work else None,
            phase=work.phase if work else None,
            attempt=work.attempt if work else None,
            keyids=entry.keyids,
            head=identifier in self._heads,
            solo=is_solo(entry, self._find_policy_text(entry)),
            touched=candidate.touched,
            parents=entry.parents,
        )

    def find_policy(self, entry: Entry) -> str | None:
        """Returns the policy that an entry was made under; a policy is its own."""
        return entry.id if entry.work is None else entry.work.policy

    def _find_policy_text(self, entry: Entry) -> PolicyText | None:
        named = self.candidates.get(self.find_policy(entry) or "")
        return None if named is None else named.entry.policy

    def _judge(self, identifier: str) -> tuple[EntryState, str | None, str]:
        if identifier in self.verdict.void:
            return EntryState.VOID, None, self.verdict.void[identifier]
        if identifier in self._valid:
            return EntryState.VALID, None, ""
        problem = self._refused.get(identifier)
        if problem is None:
            return EntryState.REFUSED, None, "verification does not count it"
        return EntryState.REFUSED, problem.code, problem.text

    def _find_roles(self, entry: Entry) -> tuple[str, ...]:
        place = (self.find_policy(entry), entry.actor)
        if place not in self._roles:
            self._roles[place] = self._read_roles(*place)
        return self._roles[place]

    def _read_roles(self, policy: str | None, actor: str) -> tuple[str, ...]:
        named = self.candidates.get(policy or "")
        if named is None or named.entry.policy is None:
            return ()
        try:
            roles = parse_policy(named.entry.policy).roles
        except HandoffError:
            return ()
        return tuple(sorted(name for name, people in roles.items() if actor in people))


def describe_act(entry: Entry) -> str:
    """Says what an entry does, in a word or two."""
    if entry.decision is not None:
        return entry.decision.verb.value
    return SUBMIT if entry.policy is None else f"{POLICY} {entry.policy.version}"


def _is_refusal(problem: LogProblem) -> bool:
    """Whether a problem says why its entry doesn't count; a rollback or a fork is about more than one entry."""
    return problem.level is LogProblemLevel.REFUSED or problem.code == "missing-parent"


@dataclass(frozen=True, slots=True)
class BoundFile:
    """A stored file that an entry is bound to."""

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
    """What its signatures are checked against: the policy in force; for a policy its own text and the one before."""


def show_entry(log: OpenLog, written: str) -> ShownEntry:
    """Shows an entry, named by the beginning of its id: valid, void or refused."""
    verdict = log.verify()
    listing = log.blobs.read_listing()
    identifier = find_entry_id(listing.ids, written)
    content = log.blobs.read_contents(listing, (identifier,)).contents.get(identifier)
    if content is None:
        raise EntryNotFoundError(
            f"no file has the content of {identifier}",
            "handoff-tui log verify says what is there instead; a copy on another branch or in a backup would do.",
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
            ShownEvidence(
                name=one.name, digest=one.digest, present=files.read(one.folder, one.digest, refs) is not None
            )
            for one in (list_evidence(parsed.entry) if parsed is not None else ())
        ),
        confirmed=_find_confirmation(parsed.entry, files, refs) if parsed is not None else None,
    )
    return ShownEntry(view, content, parsed, policies)


def _find_confirmation(entry: Entry, files: EvidenceFiles, refs: tuple[str, ...]) -> Confirmation | None:
    content = None if entry.decision is None else files.read(REVIEWS, entry.decision.review, refs)
    try:
        return None if content is None else ReviewRecord.model_validate_json(content, strict=True).confirmed
    except ValueError:
        return None


def write_extract(shown: ShownEntry, folder: Path) -> tuple[str, ...]:
    """Writes the parts of an entry as new files, and returns their names."""
    parts = build_parts(shown)
    files = {**parts, "README.md": build_extract_readme(shown.view, list(parts)).encode()}
    write_new_files(folder, files)
    return tuple(files)


def build_parts(shown: ShownEntry) -> dict[str, bytes]:
    """Returns the file as stored and, if it can be read, what was signed, the signatures, and who may sign."""
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
    """Completes an id that a person abbreviated."""
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
    """Lists the stored files that an entry is bound to; a baseline only if there was one."""
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
    """Maps keys to principals; empty if the policy cannot be parsed."""
    try:
        return {keyid: signer.principal for keyid, signer in parse_policy(text).signers.items()}
    except HandoffError:
        return {}
