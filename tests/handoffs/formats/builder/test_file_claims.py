"""Files and hashes are claimed from lists, tables and fields."""

from __future__ import annotations

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.builder.file_claims import find_file_claims
from handoff_tui.handoffs.reading.format import Source

_OLD, _NEW = "0a" * 32, "1b" * 32

Short = tuple[ClaimKind, str | None, object, int | None]


def _claims(text: str) -> list[Short]:
    source = Source.of_text("RESULTS_HANDOFF_7.md", f"# Results: H-7 — Remove a file\n\n{text}")
    return [(claim.kind, claim.subject, claim.value, claim.where.line) for claim in find_file_claims(source)]


def test_file_list_claims_files_and_hashes() -> None:
    """Lists give a claim per file and per hash; a hash that is none gives none."""
    text = (
        f"## Files Created\n- src/lamp.py (SHA256: {_NEW})\n- `notes.md` (SHA256: N/A — self-referential)\n"
        f"## Files Modified\n- `src/oil.py` (SHA256 before: `{_OLD}`, after: `{_NEW}`)\n"
        f"## Files Deleted\n- `src/wick.py` (SHA256: {_OLD})\n- NONE\n"
    )
    assert _claims(text) == [
        (ClaimKind.FILE_CREATED, "src/lamp.py", None, 4),
        (ClaimKind.HASH, "src/lamp.py", f"sha256:{_NEW}", 4),
        (ClaimKind.FILE_CREATED, "notes.md", None, 5),
        (ClaimKind.FILE_MODIFIED, "src/oil.py", None, 7),
        (ClaimKind.HASH_BEFORE, "src/oil.py", f"sha256:{_OLD}", 7),
        (ClaimKind.HASH, "src/oil.py", f"sha256:{_NEW}", 7),
        (ClaimKind.FILE_DELETED, "src/wick.py", None, 9),
        (ClaimKind.HASH_BEFORE, "src/wick.py", f"sha256:{_OLD}", 9),
    ]


def test_file_hash_that_was_shortened_is_kept_as_written() -> None:
    """A shortened hash is a claim too, though it can only be compared in part."""
    assert (ClaimKind.HASH, "a/b.py", "12ab34...", 4) in _claims("## Files Created\n- a/b.py (SHA256: 12ab34...)\n")


def test_file_table_claims_by_column() -> None:
    """Tables have hashes before and after, actions, and folders in columns of their own."""
    text = (
        "## Files Modified\n\n| File | SHA256 Before | SHA256 After |\n|-|-|-|\n"
        f"| `a.py` | `sha256:{_OLD}` | `sha256:{_NEW}` |\n| `b.json` | (updated) | (updated) |\n\n"
        "## Files Summary\n\n| File | Location | Action |\n|-|-|-|\n| `c.py` | `src/` | DELETE |\n"
    )
    assert _claims(text) == [
        (ClaimKind.FILE_MODIFIED, "a.py", None, 7),
        (ClaimKind.HASH_BEFORE, "a.py", f"sha256:{_OLD}", 7),
        (ClaimKind.HASH, "a.py", f"sha256:{_NEW}", 7),
        (ClaimKind.FILE_MODIFIED, "b.json", None, 8),
        (ClaimKind.FILE_DELETED, "src/c.py", None, 14),
    ]


def test_file_archives_are_claimed_once() -> None:
    """An archive in two sections is one file; its hash is claimed wherever it stands."""
    text = (
        f"## Files Modified\n- `x.tar.gz` (SHA256 before: {_OLD}, after: {_NEW})\n"
        f"## Archives Built\n- `x.tar.gz` (SHA256: {_NEW})\n- `y.tar.gz`\n\n"
        f"**Archive**: `z.tar.gz`\n**Archive SHA256**: `{_OLD}`\n"
    )
    assert _claims(text) == [
        (ClaimKind.FILE_MODIFIED, "x.tar.gz", None, 4),
        (ClaimKind.HASH_BEFORE, "x.tar.gz", f"sha256:{_OLD}", 4),
        (ClaimKind.HASH, "x.tar.gz", f"sha256:{_NEW}", 4),
        (ClaimKind.FILE_CREATED, "y.tar.gz", None, 7),
        (ClaimKind.FILE_CREATED, "z.tar.gz", None, 9),
        (ClaimKind.HASH, "z.tar.gz", f"sha256:{_OLD}", 10),
    ]


def test_file_moves_are_a_deletion_and_a_creation() -> None:
    """A moved file is gone from one place and stands in another."""
    assert _claims("## Files Moved\n- `a/r.md` -> `b/r.md`\n") == [
        (ClaimKind.FILE_DELETED, "a/r.md", None, 4),
        (ClaimKind.FILE_CREATED, "b/r.md", None, 4),
    ]


def test_file_details_below_a_file_are_no_files() -> None:
    """Paths in the sub-points of a file describe it; sub-points of a mere label are files."""
    text = "## Files Modified\n### Phase 1\n- `a.py`:\n  - `b.py` is now used\n- Package two\n  - `c.py` — new name\n"
    assert [subject for _, subject, _, _ in _claims(text)] == ["a.py", "c.py"]


def test_file_hash_in_passing_is_claimed() -> None:
    """A full hash beside one path in another section is a claim as well."""
    claims = _claims(f"## Baseline Snapshot\n- `x.tar.gz` SHA256 (unchanged): `{_OLD}`\n")
    assert claims == [(ClaimKind.HASH, "x.tar.gz", f"sha256:{_OLD}", 4)]


def test_file_table_with_a_folder_of_one_word() -> None:
    """The path is put together from both columns."""
    table = "| File | Location | Action |\n|---|---|---|\n| lamp.py | src | Created |\n"
    assert _claims(f"## Files Created\n\n{table}") == [(ClaimKind.FILE_CREATED, "src/lamp.py", None, 7)]
