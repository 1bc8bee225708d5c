from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from handoff_tui.core.errors import ReviewRecordError, StoredFileDamagedError, StoredFileMissingError
from handoff_tui.log.storage.evidence import encode_review, find_review, read_review, write_review
from tests.support.gate_views import RECORD


def test_record_comes_back_as_it_was(tmp_path: Path) -> None:
    """Under the digest of its bytes, which are ASCII."""
    digest = write_review(tmp_path, RECORD)
    assert digest == hashlib.sha256(encode_review(RECORD)).hexdigest()
    assert read_review(tmp_path, digest) == RECORD
    assert encode_review(RECORD).isascii()
    assert (tmp_path / ".handoff-tui" / "reviews" / f"{digest}.json").is_file()


def test_missing_and_damaged_records_are_told_apart(tmp_path: Path) -> None:
    """Whoever can do without one finds nothing in both cases."""
    digest = write_review(tmp_path, RECORD)
    with pytest.raises(StoredFileMissingError):
        read_review(tmp_path, "0" * 64)
    place = tmp_path / ".handoff-tui" / "reviews" / f"{digest}.json"
    place.chmod(0o644)
    place.write_bytes(b"{}\n")
    with pytest.raises(StoredFileDamagedError):
        read_review(tmp_path, digest)
    assert find_review(tmp_path, digest) is None
    assert find_review(tmp_path, "0" * 64) is None


@pytest.mark.parametrize("content", [b"{}\n", b"[]", b'{"schema_version": 2}', b"\xff"])
def test_record_of_another_form_is_said_to_be_one(tmp_path: Path, content: bytes) -> None:
    """Its name fits, its content is not ours: no guess is made."""
    digest = hashlib.sha256(content).hexdigest()
    write_review(tmp_path, RECORD)
    (tmp_path / ".handoff-tui" / "reviews" / f"{digest}.json").write_bytes(content)
    with pytest.raises(ReviewRecordError):
        read_review(tmp_path, digest)
    assert find_review(tmp_path, digest) is None
