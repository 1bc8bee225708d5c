"""The review record: what a reviewer saw and wrote. A decision is bound to it by its digest."""

from __future__ import annotations

from typing import Literal

from handoff_tui.core.model import Model
from handoff_tui.log.entry import Subject
from handoff_tui.log.person import Confirmation


class Comment(Model):
    """A comment on a file, a line or a range of lines; without a path, on the work in general."""

    text: str
    path: str = ""
    line: int | None = None
    end_line: int | None = None
    thread: str = ""
    """The thread that it replies to; empty if it begins one."""
    resolves: bool = False
    """Whether the thread is settled with it."""

    @property
    def place(self) -> str:
        """`path`, `path:12` or `path:12-15`; empty for a general comment."""
        if self.line is None:
            return self.path
        end = "" if self.end_line in {None, self.line} else f"-{self.end_line}"
        return f"{self.path}:{self.line}{end}"

    @property
    def words(self) -> str:
        """What it says, with what it is about."""
        about = self.place
        if self.thread:
            about = f"{'settles' if self.resolves else 'reply to'} {self.place or f'@{self.thread}'}"
        return ": ".join(part for part in (about, self.text) if part)


class ShownFinding(Model):
    """A finding as it was shown."""

    fingerprint: str
    message: str
    where: str = ""


class ShownCheck(Model):
    """The result of a check as it was shown; a passed one has no findings."""

    id: str
    outcome: str
    severity: str
    blocking: bool
    summary: str = ""
    findings: tuple[ShownFinding, ...] = ()
    remedy: str = ""
    commands: tuple[str, ...] = ()


class ShownClaim(Model):
    """A claim that was false when the decision was made."""

    text: str
    where: str
    measured: str = ""


class ScopeManifest(Model):
    """The handoff's own files as they were shown: path, mode and content hash of each, and where they were seen."""

    files: tuple[dict[str, str], ...] = ()
    commits: tuple[str, ...] = ()
    start: str = ""


class OutsideFile(Model):
    """A file outside the scope that blocking checks read when they passed."""

    path: str = ""
    path_hex: str = ""
    """Replaces a path that isn't UTF-8."""
    blob: str = ""
    """The id of its content in git; `folder` for a folder, and empty if nothing was there."""
    checks: tuple[str, ...]


class ReviewRecord(Model):
    """The evidence behind one decision."""

    schema_version: Literal[1] = 1
    handoff: str
    phase: str
    attempt: int
    subject: Subject
    scope: ScopeManifest | None = None
    """None in records of the first version."""
    check_baseline: str | None = None
    """The commit since which changes were counted when the checks ran."""
    checks: tuple[ShownCheck, ...] = ()
    read_elsewhere: tuple[OutsideFile, ...] = ()
    """What the checks of an approval rest on outside the scope: where one differs, its checks run again."""
    claims: dict[str, int] = {}
    contradicted: tuple[ShownClaim, ...] = ()
    differences: dict[str, int] = {}
    """Against the baseline: unexplained, newly failing, files changed; empty if there was none."""
    comments: tuple[Comment, ...] = ()
    viewed: tuple[str, ...] = ()
    """Files that the reviewer marked as read."""
    overridden: tuple[str, ...] = ()
    """Blocking checks that did not pass, if the decision overrode them."""
    confirmed: Confirmation | None = None
    """How the person confirmed it; None where that was not recorded."""
