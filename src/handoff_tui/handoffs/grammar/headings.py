"""What a heading, or a line that announces a list, says of what stands below it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.stance import CREATED, DELETED, MODIFIED
from handoff_tui.handoffs.reading.markdown import plain

READ, DIRTY = ClaimKind.FILE_REFERENCED, ClaimKind.UNCOMMITTED
MOVED: Final = "moved"
_FILES: Final = "files?|manifests?"
_CHANGED: Final = "modified|changed|touched|updated|edited|rewritten|rebuilt"
_LISTS: Final[tuple[tuple[re.Pattern[str], ClaimKind | str | None], ...]] = (
    (compile_later(r"\bun-?(?:committed|staged|tracked)\b", re.IGNORECASE), DIRTY),
    (
        compile_later(
            r"\b(?:key|relevant|important|useful|related) (?:files?|documents?|docs|paths?)\b|^references?$"
            r"|^read first\b",
            re.IGNORECASE,
        ),
        READ,
    ),
    (compile_later(r"\bmanifests? (?:hash|check)|\bchecksums?\b", re.IGNORECASE), None),
    (compile_later(r"\bfiles?\b.*\b(?:moved|renamed)\b|\b(?:moved|renamed)\b.*\bfiles?\b", re.IGNORECASE), MOVED),
    (compile_later(r"\barchives?\b.*\brebuilt\b", re.IGNORECASE), MODIFIED),
    (
        compile_later(
            rf"\b(?:{_FILES})\b.*\b(?:created|added|delivered)\b|\b(?:created|added|new"
            rf"|delivered)\b.*\b(?:{_FILES})\b"
            r"|^archives?(?: built)?\b|^(?:created|added|new)$",
            re.IGNORECASE,
        ),
        CREATED,
    ),
    (
        compile_later(
            rf"^(?:deleted|removed)$|\b(?:{_FILES})\b.*\b(?:deleted|removed)\b|\b(?:deleted"
            rf"|removed)\b.*\b(?:{_FILES})\b",
            re.IGNORECASE,
        ),
        DELETED,
    ),
    (
        compile_later(
            rf"\b(?:{_FILES})\b.*\b(?:{_CHANGED})\b|\b(?:{_CHANGED})\b.*\b(?:{_FILES})\b"
            r"|^(?:summary of |code |key |main )?changes(?: made)?\b|^(?:modified|changed|updated|edited)$",
            re.IGNORECASE,
        ),
        MODIFIED,
    ),
)
"""What a heading says of the entries below it."""
_DONE: Final = compile_later(
    r"^(?:done|completed|accomplish\w+|work done|what (?:was|i|we|has been|got)\b|changes|summary of changes"
    r"|cleanup)|\bfiles?\b",
    re.IGNORECASE,
)
_COMMIT_HEADING: Final = compile_later(r"\bcommits?\b|\bgit (?:log|history|state)\b", re.IGNORECASE)
_NO_POINTERS: Final = compile_later(
    r"\btemplate|\bexample|\bprevious|\bhistor|\bpropos|\bideas?\b|\bnot\b", re.IGNORECASE
)
_ALL_IN: Final = compile_later(
    r"\W*(?:all )?(?:\w+ )?(?:files|paths)(?: (?:are|lie|live|listed))?(?: below)?(?: are)?"
    r" (?:in|under|below|relative to)\W{1,4}`([^`\s]+/?)`[^`]*$",
    re.IGNORECASE,
)
_ONLY_PACKAGE: Final = compile_later(r"\W*(PKG-[A-Z0-9]+(?:-[A-Z0-9]+)*)(?:\s+v?[\d.]+)?(?:\s*\([^)]*\))?\W*")
_ARCHIVES: Final = (".tar.gz", ".tgz", ".zip")
_BOLD_LINE: Final = compile_later(r"^\*\*[^*]+\*\*:?$")
_LONGEST_LABEL = 80


@dataclass(slots=True)
class Context:
    """What the headings above a block say of it."""

    listed: ClaimKind | str | None = None
    done: bool = False
    silent: bool = False
    points: bool = False
    """Whether it tells the next agent what to do: it may point to files that must be there."""
    commits: bool = False
    folder: str = ""
    """Where the paths are, if a heading or a line says so."""

    def place(self, path: str) -> str:
        """A path in the folder that is spoken of, unless it names that folder itself."""
        own = self.folder.rstrip("/").rpartition("/")[2]
        return path if not own or own in path.split("/") or path.endswith(_ARCHIVES) else self.folder + path


def read_headings(names: list[str]) -> Context:
    own = names[-1]
    listed = next((kind for pattern, kind in _LISTS if pattern.search(own)), None)
    if listed is None and len(names) > 1:
        listed = next((kind for pattern, kind in _LISTS[2:] if pattern.search(names[-2])), None)
    # the title of a document may well be called "Plan" or "Next session"
    silent = any(stance.is_silent_heading(name) for name in names[1:] or names) and listed is not DIRTY
    folder = find_folder(own)
    points = silent and not any(_NO_POINTERS.search(name) for name in names)
    return Context(
        listed, bool(_DONE.search(own)), silent, points, any(map(_COMMIT_HEADING.search, names[-2:])), folder
    )


def find_folder(text: str) -> str:
    """The folder that paths below a heading or a line are in: `PKG-A-001`, `All files in `staging/x/``; else empty."""
    stated = _ALL_IN.match(text)
    if stated is not None:
        return stated[1].rstrip("/") + "/"
    package = _ONLY_PACKAGE.fullmatch(plain(text).strip())
    return f"{package[1]}/" if package else ""


def find_label(text: str) -> str:
    """The words of a last line that only announces what follows."""
    line = text.rstrip().rpartition("\n")[2].strip()
    if not line or len(line) > _LONGEST_LABEL or not (line.endswith(":") or _BOLD_LINE.match(line)):
        return ""
    return "" if "`" in line else plain(line).strip(" :")
