from __future__ import annotations

import pytest

from tests.support.attempts import HANDOFF, AttemptStory, tell_story
from tests.support.in_process import InProcess
from tests.support.repositories import RepositoryBuilder


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> AttemptStory:
    return tell_story(tmp_path_factory.mktemp("history"))


def test_history_looks_at_what_is_here_now(story: AttemptStory, say: InProcess) -> None:
    """Unless only what is recorded is asked for."""
    said = say("history", HANDOFF, "--repo", story.root, "--json")
    assert (said.code, [one["outcome"] for one in said.json["attempts"]]) == (0, ["rejected", "retry", "open"])
    recorded = say("history", HANDOFF, "--repo", story.root, "--json", "--recorded")
    assert [one["outcome"] for one in recorded.json["attempts"]] == ["rejected", "retry"]


def test_history_of_one_that_is_unknown_is_a_usage_error(story: AttemptStory, say: InProcess) -> None:
    """With a hint."""
    said = say("history", "H-9", "--repo", story.root)
    assert (said.code, said.stdout) == (2, "")
    assert "no handoff has the id" in said.stderr


def test_history_without_anything_is_a_sentence(builder: RepositoryBuilder, say: InProcess) -> None:
    """Neither a log nor a commit is needed to ask."""
    said = say("history", "--repo", builder.folder)
    assert (said.code, said.stdout.strip()) == (0, "Nobody has handed anything over or decided yet.")
