"""Commits and uncommitted files that a handoff names are what git has."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable, read_json
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import Handoff

_DIALECTS = ("gsd", "claude", "relay", "notes")
_COMMIT = compile_later(r"[0-9a-fA-F]{7,64}")


def _judge_commits(context: Context) -> Iterator[RuleFinding]:
    handoffs = [handoff for handoff in context.handoffs() if handoff.dialect in _DIALECTS]
    if not handoffs:
        context.skip("no handoff in a public format here")
    applies = False
    for handoff in handoffs:
        broken = list(find_unreadable(context, [document.path for document in handoff.documents]))
        malformed = list(_find_malformed(context, handoff))
        commits = [claim for claim in handoff.claims if claim.kind is ClaimKind.COMMIT]
        applies = applies or bool(broken or malformed or commits)
        yield from (*broken, *malformed)
        for claim in commits:
            name = str(claim.value)
            if context.commit(name) is not None:
                continue
            if context.facts().shallow:
                context.undecidable(f"{name} may be among the commits that this shallow clone lacks")
            yield RuleFinding(
                message=f"{handoff.id}: the commit {name} is named, but is not in this repository",
                subject=f"{handoff.id} {name}",
                place=claim.where,
                expected=f"a commit {name}",
                actual="no such commit",
                command=f"git cat-file -t {shlex.quote(name)}",
            )
    if not applies:
        context.skip("no commit is named")


def _find_malformed(context: Context, handoff: Handoff) -> Iterator[RuleFinding]:
    """Finds tasks whose commit can't be one."""
    for document in handoff.documents:
        root = read_json(context, document.path) if document.path.lower().endswith(".json") else None
        tasks = root.get("completed_tasks") if isinstance(root, dict) else None
        for number, task in enumerate(tasks if isinstance(tasks, list) else [], start=1):
            commit = task.get("commit") if isinstance(task, dict) else None
            if commit is None or not str(commit).strip() or _COMMIT.fullmatch(str(commit).strip()):
                continue
            name = str(task.get("id") or number)
            yield RuleFinding(
                message=f"{handoff.id}: task {name} names {commit!r} as its commit, which can be none",
                subject=f"{handoff.id} task {name}",
                place=next((known.where for known in handoff.tasks if known.id == name), Place(path=document.path)),
                expected="the id of a commit",
                actual=str(commit),
            )


NAMED_COMMITS_EXIST = Rule(
    id="named-commits-exist",
    system=System.PUBLIC,
    severity=Severity.HIGH,
    holds="Every commit that a handoff names exists in this repository.",
    reads="commits named in planning state, checkpoints, relays and notes",
    remedy="Fetch the commit if it was made elsewhere. Otherwise the work it stands for isn't here.",
    judge=_judge_commits,
    commands=("git fetch --all",),
)


_FIELD = "uncommitted_files"


def _judge_uncommitted(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.require_handoffs("gsd")
    lists = [(handoff, path) for handoff in handoffs for path in _find_lists(context, handoff)]
    broken = [
        found
        for handoff in handoffs
        for found in find_unreadable(context, [document.path for document in handoff.documents])
    ]
    if not lists and not broken:
        context.skip(f"no {_FIELD} here")
    yield from broken
    facts = context.facts()
    uncommitted = {*facts.changed, *facts.untracked}
    named: set[str] = set()
    for handoff, path in lists:
        claims = [claim for claim in handoff.claims if claim.kind is ClaimKind.UNCOMMITTED and claim.where.path == path]
        for claim in claims:
            covered = _find_covered(context, claim, uncommitted)
            named |= covered
            if not covered:
                yield _build_clean(handoff, claim)
    if lists:
        yield from _find_unnamed(context, uncommitted - named, lists[0][1])


def _find_lists(context: Context, handoff: Handoff) -> Iterator[str]:
    for document in handoff.documents:
        root = read_json(context, document.path) if document.path.lower().endswith(".json") else None
        if isinstance(root, dict) and isinstance(root.get(_FIELD), list):
            yield document.path


def _find_covered(context: Context, claim: Claim, uncommitted: set[str]) -> set[str]:
    """Returns the changed paths that an entry names: a file, or everything below a folder."""
    if claim.subject is None:
        return set()
    names = {claim.subject.rstrip("/")}
    found = context.find(claim.subject, claim.where.path)
    if found:
        names.add(found.rstrip("/"))
    return {path for path in uncommitted if any(path == name or path.startswith(f"{name}/") for name in names)}


def _build_clean(handoff: Handoff, claim: Claim) -> RuleFinding:
    if claim.subject is None:
        message = f"{handoff.id}: an entry of {_FIELD} names no path: {claim.text}"
        return RuleFinding(message, f"{handoff.id} {claim.text}", claim.where, "a path", claim.text)
    return RuleFinding(
        message=f"{handoff.id}: {claim.subject} is said to be uncommitted, but git has no change there",
        subject=f"{handoff.id} {claim.subject}",
        place=claim.where,
        expected="an uncommitted change",
        actual="clean, or not there",
        command=f"git log -1 -- {shlex.quote(claim.subject)}",
    )


def _find_unnamed(context: Context, unnamed: set[str], path: str) -> Iterator[RuleFinding]:
    """Finds changes that no list names, apart from the documents of handoffs."""
    own = {document.path for handoff in context.every_handoff() for document in handoff.documents}
    for changed in sorted(unnamed - own):
        yield RuleFinding(
            message=f"{changed} has uncommitted changes, but {_FIELD} does not name it",
            subject=f"unnamed {changed}",
            place=Place(path=path),
            expected=f"{changed} in {_FIELD}",
            actual="not named",
            command=f"git diff -- {shlex.quote(changed)}",
        )


UNCOMMITTED_FILES_AGREE = Rule(
    id="uncommitted-files-agree",
    system=System.PUBLIC,
    severity=Severity.MEDIUM,
    holds="uncommitted_files lists exactly the files that are uncommitted.",
    reads="uncommitted_files, and what git reports as changed",
    remedy="Commit what should be committed, and list the rest in uncommitted_files.",
    judge=_judge_uncommitted,
    commands=("git status --short",),
)
