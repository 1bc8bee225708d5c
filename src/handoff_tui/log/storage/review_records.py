"""Review records on disk: canonical JSON under its own digest, below `.handoff-tui/reviews/`."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from handoff_tui.core.errors import HandoffError, ReviewRecordError
from handoff_tui.log.review_record import ReviewRecord
from handoff_tui.system.files.addressed_files import AddressedFolder

_MOST_BYTES = 16 * 1024 * 1024


def write_review(root: Path, record: ReviewRecord) -> str:
    """Stores a record; its digest."""
    return _open(root).write(encode_review(record))


def encode_review(record: ReviewRecord) -> bytes:
    value = {**record.model_dump(mode="json", exclude_defaults=True), "schema_version": record.schema_version}
    return json.dumps(value, sort_keys=True, ensure_ascii=True, indent=1).encode("ascii") + b"\n"


def read_review(root: Path, digest: str) -> ReviewRecord:
    """The record of a digest."""
    folder = _open(root)
    try:
        return ReviewRecord.model_validate_json(folder.read(digest), strict=True)
    except ValidationError as wrong:
        raise ReviewRecordError(
            f"{folder.build_path(digest)} is no review record that this version can read",
            "A newer handoff-tui may have written it; or restore the file from git.",
        ) from wrong


def find_review(root: Path, digest: str) -> ReviewRecord | None:
    """The record of a digest; nothing where it is not here or cannot be read."""
    try:
        return read_review(root, digest)
    except HandoffError:
        return None


def _open(root: Path) -> AddressedFolder:
    return AddressedFolder(root, "reviews", ".json", max_bytes=_MOST_BYTES)
