"""What `baseline` and `diff` print, byte for byte, on the sample with a baseline. `make golden` writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.baseline_story import BaselineStory, build_baseline_story

HERE = Path(__file__).parent
WRITE = os.environ.get("HANDOFF_TUI_WRITE_GOLDEN") == "1"

CALLS = {
    "list.txt": ("baseline", "list"),
    "list.json": ("baseline", "list", "--json"),
    "show.txt": ("baseline", "show", "{digest}"),
    "diff.txt": ("diff",),
    "diff.json": ("diff", "--json"),
    "diff-stat.txt": ("diff", "--stat"),
    "diff-stat.json": ("diff", "--stat", "--json"),
    "diff-file.txt": ("diff", "--side-by-side", "PKG-UNITS-001"),
    "diff-against.txt": ("diff", "--against", "HEAD~3", "--stat"),
    "diff-none.txt": ("diff", "--since", "my-review"),
    "diff.patch": ("diff", "--patch"),
}


@pytest.fixture(scope="module")
def story(sample_repository: Path, tmp_path_factory: pytest.TempPathFactory) -> BaselineStory:
    return build_baseline_story(sample_repository, tmp_path_factory.mktemp("baseline"))


@pytest.mark.parametrize("name", CALLS)
def test_output_is_as_promised(name: str, story: BaselineStory) -> None:
    """Byte for byte, but for the digest of the snapshot, which every new rule changes."""
    said = story.say(*(word.format(digest=story.digest) for word in CALLS[name]))
    assert (said.code, said.stderr) == (0, "")
    actual = said.stdout.replace(story.digest, "<digest>").replace(story.digest[:12], "<-snapshot->")
    place = HERE / name
    if WRITE:
        place.write_text(actual, encoding="utf-8")
    assert actual == place.read_text(encoding="utf-8")


def test_captured_snapshot_is_the_same_each_time(story: BaselineStory) -> None:
    """Neither the place nor the time nor the run before has a say in the digest."""
    once, again = (story.say("baseline", "capture", "--json").json["digest"] for _ in range(2))
    assert once == again != story.digest
