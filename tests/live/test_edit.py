from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, UnsafePathError, UsageError
from handoff_tui.live.edit import edit_text, open_in_editor
from tests.support.hostile import write_executable


@pytest.fixture(autouse=True)
def with_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handoff_tui.system.processes.editor.has_terminal", lambda: True)
    monkeypatch.delenv("VISUAL", raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a file, a link out of it, and a planted program."""
    root = tmp_path / "repository"
    (root / "src").mkdir(parents=True)
    (root / "src/app.py").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / ".git").mkdir()
    (root / ".git/config").write_text("", encoding="utf-8")
    return root


def write_editor(tmp_path: Path, name: str) -> tuple[Path, Path]:
    """An editor that notes what it was given, and where it was started."""
    noted = tmp_path / "noted"
    return write_executable(tmp_path / name, f'printf "%s\\n" "$PWD" "$@" > {noted}'), noted


def test_file_is_opened_at_its_line(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the user's own editor, with the whole path, started at home and not in the repository."""
    editor, noted = write_editor(tmp_path, "vim")
    monkeypatch.setenv("EDITOR", str(editor))
    open_in_editor(root, "src/app.py", 2, ())
    started, *given = noted.read_text(encoding="utf-8").splitlines()
    assert given == ["+2", str(root / "src/app.py")]
    assert started == str(Path.home())


def test_configured_editor_is_given_path_and_line(tmp_path: Path, root: Path) -> None:
    """Where its command has places for them; a line that is not known is the first."""
    editor, noted = write_editor(tmp_path, "editor")
    open_in_editor(root, "src/app.py", None, (str(editor), "--goto", "{path}:{line}"))
    assert noted.read_text(encoding="utf-8").splitlines()[1:] == ["--goto", f"{root}/src/app.py:1"]


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "out", ".git/config", "a\0b"])
def test_path_that_leads_out_is_refused(root: Path, path: str) -> None:
    """Nothing outside the repository is opened by what a handoff says, nor git's own files."""
    with pytest.raises(UnsafePathError):
        open_in_editor(root, path, 1, ("true",))


def test_file_that_is_gone_is_refused(root: Path) -> None:
    """A new empty file would look like the one that was meant."""
    with pytest.raises(FileUnreadableError, match=r"src/none\.py is not in the work tree"):
        open_in_editor(root, "src/none.py", 1, ("true",))


def test_text_comes_back_without_the_last_line_end(tmp_path: Path) -> None:
    """Editors end every line; a reason is one text."""
    editor = write_executable(tmp_path / "editor", 'printf "more\\nwords\\n" >> "$1"')
    assert edit_text("some ", (str(editor),)) == "some more\nwords"
    assert edit_text("as it was", ("true",)) == "as it was"


def test_editor_that_fails_takes_nothing_over(root: Path) -> None:
    """Its exit code is said."""
    with pytest.raises(UsageError, match="exit code 1"):
        edit_text("some", ("false",))
    with pytest.raises(UsageError, match="exit code 1"):
        open_in_editor(root, "src/app.py", 1, ("false",))
