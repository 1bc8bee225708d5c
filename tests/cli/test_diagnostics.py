from __future__ import annotations

import platform
import tempfile
from pathlib import Path

import pytest

from handoff_tui import __version__
from handoff_tui.cli.diagnostics import clear_progress, report_bug, write_error, write_note, write_progress
from handoff_tui.core.errors import HandoffError


def test_error_is_message_then_hint(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line of both is marked; all of it on stderr."""
    write_error(HandoffError("one\ntwo", "first\nsecond"))
    assert capsys.readouterr() == (
        "",
        "handoff-tui: one\nhandoff-tui: two\n  hint: first\n  hint: second\n",
    )


def test_error_without_a_hint_has_no_hint_line(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty hint is not shown."""
    write_error(HandoffError("one"))
    assert capsys.readouterr().err == "handoff-tui: one\n"


def test_quoted_text_reaches_no_terminal_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Messages, hints and notes may quote files."""
    evil = "\x1b[2J\u202e"
    write_error(HandoffError(evil, evil))
    write_note(evil)
    printed = capsys.readouterr().err
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert printed.count("␛[2J") == 3


def test_note_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Blank ones too."""
    write_note("\none\n  two")
    assert capsys.readouterr() == ("", "\none\n  two\n")


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
