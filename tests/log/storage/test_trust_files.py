from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from handoff_tui.core.errors import StoredFileDamagedError, StoreWriteError
from handoff_tui.log.storage.trust_files import read_trust_files, write_trust_files
from tests.support.failing_calls import FailingCalls

TEXTS = {"allowed_signers": "ada …\n", "policy.toml": "version = 1\n"}


def test_written_texts_are_read_back(tmp_path: Path) -> None:
    """Byte for byte, and no temporary file stays."""
    write_trust_files(tmp_path, TEXTS)
    assert read_trust_files(tmp_path) == TEXTS
    write_trust_files(tmp_path, {**TEXTS, "policy.toml": "version = 2\n"})
    assert read_trust_files(tmp_path)["policy.toml"] == "version = 2\n"
    assert sorted(one.name for one in (tmp_path / ".handoff-tui/trust").iterdir()) == ["allowed_signers", "policy.toml"]


def test_missing_files_are_nothing(tmp_path: Path) -> None:
    """A folder without them, and one with only one of them."""
    assert read_trust_files(tmp_path) == {"allowed_signers": None, "policy.toml": None}
    write_trust_files(tmp_path, TEXTS)
    (tmp_path / ".handoff-tui/trust/policy.toml").unlink()
    assert read_trust_files(tmp_path) == {"allowed_signers": "ada …\n", "policy.toml": None}


def test_link_in_the_place_of_a_file_is_replaced(tmp_path: Path) -> None:
    """What it leads to stays as it is."""
    (tmp_path / "precious").write_text("precious")
    (tmp_path / ".handoff-tui/trust").mkdir(parents=True)
    (tmp_path / ".handoff-tui/trust/policy.toml").symlink_to(tmp_path / "precious")
    write_trust_files(tmp_path, TEXTS)
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / ".handoff-tui/trust/policy.toml").is_symlink()
    assert read_trust_files(tmp_path) == TEXTS


@pytest.mark.parametrize("folder", [".handoff-tui", ".handoff-tui/trust"])
def test_link_in_the_place_of_a_folder_is_refused(tmp_path: Path, folder: str) -> None:
    """Nothing appears where it leads."""
    away = tmp_path / "away"
    away.mkdir()
    (tmp_path / folder).parent.mkdir(exist_ok=True)
    (tmp_path / folder).symlink_to(away)
    with pytest.raises(StoredFileDamagedError, match=f"{folder} is a link"):
        write_trust_files(tmp_path, TEXTS)
    assert list(away.iterdir()) == []


def test_folder_in_the_place_of_a_file_is_told(tmp_path: Path) -> None:
    """It is left alone, and the message names it."""
    (tmp_path / ".handoff-tui/trust/policy.toml").mkdir(parents=True)
    with pytest.raises(StoreWriteError, match=r"trust/policy\.toml cannot be written"):
        write_trust_files(tmp_path, TEXTS)


def test_full_disk_leaves_the_old_texts_whole(tmp_path: Path) -> None:
    """Whichever call fails first: each file is the old one or the new one, never a part."""
    write_trust_files(tmp_path, TEXTS)
    new = {"allowed_signers": "bob …\n", "policy.toml": "version = 2\n"}
    counting = FailingCalls(only_changes=True)
    write_trust_files(tmp_path, new, counting)
    for last in range(len(counting.made)):
        write_trust_files(tmp_path, TEXTS)

        def strike(number: int, _name: str, last: int = last) -> None:
            if number >= last:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with pytest.raises(StoreWriteError, match="the disk is full"):
            write_trust_files(tmp_path, new, FailingCalls(strike, only_changes=True))
        for name, text in read_trust_files(tmp_path).items():
            assert text in {TEXTS[name], new[name]}
