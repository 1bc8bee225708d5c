"""Files that differ from the baseline, as they were and as they are."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.checks.context import Context
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.globs import build_path_matcher


class BothVersions(NamedTuple):
    """A file before and now. A path is None if the file is not there, or not of the kind asked for."""

    old_path: str | None
    new_path: str | None
    before: str = ""
    now: str = ""

    @property
    def path(self) -> str:
        """The present path, or the old one if the file is gone."""
        return self.new_path or self.old_path or ""


def is_match(path: str, patterns: Iterable[str]) -> bool:
    """Whether a path matches: patterns without a slash match names, others the end of paths."""
    return build_path_matcher(tuple(patterns))(path)


def read_changed(context: Context, patterns: Iterable[str]) -> list[BothVersions]:
    """The changed files that match, as they were and as they are; without a baseline the rule does not apply."""
    baseline = context.require_baseline()
    fits = build_path_matcher(tuple(patterns))
    files: list[BothVersions] = []
    for change in context.changes():
        old = None if change.status == "A" else change.old_path or change.path
        new = None if change.status == "D" else change.path
        old = old if old is not None and fits(old) else None
        new = new if new is not None and fits(new) else None
        if old is None and new is None:
            continue
        before = _read_before(context, baseline, old) if old is not None else ""
        now = (context.read_text(new) or "") if new is not None else ""
        files.append(BothVersions(old, new, before, now))
    return files


def _read_before(context: Context, baseline: str, path: str) -> str:
    content = context.read_at(baseline, path)
    if content is None:
        context.undecidable(f"{path} cannot be read as it was at {baseline[:SHORT_COMMIT]}")
    return content.decode("utf-8", "replace")
