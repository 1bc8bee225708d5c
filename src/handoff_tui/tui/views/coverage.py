"""Coverage: every file changed since the start line, and whether a person approved it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_ENTRY
from handoff_tui.core.text.columns import Field, Row
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.scope.scope import Attribution
from handoff_tui.live.state.app import USUAL_RANGE, ChangedPaths, DiffRange, Part
from handoff_tui.log.gates.coverage import COVERED, SOURCE_WORDS, ChangedPath, Coverage
from handoff_tui.status.coverage_bar import build_bar, describe_counts, label_coverage, list_counts
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui.chrome import shorten_id
from handoff_tui.tui.messages import ChangedFileWanted, CopyWanted, EditorWanted
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.views.view import Act, LooseFiles
from handoff_tui.tui.widgets.row_list import RowList, TableRows, has_words

_FIELDS: Final = (
    Field("path", "FILE", 26, grows=50),
    Field("state", "STATE", 12),
    Field("handoff", "HANDOFF", 14, rank=8, grows=30),
    Field("who", "APPROVED BY", 18, rank=6, grows=16),
    Field("entry", "ENTRY", 12, rank=3),
    Field("why", "WHY IT IS ITS", 20, rank=2, grows=20),
)
_ORDER: Final = {state: number for number, state in enumerate(Coverage)}
_MOST_COMMITS = 5
_WITH_BAR = 150
"""From this width on, the status line draws the counts; below it, they are only told."""
_NAME = 10


class CoverageRows(TableRows[ChangedPath]):
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
            "handoff": (Cell(render_safe(", ".join(map(shorten_id, covered.handoffs)))),),
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
    return Cell(SOURCE_WORDS[path.source], "warning" if path.source is Attribution.SPAN else "muted")


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


class CoverageView(ListedView[CoverageRows]):
    """All changed files, unclaimed ones first. Enter opens a file in the diff of its handoff."""

    parts: ClassVar[frozenset[Part]] = frozenset({Part.COVERAGE})
    hints: ClassVar[tuple[str, ...]] = ("app.open", "review.scope", "review.filter", "app.edit")
    listed = "coverage"
    shown = ("coverage",)
    of_handoff = False
    title = "File"
    _only_open = False

    def build_rows(self, value: ChangedPaths) -> CoverageRows:
        return CoverageRows(value.paths, self._text, only_open=self._only_open)

    def build_page(self) -> Page:
        path = self.path
        return Page() if path is None else build_path_page(path, self.show_key("review.scope"))

    @property
    def path(self) -> ChangedPath | None:
        """The selected file."""
        return self.table.find(self.rows.key) if self.table is not None and self.rows.key else None

    @property
    def handoff(self) -> HandoffKey | None:
        """The handoff the selected file belongs to."""
        path, repository = self.path, self._state.repository
        if path is None or repository is None or not path.coverage.handoffs:
            return None
        return HandoffKey(repository.root, path.coverage.handoffs[0])

    def find_loose(self) -> LooseFiles | None:
        path, repository = self.path, self._state.repository
        return LooseFiles(repository.root, (path.path,)) if path is not None and repository is not None else None

    def open(self, event: RowList.Opened) -> None:
        path = self.table.find(event.key) if self.table is not None else None
        if path is None:
            return
        scope = USUAL_RANGE
        if not path.coverage.handoffs:
            scope = DiffRange(DiffScope.BETWEEN, f"{path.commits[0]}~" if path.commits else "HEAD")
        self.post_message(ChangedFileWanted(self.handoff, path.path, scope))

    def refuse(self, action: str) -> str:
        path = self.path
        if path is None and action in {"app.open", "app.copy", "app.copy-all", "app.edit", "review.scope"}:
            return "no file selected"
        if action.startswith("decide.") and (path is None or not path.coverage.handoffs):
            return "this file belongs to no handoff" if path is not None else "no file selected"
        return ""

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {"review.filter": self._toggle_open}
        if self.path is None:
            return acts
        copy = CopyWanted(self.path.path, "the path")
        return acts | {"app.copy": copy, "app.copy-all": copy, "app.edit": EditorWanted(self.path.path)}

    def _toggle_open(self) -> None:
        self._only_open = not self._only_open
        self.redraw()

    def describe_found(self) -> str:
        found, total = (len(self.table.keys), self.table.total) if self.table is not None else (0, 0)
        return f"{found} of {plural(total, 'changed file')}"

    def describe(self) -> tuple[Cell, ...]:
        repository = self._state.repository
        state = repository.state.value if repository is not None else None
        if repository is None or state is None:
            return ()
        since = f" · since {repository.since}" if repository.since else ""
        told = f" · {describe_counts(state.coverage)}{since}"
        if self.size.width < _WITH_BAR:
            return (Cell(" "), *list_counts(state.coverage))
        return (Cell(" "), *build_bar(state.coverage, 20), Cell(render_safe(told), "muted"))

    def describe_nothing(self) -> Cell:
        if self.part.value is not None and self.part.value.paths:
            return Cell("✓ Every changed file is approved", "pass")
        return Cell("No file has changed since the start line", "muted")
