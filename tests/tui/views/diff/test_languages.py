from __future__ import annotations

import pytest

from handoff_tui.config.theme import TEXT_ROLES
from handoff_tui.tui.views.diff.rows import find_language, find_words


def tell(path: str, text: str) -> list[tuple[str, str]]:
    language = find_language(path)
    assert language is not None
    return [(text[start:end], role.removeprefix("syntax-")) for start, end, role in find_words(language, text)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "def lamp(): # on", [("def", "keyword"), ("lamp", "name"), ("# on", "comment")]),
        ("a.py", '"""two\nlines""" + 1.5', [('"""two\nlines"""', "string"), ("1.5", "number")]),
        ("a.py", 'x = "a\\"b"', [('"a\\"b"', "string")]),
        ("a.py", "@cache\nclass Lamp:", [("@cache", "name"), ("class", "keyword"), ("Lamp", "name")]),
        ("a.ts", "const a = `x\ny`; // b", [("const", "keyword"), ("`x\ny`", "string"), ("// b", "comment")]),
        ("src/a.c", "#include <x>\na; /* b\nc */", [("#include <x>", "keyword"), ("/* b\nc */", "comment")]),
        ("a.rs", "fn f<'a>(x: &'a str) {}", [("fn", "keyword"), ("f", "name")]),
        ("a.go", "func f() {}", [("func", "keyword"), ("f", "name")]),
        ("ci.yml", "on: push # x\n- a: 'a'", [("on", "name"), ("# x", "comment"), ("- a", "name"), ("'a'", "string")]),
        ("a.toml", "[a]\nb = true", [("[a]", "keyword"), ("b", "name"), ("true", "keyword")]),
        ("a.json", '{"a": null}', [('"a"', "string"), ("null", "keyword")]),
        ("a.sql", "SELECT x -- y", [("SELECT", "keyword"), ("-- y", "comment")]),
        ("a.html", '<a href="x"><!-- y -->', [("<a", "name"), ('"x"', "string"), ("<!-- y -->", "comment")]),
        ("README.md", "# Lamp\n`x`", [("# Lamp", "keyword"), ("`x`", "string")]),
        ("Makefile", "all: x # y", [("all", "name"), ("# y", "comment")]),
        ("a.py", "'not closed\nx = 1", [("'not closed", "string"), ("1", "number")]),
    ],
)  # fmt: skip
def test_words_are_what_they_look_like(path: str, text: str, expected: list[tuple[str, str]]) -> None:
    """Comments, texts, numbers, keywords, and names where they are defined."""
    assert tell(path, text) == expected


@pytest.mark.parametrize("path", ["a.txt", "a", "py", "a.py.orig", "folder.py/x"])
def test_unknown_files_have_no_language(path: str) -> None:
    """Only an ending that is known, and only of the name itself."""
    assert find_language(path) is None


def test_roles_are_those_of_the_themes() -> None:
    """Each colour is one that every theme has."""
    found = {role for _, _, role in find_words(find_language("a.py"), 'def f(): # "a"\n "b" 1')}  # type: ignore[arg-type]
    assert found == {"syntax-keyword", "syntax-name", "syntax-comment", "syntax-string", "syntax-number"}
    assert found <= set(TEXT_ROLES)
