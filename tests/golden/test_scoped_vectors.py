"""Golden vectors of the second version: the same values give the same bytes, and the bytes verify."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.scope.digests import build_files, build_scope_digest
from handoff_tui.handoffs.scope.scope import DELETED, Attribution, Content, OwnChange, Scope
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_entry_id, build_pae
from handoff_tui.log.entries.statement import build_payload, parse_entry, verify_signatures
from handoff_tui.log.entry import Decision, DecisionVerb, Entry, EntryKind, Subject, Work
from handoff_tui.log.open_log import open_log
from handoff_tui.log.review_record import ReviewRecord, ScopeManifest
from handoff_tui.log.show.entries import read_script
from handoff_tui.log.storage.evidence import encode_review, read_review
from tests.support.log_keys import GOLDEN, IDS, build_example_key, read_golden, sign_payload
from tests.support.repositories import RepositoryBuilder


def read(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()


def lay_out(folder: Path) -> None:
    """The golden log as files of a repository, with the review record beside it."""
    for name in ("genesis", "scoped_submission", "scoped_decision"):
        digest = IDS[name].removeprefix("sha256:")
        place = folder / ".handoff-tui" / "log" / digest[:2] / f"{digest}.intoto.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(read_golden(name))
    reviews = folder / ".handoff-tui" / "reviews"
    reviews.mkdir()
    (reviews / f"{IDS['scoped_review']}.json").write_bytes(read("scoped_review.json"))


def test_same_values_give_the_same_bytes() -> None:
    """The manifest, the review record, both entries, the payload, the encoding that is signed."""
    made = build_golden()
    assert made.scope == read("scope.json")
    assert made.review == read("scoped_review.json")
    assert made.submission == read_golden("scoped_submission")
    assert made.decision == read_golden("scoped_decision")
    assert made.decision_payload == read("scoped_decision.payload")
    assert build_pae(made.decision_payload) == read("scoped_decision.pae")


def test_scope_digest_is_the_hash_of_the_manifests_files() -> None:
    """As the document says, and nothing but the files is in it."""
    files, digest = build_golden_scope()
    assert digest == hashlib.sha256(read("scope.json")).hexdigest() == IDS["scope"]
    assert build_scope_digest(files) == digest
    assert START.encode() not in read("scope.json")


def test_entries_are_read_to_what_they_say() -> None:
    """Kinds, subjects in order, and the same bytes when they are written again."""
    for name, kind in (
        ("scoped_submission", EntryKind.SCOPED_SUBMISSION),
        ("scoped_decision", EntryKind.SCOPED_DECISION),
    ):
        parsed = parse_entry(read_golden(name))
        verify_signatures(parsed)
        assert build_entry_id(read_golden(name)) == parsed.entry.id == IDS[name]
        assert parsed.entry.kind is kind
        assert parsed.entry.work is not None
        subject = parsed.entry.work.subject
        assert (subject.scope, subject.start, subject.commit) == (IDS["scope"], IDS["start"], IDS["commit"])
        assert build_pae(build_payload(parsed.entry)) == parsed.pae
    assert parse_entry(read_golden("scoped_decision")).pae == read("scoped_decision.pae")


def test_golden_log_verifies(builder: RepositoryBuilder) -> None:
    """All three entries are valid, and the record that the decision names has the manifest."""
    lay_out(builder.folder)
    verdict = open_log(open_repository(builder.folder), pin=IDS["genesis"], remembered=False).verify()
    assert {entry.id for entry in verdict.entries} == {
        IDS[name] for name in ("genesis", "scoped_submission", "scoped_decision")
    }
    assert not verdict.fatal
    record = read_review(builder.folder, IDS["scoped_review"])
    assert record.scope is not None
    assert build_scope_digest(list(record.scope.files)) == record.subject.scope == IDS["scope"]


def test_script_agrees(builder: RepositoryBuilder) -> None:
    """The stand-alone script computes the same digest from the record; one other byte there is noticed."""
    lay_out(builder.folder)
    words = [shutil.which("sh") or "sh", "-s", str(builder.folder)]
    done = subprocess.run(words, input=read_script().encode(), capture_output=True, check=False)
    assert (done.returncode, b"BAD" in done.stdout) == (0, False), done.stdout.decode()
    place = builder.folder / ".handoff-tui" / "reviews" / f"{IDS['scoped_review']}.json"
    place.write_bytes(place.read_bytes().replace(b"lamp.py", b"lamb.py"))
    done = subprocess.run(words, input=read_script().encode(), capture_output=True, check=False)
    assert done.returncode == 1
    assert b"its review record was changed" in done.stdout
    assert b"the files in its review record are not those that it signs" in done.stdout


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
    changes = tuple(OwnChange(path, OWN_COMMIT, DELETED, now, Attribution.COMMITS) for path, now in contents.items())
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
