"""The outline: documents, the sections of the open one, what is missing or out of order."""

from __future__ import annotations

from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.handoff import Document, DocumentRole, Heading
from handoff_tui.live.state.app import PACKET
from handoff_tui.tui.views.document.markdown_blocks import parse_blocks
from handoff_tui.tui.views.document.view import OutlineRows, count_wrong, describe_sections, find_sections

SPEC = Document(
    path="handoffs/H-1/SPEC.md",
    role=DocumentRole.SPEC,
    sections=(
        Heading(title="H-1", line=1, level=1),
        Heading(title="2. Test plan", line=3),
        Heading(title="1. Mission", line=9),
    ),
    missing=("Design principles",),
    out_of_order=("Mission",),
)
RESULTS = Document(path="handoffs/H-1/RESULTS.md", role=DocumentRole.RESULTS)


def read_rows(rows: OutlineRows, width: int = 40) -> list[str]:
    return ["".join(cell.text for cell in rows.build_row(n, width)).rstrip() for n in range(len(rows.keys))]


def test_outline_lists_documents_and_the_sections_of_the_open_one() -> None:
    """Missing sections and those out of order are marked, and where claims do not hold."""
    rows = OutlineRows((SPEC, RESULTS), SPEC.path, SPEC.sections, frozenset({SPEC.path}), {4: 2})
    assert read_rows(rows) == [
        "● SPEC.md                           spec",
        "  H-1",
        "    2. Test plan ✗2",
        "    1. Mission ≠ out of order",
        "  ✗ Design principles missing",
        "○ RESULTS.md                     results",
        "  rejection packet  for the next attempt",
    ]
    assert rows.keys[:3] == ("document:handoffs/H-1/SPEC.md", "line:1", "line:3")
    assert rows.keys[4] == ""


def test_documents_of_the_same_name_are_told_apart() -> None:
    """Their folders stand before them; without any document there is no packet either."""
    paths = ("PKG-A/manifest.json", "x/PKG-B/manifest.json", "README.md")
    rows = OutlineRows([Document(path=path, role=DocumentRole.SPEC) for path in paths], None)
    names = [row.split()[1] for row in read_rows(rows)]
    assert names[:3] == ["PKG-A/manifest.json", "PKG-B/manifest.json", "README.md"]
    assert OutlineRows((), None).keys == ()


def test_outline_lists_what_belongs_to_no_handoff() -> None:
    """A file that was jumped to stands first; the packet has sections, too."""
    sections = (Heading(title="Why it was sent back", line=3),)
    rows = OutlineRows((RESULTS,), "src/a.py", sections)
    assert read_rows(rows)[:2] == ["● a.py                              file", "  Why it was sent back"]
    assert read_rows(OutlineRows((), PACKET, sections))[-1] == "  Why it was sent back"


def test_hostile_names_are_shown() -> None:
    """A title cannot repaint the row."""
    rows = OutlineRows((), "a\x1b[2Kb.md", (Heading(title="x\u202ey", line=1),))
    assert "a␛[2Kb.md" in read_rows(rows)[0]
    assert "x⟨U+202E⟩y" in read_rows(rows)[1]


def test_sections_are_those_of_the_dialect_or_of_the_text() -> None:
    """A document that no dialect reads has its own headings."""
    assert find_sections(SPEC, ()) == SPEC.sections
    found = find_sections(None, parse_blocks("# One\n\ntext\n\n## Two `x`\n"))
    assert [(one.title, one.line, one.level) for one in found] == [("One", 1, 1), ("Two x", 5, 2)]


def test_wrong_claims_are_counted_by_line() -> None:
    """Only those of the document that are contradicted."""
    claims = [
        Claim(text="x", kind=ClaimKind.COUNT, where=Place(path=path, line=line))
        for path, line in (("a.md", 3), ("a.md", 3), ("b.md", 1), ("a.md", None))
    ]
    verdicts = [Verdict(claim=claim, state=VerdictState.CONTRADICTED) for claim in claims]
    assert count_wrong([*verdicts, Verdict(claim=claims[0], state=VerdictState.HOLDS)], "a.md") == {3: 2}


def test_sections_are_told_in_words() -> None:
    """What is missing comes before how many there are."""
    assert describe_sections(SPEC, 3) == "1 required section missing, 1 out of order"
    assert describe_sections(None, 1) == "1 section"
    assert describe_sections(RESULTS, 2) == "2 sections"
