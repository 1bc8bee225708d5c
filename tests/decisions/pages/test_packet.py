from __future__ import annotations

from handoff_tui.decisions.pages.packet import build_packet_json, render_packet
from handoff_tui.decisions.views import Demand, Packet, QuotedComment
from handoff_tui.log.review_record import Comment, ShownCheck, ShownFinding

DEMAND = Demand(
    entry="sha256:" + "1" * 64,
    attempt=1,
    author="bo@example.org",
    verb="reject",
    time="2026-01-02T03:04:05Z",
    reason="no tests\n# and *stars*",
    checks=("tests", "style"),
    still_failing=("tests",),
    commented=("a.py:3", "b.py"),
    untouched=("a.py:3",),
    addressed=False,
)
PACKET = Packet(
    handoff="H-1",
    phase="build",
    attempt=3,
    state="rejected",
    demands=(DEMAND,),
    comments=(
        QuotedComment(
            comment=Comment(text="why?", path="a.py", line=3),
            author="bo@example.org",
            code=("     2  def", ">    3  ```"),
            changed=False,
        ),
        QuotedComment(comment=Comment(text="all of it"), author="bo@example.org"),
    ),
    failing=(
        ShownCheck(
            id="tests", outcome="fail", severity="high", blocking=True, remedy="Run them.", commands=("make test",),
            findings=(ShownFinding(fingerprint="x", message="one <b>fails</b>", where="a.py:3"),),
        ),
        ShownCheck(id="style", outcome="error", severity="low", blocking=False, summary="it broke"),
    ),
    changed_files=("a.py",),
    notes=("something is missing",),
)  # fmt: skip


def test_json_is_the_packet_and_its_schema() -> None:
    """Nothing is left out."""
    value = build_packet_json(PACKET)
    assert value["schema"] == "handoff-tui/packet/v1"
    assert {**value, "schema": None} == {"schema": None, **PACKET.model_dump(mode="json")}


def test_markdown_has_everything_in_order() -> None:
    """Reason, what became of it, remarks with code, failing checks with remedies, changes, notes, what to do then."""
    text = render_packet(PACKET)
    expected = [
        "# H-1: what attempt 3 of build must do",
        "## Why it came back",
        "`bo@example.org` decided reject on attempt 1",
        "no tests\n# and *stars*\n```",
        "- Blocking then: `tests`, `style`. Still failing: `tests`.",
        "- Remarks on: `a.py:3`, `b.py`. Not changed since: `a.py:3`.",
        "- NOT addressed yet.",
        "### `a.py:3` (`bo@example.org` on attempt 1, not changed since)",
        ">    3  ```\n````",
        "### The whole (`bo@example.org` on attempt 1)",
        "### `tests`: fail (high, blocks)",
        "&#60;b&#62;fails&#60;/b&#62; (`a.py:3`)",
        "Run them.",
        "make test",
        "### `style`: error (low, does not block)",
        "- it broke",
        "## Changed since the attempt that came back",
        "Note: something is missing",
        "handoff-tui submit H-1 --phase build",
    ]
    places = [text.find(words) for words in expected]
    assert -1 not in places
    assert places == sorted(places)


def test_work_that_never_came_back_says_so() -> None:
    """No demands, and no advice to hand over again."""
    text = render_packet(Packet(handoff="H-1", phase="build", attempt=1, state="pending"))
    assert "Nobody has sent this work back. The gate is pending." in text
    assert "submit" not in text


def test_each_kind_of_demand_has_its_title_and_its_end() -> None:
    """The newest is why it came back; older ones name their attempt; a hold is one; what was taken back is said."""
    older = DEMAND.model_copy(update={"taken_back": True})
    held = DEMAND.model_copy(update={"verb": "hold", "attempt": 2, "checks": (), "commented": (), "addressed": None})
    done = DEMAND.model_copy(update={"addressed": True})
    none = done.model_copy(update={"still_failing": (), "untouched": done.commented})
    text = render_packet(PACKET.model_copy(update={"demands": (held, none, older)}))
    assert "Still failing: none." in text
    assert "Not changed since: all of them." in text
    assert "## Held on attempt 2" in text
    assert "## Asked for on attempt 1" in text
    assert "cannot be measured" in text
    assert "- Addressed, as far as can be measured." in text
    assert "`bo@example.org` has decided otherwise since." in text


def test_remark_that_is_not_measured_says_so() -> None:
    """The file may be gone, which is no answer by itself; of a remark on the whole nobody expects one."""
    placed, whole = PACKET.comments[0].model_copy(update={"changed": None}), PACKET.comments[1]
    text = render_packet(PACKET.model_copy(update={"comments": (placed, whole)}))
    assert "### `a.py:3` (`bo@example.org` on attempt 1, whether it was addressed cannot be measured)" in text
    assert "### The whole (`bo@example.org` on attempt 1)" in text


def test_many_files_are_counted_after_the_first_hundred() -> None:
    """A prompt has an end."""
    text = render_packet(PACKET.model_copy(update={"changed_files": tuple(f"f{number}" for number in range(120))}))
    assert "- and 20 more" in text
    assert "`f100`" not in text
