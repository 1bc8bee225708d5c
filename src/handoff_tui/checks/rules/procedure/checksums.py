"""Checksums that files name outside the common model: in metadata of procedures and in lists of checksums."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.document_problems import read_json, walk_objects
from handoff_tui.checks.facts.json_text import find_line
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.handoff import Handoff

_HASH: Final = compile_later(r"^(?:sha256:)?([0-9a-f]{64})$", re.IGNORECASE)
_SUM_LINE: Final = compile_later(r"^\\?([0-9a-fA-F]{64}) [ *](\S.*)$")
_NAMES: Final = ("path", "file", "file_path", "filename", "name")
_ONE_FILE = ".sha256"


class NamedSum(NamedTuple):
    """A checksum beside a path, as written; `value` is nothing where it is no SHA-256."""

    path: str
    value: str | None
    where: Place


def parse_sum(text: object) -> str | None:
    """The 64 digits of a SHA-256 in small letters."""
    match = _HASH.match(text.strip()) if isinstance(text, str) else None
    return match.group(1).lower() if match else None


def list_metadata_sums(context: Context, handoff: Handoff) -> Iterator[NamedSum]:
    """`{"path": …, "sha256": …}` and `"checksums": {path: …}`, anywhere in the files of a procedure."""
    fields = frozenset(context.setting("procedures.checksum_fields", tuple))
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
    """Field, path and checksum as written."""
    name = next((text for key in _NAMES if isinstance(text := members.get(key), str)), None)
    for key, value in members.items():
        if key.casefold() not in fields:
            continue
        if isinstance(value, str) and name is not None:
            yield key, name, value
        elif isinstance(value, dict):
            yield from ((key, path, entry) for path, entry in value.items() if isinstance(entry, str))


def list_file_sums(context: Context) -> Iterator[NamedSum]:
    """The lines of every list of checksums; a line that is none has no value."""
    names = frozenset(context.setting("procedures.checksum_files", tuple))
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
