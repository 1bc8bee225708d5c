from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import CaptureError
from handoff_tui.git.objects.private_objects import (
    make_folder,
    offer_objects,
    offer_own_objects,
    quote_folder,
    write_without_own_folder,
)
from handoff_tui.git.objects.reader import ObjectReader
from handoff_tui.git.repository import open_repository
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder


@pytest.mark.parametrize(
    ("folder", "quoted"),
    [
        ("/a/b", "/a/b"),
        ("/a:b", '"/a:b"'),
        ('/a:"b\\', '"/a:\\"b\\\\"'),
    ],
)
def test_folder_is_quoted_where_it_must_be(folder: str, quoted: str) -> None:
    """A colon would end the path; quotes and backslashes are escaped then."""
    assert quote_folder(Path(folder)) == quoted


def test_offered_objects_are_both_read_and_only_ours_are_written(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Git writes to our folder, sees both, and does not mark what the user already has as fresh."""
    builder.write("a", "known\n").commit()
    before = read_fingerprint(builder.folder)
    git = open_repository(builder.folder).git
    reading, writing = offer_objects(open_repository(builder.folder), tmp_path), offer_own_objects(tmp_path)
    for content in (b"known\n", b"new\n"):
        blob = git.read("hash-object", "-w", "--stdin", stdin=content, extra=writing).decode().strip()
        assert git.read("cat-file", "blob", blob, extra=reading) == content
    assert git.read("cat-file", "blob", "HEAD:a", extra=reading) == b"known\n"
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


def test_only_our_folder_at_the_root_is_dropped(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A folder of that name further down is content; a tree without ours is itself."""
    builder.write("sub/.handoff-tui/x").write("a").commit()
    plain = builder.head("HEAD^{tree}")
    builder.write(".handoff-tui/log/x").commit()
    repository = open_repository(builder.folder)
    reader = ObjectReader(repository.git, offer_objects(repository, tmp_path))
    assert write_without_own_folder(reader, builder.head("HEAD^{tree}"), tmp_path) == plain
    assert write_without_own_folder(reader, plain, tmp_path) == plain


def test_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """The message names the place."""
    (tmp_path / "file").touch()
    with pytest.raises(CaptureError, match="file/below cannot be written"):
        make_folder(tmp_path / "file" / "below")
