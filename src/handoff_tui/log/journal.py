"""Adds an entry to the log: lock, verify, build, sign, check what was signed, store. First come, first served.

The entry is built under the lock, on the verdict of that moment, so a decision can see that another one came first, and
refuse. If a person may be asked for a passphrase or a touch, it is built and signed before the lock is taken, so that
nobody waits for them; it is stored if the log has not changed by then, and built and signed again if it has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Protocol

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import AppendRefusedError, LogBrokenError
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.log.entries.envelope import build_envelope, build_pae
from handoff_tui.log.entries.sshsig import re_armor
from handoff_tui.log.entries.statement import ParsedEntry, parse_entry, verify_signatures
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import Decision, Entry, EntryKind, LogVerdict, PolicyText, Work
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.system.files.addressed_files import AddressedFolder


class EntrySigner(Protocol):
    """Makes an armored SSH signature over a message, for the namespace of the log."""

    def sign(self, message: bytes) -> bytes: ...


Verifier = Callable[[Mapping[str, bytes]], LogVerdict]
"""Judges the log as it is now, or as it would be with further entries, by id."""


class Memory(Protocol):
    """Remembers what was made here, and what was once seen valid."""

    def record(self, entry: Entry, after: LogVerdict) -> None: ...


class Parents(NamedTuple):
    """The position of the next entry, and the verdict on all before it."""

    ids: tuple[str, ...]
    seq: int
    time: str
    verdict: LogVerdict

    def build_entry(
        self,
        kind: EntryKind,
        actor: str,
        *,
        policy: PolicyText | None = None,
        work: Work | None = None,
        decision: Decision | None = None,
    ) -> Entry:
        """Builds an entry for this position; its id follows from its bytes."""
        return Entry(
            id="",
            kind=kind,
            actor=actor,
            seq=self.seq,
            time=self.time,
            parents=self.ids,
            log=self.verdict.log,
            policy=policy,
            work=work,
            decision=decision,
        )


class Draft(NamedTuple):
    """What to add: the payload, and its armored signatures if others have made them already."""

    payload: bytes
    signatures: tuple[bytes, ...] = ()


class _Signed(NamedTuple):
    """A draft with its signatures, for one position."""

    parents: Parents
    draft: Draft
    content: bytes


class Appended(NamedTuple):
    """The entry as it is in the log now, and the verdict with it."""

    entry: Entry
    content: bytes
    verdict: LogVerdict


class Journal:
    """The only way to write to the log of a repository."""

    def __init__(
        self, storage: AddressedFolder, lock: LogLock, verify: Verifier, memory: Memory, now: Callable[[], datetime]
    ) -> None:
        self._storage = storage
        self._lock = lock
        self._verify = verify
        self._memory = memory
        self._now = now

    def append(
        self,
        build: Callable[[Parents], Draft],
        signer: EntrySigner | None = None,
        despite: Collection[str] = (),
        *,
        check_again: Callable[[Parents], None] | None = None,
    ) -> Appended:
        """Adds what `build` makes for the next position; if it raises, nothing is added.

        `despite` are codes of fatal problems that this very entry fixes, such as a forked policy. With `check_again`
        the entry is signed before the lock is taken; under the lock, on the same heads, `check_again` is called to
        check that everything still holds.
        """
        ahead = None
        if check_again is not None:
            ahead = _sign(build, self._find_position(despite), signer)
        with self._lock.hold(), without_collection():
            position = self._find_position(despite)
            if check_again is not None and ahead is not None and ahead.parents.ids == position.ids:
                check_again(position)
                return self._store(ahead, position.verdict)
            return self._store(_sign(build, position, signer), position.verdict)

    def _find_position(self, despite: Collection[str]) -> Parents:
        verdict = self._verify({})
        _refuse_broken(verdict, despite)
        return build_parents(verdict, self._now())

    def _store(self, signed: _Signed, before: LogVerdict) -> Appended:
        content = signed.content
        parsed = parse_entry(content)
        verify_signatures(parsed)
        if not signed.draft.signatures:
            _refuse_other_position(parsed, signed.parents)
        after = self._verify({parsed.entry.id: content})
        _refuse_unaccepted(parsed.entry.id, after, before)
        self._storage.write(content)
        self._memory.record(parsed.entry, after)
        return Appended(parsed.entry, content, after)


def build_parents(verdict: LogVerdict, now: datetime) -> Parents:
    """Returns all verified heads, one more than their highest number, and a time not before theirs."""
    heads = _find_heads(verdict)
    return Parents(
        ids=tuple(sorted(verdict.heads)),
        seq=1 + max((entry.seq for entry in heads), default=0),
        time=max(build_time(now), *(entry.time for entry in heads), ""),
        verdict=verdict,
    )


def _find_heads(verdict: LogVerdict) -> list[Entry]:
    """Searches from the end, where they are, instead of through ten thousand entries."""
    wanted = set(verdict.heads)
    found: list[Entry] = []
    for entry in reversed(verdict.entries):
        if len(found) == len(wanted):
            break
        if entry.id in wanted:
            found.append(entry)
    return found


def _sign(build: Callable[[Parents], Draft], parents: Parents, signer: EntrySigner | None) -> _Signed:
    draft = build(parents)
    return _Signed(parents, draft, _build_content(draft, signer))


def _build_content(draft: Draft, signer: EntrySigner | None) -> bytes:
    signatures = draft.signatures
    if not signatures:
        if signer is None:
            raise AppendRefusedError("the entry has no signature, and there is no signer")
        signatures = (signer.sign(build_pae(draft.payload)),)
    return build_envelope(draft.payload, [re_armor(signature) for signature in signatures])


def _refuse_broken(verdict: LogVerdict, despite: Collection[str]) -> None:
    for problem in verdict.fatal_problems:
        if problem.code not in despite:
            raise LogBrokenError(
                f"the log is not intact, so nothing can be added to it: {problem.text}",
                "Run handoff-tui log verify to see everything that is wrong.",
            )


def _refuse_other_position(parsed: ParsedEntry, parents: Parents) -> None:
    entry = parsed.entry
    if (entry.parents, entry.seq) != (parents.ids, parents.seq) or entry.time < parents.time:
        raise AppendRefusedError("the entry was built for another position in the log")


def _refuse_unaccepted(identifier: str, after: LogVerdict, before: LogVerdict) -> None:
    """Never stores an entry that verification would refuse, or that would break the log."""
    if not any(entry.id == identifier for entry in reversed(after.entries)):
        reasons = [problem.text for problem in after.problems if problem.entry == identifier]
        raise AppendRefusedError(
            f"the entry would be refused: {'; '.join(reasons) or 'verification does not count it'}",
            "Nothing was added. handoff-tui policy show says who may do what.",
        )
    if identifier in after.void:
        raise AppendRefusedError(f"the entry would not count: {after.void[identifier]}")
    old = {(problem.code, problem.entry) for problem in before.fatal_problems}
    for problem in after.fatal_problems:
        if (problem.code, problem.entry) not in old:
            raise AppendRefusedError(f"the entry would break the log: {problem.text}", "Nothing was added.")
