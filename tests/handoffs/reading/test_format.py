from __future__ import annotations

import hashlib

from handoff_tui.core.place import Place, Problem, ProblemLevel
from handoff_tui.handoffs.handoff import DocumentRole, Heading
from handoff_tui.handoffs.reading.format import LIKELY, Source, SourceFile

MARKDOWN = "---\nstatus: done\n---\n# Lamp\n\n## Wick\n"


def test_source_knows_its_name_and_folder() -> None:
    """The last part, and what stands before it."""
    assert (Source(SourceFile("a/b/c.md", "")).name, Source(SourceFile("a/b/c.md", "")).folder) == ("c.md", "a/b")
    assert (Source(SourceFile("c.md", "")).name, Source(SourceFile("c.md", "")).folder) == ("c.md", "")


def test_source_of_text_has_the_hash_of_its_bytes() -> None:
    """Texts that cannot be encoded have one as well."""
    assert Source.of_text("a.md", "ä").sha256 == hashlib.sha256("ä".encode()).hexdigest()
    assert Source.of_text("a.md", "\ud800").sha256


def test_source_is_parsed_once_in_each_way() -> None:
    """A second look gives the same objects, so that their problems are kept."""
    source = Source.of_text("a.md", MARKDOWN)
    assert source.outline is source.outline
    assert source.json_document is source.json_document
    assert source.json_lines is source.json_lines


def test_source_parts_frontmatter_from_text() -> None:
    """The head is data; the outline begins below it, with the lines of the file."""
    source = Source.of_text("a.md", MARKDOWN)
    assert source.frontmatter is not None
    assert source.frontmatter.text("status") == "done"
    assert [(section.title, section.line) for section in source.outline.sections if section.level] == [
        ("Lamp", 4),
        ("Wick", 6),
    ]
    assert Source.of_text("a.md", "# Lamp\n").frontmatter is None


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


def test_report_says_the_same_thing_once() -> None:
    """The same message on another line is another problem."""
    source = Source.of_text("a.md", "")
    for line in (3, 3, 4):
        source.report("is odd", line)
    source.report("is worse", level=ProblemLevel.ERROR)
    assert [(problem.line, problem.message, problem.level) for problem in source.problems()] == [
        (3, "is odd", ProblemLevel.WARNING),
        (4, "is odd", ProblemLevel.WARNING),
        (None, "is worse", ProblemLevel.ERROR),
    ]


def test_document_of_markdown_brings_its_headings() -> None:
    """Title, sections with their lines, the hash, and what was found lacking."""
    source = Source.of_text("a.MD", MARKDOWN)
    document = source.document(DocumentRole.SPEC, confidence=LIKELY, missing=("Oil",), out_of_order=("Wick",))
    assert (document.path, document.role, document.title) == ("a.MD", DocumentRole.SPEC, "Lamp")
    assert document.sections == (Heading(title="Lamp", line=4, level=1), Heading(title="Wick", line=6, level=2))
    assert (document.missing, document.out_of_order, document.confidence) == (("Oil",), ("Wick",), LIKELY)
    assert document.sha256 == source.sha256


def test_document_of_anything_else_has_no_headings() -> None:
    """JSON is not searched for them, nor is Markdown that could not be read."""
    for source in (Source.of_text("a.json", "# Lamp"), Source(SourceFile("a.md", "", readable=False))):
        document = source.document(DocumentRole.STATE)
        assert (document.title, document.sections) == (None, ())


def test_place_is_in_this_file() -> None:
    """With or without a line."""
    source = Source.of_text("a.md", "")
    assert (source.place(3), source.place()) == (Place(path="a.md", line=3), Place(path="a.md"))


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
