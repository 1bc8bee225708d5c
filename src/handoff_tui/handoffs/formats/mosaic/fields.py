"""Claims that any of the state files may hold: commits, documents and test numbers in fields of any depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Task
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim, quote
from handoff_tui.handoffs.grammar.counts import claim_counts, parse_counts, split_sentences
from handoff_tui.handoffs.grammar.tokens import clean_path, find_commits
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.json_document import JsonNode

_COMMIT_KEY: Final = compile_later(r"(?:^|_)commit(?:_known|_id|_hash)?$")
_COMMIT: Final = compile_later(r"^\W*([0-9a-fA-F]{7,64})\b")
_COUNT_KEY: Final = compile_later(r"^(?:tests?_)?(total|passed|failed|skipped)(?:_tests?)?$")


def parse_commit(text: str) -> str | None:
    """The commit id that a field begins with."""
    match = _COMMIT.match(text)
    return match.group(1) if match else None


def key_of(node: JsonNode) -> str:
    """The nearest name of a value: its own key, or that of the list it is in."""
    return next((step for step in reversed(node.pointer) if isinstance(step, str)), "")


def claim_commit_fields(root: JsonNode, head: str | None = None) -> Iterator[Claim]:
    """A claim for each field that names a commit; the top-level one called `head` is the state's own commit."""
    for node in root.walk():
        if not node.pointer or not isinstance(node.pointer[-1], str) or not _COMMIT_KEY.search(node.pointer[-1]):
            continue
        if not isinstance(node.value, str) or not node.value.strip():
            continue
        commit = parse_commit(node.value)
        if commit is None:
            node.report(f"{node.name} is not a commit id: {node.value[:40]}")
            continue
        subject = "head" if node.pointer == (head,) else None
        text = f"{node.name}: {node.value}"
        yield build_claim(ClaimKind.COMMIT, node.where, text, subject=subject, value=commit)


def claim_commits_in_prose(text: str | None, where: Place) -> Iterator[Claim]:
    """Commits in sentences about a commit or a push."""
    for sentence in split_sentences(text or ""):
        if "commit" in sentence.lower() or "push" in sentence.lower():
            for commit in find_commits(sentence):
                yield build_claim(ClaimKind.COMMIT, where, sentence, value=commit)


def claim_counts_in_prose(text: str | None, scope: str, where: Place) -> Iterator[Claim]:
    for sentence in split_sentences(text or ""):
        counts = parse_counts(sentence)
        if counts is not None:
            yield from claim_counts(counts, scope, where, sentence)


def claim_count_fields(root: JsonNode) -> Iterator[Claim]:
    """Numbers of tests in values such as `4/5 passed`, and in fields such as `tests_failed`."""
    for node in root.walk():
        name = key_of(node)
        if isinstance(node.value, str):
            counts = parse_counts(node.value)
            if counts is not None:
                yield from claim_counts(counts, name, node.where, f"{name}: {node.value}")
        elif isinstance(node.value, int) and not isinstance(node.value, bool) and (key := _COUNT_KEY.match(name)):
            scope = next((step for step in reversed(node.pointer[:-1]) if isinstance(step, str)), "tests")
            subject = f"{scope}.{key.group(1)}"
            yield build_claim(
                ClaimKind.COUNT, node.where, f"{node.name}: {node.value}", subject=subject, value=node.value
            )


def claim_document_fields(root: JsonNode) -> Iterator[Claim]:
    """A claim for each field such as `plan_document` that holds a path."""
    for node in root.walk():
        if node.pointer and node.key.endswith("_document") and isinstance(node.value, str):
            yield from claim_files([node], ClaimKind.FILE_REFERENCED)


def claim_files(nodes: Iterable[JsonNode], kind: ClaimKind) -> Iterator[Claim]:
    """A claim for each path in a list of paths; an object names it in `path` or `file`."""
    for node in nodes:
        text = node.value if isinstance(node.value, str) else (node.scalar("path") or node.scalar("file"))
        path = clean_path(text) if isinstance(text, str) else None
        if path is not None:
            yield build_claim(kind, node.where, f"{key_of(node)}: {text}", subject=path)


_ID_KEYS: Final = ("phase_id", "step_id", "plan_id", "task_id", "id")
_TITLE_KEYS: Final = ("phase_name", "title", "name", "description", "task", "action")
_FINISHED: Final = frozenset({"COMPLETE", "PASS", "RESOLVED", "CLOSED", "VALIDATED"})

_NOT_BEGUN: Final = frozenset({"not_started", "todo", "to_do", "planned", "queued", "backlog", "incomplete"})


def build_tasks(
    nodes: Iterable[JsonNode], prefix: str, *, status: str | None = None, done: bool | None = None
) -> Iterator[Task]:
    """A task for each element; `status` and `done` hold for elements that do not give a status themselves."""
    for number, node in enumerate(nodes, start=1):
        task = build_task(node, f"{prefix}-{number}", status=status, done=done)
        if task is not None:
            yield task


def build_task(node: JsonNode, fallback_id: str, *, status: str | None = None, done: bool | None = None) -> Task | None:
    if isinstance(node.value, str):
        title = quote(node.value)
        return Task(id=fallback_id, title=title, where=node.where, status=status, done=done) if title else None
    if not isinstance(node.value, dict):
        node.report_type("text or an object")
        return None
    own_status = node.scalar("status")
    commit = node.scalar("completion_commit") or node.scalar("commit")
    task_id = node.first(*_ID_KEYS) or fallback_id
    return Task(
        id=task_id,
        title=quote(node.first(*_TITLE_KEYS) or task_id),
        where=node.where,
        status=own_status or status,
        done=is_finished(own_status) if own_status else done,
        priority=node.scalar("priority"),
        commit=parse_commit(commit) if commit else None,
    )


def is_finished(status: str) -> bool | None:
    """Whether a status word says that the work is done; None if the word is unknown."""
    token = claim_words.parse_status(status)
    if token is None:
        return False if status.strip().lower().replace(" ", "_") in _NOT_BEGUN else None
    return token in _FINISHED
