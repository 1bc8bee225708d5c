"""Garbage collection put off."""

from __future__ import annotations

import gc

import pytest

from handoff_tui.core.pause_collection import without_collection


def test_collection_is_off_inside_and_on_again_after() -> None:
    """Also when what is done inside fails."""
    with pytest.raises(ValueError, match="off, as it should be"), without_collection():
        int("on" if gc.isenabled() else "off, as it should be")
    assert gc.isenabled()


def test_collection_that_was_off_stays_off() -> None:
    """One put off inside another does not end it."""
    with without_collection():
        with without_collection():
            pass
        assert not gc.isenabled()
