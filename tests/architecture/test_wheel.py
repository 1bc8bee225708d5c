"""What is installed is what was tested: the wheel has the themes, the story and the texts in it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_wheel_carries_themes_and_story(tmp_path: Path) -> None:
    """Every theme, every file of the sample story and every text beside a module is in it, and nothing of the tests."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=150)
    [wheel] = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("themes", "sample_repo"):
        for place in (ROOT / folder).rglob("*"):
            if place.is_file() and "__pycache__" not in place.parts:
                assert f"handoff_tui/{place.relative_to(ROOT).as_posix()}" in names
    shipped = [place for place in (ROOT / "src").rglob("*.*") if place.suffix in {".sh", ".md", ".toml", ".tcss"}]
    assert {place.relative_to(ROOT / "src").as_posix() for place in shipped} <= names
    assert not any(name.startswith("tests/") for name in names)
