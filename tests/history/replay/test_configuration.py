"""Whether the configuration of the checks was weaker when a decision was made."""

from __future__ import annotations

import pytest

from handoff_tui.history.replay.replay import compare_then
from handoff_tui.history.replay.report import Question, Standing
from tests.support.replay_story import ReplayStory
from tests.support.repositories import RepositoryBuilder


@pytest.mark.parametrize(
    ("then", "now", "standing", "words"),
    [
        (b"", b"", Standing.HOLDS, "the same as now"),
        (
            b"[checks.claims-hold]\nblocking = false\n",
            b"",
            Standing.WEAKER,
            "blocking: False then, not set now",
        ),
        (b"", b"[checks.claims-hold]\nblocking = false\n", Standing.HOLDS, "no weaker"),
        (b"", b'[checks.mine]\nrun = ["true"]\n', Standing.WEAKER, "checks.mine: not set then, a check now"),
        (b"= no", b"", Standing.UNKNOWN, "of then is not valid TOML"),
        (b"", b"\xff", Standing.UNKNOWN, "of now is not valid TOML"),
    ],
)
def test_what_the_way_back_would_loosen_was_weaker(then: bytes, now: bytes, standing: Standing, words: str) -> None:
    """From now to then, by the same comparison that guards the configuration every day."""
    answer = compare_then(then, now, lambda _: None)
    assert answer.standing is standing
    assert words in "\n".join((answer.summary, *answer.details))


def test_configuration_is_read_from_the_commit_of_the_decision(builder: RepositoryBuilder) -> None:
    """Not from the work tree; a commit that is not here cannot be read."""
    story = ReplayStory(builder)
    builder.write("handoff-tui.toml", "[checks.claims-hold]\nblocking = false\n").commit("weaker")
    story.decide()
    assert story.ask(Question.CONFIGURATION)[0] is Standing.HOLDS
    builder.write("handoff-tui.toml", "").commit("strict again")
    assert story.ask(Question.CONFIGURATION)[0] is Standing.WEAKER
    story.decide(subject=story.build_subject().model_copy(update={"commit": "9" * 40}))
    standing, words = story.ask(Question.CONFIGURATION)
    assert (standing, "cannot be read" in words) == (Standing.UNKNOWN, True)
