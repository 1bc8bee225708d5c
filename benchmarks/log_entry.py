"""Verifying one entry of the signed log, against one bare Ed25519 verification by `cryptography`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.interleave import Row, interleave
from handoff_tui.log.entries.envelope import build_envelope, build_pae
from handoff_tui.log.entries.public_keys import build_string, parse_key_blob
from handoff_tui.log.entries.sshsig import armor, build_signature_blob, build_signed_data
from handoff_tui.log.entries.statement import build_payload, parse_entry, verify_signatures
from handoff_tui.log.entry import Decision, DecisionVerb, Entry, EntryKind, Subject, Work

_LIMIT = 3.0
_TIMES = 20


def measure_log_entry(rounds: int) -> list[Row]:
    """Bytes, canonical form, schema, signature; in processor time, since nothing of it waits."""
    private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"a key for measuring").digest())
    payload = build_payload(_build_decision())
    signed = build_signed_data(build_pae(payload))
    value = private.sign(signed)
    public = private.public_key()
    key = parse_key_blob(build_string(b"ssh-ed25519") + build_string(public.public_bytes_raw()))
    inner = build_string(b"ssh-ed25519") + build_string(value)
    content = build_envelope(payload, [armor(build_signature_blob(key, inner))])
    cases: dict[str, Callable[[], object]] = {
        "raw": _repeat(lambda: public.verify(value, signed)),
        "entry": _repeat(lambda: verify_signatures(parse_entry(content))),
    }
    taken = interleave(cases, rounds * 40, time.thread_time)
    note = f"{taken['entry'] / _TIMES * 1e6:.0f} µs"
    return [Row("one log entry / one raw Ed25519 verification", taken["entry"] / taken["raw"], _LIMIT, note)]


def _repeat(case: Callable[[], object]) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(_TIMES):
            case()

    return repeated


def _build_decision() -> Entry:
    """A decision of the usual size: one parent, one producer, a sentence as its reason."""
    genesis = "sha256:" + "1" * 64
    subject = Subject(
        commit="2" * 40, tree="3" * 40, baseline="4" * 64, snapshot="5" * 64, checks="6" * 64, handoff="7" * 64
    )
    return Entry(
        id="",
        kind=EntryKind.DECISION,
        actor="alice@example.com",
        seq=2,
        time="2026-01-31T12:00:00Z",
        parents=(genesis,),
        log=genesis,
        work=Work(
            handoff="H-32",
            phase="implement",
            attempt=1,
            producers=("claude@agents.example",),
            policy=genesis,
            subject=subject,
        ),
        decision=Decision(
            verb=DecisionVerb.APPROVE, reason="checks are green, the diff was read", regards=(), review="8" * 64
        ),
    )
