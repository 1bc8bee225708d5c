"""What agents said about a handoff in their own words: kept next to git's files, shown as theirs, never signed."""

from __future__ import annotations

from typing import Annotated

from handoff_tui.core.errors import HandoffError, UsageError
from handoff_tui.core.model import Fits, Model
from handoff_tui.core.place import Place
from handoff_tui.git.repository import Repository
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState, build_claim
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER, GitPrivateFolder

LONGEST_COMMENT = 4_000
_NAME = "agent-comments.jsonl"
_PLACE = f".git/{LOCAL_FOLDER}/{_NAME}"
_MOST_BYTES = 1024 * 1024
_MOST_READ = 200


class AgentComment(Model):
    """A comment by an agent. The name is what the agent's program calls itself."""

    handoff: str
    agent: str
    text: Annotated[str, Fits(max_length=LONGEST_COMMENT)]
    time: str
    path: str = ""
    line: Annotated[int, Fits(ge=1)] | None = None
    thread: str = ""
    """The thread of a reviewer's comment that it replies to."""


def add_comment(repository: Repository, comment: AgentComment) -> None:
    """Adds a comment; refuses when so many are there that nobody can have read them."""
    folder = GitPrivateFolder(repository.common_dir)
    line = comment.model_dump_json().encode() + b"\n"
    if len(folder.read(_NAME) or b"") + len(line) > _MOST_BYTES:
        raise UsageError("there are too many comments by agents", f"A person can delete {_PLACE}.")
    folder.append(_NAME, line)


def read_comments(repository: Repository, handoff: str) -> tuple[AgentComment, ...]:
    """Returns the last comments on a handoff, oldest first.

    Any program can write the file: whatever isn't a comment is skipped.
    """
    try:
        content = (GitPrivateFolder(repository.common_dir).read(_NAME) or b"")[-_MOST_BYTES:]
    except HandoffError:
        return ()
    comments = (_parse(line) for line in content.splitlines())
    return tuple(comment for comment in comments if comment is not None and comment.handoff == handoff)[-_MOST_READ:]


def build_comment_verdict(comment: AgentComment) -> Verdict:
    """The comment as a claim that nothing here can measure."""
    where = Place(path=comment.path or _PLACE, line=comment.line)
    claim = build_claim(ClaimKind.COMMENT, where, comment.text, subject=comment.agent, value=comment.text)
    return Verdict(claim=claim, state=VerdictState.UNVERIFIED, evidence=f"the agent said so at {comment.time}")


def _parse(line: bytes) -> AgentComment | None:
    try:
        return AgentComment.model_validate_json(line)
    except ValueError:
        return None
