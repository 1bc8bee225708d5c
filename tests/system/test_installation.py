"""Where this program is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from handoff_tui.system.installation import can_import_alone, find_on_path, find_python, is_program, read_version_beside


def test_python_is_this_one_by_its_usual_name() -> None:
    """Whatever name it was called by, the same words go into a hook."""
    assert Path(find_python()).parent == Path(sys.executable).parent
    assert Path(find_python()).samefile(sys.executable)


def test_python_of_another_name_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a python3 beside it, the name that it has is used."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "odd-python"))
    assert find_python() == str(tmp_path / "odd-python")


def test_program_that_is_installed_can_be_imported_alone(tmp_path: Path) -> None:
    """This one can; a program that is not there, or ends with an error, cannot."""
    assert can_import_alone(sys.executable)
    assert not can_import_alone(str(tmp_path / "nothing"))
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\nexit 1\n")
    failing.chmod(0o755)
    assert not can_import_alone(str(failing))


def test_program_is_an_executable_file(tmp_path: Path) -> None:
    """A folder is none, nor a file without the permission."""
    (tmp_path / "file").write_text("")
    assert not is_program(str(tmp_path))
    assert not is_program(str(tmp_path / "file"))
    (tmp_path / "file").chmod(0o755)
    assert is_program(str(tmp_path / "file"))


def test_relative_folders_on_path_offer_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A repository cannot offer its own program."""
    planted = tmp_path / "handoff-tui"
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".:")
    assert find_on_path() is None
    monkeypatch.setenv("PATH", f".:{tmp_path}")
    assert find_on_path() == str(planted)


@pytest.mark.parametrize("library", ["python3.11", "python3.14"])
def test_version_beside_another_python_is_read(tmp_path: Path, library: str) -> None:
    """From the name of its folder of packages; two versions, or none, are no answer."""
    packages = tmp_path / "lib" / library / "site-packages"
    python = str(tmp_path / "bin" / "python3")
    assert read_version_beside(python) is None
    (packages / "handoff_tui-9.8.7.dist-info").mkdir(parents=True)
    assert read_version_beside(python) == "9.8.7"
    (packages / "handoff_tui-9.8.8.dist-info").mkdir()
    assert read_version_beside(python) is None
