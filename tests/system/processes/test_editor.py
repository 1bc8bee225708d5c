from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, NoHumanError, UsageError
from handoff_tui.system.processes.editor import edit_texts
from tests.support.hostile import write_executable

TEXTS = {"allowed_signers": "ada\n", "policy.toml": "version = 1\n"}


@pytest.fixture(autouse=True)
def with_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handoff_tui.system.processes.editor.has_terminal", lambda: True)
    monkeypatch.delenv("VISUAL", raising=False)


def test_texts_come_back_as_they_were_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's editor is given both files at once, with the words that stand in EDITOR."""
    editor = write_executable(tmp_path / "editor", 'test "$1" = --wait && echo "version = 2" > "$3"')
    monkeypatch.setenv("EDITOR", f"{editor} --wait")
    assert edit_texts(TEXTS) == {"allowed_signers": "ada\n", "policy.toml": "version = 2\n"}


def test_configured_editor_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its places for a path and a line, which stand at the end here."""
    editor = write_executable(tmp_path / "editor", 'test "$#" = 2 && echo changed > "$1"')
    monkeypatch.setenv("EDITOR", "false")
    assert edit_texts(TEXTS, (str(editor), "+{line}", "{path}"))["allowed_signers"] == "changed\n"


@pytest.mark.parametrize(
    ("deed", "error", "words"), [("exit 3", UsageError, "exit code 3"), ('rm "$1"', FileUnreadableError, "is gone")]
)
def test_editor_that_fails_proposes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str, error: type[Exception], words: str
) -> None:
    """An exit code, or a file that it took away."""
    monkeypatch.setenv("EDITOR", str(write_executable(tmp_path / "editor", deed)))
    with pytest.raises(error, match=words):
        edit_texts(TEXTS)


def test_nobody_edits_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor with an editor that is not there."""
    monkeypatch.setenv("EDITOR", "no-such-editor")
    with pytest.raises(UsageError, match="no-such-editor is not installed"):
        edit_texts(TEXTS)
    monkeypatch.setattr("handoff_tui.system.processes.editor.has_terminal", lambda: False)
    with pytest.raises(NoHumanError, match="no terminal"):
        edit_texts(TEXTS)
