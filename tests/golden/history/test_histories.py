"""What `history`, `compare` and `failure` print, byte for byte, on a handoff that was sent back twice.

`make golden` writes it again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.attempts import HANDOFF, AttemptStory, tell_story
from tests.support.command_line import InProcess
from tests.support.golden import compare_golden

HERE = Path(__file__).parent

CALLS = {
    "list.txt": ("history",),
    "list.json": ("history", "--json"),
    "history.txt": ("history", HANDOFF, "--recorded"),
    "history.json": ("history", HANDOFF, "--recorded", "--json"),
    "compare.txt": ("compare", f"{HANDOFF}:1", "2"),
    "compare.json": ("compare", f"{HANDOFF}:1", "2", "--json"),
    "failure.txt": ("failure", HANDOFF, "--check", "claims-hold"),
    "history-help.txt": ("history", "--help"),
    "compare-help.txt": ("compare", "--help"),
    "failure-help.txt": ("failure", "--help"),
}


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> AttemptStory:
    """Whose claim is false again by now."""
    story = tell_story(tmp_path_factory.mktemp("histories"))
    story.work("# Handoff: adding\n\nStatus: COMPLETE\n\n- `src/none.py` is new.\n", "HANDOFF.md", "claim too much")
    return story


@pytest.mark.parametrize("name", CALLS)
def test_output_is_as_promised(
    name: str, story: AttemptStory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte, but for the folder."""
    if name.endswith("help.txt") and sys.version_info[:2] != (3, 11):
        pytest.skip("argparse lays help out differently in each Python; the expected text is that of 3.11")
    monkeypatch.setenv("COLUMNS", "100")
    said = InProcess(capsys)("--repo", story.root, *CALLS[name])
    assert said.code == (1 if name == "failure.txt" else 0)
    actual = said.stdout.replace(str(story.root), "/repository")
    compare_golden(HERE / name, actual)
