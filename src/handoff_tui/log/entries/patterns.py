"""The one form of submissions and decisions as patterns: most entries fit, and then need no JSON and no second look.

Only a short cut: `entries` reads what fits here to the same value, and says of what does not fit what is wrong with it.
"""

from __future__ import annotations

import json
import re

from handoff_tui.log.entries import fields
from handoff_tui.log.entries.canonical import MAX_BYTES, MAX_INTEGER
from handoff_tui.log.record import APPROVING, Decision, DecisionVerb, Entry, EntryKind, Subject, Work

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
WORK_SUBJECTS = {
    "commit": "gitCommit",
    "tree": "gitTree",
    "baseline": "sha256",
    "snapshot": "sha256",
    "checks": "sha256",
    "handoff": "sha256",
}
DECISION_SUBJECTS = {**WORK_SUBJECTS, "review": "sha256"}
DIGESTS = {"sha256": fields.SHA256, "gitCommit": fields.GIT_OBJECT, "gitTree": fields.GIT_OBJECT}


def match_entry(payload: bytes, entry_id: str, keyids: tuple[str, ...]) -> Entry | None:
    """The entry, if the payload is one of the two kinds and right in everything; else nothing."""
    if len(payload) > MAX_BYTES:
        return None
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return None
    match = _DECISION_PATTERN.fullmatch(text) or _SUBMISSION_PATTERN.fullmatch(text)
    if match is None:
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
        kind=EntryKind.SUBMISSION if decision is None else EntryKind.DECISION,
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
            commit=found["subject_commit"],
            tree=found["subject_tree"],
            baseline=found["subject_baseline"],
            snapshot=found["subject_snapshot"],
            checks=found["subject_checks"],
            handoff=found["subject_handoff"],
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
    """The words of a list whose words have neither quotes nor commas in them."""
    return tuple(words[1:-1].split('","')) if words else ()


def _compile(kind: EntryKind, predicate: dict[str, str], subjects: dict[str, str]) -> re.Pattern[str]:
    """The whole payload: names in their order, each value a group of the same name."""
    listed = ",".join(f'"{name}":{predicate[name].replace("(", f"(?P<{name}>", 1)}' for name in sorted(predicate))
    described = ",".join(
        rf'\{{"digest":\{{"{digest}":"(?P<subject_{name}>{DIGESTS[digest].pattern})"\}},"name":"{name}"\}}'
        for name, digest in subjects.items()
    )
    return re.compile(
        rf'\{{"_type":"{re.escape(STATEMENT_TYPE)}","predicate":\{{{listed}\}},'
        rf'"predicateType":"{kind.value}","subject":\[{described}\]\}}'
    )


def _quote(grammar: re.Pattern[str]) -> str:
    return f'"({grammar.pattern})"'


def _list(grammar: re.Pattern[str]) -> str:
    item = f'"(?:{grammar.pattern})"'
    return rf"\[((?:{item}(?:,{item})*)?)\]"


_PLAIN = r'[^"\\\x00-\x1f\x7f-\x9f]*+'
_SUBMISSION = {
    "actor": _quote(fields.PRINCIPAL),
    "attempt": "([1-9][0-9]{0,6})",
    "handoff": _quote(fields.LABEL),
    "log": _quote(fields.ENTRY_ID),
    "parents": _list(fields.ENTRY_ID),
    "phase": _quote(fields.LABEL),
    "policy": _quote(fields.ENTRY_ID),
    "producers": _list(fields.PRINCIPAL),
    "seq": "([1-9][0-9]{0,15})",
    "time": _quote(fields.TIME),
}
_DECISION = {
    **_SUBMISSION,
    "decision": f'"({"|".join(DecisionVerb)})"',
    "reason": rf'"({_PLAIN}(?:\\["\\n]{_PLAIN})*)"',
    "regards": _list(fields.ENTRY_ID),
}
_DECISION_PATTERN = _compile(EntryKind.DECISION, _DECISION, DECISION_SUBJECTS)
_SUBMISSION_PATTERN = _compile(EntryKind.SUBMISSION, _SUBMISSION, WORK_SUBJECTS)
