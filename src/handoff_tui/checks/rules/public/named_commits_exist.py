"""Every commit that a handoff of a public convention names is in this repository."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable, read_json
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import Handoff

_DIALECTS = ("gsd", "claude", "relay", "notes")
_COMMIT = compile_later(r"[0-9a-fA-F]{7,64}")


def judge(context: Context) -> Iterator[Found]:
    handoffs = [handoff for handoff in context.handoffs() if handoff.dialect in _DIALECTS]
    if not handoffs:
        context.skip("no handoff of a public convention here")
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
            yield Found(
                message=f"{handoff.id}: the commit {name} is named, but is not in this repository",
                subject=f"{handoff.id} {name}",
                place=claim.where,
                expected=f"a commit {name}",
                actual="no such commit",
                command=f"git cat-file -t {shlex.quote(name)}",
            )
    if not applies:
        context.skip("no commit is named")


def _find_malformed(context: Context, handoff: Handoff) -> Iterator[Found]:
    """Tasks that are said to be committed with something that can be no commit."""
    for document in handoff.documents:
        root = read_json(context, document.path) if document.path.lower().endswith(".json") else None
        tasks = root.get("completed_tasks") if isinstance(root, dict) else None
        for number, task in enumerate(tasks if isinstance(tasks, list) else [], start=1):
            commit = task.get("commit") if isinstance(task, dict) else None
            if commit is None or not str(commit).strip() or _COMMIT.fullmatch(str(commit).strip()):
                continue
            name = str(task.get("id") or number)
            yield Found(
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
    holds="Every commit that is named exists in this repository.",
    reads="commits named in planning state, checkpoints, relays and notes",
    remedy="Fetch the commit if it was made elsewhere; otherwise the work it stands for is not here.",
    judge=judge,
    commands=("git fetch --all",),
)
