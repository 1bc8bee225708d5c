"""The app on a repository in which every text is an attack: nothing of it is obeyed, all of it can be seen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.text import Text
from textual.app import App, ComposeResult
from textual.content import Content
from textual.filter import LineFilter
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import (
    Button,
    Checkbox,
    Collapsible,
    DataTable,
    Input,
    Label,
    Log,
    OptionList,
    RichLog,
    SelectionList,
    Static,
    TextArea,
    Tree,
)

from handoff_tui.core.text.safe_text import find_hidden
from handoff_tui.tui.drawing.cells import SafeFilter
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.raw_terminal import RawTerminal
from tests.support.real_log import RealLog
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import make_person

ESCAPES = {
    "clipboard": "\x1b]52;c;cG9pc29u\x07",
    "link": "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "title": "\x1b]0;POISONED\x07",
    "cursor": "\x1b[777;7H",
    "eight-bit": "\x9b777;7H",
    "override": "\u202e",
    "isolate": "\u2066",
    "zero-width": "\u200b",
    "tag": "\U000e0041",
}
"""Each must never be written as it is."""
MARKUP = ("[red]", "[@click=app.exit]", "[/]", "[bold", "[link=https://evil.example]")
"""Each must be seen as it is."""
ALL = "".join(ESCAPES.values()) + "".join(MARKUP)
_NAMES = (f"src/{ESCAPES['clipboard'].replace('/', '')}[red]a.py", f"src/{ESCAPES['override']}{ESCAPES['title']}b.py")
_LONG = 10_000_000


def build_poisoned_repository(folder: Path) -> RepositoryBuilder:
    """Names, documents, messages, authors, reasons and lines of ten million characters."""
    builder = RepositoryBuilder.init(folder)
    builder.write("README.md", f"{ALL}\n").write("tests/test_a.py", "def test_a():\n    pass\n").commit(f"start {ALL}")
    log = RealLog(builder)
    log.begin()
    log.submit(handoff="H-9", phase="build")
    log.decide(
        actor="alice", verb="reject", handoff="H-9", phase="build", reason=f"no {_strip_controls(ALL)} [red]x[/]"
    )
    log.builder.commit(f"a log {ALL}")
    for name in _NAMES:
        builder.write(name, f"first = '{ALL}'\nx = 1\n")
    builder.write("src/long.py", "x" * _LONG)
    _write_handoffs(builder)
    return builder.commit(f"{ALL}\n\nHandoff: {ALL}")


def _write_handoffs(builder: RepositoryBuilder) -> None:
    sections = "".join(f"## {number}. {ALL}\n\n{ALL}\n\n- `{ALL}` [x]({ALL})\n\n" for number in range(1, 4))
    builder.write("handoffs/H-9/H-9_BUILDER_HANDOFF.md", f"# H-9: {ALL}\n\n## 1. Mission\n\n{ALL}\n\n{sections}")
    builder.write(
        "handoffs/H-9/H-9_RESULTS.md",
        f"# Results: {ALL}\n\n**Status**: PASS {ALL}\n\n## Files created\n\n- `src/{ALL}.py`\n- `src/none.py`\n\n"
        f"## Tests\n\n- 12 tests pass {ALL}\n\n| a | {ALL} |\n|---|---|\n| {ALL} | b |\n\n```\n{ALL}\n```\n",
    )
    state = {"status": ALL, "phase": ALL, "task": ALL, "next_action": ALL, "blockers": [{"description": ALL}]}
    builder.write(".planning/HANDOFF.json", json.dumps(state))
    builder.write("HANDOFF.md", f"# Handoff {ALL}\n\n**Status**: done at `0123abc` {ALL}\n\n## Next\n\n- {ALL}\n")
    builder.write("docs/handoffs/big/HANDOFF.md", f"# Handoff\n\n{'y' * 3_000_000}\n\n## Next\n\n- go\n")


def _strip_controls(text: str) -> str:
    """What may stand in a reason: the log itself refuses controls."""
    return "".join(character for character in text if ord(character) >= 0x20 and not 0x7F <= ord(character) < 0xA0)


def list_leaks(written: bytes) -> list[str]:
    """The attacks that reached the terminal."""
    return [name for name, payload in ESCAPES.items() if payload.encode() in written]


PAYLOAD = "a" + "".join(ESCAPES.values()) + "z"
_ESC = "\x1b"
VIEWS = (
    *("2jj", "3jj", "1jjG", "g", "%jj", _ESC, "\r", "jj", "2jj}}", "I", "I", "w", "w", "D", _ESC, "3jjfjjfjj"),
    *("4V}V}", "5", "&", _ESC, "6jj", "D", _ESC, "E", _ESC, "C", _ESC, "A", _ESC, "O", _ESC, "x", _ESC, "a", _ESC),
    *(" ", "J", "1", _ESC, "va", _ESC, "T", _ESC, "i", _ESC),
)
"""Keys that open each view and box, and move in it."""


@pytest.mark.parametrize("size", [pytest.param((80, 24), marks=pytest.mark.slow), (160, 50)], ids=["80x24", "160x50"])
def test_app_writes_no_attack_to_the_terminal(tmp_path: Path, size: tuple[int, int]) -> None:
    """Every view, the help, the palette and a search, byte by byte; the repository stays as it was."""
    folder = build_poisoned_repository(tmp_path / "repository").folder
    before = read_fingerprint(folder)
    person = make_person(tmp_path, "ada")
    with RawTerminal("--repo", folder, environment=person.environment, size=size) as terminal:
        terminal.wait_for("H-9")
        terminal.settle()
        for keys in VIEWS:
            terminal.press(keys)
        for keys in ("t", "<", "1", "2", "6", _ESC, _ESC, "?", "\x1b", ":", "\x1b", "/red", "\x1b"):
            terminal.press(keys)
        assert terminal.quit() == 0
    assert list_leaks(terminal.written) == []
    assert "␛".encode() in terminal.written, "the attacks were not shown at all"
    assert [markup for markup in MARKUP[:3] if markup.encode() not in terminal.written] == []
    assert compare_fingerprints(before, read_fingerprint(folder)) == []


class RawLine(Widget):
    """Draws a segment as it is."""

    def render_line(self, y: int) -> Strip:
        return Strip([Segment(PAYLOAD if y == 0 else "")])


def build_table() -> DataTable[str]:
    table: DataTable[str] = DataTable()
    table.add_column(Text(PAYLOAD))
    table.add_row(Text(PAYLOAD))  # type: ignore[arg-type]
    return table


def build_tree() -> Tree[None]:
    tree: Tree[None] = Tree(Text(PAYLOAD))
    tree.root.add_leaf(Text(PAYLOAD))
    tree.root.expand()
    return tree


def build_bordered() -> Static:
    static = Static("x")
    static.styles.border = ("heavy", "white")
    static.border_title = Content(PAYLOAD)
    return static


WIDGETS: dict[str, Callable[[], Widget]] = {
    "static": lambda: Static(PAYLOAD, markup=False),
    "content": lambda: Static(Content(PAYLOAD)),
    "rich-text": lambda: Static(Text(PAYLOAD)),
    "label": lambda: Label(PAYLOAD, markup=False),
    "button": lambda: Button(Content(PAYLOAD)),
    "checkbox": lambda: Checkbox(Content(PAYLOAD)),
    "collapsible": lambda: Collapsible(Static(PAYLOAD, markup=False), title="x", collapsed=False),
    "input": lambda: Input(PAYLOAD),
    "placeholder": lambda: Input(placeholder=PAYLOAD.replace("[", "(")),
    "text-area": lambda: TextArea(PAYLOAD),
    "option-list": lambda: OptionList(Content(PAYLOAD)),
    "selection-list": lambda: SelectionList[int]((Content(PAYLOAD), 1)),
    "table": build_table,
    "tree": build_tree,
    "border-title": build_bordered,
    "segment": RawLine,
    "log": Log,
    "rich-log": RichLog,
}


class FilteredApp(App[None]):
    """One widget of the framework, with nothing but the filter between it and the terminal."""

    def __init__(self, make: Callable[[], Widget]) -> None:
        super().__init__()
        self._make = make
        self.safe = True

    def compose(self) -> ComposeResult:
        yield self._make()

    def on_mount(self) -> None:
        for log in self.query(Log):
            log.write_line(PAYLOAD)
        for rich_log in self.query(RichLog):
            rich_log.write(Text(PAYLOAD))

    def get_line_filters(self) -> list[LineFilter]:
        return [SafeFilter()] if self.safe else []


async def read_drawn(make: Callable[[], Widget], *, safe: bool) -> str:
    """All that would be written as text."""
    app = FilteredApp(make)
    app.safe = safe
    async with app.run_test(size=(160, 12)) as pilot:
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        return "".join(segment.text for strip in strips for segment in strip if not segment.control)


@pytest.mark.parametrize("name", WIDGETS)
def test_filter_guards_every_widget_of_the_framework(name: str) -> None:
    """Whatever widget a text takes: nothing that a terminal obeys is left of it."""
    drawn = asyncio.run(read_drawn(WIDGETS[name], safe=True))
    assert not find_hidden(drawn)
    assert not set(drawn) & {"\t", "\n"}


def test_widgets_really_need_the_filter() -> None:
    """Without it the same texts get through, so the test above can fail."""
    assert find_hidden(asyncio.run(read_drawn(WIDGETS["static"], safe=False)))
