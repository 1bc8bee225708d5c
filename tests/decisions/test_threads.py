"""Comments as threads: carried to where their lines are, answered and settled by later decisions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.changes.comments import find_lines_now
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, examine
from handoff_tui.decisions.threads import Thread, list_threads
from handoff_tui.handoffs.agent_comments import AgentComment, add_comment
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.open_log import open_log
from handoff_tui.log.review_record import Comment
from tests.support.command_line import Said
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.signed import Person


def reject(desk: GateDesk, person: Person, comments: str) -> Said:
    file = desk.folder / "comments.txt"
    file.write_text(comments, encoding="utf-8")
    return desk.decide(person, "reject", "--reason", "see the comments", "--comments", file)


def read(desk: GateDesk) -> tuple[Thread, ...]:
    opened = open_session(desk.root)
    examined = examine(opened, open_log(opened.repository), HANDOFF, options=WITHOUT_COMMANDS)
    return list_threads(opened, examined.index, examined.key.place, examined.work_tree)


def test_thread_follows_its_lines_and_is_settled_by_a_reply(gate_desk: GateDesk, bo: Person) -> None:
    """Two attempts, one thread: asked, moved, answered by the agent, settled, and opened again."""
    reject(gate_desk, bo, "src/app.py:5-6: subtract?\n\nthin\n")
    gate_desk.change("# one\n# two\n" + CODE)
    asked, general = read(gate_desk)
    assert (asked.place, asked.changed, asked.resolved_by, general.place) == ("src/app.py:7-8", False, "", "")
    repository = open_session(gate_desk.root).repository
    reply = AgentComment(handoff=HANDOFF, agent="heron", text="done", time="2999-01-01T00:00:00Z", thread=asked.id)
    add_comment(repository, reply)
    reject(gate_desk, bo, f"@{asked.id} resolved: fine\n\n@{general.id}: still\n")
    asked, general = read(gate_desk)
    assert asked.resolved_by == bo.email
    assert [(one.author, one.text, one.attempt) for one in asked.replies] == [
        (bo.email, "fine", 2),
        ("heron", "done", None),
    ]
    assert (general.resolved_by, general.replies[0].text) == ("", "still")
    reject(gate_desk, bo, f"@{asked.id}: no, look again\n")
    assert [one.resolved_by for one in read(gate_desk)] == ["", ""]
    said = gate_desk.speaking(bo, "comments", HANDOFF, "--repo", gate_desk.root)
    assert (said.code, "2 open, 0 resolved" in said.stdout, "no, look again" in said.stdout) == (0, True, True)


def test_reply_to_no_thread_is_refused_before_anything_is_signed(gate_desk: GateDesk, bo: Person) -> None:
    """Threads are named by the entry that they began in."""
    said = reject(gate_desk, bo, "@00000000.1: to whom?\n")
    assert said.code == 2
    assert "there is no thread 00000000.1" in said.stderr
    assert read(gate_desk) == ()


LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b""]), min_size=1, max_size=12)


@given(before=LINES, meant=LINES, after=LINES, added=LINES, start=st.booleans())
def test_lines_that_only_moved_keep_their_content(
    before: list[bytes], meant: list[bytes], after: list[bytes], added: list[bytes], *, start: bool
) -> None:
    """Whatever is added around them; marks make the meant lines unique."""
    marked = [b"<", *meant, b">"]
    then = [*before, *marked, *after]
    now = [*added, *then] if start else [*before, *marked, *added, *after]
    comment = Comment(text="?", path="x", line=len(before) + 1, end_line=len(before) + len(marked))
    found = find_lines_now(comment, b"\n".join(then), b"\n".join(now))
    assert found is not None
    assert now[found.start - 1 : found.stop - 1] == marked


@given(then=LINES, now=LINES, line=st.integers(1, 15), length=st.integers(0, 5))
def test_carried_lines_are_always_in_the_file(then: list[bytes], now: list[bytes], line: int, length: int) -> None:
    """Also for a comment on lines that the file never had."""
    comment = Comment(text="?", path="x", line=line, end_line=line + length)
    found = find_lines_now(comment, b"\n".join(then), b"\n".join(now))
    assert found is None or 1 <= found.start < found.stop <= len(now) + 1
