"""A document that belongs to a handoff, and the sections it has or lacks."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model


class DocumentRole(StrEnum):
    """What a document is for."""

    SPEC = "spec"
    RESULTS = "results"
    PROMPT = "prompt"
    ANSWERS = "answers"
    REVIEW = "review"
    EVALUATION = "evaluation"
    STATE = "state"
    CONTEXT = "context"
    REPORT = "report"
    MANIFEST = "manifest"
    LOG = "log"
    NOTE = "note"
    LIST = "list"
    OTHER = "other"


class Section(Model):
    """A heading and its line."""

    title: str
    line: int
    level: int = 2


class Document(Model):
    """A file of a handoff. `required` and `missing` are section names of its standard, where it has one."""

    path: str
    role: DocumentRole
    title: str | None = None
    sha256: str | None = None
    """Of the bytes as read; nothing when the file could not be read."""
    sections: tuple[Section, ...] = ()
    missing: tuple[str, ...] = ()
    out_of_order: tuple[str, ...] = ()
    confidence: float = 1.0
    """How sure the dialect is that this document is its own."""
