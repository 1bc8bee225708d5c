"""Appending to the signed log with 10,000 entries in it, against the same with 10; signing is in process and cheap."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.interleave import Row, interleave
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.chain import Known
from handoff_tui.log.entries.envelope import build_envelope, build_pae
from handoff_tui.log.entries.public_keys import build_string, parse_key_blob
from handoff_tui.log.entries.sshsig import armor, build_signature_blob, build_signed_data
from handoff_tui.log.entries.statement import build_payload, parse_entry
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import NO_BASELINE, Decision, DecisionVerb, EntryKind, LogVerdict, PolicyText, Subject, Work
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.journal import Draft, Journal, Parents, build_parents
from handoff_tui.log.open_log import LogVerifier
from handoff_tui.log.policy.signers import build_line
from handoff_tui.log.storage.blobs import LogBlobs
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.log.storage.memory import LogMemory, VerifiedCache, Witness
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.git_private_files import GitPrivateFolder

_FEW, _MANY = 10, 10_000
_LIMIT = 2.0
_ACTOR = "alice@example.com"
_POLICY = f"""version = 1
[roles.root]
principals = ["{_ACTOR}"]
threshold = 1
[roles.reviewer]
principals = ["{_ACTOR}"]
[gates."*"]
threshold = 1
"""
_REVIEW = "8" * 64
_SUBJECT = Subject(
    commit="2" * 40, tree="3" * 40, baseline="4" * 64, snapshot="5" * 64, checks="6" * 64, handoff="7" * 64
)


class _Signer:
    """Signs as ssh-keygen would, in this process."""

    def __init__(self) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"a key for measuring").digest())
        point = self._private.public_key().public_bytes_raw()
        self.key = parse_key_blob(build_string(b"ssh-ed25519") + build_string(point))

    def sign(self, message: bytes) -> bytes:
        value = self._private.sign(build_signed_data(message))
        return armor(build_signature_blob(self.key, build_string(b"ssh-ed25519") + build_string(value)))


def measure_log_append(folder: Path, rounds: int) -> list[Row]:
    """In a process that stays, as the app is; and with everything opened again, as a command does, with the cache."""
    roots = {count: build_log(folder / f"log-{count}", count) for count in (_FEW, _MANY)}
    staying: dict[str, Callable[[], object]] = {
        str(count): partial(_append, _open_journal(root)) for count, root in roots.items()
    }
    anew: dict[str, Callable[[], object]] = {str(count): partial(_append_anew, root) for count, root in roots.items()}
    return [
        _build_row("one process", interleave(staying, rounds * 3), _LIMIT),
        _build_row("a command each", interleave(anew, rounds), None),
    ]


def _build_row(words: str, taken: dict[str, float], limit: float | None) -> Row:
    few, many = taken[str(_FEW)], taken[str(_MANY)]
    return Row(f"append, {_MANY:,} entries / {_FEW} ({words})", many / few, limit, f"{many * 1000:.0f} ms")


def _append_anew(root: Path) -> None:
    _append(_open_journal(root))


def _append(journal: Journal) -> None:
    journal.append(_build_decision, _Signer())


def _open_journal(root: Path) -> Journal:
    repository = open_repository(root)
    local = GitPrivateFolder(repository.common_dir)
    blobs, memory = LogBlobs(repository), LogMemory(local)

    def know() -> Known:
        return Known(build_time(read_now()), witness=memory.load().entries)

    verifier = LogVerifier(blobs, know, VerifiedCache(local, b"s" * 32))
    return Journal(blobs.folder, LogLock(local), verifier, memory, read_now)


def build_log(root: Path, count: int, find_review: Callable[[int], str] = lambda _: _REVIEW) -> Path:
    """A repository with a chain of decisions, committed, and verified once; each is bound to a review record."""
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"]
    root.mkdir(parents=True)
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    signer, journal = _Signer(), _open_journal(root)
    last = journal.append(_build_genesis, signer).entry
    log, moment = last.id, datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(count - 1):
        verdict = LogVerdict(entries=(last,), heads=(last.id,), log=log, policy=log)
        payload = _build_decision(build_parents(verdict, moment), f"H-{number}", find_review(number)).payload
        content = build_envelope(payload, [signer.sign(build_pae(payload))])
        last = parse_entry(content).entry
        digest = last.id.removeprefix("sha256:")
        place = root / f".handoff-tui/log/{digest[:2]}/{digest}.intoto.jsonl"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message=log"], check=True)
    added = journal.append(_build_decision, signer)
    Witness(GitPrivateFolder(root / ".git")).record(log, [entry.id for entry in added.verdict.entries])
    return root


def _build_genesis(parents: Parents) -> Draft:
    policy = PolicyText(
        version=1,
        allowed_signers=build_line(_ACTOR, _Signer().key.text),
        policy_toml=_POLICY,
        nonce="0" * 32,
    )
    return Draft(build_payload(parents.build_entry(EntryKind.POLICY, _ACTOR, policy=policy)))


def _build_decision(parents: Parents, handoff: str = "H-new", review: str = _REVIEW) -> Draft:
    work = Work(
        handoff=handoff,
        phase="implement",
        attempt=1,
        producers=(),
        policy=parents.verdict.policy or "",
        subject=_SUBJECT,
    )
    decision = Decision(verb=DecisionVerb.APPROVE, reason="read and run", regards=(), review=review)
    return Draft(build_payload(parents.build_entry(EntryKind.DECISION, _ACTOR, work=work, decision=decision)))


def append_decisions(root: Path, count: int) -> None:
    """A log in a repository with handoffs: so many approvals, each of one handoff in turn as it is now; committed."""
    signer, journal = _Signer(), _open_journal(root)
    journal.append(_build_genesis, signer)
    desk = open_session(root)
    handoffs = read_repository(desk).result.handoffs
    gates = LogGates(desk, handoffs)
    questions = [gates.ask(handoff) for handoff in handoffs]
    subjects = [
        gates.complete(question, handoff).model_copy(
            update={"snapshot": "5" * 64, "checks": "6" * 64, "baseline": NO_BASELINE}
        )
        for question, handoff in zip(questions, handoffs, strict=True)
    ]

    def build(number: int, parents: Parents) -> Draft:
        place = number % len(handoffs)
        work = Work(
            **questions[place].key._asdict(), producers=(), policy=parents.verdict.policy or "", subject=subjects[place]
        )
        decision = Decision(verb=DecisionVerb.APPROVE, reason=f"read {number}", regards=(), review=_REVIEW)
        return Draft(
            build_payload(parents.build_entry(EntryKind.SCOPED_DECISION, _ACTOR, work=work, decision=decision))
        )

    for number in range(count):
        journal.append(partial(build, number), signer)
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"]
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message=log"], check=True)
