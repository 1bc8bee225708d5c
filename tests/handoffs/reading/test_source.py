from __future__ import annotations

import pytest

from handoff_tui.core.place import Place, Problem
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import DocumentRole, Heading
from handoff_tui.handoffs.reading.format import LIKELY, Source, SourceFile
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import (
    JsonDocument,
    JsonNode,
    parse_json,
    parse_json_lines,
    split_frontmatter,
)

MARKDOWN = "---\nstatus: done\n---\n# Lamp\n\n## Wick\n"


def test_unreadable_source_is_not_parsed() -> None:
    """It has no JSON, no lines, and its one problem."""
    problem = Problem(path="a.json", message="is too large")
    source = Source(SourceFile("a.json", "", problems=[problem], readable=False))
    assert (source.json, source.json_lines, source.problems()) == (None, [], [problem])


def test_problems_come_from_every_way_the_file_was_parsed() -> None:
    """Only from those: what nobody asked for is not wrong."""
    text = "---\nstatus: [\n---\n{"
    source = Source.of_text("a.md", text)
    assert source.problems() == []
    assert source.json is None
    assert len(source.problems()) == 1
    assert source.frontmatter is None or source.frontmatter.value is None
    assert len(source.problems()) == 2
    assert len(source.json_lines) > 0
    assert len(source.problems()) > 2


def test_document_of_markdown_brings_its_headings() -> None:
    """Title, sections with their lines, the hash, and what was found lacking."""
    source = Source.of_text("a.MD", MARKDOWN)
    document = source.document(DocumentRole.SPEC, confidence=LIKELY, missing=("Oil",), out_of_order=("Wick",))
    assert (document.path, document.role, document.title) == ("a.MD", DocumentRole.SPEC, "Lamp")
    assert document.sections == (Heading(title="Lamp", line=4, level=1), Heading(title="Wick", line=6, level=2))
    assert (document.missing, document.out_of_order, document.confidence) == (("Oil",), ("Wick",), LIKELY)
    assert document.sha256 == source.sha256


def test_what_a_reader_made_is_kept_with_what_it_reported() -> None:
    """It is made once per file; whoever asks for it gets the reports as well, and only then."""
    made: list[str] = []

    def read(source: Source) -> list[str | None]:
        made.append(source.path)
        source.report("is odd", 2)
        return [source.json.text("name") if source.json is not None else None]

    file = SourceFile.of_text("a.json", '{"name": 3, "x": 1, "x": 2}')
    first, second = Source(file), Source(file)
    assert second.read_once("reading", read) is first.read_once("reading", read)
    assert made == ["a.json"]
    assert len(first.problems()) == 3
    assert (second.problems(), Source(file).problems()) == (first.problems(), [])


def test_what_was_made_from_something_else_is_made_again() -> None:
    """Other settings, another reading."""
    given = object()
    file = SourceFile.of_text("a.md", "# Lamp\n")
    first = Source(file).read_once("reading", lambda *_: object(), given)
    assert Source(file).read_once("reading", lambda *_: object(), given) is first
    assert Source(file).read_once("reading", lambda *_: object(), object()) is not first


def test_readers_share_the_parsed_text_and_not_their_problems() -> None:
    """The outline is parsed once; what one reader reports is no business of another."""
    first = Problem(path="a.md", message="is odd")
    file = SourceFile("a.md", "# Title\n\ntext\n", sha256="0" * 64, problems=[first])
    source, other = Source(file), Source(file)
    source.report("something is wrong", 3)
    assert source.outline is other.outline
    assert other.problems() == [first]


TEXT = """{
  "name": "tide",
  "list": [1,
    {"deep": true}],
  "wrong": 3,
  "none": null
}"""


def root_of(text: str) -> JsonNode:
    root = JsonDocument(parse_json("a.json", text)).root
    assert root is not None
    return root


def test_node_knows_its_line() -> None:
    """Every value, in objects and lists, has the line it stands on."""
    lines = {node.name: node.where.line for node in root_of(TEXT).walk()}
    assert lines == {"": 1, "name": 2, "list": 3, "list[0]": 3, "list[1]": 4, "list[1].deep": 4, "wrong": 5}


def test_typed_read_reports_another_type_with_its_line() -> None:
    """A number where text should be is a problem, not an exception, and not the text `3`."""
    root = root_of(TEXT)
    assert root.text("wrong") is None
    [problem] = root.document.problems
    assert (problem.line, problem.message) == (5, "wrong should be text, but is a number")


def test_typed_read_of_absent_or_null_is_silent() -> None:
    """What is not there is nothing, and no problem."""
    root = root_of(TEXT)
    assert (root.text("absent"), root.text("none"), root.items("absent")) == (None, None, [])
    assert root.document.problems == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("  \n ", "is empty"),
        ('{"a": 1', "is not valid JSON: Expecting ',' delimiter"),
        ("[NaN]", "NaN is not a JSON value"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5_000, "a number of 5000 digits"),
        ('{"a": 1} x', "Extra data"),
    ],
)
def test_malformed_text_is_a_problem(text: str, words: str) -> None:
    """Whatever is wrong with a file is said, and there is no root."""
    document = JsonDocument(parse_json("a.json", text))
    assert document.root is None
    assert words in document.problems[0].message


def test_duplicate_key_is_reported_where_it_stands() -> None:
    """The last value counts, and the second place is named."""
    root = root_of('{"a": {"b": 1,\n "b": 2}}')
    inner = root.object("a")
    assert inner is not None
    assert inner.integer("b") == 2
    assert [(problem.line, problem.message) for problem in root.document.problems] == [
        (2, "a.b is given twice; the last one is used")
    ]


def test_half_a_surrogate_pair_is_replaced() -> None:
    """A text that could not be printed is made printable."""
    assert root_of('{"a": "x\\ud800y"}').text("a") == "x\ufffdy"


def test_json_lines_keep_their_line_numbers() -> None:
    """A broken line is a problem with its own number; the others are read."""
    documents = [*map(JsonDocument, parse_json_lines("log.jsonl", '{"a": 1}\n\n{"b"\n{"c": 3}\n'))]
    assert [document.root is not None for document in documents] == [True, False, True]
    assert documents[1].problems[0].line == 3


def test_boolean_is_no_number() -> None:
    """`true` is not 1."""
    root = root_of('{"a": true, "b": 1}')
    assert (root.integer("a"), root.boolean("b")) == (None, None)
    assert len(root.document.problems) == 2


def test_scalar_reads_what_is_written_either_way() -> None:
    """Fields that are text in one file and a number in another read as text."""
    root = root_of('{"a": 2, "b": "2", "c": true, "d": [1]}')
    assert [root.scalar(key) for key in "abcd"] == ["2", "2", "true", None]


def test_frontmatter_is_read_and_lines_stay() -> None:
    """Values have their lines, and the body keeps its own."""
    document, body = split_frontmatter("a.md", "---\nphase: 2\ntags: [x, y]\ndate: 2026-01-02\n---\n# T\n")
    assert document is not None
    assert document.value == {"phase": 2, "tags": ["x", "y"], "date": "2026-01-02"}
    assert document.line_of(("tags",)) == 3
    assert body.split("\n")[5] == "# T"


def test_text_without_frontmatter_is_left_alone() -> None:
    """A rule in the middle, or an opening that never closes, is no frontmatter."""
    for text in ("# T\n---\na: 1\n---\n", "---\na: 1\n", ""):
        assert split_frontmatter("a.md", text) == (None, text)


def test_broken_yaml_is_a_problem_with_its_line() -> None:
    """The body is still read."""
    document, body = split_frontmatter("a.md", "---\na: 1\nb: [1\n---\nbody\n")
    assert document is not None
    assert not document.valid
    assert document.problems[0].line in {3, 4}
    assert body.endswith("body\n")


def test_alias_that_refers_to_itself_is_refused() -> None:
    """A structure without end is a problem, not a hang."""
    document, _ = split_frontmatter("a.md", "---\na: &x [*x]\n---\n")
    assert document is not None
    assert not document.valid
    assert document.problems


def test_aliases_that_multiply_are_refused() -> None:
    """A few lines that would expand to billions of values are a problem at once."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    document, _ = split_frontmatter("a.md", "---\n" + "\n".join(lines) + "\n---\n")
    assert document is not None
    assert "it uses aliases" in document.problems[0].message


def test_tags_build_no_objects() -> None:
    """A Python tag is plain text here."""
    document, _ = split_frontmatter("a.md", "---\na: !!python/object/apply:os.system [echo]\n---\n")
    assert document is not None
    assert document.value == {"a": ["echo"]}


def _claim(line: int, value: str) -> Claim:
    return Claim(kind=ClaimKind.COMMIT, text="commit", where=Place(path="a.json", line=line), value=value)


def test_draft_keeps_each_claim_once_per_place() -> None:
    """The same claim at the same place counts once; at another place it is another claim."""
    draft = HandoffDraft(id="x", dialect="d")
    draft.add_claims([_claim(1, "abc1234"), _claim(1, "abc1234"), _claim(2, "abc1234")])
    draft.add_claims([_claim(2, "abc1234"), _claim(2, "def5678")])
    assert [(claim.where.line, claim.value) for claim in draft.build().claims] == [
        (1, "abc1234"),
        (2, "abc1234"),
        (2, "def5678"),
    ]
