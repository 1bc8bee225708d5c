"""What a handoff names fits git, and no checkpoint, action or blocker waits for a person."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable, read_json
from handoff_tui.checks.rule import Findings, RuleFinding, high_rule, medium_rule
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment, Place
from handoff_tui.core.tasks import Blocker
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import Handoff

_FORMATS = ("gsd", "claude", "relay", "notes")
_COMMIT = compile_later(r"[0-9a-fA-F]{7,64}")


def _read_member(context: Context, path: str, key: str) -> object:
    """Returns a member of a JSON document; None if there is none."""
    root = read_json(context, path) if path.lower().endswith(".json") else None
    return root.get(key) if isinstance(root, dict) else None


def _require_public(context: Context) -> list[Handoff]:
    """Returns the handoffs under review in a public format, or skips the rule if there are none."""
    found = [handoff for handoff in context.handoffs() if handoff.dialect in _FORMATS]
    return found or context.skip("no handoff in a public format here")


@high_rule(
    holds="Every commit that a handoff names exists in this repository.",
    reads="commits named in planning state, checkpoints, relays and notes",
    remedy="Fetch the commit if it was made elsewhere. Otherwise the work it stands for isn't here.",
    commands=("git fetch --all",),
)
def named_commits_exist(context: Context) -> Findings:
    handoffs = _require_public(context)
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
            message = f"{handoff.id}: the commit {name} is named, but is not in this repository"
            expected = f"a commit {name}"
            command = f"git cat-file -t {shlex.quote(name)}"
            yield RuleFinding(message, f"{handoff.id} {name}", claim.where, expected, "no such commit", command)
    if not applies:
        context.skip("no commit is named")


def _find_malformed(context: Context, handoff: Handoff) -> Findings:
    """Finds tasks whose commit can't be one."""
    for document in handoff.documents:
        tasks = _read_member(context, document.path, "completed_tasks")
        for number, task in enumerate(tasks if isinstance(tasks, list) else [], start=1):
            commit = task.get("commit") if isinstance(task, dict) else None
            if commit is None or not str(commit).strip() or _COMMIT.fullmatch(str(commit).strip()):
                continue
            name = str(task.get("id") or number)
            message = f"{handoff.id}: task {name} names {commit!r} as its commit, which can be none"
            place = next((known.where for known in handoff.tasks if known.id == name), Place(path=document.path))
            yield RuleFinding(message, f"{handoff.id} task {name}", place, "the id of a commit", str(commit))


_FIELD = "uncommitted_files"


@medium_rule(
    holds="uncommitted_files lists exactly the files that are uncommitted.",
    reads="uncommitted_files, and what git reports as changed",
    remedy="Commit what should be committed, and list the rest in uncommitted_files.",
    commands=("git status --short",),
)
def uncommitted_files_agree(context: Context) -> Findings:
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
        if isinstance(_read_member(context, document.path, _FIELD), list):
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
    message = f"{handoff.id}: {claim.subject} is said to be uncommitted, but git has no change there"
    subject, command = f"{handoff.id} {claim.subject}", f"git log -1 -- {shlex.quote(claim.subject)}"
    return RuleFinding(message, subject, claim.where, "an uncommitted change", "clean, or not there", command)


def _find_unnamed(context: Context, unnamed: set[str], path: str) -> Findings:
    """Finds changes that no list names, apart from the documents of handoffs."""
    own = {document.path for handoff in context.every_handoff() for document in handoff.documents}
    for changed in sorted(unnamed - own):
        message = f"{changed} has uncommitted changes, but {_FIELD} does not name it"
        expected = f"{changed} in {_FIELD}"
        command = f"git diff -- {shlex.quote(changed)}"
        yield RuleFinding(message, f"unnamed {changed}", Place(path=path), expected, "not named", command)


_WITH_CHECKPOINTS = ("claude", "gsd", "relay")
_CHECKPOINT_FIELD = "checkpoint_pending"
_NOTHING = ("", "none", "null", "false", "no")


@high_rule(
    holds="No checkpoint waits for a person.",
    reads="checkpoint_pending",
    remedy="Answer what the checkpoint asks, then remove checkpoint_pending from the handoff.",
    moments=(CheckMoment.POST, CheckMoment.GATE),
)
def checkpoint_cleared(context: Context) -> Findings:
    handoffs = [handoff for handoff in context.handoffs() if handoff.dialect in _WITH_CHECKPOINTS]
    if not handoffs:
        context.skip("no handoff format with checkpoints here")
    for handoff in handoffs:
        paths = [document.path for document in handoff.documents if document.path.lower().endswith(".json")]
        yield from find_unreadable(context, paths)
        for path in paths:
            value = _read_member(context, path, _CHECKPOINT_FIELD)
            if value is not None and value is not False and str(value).strip().lower() not in _NOTHING:
                message = f"{handoff.id} waits for a person at the checkpoint {value}"
                expected = "no checkpoint pending"
                yield RuleFinding(message, f"{handoff.id} {_FIELD}", _find_place(handoff, path), expected, str(value))


def _find_place(handoff: Handoff, path: str) -> Place:
    places = (blocker.where for blocker in handoff.blockers if blocker.id == "checkpoint")
    return next((place for place in places if place.path == path), Place(path=path))


_ACTION = "human-action-"
_CHECKPOINT = "checkpoint"


@high_rule(
    holds="No blocking action waits for a person, and no blocker is open.",
    reads="blockers and human_actions_pending",
    remedy="Do or resolve what is listed here and take it off the list. Then start work.",
    moments=(CheckMoment.POST, CheckMoment.GATE),
)
def human_actions_cleared(context: Context) -> Findings:
    handoffs = _require_public(context)
    waiting: list[tuple[Handoff, Blocker]] = []
    for handoff in handoffs:
        yield from find_unreadable(context, [document.path for document in handoff.documents])
        waiting.extend((handoff, blocker) for blocker in handoff.blockers if _blocks(context, blocker))
    # people first: only they can act on theirs
    for handoff, blocker in sorted(waiting, key=lambda pair: not pair[1].needs_human):
        yield _build_waiting(handoff, blocker)


def _blocks(context: Context, blocker: Blocker) -> bool:
    """Returns whether it blocks. An action for a person does, unless it says otherwise."""
    if not blocker.open or blocker.id == _CHECKPOINT:
        return False
    if not blocker.id.startswith(_ACTION):
        return True
    actions = _read_member(context, blocker.where.path, "human_actions_pending")
    number = blocker.id.removeprefix(_ACTION)
    position = int(number) - 1 if number.isdecimal() else -1
    action = actions[position] if isinstance(actions, list) and 0 <= position < len(actions) else None
    return not (isinstance(action, dict) and action.get("blocking") is False)


def _build_waiting(handoff: Handoff, blocker: Blocker) -> RuleFinding:
    what = "a person must act" if blocker.needs_human else "a blocker is open"
    message = f"{handoff.id}: {what}: {blocker.title}"
    expected = "done, or said not to block" if blocker.needs_human else "resolved"
    return RuleFinding(message, f"{handoff.id} {blocker.title}", blocker.where, expected, blocker.status or "pending")
