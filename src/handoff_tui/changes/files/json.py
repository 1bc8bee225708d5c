"""Two trees compared, as the public JSON shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from handoff_tui.changes.files.lines import find_hidden_lines
from handoff_tui.changes.files.notices import find_change_remarks, find_diff_remarks
from handoff_tui.git.file_diff import FOLDED_KINDS, BlobFacts, ChangedFile, FileDiff, Hunk


def build_files_json(files: Sequence[ChangedFile]) -> list[dict[str, object]]:
    """The list of files; counts are null for binary content, and where they were not asked for."""
    return [_build_file(file) for file in files]


def build_file_diff_json(diff: FileDiff) -> dict[str, object]:
    """One file with its hunks. Text is as it is in the file: bytes that are not UTF-8 stand as lone surrogates."""
    change = diff.change
    return {
        "path": change.path,
        "old_path": change.old_path,
        "status": change.status,
        "kind": diff.kind.value,
        "note": diff.note,
        "truncated": diff.truncated,
        "remarks": find_diff_remarks(diff),
        "hidden_characters": [
            {"line": number, "characters": list(characters)} for number, characters in find_hidden_lines(diff)
        ],
        "old": _build_facts(diff.old_facts),
        "new": _build_facts(diff.new_facts),
        "hunks": [_build_hunk(hunk) for hunk in diff.hunks],
    }


def build_tree_diff_json(
    files: Sequence[ChangedFile], diffs: Iterable[FileDiff] = (), note: str | None = None
) -> dict[str, object]:
    """The list, what it does not know, and each diff that was read."""
    return {
        "files": build_files_json(files),
        "note": note,
        "diffs": [build_file_diff_json(diff) for diff in diffs],
    }


def _build_file(file: ChangedFile) -> dict[str, object]:
    change, counts = file.change, file.counts
    return {
        "path": change.path,
        "old_path": change.old_path,
        "status": change.status,
        "similarity": change.similarity,
        "kind": file.kind.value,
        "folded": file.kind in FOLDED_KINDS,
        "old_mode": change.old_mode,
        "new_mode": change.new_mode,
        "old_id": change.old_id,
        "new_id": change.new_id,
        "added": counts.added if counts else None,
        "deleted": counts.deleted if counts else None,
        "remarks": find_change_remarks(change),
    }


def _build_facts(facts: BlobFacts | None) -> dict[str, object] | None:
    return None if facts is None else {"size": facts.size, "sha256": facts.sha256}


def _build_hunk(hunk: Hunk) -> dict[str, object]:
    return {
        "old_start": hunk.old_start,
        "old_count": hunk.old_count,
        "new_start": hunk.new_start,
        "new_count": hunk.new_count,
        "heading": hunk.heading,
        "lines": [
            {
                "mark": line.mark,
                "text": line.text,
                "old": line.old_number,
                "new": line.new_number,
                "ends_without_newline": line.ends_without_newline,
            }
            for line in hunk.lines
        ],
    }
