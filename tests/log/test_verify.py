"""The verification of a whole log: what is read, what is remembered, what is said."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from handoff_tui.core.errors import EntrySchemaError, NotCanonicalError
from handoff_tui.git.repository import open_repository
from handoff_tui.log import open_log
from handoff_tui.log.chain import Candidate, Known
from handoff_tui.log.entries.public_keys import KeyType
from handoff_tui.log.entries.statement import parse_entry
from handoff_tui.log.entry import LogProblemLevel, LogVerdict
from handoff_tui.log.open_log import (
    LogVerifier,
    build_unsuitable_problem,
    check_entries,
    check_entry,
    find_drift,
    pack,
    unpack,
)
from handoff_tui.log.storage.blobs import LogBlobs, Unsuitable
from handoff_tui.system.files import addressed_files
from tests.support.log_keys import build_key, build_statement, read_golden, sign_statement
from tests.support.logs import NOW
from tests.support.real_log import RealLog, list_codes


class Notebook:
    """Facts in memory, as a cache would keep them, and how often they were asked for."""

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}
        self.asked = 0

    def load(self) -> Mapping[str, str]:
        self.asked += 1
        return self.lines

    def record(self, facts: Mapping[str, str]) -> None:
        self.lines.update(facts)


def open_verifier(log: RealLog, facts: Notebook | None = None, now: str = NOW) -> LogVerifier:
    return LogVerifier(LogBlobs(open_repository(log.folder)), lambda: Known(now), facts)


def test_touch_is_what_every_signature_says() -> None:
    """A security key that was touched says so; with another key beside it nothing is proven."""
    touched, plain = build_key(KeyType.SK_ED25519), build_key(KeyType.ED25519)
    assert check_entry(sign_statement(build_statement(), touched)).touched
    assert not check_entry(sign_statement(build_statement("policy"), touched, plain)).touched


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (read_golden("decision").replace(b":", b": ", 1), NotCanonicalError),
        (sign_statement(build_statement(attempt=0)), EntrySchemaError),
        (read_golden("decision").replace(b"eyJfdHlwZSI6", b"eyJfdHlwZSA6", 1), NotCanonicalError),
    ],
)
def test_unsound_entry_raises(content: bytes, error: type[Exception]) -> None:
    """One entry by itself: the first thing that is wrong with it is told."""
    with pytest.raises(error):
        check_entry(content)


def test_problems_of_entries_carry_code_and_id() -> None:
    """What is damaged is refused under the id of its bytes."""
    sound, problems = check_entries({"sha256:" + "0" * 64: b"{}\n"})
    assert sound == {}
    assert [(one.level, one.code, one.entry) for one in problems] == [
        (LogProblemLevel.REFUSED, "bad-envelope", "sha256:" + "0" * 64)
    ]


def test_verifier_reads_what_is_there_now(log: RealLog) -> None:
    """Asked again after an entry came or went, it answers for what is there."""
    verifier = open_verifier(log)
    assert len(verifier().entries) == 2
    third = log.decide("bob")
    assert [entry.id for entry in verifier().entries][-1] == third
    log.place(third).unlink()
    assert len(verifier().entries) == 2
    assert verifier.candidates.keys() == set(log.entries) - {third}


def test_verifier_judges_further_entries_without_keeping_them(log: RealLog) -> None:
    """What is about to be added is judged as if it were there, and forgotten."""
    verifier = open_verifier(log)
    third = log.decide("bob")
    content = log.read(third)
    log.place(third).unlink()
    assert len(verifier({third: content}).entries) == 3
    assert len(verifier().entries) == 2
    assert list_codes(verifier({"sha256:" + "1" * 64: b"x\n"})) == ["not-canonical"]


def test_candidates_include_what_the_chain_refuses(log: RealLog) -> None:
    """An entry that is intact by itself can be shown, even without a place in the log."""
    stranger = log.decide("mallory")
    verifier = open_verifier(log)
    assert list_codes(verifier()) == ["unknown-key"]
    assert stranger in verifier.candidates


def test_remembered_entries_are_not_verified_again(log: RealLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """With facts, the verdict is the same, and no signature is looked at."""
    notebook = Notebook()
    first = open_verifier(log, notebook)()
    assert set(notebook.lines) == set(log.entries)
    monkeypatch.setattr(open_log, "check_entry", refuse_to_check)
    assert open_verifier(log, notebook)() == first
    with pytest.raises(AssertionError, match="verified again"):
        open_verifier(log)()


def refuse_to_check(_: bytes) -> Candidate:
    raise AssertionError("verified again")


def test_remembered_entry_that_was_changed_in_place_is_noticed(log: RealLog) -> None:
    """Facts are about what a name stands for; that a file no longer has it is said with and without them."""
    notebook = Notebook()
    open_verifier(log, notebook)()
    for entry in log.entries:
        log.place(entry).write_bytes(b"changed in place")
    assert list_codes(open_verifier(log, notebook)()) == ["unsuitable-file", "unsuitable-file"]


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file counts as one that was not changed just now."""
    monkeypatch.setattr(addressed_files, "SETTLED_NANOSECONDS", -1_000_000_000_000)


@pytest.mark.usefixtures("settled")
def test_remembered_entries_with_their_stamps_are_not_read_again(log: RealLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is the one of last time; one that was changed in place is not, and is noticed."""
    notebook = Notebook()
    first = open_verifier(log, notebook)()
    with monkeypatch.context() as watched:
        watched.setattr(addressed_files.AddressedFolder, "_read_one", refuse_to_read)
        assert open_verifier(log, notebook)() == first
    log.place(log.heads()[0]).write_bytes(b"changed in place")
    assert "unsuitable-file" in list_codes(open_verifier(log, notebook)())


def refuse_to_read(*_: object) -> bytes:
    raise AssertionError("read again")


@pytest.mark.usefixtures("settled")
def test_false_copy_beside_a_true_one_is_told_every_time(log: RealLog) -> None:
    """The branch has the entry; what stands under its name in the work tree has another content."""
    log.builder.commit("the log")
    log.place(log.heads()[0]).write_bytes(b"changed in place")
    notebook = Notebook()
    for _ in range(3):
        verdict = open_verifier(log, notebook)()
        assert (list_codes(verdict), len(verdict.entries)) == (["unsuitable-file"], len(log.entries))


def test_file_that_was_changed_just_now_has_no_stamp(log: RealLog) -> None:
    """Two changes may have one time: it is hashed the next time too."""
    notebook = Notebook()
    open_verifier(log, notebook)()
    assert {line.partition(" ")[0] for line in notebook.lines.values()} == {"-"}


def test_remembered_refusal_is_found_out_anew(log: RealLog) -> None:
    """Only what was sound is remembered."""
    bad = log.store(b"{}\n")
    notebook = Notebook()
    for _ in range(2):
        assert list_codes(open_verifier(log, notebook)()) == ["bad-envelope"]
    assert bad not in notebook.lines


@pytest.mark.parametrize("line", ["", "nonsense", "a b {}", 'a - {"id":"sha256:0"}'])
def test_facts_that_cannot_be_read_are_found_out_anew(log: RealLog, line: str) -> None:
    """A line of another version, or about another entry, isn't a fact."""
    notebook = Notebook()
    whole = open_verifier(log, notebook)()
    notebook.lines = dict.fromkeys(notebook.lines, line)
    assert open_verifier(log, notebook)() == whole


def test_facts_of_another_entry_are_not_believed(log: RealLog) -> None:
    """Facts under the wrong id do not turn one entry into another."""
    notebook = Notebook()
    open_verifier(log, notebook)()
    first, second = sorted(notebook.lines)
    line = notebook.lines[second].partition(" ")[2]
    assert unpack(first, line) is None
    assert unpack(second, line) is not None


@pytest.mark.parametrize("kind", ["genesis", "policy", "submission", "decision"])
@pytest.mark.parametrize("touched", [True, False])
def test_facts_survive_as_a_line(kind: str, touched: bool) -> None:  # noqa: FBT001 - a parameter
    """Packed and unpacked, a candidate is the same; the line is one line of ASCII."""
    more = {"reason": "ümlaut\nand a second line"} if kind == "decision" else {}
    entry = parse_entry(sign_statement(build_statement(kind, **more))).entry
    candidate = Candidate(entry, "f" * 64, touched)
    line = pack(candidate)
    assert line.isascii()
    assert "\n" not in line
    assert unpack(entry.id, line) == candidate


def test_unsuitable_files_are_named_with_their_place(log: RealLog) -> None:
    """What lies in the log's folder and isn't an entry is refused by its path."""
    log.builder.write(".handoff-tui/log/notes.txt")
    (problem,) = open_verifier(log)().problems
    assert (problem.level, problem.code, problem.entry) == (
        LogProblemLevel.REFUSED,
        "unsuitable-file",
        ".handoff-tui/log/notes.txt",
    )
    assert build_unsuitable_problem(Unsuitable("a/path", "work tree", "odd")).text == "odd (work tree)"


def test_unreadable_file_is_told_every_time(log: RealLog) -> None:
    """A false file is looked at again on each verification: it may have been mended."""
    verifier = open_verifier(log)
    last = log.heads()[0]
    content = log.read(last)
    log.place(last).write_bytes(b"x")
    for _ in range(2):
        assert list_codes(verifier()) == ["unsuitable-file"]
    log.place(last).write_bytes(content)
    assert list_codes(verifier()) == []


def test_drift_is_told_for_each_file(log: RealLog) -> None:
    """Trust files that differ or are missing are named, equal ones are not; without a policy nothing is said."""
    verdict = open_verifier(log)()
    policy = verdict.entries[0].policy
    assert policy is not None
    same = {"allowed_signers": policy.allowed_signers, "policy.toml": policy.policy_toml}
    assert find_drift(verdict, same) == ()
    drift = find_drift(verdict, {"allowed_signers": "other", "policy.toml": None})
    assert [("differs" in one.text, "is missing" in one.text) for one in drift] == [(True, False), (False, True)]
    assert {(one.level, one.code) for one in drift} == {(LogProblemLevel.NOTE, "trust-drift")}
    assert find_drift(LogVerdict(), same) == ()
