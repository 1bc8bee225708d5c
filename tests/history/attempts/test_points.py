from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.history.attempts.content import AttemptContent, read_content
from handoff_tui.history.attempts.points import has_lost_record, judge_check, read_points
from handoff_tui.history.attempts.report import Point
from handoff_tui.history.attempts.sources import group_attempts
from handoff_tui.log.index import build_log_index
from handoff_tui.log.review_record import Comment
from tests.support.attempts import CODE, HANDOFF, PHASE, AttemptStory

LINES = "".join(f"line {number}\n" for number in range(1, 13))
LOOK = "look whether that answers it"


@pytest.mark.parametrize(
    ("shown", "addressed", "evidence"),
    [
        ({"a": "pass"}, True, "it passes in attempt 2"),
        ({"a": "not-applicable"}, True, "it does not apply in attempt 2 any more"),
        ({"a": "fail"}, False, "it does not pass in attempt 2 either: fail"),
        ({"a": "timeout"}, False, "it does not pass in attempt 2 either: timeout"),
        ({"a": "unknown"}, None, "it has no result in attempt 2: unknown"),
        ({"a": "skipped"}, None, "it has no result in attempt 2: skipped"),
        ({"b": "pass"}, None, "it was not among the checks of attempt 2"),
        (None, None, "the results of attempt 2 are not here"),
    ],
)
def test_check_is_judged_by_the_later_result(
    *, shown: dict[str, str] | None, addressed: bool | None, evidence: str
) -> None:
    """What has no result is not measured; it is neither addressed nor not."""
    assert judge_check("a", AttemptContent("H-1:build:2", shown=shown)) == (addressed, evidence)


def test_check_is_not_measured_before_anything_followed() -> None:
    """Nobody can have addressed it yet."""
    assert judge_check("a", None) == (None, "no attempt has followed yet")


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> AttemptStory:
    story = AttemptStory(tmp_path_factory.mktemp("points"))
    story.builder.write("large.bin", b"x" * (4 * 1024 * 1024 + 1)).write("gone.py", "1\n").write("old.py", LINES)
    story.builder.write("one.py", "1 and 2\n3 and 4\n").write("link.py", "5\n").write("spaced.py", "if a:\n    b\n")
    story.builder.commit("more")
    story.decide(
        "reject",
        1,
        comments=(
            Comment(text="moved", path="src/app.py", line=2),
            Comment(text="gone", path="gone.py"),
            Comment(text="renamed", path="old.py", line=2, end_line=3),
            Comment(text="renamed and changed", path="old.py", line=8),
            Comment(text="only renamed", path="one.py"),
            Comment(text="a link now", path="link.py"),
            Comment(text="spaced", path="spaced.py", line=1),
            Comment(text="never there", path="none.py"),
            Comment(text="too large", path="large.bin"),
            Comment(text="the whole"),
        ),
    )
    for name in ("gone.py", "old.py", "one.py", "link.py"):
        story.builder.place(name).unlink()
    story.builder.write("new.py", LINES.replace("line 8\n", "other\n")).write("two.py", "1 and 2\n3 and 4\n")
    story.builder.place("link.py").symlink_to("new.py")
    story.builder.write("spaced.py", "if  a:\n    b\n")
    story.work("# moved down\n" + CODE)
    story.builder.commit("without the file")
    story.decide("approve", 2)
    return story


def measure(story: AttemptStory, later_tree: str | None = "") -> list[Point]:
    desk, log = story.open()
    index = build_log_index(log.verify())
    first, second = group_attempts(index, Handoff(id=HANDOFF, dialect="notes"), PHASE)
    asked = read_content(desk, "H-1:build:1", first)
    later = read_content(desk, "H-1:build:2", second)
    if later_tree is None:
        later = AttemptContent("H-1:build:2", shown={})
    return list(read_points(desk, first, asked, later))


def test_remarks_are_judged_by_what_they_are_about(story: AttemptStory) -> None:
    """Lines that moved, in their file or with it, are the same; what is gone or too large is not measured."""
    _, *remarks = measure(story)
    assert [(point.text, point.addressed, point.evidence) for point in remarks] == [
        ("moved", False, "what it is about is the same in attempt 2"),
        ("gone", None, "the file is gone from attempt 2: look whether that answers it"),
        ("renamed", False, "what it is about is the same in attempt 2, where the file is new.py"),
        ("renamed and changed", True, "what it is about has changed in attempt 2, where the file is new.py"),
        ("only renamed", None, "only its name has changed in attempt 2, where the file is two.py: " + LOOK),
        ("a link now", None, "it is another kind of file in attempt 2: " + LOOK),
        ("spaced", False, "only white space of what it is about has changed in attempt 2"),
        ("never there", None, "the file was not there when the remark was made"),
        ("too large", None, "the file is too large to compare, or this clone lacks its content"),
        ("the whole", None, "it is about the whole, which is not measured"),
    ]


def test_remarks_are_not_measured_where_files_are_missing(story: AttemptStory) -> None:
    """It is said whose files."""
    _, remark, *_ = measure(story, later_tree=None)
    assert (remark.addressed, remark.evidence) == (None, "the files of attempt 2 are not here")


def test_lost_record_is_noticed(tmp_path: Path) -> None:
    """Only of a decision that asks for something."""
    story = AttemptStory(tmp_path)
    story.decide("reject", 1)
    story.decide("approve", 2)
    desk, log = story.open()
    for place in (story.root / ".handoff-tui" / "reviews").iterdir():
        place.unlink()
    asking, passing = group_attempts(build_log_index(log.verify()), Handoff(id=HANDOFF, dialect="notes"), PHASE)
    assert (has_lost_record(desk, asking), has_lost_record(desk, passing)) == (True, False)
