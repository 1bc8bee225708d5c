"""What this clone once saw valid. It only grows: an entry in it that is gone later means that somebody removed it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import NamedTuple, Protocol

from handoff_tui.core.errors import LogBrokenError, WitnessDamagedError

WITNESS_NAME = "witness.json"
_VERSION = 1
_KEYS = {"version", "genesis", "entries"}
_END = b"\n]}\n"
"""A line for each entry: adding one needs no new writing of all the others."""
_ENTRY_ID = re.compile(r"sha256:[0-9a-f]{64}")
_HINT = (
    "It is in the git folder, below handoff-tui/. If you know why, move it aside and run handoff-tui log verify: "
    "what has been deleted until then will not be noticed by this clone."
)


class LocalFiles(Protocol):
    """Small files beside the repository's own, which are replaced in one step."""

    def read(self, name: str) -> bytes | None: ...
    def write(self, name: str, content: bytes, *, lasting: bool = True) -> None: ...


class Seen(NamedTuple):
    """The first entry, and every entry that was ever valid here."""

    genesis: str | None = None
    entries: frozenset[str] = frozenset()


class Witness:
    """The record in `witness.json`. Who records holds the lock of the log, so that no two writers undo each other."""

    def __init__(self, files: LocalFiles) -> None:
        self._files = files
        self._content: bytes | None = None
        self._seen = Seen()

    def load(self) -> Seen:
        """What was seen; nothing before the first time. A damaged record is an error, never a new beginning."""
        content = self._files.read(WITNESS_NAME)
        if content != self._content:
            self._seen = Seen() if content is None else parse_witness(content)
            self._content = content
        return self._seen

    def record(self, genesis: str, entries: Collection[str], followed: Collection[str] = ()) -> Seen:
        """Adds entries; what is there stays, but for what they follow, which cannot be lost while they are valid.

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
            self._content, self._seen = content, Seen(genesis, kept.union(new))
        return self._seen


def parse_witness(content: bytes) -> Seen:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as wrong:
        raise WitnessDamagedError("the record of entries once seen valid is not JSON any more", _HINT) from wrong
    if not isinstance(value, dict) or value.keys() != _KEYS:
        raise WitnessDamagedError("the record of entries once seen valid has other fields than it should", _HINT)
    if value["version"] != _VERSION:
        raise WitnessDamagedError(
            "the record of entries once seen valid was written by another version", "Use the newer handoff-tui."
        )
    genesis, entries = value["genesis"], value["entries"]
    if not isinstance(entries, list) or not all(map(_is_entry_id, [genesis, *entries])):
        raise WitnessDamagedError("the record of entries once seen valid names something that is no entry", _HINT)
    return Seen(genesis, frozenset(entries))


def build_witness(genesis: str, new: Collection[str], old: bytes | None = None) -> bytes:
    """The record with new entries at its end; the old one, which was read before, is taken over as it stands."""
    lines = ",\n".join(json.dumps(entry) for entry in sorted(new)).encode()
    if old is not None and old.endswith(_END) and old[-len(_END) - 1 : -len(_END)] == b'"':
        return old[: -len(_END)] + b",\n" + lines + _END
    known = parse_witness(old).entries if old is not None else frozenset()
    if known:
        return build_witness(genesis, known.union(new))
    return f'{{"version":{_VERSION},"genesis":{json.dumps(genesis)},"entries":[\n'.encode() + lines + _END


def _is_entry_id(value: object) -> bool:
    return isinstance(value, str) and _ENTRY_ID.fullmatch(value) is not None
