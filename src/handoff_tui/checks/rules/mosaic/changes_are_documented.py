"""The work tree is clean, or a handoff document names each uncommitted path."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity

_OWN_FOLDER = ".handoff-tui/"
_MENTION = compile_later(r"[\w./@+~-]+")
_EDGES = "./~+-@"
"""Characters around a mention that belong to the sentence or the notation, not to the name."""


def judge(context: Context) -> Iterator[RuleFinding]:
    if not context.handoffs():
        context.skip("no handoff here")
    facts = context.facts()
    changed = [path for path in (*facts.changed, *facts.untracked) if not path.startswith(_OWN_FOLDER)]
    if not changed:
        return
    mentions = _Mentions(context)
    names = Counter(_name(path) for path in changed)
    for path in changed:
        if not mentions.name_path(path, by_name=names[_name(path)] == 1):
            yield _build_found(path, is_untracked=path in facts.untracked)


class _Mentions:
    """The paths that the documents of all handoffs mention, by file name."""

    def __init__(self, context: Context) -> None:
        self._by_name: dict[str, set[str]] = {}
        self._texts: list[str] = []
        handoffs = context.every_handoff()
        for subject in {claim.subject for handoff in handoffs for claim in handoff.claims}:
            self._add(subject or "")
        for path in sorted({document.path for handoff in handoffs for document in handoff.documents}):
            self._read(context.read_text(path) or "")

    def name_path(self, path: str, *, by_name: bool) -> bool:
        """Returns whether a document names a path in full, by its end, or (if unambiguous) by its name."""
        name = _name(path)
        if not _MENTION.fullmatch(name) and any(
            _stands_in(path if not by_name else name, text) for text in self._texts
        ):
            return True
        mentions = self._by_name.get(name, ())
        return any(_means(mention, path, by_name=by_name) for mention in mentions)

    def _read(self, text: str) -> None:
        self._texts.append(text)
        for mention in _MENTION.findall(text):
            self._add(mention)

    def _add(self, mention: str) -> None:
        """Adds a mention with and without surrounding marks: `.env` begins with a dot, a sentence ends with one."""
        for form in {mention, mention.rstrip(_EDGES), mention.removeprefix("./").rstrip(_EDGES)}:
            self._by_name.setdefault(_name(form), set()).add(form)


def _means(mention: str, path: str, *, by_name: bool) -> bool:
    if "/" not in mention:
        return by_name or mention == path
    return path == mention or path.endswith(f"/{mention}") or mention.endswith(f"/{path}")


def _stands_in(wanted: str, text: str) -> bool:
    """Returns whether a name of several words is in a text, and not part of a longer name."""
    return re.search(rf"(?<![\w.-]){re.escape(wanted)}(?![\w-]|\.\w)", text) is not None


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _build_found(path: str, *, is_untracked: bool) -> RuleFinding:
    what = "is not tracked by git" if is_untracked else "has uncommitted changes"
    message = f"{path} {what}, and no handoff document names it"
    expected = "committed, or named in a handoff document"
    actual = "untracked" if is_untracked else "changed"
    return RuleFinding(message, path, Place(path=path), expected, actual, f"git add -- {shlex.quote(path)}")


CHANGES_ARE_DOCUMENTED = Rule(
    id="changes-are-documented",
    system=System.MOSAIC,
    severity=Severity.HIGH,
    holds="The work tree is clean, or a handoff document names every uncommitted path.",
    reads="git status, and the text of all handoff documents and state files",
    remedy="Commit the change, or name the path in the handoff document and say why it isn't committed.",
    commands=("git status --short", "git commit"),
    judge=judge,
    moments=(Moment.PRE,),
)
