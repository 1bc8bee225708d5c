"""The work tree is clean or documented, and every commit is in the upstream."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment, Place
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.short_id import SHORT_COMMIT

_MENTION = compile_later(r"[\w./@+~-]+")
_EDGES = "./~+-@"
"""Characters around a mention that belong to the sentence or the notation, not to the name."""


@high_rule(
    holds="The work tree is clean, or a handoff document names every uncommitted path.",
    reads="git status, and the text of all handoff documents and state files",
    remedy="Commit the change, or name the path in the handoff document and say why it isn't committed.",
    commands=("git status --short", "git commit"),
    moments=(CheckMoment.PRE,),
)
def changes_are_documented(context: Context) -> Findings:
    if not context.handoffs():
        context.skip("no handoff here")
    facts = context.facts()
    changed = [*facts.changed, *facts.untracked]  # without what we write ourselves
    if not changed:
        return
    names = Counter(_name(path) for path in changed)
    mentions = _Mentions(context, names.keys())
    for path in changed:
        if not mentions.name_path(path, by_name=names[_name(path)] == 1):
            yield _build_found(path, is_untracked=path in facts.untracked)


class _Mentions:
    """What the documents of all handoffs mention, by file name, as far as it has one of these names."""

    def __init__(self, context: Context, names: Collection[str]) -> None:
        self._names = names
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
        if any(name in text for name in self._names):
            self._texts.append(text)
            for mention in set(_MENTION.findall(text)):
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


_USUAL_REMOTE = "origin"


@critical_rule(
    holds="Every commit on the branch is in its upstream.",
    reads="the branch and its upstream, as last fetched",
    remedy="Push the branch before you hand over. The next agent can't get commits that are only here.",
    moments=(CheckMoment.PRE,),
)
def nothing_unpushed(context: Context) -> Findings:
    if not context.handoffs():
        context.skip("no handoff here")
    facts = context.facts()
    if facts.head is None:
        context.skip("there is no commit to push yet")
    if facts.detached or facts.branch is None:
        context.undecidable("HEAD is detached, so there is no branch with an upstream")
    if facts.upstream is None and not context.remotes() and not context.handoffs("mosaic"):
        context.skip("no remote is configured, so there is nowhere to push")
    if facts.upstream is None:
        yield _build_missing_upstream(context, facts.branch)
    elif facts.ahead is None:
        yield _build_gone_upstream(facts, facts.branch, facts.upstream)
    elif facts.ahead > 0:
        yield _build_unpushed(facts.branch, facts.upstream, facts.ahead, facts.behind or 0)


def _build_missing_upstream(context: Context, branch: str) -> RuleFinding:
    remotes = [name for name, _ in context.remotes()]
    remote = _USUAL_REMOTE if _USUAL_REMOTE in remotes or not remotes else remotes[0]
    push = f"git push --set-upstream {shlex.quote(remote)} {shlex.quote(branch)}"
    message = f"branch {branch} has no upstream, so nobody else can get its commits"
    actual = "no upstream" if remotes else "no upstream and no remote"
    command = push if remotes else f"git remote add {remote} ADDRESS && {push}"
    return RuleFinding(message, branch, expected="an upstream that has every commit", actual=actual, command=command)


def _build_gone_upstream(facts: RepositoryFacts, branch: str, upstream: str) -> RuleFinding:
    remote, _, name = upstream.partition("/")
    target = f"{shlex.quote(remote)} {shlex.quote(f'{branch}:{name}')}" if name else f". {shlex.quote(branch)}"
    message = f"the upstream {upstream} of branch {branch} is not there, so its commits may be nowhere else"
    expected = f"{upstream} has {(facts.head or '')[:SHORT_COMMIT]}"
    actual = f"{upstream} does not exist"
    return RuleFinding(message, branch, expected=expected, actual=actual, command=f"git push {target}")


def _build_unpushed(branch: str, upstream: str, ahead: int, behind: int) -> RuleFinding:
    commits = f"{ahead} commit{'' if ahead == 1 else 's'}"
    diverged = f", and lacks {behind} of its own" if behind else ""
    message = f"{commits} of branch {branch} {'is' if ahead == 1 else 'are'} not in its upstream {upstream}"
    expected = "nothing unpushed"
    command = "git pull --rebase && git push" if behind else "git push"
    return RuleFinding(message, branch, expected=expected, actual=f"{commits} ahead{diverged}", command=command)
