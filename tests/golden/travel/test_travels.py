"""What the verbs about the past print, byte for byte. `make golden` writes it again."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.support.command_line import InProcess
from tests.support.golden import compare_golden

HERE = Path(__file__).parent
CALLS = {
    "bisect.txt": (("bisect", "dropped-counts-explained", "--good", "HEAD~10", "--bad", "HEAD~8"), 0),
    "bisect.json": (("bisect", "dropped-counts-explained", "--good", "HEAD~10", "--bad", "HEAD~8", "--json"), 0),
    "status-at.txt": (("status", "--at", "HEAD~14"), 0),
    "status-at.json": (("status", "--at", "HEAD~14", "--json"), 0),
    "check-at.txt": (("check", "--at", "HEAD~14", "--handoff", "H-3"), 1),
    "bisect-help.txt": (("bisect", "--help"), 0),
}


@pytest.mark.parametrize("name", CALLS)
def test_output_is_as_promised(
    name: str, sample_repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for the folder the sample was built in."""
    if name.endswith("help.txt") and sys.version_info[:2] != (3, 11):
        pytest.skip("argparse lays help out differently in each Python; the expected text is that of 3.11")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(sample_repository)
    words, code = CALLS[name]
    said = InProcess(capsys)(*words)
    assert (said.code, said.stderr) == (code, "")
    actual = re.sub(r"(?m) +$", "", said.stdout.replace(str(sample_repository), "/sample"))
    compare_golden(HERE / name, actual)
