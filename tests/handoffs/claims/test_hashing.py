from __future__ import annotations

from pathlib import Path

from handoff_tui.handoffs.claims.evidence import build_hash, hash_file
from handoff_tui.system.files.reader import FileReader


def test_hash_has_the_form_used_everywhere(tmp_path: Path) -> None:
    """`sha256:` and 64 hex digits; nothing for a file that is not there or leads out."""
    (tmp_path / "a").write_bytes(b"x")
    reader = FileReader(tmp_path, 10)
    assert hash_file(reader, "a") == build_hash(b"x")
    assert build_hash(b"x").startswith("sha256:2d711642")
    assert hash_file(reader, "b") is None
    assert hash_file(reader, "../a") is None
