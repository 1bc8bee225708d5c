from __future__ import annotations

import io
import json
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui import __version__
from handoff_tui.cli.diagnostics import clear_progress, report_bug, write_error, write_note, write_progress
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.plain import write_pieces, write_plain
from handoff_tui.cli.progress import build_progress_line, following
from handoff_tui.core.errors import HandoffError, OutputError
from handoff_tui.core.text.page import Cell, Column, Page


@pytest.fixture
def width(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Sets how wide the terminal is, through the variable that says so."""
    return monkeypatch


def draw(page: Page, capsys: pytest.CaptureFixture[str]) -> list[str]:
    write_page(page)
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


def test_page_is_drawn_without_markup(capsys: pytest.CaptureFixture[str]) -> None:
    """Brackets and emoji names in a document are text."""
    page = Page()
    page.heading("[red]One[/red]", "a note")
    page.line(Cell("see :smile: "), Cell("a/b.py", "path"), indent=2)
    assert draw(page, capsys) == ["[red]One[/red]  a note", "  see :smile: a/b.py"]


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


def test_grid_is_a_table_where_there_is_room(capsys: pytest.CaptureFixture[str], width: pytest.MonkeyPatch) -> None:
    """Headings over their columns, numbers to the right."""
    width.setenv("COLUMNS", "160")
    lines = [line.rstrip() for line in draw(build_grid(), capsys)]
    assert lines[0].split() == ["gate", "handoff", "try", "says", "next"]
    assert lines[1].split("  ")[0] == "○ ready"
    assert lines[0].index("try") + 3 == lines[1].index("2") + 1 == lines[2].index("10") + 2
    assert lines[0].index("next") == lines[1].index("review")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
def test_page_for_a_full_disk_is_no_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """What draws it touches the file as well."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(OutputError, match="no space left"):
            write_page(build_grid())


@pytest.mark.parametrize(
    ("encoding", "errors", "text", "written"),
    [
        ("utf-8", "strict", "○ ready", "○ ready".encode()),
        ("latin-1", "strict", "○ é", b"? \xe9"),
        ("ascii", "strict", "✓ · é", b"? ? ?"),
        ("ascii", "backslashreplace", "✓", b"\\u2713"),
        ("utf-8", "strict", "caf\udce9", b"caf?"),
        ("utf-8", "surrogateescape", "caf\udce9", b"caf\xe9"),
    ],
)
def test_text_fits_the_encoding_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch, encoding: str, errors: str, text: str, written: bytes
) -> None:
    """A glyph that it does not have is replaced; a stream that knows better is left to do so."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, errors=errors))
    write_plain(text)
    assert raw.getvalue() == written


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_bytes_go_out_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what isn't text, and after text that was written before."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    sys.stdout.write("first ")
    write_pieces([b"\xff\x1b[2J", b"\n"])
    assert raw.getvalue() == b"first \xff\x1b[2J\n"


def test_bytes_on_a_terminal_are_shown_and_not_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A character that is cut between two pieces is still one."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(raw, encoding="utf-8"))
    write_pieces([b"+ \x1b[2J caf\xc3", b"\xa9\t\xe2\x80\xae\xff\n"])
    assert raw.getvalue().decode() == "+ \\x1b[2J café\t\\u202e\\xff\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
@pytest.mark.parametrize("write", [lambda: write_plain("text\n"), lambda: write_pieces([b"text\n"])])
def test_full_disk_is_told_and_no_fault_of_ours(monkeypatch: pytest.MonkeyPatch, write: Callable[[], None]) -> None:
    """What is left to write is given up, so that nothing complains again at exit."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(OutputError, match="no space left"):
            write()


def test_error_is_message_then_hint(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line of both is marked; all of it on stderr."""
    write_error(HandoffError("one\ntwo", "first\nsecond"))
    assert capsys.readouterr() == ("", "handoff-tui: one\nhandoff-tui: two\n  hint: first\n  hint: second\n")


def test_quoted_text_reaches_no_terminal_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Messages, hints and notes may quote files."""
    evil = "\x1b[2J\u202e"
    write_error(HandoffError(evil, evil))
    write_note(evil)
    printed = capsys.readouterr().err
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert printed.count("␛[2J") == 3


def test_bug_leaves_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Versions, arguments and the chain of exceptions go to a file; stderr names the kind and the file only."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fault = KeyError("lamp")
    fault.__cause__ = ZeroDivisionError("by zero")
    report_bug(fault, ["show", "H-3", "\udcff"])
    [report] = tmp_path.iterdir()
    text, printed = report.read_text(encoding="utf-8"), capsys.readouterr().err
    assert text.startswith(f"handoff-tui {__version__}, Python {platform.python_version()}, ")
    assert "arguments: ['show', 'H-3', '\\udcff']" in text
    assert text.index("ZeroDivisionError") < text.index("KeyError: 'lamp'")
    assert "KeyError" in printed
    assert str(report) in printed
    assert "lamp" not in printed


@pytest.mark.parametrize("watched", [True, False])
def test_progress_is_for_those_who_watch(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    watched: bool,  # noqa: FBT001
) -> None:
    """A terminal sees one line that is replaced and taken away; a file sees nothing."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: watched)
    write_progress("3 of 7 \x1b[2J")
    clear_progress()
    printed = capsys.readouterr().err
    assert printed == ("\r\x1b[K3 of 7 ␛[2J\r\x1b[K" if watched else "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_cancels_and_no_more(number: signal.Signals) -> None:
    """The run is told to end; whoever listened before listens again afterwards."""
    before = signal.getsignal(number)
    with following(keeps_partial=True) as telling:
        assert not telling.cancel.is_set()
        os.kill(os.getpid(), number)
        assert telling.cancel.wait(5)
    assert signal.getsignal(number) is before


def test_signal_ends_a_verb_that_keeps_nothing() -> None:
    """After what was running has come to its end, and with the earlier listeners back."""
    before = signal.getsignal(signal.SIGINT)
    ended: list[bool] = []

    def be_stopped() -> None:
        with following() as telling:
            os.kill(os.getpid(), signal.SIGINT)
            ended.append(telling.cancel.wait(5))

    with pytest.raises(KeyboardInterrupt):
        be_stopped()
    assert ended == [True]
    assert signal.getsignal(signal.SIGINT) is before


def test_closed_terminal_does_not_end_who_should_outlive_it() -> None:
    """Started with `nohup`, which ignores the signal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with following() as telling:
            os.kill(os.getpid(), signal.SIGHUP)
        assert not telling.cancel.is_set()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("done", "total", "current", "line"),
    [
        (0, 4, "tree-clean", "checks ░░░░░░░░░░░░░░░░░░░░ 0/4  tree-clean"),
        (4, 4, None, "checks ████████████████████ 4/4"),
        (0, 0, None, "checks ████████████████████ 0/0"),
        (1, 2, "a\x1b[2J\n", "checks ██████████░░░░░░░░░░ 1/2  a␛[2J "),
    ],
)
def test_progress_is_a_bar_and_numbers(done: int, total: int, current: str | None, line: str) -> None:
    """Never longer than its bar, and safe to write over."""
    assert build_progress_line(done, total, current) == line
