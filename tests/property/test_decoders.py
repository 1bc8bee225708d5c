"""Decoders shared by the formats: nothing raises, and equal input gives equal output."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.handoffs.grammar.counts import parse_counts, parse_number
from handoff_tui.handoffs.grammar.tokens import find_commits, find_paths
from handoff_tui.handoffs.reading.claim_words import (
    parse_status,
    parse_verdict,
)
from handoff_tui.handoffs.reading.json_document import (
    JsonDocument,
    JsonNode,
    parse_json,
    parse_json_lines,
    split_frontmatter,
)
from handoff_tui.handoffs.reading.markdown import parse_field, parse_markdown, plain
from tests.support.markdown_oracle import collect_sections

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
MARKDOWN_PIECES = st.sampled_from(
    [
        *("a", "b c", " ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", "\0", "\n    ", "\n\t", "\n> ", "\n- ", "\xa0"),
        *(
            "- ",
            "* ",
            "+ ",
            "1. ",
            "10) ",
            "-\n",
            "1.\n",
            "[x] ",
            "- [ ] d",
            "> ",
            ">",
            "# ",
            "##",
            "---",
            "===",
            "- - -",
        ),
        *("```", "```\n", "~~~", "``` py", "| a | b |", "|---|---|", "|", ":--", "\\|", "<div>", "</b>", "<!--", "-->"),
        *("<?", "?>", "<!X", "<script>", "</script>", "<![CDATA[", "]]>", "<b>", "[a]: b", "[a]:", "[a]: <x y> 'z'"),
        *('"t"', "[", "]", "(", ")", "\\", "&amp;", "javascript:"),
    ]
)
MARKDOWN_LIKE = st.text(alphabet="abc #*-_`|[]()>x1:.\n\t<>/&", max_size=300)


@given(JSON_VALUES, st.sampled_from([None, 0, 2]))
def test_json_reads_as_the_plain_library_reads_it(value: object, indent: int | None) -> None:
    """The root's value is what json.loads gives; every node has a line inside the file."""
    text = json.dumps(value, indent=indent)
    document = JsonDocument(parse_json("a.json", text))
    assert document.root is not None
    expected = json.loads(text)
    if "\\ud" not in text:
        assert document.root.value == expected
    last_line = text.count("\n") + 1
    assert all(1 <= (node.where.line or 0) <= last_line for node in document.root.walk())


@given(JSON_VALUES)
def test_json_lines_point_at_the_value(value: object) -> None:
    """With one member per line, the line of a member is the line its key stands on."""
    text = json.dumps({"first": 1, "wanted": value, "last": 2}, indent=1)
    root = JsonDocument(parse_json("a.json", text)).root
    assert root is not None
    assert text.split("\n")[(root.place_of("wanted").line or 0) - 1].startswith(' "wanted"')


@given(st.text(max_size=200) | st.text(alphabet='{}[]",:01truefalsn \n\\ud8', max_size=80))
def test_json_never_raises(text: str) -> None:
    """Any text gives a root or a problem."""
    for document in map(JsonDocument, [parse_json("a.json", text), *parse_json_lines("a.jsonl", text)]):
        assert (document.root is None) == any("given twice" not in problem.message for problem in document.problems)


@given(JSON_VALUES)
def test_typed_reads_never_raise(value: object) -> None:
    """Any value under any key can be asked for as any type."""
    root = JsonDocument(parse_json("a.json", json.dumps({"key": value}))).root
    assert isinstance(root, JsonNode)
    for read in (root.text, root.scalar, root.integer, root.boolean, root.object, root.items, root.texts, root.objects):
        read("key")


@given(MARKDOWN_LIKE | st.text(max_size=200))
def test_markdown_never_raises_and_lines_are_inside(text: str) -> None:
    """Any text is an outline; its lines are lines of the text; two readings are equal."""
    outline = parse_markdown(text)
    last = text.count("\n") + text.count("\r") + 1
    assert all(1 <= line.number <= last for line in outline.lines())
    assert [vars_of(part) for part in outline.sections] == [vars_of(part) for part in parse_markdown(text).sections]
    outline.headings()


def vars_of(section: object) -> str:
    return repr(section)


@given(st.lists(MARKDOWN_PIECES, max_size=24).map("".join))
@settings(max_examples=400, deadline=None)
def test_markdown_has_the_blocks_that_another_parser_finds(text: str) -> None:
    """Sections, items, tables and code are those of markdown-it, in lines of their own."""
    assert list(parse_markdown(text).sections) == collect_sections(text)


@given(st.text(max_size=200) | MARKDOWN_LIKE)
def test_line_readers_never_raise(text: str) -> None:
    """Whatever a line says, it can be asked for anything."""
    for read in (parse_field, plain, parse_status, parse_verdict, parse_number, parse_counts, find_commits, find_paths):
        assert read(text) == read(text)


@given(st.text(alphabet="ab:-[]{}&*!#'\"|>\n 1", max_size=120))
def test_frontmatter_never_raises(inside: str) -> None:
    """Any text between the fences gives a document, and the body keeps its number of lines."""
    text = f"---\n{inside}\n---\nbody\n"
    _, body = split_frontmatter("a.md", text)
    assert body.count("\n") == text.count("\n")
