"""Remembers what this clone once saw valid. If such an entry is gone later, somebody removed it."""

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
"""One line per entry, so that adding one does not rewrite the others."""
_ENTRY_ID = re.compile(r"sha256:[0-9a-f]{64}")
_HINT = (
    "It is in the git folder, below handoff-tui/. If you know why, move it aside and run handoff-tui log verify; "
    "this clone won't notice what was deleted before that."
)


class LocalFiles(Protocol):
    """Small files in the git folder, each replaced in one step."""

    def read(self, name: str) -> bytes | None: ...
    def write(self, name: str, content: bytes, *, lasting: bool = True) -> None: ...
    def remove(self, name: str) -> None: ...


class Seen(NamedTuple):
    """The first entry, and every entry that was ever valid here."""

    genesis: str | None = None
    entries: frozenset[str] = frozenset()


class Witness:
    """`witness.json`. Hold the log's lock to record, so that two writers don't undo each other."""

    def __init__(self, files: LocalFiles) -> None:
        self._files = files
        self._content: bytes | None = None
        self._seen = Seen()

    def load(self) -> Seen:
        """Returns what was seen, empty at first. A damaged file is an error, never a fresh start."""
        content = self._files.read(WITNESS_NAME)
        if content != self._content:
            self._seen = Seen() if content is None else parse_witness(content)
            self._content = content
        return self._seen

    def forget(self) -> None:
        self._files.remove(WITNESS_NAME)

    def record(self, genesis: str, entries: Collection[str], followed: Collection[str] = ()) -> Seen:
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
            self._content, self._seen = content, Seen(genesis, kept.union(new))
        return self._seen


def parse_witness(content: bytes) -> Seen:
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
    return Seen(genesis, frozenset(entries))


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
    return isinstance(value, str) and _ENTRY_ID.fullmatch(value) is not None
