from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.changes.comparison.snapshot_diff import ItemChange
from handoff_tui.config.theme import ROLES
from handoff_tui.core.text.globs import build_path_matcher
from handoff_tui.core.text.labels import (
    Label,
    describe_ago,
    describe_span,
    label_difference,
    label_gate,
    label_mover,
    label_verdict,
    plural,
)
from handoff_tui.core.text.markdown_text import render_code, render_commands, render_markdown
from handoff_tui.core.text.safe_text import (
    find_hidden,
    has_hidden_characters,
    render_safe,
    render_safe_lines,
    split_hidden,
)
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.claim import VerdictState
from handoff_tui.live.state.app import Loaded
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.tui.views.view import describe_freshness
from tests.support.desk_states import MOMENT


@pytest.mark.parametrize(
    ("seconds", "span", "ago"),
    [
        (-5, "0s", "just now"),
        (20, "20s", "20 s ago"),
        (12 * 60, "12m", "12 min ago"),
        (2 * 3600, "2h", "2 h ago"),
        (3 * 86400, "3d", "3 d ago"),
        (20 * 86400, "2w", "2 weeks ago"),
        (800 * 86400, "2y", "2 years ago"),
    ],
)
def test_age_is_told_in_its_largest_unit(seconds: int, span: str, ago: str) -> None:
    """What lies ahead of us is just now: clocks differ."""
    since = MOMENT - timedelta(seconds=seconds)
    assert (describe_span(since, MOMENT), describe_ago(since, MOMENT)) == (span, ago)


def test_unknown_age_is_nothing() -> None:
    """Neither without a time nor without a clock."""
    assert describe_span(None, MOMENT) == describe_ago(MOMENT, None) == ""


@pytest.mark.parametrize(
    ("part", "watching", "words"),
    [
        (Loaded(1, at=MOMENT), Watching.LIVE, "live"),
        (Loaded(1, at=MOMENT, loading=True), Watching.LIVE, "rescanning"),
        (Loaded(1, at=MOMENT, stale=True), Watching.LIVE, "stale, read 3 min ago"),
        (Loaded(1, stale=True), Watching.LIVE, "stale"),
        (Loaded(1, at=MOMENT), Watching.POLLING, "read 3 min ago"),
        (Loaded(1), Watching.RESCANNING, "rescanning"),
        (Loaded(1, at=MOMENT), Watching.GONE, "gone"),
    ],
)
def test_freshness_never_calls_live_what_may_be_old(part: Loaded[int], watching: Watching, words: str) -> None:
    """Only what the watcher follows, and nothing has touched since, is live."""
    cell = describe_freshness(part, watching, MOMENT + timedelta(minutes=3))
    assert cell.text == words
    assert (cell.role == "pass") is (words == "live")


def label_all(find: Callable[..., Label], values: Iterable[object]) -> list[Label]:
    return [find(value) for value in values]


FAMILIES = {
    "gates": label_all(label_gate, [*GateName, None]),
    "movers": label_all(label_mover, Mover),
    "verdicts": label_all(label_verdict, VerdictState),
    "differences": label_all(label_difference, ItemChange),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_state_has_a_word_of_its_own(family: str) -> None:
    """Meaning is never by colour alone: the words of one family differ, and each has a glyph."""
    labels = FAMILIES[family]
    assert len({label.word for label in labels}) == len(labels)
    assert all(len(label.glyph) == 1 for label in labels)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_role_of_a_label_is_in_the_themes(family: str) -> None:
    """A label that no theme can colour could not be drawn."""
    assert {label.role for label in FAMILIES[family]} <= set(ROLES)


def test_words_are_those_of_the_model() -> None:
    """What a person reads is what a script reads."""
    assert [label_gate(name).word for name in GateName] == [name.value for name in GateName]
    assert [label_mover(mover).word for mover in Mover] == [mover.value for mover in Mover]
    assert [label_difference(change).word for change in ItemChange] == [
        change.replace("-", " ") for change in ItemChange
    ]


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (1234, "1,234 files"), (-1, "-1 files")]
)
def test_plural_follows_the_number(number: int, text: str) -> None:
    """Only one is one; thousands are parted."""
    assert plural(number, "file") == text


@pytest.mark.parametrize(
    ("noun", "text"),
    [("signed entry", "2 signed entries"), ("day", "2 days"), ("process", "2 processes"), ("clash", "2 clashes")],
)
def test_plural_follows_the_noun(noun: str, text: str) -> None:
    """An entry becomes entries, a day stays days."""
    assert plural(2, noun) == text


def test_verdicts_are_named_for_people() -> None:
    """A script reads `contradicted` and `unverified`."""
    assert [label_verdict(state).word for state in VerdictState] == ["holds", "false", "not measured", "was true"]


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;cHdu\x07", "␛]52;c;cHdu␇"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("abc\u202edcba", "abc⟨U+202E⟩dcba"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\tb\nc", "a    b c"),
        ("\x7f", "␡"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800", "\ufffd"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("[red]x[/red] é 漢 🙂", "[red]x[/red] é 漢 🙂"),
    ],
)
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    """Controls, overrides and invisible characters are visible; everything else is as it was."""
    assert render_safe(text) == shown


def test_long_text_is_cut_with_a_mark() -> None:
    """The limit counts the mark."""
    assert render_safe("abcdef", 4) == "abc…"
    assert render_safe("abcd", 4) == "abcd"


def test_lines_are_made_safe_one_by_one() -> None:
    """Line ends stay line ends."""
    assert render_safe_lines("a\x1b\nb") == ["a␛", "b"]


def test_hidden_characters_are_noticed() -> None:
    """Tabs and line ends give no cause for alarm."""
    assert not has_hidden_characters("a\tb\n")
    assert has_hidden_characters("a\u202eb")


def test_hidden_characters_are_set_apart() -> None:
    """Each stands in a piece of its own, marked; together the pieces are the safe text."""
    text = "a\u202eb\x1b\x1bc\td"
    assert split_hidden(text) == [
        ("a", False),
        ("⟨U+202E⟩", True),
        ("b", False),
        ("␛", True),
        ("␛", True),
        ("c    d", False),
    ]
    assert split_hidden("") == []


def test_hidden_characters_are_named_once() -> None:
    """By their code points, bytes that are not UTF-8 as such, tabs and line ends not at all."""
    assert find_hidden("a\u202eb\u202e\x1b\udce9\t\n") == ("U+202E", "U+001B", "byte e9")
    assert find_hidden("plain é") == ()


PIECES = st.lists(st.sampled_from([*("test_", ".py", "tests", "/", "a", "b", "."), "*", "?", "[ab]"]), max_size=5)


@given(pattern=PIECES.map("".join), pieces=PIECES)
def test_path_fits_a_pattern_of_its_name_or_its_end(pattern: str, pieces: list[str]) -> None:
    """As `fnmatchcase` says: a pattern without a slash is about the name alone."""
    path = "".join(pieces)
    name, whole = path.rpartition("/")[2], f"/{path}"
    expected = fnmatchcase(whole, f"*/{pattern}") if "/" in pattern else fnmatchcase(name, pattern)
    assert build_path_matcher(("never", pattern))(path) is expected
