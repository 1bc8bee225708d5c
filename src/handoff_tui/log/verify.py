"""Verifies a log: the bytes and signatures of every entry, then how they fit together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final, Protocol

from handoff_tui.core.errors import LogEntryError
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.core.restored import restore
from handoff_tui.log.chain import Candidate, Chain, Known
from handoff_tui.log.entries.statement import parse_entry, verify_signatures
from handoff_tui.log.entry import Entry, LogProblem, LogVerdict, ProblemLevel
from handoff_tui.log.storage.blobs import LogBlobs, LogListing, Unsuitable

NOTHING: Final[Mapping[str, bytes]] = MappingProxyType({})


class Facts(Protocol):
    """What earlier verifications found, by entry id, such as `VerifiedCache`."""

    def load(self) -> Mapping[str, str]: ...
    def record(self, facts: Mapping[str, str]) -> None: ...


class LogVerifier:
    """Judges the log of one repository, as often as it is asked.

    With `facts`, entries that were verified before are not verified again: their names are hashes, so a file whose
    content still matches its name is what was verified. It is hashed again if its stamp has changed.
    """

    def __init__(self, blobs: LogBlobs, know: Callable[[], Known], facts: Facts | None = None) -> None:
        self._blobs = blobs
        self._know = know
        self._facts = facts
        self._chain = Chain()
        self._settled: LogListing | None = None
        """The listing that exactly matches what is known; an unchanged log lists as the same object."""
        self._valid: dict[str, Candidate] = {}
        self._tried: AbstractSet[str] = frozenset()
        """Entries that the chain was asked about but that may not be in the log."""
        self._were_gone = False
        self._refused: dict[str, LogProblem] = {}

    def __call__(self, further: Mapping[str, bytes] = NOTHING, /) -> LogVerdict:
        """Judges the log as it is now, with further entries that are not in it yet."""
        with without_collection():
            return self._verify(further)

    @property
    def candidates(self) -> Mapping[str, Candidate]:
        """Entries valid by themselves as of the last verdict, whether the chain accepts them or not."""
        return self._chain.candidates

    def _verify(self, further: Mapping[str, bytes]) -> LogVerdict:
        """Judges tried entries on the listing of just before: whoever tries holds the lock."""
        listing = self._settled if further and self._settled is not None else self._blobs.read_listing()
        problems = [build_unsuitable_problem(one) for one in listing.unsuitable]
        present = listing.present
        gone: set[str] = set()
        new: dict[str, Candidate] = {}
        if listing is not self._settled:
            unread, new = self._load(listing, present)
            gone = self._valid.keys() - present
            problems += unread
            self._settled = listing if not unread and not gone else None
        tried, refused = check_entries({one: content for one, content in further.items() if one not in self._valid})
        if gone or self._were_gone or not self._tried <= present:
            kept = {one: found for one, found in self._valid.items() if one not in gone}
            verdict = self._chain.judge({**kept, **tried}, self._know())
        else:
            verdict = self._chain.grow({**new, **tried}, self._know())
        self._tried, self._were_gone = tried.keys(), bool(gone)
        problems += [problem for one, problem in self._refused.items() if one in present]
        return verdict.model_copy(update={"problems": (*verdict.problems, *problems, *refused)})

    def _load(self, listing: LogListing, present: frozenset[str]) -> tuple[list[LogProblem], dict[str, Candidate]]:
        """Checks and remembers what is new; returns what could not be read, and what is valid."""
        new = present.difference(self._valid, self._refused)
        stamps = self._blobs.read_stamps(listing, new) if self._facts is not None else {}
        known = self._remember(new)
        same = {one for one, (stamp, _) in known.items() if stamps.get(one) == stamp}
        read = self._blobs.read_contents(listing, new - same)
        remembered = {one: found for one, (_, found) in known.items() if one in same or one in read.contents}
        fresh, refused = check_entries({one: read.contents[one] for one in read.contents.keys() - remembered.keys()})
        self._valid |= remembered | fresh
        self._refused |= {str(problem.entry): problem for problem in refused}
        if self._facts is not None:
            hashed = {one: found for one, found in (remembered | fresh).items() if one not in same}
            if read.unsuitable:  # a false copy beside a true one is reported every time
                stamps = {}
            self._facts.record({one: f"{stamps.get(one, '-')} {pack(found)}" for one, found in hashed.items()})
        return [build_unsuitable_problem(one) for one in read.unsuitable], {**remembered, **fresh}

    def _remember(self, new: Collection[str]) -> dict[str, tuple[str, Candidate]]:
        """Returns what earlier verifications found out about these, and the stamp that each had then."""
        lines = self._facts.load() if self._facts is not None and new else {}
        known: dict[str, tuple[str, Candidate]] = {}
        for one in new:
            stamp, _, line = lines.get(one, "").partition(" ")
            if line and (found := unpack(one, line)) is not None:
                known[one] = (stamp, found)
        return known


def check_entries(contents: Mapping[str, bytes]) -> tuple[dict[str, Candidate], list[LogProblem]]:
    """Returns entries valid by themselves (bytes, schema, signatures), and what is wrong with the others."""
    candidates: dict[str, Candidate] = {}
    problems: list[LogProblem] = []
    for identifier, content in sorted(contents.items()):
        try:
            candidates[identifier] = check_entry(content)
        except LogEntryError as wrong:
            problems.append(
                LogProblem(level=ProblemLevel.REFUSED, code=wrong.code, entry=identifier, text=wrong.message)
            )
    return candidates, problems


def check_entry(content: bytes) -> Candidate:
    """Checks one entry by itself; raises if something is wrong with it."""
    parsed = parse_entry(content)
    verify_signatures(parsed)
    touched = all(signature.user_present for signature in parsed.signatures)
    return Candidate(parsed.entry, hashlib.sha256(parsed.pae).hexdigest(), touched)


def find_drift(verdict: LogVerdict, on_disk: Mapping[str, str | None]) -> tuple[LogProblem, ...]:
    """Finds trust files that differ from the newest policy entry. They are never used, but people may believe them."""
    policy = verdict.policy_text
    if policy is None:
        return ()
    return tuple(
        LogProblem(
            level=ProblemLevel.NOTE,
            code="trust-drift",
            entry=verdict.policy,
            text=f".handoff-tui/trust/{name} {'is missing' if on_disk.get(name) is None else 'differs'}: "
            "the policy in the log is what counts",
        )
        for name, text in policy.files.items()
        if on_disk.get(name) != text
    )


def build_unsuitable_problem(one: Unsuitable) -> LogProblem:
    return LogProblem(
        level=ProblemLevel.REFUSED, code="unsuitable-file", entry=one.path, text=f"{one.reason} ({one.where})"
    )


def pack(candidate: Candidate) -> str:
    """Writes what verification found out about an entry as one line of ASCII: payload, touch, entry."""
    entry = candidate.entry.model_dump(mode="json", exclude_none=True)
    return f"{candidate.payload} {'touched' if candidate.touched else '-'} {json.dumps(entry, separators=(',', ':'))}"


def unpack(identifier: str, line: str) -> Candidate | None:
    """Reads the entry of this id; None if the line is about another one or cannot be read."""
    payload, _, rest = line.partition(" ")
    touch, _, written = rest.partition(" ")
    try:
        entry = restore(Entry, json.loads(written))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return Candidate(entry, payload, touch == "touched") if entry.id == identifier else None
