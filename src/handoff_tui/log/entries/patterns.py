"""Submissions and decisions as regular expressions: most entries match, and then need no JSON parser.

Only a short cut: `statement` reads what matches here to the same value, and says what is wrong with what does not.
"""

from __future__ import annotations

import json
import re

from handoff_tui.log.entries import fields
from handoff_tui.log.entries.canonical import MAX_BYTES, MAX_INTEGER
from handoff_tui.log.entries.kinds import (
    DECISION,
    DIGESTS,
    SCOPED_DECISION,
    SCOPED_SUBMISSION,
    STATEMENT_TYPE,
    SUBMISSION,
    EntryForm,
)
from handoff_tui.log.entry import APPROVING, Decision, DecisionVerb, Entry, Subject, Work

_PLAIN = r'[^"\\\x00-\x1f\x7f-\x9f]*+'


def match_entry(payload: bytes, entry_id: str, keyids: tuple[str, ...]) -> Entry | None:
    """Returns the entry if the payload is a submission or decision and entirely right, else None."""
    if len(payload) > MAX_BYTES:
        return None
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return None
    kind = next((kind for kind in _PATTERNS if kind in text), None)
    match = _PATTERNS[kind].fullmatch(text) if kind is not None else None
    if kind is None or match is None:
        return None
    found = match.groupdict()
    seq, parents = int(found["seq"]), _split(found["parents"])
    if not 1 < seq <= MAX_INTEGER or not parents or not fields.is_rising(parents) or not fields.is_day(found["time"]):
        return None
    work = _build_work(found)
    decision = _build_decision(found) if "decision" in found else None
    if work is None or (decision is None and "decision" in found):
        return None
    return Entry(
        id=entry_id,
        kind=kind,
        actor=found["actor"],
        seq=seq,
        time=found["time"],
        parents=parents,
        log=found["log"],
        keyids=keyids,
        work=work,
        decision=decision,
    )


def _build_work(found: dict[str, str]) -> Work | None:
    attempt = int(found["attempt"])
    if attempt > fields.MAX_ATTEMPT:
        return None
    return Work(
        handoff=found["handoff"],
        phase=found["phase"],
        attempt=attempt,
        producers=_split(found["producers"]),
        policy=found["policy"],
        subject=Subject(
            **{
                name.removeprefix("subject_"): digest
                for name, digest in found.items()
                if name.startswith("subject_") and name != "subject_review"
            }
        ),
    )


def _build_decision(found: dict[str, str]) -> Decision | None:
    verb, reason, regards = DecisionVerb(found["decision"]), found["reason"], _split(found["regards"])
    if "\\" in reason:
        reason = json.loads(f'"{reason}"')
    is_blank = not reason.strip() and verb not in APPROVING
    if is_blank or len(reason) > fields.MAX_REASON or not fields.is_rising(regards):
        return None
    return Decision(verb=verb, reason=reason, regards=regards, review=found["subject_review"])


def _split(words: str) -> tuple[str, ...]:
    """Splits a list whose words contain neither quotes nor commas."""
    return tuple(words[1:-1].split('","')) if words else ()


def _compile(form: EntryForm) -> re.Pattern[str]:
    """Compiles the payload: names in their order, each value a group of the same name."""
    listed = ",".join(f'"{name}":{_FIELDS[name].replace("(", f"(?P<{name}>", 1)}' for name in sorted(form.fields))
    described = ",".join(
        rf'\{{"digest":\{{"{digest}":"(?P<subject_{name}>{DIGESTS[digest].pattern})"\}},"name":"{name}"\}}'
        for name, digest in form.subjects.items()
    )
    return re.compile(
        rf'\{{"_type":"{re.escape(STATEMENT_TYPE)}","predicate":\{{{listed}\}},'
        rf'"predicateType":"{form.kind.value}","subject":\[{described}\]\}}'
    )


def _quote(grammar: re.Pattern[str]) -> str:
    return f'"({grammar.pattern})"'


def _list(grammar: re.Pattern[str]) -> str:
    item = f'"(?:{grammar.pattern})"'
    return rf"\[((?:{item}(?:,{item})*)?)\]"


_FIELDS = {
    "actor": _quote(fields.PRINCIPAL),
    "attempt": "([1-9][0-9]{0,6})",
    "decision": f'"({"|".join(DecisionVerb)})"',
    "handoff": _quote(fields.LABEL),
    "log": _quote(fields.ENTRY_ID),
    "parents": _list(fields.ENTRY_ID),
    "phase": _quote(fields.LABEL),
    "policy": _quote(fields.ENTRY_ID),
    "producers": _list(fields.PRINCIPAL),
    "reason": rf'"({_PLAIN}(?:\\["\\n]{_PLAIN})*)"',
    "regards": _list(fields.ENTRY_ID),
    "seq": "([1-9][0-9]{0,15})",
    "time": _quote(fields.TIME),
}
_PATTERNS = {form.kind: _compile(form) for form in (SCOPED_DECISION, SCOPED_SUBMISSION, DECISION, SUBMISSION)}
