"""Laws of what surrounds a decision: comments, attempts, packets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.changes.comments import has_changed, quote
from handoff_tui.core.errors import UsageError
from handoff_tui.decisions.pages.decide import build_decision_page
from handoff_tui.decisions.pages.packet import build_packet_json, render_packet
from handoff_tui.decisions.threads import parse_comments
from handoff_tui.decisions.views import Packet
from handoff_tui.log.index import LogIndex
from handoff_tui.log.review_record import Comment
from tests.support.desk_states import list_lines
from tests.support.gate_views import RECORD, build_decision_view
from tests.support.strategies import line_texts, model_values

WORDS = st.from_regex(r"[A-Za-z][A-Za-z ,.]{0,30}[a-z]", fullmatch=True)
PATHS = st.from_regex(r"[a-z]{1,8}/[a-z]{1,8}\.py", fullmatch=True)
COMMENTS = st.builds(
    lambda text, path, line, more: Comment(text=text, path=path, line=line, end_line=line + more if more else None),
    WORDS,
    PATHS,
    st.integers(1, 9999),
    st.integers(0, 40),
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["alice", "bob"]), st.sampled_from(["approve", "reject", "retry", "hold", "withdraw"])),
    max_size=5,
)
TREES = ["1" * 40, "2" * 40, "3" * 40]


@given(st.lists(COMMENTS, max_size=5))
def test_remarks_that_were_written_down_are_read_back(comments: list[Comment]) -> None:
    """Place and text, each in its own paragraph."""
    text = "\n\n".join(f"{comment.place}: {comment.text}" for comment in comments)
    assert parse_comments(text) == tuple(comments)


@given(line_texts(["a.py:1: ", "a/b:2-1: ", ":", ": ", "\r\n", "\t", "a.py:0", "é", "x" * 50]))
def test_no_text_breaks_the_parser_of_remarks(text: str) -> None:
    """It is comments, or a usage error that says which place is none; nothing that was written is lost."""
    try:
        found = parse_comments(text)
    except UsageError:
        return
    kept = "".join(comment.place + comment.text for comment in found)
    assert sum(map(str.isalpha, kept)) == sum(map(str.isalpha, text))


def is_sent_back(index: LogIndex, attempt: int, tree: str) -> bool:
    """Whether these very files came back as this attempt: then they still are it."""
    return any(
        vote.work.attempt == attempt and vote.work.subject.tree == tree and is_standing(index, vote.entry.id)
        for vote in index.list_decisions("H-1", "build")
    )


def is_standing(index: LogIndex, identifier: str) -> bool:
    """Whether a decision sends back, and its author has not decided otherwise on the same attempt."""
    vote = index.decisions[identifier]
    later = [
        other
        for other in index.list_decisions(*vote.work.key.place)
        if other.entry.actor == vote.entry.actor and other.work.attempt == vote.work.attempt
    ]
    return vote.decision.verb.value in {"reject", "retry"} and later[-1].entry.id == identifier


@given(model_values(Packet))
def test_every_packet_can_be_rendered(packet: Packet) -> None:
    """Whatever is in it; control characters stay behind."""
    text = render_packet(packet)
    assert text.startswith("# ")
    assert not any(character < " " and character != "\n" for character in text)
    assert build_packet_json(packet)["schema"] == "handoff-tui/packet/v1"


@given(st.builds(Comment, text=WORDS, path=PATHS, line=st.integers(1, 40), end_line=st.integers(1, 60)), st.binary())
def test_any_content_can_be_quoted(comment: Comment, content: bytes) -> None:
    """Binary files too; the same content has not changed."""
    lines = quote(comment, content)
    assert all(line[0] in "> " for line in lines)
    assert not has_changed(comment, content, content)


@given(st.text(max_size=80), st.lists(model_values(Comment), max_size=3).map(tuple))
def test_page_before_a_decision_is_safe_and_whole(reason: str, comments: tuple[Comment, ...]) -> None:
    """Any reason and any comments can be shown, and no control character gets through."""
    view = build_decision_view(reason=reason, record=RECORD.model_copy(update={"comments": comments}))
    lines = list_lines(build_decision_page(view))
    assert not any(character < " " or character == "\x7f" for line in lines for character in line)
