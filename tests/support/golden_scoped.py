"""The golden entries of the second version, built anew: a signed submission, and the approval of what it hands over."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from handoff_tui.handoffs.scope.manifest import build_files, build_scope_digest
from handoff_tui.handoffs.scope.scope import DELETED, Content, OwnChange, Scope, Source
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_entry_id
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import Decision, DecisionVerb, Entry, EntryKind, Subject, Work
from handoff_tui.log.review_record import ReviewRecord, ScopeManifest
from handoff_tui.log.storage.evidence import encode_review
from tests.support.log_keys import IDS, build_example_key, sign_payload

START = "1f0e" * 10
OWN_COMMIT = "2a3b" * 10
_CONTENTS = {
    "docs/Grüße.md": ("100644", b"# Gr\xc3\xbc\xc3\x9fe\n"),
    "lamp.py": ("100644", b"def on() -> None: ...\n"),
    "run.sh": ("100755", b"#!/bin/sh\n"),
    "latest": ("120000", b"docs"),
    'odd "name"\n\x1f\x7f\\': ("100644", b""),
    "latin-\udce9.txt": ("100644", b"\xe9"),
}


class Golden(NamedTuple):
    """Every golden byte of the second version."""

    scope: bytes
    """What the scope digest is the SHA-256 of."""
    review: bytes
    submission: bytes
    decision: bytes
    decision_payload: bytes


def build_golden_scope() -> tuple[list[dict[str, str]], str]:
    """The files of the manifest, and the scope digest."""
    contents = {path: Content(mode, path) for path, (mode, _) in _CONTENTS.items()} | {"old.py": DELETED}
    changes = tuple(OwnChange(path, OWN_COMMIT, DELETED, now, Source.COMMITS) for path, now in contents.items())
    hashes = {path: hashlib.sha256(content).hexdigest() for path, (_, content) in _CONTENTS.items()}
    files = build_files(Scope("H-3", changes, START), hashes)
    return files, build_scope_digest(files)


def build_golden() -> Golden:
    files, digest = build_golden_scope()
    subject = Subject(
        **{name: IDS[name] for name in ("commit", "tree", "snapshot", "checks", "handoff")}, scope=digest, start=START
    )
    record = ReviewRecord(
        handoff="H-3",
        phase="implement",
        attempt=2,
        subject=subject,
        scope=ScopeManifest(files=tuple(files), commits=(OWN_COMMIT,), start=START),
    )
    review = encode_review(record)
    work = Work(
        handoff="H-3",
        phase="implement",
        attempt=2,
        producers=("claude@agents.example",),
        policy=IDS["genesis"],
        subject=subject,
    )
    submission = _sign("claude", EntryKind.SCOPED_SUBMISSION, "claude@agents.example", work, seq=2)
    decision = Decision(verb=DecisionVerb.APPROVE, reason="", regards=(), review=hashlib.sha256(review).hexdigest())
    parent = build_entry_id(submission[1])
    payload, file = _sign("alice", EntryKind.SCOPED_DECISION, "alice@example.com", work, 3, decision, parent)
    return Golden(canonical.encode({"files": [{**file} for file in files]}), review, submission[1], file, payload)


def _sign(
    key: str,
    kind: EntryKind,
    actor: str,
    work: Work,
    seq: int,
    decision: Decision | None = None,
    parent: str = "",
) -> tuple[bytes, bytes]:
    entry = Entry(
        id="",
        kind=kind,
        actor=actor,
        seq=seq,
        time=f"2026-09-22T09:0{seq}:00Z",
        parents=(parent or IDS["genesis"],),
        log=IDS["genesis"],
        work=work,
        decision=decision,
    )
    payload = build_payload(entry)
    return payload, sign_payload(payload, build_example_key(key))
