from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.text.safe_text import has_hidden_characters, render_safe


@given(st.text(alphabet=st.characters(codec=None)))
def test_safe_text_can_always_be_printed(text: str) -> None:
    """No control, override or half character is left, and the result can be encoded."""
    shown = render_safe(text)
    shown.encode("utf-8")
    assert all(unicodedata.category(character) not in {"Cc", "Cs"} for character in shown)
    assert not has_hidden_characters(shown)


@given(st.text())
def test_making_safe_twice_changes_nothing(text: str) -> None:
    """Safe text is a fixed point."""
    assert render_safe(render_safe(text)) == render_safe(text)
