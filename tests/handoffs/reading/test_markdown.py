from __future__ import annotations

import pytest

from handoff_tui.handoffs.reading.markdown import Item, parse_field, parse_markdown, plain

TEXT = """# Title of `it`

Intro line.

## 1. Mission

- [x] done thing
- [ ] open thing
  - nested

```sh
# not a heading
echo hi
```

## Files

| File | SHA256 |
|------|--------|
| `a.py` | abc |
| `b.py` | def |

### Sub

last
"""


def test_headings_have_level_number_name_and_line() -> None:
    """A heading inside a code fence is none."""
    outline = parse_markdown(TEXT)
    assert [(part.level, part.line, part.name, part.number) for part in outline.sections if part.level] == [
        (1, 1, "Title of it", None),
        (2, 5, "Mission", "1"),
        (2, 16, "Files", None),
        (3, 23, "Sub", None),
    ]
    assert outline.title == "Title of it"


def test_items_know_checkbox_depth_and_line() -> None:
    """Checkboxes are read; a nested item is deeper."""
    mission = parse_markdown(TEXT).sections[2]
    assert mission.items() == [
        Item(7, "done thing", 1, checked=True),
        Item(8, "open thing", 1, checked=False),
        Item(9, "nested", 2),
    ]


def test_table_rows_keep_their_lines() -> None:
    """Cells keep their markup, headings lose it."""
    [table] = parse_markdown(TEXT).sections[3].tables()
    assert table.header == ("File", "SHA256")
    assert [(row.line, row.cells) for row in table.rows] == [(20, ("`a.py`", "abc")), (21, ("`b.py`", "def"))]
    assert (table.column("sha"), table.column("nothing")) == (1, None)


def test_code_lines_are_marked_as_code() -> None:
    """Prose and code can be told apart line by line."""
    lines = [(line.number, line.text) for line in parse_markdown(TEXT).lines() if line.code]
    assert lines == [(12, "# not a heading"), (13, "echo hi")]


def test_below_takes_subsections_along() -> None:
    """A section with its sub-sections ends at the next heading of its level."""
    outline = parse_markdown(TEXT)
    assert [part.name for part in outline.below(outline.sections[3])] == ["Files", "Sub"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("**Status**: PASS", ("Status", "PASS")),
        ("**Status:** PASS", ("Status", "PASS")),
        ("Total: 12 tests", ("Total", "12 tests")),
        ("- Total", None),
        ("see https://example.com", None),
        ("SHA256 before: x, after: y", ("SHA256 before", "x, after: y")),
    ],
)
def test_field_is_a_name_and_a_value(text: str, field: tuple[str, str] | None) -> None:
    """Bold or not, colon inside or outside; an address is no field."""
    assert parse_field(text) == field


def test_plain_takes_markup_off() -> None:
    """Emphasis, code marks and link targets go; words stay."""
    assert plain("**a** `b_c` [d](http://e) *f* 2*3") == "a b_c d f 2*3"


def test_empty_item_does_not_swallow_the_paragraph_after_it() -> None:
    """A list item without text is none, and what follows the list is prose."""
    section = parse_markdown("-\nprose").sections[0]
    assert section.items() == []
    assert [paragraph.text for paragraph in section.paragraphs()] == ["prose"]


def test_empty_fence_stays_inside_the_text() -> None:
    """A fence that nothing follows has no line after the last one."""
    assert [line.number for line in parse_markdown("```").lines()] == [1]
