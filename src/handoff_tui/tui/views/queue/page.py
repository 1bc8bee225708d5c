"""What the queue says of rows that are no handoffs: unclaimed work, and a repository that can't be read."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import RepositoryPart
from handoff_tui.status.inbox_item import UnclaimedWork

_NAME = 8
_MOST_PLACES = 6
_MOST_FILES = 50


def build_unclaimed_page(work: UnclaimedWork, scope_key: str, coverage_key: str) -> Page:
    """Lists the files that belong to no handoff, and says what to do about them."""
    page = Page()
    number = plural(len(work.files), "changed file")
    verb = "belongs" if len(work.files) == 1 else "belong"
    page.line(Cell("? ", "unknown"), Cell(f"{number} {verb} to no handoff, so nobody is asked to approve them"))
    page.line(Cell(f"{scope_key:<{_NAME}}", "key"), Cell("gives them to a handoff"))
    page.line(Cell(f"{coverage_key:<{_NAME}}", "key"), Cell("lists every changed file and who approved it"))
    shown = work.files[:_MOST_FILES]
    for place, path in enumerate(shown):
        page.line(Cell(f"{'' if place else 'files':<{_NAME}}", "muted"), Cell(render_safe(path), "path"))
    if len(work.files) > len(shown):
        page.line(Cell(f"{'':<{_NAME}}… and {len(work.files) - len(shown):,} more", "muted"))
    if work.commits:
        ids = ", ".join(commit[:SHORT_COMMIT] for commit in work.commits[:_MOST_PLACES])
        more = f" and {len(work.commits) - _MOST_PLACES} more" if len(work.commits) > _MOST_PLACES else ""
        page.line(Cell(f"{'commits':<{_NAME}}", "muted"), Cell(f"{ids}{more}", "muted"))
    return page


class NothingFound:
    """The empty queue: what was looked for and where, and the keys that lead on."""

    _LOOKED_FOR = (
        ("notes", "HANDOFF.md, *handoff*.md, docs/handoffs/, STATUS and SESSION notes"),
        ("builder", "handoffs/ID/ID_RESULTS.md and its specification"),
        ("state files", ".mosaic/, .planning/, work_cycle.json, a procedure's JSON"),
        ("git", "notes of TDD cycles, and trailers in the latest commits"),
    )

    def __init__(self, names: Iterable[str], new_key: str, setup_key: str) -> None:
        named = ", ".join(map(render_safe, names))
        self._rows: list[tuple[Cell, ...]] = [
            (Cell(f"No handoffs in {named}", "heading"),),
            (),
            (Cell("Looked at every tracked and new file of the work tree, for:", "muted"),),
            *((Cell(f"  {what:<13}"), Cell(where, "muted")) for what, where in self._LOOKED_FOR),
            (),
            (Cell(f"  {new_key:<4}", "key"), Cell("begins one from a template")),
            (Cell(f"  {setup_key:<4}", "key"), Cell("writes a note for your agents on how to hand over")),
            (Cell("      "), Cell("`handoff-tui demo` shows how it looks with work in it", "muted")),
        ]
        self.keys = ("",) * len(self._rows)

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - longer ones are cut
        return self._rows[index]


def build_broken_page(repositories: Iterable[RepositoryPart]) -> Page:
    """Says why a repository can't be read, and what to do about it."""
    page = Page()
    for repository in repositories:
        if (trouble := repository.state.trouble) is not None:
            page.line(Cell(f"✗ {render_safe(repository.name)}  ", "fail"), Cell(render_safe(trouble.message)), indent=4)
            page.line(Cell(f"    {render_safe(trouble.hint)}", "muted"), indent=4)
    return page
