from __future__ import annotations

import pytest

from tests.support.attempts import HANDOFF, AttemptStory, tell_story
from tests.support.in_process import InProcess


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> AttemptStory:
    return tell_story(tmp_path_factory.mktemp("compare"))


def test_comparison_is_text_or_json(story: AttemptStory, say: InProcess) -> None:
    """The same two attempts, for a person and for a script; the phase may be an option."""
    text = say("compare", f"{HANDOFF}:1", "2", "--repo", story.root)
    value = say("compare", f"{HANDOFF}:1", f"{HANDOFF}:2", "--phase", "review", "--repo", story.root, "--json")
    assert (text.code, value.code) == (0, 0)
    assert text.stdout.startswith(f"{HANDOFF}:review:1 → {HANDOFF}:review:2")
    assert value.json["checks"]["counts"] == {"newly-failing": 1, "fixed": 1, "changed": 1}


@pytest.mark.parametrize(
    ("words", "said"), [(("1", "2"), "of which handoff"), ((f"{HANDOFF}:1", "x"), "names no attempt")]
)
def test_wrong_names_are_usage_errors(words: tuple[str, str], said: str, story: AttemptStory, say: InProcess) -> None:
    """Code 2, and the form that is expected."""
    answer = say("compare", *words, "--repo", story.root)
    assert (answer.code, answer.stdout) == (2, "")
    assert said in answer.stderr
    assert "ID:NUMBER" in answer.stderr
