"""Whether enforcement is wired in, line by line."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.place import Place


class Standing(StrEnum):
    """How one part stands. What cannot be told is not taken for wired."""

    OK = "ok"
    MISSING = "missing"
    UNKNOWN = "cannot tell"


class Diagnosis(Model):
    """One part of the wiring: how it stands, what shows it, and what mends it."""

    id: str
    standing: Standing
    message: str
    evidence: tuple[Place, ...] = ()
    commands: tuple[str, ...] = ()
    """What mends it, ready to copy."""
    counts: bool = True
    """Whether «cannot tell» keeps the whole from being wired; the terminal's abilities do not."""


class DoctorReport(Model):
    """Every part, in the order in which they are looked at."""

    repo: str
    version: str
    diagnoses: tuple[Diagnosis, ...]

    @property
    def wired(self) -> bool:
        return all(
            diagnosis.standing is Standing.OK or (diagnosis.standing is Standing.UNKNOWN and not diagnosis.counts)
            for diagnosis in self.diagnoses
        )


class TerminalFacts(Model):
    """What the terminal can show; nothing where the output is no terminal."""

    terminal: bool
    columns: int | None
    colour: bool | None
    unicode: bool
