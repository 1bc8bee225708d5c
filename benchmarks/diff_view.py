"""A page of a diff with a million lines against one of a thousand, and how much is held for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

from textual.app import App, ComposeResult

from benchmarks.interleave import Row, interleave
from handoff_tui.changes.files.file_lines import PatchParser
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.config.theme import load_theme
from handoff_tui.git.file_diff import DiffOptions, FileChange, FileKind
from handoff_tui.tui.drawing.theming import Ink
from handoff_tui.tui.views.changes.lines_view import DiffLinesView
from handoff_tui.tui.views.changes.rows import DiffLook, DiffRows, Highlighter

_SIZE = (120, 50)
_SMALL, _MIDDLE, _LARGE = 1_000, 100_000, 1_000_000
_PAGES = 10
_CHUNK = 64 * 1024
_CHANGE = FileChange("M", "bench.py", None, "100644", "100644", "a" * 40, "b" * 40)


class ForgetfulRows(DiffRows):
    """Rows that can be built as if for the first time."""

    def forget(self) -> None:
        self._find_spans.cache_clear()
        if self._highlighter is not None:
            self._highlighter = Highlighter(self.file.change.path, self.file.lines)


class BenchApp(App[None]):
    """Nothing but the lines."""

    def __init__(self, rows: DiffRows) -> None:
        super().__init__()
        self.ink = Ink(load_theme("dark", None))
        self._rows = rows

    def compose(self) -> ComposeResult:
        yield DiffLinesView()

    def on_mount(self) -> None:
        self.query_one(DiffLinesView).show(self._rows, anew=True)


def measure_diff_view(rounds: int) -> list[Row]:
    """One page after the other, as with Page Down; every time; nothing is remembered from the last time."""
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> list[Row]:
    files = {lines: _build_file(lines) for lines in (_SMALL, _MIDDLE, _LARGE)}
    cases: dict[str, Callable[[], object]] = {}
    looks = {
        "plain": DiffLook(colours=False),
        "coloured": DiffLook(),
        "split": DiffLook(split=True, colours=False),
    }
    async with AsyncExitStack() as stack:
        for lines, file in files.items():
            for name, look in looks.items():
                app = BenchApp(ForgetfulRows(file, look))
                pilot = await stack.enter_async_context(app.run_test(size=_SIZE))
                await pilot.pause()
                cases[f"{name} {lines}"] = _draw_pages(app.query_one(DiffLinesView))
        taken = interleave(cases, rounds, time.thread_time)
    first = interleave({str(lines): _build_first_page(lines) for lines in files}, rounds, time.thread_time)
    return [
        Row("a page of 1,000,000 lines / of 1,000", taken[f"plain {_LARGE}"] / taken[f"plain {_SMALL}"], 1.5),
        Row("the same, coloured", taken[f"coloured {_LARGE}"] / taken[f"coloured {_SMALL}"], 1.5),
        Row("a page coloured / plain", taken[f"coloured {_LARGE}"] / taken[f"plain {_LARGE}"], 2.5),
        Row("a page side by side / unified", taken[f"split {_LARGE}"] / taken[f"plain {_LARGE}"], 1.8),
        Row("first rows of 100,000 lines / of 1,000", first[str(_MIDDLE)] / first[str(_SMALL)], 1.2),
        Row("first rows of 1,000,000 lines / of 1,000", first[str(_LARGE)] / first[str(_SMALL)], 1.5),
        Row("bytes held / bytes of the patch and 16 a line", _measure_memory(files[_LARGE]), 1.0),
    ]


def _draw_pages(view: DiffLinesView) -> Callable[[], object]:
    def draw() -> None:
        rows = view.rows
        if isinstance(rows, ForgetfulRows):
            rows.forget()
        view.lines_changed()
        for page in range(_PAGES):
            view.go(view.row_count // 4 + page * _SIZE[1], above=0)
            for y in range(_SIZE[1]):
                view.render_line(y)

    return draw


def _build_first_page(lines: int) -> Callable[[], object]:
    """From the first piece of the patch to the rows of a first page, as they are told while the rest is read."""
    piece = _render_patch(min(lines, 20_000))[:_CHUNK]

    def build() -> None:
        parser = PatchParser()
        parser.feed(piece)
        parser.flush()
        rows = DiffRows(ShownFile(_CHANGE, DiffOptions(), FileKind.TEXT, parser.build(), complete=False), DiffLook())
        for index in range(min(_SIZE[1], len(rows))):
            rows.build(index)

    return build


def _build_file(lines: int) -> ShownFile:
    parser = PatchParser()
    patch = _render_patch(lines)
    for start in range(0, len(patch), _CHUNK):
        parser.feed(patch[start : start + _CHUNK])
    parser.flush(ended=True)
    return ShownFile(_CHANGE, DiffOptions(), FileKind.TEXT, parser.build())


def _render_patch(lines: int) -> bytes:
    """Of every hundred lines, forty are deleted, forty added in their place with another word, and twenty the same."""
    parts: list[str] = []
    for block in range(lines // 100):
        texts = [f"value_{block}_{number} = compute({number}, '%s', flag=True)  # a remark\n" for number in range(40)]
        parts += [f"-{text % 'old'}" for text in texts] + [f"+{text % 'new'}" for text in texts]
        parts += [f"     context_{block} = {number}\n" for number in range(20)]
    half = lines * 6 // 10
    return f"@@ -1,{half} +1,{half} @@\n{''.join(parts)}".encode()


def _measure_memory(file: ShownFile) -> float:
    lines = file.lines
    held = sum(len(block.content) + block.starts.itemsize * len(block.starts) for block in lines.blocks)
    held += len(lines.marks) + sum(one.itemsize * len(one) for one in (*lines.runs, lines.firsts))
    return held / (sum(len(block.content) for block in lines.blocks) + 16 * len(lines))


if __name__ == "__main__":
    for row in measure_diff_view(rounds=5):
        print(f"{row.name:<58}{row.ratio:>8.2f}{row.limit or 0:>8.2f}  {'' if row.kept else 'OVER'}")
