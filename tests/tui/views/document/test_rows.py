"""Rows of a document: claims are marked at their lines, remarks stand under them, long lines stay usable."""

from __future__ import annotations

import pytest

from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.document.markdown_blocks import parse_blocks
from handoff_tui.tui.views.document.markdown_layout import lay_out_blocks
from handoff_tui.tui.views.document.rows import (
    DocumentText,
    RawText,
    Remarks,
    RenderedText,
    build_remarks,
    describe_verdict,
    describe_verdicts,
    find_worst,
    is_markdown,
)

PATH = "docs/RESULTS.md"
TEXT = "# Results\n\n12 tests pass.\nThe lamp is lit.\n\n- one\n- two\n"


def build_verdict(line: int, state: VerdictState, measured: int | None = None, path: str = PATH) -> Verdict:
    claim = Claim(text="12 tests", kind=ClaimKind.COUNT, where=Place(path=path, line=line))
    return Verdict(claim=claim, state=state, measured=measured, evidence="counted" if measured else "")


WRONG = build_verdict(3, VerdictState.CONTRADICTED, 11)
HOLDS = build_verdict(4, VerdictState.HOLDS, 1)
REMARKS = build_remarks(
    PATH,
    (WRONG, HOLDS, build_verdict(1, VerdictState.HOLDS, path="other.md")),
    (
        Comment(text="why?\ntell me", path=PATH, line=6, end_line=7),
        Comment(text="elsewhere", path="a.py", line=1),
        Comment(text="all of it", path=PATH),
    ),
)


def render(width: int = 60, remarks: Remarks = REMARKS) -> RenderedText:
    return RenderedText(lay_out_blocks(parse_blocks(TEXT), width), remarks, width)


def read_rows(text: DocumentText, offset: int = 0) -> list[str]:
    return ["".join(cell.text for cell in text.build_row(n, 70, offset)).rstrip() for n in range(text.count)]


def test_rendered_text_has_marks_and_remarks_at_their_lines() -> None:
    """What is contradicted is told under its line, with what was measured; what holds has only a mark."""
    assert read_rows(render()) == [
        "  # Results",
        "  ┊ you  all of it",
        "",
        "✗ 12 tests pass. The lamp is lit.",
        "  ┊ ✗ contradicted: measured 11 (counted)",
        "",
        "  • one",
        "  • two",
        "  ┊ you  lines 6-7: why?",
        "  ┊      tell me",
    ]


def test_raw_text_has_numbers_marks_and_remarks() -> None:
    """Each line as it is written."""
    assert read_rows(RawText(TEXT, REMARKS)) == [
        "  1 │# Results",
        "     ┊ you  all of it",
        "  2 │",
        "✗ 3 │12 tests pass.",
        "     ┊ ✗ contradicted: measured 11 (counted)",
        "✓ 4 │The lamp is lit.",
        "  5 │",
        "  6 │- one",
        "  7 │- two",
        "     ┊ you  lines 6-7: why?",
        "     ┊      tell me",
    ]


@pytest.mark.parametrize("text", [render(), RawText(TEXT, REMARKS), RawText(TEXT, Remarks())])
def test_rows_and_lines_find_each_other(text: DocumentText) -> None:
    """From a line to its row and back; a line beyond the end is the last one."""
    for line in (1, 3, 6, 7):
        assert text.find_line(text.find_row(line)) in {line, line - 1}
    assert text.find_line(text.find_row(999)) == 7
    lines = [text.find_line(index) for index in range(text.count)]
    assert lines == sorted(lines)


@pytest.mark.parametrize("text", [render(), RawText(TEXT, REMARKS)])
def test_find_goes_round(text: DocumentText) -> None:
    """Forwards and backwards, over the end; nothing where there is nothing."""
    first = text.find("lamp", 0, backwards=False)
    assert first is not None
    assert "lamp" in read_rows(text)[first]
    assert text.find("lamp", first + 1, backwards=False) == first
    assert text.find("two", 0, backwards=True) == text.find("two", 0, backwards=False)
    assert text.find("kettle", 0, backwards=False) is None


def test_long_line_is_cut_and_said_so() -> None:
    """Ten million characters cost no more than what is seen of them; further right, how many follow."""
    text = RawText("x" * 10_000_000, Remarks())
    (row,) = read_rows(text)
    assert row.startswith("  1 │(10,000,000 characters) xxx")
    assert len(row) < 120
    assert read_rows(text, offset=1_990)[0].endswith("xx … and 9,998,000 more characters")


def test_raw_text_shows_hidden_characters() -> None:
    """What a terminal would obey stands there as a picture."""
    (row,) = read_rows(RawText("a\x1b[31mb", Remarks()))
    assert row == "  1 │a␛[31mb"


def test_empty_document_has_one_line() -> None:
    """As an editor shows it."""
    assert read_rows(RawText("", Remarks())) == ["  1 │"]
    assert RenderedText((), Remarks(), 40).find_row(3) == 0


def test_worst_claim_marks_the_line() -> None:
    """Contradicted before unverified before holding."""
    unverified = build_verdict(3, VerdictState.UNVERIFIED)
    assert find_worst((HOLDS, WRONG)).word == "contradicted"
    assert find_worst((HOLDS, unverified)).word == "unverified"
    assert describe_verdict(unverified) == "unverified"
    assert describe_verdicts((HOLDS, WRONG)).startswith("contradicted")


def test_markdown_is_known_by_its_name() -> None:
    """What lies in git or is made here is Markdown too."""
    assert [is_markdown(path) for path in ("a.md", "A.MD", "notes:refs/x", "packet:", "state.json", "todo")] == [
        *(True, True, True, True, False, False),
    ]
