"""A document: its rows, its outline, its Markdown as blocks and laid out for a width."""

from __future__ import annotations

import pytest

from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.handoff import Document, DocumentRole, Heading
from handoff_tui.live.state.app import PACKET
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.documents.markdown_blocks import (
    Block,
    Prose,
    Ruler,
    TableBlock,
    TextRow,
    Verbatim,
    lay_out_blocks,
    parse_blocks,
)
from handoff_tui.tui.views.documents.rows import (
    DocumentText,
    LineNotes,
    RawText,
    RenderedText,
    build_line_notes,
    describe_verdict,
    describe_verdicts,
    find_worst,
    is_markdown,
)
from handoff_tui.tui.views.documents.view import OutlineRows, count_wrong, describe_sections, find_sections

PATH = "docs/RESULTS.md"
TEXT = "# Results\n\n12 tests pass.\nThe lamp is lit.\n\n- one\n- two\n"


def build_verdict(line: int, state: VerdictState, measured: int | None = None, path: str = PATH) -> Verdict:
    claim = Claim(text="12 tests", kind=ClaimKind.COUNT, where=Place(path=path, line=line))
    return Verdict(claim=claim, state=state, measured=measured, evidence="counted" if measured else "")


WRONG = build_verdict(3, VerdictState.CONTRADICTED, 11)
HOLDS = build_verdict(4, VerdictState.HOLDS, 1)
REMARKS = build_line_notes(
    PATH,
    (WRONG, HOLDS, build_verdict(1, VerdictState.HOLDS, path="other.md")),
    (
        Comment(text="why?\ntell me", path=PATH, line=6, end_line=7),
        Comment(text="elsewhere", path="a.py", line=1),
        Comment(text="all of it", path=PATH),
    ),
)


def render(width: int = 60, remarks: LineNotes = REMARKS) -> RenderedText:
    return RenderedText(lay_out_blocks(parse_blocks(TEXT), width), remarks, width)


def read_rows(text: DocumentText, offset: int = 0) -> list[str]:
    return ["".join(cell.text for cell in text.build_row(n, 70, offset)).rstrip() for n in range(text.count)]


def test_rendered_text_has_marks_and_remarks_at_their_lines() -> None:
    """A false claim is explained below its line, with what was measured; one that holds has only a mark."""
    assert read_rows(render()) == [
        "  # Results",
        "  ┊ you  all of it",
        "",
        "✗ 12 tests pass. The lamp is lit.",
        "  ┊ ✗ false: measured 11 (counted)",
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
        "     ┊ ✗ false: measured 11 (counted)",
        "✓ 4 │The lamp is lit.",
        "  5 │",
        "  6 │- one",
        "  7 │- two",
        "     ┊ you  lines 6-7: why?",
        "     ┊      tell me",
    ]


@pytest.mark.parametrize("text", [render(), RawText(TEXT, REMARKS), RawText(TEXT, LineNotes())])
def test_rows_and_lines_find_each_other(text: DocumentText) -> None:
    """From a line to its row and back; a line beyond the end is the last one."""
    for line in (1, 3, 6, 7):
        assert text.find_line(text.find_row(line)) in {line, line - 1}
    assert text.find_line(text.find_row(999)) == 7
    lines = [text.find_line(index) for index in range(text.count)]
    assert lines == sorted(lines)


@pytest.mark.parametrize("text", [render(), RawText(TEXT, REMARKS)])
def test_find_goes_round(text: DocumentText) -> None:
    """Forwards and backwards, over the end; None if there is none."""
    first = text.find("lamp", 0, backwards=False)
    assert first is not None
    assert "lamp" in read_rows(text)[first]
    assert text.find("lamp", first + 1, backwards=False) == first
    assert text.find("two", 0, backwards=True) == text.find("two", 0, backwards=False)
    assert text.find("kettle", 0, backwards=False) is None


def test_long_line_is_cut_and_said_so() -> None:
    """Ten million characters cost no more than what is seen of them; further right, how many follow."""
    text = RawText("x" * 10_000_000, LineNotes())
    (row,) = read_rows(text)
    assert row.startswith("  1 │(10,000,000 characters) xxx")
    assert len(row) < 120
    assert read_rows(text, offset=1_990)[0].endswith("xx … and 9,998,000 more characters")


def test_worst_claim_marks_the_line() -> None:
    """False before not measured before holding."""
    unverified = build_verdict(3, VerdictState.UNVERIFIED)
    assert find_worst((HOLDS, WRONG)).word == "false"
    assert find_worst((HOLDS, unverified)).word == "not measured"
    assert describe_verdict(unverified) == "not measured"
    assert describe_verdicts((HOLDS, WRONG)).startswith("false")


def test_markdown_is_known_by_its_name() -> None:
    """What lies in git or is made here is Markdown too."""
    assert [is_markdown(path) for path in ("a.md", "A.MD", "notes:refs/x", "packet:", "state.json", "todo")] == [
        *(True, True, True, True, False, False),
    ]


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


def read_outline(rows: OutlineRows, width: int = 40) -> list[str]:
    return ["".join(cell.text for cell in rows.build_row(n, width)).rstrip() for n in range(len(rows.keys))]


def test_outline_lists_documents_and_the_sections_of_the_open_one() -> None:
    """Missing sections and those out of order are marked, and where claims do not hold."""
    rows = OutlineRows((SPEC, RESULTS), SPEC.path, SPEC.sections, frozenset({SPEC.path}), {4: 2})
    assert read_outline(rows) == [
        "✓ SPEC.md                           spec",
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
    names = [row.split()[1] for row in read_outline(rows)]
    assert names[:3] == ["PKG-A/manifest.json", "PKG-B/manifest.json", "README.md"]
    assert OutlineRows((), None).keys == ()


def test_outline_lists_what_belongs_to_no_handoff() -> None:
    """A file that was jumped to stands first; the packet has sections, too."""
    sections = (Heading(title="Why it was sent back", line=3),)
    rows = OutlineRows((RESULTS,), "src/a.py", sections)
    assert read_outline(rows)[:2] == ["  a.py                              file", "  Why it was sent back"]
    assert read_outline(OutlineRows((), PACKET, sections))[-1] == "  Why it was sent back"


def test_sections_are_those_of_the_dialect_or_of_the_text() -> None:
    """A document that no format reads has its own headings."""
    assert find_sections(SPEC, ()) == SPEC.sections
    found = find_sections(None, parse_blocks("# One\n\ntext\n\n## Two `x`\n"))
    assert [(one.title, one.line, one.level) for one in found] == [("One", 1, 1), ("Two x", 5, 2)]


def test_wrong_claims_are_counted_by_line() -> None:
    """Only the false claims of the document."""
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


def read_text(block: Block) -> str:
    if isinstance(block, Ruler):
        return "---"
    if isinstance(block, TableBlock):
        return "/".join("|".join("".join(cell.text for cell in one) for one in row) for _, row in block.rows)
    lead = "".join(cell.text for cell in block.lead)
    return lead + "\n".join("".join(cell.text for cell in piece.cells) for piece in block.pieces)


def parse_one(text: str) -> Block:
    (block,) = parse_blocks(text)
    return block


def find_role(block: Block, text: str) -> str:
    assert isinstance(block, Prose | Verbatim)
    return next(cell.role for piece in block.pieces for cell in piece.cells if cell.text == text)


def test_heading_has_its_level_and_line() -> None:
    """The marks stay in front of it; emphasis within it goes."""
    blocks = parse_blocks("text\n\n### A *title*\n")
    heading = blocks[1]
    assert isinstance(heading, Prose)
    assert (heading.level, heading.pieces[0].line) == (3, 3)
    assert [cell.text for piece in heading.pieces for cell in piece.cells] == ["### ", "A ", "title"]


def test_paragraph_keeps_the_line_of_each_piece() -> None:
    """Strong words and code have roles of their own."""
    block = parse_one("a **strong** word\nand `code`\n")
    assert isinstance(block, Prose)
    assert [piece.line for piece in block.pieces] == [1, 2]
    assert (find_role(block, "strong"), find_role(block, "code"), find_role(block, "a ")) == (
        *("heading", "accent", "text"),
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[here](https://example.org/x)", "here ⟨https://example.org/x⟩"),
        ('[here](https://example.org "a title")', 'here ⟨https://example.org "a title"⟩'),
        ("<https://example.org>", "https://example.org"),
        ("<ada@example.org>", "ada@example.org"),
        ("![a lamp](lamp.png)", "[image: a lamp] ⟨lamp.png⟩"),
        ("[https://good.example](https://bad.example)", "https://good.example ⟨https://bad.example⟩"),
        ("~~gone~~ <b>raw</b>", "~~gone~~ <b>raw</b>"),
        ("a [ref][one]\n\n[one]: https://example.org", "a ref ⟨https://example.org⟩"),
    ],
)
def test_link_is_shown_with_where_it_leads(text: str, shown: str) -> None:
    """An address stands beside the words unless they are the same; nothing pretends to be another."""
    assert read_text(parse_blocks(text)[0]) == shown


def test_lists_and_quotes_have_their_marks_once() -> None:
    """The first block of an item gets the mark, what follows stands under it."""
    texts = [read_text(block) for block in parse_blocks("1. one\n\n   more\n2. two\n\n> said\n")]
    assert texts == ["1. one", "   more", "2. two", "│ said"]
    assert [read_text(block) for block in parse_blocks("- a\n  - b\n")] == ["• a", "  • b"]


def test_code_keeps_its_lines() -> None:
    """A fence shows what it calls itself; both kinds of code begin on the right line."""
    fenced, indented = parse_blocks("```sh\nmake\ntest\n```\n\ntext\n\n    x = 1\n")[::2]
    assert isinstance(fenced, Verbatim)
    assert [(piece.line, piece.cells[0].text) for piece in fenced.pieces] == [(1, "sh"), (2, "make"), (3, "test")]
    assert isinstance(indented, Verbatim)
    assert (indented.pieces[0].line, indented.pieces[0].cells[0].text, indented.code) == (8, "x = 1", True)


def test_table_has_its_rows_with_their_lines() -> None:
    """Cells keep code and emphasis."""
    block = parse_one("| a | b |\n|---|---|\n| 1 | `2` |\n")
    assert isinstance(block, TableBlock)
    assert [line for line, _ in block.rows] == [1, 3]
    assert read_text(block) == "a|b/1|2"


def test_cells_beyond_the_last_column_are_shown() -> None:
    """A parser drops them; the line is shown as it is written beside the rest."""
    assert read_text(parse_one("| a |\n|---|\n| 1 | override |\n")) == "a/1|| 1 | override |"


def test_what_would_not_show_is_shown_as_written() -> None:
    """Comments, definitions and empty items: a reader of the page sees what a reader of the file sees."""
    text = "<!-- do as I say -->\n\n[//]: # (hidden)\n\n-\n\nend\n"
    assert [read_text(block) for block in parse_blocks(text)] == [
        "<!-- do as I say -->",
        "[//]: # (hidden)",
        "-",
        "end",
    ]


def test_long_paragraph_is_left_as_it_is() -> None:
    """Thousands of brackets would take a parser minutes."""
    block = parse_one("[" * 20_000)
    assert read_text(block) == "[" * 20_000


LAID_OUT = """# A title

One line of a paragraph
and the second of it, which is rather longer than the first.

- an item that is long enough to be broken
- two

```
a line of code that is much too long for a narrow screen
```

| name | what it is for |
|------|----------------|
| lamp | to see in the dark |
| x |

---
end
"""


def lay_out(text: str, width: int) -> list[tuple[int, str]]:
    return [(row.line, read(row)) for row in lay_out_blocks(parse_blocks(text), width)]


def read(row: TextRow) -> str:
    return "".join(cell.text for cell in row.cells).rstrip()


def test_rows_know_their_lines() -> None:
    """Also where lines flow together, and where a line is broken."""
    rows = lay_out(LAID_OUT, 40)
    assert rows[:9] == [
        (1, "# A title"),
        (2, ""),
        (3, "One line of a paragraph and the second"),
        (4, "of it, which is rather longer than the"),
        (4, "first."),
        (5, ""),
        (6, "• an item that is long enough to be"),
        (6, "  broken"),
        (7, "• two"),
    ]
    assert (10, "┊ a line of code that is much too long f") in rows
    assert (13, "name │ what it is for") in rows
    assert (15, "lamp │ to see in the dark") in rows
    assert rows[-2:] == [(18, "─" * 40), (19, "end")]


def test_wide_columns_give_way_first() -> None:
    """The narrow column keeps its width."""
    table = f"| a | b |\n|---|---|\n| short | {'word ' * 20} |\n"
    rows = [read(row) for row in lay_out_blocks(parse_blocks(table), 30)]
    assert all(row.startswith("short │ word") for row in rows if "short" in row)
    assert len(rows) > 4
