from __future__ import annotations

import codecs

from hypothesis import example, given
from hypothesis import strategies as st

from handoff_tui.system.files.reader import decode_text

MARKS = (
    codecs.BOM_UTF8, codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF32_LE, b"\r", b"\n",
    b"\0", b"\xff", b"\xef\xbb", b"\xed\xa0\x80", b"\xd8\x00",
)  # fmt: skip
CONTENT = st.lists(st.one_of(st.sampled_from(MARKS), st.binary(max_size=12)), max_size=12).map(b"".join)


@given(CONTENT)
@example(codecs.BOM_UTF8 * 3)
@example("\ufeff\0".encode("utf-16"))
def test_decoding_never_raises_and_gives_clean_text(content: bytes) -> None:
    """Any bytes give text without NUL, CR or lone surrogates, and one problem at least where there is none."""
    decoded = decode_text(content)
    decoded.text.encode("utf-8")
    assert not {"\0", "\r"} & set(decoded.text)
    assert not decoded.binary or (decoded.text == "" and decoded.remarks)
    assert decode_text(content) == decoded


@given(CONTENT)
@example(codecs.BOM_UTF8 * 2 + b"a")
@example("\ufeff\ufeffa".encode("utf-16"))
def test_decoding_twice_is_decoding_once(content: bytes) -> None:
    """Text that was decoded is plain UTF-8 with newlines: decoded again it stays, without a problem."""
    text = decode_text(content).text
    again = decode_text(text.encode("utf-8"))
    assert (again.text, again.remarks, again.binary) == (text, (), False)


@given(st.text(alphabet=st.characters(exclude_characters="\0\r\ufeff", exclude_categories=["Cs"])))
def test_plain_text_comes_back_as_it_is(text: str) -> None:
    """UTF-8 without marks, CR and NUL is neither changed nor remarked on."""
    decoded = decode_text(text.encode("utf-8"))
    assert (decoded.text, decoded.remarks) == (text, ())
