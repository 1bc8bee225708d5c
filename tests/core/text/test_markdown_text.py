from __future__ import annotations

import pytest

from handoff_tui.core.text.markdown_text import render_code, render_commands, render_markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, (some) of them.", "plain words, (some) of them."),
        ("run `git push` now", "run `git push` now"),
        ("run `a|b` now", "run <code>a&#124;b</code> now"),
        ("one ` alone", "one &#96; alone"),
        ("a|b", "a&#124;b"),
        ("snake_case _word_", "snake_case &#95;word&#95;"),
        ("**b** <i>", "&#42;&#42;b&#42;&#42; &#60;i&#62;"),
        ("[a](b) ![c](d)", "&#91;a&#93;(b) !&#91;c&#93;(d)"),
        ("@someone and #12", "<code>&#64;</code>someone and <code>&#35;</code>12"),
        ("https://e.example www.e.example", "https&#58;//e.example www&#46;e.example"),
        ("- item", "&#45; item"),
        ("12) item", "12&#41; item"),
        ("# head", "&#35; head"),
        ("#12", "<code>&#35;</code>12"),
        ("   x  ", "x"),
        ("&lt;", "&#38;lt;"),
        ("a\nb\x1b", "a b␛"),
        ("", ""),
    ],
)
def test_text_means_nothing(text: str, shown: str) -> None:
    """What has a meaning becomes an entity; the rest is as it was."""
    assert render_markdown(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b", "`a b`"),
        ("<b>*", "`<b>*`"),
        ("a`b", "<code>a&#96;b</code>"),
        ("a|b\\", "<code>a&#124;b&#92;</code>"),
        (" a", "<code> a</code>"),
        ("", "–"),
        ("  ", "–"),
    ],
)
def test_code_is_literal(text: str, shown: str) -> None:
    """Simple code as Markdown has it; code that could break out, by entities."""
    assert render_code(text) == shown


def test_fence_outlasts_its_content() -> None:
    """Three backticks at least, one more than inside."""
    assert render_commands(["ls"]) == ["```sh", "ls", "```"]
    assert render_commands(["````"])[0] == "`````sh"
