"""What this user has seen of logs: in the clone, and outside every repository, sealed.

The clone remembers which entries were valid here. The same is kept in the user's state folder, so that deleting both an
entry and the clone's memory of it is noticed. There, too, are the logs that the user consented to, by their first
entry, and the entries that were made on this machine with the user's keys.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.errors import HandoffError, LogBrokenError, StoreWriteError, WitnessDamagedError
from handoff_tui.log.entries.fields import ENTRY_ID
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import Entry, LogVerdict
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.system.files.cache_files import find_choices_folder, find_state_folder
from handoff_tui.system.files.git_private_files import GitPrivateFolder
from handoff_tui.system.files.sealed_files import load_cache_secret, seal, unseal

WITNESS_NAME = "witness.json"
_VERSION = 1
_KEYS = {"version", "genesis", "entries"}
_END = b"\n]}\n"
"""One line per entry, so that adding one does not rewrite the others."""
_HINT = (
    "It is in the git folder, below handoff-tui/. If you know why, move it aside and run handoff-tui log verify; "
    "this clone won't notice what was deleted before that."
)

_LOGS = "logs.json"
CACHE_NAME = "verified-cache"
VERIFICATION_VERSION = "3"
"""Raise it whenever verification checks bytes or signatures differently; older caches then count as empty."""
_ID_LENGTH = len("sha256:") + 64


class LocalFiles(Protocol):
    """Small files in the git folder, each replaced in one step."""

    def read(self, name: str) -> bytes | None: ...
    def write(self, name: str, content: bytes, *, lasting: bool = True) -> None: ...
    def remove(self, name: str) -> None: ...


class SeenEntries(NamedTuple):
    """The first entry, and every entry that was ever valid here."""

    genesis: str | None = None
    entries: frozenset[str] = frozenset()


class Witness:
    """`witness.json`. Hold the log's lock to record, so that two writers don't undo each other."""

    def __init__(self, files: LocalFiles) -> None:
        self._files = files
        self._content: bytes | None = None
        self._seen = SeenEntries()

    def load(self) -> SeenEntries:
        """Returns what was seen, empty at first. A damaged file is an error, never a fresh start."""
        content = self._files.read(WITNESS_NAME)
        if content != self._content:
            self._seen = SeenEntries() if content is None else parse_witness(content)
            self._content = content
        return self._seen

    def forget(self) -> None:
        self._files.remove(WITNESS_NAME)

    def record(self, genesis: str, entries: Collection[str], followed: Collection[str] = ()) -> SeenEntries:
        """Adds entries and drops those they follow, which cannot be lost while they are valid.

        Another first entry than before is an error.
        """
        seen = self.load()
        if seen.genesis not in {None, genesis}:
            raise LogBrokenError(
                f"the log begins with {genesis}, and this clone has seen it begin with {seen.genesis}",
                "Has the log been replaced by another one? handoff-tui log verify shows what is missing.",
            )
        new = [entry for entry in entries if entry not in seen.entries]
        if new:
            kept = seen.entries.difference(followed)
            if len(kept) < len(seen.entries):
                content = build_witness(genesis, kept.union(new))
            else:
                content = build_witness(genesis, new, self._content)
            self._files.write(WITNESS_NAME, content)
            self._content, self._seen = content, SeenEntries(genesis, kept.union(new))
        return self._seen


def parse_witness(content: bytes) -> SeenEntries:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as wrong:
        raise WitnessDamagedError("the list of entries once seen valid is no longer JSON", _HINT) from wrong
    if not isinstance(value, dict) or value.keys() != _KEYS:
        raise WitnessDamagedError("the list of entries once seen valid has the wrong fields", _HINT)
    if value["version"] != _VERSION:
        raise WitnessDamagedError(
            "the list of entries once seen valid was written by another version", "Use the newer handoff-tui."
        )
    genesis, entries = value["genesis"], value["entries"]
    if not isinstance(entries, list) or not all(map(_is_entry_id, [genesis, *entries])):
        raise WitnessDamagedError("the list of entries once seen valid names something that is not an entry", _HINT)
    return SeenEntries(genesis, frozenset(entries))


def build_witness(genesis: str, new: Collection[str], old: bytes | None = None) -> bytes:
    """Appends new entries; the old content, which was read before, is kept as it is."""
    lines = ",\n".join(json.dumps(entry) for entry in sorted(new)).encode()
    if old is not None and old.endswith(_END) and old[-len(_END) - 1 : -len(_END)] == b'"':
        return old[: -len(_END)] + b",\n" + lines + _END
    known = parse_witness(old).entries if old is not None else frozenset()
    if known:
        return build_witness(genesis, known.union(new))
    return f'{{"version":{_VERSION},"genesis":{json.dumps(genesis)},"entries":[\n'.encode() + lines + _END


def _is_entry_id(value: object) -> bool:
    return isinstance(value, str) and ENTRY_ID.fullmatch(value) is not None


class SealedFiles:
    """What the user has seen of logs, sealed. A file that something else wrote is an error, never a fresh start."""

    def __init__(self, folder: GitPrivateFolder, secret: bytes) -> None:
        self._folder, self._secret = folder, secret

    def read(self, name: str) -> bytes | None:
        stored = self._folder.read(name)
        if stored is None:
            return None
        content = unseal(stored, name, self._secret)
        if content is None:
            raise WitnessDamagedError(
                f"{name} in your state folder was not written by handoff-tui: its seal is wrong",
                "Somebody changed what this machine remembers of the log. Look at the log with care; if you know why, "
                "delete the file and run handoff-tui log pin.",
            )
        return content

    def write(self, name: str, content: bytes, *, lasting: bool = True) -> None:
        self._folder.write(name, seal(content, name, self._secret), lasting=lasting)

    def remove(self, name: str) -> None:
        self._folder.remove(name)


@dataclass(frozen=True, slots=True)
class KnownLog:
    """One log that the user consented to."""

    keys: frozenset[str] = frozenset()
    """The user's keys that signed in it on this machine."""
    own: frozenset[str] = frozenset()
    """The entries by these keys that are known to be the user's."""


class KnownLogs:
    """The logs that the user consented to, by the id of their first entry. Shared by all clones of this user."""

    def __init__(self, files: LocalFiles, lock: LogLock) -> None:
        self._files, self._lock = files, lock

    def load(self) -> dict[str, KnownLog]:
        content = self._files.read(_LOGS)
        value = {} if content is None else json.loads(content)
        return {log: KnownLog(frozenset(known["keys"]), frozenset(known["own"])) for log, known in value.items()}

    def forget(self, log: str) -> None:
        with self._lock.hold():
            known = self.load()
            if known.pop(log, None) is not None:
                self._write(known)

    def add(self, log: str, keys: Iterable[str] = (), own: Iterable[str] = ()) -> None:
        """Consents to a log, and adds what the user signed in it."""
        with self._lock.hold():
            known = self.load()
            before = known.get(log, KnownLog())
            after = KnownLog(before.keys.union(keys), before.own.union(own))
            if log not in known or after != before:
                known[log] = after
                self._write(known)

    def _write(self, known: dict[str, KnownLog]) -> None:
        value = {log: {"keys": sorted(one.keys), "own": sorted(one.own)} for log, one in known.items()}
        self._files.write(_LOGS, json.dumps(value).encode())


class LogMemory:
    """Everything this user and this clone remember of the log of one repository."""

    def __init__(self, local: GitPrivateFolder) -> None:
        self._here = Witness(local)
        self._outside: Witness | None = None
        self._logs: KnownLogs | None = None
        secret = load_cache_secret()
        if secret is not None:  # else there is no place outside: no home, or it cannot be written
            around = GitPrivateFolder(find_choices_folder(local.common_dir), make_outer=True)
            state = GitPrivateFolder(find_state_folder().parent, make_outer=True)
            self._outside = Witness(SealedFiles(around, secret))
            self._logs = KnownLogs(SealedFiles(state, secret), LogLock(state))

    def load(self) -> SeenEntries:
        """Returns what was seen valid, here or outside. A damaged file is an error, never a fresh start."""
        here = self._here.load()
        if self._logs is not None:
            self._logs.load()
        outside = SeenEntries() if self._outside is None else self._outside.load()
        return SeenEntries(outside.genesis or here.genesis, here.entries | outside.entries)

    def knows(self, log: str) -> bool:
        """Whether the user consented to the log with this first entry."""
        return self._logs is not None and log in self._logs.load()

    def list_foreign(self, verdict: LogVerdict) -> tuple[Entry, ...]:
        """Lists the entries by the user's keys that were not made on this machine."""
        known = None if self._logs is None or verdict.log is None else self._logs.load().get(verdict.log)
        if known is None or not known.keys:
            return ()
        signed = (entry for entry in verdict.entries if not known.keys.isdisjoint(entry.keyids))
        return tuple(entry for entry in signed if entry.id not in known.own and not _was_proposed(entry, known))

    def add_proposal(self, verdict: LogVerdict, payload: bytes) -> None:
        """Remembers that the user signed a proposed policy here; others may add it to the log later."""
        if self._logs is not None and verdict.log is not None and verdict.anchored:
            self._logs.add(verdict.log, own=[_name_payload(payload)])

    def consent(self, verdict: LogVerdict) -> None:
        """Takes the log as it is: its first entry, and what the user's keys have signed in it so far."""
        if verdict.log is None:
            return
        if self._logs is not None:
            self._logs.add(verdict.log, own=(entry.id for entry in verdict.entries))
        self.remember(verdict)

    def forget(self, log: str) -> None:
        """Forgets a log and every entry seen in this repository."""
        self._here.forget()
        if self._outside is not None:
            self._outside.forget()
        if self._logs is not None:
            self._logs.forget(log)

    def remember(self, verdict: LogVerdict, followed: Iterable[str] = ()) -> None:
        """Remembers the heads: if an entry before a head goes missing, the head is refused too."""
        if verdict.log is None:
            return
        dropped = tuple(followed)
        self._here.record(verdict.log, verdict.heads, dropped)
        if self._outside is not None:
            try:
                self._outside.record(verdict.log, verdict.heads, dropped)
            except StoreWriteError:  # a home that is full or read-only must not undo a stored entry
                return

    def record(self, entry: Entry, after: LogVerdict) -> None:
        """Remembers an entry that was just made here, unless nobody has vouched for the log."""
        begins = not entry.parents
        if not begins and not after.anchored:
            return
        self.remember(after, entry.parents)
        if self._logs is None:
            return
        is_persons = begins or entry.decision is not None  # a sealed policy has others' signatures, too
        keys = frozenset(entry.keyids if is_persons else ())
        known = self._logs.load().get(after.log or "", KnownLog())
        new = keys - known.keys  # what they signed before this machine knew them is taken as the user's
        earlier = (one.id for one in after.entries if not new.isdisjoint(one.keyids))
        self._logs.add(after.log or entry.id, keys, (entry.id, *earlier))


def _was_proposed(entry: Entry, known: KnownLog) -> bool:
    """Whether it is a policy that the user signed here as a proposal."""
    return entry.policy is not None and _name_payload(build_payload(entry)) in known.own


def _name_payload(payload: bytes) -> str:
    return f"payload:{hashlib.sha256(payload).hexdigest()}"


class VerifiedCache:
    """The cache of one repository; without a secret it stays empty."""

    def __init__(
        self, files: GitPrivateFolder, secret: bytes | None, verification_version: str = VERIFICATION_VERSION
    ) -> None:
        self._files = files
        self._secret = secret
        self._version = verification_version
        self._loaded: dict[str, str] | None = None
        self._damaged = False

    def load(self) -> dict[str, str]:
        """Returns entry ids with one line of facts each. Read once; a missing or damaged file counts as empty."""
        if self._loaded is None:
            self._loaded = self._read()
        return self._loaded

    def record(self, facts: Mapping[str, str]) -> None:
        """Adds what is new. If it cannot be written, only time is lost."""
        known = self.load()
        new = {identifier: line for identifier, line in facts.items() if known.get(identifier) != line}
        if self._secret is None or not new:
            return
        block = build_block(new, self._secret, self._version)
        try:
            if self._damaged:
                self._files.write(CACHE_NAME, block, lasting=False)
            else:
                self._files.append(CACHE_NAME, block)
        except HandoffError:
            return
        self._damaged = False
        known.update(new)

    def _read(self) -> dict[str, str]:
        if self._secret is None:
            return {}
        try:
            content = self._files.read(CACHE_NAME)
        except HandoffError:
            content = b"unreadable"
        facts = parse_cache(content or b"", self._secret, self._version)
        self._damaged = facts is None
        return facts or {}


def build_block(facts: Mapping[str, str], secret: bytes, version: str) -> bytes:
    """Builds a header with length and seal, then one line per entry: its id, a space, the facts."""
    for identifier, line in facts.items():
        if len(identifier) != _ID_LENGTH or "\n" in line or not line.isascii():
            raise ValueError(f"not a line of facts about an entry: {identifier!r} {line!r}")
    body = "".join(f"{identifier} {line}\n" for identifier, line in sorted(facts.items())).encode("ascii")
    return f"{len(body)} {_build_seal(body, secret, version)}\n".encode() + body


def parse_cache(content: bytes, secret: bytes, version: str) -> dict[str, str] | None:
    """Reads all blocks of a cache; None if any of it is cut off, changed, or sealed by somebody else."""
    facts: dict[str, str] = {}
    position = 0
    while position < len(content):
        header_end = content.find(b"\n", position)
        size, _, seal = content[position : max(header_end, position)].decode("ascii", "replace").partition(" ")
        if not (size.isascii() and size.isdigit() and len(size) <= 12):  # noqa: PLR2004 - a terabyte at most
            return None
        start = header_end + 1
        position = start + int(size)
        body = content[start:position]
        if len(body) != int(size) or not hmac.compare_digest(
            seal.encode(), _build_seal(body, secret, version).encode()
        ):
            return None
        for line in body.decode("ascii").split("\n")[:-1]:
            facts[line[:_ID_LENGTH]] = line[_ID_LENGTH + 1 :]
    return facts


def _build_seal(body: bytes, secret: bytes, version: str) -> str:
    return hmac.digest(secret, f"{version}\n".encode() + body, "sha256").hex()
