from __future__ import annotations

from handoff_tui.handoffs.reading.json_document import split_frontmatter


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
