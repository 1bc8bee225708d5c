"""The page of the wiring."""

from __future__ import annotations

from handoff_tui.checks.hooks.doctor_page import build_doctor_json, build_doctor_page
from handoff_tui.checks.hooks.doctor_report import Diagnosis, DoctorReport, Standing
from handoff_tui.core.place import Place
from handoff_tui.core.text.page import Line, Page

PLACES = tuple(Place(path=f"f{number}", line=number) for number in range(1, 8))
REPORT = DoctorReport(
    repo="/r\x1b",
    version="1",
    diagnoses=(
        Diagnosis(id="ci", standing=Standing.OK, message="CI runs the checks", evidence=PLACES),
        Diagnosis(id="agent-prompt:A.md", standing=Standing.MISSING, message="silent", commands=("echo 1",)),
        Diagnosis(id="terminal", standing=Standing.UNKNOWN, message="a pipe", counts=False),
    ),
)


def draw(page: Page) -> str:
    return "\n".join("".join(cell.text for cell in part.cells) for part in page.parts if isinstance(part, Line))


def test_page_says_standing_in_words_with_evidence_and_command() -> None:
    """Glyph and word, places, what mends it, and a verdict at the end."""
    text = draw(build_doctor_page(REPORT))
    for words in ("✓ ok", "✗ missing", "? cannot tell", "f1:1", "$ echo 1", "and 3 more; --all", "1 part missing"):
        assert words in text
    assert "f7:7" in draw(build_doctor_page(REPORT, everything=True))
    assert "\x1b" not in text


def test_page_of_a_wired_repository_says_so() -> None:
    """One last line."""
    report = REPORT.model_copy(update={"diagnoses": REPORT.diagnoses[::2]})
    assert draw(build_doctor_page(report)).endswith("The checks are wired in.")
    assert build_doctor_json(report)["verdict"] == "wired"


def test_json_keeps_everything() -> None:
    """Nothing is shortened for scripts."""
    told = build_doctor_json(REPORT)
    assert told["schema"] == "handoff-tui/doctor/v1"
    assert told["verdict"] == "not-wired"
    diagnoses = told["diagnoses"]
    assert isinstance(diagnoses, list)
    assert len(diagnoses[0]["evidence"]) == 7
