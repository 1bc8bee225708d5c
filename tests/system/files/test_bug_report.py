from __future__ import annotations

import stat
import tempfile
from pathlib import Path

import pytest

from handoff_tui.system.files.named_files import write_bug_report


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of the user, empty."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_report_is_a_new_file_for_this_user(temporary_folder: Path) -> None:
    """In the temporary folder, with the text, readable by nobody else."""
    place = Path(write_bug_report("the lamp fell\n"))
    assert place.parent == temporary_folder
    assert place.name.startswith("handoff-tui-report-")
    assert place.read_text(encoding="utf-8") == "the lamp fell\n"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_report_never_overwrites_another() -> None:
    """Two faults are two files."""
    assert write_bug_report("one") != write_bug_report("two")


def test_report_takes_any_text() -> None:
    """Names that are no valid text are written out as codes."""
    assert Path(write_bug_report("caf\udce9 ä")).read_text(encoding="utf-8") == "caf\\udce9 ä"
