"""Whether a file is a builder's, by what it says. Its name only decides what is looked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.formats.builder.names import NamedFile, find_ids, find_packages, parse_path
from handoff_tui.handoffs.formats.builder.registry_state import find_rows
from handoff_tui.handoffs.formats.builder.sections import headed, missing_sections, preamble
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.claim_words import parse_status
from handoff_tui.handoffs.reading.format import Confidence, Source
from handoff_tui.handoffs.reading.markdown import list_fields

_STANDARD: Final = Builder.model_construct()
_SPEC_TITLE: Final = compile_later(r"\b(?:builder|handoff|follow-?up|cleanup|bugfix|housekeeping)", re.IGNORECASE)
_PROMPT_WORDS: Final = (
    compile_later(r"\bagent prompt\b", re.IGNORECASE),
    compile_later(r"\bbuilder agent\b", re.IGNORECASE),
    compile_later(r"\bSTOP\b|\bWAIT for approval\b"),
    compile_later(r"\banswer\b[^\n]{0,60}\bquestions\b", re.IGNORECASE),
    compile_later(r"\bprompt contract\b|\bBUILDER_HANDOFF\b", re.IGNORECASE),
)
_ANSWER_WORDS: Final = compile_later(
    r"(?:^|\n)\W{0,6}(?:Q\s?[0-9]{1,2}\b|A\s?[0-9]{1,2}\b|[0-9]{1,2}[.):])", re.IGNORECASE
)
_VERDICT: Final = compile_later(r"\b(?:review|final)\s+verdict\W{0,4}:", re.IGNORECASE)
_NOT_A_PACKAGE: Final = ("manifest_version", "start_url", "short_name")
_ENOUGH = 3


def recognise(source: Source) -> float:
    """Confidence by content; a name that only a builder uses keeps an empty or broken file with us."""
    return source.read_once("builder.recognise", _recognise)


def _recognise(source: Source) -> float:
    named = parse_path(source.path)
    if named is None:
        return Confidence.NO
    if not source.readable or not source.text.strip():
        return Confidence.POSSIBLE if named.specific else Confidence.NO
    return _JUDGES[named.role](source, named)


def _judge_spec(source: Source, named: NamedFile) -> float:
    present = len(_STANDARD.spec_sections) - len(missing_sections(source.outline, _STANDARD.spec_sections))
    identity = any(section.name.lower().startswith("identity") for section in headed(source.outline))
    title = source.outline.title or ""
    titled = _SPEC_TITLE.search(title) is not None or bool(find_ids(title))
    score = present + identity + titled
    if not named.specific:
        named_alike = named.id in find_ids(title) and present + identity > 0
        return Confidence.CERTAIN if present >= _ENOUGH else Confidence.LIKELY if named_alike else Confidence.NO
    return Confidence.CERTAIN if score >= _ENOUGH else Confidence.LIKELY if score else Confidence.NO


def _judge_results(source: Source, named: NamedFile) -> float:
    title = source.outline.title or ""
    present = len(_STANDARD.results_sections) - len(missing_sections(source.outline, _STANDARD.results_sections))
    head = list_fields(preamble(source.outline))
    stated = any(name == "status" and parse_status(value) for _, name, value in head)
    named_in_title = bool(find_ids(title) or find_packages(title))
    score = present + stated + named_in_title
    if not named.specific:
        return (
            Confidence.CERTAIN
            if score >= _ENOUGH + 1
            else Confidence.LIKELY
            if named_in_title and present + stated
            else Confidence.NO
        )
    score += title.lower().startswith("results")
    return Confidence.CERTAIN if score >= _ENOUGH else Confidence.LIKELY if score else Confidence.NO


def _judge_prompt(source: Source, named: NamedFile) -> float:
    score = sum(pattern.search(source.text) is not None for pattern in _PROMPT_WORDS)
    least = 1 if named.specific else 2
    return Confidence.NO if score < least else Confidence.CERTAIN if score >= _ENOUGH else Confidence.LIKELY


def _judge_answers(source: Source, named: NamedFile) -> float:
    found = len(_ANSWER_WORDS.findall(source.text))
    if found >= _ENOUGH:
        return Confidence.CERTAIN if named.specific else Confidence.LIKELY
    return Confidence.LIKELY if named.specific and found else Confidence.NO


def _judge_review(source: Source, named: NamedFile) -> float:
    if _VERDICT.search(source.text):
        return Confidence.CERTAIN
    # the verdict is the last line, so it is what a truncated report lacks
    return (
        Confidence.POSSIBLE
        if named.specific and re.search(r"\b(?:review|evaluation)\b", source.text, re.IGNORECASE)
        else Confidence.NO
    )


def _judge_manifest(source: Source, named: NamedFile) -> float:
    if source.json_document.root is None:
        return Confidence.POSSIBLE if named.specific else Confidence.NO
    root = source.json_document.root
    contents = any(root.has(key) for key in ("assets", "files", "dependencies", "depends_on"))
    if any(root.has(key) for key in _NOT_A_PACKAGE):
        return Confidence.NO
    if root.has("package_id"):
        return Confidence.CERTAIN if contents else Confidence.LIKELY if named.specific else Confidence.NO
    return (
        Confidence.LIKELY
        if named.specific and contents and (root.has("spec_id") or root.has("framework_id"))
        else Confidence.NO
    )


def _judge_registry(source: Source, named: NamedFile) -> float:
    del named
    return Confidence.LIKELY if find_rows(source) else Confidence.NO


_JUDGES: Final[dict[DocumentRole, Callable[[Source, NamedFile], float]]] = {
    DocumentRole.SPEC: _judge_spec,
    DocumentRole.RESULTS: _judge_results,
    DocumentRole.PROMPT: _judge_prompt,
    DocumentRole.ANSWERS: _judge_answers,
    DocumentRole.REVIEW: _judge_review,
    DocumentRole.EVALUATION: _judge_review,
    DocumentRole.MANIFEST: _judge_manifest,
    DocumentRole.LIST: _judge_registry,
}
