"""Files that notes say were created, modified or deleted: lists and tables under headings that say so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.reading.claim_words import build_claim, clean_path, find_paths
from handoff_tui.handoffs.reading.markdown import Section, Table, plain

_VERBS: Final = {
    ClaimKind.FILE_CREATED: r"created?|new|added?|adds",
    ClaimKind.FILE_MODIFIED: r"modified|modify|changed?|updated?|edited|touched|renamed",
    ClaimKind.FILE_DELETED: r"deleted?|removed?",
}
_WORDS: Final = {kind: compile_later(rf"\b(?:{words})\b", re.IGNORECASE) for kind, words in _VERBS.items()}
_LEADING_VERB: Final = compile_later(rf"^\W*(?:{'|'.join(_VERBS.values())})\b[\s:*_-]*", re.IGNORECASE)


def claim_changed_files(sections: Iterable[Section], path: str) -> list[Claim]:
    """One claim per file. A heading such as `Key files` names files without saying that they changed."""
    claims: list[Claim] = []
    seen: set[tuple[ClaimKind, str]] = set()
    for section in sections:
        kinds = _kinds_in(section.name)
        if not kinds:
            continue
        for line, text, target, words in _find_entries(section):
            kind = next(iter(_kinds_in(words)), kinds[-1])
            if (kind, target) not in seen:
                seen.add((kind, target))
                claims.append(build_claim(kind, Place(path=path, line=line), text, subject=target))
    return claims


def _kinds_in(words: str) -> list[ClaimKind]:
    return [kind for kind, pattern in _WORDS.items() if pattern.search(words)]


def _find_entries(section: Section) -> Iterator[tuple[int, str, str, str]]:
    """Line, words, path, and the words that may say what became of it."""
    for item in section.items():
        target = _leading_path(item.text)
        if target is not None:
            verb = _LEADING_VERB.match(item.text)
            yield item.line, item.text, target, verb.group() if verb else _find_remark(item.text)
    for table in section.tables():
        yield from _find_rows(table)


def _find_rows(table: Table) -> Iterator[tuple[int, str, str, str]]:
    files = table.column("file", "path")
    change = table.column("change", "action", "status", "type")
    for row in table.rows:
        if files is None or files >= len(row.cells):
            continue
        target = _leading_path(row.cells[files])
        if target is not None:
            words = row.cells[change] if change is not None and change < len(row.cells) and change != files else ""
            yield row.line, " | ".join(row.cells), target, words


def _leading_path(text: str) -> str | None:
    """The path with which an entry begins, after a verb such as `Updated`."""
    rest = _LEADING_VERB.sub("", text)
    start = rest.lstrip("*_ ")
    if start.startswith("`"):
        paths = find_paths(start[: start.find("`", 1) + 1])
        return paths[0] if paths else None
    words = plain(start).split()
    return clean_path(words[0].rstrip(":,;")) if words else None


def _find_remark(text: str) -> str:
    """A remark such as `(new)` behind the path."""
    match = re.search(r"\((?:new|created|added|deleted|removed|modified|updated)\b", text, re.IGNORECASE)
    return match.group() if match else ""
