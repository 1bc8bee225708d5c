"""Coverage: every file changed since the start line, and whether a person approved it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import USUAL_SCOPE, Part, Scope
from handoff_tui.live.state.app import CoverageView as Changes
from handoff_tui.status.changed_paths import ChangedPath
from handoff_tui.status.coverage_bar import build_bar, describe_counts
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui.messages import ChangedFileWanted, CopyWanted, EditorWanted
from handoff_tui.tui.views.coverage.rows import CoverageRows, build_path_page
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.views.view import Act, LooseFiles
from handoff_tui.tui.widgets.row_list import RowList


class CoverageView(ListedView[CoverageRows]):
    """All changed files, unclaimed ones first. Enter opens a file in the diff of its handoff."""

    parts: ClassVar[frozenset[Part]] = frozenset({Part.COVERAGE})
    hints: ClassVar[tuple[str, ...]] = ("app.open", "review.scope", "review.filter", "app.edit")
    listed = "coverage"
    shown = ("coverage",)
    of_handoff = False
    title = "File"
    _only_open = False

    def build_rows(self, value: Changes) -> CoverageRows:
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
        scope = USUAL_SCOPE
        if not path.coverage.handoffs:
            scope = Scope(DiffScope.BETWEEN, f"{path.commits[0]}~" if path.commits else "HEAD")
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
        return (Cell(" "), *build_bar(state.coverage, 20), Cell(render_safe(told), "muted"))

    def describe_nothing(self) -> Cell:
        if self.part.value is not None and self.part.value.paths:
            return Cell("✓ Every changed file is approved", "pass")
        return Cell("No file has changed since the start line", "muted")
