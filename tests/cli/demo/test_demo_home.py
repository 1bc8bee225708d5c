from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from handoff_tui.cli.demo.demo import copy_own_folder, write_demo_home, write_demo_key
from handoff_tui.core.errors import DemoError


def test_key_is_made_from_its_text_alone(tmp_path: Path) -> None:
    """Same text, same key, which ssh-keygen can use; nobody else may read it."""
    first = write_demo_key(tmp_path / "one" / "ada", "a text", "ada@example.com")
    second = write_demo_key(tmp_path / "two" / "ada", "a text", "ada@example.com")
    assert first == second != write_demo_key(tmp_path / "bo", "another text", "bo@example.com")
    assert stat.S_IMODE((tmp_path / "one" / "ada").stat().st_mode) == 0o600
    derived = subprocess.run(
        ["ssh-keygen", "-y", "-f", tmp_path / "one" / "ada"], check=True, capture_output=True, text=True
    )
    assert derived.stdout.split()[:2] == first.split()
    assert (tmp_path / "one" / "ada.pub").read_text(encoding="utf-8") == f"{first} ada@example.com\n"


def test_key_overwrites_nothing(tmp_path: Path) -> None:
    """What is there stays."""
    (tmp_path / "ada").write_text("mine", encoding="utf-8")
    with pytest.raises(DemoError):
        write_demo_key(tmp_path / "ada", "a text", "ada@example.com")
    assert (tmp_path / "ada").read_text(encoding="utf-8") == "mine"


def test_home_signs_with_the_key(tmp_path: Path) -> None:
    """As git itself reads it, with a path that has quotes in it."""
    key = tmp_path / 'a "quoted" folder' / "ada"
    write_demo_home(tmp_path / "home", "Ada", "ada@example.com", key)

    def ask(name: str) -> str:
        file = tmp_path / "home" / ".gitconfig"
        words = ["git", "config", "--file", str(file), name]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()

    assert (ask("user.email"), ask("user.signingkey"), ask("gpg.format")) == ("ada@example.com", str(key), "ssh")
    with pytest.raises(DemoError):
        write_demo_home(tmp_path / "home", "Ada", "ada@example.com", key)


def test_folder_is_copied_over_what_is_there(tmp_path: Path) -> None:
    """Files of both sides are there afterwards; a folder that is not there is an error of ours."""
    for side, name in (("one", "a"), ("two", "b")):
        place = tmp_path / side / ".handoff-tui" / "log" / name
        place.parent.mkdir(parents=True)
        place.write_text(name, encoding="utf-8")
    copy_own_folder(tmp_path / "one", tmp_path / "two")
    assert {path.name for path in (tmp_path / "two" / ".handoff-tui" / "log").iterdir()} == {"a", "b"}
    with pytest.raises(DemoError):
        copy_own_folder(tmp_path / "three", tmp_path / "two")
