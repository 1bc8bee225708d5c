"""What a reviewer wrote and marked but has not signed yet, as kept on disk."""

from __future__ import annotations

from typing import Literal

from handoff_tui.core.model import Model
from handoff_tui.git.file_diff import FileChange
from handoff_tui.log.review_record import Comment

MOST_MARKS = 8
"""How many contents of one path are remembered as read: for different comparisons and recent attempts."""


class HandoffDrafts(Model):
    """The drafts for one handoff."""

    comments: tuple[Comment, ...] = ()
    reasons: dict[str, str] = {}
    """By verb."""


class StoredDrafts(Model):
    """The drafts for one repository. Each change returns a new value, so changes of two apps can be combined."""

    schema_version: Literal[1] = 1
    handoffs: dict[str, HandoffDrafts] = {}
    viewed: dict[str, tuple[str, ...]] = {}
    """By path: the contents marked as read, see `build_mark`."""
    opened: dict[str, str] = {}
    """By path: the SHA-256 of the document when it was last opened."""

    def add_comment(self, handoff: str, comment: Comment) -> StoredDrafts:
        drafts = self.get(handoff)
        if comment in drafts.comments:
            return self
        return self._put(handoff, drafts.model_copy(update={"comments": (*drafts.comments, comment)}))

    def remove_comment(self, handoff: str, comment: Comment) -> StoredDrafts:
        drafts = self.get(handoff)
        left = tuple(kept for kept in drafts.comments if kept != comment)
        return self._put(handoff, drafts.model_copy(update={"comments": left}))

    def keep_reason(self, handoff: str, verb: str, text: str) -> StoredDrafts:
        """Keeps a reason; an empty text removes it."""
        drafts = self.get(handoff)
        reasons = {name: reason for name, reason in drafts.reasons.items() if name != verb}
        return self._put(handoff, drafts.model_copy(update={"reasons": {**reasons, verb: text} if text else reasons}))

    def mark(self, change: FileChange, *, viewed: bool) -> StoredDrafts:
        mark = build_mark(change)
        others = tuple(kept for kept in self.viewed.get(change.path, ()) if kept != mark)
        marks = (*others, mark)[-MOST_MARKS:] if viewed else others
        table = {path: known for path, known in self.viewed.items() if path != change.path}
        return self.model_copy(update={"viewed": {**table, change.path: marks} if marks else table})

    def note_opened(self, path: str, digest: str) -> StoredDrafts:
        return self.model_copy(update={"opened": {**self.opened, path: digest}})

    def get(self, handoff: str) -> HandoffDrafts:
        return self.handoffs.get(handoff) or HandoffDrafts()

    def is_viewed(self, change: FileChange) -> bool:
        """Whether the file was read from exactly this content to exactly that one, at once or in several steps."""
        marks = [_split_mark(mark) for mark in self.viewed.get(change.path, ())]
        (old, new), read = _split_mark(build_mark(change)), set()
        reached = {old}
        while reached:
            read |= reached
            reached = {after for before, after in marks if before in reached} - read
        return new in read and new != old

    def _put(self, handoff: str, drafts: HandoffDrafts) -> StoredDrafts:
        table = {name: known for name, known in self.handoffs.items() if name != handoff}
        if drafts.comments or drafts.reasons:
            table[handoff] = drafts
        return self.model_copy(update={"handoffs": table})


def build_mark(change: FileChange) -> str:
    """Identifies both contents of a file with their modes: what a reviewer has read."""
    return f"{change.old_mode} {change.old_id} {change.new_mode} {change.new_id}"


def _split_mark(mark: str) -> tuple[str, str]:
    """Both sides of a mark, each with its mode."""
    old_mode, old, new_mode, new = mark.split(" ", 3)
    return f"{old_mode} {old}", f"{new_mode} {new}"
