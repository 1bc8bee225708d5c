"""The pages and JSON of gates, decisions, submissions and packets."""

from __future__ import annotations

import json

import pytest

from handoff_tui.core.text.page import Page
from handoff_tui.decisions.pages.decide import (
    build_decision_page,
    build_question,
    build_receipt_json,
    build_receipt_page,
)
from handoff_tui.decisions.pages.gate import build_gate_json, build_gate_page, build_submit_json, build_submit_page
from handoff_tui.decisions.pages.packet import build_packet_json, render_packet
from handoff_tui.decisions.threads import Thread
from handoff_tui.decisions.views import Demand, Packet
from handoff_tui.log.entry import NO_BASELINE
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.review_record import Comment, ShownCheck, ShownClaim, ShownFinding
from tests.support.desk_states import list_lines
from tests.support.gate_views import (
    APPROVAL,
    POLICY,
    RECORD,
    SUBJECT,
    build_decision_view,
    build_entry,
    build_gate_view,
)

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


def build_thread(comment: Comment, **more: object) -> Thread:
    """A thread that Bo began on the first attempt."""
    said = {"author": "bo@example.org", "attempt": 1, "time": "2026-01-01T00:00:00Z", "entry": "ab" * 32}
    where = {"path": comment.path, "line": comment.line}
    return Thread.model_validate({"id": "abababab.1", "comment": comment, **said, **where, **more})


PACKET = Packet(
    handoff="H-1",
    phase="build",
    attempt=3,
    state="rejected",
    demands=(DEMAND,),
    comments=(
        build_thread(
            Comment(text="why?", path="a.py", line=3),
            code=("     2  def", ">    3  ```"),
            changed=False,
        ),
        build_thread(Comment(text="all of it")),
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


def read(page: Page) -> str:
    return "\n".join(list_lines(page))


def test_gate_json_has_the_promised_fields() -> None:
    """As the contract of the command line says; a missing value is null."""
    value = build_gate_json(build_gate_view())
    assert value["schema"] == "handoff-tui/gate/v1"
    assert (value["handoff"], value["phase"], value["attempt"], value["state"]) == ("H-1", "build", 2, "pending")
    assert (value["why"], value["threshold"], value["requirement"]) == (["1 of 2 approvals"], 2, None)
    assert value["subject"] == {"digest": "sha256:" + "9" * 64, **SUBJECT.model_dump()}
    assert value["approvals"] == [APPROVAL.model_dump(mode="json")]
    assert json.loads(json.dumps(value)) == value


def test_gate_page_says_what_a_decision_is_bound_to() -> None:
    """Every digest in full, beside who made the work and what blocks; the digest people copy fits on one line."""
    page = build_gate_page(build_gate_view())
    shown = [*SUBJECT.model_dump().values(), "sha256:" + "9" * 64, "1 of 2 approvals", "ada@x, robot"]
    shown += ["7 of 9 pass, 1 warning", "✗ tests blocks", "bo@x | approve"]
    assert [words for words in shown if words not in read(page)] == []
    assert max(len(line) for line in list_lines(page) if "999" in line) == 80


def test_missing_baseline_has_its_reason() -> None:
    """Zeros are not shown as if they were a digest."""
    subject = SUBJECT.model_copy(update={"baseline": NO_BASELINE})
    view = build_gate_view(subject=subject, baseline_reason="no baseline: nothing is pinned")
    text = read(build_gate_page(view))
    assert "baseline none: nothing is pinned" in text
    assert NO_BASELINE not in text


def test_decisions_are_marked_by_what_they_do() -> None:
    """Counted, against it, and without effect; open overrides stay on the page whatever the state is."""
    against = APPROVAL.model_copy(update={"verb": "reject", "counted": False})
    stale = against.model_copy(update={"why": "the files changed since"})
    lines = list_lines(build_gate_page(build_gate_view({"approvals": (APPROVAL, against, stale)})))
    assert [line[0] for line in lines[-3:]] == ["✓", "✗", "·"]
    view = build_gate_view({"state": GateName.APPROVED, "debts": ("sha256:" + "c" * 64,)})
    assert "the override sha256:cccccccccccc… is open" in read(build_gate_page(view))


def test_words_of_others_are_made_safe() -> None:
    """A reason or a name cannot repaint the screen."""
    view = build_gate_view({"why": ("bo: \x1b[2Jall is well",)}, producers=("a\u202eb",))
    assert {"\x1b", "\u202e"}.isdisjoint(read(build_gate_page(view)))


def test_long_lists_are_counted() -> None:
    """Of many failing checks, warnings and contradictions, the first are shown, and how many more there are."""
    text = read(build_gate_page(build_gate_view(failing=tuple(f"check-{number}" for number in range(14)))))
    assert ("check-9 blocks" in text, "check-10" in text, "and 4 more" in text) == (True, False, True)
    checks = tuple(ShownCheck(id=f"w{number}", outcome="fail", severity="low", blocking=False) for number in range(9))
    claims = tuple(ShownClaim(text=f"claim {number}", where="x") for number in range(5))
    record = RECORD.model_copy(update={"checks": checks, "contradicted": claims})
    text = read(build_decision_page(build_decision_view(record=record)))
    assert ("w4" in text, "w5" in text, "and 4 more" in text) == (True, False, True)
    assert ("claim 2" in text, "claim 3" in text, "and 2 more" in text) == (True, False, True)


def test_decision_page_shows_everything_that_is_signed() -> None:
    """Subject, record, policy, producers, the reviewer's words, evidence, referenced entries, and who signs."""
    view = build_decision_view()
    signed = [
        *SUBJECT.model_dump().values(), view.review, POLICY, "ada@x, robot", "H-1 · build · attempt 2", "reject",
        "no tests", "for the empty table", "a.py:3-5: first", "second", "all in all", "a.py, b.py",
        *view.referenced_entries, "cy@x", "SHA256:abc (user.signingkey)", "! style: 3 lines are too long",
        "4 hold, 1 false", "✗ 12 tests (RESULTS.md:4)", "3 changed files, 1 unexplained drop", *view.notes,
    ]  # fmt: skip
    assert [value for value in signed if value not in read(build_decision_page(view))] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"verb": "override"}, "overrides tests; stays on record until an approval settles it"),
        ({"touch": True}, "touch it to sign"),
    ],
)
def test_decision_page_warns(change: dict[str, object], words: str) -> None:
    """An override says what it overrides; a security key waits for a touch."""
    assert words in read(build_decision_page(build_decision_view(**change)))


def test_two_comments_are_told_apart() -> None:
    """The further lines of one are indented more than the first line of the next."""
    lines = list_lines(build_decision_page(build_decision_view()))
    where = lines.index("comments a.py:3-5: first")
    assert lines[where + 1 : where + 3] == ["           second", "         all in all"]


def test_question_names_the_word_and_the_gate() -> None:
    """What scrolled away is said again."""
    question = build_question(build_decision_view())
    assert question == "Type H-1 to reject it (build, attempt 2), anything else to cancel: "


def test_receipts_name_the_entry_and_the_gate() -> None:
    """Of a decision and of a submission, for people and for scripts; an unsigned submission has no entry."""
    view, entry = build_gate_view(), build_entry()
    value = build_receipt_json(entry, view)
    assert value["schema"] == "handoff-tui/decide/v1"
    assert (value["entry"], value["decision"], value["actor"]) == (entry.id, "approve", "cy@x")
    assert all(words in read(build_receipt_page(entry, view)) for words in (entry.id, "pending", "push"))
    value = build_submit_json(view, entry)
    assert (value["schema"], value["entry"]) == ("handoff-tui/submit/v1", entry.id)
    assert all(words in read(build_submit_page(view, entry)) for words in (entry.id, "handoff-tui wait H-1"))
    assert build_submit_json(view, None)["entry"] is None
    assert "nothing was written" in read(build_submit_page(view, None))


def test_json_is_the_packet_and_its_schema() -> None:
    """Nothing is left out."""
    value = build_packet_json(PACKET)
    assert value["schema"] == "handoff-tui/packet/v1"
    assert {**value, "schema": None} == {"schema": None, **PACKET.model_dump(mode="json")}


def test_markdown_has_everything_in_order() -> None:
    """Reason, what became of it, comments with code, failing checks with remedies, changes, notes, what to do then."""
    text = render_packet(PACKET)
    expected = [
        "# H-1: what attempt 3 of build must do",
        "## Why it was sent back",
        "`bo@example.org` decided reject on attempt 1",
        "no tests\n# and *stars*\n```",
        "- Blocking then: `tests`, `style`. Still failing: `tests`.",
        "- Comments on: `a.py:3`, `b.py`. Not changed since: `a.py:3`.",
        "- NOT addressed yet.",
        "### `a.py:3` (abababab.1, `bo@example.org` on attempt 1, not changed since)",
        ">    3  ```\n````",
        "### In general (abababab.1, `bo@example.org` on attempt 1)",
        "### `tests`: fail (high, blocks)",
        "&#60;b&#62;fails&#60;/b&#62; (`a.py:3`)",
        "Run them.",
        "make test",
        "### `style`: error (low, does not block)",
        "- it broke",
        "## Changed since the attempt that was sent back",
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


def test_comment_that_is_not_measured_says_so() -> None:
    """The file may be gone, which is no answer by itself."""
    placed = PACKET.comments[0].model_copy(update={"changed": None})
    text = render_packet(PACKET.model_copy(update={"comments": (placed,)}))
    assert (
        "### `a.py:3` (abababab.1, `bo@example.org` on attempt 1, whether it was addressed cannot be measured)" in text
    )


def test_many_files_are_counted_after_the_first_hundred() -> None:
    """A prompt has an end."""
    text = render_packet(PACKET.model_copy(update={"changed_files": tuple(f"f{number}" for number in range(120))}))
    assert "- and 20 more" in text
    assert "`f100`" not in text


def test_gate_shows_the_scope_and_where_it_starts() -> None:
    """In the JSON for scripts, on the page for people."""
    subject = SUBJECT.model_copy(update={"scope": "5" * 64, "start": "6" * 40})
    view = build_gate_view(subject=subject, uncommitted=True)
    told = build_gate_json(view)["subject"]
    assert isinstance(told, dict)
    assert (told["scope"], told["start"]) == ("5" * 64, "6" * 40)
    lines = list_lines(build_gate_page(view))
    assert f"scope    {'5' * 64}, with uncommitted changes" in lines
    assert f"start    {'6' * 40}" in lines
    unborn = build_gate_view(subject=subject.model_copy(update={"start": "0" * 40}))
    assert "start    before the first commit" in list_lines(build_gate_page(unborn))
