"""What the doctor found out about each part of the enforcement, and how that is shown."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.place import Place
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe


class Standing(StrEnum):
    """How one part stands."""

    OK = "ok"
    WEAK = "weak"
    """In place, but it doesn't keep out who really wants in."""
    MISSING = "missing"
    UNKNOWN = "cannot tell"


class Diagnosis(Model):
    """One part of the enforcement: how it stands, the evidence, and how to fix it."""

    id: str
    standing: Standing
    message: str
    evidence: tuple[Place, ...] = ()
    commands: tuple[str, ...] = ()
    """Commands that fix it, ready to copy."""
    counts: bool = True
    """Whether "cannot tell" counts against the verdict; it doesn't for what the terminal can show."""

    @classmethod
    def ok(cls, name: str, message: str, evidence: tuple[Place, ...] = (), *, counts: bool = True) -> Diagnosis:
        return cls(id=name, standing=Standing.OK, message=message, evidence=evidence, counts=counts)

    @classmethod
    def weak(cls, name: str, message: str, commands: tuple[str, ...] = ()) -> Diagnosis:
        """It is said and doesn't count: the person may have other walls."""
        return cls(id=name, standing=Standing.WEAK, message=message, commands=commands, counts=False)

    @classmethod
    def missing(
        cls, name: str, message: str, evidence: tuple[Place, ...] = (), commands: tuple[str, ...] = ()
    ) -> Diagnosis:
        return cls(id=name, standing=Standing.MISSING, message=message, evidence=evidence, commands=commands)

    @classmethod
    def unknown(
        cls,
        name: str,
        message: str,
        evidence: tuple[Place, ...] = (),
        commands: tuple[str, ...] = (),
        *,
        counts: bool = True,
    ) -> Diagnosis:
        return cls(
            id=name, standing=Standing.UNKNOWN, message=message, evidence=evidence, commands=commands, counts=counts
        )


class DoctorReport(Model):
    """Every part, in the order of the diagnosis."""

    repo: str
    version: str
    diagnoses: tuple[Diagnosis, ...]

    @property
    def wired(self) -> bool:
        return all(
            diagnosis.standing is Standing.OK or (diagnosis.standing is not Standing.MISSING and not diagnosis.counts)
            for diagnosis in self.diagnoses
        )


class TerminalFacts(Model):
    """What the terminal can show; None if the output isn't a terminal."""

    terminal: bool
    columns: int | None
    colour: bool | None
    unicode: bool


SCHEMA = "handoff-tui/doctor/v1"

_LABELS = {
    Standing.OK: Label("✓", "ok", "pass"),
    Standing.WEAK: Label("!", "weak", "warning"),
    Standing.MISSING: Label("✗", "missing", "fail"),
    Standing.UNKNOWN: Label("?", "cannot tell", "unknown"),
}
_WORD_WIDTH = max(len(str(label)) for label in _LABELS.values())
_MOST_PLACES = 4


def build_doctor_json(report: DoctorReport) -> dict[str, object]:
    """Builds the promised JSON shape; fields may be added, never renamed."""
    return {
        "schema": SCHEMA,
        "repo": report.repo,
        "version": report.version,
        "verdict": "wired" if report.wired else "not-wired",
        "diagnoses": [diagnosis.model_dump(mode="json") for diagnosis in report.diagnoses],
    }


def build_doctor_page(report: DoctorReport, *, everything: bool = False) -> Page:
    """Builds one line per part, with the evidence and the commands that fix it below."""
    page = Page()
    page.line(Cell(render_safe(report.repo), "path"))
    for diagnosis in report.diagnoses:
        _add_diagnosis(page, diagnosis, everything=everything)
    page.blank()
    page.line(*_build_summary(report))
    return page


def _add_diagnosis(page: Page, diagnosis: Diagnosis, *, everything: bool) -> None:
    label = _LABELS[diagnosis.standing]
    name, _, _ = diagnosis.id.partition(":")
    page.line(
        Cell(str(label).ljust(_WORD_WIDTH + 2), label.role),
        Cell(f"{name}  ", "key"),
        Cell(render_safe(diagnosis.message)),
        indent=_WORD_WIDTH + 2,
    )
    lead = " " * (_WORD_WIDTH + 2)
    shown = diagnosis.evidence if everything else diagnosis.evidence[:_MOST_PLACES]
    for place in shown:
        page.line(Cell(lead), Cell(render_safe(str(place)), "path"))
    if len(shown) < len(diagnosis.evidence):
        page.line(Cell(f"{lead}… and {len(diagnosis.evidence) - len(shown)} more; --all lists them", "muted"))
    for command in diagnosis.commands:
        page.line(Cell(f"{lead}$ ", "muted"), Cell(render_safe(command), "accent"))


def _build_summary(report: DoctorReport) -> tuple[Cell, ...]:
    if report.wired:
        return (Cell("✓ The checks are enforced.", "pass"),)
    standings = [diagnosis.standing for diagnosis in report.diagnoses]
    missing, unknown = standings.count(Standing.MISSING), standings.count(Standing.UNKNOWN)
    words = f"✗ The checks are not fully enforced: {plural(missing, 'part')} missing, {unknown} unknown."
    return (Cell(words, "fail"),)
