"""Parts that are read for one scene."""

from __future__ import annotations

import pytest

from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.live.feed.snapshot import read_scene
from handoff_tui.live.parts.readers import cut_text, read_document
from tests.support.live_desks import build_work
from tests.support.repositories import RepositoryBuilder


def test_long_document_is_read_as_far_as_the_limit(builder: RepositoryBuilder) -> None:
    """The beginning of ten megabytes is shown, and said to be the beginning."""
    builder.write("big.md", "a long line " * 900_000).write("small.md", "short\n")
    scene = read_scene(build_work(builder).folder, 1)
    big = read_document(scene, "H-1", "big.md")
    assert (len(big.text), big.truncated) == (scene.desk.loaded.settings.limits.file_bytes, True)
    assert read_document(scene, "H-1", "small.md").truncated is False


def test_document_of_the_handoff_comes_with_its_sections(builder: RepositoryBuilder) -> None:
    """And what is no text is refused in words."""
    builder.write("picture.png", b"\x89PNG\x00\x01")
    scene = read_scene(build_work(builder).folder, 1)
    view = read_document(scene, "H-1", "handoffs/H-1/H-1_RESULTS.md")
    assert view.document is not None
    with pytest.raises(FileUnreadableError, match="is no text"):
        read_document(scene, "H-1", "picture.png")


def test_text_is_never_cut_within_a_character() -> None:
    """Two bytes, three bytes, four bytes."""
    for character in ("é", "漢", "😀"):
        content = (character * 3).encode()
        for limit in range(len(content)):
            cut = cut_text(content, limit).decode()
            assert cut == character * (limit // len(character.encode()))
    assert cut_text(b"abc", 3) == b"abc"
