"""Ids and file names of builder handoffs fit the standard: `<folder>/<id>/<id>_RESULTS.md`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.rules.builder.documents import require_builders
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.handoff import Handoff

_ATTEMPT = compile_later(r"(?:_ATTEMPT_[0-9]{1,3})?\.md")


def judge(context: Context) -> Iterator[Found]:
    names: dict[str, str] = context.setting("builder.file_names", dict)
    for handoff in require_builders(context):
        documents = [document for document in handoff.documents if document.role.value in names]
        yield from _judge_id(context, handoff, documents)
        for document in documents:
            yield from _judge_place(context, handoff, document, names[document.role.value])


def _judge_id(context: Context, handoff: Handoff, documents: list[Document]) -> Iterator[Found]:
    patterns: tuple[str, ...] = context.setting("builder.id_patterns", tuple)
    if not _fits(handoff.id, patterns):
        yield Found(
            message=f"the id {handoff.id} does not fit the standard",
            subject=f"{handoff.id} id",
            place=Place(path=documents[0].path) if documents else None,
            expected="H-<number>, H-<number><letter> or CLEANUP-<number>",
            actual=handoff.id,
        )
    for document in documents:
        words = re.findall(r"[A-Za-z0-9.-]+", document.title or "")
        named = [word for word in words if _fits(word, patterns)]
        if named and handoff.id not in named:
            yield Found(
                message=f"{document.path} belongs to {handoff.id}, but its title says {named[0]}",
                subject="title",
                place=Place(path=document.path, line=document.sections[0].line if document.sections else None),
                expected=handoff.id,
                actual=named[0],
            )


def _judge_place(context: Context, handoff: Handoff, document: Document, word: str) -> Iterator[Found]:
    folders: tuple[str, ...] = context.setting("builder.handoff_folders", tuple)
    folder, _, name = document.path.rpartition("/")
    above, _, own = folder.rpartition("/")
    stem = f"{handoff.id}_{word}"
    named = name.startswith(stem) and _ATTEMPT.fullmatch(name[len(stem) :]) is not None
    if named and own == handoff.id and any(f"/{above}".endswith(f"/{known}") for known in folders):
        return
    root = folder if any(f"/{folder}".endswith(f"/{known}") for known in folders) else above
    root = root if any(f"/{root}".endswith(f"/{known}") for known in folders) else folders[-1]
    target = f"{root}/{handoff.id}/{name if named else f'{stem}.md'}"
    move = f"git mv {shlex.quote(document.path)} {shlex.quote(target)}"
    yield Found(
        message=f"{document.path} is not where the standard wants the {document.role.value} of {handoff.id}",
        subject="place",
        place=Place(path=document.path),
        expected=target,
        actual=document.path,
        command=f"mkdir -p {shlex.quote(f'{root}/{handoff.id}')} && {move}",
    )


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(re.match(pattern, name) for pattern in patterns)


NAMES_FIT_THE_STANDARD = Rule(
    id="names-fit-the-standard",
    system=System.BUILDER,
    severity=Severity.MEDIUM,
    holds="Every builder handoff has an id and file names of the standard",
    reads="ids, titles and paths of builder handoffs",
    remedy="Give the handoff an id of the standard and move its files into a folder of that name.",
    judge=judge,
)
