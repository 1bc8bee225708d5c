"""Proofs of work: files offered as evidence, found by where they lie. They are listed, not read."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.work import Proof, ProofKind
from handoff_tui.handoffs.formats.hub import layout
from handoff_tui.handoffs.reading.format import Shelf
from handoff_tui.handoffs.reading.path_words import find_naming

_FOLDER: Final = compile_later(r"(?:^|/)\.?proofs?/", re.IGNORECASE)
_SCREENSHOTS: Final = compile_later(r"(?:^|/)screenshots/", re.IGNORECASE)
_IMAGES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp")
_KINDS: Final = (
    (_IMAGES, ProofKind.SCREENSHOT),
    ((".log", ".txt", ".out"), ProofKind.LOG),
    ((".diff", ".patch"), ProofKind.DIFF),
    ((".tap",), ProofKind.TEST_RESULT),
    ((".md", ".html", ".htm", ".json", ".pdf", ".xml", ".csv"), ProofKind.REPORT),
    ((".mp4", ".webm", ".zip"), ProofKind.OTHER),
)
_TEST_NAME: Final = compile_later(
    r"junit|pytest|test[-_ ]?(?:results?|report|output)|tests?\.(?:xml|json)$", re.IGNORECASE
)


_WORDS: Final = ("proof", "screenshots")
"""One of them is in the path of every proof, in letters of any size."""


def find_proofs(shelf: Shelf) -> list[Proof]:
    likely = find_naming(shelf.paths, _WORDS)
    return [proof for path in likely if (proof := _build_proof(path, shelf)) is not None]


def _build_proof(path: str, shelf: Shelf) -> Proof | None:
    in_proofs = _FOLDER.search(path) is not None
    if not in_proofs and not _SCREENSHOTS.search(path):
        return None
    kind = parse_kind(path)
    if kind is None or (not in_proofs and kind is not ProofKind.SCREENSHOT):
        return None
    return Proof(path=path, kind=kind, task=layout.find_task(path), run=layout.find_run(path), size=shelf.size(path))


def parse_kind(path: str) -> ProofKind | None:
    """What a proof is, by its name; nothing for a file that is no proof by its ending."""
    name = path.rpartition("/")[2].lower()
    kind = next((kind for endings, kind in _KINDS if name.endswith(endings)), None)
    if kind in {ProofKind.LOG, ProofKind.REPORT} and _TEST_NAME.search(name):
        return ProofKind.TEST_RESULT
    return kind
