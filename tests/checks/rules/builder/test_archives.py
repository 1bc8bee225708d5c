"""Archives and what varies in them."""

from __future__ import annotations

import gzip
import io
import tarfile
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.builder.archives import ARCHIVES_REPRODUCIBLE, ArchiveBrokenError, find_varying
from tests.support.builder_story import build_changed_results, build_world, digest, results_path
from tests.support.world import MemoryWorld, find_subjects, judge

_NAME = "PKG-LAMP-001.tar.gz"


def _build_archive(
    *, mtime: int = 0, uid: int = 0, uname: str = "", packed_at: int = 0, size: int = 4, packed: bool = True
) -> bytes:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        member = tarfile.TarInfo("PKG-LAMP-001/lamp.py")
        member.size, member.mtime, member.uid, member.uname = size, mtime, uid, uname
        archive.addfile(member, io.BytesIO(b"x" * size))
    return gzip.compress(plain.getvalue(), mtime=packed_at) if packed else plain.getvalue()


def _declare(content: bytes | None, declared: str | None = None) -> MemoryWorld:
    value = declared if declared is not None else f" (SHA256: {digest(content or b'')})"
    world = build_changed_results("## Archives Built\n- NONE\n", f"## Archives Built\n- `{_NAME}`{value}\n")
    if content is not None:
        world.files[_NAME] = content
    return world


def test_archive_without_varying_parts_passes() -> None:
    """Packed or plain: fixed times, no owners."""
    assert judge(ARCHIVES_REPRODUCIBLE, _declare(_build_archive())) == []
    assert judge(ARCHIVES_REPRODUCIBLE, _declare(_build_archive(packed=False))) == []


def test_archive_with_varying_parts_is_found() -> None:
    """Times and owners of members, and the time in the header of gzip."""
    for content, word in (
        (_build_archive(mtime=1_700_000_000), "carries the time"),
        (_build_archive(uid=1000), "belongs to user 1000"),
        (_build_archive(uname="wren"), "names its owner wren"),
        (_build_archive(packed_at=1_700_000_000), "the time of the build"),
    ):
        [found] = judge(ARCHIVES_REPRODUCIBLE, _declare(content))
        assert found.actual is not None
        assert word in found.actual


def test_archive_with_another_hash_is_found() -> None:
    """The file is not the one that was declared."""
    [found] = judge(ARCHIVES_REPRODUCIBLE, _declare(_build_archive(), f" (SHA256: {digest('x')})"))
    assert (found.subject, found.expected) == (f"archive {_NAME}", f"sha256:{digest('x')}")


def test_archive_that_is_missing_or_without_a_hash_is_found() -> None:
    """A name alone proves nothing."""
    assert find_subjects(ARCHIVES_REPRODUCIBLE, _declare(None)) == [f"archive {_NAME}"]
    assert find_subjects(ARCHIVES_REPRODUCIBLE, _declare(_build_archive(), "")) == [f"hash {_NAME}"]


@pytest.mark.parametrize("content", [gzip.compress(b"no archive", mtime=0), _build_archive()[:40], b"\x1f\x8b"])
def test_archive_that_is_broken_is_found(content: bytes) -> None:
    """No tar inside, cut off, only two bytes."""
    subjects = find_subjects(ARCHIVES_REPRODUCIBLE, _declare(content))
    assert subjects == [f"members {_NAME}"]


def test_archive_that_unpacks_into_too_much_is_found() -> None:
    """The limit is that of files whose hash is measured; nothing is held in memory beyond it."""
    world = _declare(_build_archive(size=200_000))
    world.overrides["limits.hash_bytes"] = 50_000
    [found] = judge(ARCHIVES_REPRODUCIBLE, world)
    assert "unpacks into more than may be read" in found.message


def test_archive_of_another_kind_is_compared_by_its_hash() -> None:
    """What is no tar is not looked into."""
    assert judge(ARCHIVES_REPRODUCIBLE, _declare(b"PK\x03\x04 something")) == []


def test_archive_rule_needs_an_archive() -> None:
    """Results that built none."""
    with pytest.raises(NotApplicableError):
        judge(ARCHIVES_REPRODUCIBLE, build_world())
    with pytest.raises(NotApplicableError):
        judge(ARCHIVES_REPRODUCIBLE, build_world({results_path("H-5"): None}))


@given(st.binary(max_size=600))
@settings(max_examples=50, deadline=None)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """Only one kind of error comes out, packed or plain."""
    for wrapped in (content, b"\x1f\x8b" + content):
        with suppress(ArchiveBrokenError):
            assert isinstance(find_varying(wrapped, time=0, owners=("",), limit=10_000), list)
