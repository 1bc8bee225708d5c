from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from handoff_tui.cli.output import write_json, write_page, write_text
from handoff_tui.core.errors import OutputError
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.handoffs.session import load_terminal_theme


@pytest.fixture
def width(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Sets how wide the terminal is, through the variable that says so."""
    return monkeypatch


def draw(page: Page, capsys: pytest.CaptureFixture[str]) -> list[str]:
    write_page(page, load_terminal_theme())
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out.splitlines()


def build_grid() -> Page:
    page = Page()
    columns = (Column("gate"), Column("handoff"), Column("try", right=True), Column("says"), Column("next", fold=True))
    rows = [
        (Cell("○ ready", "accent"), Cell("H-1", "key"), Cell("2"), Cell("–"), Cell("review and decide")),
        (Cell("■ blocked", "fail"), Cell("H-22", "key"), Cell("10"), Cell("PASS"), Cell("")),
    ]
    page.grid(columns, rows)
    return page


def test_json_is_ascii_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """No terminal can be tricked by it, and it reads back the same."""
    value = {"name": "ä\u202e\x1b[2J\udcff", "list": [1, None, True]}
    write_json(value)
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert "\x1b" not in printed
    assert json.loads(printed) == value


def test_text_is_written_as_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """As it is, with its end."""
    write_text("[red]a[/red]")
    assert capsys.readouterr().out == "[red]a[/red]\n"


def test_page_is_drawn_without_markup(capsys: pytest.CaptureFixture[str]) -> None:
    """Brackets and emoji names in a document are text."""
    page = Page()
    page.heading("[red]One[/red]", "a note")
    page.line(Cell("see :smile: "), Cell("a/b.py", "path"), indent=2)
    assert draw(page, capsys) == ["[red]One[/red]  a note", "  see :smile: a/b.py"]


def test_line_that_wraps_hangs_at_its_indent(capsys: pytest.CaptureFixture[str], width: pytest.MonkeyPatch) -> None:
    """The first line keeps its place, the rest continues where the words begin; nothing is lost."""
    width.setenv("COLUMNS", "40")
    page = Page()
    page.line(Cell("blocks   ", "muted"), Cell("word " * 18), indent=9)
    lines = draw(page, capsys)
    assert lines[0].startswith("blocks   word")
    assert len(lines) == 3
    assert all(line.startswith(" " * 9 + "word") for line in lines[1:])
    assert " ".join(lines).split() == ["blocks", *["word"] * 18]
    assert max(map(len, lines)) <= 40


def test_word_that_is_longer_than_the_line_is_folded(
    capsys: pytest.CaptureFixture[str], width: pytest.MonkeyPatch
) -> None:
    """Every character of a long path is shown, also in a terminal too narrow for anything."""
    page = Page()
    page.line(Cell("x" * 90), indent=2)
    for columns in ("40", "5"):
        width.setenv("COLUMNS", columns)
        assert "".join(draw(page, capsys)).count("x") == 90


def test_word_that_is_folded_gets_no_spaces(capsys: pytest.CaptureFixture[str], width: pytest.MonkeyPatch) -> None:
    """What stands on the lines of a long path, put together again, is the path, also where lines differ in width."""
    path = "".join(f"folder-{number}/" for number in range(14))
    page = Page()
    page.line(Cell("document ", "muted"), Cell(path, "path"), Cell("  and more"), indent=9)
    for columns in ("40", "61", "80"):
        width.setenv("COLUMNS", columns)
        words = "".join(line.removeprefix(" " * 9) for line in draw(page, capsys))
        assert path in words
        assert words.endswith("and more")


def test_empty_line_is_an_empty_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Between parts, and where a cell is empty."""
    page = Page()
    page.line(Cell("a"))
    page.blank()
    page.line(Cell(""))
    assert draw(page, capsys) == ["a", "", ""]


def test_grid_is_a_table_where_there_is_room(capsys: pytest.CaptureFixture[str], width: pytest.MonkeyPatch) -> None:
    """Headings over their columns, numbers to the right."""
    width.setenv("COLUMNS", "160")
    lines = [line.rstrip() for line in draw(build_grid(), capsys)]
    assert lines[0].split() == ["gate", "handoff", "try", "says", "next"]
    assert lines[1].split("  ")[0] == "○ ready"
    assert lines[0].index("try") + 3 == lines[1].index("2") + 1 == lines[2].index("10") + 2
    assert lines[0].index("next") == lines[1].index("review")


def test_grid_is_stacked_where_there_is_none(capsys: pytest.CaptureFixture[str], width: pytest.MonkeyPatch) -> None:
    """The short columns on one line, named from the third on; the long one below; dashes and blanks left out."""
    width.setenv("COLUMNS", "80")
    assert draw(build_grid(), capsys) == [
        "○ ready  H-1  try 2",
        "    review and decide",
        "■ blocked  H-22  try 10 · says PASS",
    ]


def test_grid_without_a_long_column_stays_a_table(
    capsys: pytest.CaptureFixture[str], width: pytest.MonkeyPatch
) -> None:
    """Numbers are compared in columns, however narrow it is."""
    width.setenv("COLUMNS", "60")
    page = Page()
    page.grid((Column("run"), Column("total", right=True)), [(Cell("all"), Cell("1,200"))])
    assert [line.split() for line in draw(page, capsys)] == [["run", "total"], ["all", "1,200"]]


def test_colours_follow_the_wishes_of_the_user(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """None in a pipe, some where they are forced, none again where they are refused."""
    monkeypatch.setenv("TERM", "xterm-256color")
    page = Page()
    page.line(Cell("out", "fail"))
    assert draw(page, capsys) == ["out"]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "31m" in draw(page, capsys)[0]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31m" not in draw(page, capsys)[0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
def test_page_for_a_full_disk_is_no_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """What draws it touches the file as well."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(OutputError, match="no space left"):
            write_page(build_grid(), load_terminal_theme())
