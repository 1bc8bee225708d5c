"""Coverage as rows and pages: every changed file, what is left to do first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_ENTRY
from handoff_tui.core.text.columns import Field, Row
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.scope.scope import Source
from handoff_tui.log.gates.coverage import COVERED, Coverage
from handoff_tui.status.changed_paths import SOURCE_WORDS, ChangedPath
from handoff_tui.status.coverage_bar import label_coverage
from handoff_tui.tui.widgets.row_list import Table, has_words

_FIELDS: Final = (
    Field("path", "FILE", 26, grows=50),
    Field("state", "STATE", 12),
    Field("handoff", "HANDOFF", 14, rank=8, grows=30),
    Field("who", "APPROVED BY", 18, rank=6, grows=16),
    Field("entry", "ENTRY", 12, rank=3),
    Field("why", "WHY ITS", 20, rank=2, grows=20),
)
_ORDER: Final = {state: number for number, state in enumerate(Coverage)}
_MOST_COMMITS = 5
_NAME = 10


class CoverageRows(Table[ChangedPath]):
    """One row per changed file: unclaimed first, approved last."""

    fields = _FIELDS

    def __init__(self, paths: Sequence[ChangedPath], text: str = "", *, only_open: bool = False) -> None:
        self.total = len(paths)
        super().__init__(
            (path.path, path)
            for path in sorted(paths, key=lambda path: (_ORDER[path.coverage.state], path.path))
            if has_words(_build_search(path), text) and not (only_open and path.coverage.state in COVERED)
        )

    def describe(self, item: ChangedPath) -> dict[str, Row]:
        covered = item.coverage
        label = label_coverage(covered.state)
        deciders = list(dict.fromkeys(entry.principal for entry in covered.covered_by))
        entries = list(dict.fromkeys(entry.entry for entry in covered.covered_by))
        more = f" +{len(entries) - 1}" if len(entries) > 1 else ""
        return {
            "path": (Cell(render_safe(item.path), "path"),),
            "state": (Cell(str(label), label.role),),
            "handoff": (Cell(render_safe(", ".join(covered.handoffs))),),
            "who": (Cell(render_safe(", ".join(deciders)), "human"),),
            "entry": (Cell(f"{entries[0][:SHORT_ENTRY]}{more}" if entries else "", "muted"),),
            "why": (_describe_source(item),),
        }


def build_path_page(path: ChangedPath, scope_key: str) -> Page:
    """Says how a file stands, whose it is and why, who approved it, and what to do."""
    page = Page()
    label = label_coverage(path.coverage.state)
    page.line(Cell(f"{label}  ", label.role), Cell(render_safe(path.path), "heading"), indent=2)
    if path.coverage.handoffs:
        _add(page, "belongs", ", ".join(path.coverage.handoffs), "text")
        _add(page, "why", _describe_source(path).text, _describe_source(path).role)
    else:
        _add(page, "belongs", "to no handoff, so nobody is asked to approve it", "warning")
    for number, entry in enumerate(path.coverage.covered_by):
        words = f"{entry.principal} in {entry.entry[:SHORT_ENTRY]}, for {entry.handoff}"
        _add(page, "" if number else "approved", words, "human")
    _add(page, "changed", _describe_commits(path), "muted")
    if path.coverage.handoffs:
        page.line(Cell(f"{'↵':<{_NAME}}", "key"), Cell(f"opens it in {render_safe(path.coverage.handoffs[0])}'s diff"))
    page.line(
        Cell(f"{scope_key:<{_NAME}}", "key"),
        Cell("gives it to a handoff" if not path.coverage.handoffs else "corrects whose it is"),
    )
    return page


def _describe_source(path: ChangedPath) -> Cell:
    if path.source is None:
        return Cell("nobody claims it", "unknown")
    return Cell(SOURCE_WORDS[path.source], "warning" if path.source is Source.SPAN else "muted")


def _describe_commits(path: ChangedPath) -> str:
    shown = ", ".join(commit[:SHORT_COMMIT] for commit in path.commits[-_MOST_COMMITS:])
    words = [f"in {plural(len(path.commits), 'commit')}: {shown}"] if path.commits else []
    return ", and ".join([*words, *(["not committed"] if path.uncommitted else [])])


def _add(page: Page, name: str, text: str, role: str) -> None:
    page.line(Cell(f"{name:<{_NAME}}", "muted"), Cell(render_safe(text), role), indent=_NAME)


def _build_search(path: ChangedPath) -> str:
    covered = path.coverage
    who = (word for entry in covered.covered_by for word in (entry.principal, entry.entry))
    return " ".join((path.path, covered.state.value, *covered.handoffs, *who)).casefold()
