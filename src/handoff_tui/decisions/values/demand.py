"""Why a decision asks for more than one key."""

from __future__ import annotations

from typing import NamedTuple


class ExtraConfirmation(NamedTuple):
    """Why a decision asks for more than one key: said in the dialog, and met by typing the handoff's name."""

    text: str
    detail: str = ""
