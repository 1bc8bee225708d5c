"""Characters that do not show, or make others show as what they are not."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.lazy_pattern import compile_later

HIDDEN: Final = compile_later(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
"""Controls (tab and line ends among them), bidirectional overrides, zero-width, tag and filler characters, and
what stands for bytes that are no text.
"""
