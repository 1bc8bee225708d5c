"""Finds hidden characters in the names and the new lines of changed files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.text.safe_text import HIDDEN, has_hidden_characters
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.handoffs.session import Session
from handoff_tui.status.inbox_item import RiskFact, RiskKind

_FILES_AT_ONCE: Final = 50
_MOST_PLACES: Final = 20
_NO_TEXT: Final = frozenset({"120000", "160000"})
"""Symbolic links and submodules."""
_CONTROLS: Final = compile_later(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def find_hidden_characters(
    session: Session, changes: list[FileChange], objects: Mapping[str, str]
) -> Iterator[RiskFact]:
    """A risk for hidden characters in names and in new lines."""
    risk = session.loaded.settings.risk
    places = [Place(path=change.path) for change in changes if HIDDEN.search(change.path)]
    readable = [one for one in changes if one.status != "D" and one.new_mode not in _NO_TEXT]
    scanned = readable[: risk.scanned_files_maximum]
    for start in range(0, len(scanned), _FILES_AT_ONCE):
        some = scanned[start : start + _FILES_AT_ONCE]
        ids = sorted({blob for one in some for blob in (one.old_id, one.new_id) if set(blob) != {"0"}})
        contents = read_blobs(session.repository.git, ids, risk.scanned_bytes, objects)
        for change in some:
            places += _scan(change.path, contents.get(change.old_id), contents.get(change.new_id))
    if places:
        unseen = len(readable) - len(scanned)
        number = "1 place" if len(places) == 1 else f"{len(places):,} places"
        text = f"{number} with hidden characters" + (f"; {unseen:,} files not searched" if unseen else "")
        yield RiskFact(kind=RiskKind.HIDDEN_CHARACTERS, text=text, places=tuple(places[:_MOST_PLACES]))


def _scan(path: str, before: bytes | None, now: bytes | None) -> list[Place]:
    """New lines with hidden characters; none in binary files."""
    if now is None or b"\0" in now or (now.isascii() and not _CONTROLS.search(now)):
        return []
    known = set((before or b"").split(b"\n"))
    return [
        Place(path=path, line=number)
        for number, line in enumerate(now.removeprefix(_BYTE_ORDER_MARK).split(b"\n"), start=1)
        if line not in known and _has_hidden(line)
    ]


def _has_hidden(line: bytes) -> bool:
    if line.isascii() and not _CONTROLS.search(line):
        return False
    return has_hidden_characters(line.decode("utf-8", "replace").replace("\r", ""))
