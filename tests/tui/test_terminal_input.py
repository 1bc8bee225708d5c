"""What a terminal sends: in whatever pieces it comes, the same keys; and a paste is never a key."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from handoff_tui.tui import terminal_input
from handoff_tui.tui.terminal_input import SteadyParser, clean_paste

PIECES = ("a", "\r", "\x13", "\x1b[A", "\x1bOB", "\x1b[1;5C", "\x1b[<0;12;3M", "\x1b[I", "ü", "\x1b[15~")
PASTED = st.text(st.sampled_from("ab\n\x1b[201~\x13O"), max_size=20)


def parse(*chunks: str) -> list[tuple[str, str]]:
    """Names and texts of what was read from these pieces, one after the other."""
    parser = SteadyParser()
    return [name(event) for chunk in chunks for event in parser.feed(chunk)]


def name(event: Message) -> tuple[str, str]:
    return type(event).__name__, str(getattr(event, "key", "") or getattr(event, "text", ""))


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=8), pasted=PASTED, data=st.data())
def test_keys_are_the_same_however_they_are_cut(pieces: list[str], pasted: str, data: st.DataObject) -> None:
    """Only escape alone can't wait: it is a key."""
    pasted = pasted.replace("\x1b[201~", "")
    sent = f"{''.join(pieces)}\x1b[200~{pasted}\x1b[201~{''.join(pieces)}"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=5)))
    cuts = [cut for cut in cuts if not sent[:cut].endswith("\x1b")]
    chunks = [sent[first:last] for first, last in zip([0, *cuts], [*cuts, len(sent)], strict=True) if first < last]
    assert parse(*chunks) == parse(sent)


@given(pasted=PASTED)
def test_nothing_in_a_paste_is_a_key(pasted: str) -> None:
    """Whatever escapes are in it, up to the mark that ends it."""
    pasted = pasted.replace("\x1b[201~", "")
    [(kind, text)] = parse(f"\x1b[200~{pasted}\x1b[201~")
    assert (kind, text) == (events.Paste.__name__, pasted.replace("\x1b", "␛"))


def test_rest_of_a_key_may_come_late() -> None:
    """An arrow key in two pieces is one key; half of one is given up after a while."""
    parser = SteadyParser()
    assert list(parser.feed("\x1b[")) == []
    assert list(parser.tick()) == []
    assert [name(event) for event in parser.feed("B")] == [("Key", "down")]
    assert list(parser.feed("\x1b[")) == []
    parser._held_at -= terminal_input._LONGEST_WAIT
    list(parser.tick())
    assert parser._held == ""
    assert [name(event) for event in parser.feed("")][-1] == ("Key", "left_square_bracket")


def test_pasted_text_becomes_plain() -> None:
    """Lines stay; tabs are blanks; what could not be signed is shown as a sign."""
    assert clean_paste("a\tb\r\nc\rd\x00\x1b\x7f\x85\n") == "a   b\nc\nd␀␛␡�\n"
