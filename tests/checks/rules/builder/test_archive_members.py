"""Archives from their bytes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.checks.rules.builder.archives import ArchiveBrokenError, find_varying, is_tar


@given(st.binary(max_size=600))
@settings(max_examples=50, deadline=None)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """Only one kind of error comes out, packed or plain."""
    for wrapped in (content, b"\x1f\x8b" + content):
        with suppress(ArchiveBrokenError):
            assert isinstance(find_varying(wrapped, time=0, owners=("",), limit=10_000), list)


def test_kinds_of_archives_are_told_apart() -> None:
    """By their first bytes, not by their names."""
    assert is_tar(b"\x1f\x8b\x08")
    assert is_tar(b"\0" * 257 + b"ustar")
    assert not is_tar(b"PK\x03\x04")
    assert not is_tar(b"")


def test_cut_off_archive_is_refused() -> None:
    """A header of gzip and nothing behind it."""
    with pytest.raises(ArchiveBrokenError):
        find_varying(b"\x1f\x8b", time=0, owners=("",), limit=10)
