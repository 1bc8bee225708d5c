from __future__ import annotations

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rules.hub.attempt_text import find_standing_attempts, read_attempt_lines
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.handoff import Handoff
from tests.support.world import MemoryWorld

TEXT = "# Top\n### QA Agent\nok\n```\n## no heading\n```\nend\n### SEC Agent\nother\n"


def test_standing_attempts_are_the_newest_of_each_stage() -> None:
    """In the order of their numbers; without a stage the agent tells them apart."""
    attempts = (
        Attempt(number=1, phase="QA"),
        Attempt(number=2, agent="one"),
        Attempt(number=3, phase="QA"),
    )
    assert find_standing_attempts(Handoff(id="T1", dialect="hub", attempts=attempts)) == [attempts[1], attempts[2]]


def test_attempt_lines_end_at_the_next_heading() -> None:
    """A heading inside code is none."""
    context = Context(Answers(MemoryWorld({"a.md": TEXT})))
    attempt = Attempt(number=1, where=Place(path="a.md", line=2))
    assert list(read_attempt_lines(context, attempt)) == [
        (3, "ok"),
        (4, "```"),
        (5, "## no heading"),
        (6, "```"),
        (7, "end"),
    ]


def test_attempt_without_a_line_has_no_text() -> None:
    """Nor has one of a JSON file."""
    context = Context(Answers(MemoryWorld({"a.md": TEXT, "a.json": TEXT})))
    for place in (None, Place(path="a.md"), Place(path="a.json", line=1)):
        assert list(read_attempt_lines(context, Attempt(number=1, where=place))) == []
