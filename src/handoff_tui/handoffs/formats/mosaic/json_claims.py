"""Claims that any of the state files may hold: commits, documents and test numbers in fields of any depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.reading.claim_words import build_claim, claim_counts, clean_path, find_commits, parse_counts
from handoff_tui.handoffs.reading.json_document import JsonNode

_COMMIT_KEY: Final = compile_later(r"(?:^|_)commit(?:_known|_id|_hash)?$")
_COMMIT: Final = compile_later(r"^\W*([0-9a-fA-F]{7,64})\b")
_COUNT_KEY: Final = compile_later(r"^(?:tests?_)?(total|passed|failed|skipped)(?:_tests?)?$")
_SENTENCE_END: Final = compile_later(r"(?<=[.!?;])\s+|\n+")


def parse_commit(text: str) -> str | None:
    """The commit id that a field begins with."""
    match = _COMMIT.match(text)
    return match.group(1) if match else None


def key_of(node: JsonNode) -> str:
    """The nearest name above a value: its own key, or that of the list it stands in."""
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
            node.document.report(node.pointer, f"{node.name} is no commit id: {node.value[:40]}")
            continue
        subject = "head" if node.pointer == (head,) else None
        text = f"{node.name}: {node.value}"
        yield build_claim(ClaimKind.COMMIT, node.where, text, subject=subject, value=commit)


def claim_commits_in_prose(text: str | None, where: Place) -> Iterator[Claim]:
    """Commits in sentences that speak of a commit."""
    for sentence in split_sentences(text):
        if "commit" in sentence.lower() or "push" in sentence.lower():
            for commit in find_commits(sentence):
                yield build_claim(ClaimKind.COMMIT, where, sentence, value=commit)


def claim_counts_in_prose(text: str | None, scope: str, where: Place) -> Iterator[Claim]:
    for sentence in split_sentences(text):
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
        if node.pointer and str(node.pointer[-1]).endswith("_document") and isinstance(node.value, str):
            yield from claim_files([node], ClaimKind.FILE_REFERENCED)


def claim_files(nodes: Iterable[JsonNode], kind: ClaimKind) -> Iterator[Claim]:
    """A claim for each path in a list of paths; an object names it in `path` or `file`."""
    for node in nodes:
        text = node.value if isinstance(node.value, str) else (node.scalar("path") or node.scalar("file"))
        path = clean_path(text) if isinstance(text, str) else None
        if path is not None:
            yield build_claim(kind, node.where, f"{key_of(node)}: {text}", subject=path)


def split_sentences(text: str | None) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()] if text else []
