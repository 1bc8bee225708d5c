"""The wiring of a repository: as the public JSON shape, and as a page."""

from __future__ import annotations

from handoff_tui.checks.hooks.doctor_report import Diagnosis, DoctorReport, Standing
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/doctor/v1"

_LABELS = {
    Standing.OK: Label("✓", "ok", "pass"),
    Standing.MISSING: Label("✗", "missing", "fail"),
    Standing.UNKNOWN: Label("?", "cannot tell", "unknown"),
}
_WORD_WIDTH = max(len(str(label)) for label in _LABELS.values())
_MOST_PLACES = 4


def build_doctor_json(report: DoctorReport) -> dict[str, object]:
    """The shape promised to scripts; fields may be added, never renamed."""
    return {
        "schema": SCHEMA,
        "repo": report.repo,
        "version": report.version,
        "verdict": "wired" if report.wired else "not-wired",
        "diagnoses": [diagnosis.model_dump(mode="json") for diagnosis in report.diagnoses],
    }


def build_doctor_page(report: DoctorReport, *, everything: bool = False) -> Page:
    """One line a part; under what is not in order, the evidence and what mends it."""
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
        return (Cell("✓ The checks are wired in.", "pass"),)
    standings = [diagnosis.standing for diagnosis in report.diagnoses]
    missing, unknown = standings.count(Standing.MISSING), standings.count(Standing.UNKNOWN)
    words = f"✗ The checks are not wired in: {plural(missing, 'part')} missing, {unknown} that cannot be told."
    return (Cell(words, "fail"),)
