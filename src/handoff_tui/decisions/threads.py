"""Comments as threads across attempts: what was asked and answered, where the lines are now, what is settled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from handoff_tui.changes.comments import CommentFiles, find_lines_now, judge_comment, quote, read_comment_files
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError, UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Model
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.handoffs.agent_comments import AgentComment, read_comments
from handoff_tui.handoffs.session import Session
from handoff_tui.log.entry import VETOES, PhaseKey
from handoff_tui.log.index import DecisionEntry, LogIndex
from handoff_tui.log.review_record import Comment, ReviewRecord
from handoff_tui.log.storage.evidence import find_review
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.named_files import read_user_file

_NOW = "the current work"
_ENTRY_LETTERS = 8
_PARAGRAPHS = compile_later(r"\n[ \t]*\n+")
_PLACED = compile_later(
    r"(?P<path>[^\s:][^:\n]*?)(?::(?P<line>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9}))?)?:[ \t]+(?P<text>.*)", re.DOTALL
)
_REPLY = compile_later(
    r"@(?P<thread>[0-9a-f]{8}\.[0-9]{1,4})(?P<resolves>[ \t]+resolved)?(?::[ \t]+(?P<text>.*)|:?)", re.DOTALL
)
_MOST_BYTES = 1024 * 1024


class Reply(Model):
    """What somebody said in a thread."""

    author: str
    text: str
    time: str
    attempt: int | None = None
    """The attempt that was decided on; None if an agent said it, unsigned."""


class Thread(Model):
    """A comment, the replies to it, and how it stands in the current work."""

    id: str
    comment: Comment
    """As it was made."""
    author: str
    attempt: int
    time: str
    entry: str
    replies: tuple[Reply, ...] = ()
    """Oldest first."""
    resolved_by: str = ""
    """Who settled it; empty while it is open."""
    path: str = ""
    line: int | None = None
    end_line: int | None = None
    """Where it is now; no line if none of its lines is left."""
    code: tuple[str, ...] = ()
    """The lines that it was made on, with some around, each with its number."""
    changed: bool | None = None
    """Whether what it is about has changed since; None if that can't be measured."""
    evidence: str = ""
    """What was measured, or why it couldn't be."""

    @property
    def place(self) -> str:
        """Where it is now: `path`, `path:12` or `path:12-15`; empty for a general comment."""
        return Comment(text="", path=self.path, line=self.line, end_line=self.end_line).place


def build_thread_id(entry: str, number: int) -> str:
    """The id of the thread that the n-th comment of a decision begins."""
    return f"{entry.removeprefix('sha256:')[:_ENTRY_LETTERS]}.{number}"


class _SignedComment(NamedTuple):
    """A comment in a decision."""

    made: DecisionEntry
    comment: Comment
    number: int

    @property
    def id(self) -> str:
        return build_thread_id(self.made.entry.id, self.number)


class ComparedDecision(NamedTuple):
    """A decision that asked for something or commented, beside the work now."""

    made: DecisionEntry
    record: ReviewRecord | None
    changes: list[FileChange] | None
    """What has changed since; None if the files of then are missing."""
    taken_back: bool
    """Whether its author has since decided otherwise on the same attempt."""
    threads: tuple[Thread, ...]


def list_threads(session: Session, index: LogIndex, place: PhaseKey, tree: str) -> tuple[Thread, ...]:
    """Lists the threads on one phase of a handoff, oldest first, carried to where their lines are in `tree`."""
    return tuple(thread for one in compare_decisions(session, index, place, tree) for thread in one.threads)


def compare_decisions(session: Session, index: LogIndex, place: PhaseKey, tree: str) -> list[ComparedDecision]:
    """Lists the decisions on one phase that asked for something or commented, oldest first, compared with `tree`.

    A comment is settled by a reply that says so, or when its decision was taken back.
    """
    decisions, records, said = _read_said(session, index, place)
    known = {one.id for one in said if not one.comment.thread}
    last = {(made.entry.actor, made.work.attempt): made.entry.id for made in decisions}
    by_agents = read_comments(session.repository, place.handoff)
    compared: list[ComparedDecision] = []
    for made, record in zip(decisions, records, strict=True):
        first = [one for one in said if one.made is made and one.comment.thread not in known]
        if not first and made.decision.verb not in VETOES:
            continue
        changes = _list_changes_since(session, made, tree)
        trees, comments = (made.work.subject.tree, tree), [one.comment for one in first]
        files = read_comment_files(session, trees, comments, changes or ()) if first else CommentFiles()
        taken_back = made.decision.verb in VETOES and last[made.entry.actor, made.work.attempt] != made.entry.id
        settled = made.entry.actor if taken_back else ""
        threads = tuple(
            _build_thread(one, _list_replies(one.id, said, by_agents), settled)
            .model_copy(update=_measure(one.comment, files, has_files=changes is not None))
            for one in first
        )  # fmt: skip
        compared.append(ComparedDecision(made, record, changes, taken_back, threads))
    return compared


def find_settled(session: Session, index: LogIndex, place: PhaseKey) -> dict[str, str]:
    """Who settled each comment on one phase of a handoff, by the id of its thread; open ones are left out."""
    said = _read_said(session, index, place).said
    settled = {one.id: _list_replies(one.id, said, ()).resolved_by for one in said if not one.comment.thread}
    return {thread: who for thread, who in settled.items() if who}


class _Spoken(NamedTuple):
    """The decisions on a phase that count, the record of each if it is here, and the comments in them."""

    decisions: list[DecisionEntry]
    records: list[ReviewRecord | None]
    said: list[_SignedComment]


def _read_said(session: Session, index: LogIndex, place: PhaseKey) -> _Spoken:
    decisions = [made for made in index.list_decisions(*place) if not index.is_void(made.entry.id)]
    records = [find_review(session.repository.root, made.decision.review) for made in decisions]
    said = [one for made, record in zip(decisions, records, strict=True) for one in _list_comments(made, record)]
    return _Spoken(decisions, records, said)


def refuse_unknown_threads(comments: Iterable[Comment], threads: Iterable[Thread]) -> None:
    """Refuses replies to threads that are not there."""
    known = {thread.id for thread in threads}
    for comment in comments:
        if comment.thread and comment.thread not in known:
            raise UsageError(
                f"there is no thread {comment.thread}",
                f"The threads are: {', '.join(sorted(known))}." if known else "There are no comments to reply to yet.",
            )


def _list_comments(made: DecisionEntry, record: ReviewRecord | None) -> list[_SignedComment]:
    return [
        _SignedComment(made, comment, number) for number, comment in enumerate(record.comments if record else (), 1)
    ]


class _Replies(NamedTuple):
    replies: tuple[Reply, ...]
    resolved_by: str


def _list_replies(thread: str, said: Iterable[_SignedComment], by_agents: Iterable[AgentComment]) -> _Replies:
    """What was said in a thread, and who settled it last; a later reply that doesn't settle it opens it again."""
    answers = [one for one in said if one.comment.thread == thread]
    signed = [
        Reply(
            author=one.made.entry.actor, text=one.comment.text, time=one.made.entry.time, attempt=one.made.work.attempt
        )
        for one in answers
    ]
    unsigned = [Reply(author=one.agent, text=one.text, time=one.time) for one in by_agents if one.thread == thread]
    settles = bool(answers) and answers[-1].comment.resolves
    replies = sorted([*signed, *unsigned], key=lambda reply: reply.time)
    return _Replies(tuple(replies), answers[-1].made.entry.actor if settles else "")


def _build_thread(one: _SignedComment, replies: _Replies, settled: str) -> Thread:
    return Thread(
        id=one.id,
        comment=one.comment,
        author=one.made.entry.actor,
        attempt=one.made.work.attempt,
        time=one.made.entry.time,
        entry=one.made.entry.id,
        replies=replies.replies,
        resolved_by=replies.resolved_by or settled,
        path=one.comment.path,
    )


def _measure(comment: Comment, files: CommentFiles, *, has_files: bool) -> dict[str, object]:
    """Where a comment is now, and whether what it is about has changed."""
    then, now = files.then.get(comment.path), files.now.get(comment.path)
    code = quote(comment, then)
    if not has_files:
        return {"code": code, "evidence": "the files it was made on aren't here"}
    changed, evidence = judge_comment(comment, files, _NOW)
    lines = find_lines_now(comment, then, now) if then is not None and now is not None else None
    return {
        "code": code,
        "changed": changed,
        "evidence": evidence,
        "path": files.renamed.get(comment.path, comment.path),
        "line": lines.start if lines else None,
        "end_line": lines.stop - 1 if lines and len(lines) > 1 else None,
    }


def _list_changes_since(session: Session, made: DecisionEntry, tree: str) -> list[FileChange] | None:
    """What changed since a decision; None if the files of then are missing."""
    repository = session.repository
    objects = offer_objects(repository, find_cache_folder(repository.root))
    try:
        return list_changes(repository.git, made.work.subject.tree, tree, extra=objects)
    except HandoffError:
        return None


def read_comment_file(file: Path) -> tuple[Comment, ...]:
    """Reads the comments of a file that the user named."""
    content = read_user_file(file, _MOST_BYTES)
    if content is None:
        raise UsageError(f"{file} does not exist", "Name a file with comments, or leave --comments out.")
    return parse_comments(content.decode("utf-8", "replace"))


def parse_comments(text: str) -> tuple[Comment, ...]:
    """Parses `path:12-15: text`, `path: text`, `@thread: text`, `@thread resolved`, or just text.

    A path contains a dot or a slash.
    """
    paragraphs = (part.strip() for part in _PARAGRAPHS.split(text.replace("\r\n", "\n")))
    return tuple(_parse_one(paragraph) for paragraph in paragraphs if paragraph)


def _parse_one(paragraph: str) -> Comment:
    reply = _REPLY.fullmatch(paragraph)
    if reply is not None and (reply["text"] or reply["resolves"]):
        return Comment(text=(reply["text"] or "").strip(), thread=reply["thread"], resolves=bool(reply["resolves"]))
    placed = _PLACED.fullmatch(paragraph)
    if placed is None or not _is_path(placed["path"]):
        return Comment(text=paragraph)
    line = int(placed["line"]) if placed["line"] else None
    end = int(placed["end"]) if placed["end"] else None
    if line == 0 or (line is not None and end is not None and end < line):
        written = f"{placed['path']}:{placed['line']}" + (f"-{placed['end']}" if placed["end"] else "")
        raise UsageError(f"{written} is not a range of lines", "Lines count from 1.")
    return Comment(text=placed["text"].strip(), path=placed["path"], line=line, end_line=end)


def _is_path(words: str) -> bool:
    return ("." in words or "/" in words) and " " not in words.strip()
