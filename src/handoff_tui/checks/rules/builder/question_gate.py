"""Work began only after every question was answered and a person gave the greenlight."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.approvals import describe_unsigned, find_unsigned, is_agent
from handoff_tui.checks.facts.documents import describe_cut_off, find_unreadable, is_document_cut_off
from handoff_tui.checks.rule import Findings, RuleFinding, high_rule
from handoff_tui.checks.rules.builder.documents import find_results, list_documents
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.claims.blocking import is_before_results
from handoff_tui.handoffs.handoff import DocumentRole, Handoff

_GREENLIGHT: Final = compile_later(r"green-?\s?li(?:ght|t)\b(?P<rest>.*)$", re.IGNORECASE)
_FIELD: Final = compile_later(r"\W*(?P<name>[A-Za-z][A-Za-z ]{0,30}?)\W*:\W*(?P<value>.+)$")
_MAIL: Final = compile_later(r"<[^>]*>")
_WORD: Final = compile_later(r"[^\W\d_][\w'-]*")
_NAMES_GIVER: Final = compile_later(r"\W*:|\s*by\b", re.IGNORECASE)
"""Text that introduces the person who gave it."""
_LINKING: Final = frozenset({"by", "on", "at", "the", "and", "of", "for", "to", "with", "utc", "z", "t", "was", "is"})


def find_greenlight_gap(context: Context, handoff: Handoff) -> tuple[str, Fact | None] | None:
    """Returns why no greenlight could count, and the last one given; None if a person's is there."""
    gap: tuple[str, Fact | None] = ("no greenlight was given", None)
    for fact in (fact for fact in handoff.facts if fact.name == "greenlight"):
        reason = _judge_greenlight(context, handoff, fact)
        if reason is None:
            return None
        gap = (reason, fact)
    return gap


def _judge_greenlight(context: Context, handoff: Handoff, fact: Fact) -> str | None:
    match = _GREENLIGHT.search(fact.value)
    rest = match.group("rest") if match else ""
    words = _list_words(rest)
    if words & set(context.settings.approvals.refusing_words):
        return "the greenlight is held back"
    givers = [rest, *_read_givers(context, fact)]
    named = [name for giver in givers if (name := _name_person(context, giver))]
    given = words & set(context.settings.builder.questions.greenlight_words)
    if not given and not (_NAMES_GIVER.match(rest) and re.search(r"\b[A-Z]", _name_person(context, rest) or "")):
        return "a greenlight is mentioned, but not given"
    if any(is_agent(context, handoff, giver) for giver in givers):
        return "the greenlight was not given by a person"
    return None if named else "the greenlight names no person who gave it"


def _read_givers(context: Context, fact: Fact) -> list[str]:
    """Returns the people named in the fields right below a greenlight."""
    if fact.where is None or fact.where.line is None:
        return []
    text = context.read_text(fact.where.path) or ""
    near = context.settings.approvals.near_lines
    fields = context.settings.builder.questions.greenlight_fields
    found: list[str] = []
    for line in text.split("\n")[fact.where.line : fact.where.line + near]:
        if line.startswith("#"):
            break
        match = _FIELD.match(line)
        if match and match.group("name").strip().lower() in fields:
            found.append(match.group("value").strip())
    return found


def _name_person(context: Context, text: str) -> str | None:
    """Returns a text without the words that name nobody; None if nothing is left."""
    settings = context.settings
    passed_over = {*_LINKING, *settings.approvals.nameless_words, *settings.builder.questions.greenlight_words}
    words = [word for word in _WORD.findall(_MAIL.sub(" ", text)) if word.lower() not in passed_over]
    return " ".join(words) or None


def _list_words(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Za-z][A-Za-z/-]*", _MAIL.sub(" ", text))}


_EARLIER_COUNT = 10
"""Prompts without a contract asked so many questions."""
_QUESTIONS = "questions"
_GATE = (DocumentRole.PROMPT, DocumentRole.ANSWERS)
_LEAKS = frozenset({"expected answers", "expected answers in the spec"})
_STATED = compile_later(r"^\W*contract\s+version\W+v?([0-9]+(?:\.[0-9]+){0,3})\b", re.IGNORECASE | re.MULTILINE)
_OWN = compile_later(r"^\W*(?:contract\s+)?version\W+v?([0-9]+(?:\.[0-9]+){0,3})\b", re.IGNORECASE | re.MULTILINE)
_IN_TITLE = compile_later(r"\A#[^\n]*\bv([0-9]+(?:\.[0-9]+){0,3})\b")


@high_rule(
    holds="No work began before its questions were answered and a person signed the greenlight.",
    reads="prompts, answers, the prompt contract, greenlights, expected answers in specs, and the signed log",
    remedy="Have the agent answer every question under the current contract. Then approve it with handoff-tui.",
)
def question_gate_passed(context: Context) -> Findings:
    gates = [
        handoff
        for handoff in context.require_handoffs("builder")
        if handoff.questions or list_documents(handoff, *_GATE)
    ]
    if not gates:
        context.skip("no builder handoff has a question gate")
    found: list[RuleFinding] = []
    waiting: list[str] = []
    unseen: list[str] = []
    unsigned: list[str] = []
    for handoff in gates:
        if _was_in_chat(handoff):
            context.note(f"answers and greenlight of {handoff.id} were given in chat: not known")
            found.extend(_find_leaks(handoff))
            continue
        found.extend(find_unreadable(context, [document.path for document in list_documents(handoff, *_GATE)]))
        found.extend(_find_leaks(handoff))
        found.extend(_find_other_contract(context, handoff, unseen))
        found.extend(_find_open_questions(context, handoff))
        if _has_begun(context, handoff) and not is_before_results(handoff):
            found.extend(_find_missing_greenlight(context, handoff))
            unsigned.extend(_find_unsigned_greenlight(context, handoff))
        else:
            waiting.append(handoff.id)
    if unseen and not found:
        context.undecidable(describe_cut_off(unseen))
    if not found and len(waiting) == len(gates):
        context.skip(f"no work has begun, and these gates are still waiting: {', '.join(waiting)}")
    if not found and unsigned:
        context.skip(describe_unsigned(unsigned))
    yield from found


def _has_begun(context: Context, handoff: Handoff) -> bool:
    """Returns whether the gate must have been passed: there are results, or the handoff is under review."""
    return find_results(handoff) is not None or context.scope == handoff.id


def _was_in_chat(handoff: Handoff) -> bool:
    """Work of the generation before contracts: it has results, and its gate left nothing that says what happened."""
    states_contract = any(fact.name == "prompt contract" for fact in handoff.facts)
    has_answers = bool(list_documents(handoff, DocumentRole.ANSWERS))
    return handoff.greenlit is None and not states_contract and not has_answers and find_results(handoff) is not None


def _find_leaks(handoff: Handoff) -> Findings:
    for fact in handoff.facts:
        if fact.name in _LEAKS:
            message = f"the expected answers of {handoff.id} are where the agent can read them"
            expected = "kept by the reviewer, outside the repository"
            yield RuleFinding(message, f"{handoff.id} expected answers", fact.where, expected, fact.value)


def _find_open_questions(context: Context, handoff: Handoff) -> Findings:
    count = context.settings.builder.questions.count
    place = handoff.questions[0].where if handoff.questions else Place(path=list_documents(handoff, *_GATE)[0].path)
    has_contract = any(fact.name == "prompt contract" for fact in handoff.facts)
    if len(handoff.questions) not in ({count} if has_contract else {count, _EARLIER_COUNT}):
        message = f"the gate of {handoff.id} does not ask {count} questions"
        expected = f"{count} questions"
        yield RuleFinding(message, f"{handoff.id} questions", place, expected, f"{len(handoff.questions)} questions")
    if not list_documents(handoff, DocumentRole.ANSWERS):
        if _has_begun(context, handoff):
            message = f"no question of the gate of {handoff.id} was answered"
            yield RuleFinding(message, f"{handoff.id} answers", place, f"{count} answers", "no answers")
        return
    for question in handoff.questions:
        if question.answered is not True:
            message = f"question {question.number} of the gate of {handoff.id} has no answer: {question.text}"
            yield RuleFinding(message, f"{handoff.id} question {question.number}", question.where, "an answer", "none")


def _find_other_contract(context: Context, handoff: Handoff, unseen: list[str]) -> Findings:
    """Compares the contract versions of prompt and answers with the contract, for finished work as it was then.

    Adds the document to `unseen` if a shallow clone doesn't show the contract of that time.
    """
    name = context.settings.builder.questions.contract
    contract = next((path for path in context.paths() if path.rpartition("/")[2] == name), None)
    current = _read_version(context.read_text(contract)) if contract else None
    for document in list_documents(handoff, *_GATE):
        text = context.read_text(document.path) or ""
        fact = next(
            (f for f in handoff.facts if f.name == "prompt contract" and f.where and f.where.path == document.path),
            None,
        )
        match = _STATED.search(text)
        stated = fact.value if fact else match.group(1) if match else None
        if stated is None and document.role is DocumentRole.ANSWERS:
            continue
        if stated is not None and (
            stated == current or stated == _read_then(context, handoff, document.path, contract)
        ):
            continue
        if stated is not None and find_results(handoff) and is_document_cut_off(context, document.path):
            unseen.append(document.path)
            continue
        line = fact.where.line if fact and fact.where else text.count("\n", 0, match.start()) + 1 if match else None
        message = f"{document.path} does not follow the contract in force"
        place = Place(path=document.path, line=line)
        expected = f"contract version {current}" if current else f"a version that {name} states"
        actual = f"contract version {stated}" if stated else "no contract version"
        yield RuleFinding(message, f"{handoff.id} contract of {document.role.value}", place, expected, actual)


def _read_then(context: Context, handoff: Handoff, document: str, contract: str | None) -> str | None:
    """Returns the contract version when a document was committed; only finished work may follow an older one."""
    commit = context.document_commit(document) if contract and find_results(handoff) else None
    content = context.read_at(commit, contract) if commit and contract else None
    return _read_version(content.decode("utf-8", "replace")) if content is not None else None


def _read_version(text: str | None) -> str | None:
    match = _OWN.search(text or "") or _IN_TITLE.search(text or "")
    return match.group(1) if match else None


def _find_unsigned_greenlight(context: Context, handoff: Handoff) -> Iterator[str]:
    """Says that a greenlight in a document is only a claim, if nobody signed it."""
    needed = context.settings.builder.questions.greenlight_needed and not context.phase_signers(handoff.id, _QUESTIONS)
    if not needed or find_greenlight_gap(context, handoff) is not None:
        return
    fact = next(fact for fact in handoff.facts if fact.name == "greenlight")
    name = next(
        (name for giver in (*_read_givers(context, fact), fact.value) if (name := _name_person(context, giver))), ""
    )
    claim = find_unsigned(context, handoff, name or "somebody")
    if claim:
        yield claim


def _find_missing_greenlight(context: Context, handoff: Handoff) -> Findings:
    if not context.settings.builder.questions.greenlight_needed or context.phase_signers(handoff.id, _QUESTIONS):
        return
    gap = find_greenlight_gap(context, handoff)
    if gap is None and handoff.greenlit:
        return
    reason, fact = gap or ("the greenlight is held back elsewhere", None)
    documents = [*list_documents(handoff, DocumentRole.ANSWERS), *handoff.documents]
    message = f"work on {handoff.id} has no greenlight: {reason}"
    place = fact.where if fact else Place(path=documents[0].path)
    expected = "Greenlight: GRANTED, and the name of the person who gave it"
    yield RuleFinding(message, f"{handoff.id} greenlight", place, expected, fact.value if fact else "none")
