"""The script and texts for checking a log without this program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.handoffs.scope.digests import build_scope_digest
from handoff_tui.log.review_record import ReviewRecord, ScopeManifest
from handoff_tui.log.show.entries import README_NAME, SCRIPT_NAME, build_bundle_texts, build_extract_readme, read_script
from handoff_tui.log.show.view import EntryState, EntryView, LogRow
from handoff_tui.log.storage.evidence import write_review
from tests.support.hostile import write_executable
from tests.support.logs import build_policy_toml, build_signers
from tests.support.real_log import SCOPED, RealLog
from tests.support.repositories import RepositoryBuilder

needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
NEEDED = ("sh", "sha256sum", "base64", "ssh-keygen", "mktemp", "rm", "tr", "cut", "wc", "cat", "head", "printf")


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """Two policies, signed by one and by two; entries by keys that have expired since; two heads."""
    real = RealLog(builder)
    window = build_signers("bob", valid_before="2026-01-01T02:00:00Z")
    real.begin(signers=build_signers("alice", "claude") + window)
    real.submit()
    real.decide("bob")
    both = build_policy_toml(root=("alice", "bob"), threshold=2)
    real.add_policy(both, build_signers("alice", "bob/2", "claude"), ("alice", "bob/2"))
    parents = real.heads()
    real.decide("alice", parents=parents)
    real.decide("bob", "reject", key="bob/2", parents=parents, reason='needs "work" \\ ümlaut')
    return real


@pytest.fixture
def short_log(builder: RepositoryBuilder) -> RealLog:
    """One policy and one decision, by a key that has expired since: what a harm is done to."""
    real = RealLog(builder)
    real.begin(signers=build_signers("alice", "claude") + build_signers("bob", valid_before="2026-01-01T02:00:00Z"))
    real.decide("bob")
    return real


def run(
    log: RealLog, tmp_path: Path, *, without_jq: bool = False, without_python: bool = False, shell: str = "sh"
) -> tuple[int, str]:
    """Runs the script; without jq or Python, on a search path that has only what it says it needs, and the other."""
    environment = dict(os.environ)
    if without_jq or without_python:
        tools = tmp_path / "tools"
        tools.mkdir()
        for name in NEEDED:
            (tools / name).symlink_to(shutil.which(name) or "missing")
        other = ("python3", sys.executable) if without_jq else ("jq", shutil.which("jq") or "missing")
        (tools / other[0]).symlink_to(other[1])
        environment["PATH"] = str(tools)
    done = subprocess.run(
        [*shell.split(" "), "-s", str(log.folder)],
        input=read_script().encode(),
        capture_output=True,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    return done.returncode, done.stdout.decode() + done.stderr.decode()


@pytest.mark.parametrize(
    "without_jq", [pytest.param(False, marks=needs_jq), pytest.param(True, marks=pytest.mark.slow)]
)
def test_script_finds_a_sound_log_sound(log: RealLog, tmp_path: Path, *, without_jq: bool) -> None:
    """With jq and with Python instead: every entry, who signed it, and the first one to compare with a pin."""
    code, said = run(log, tmp_path, without_jq=without_jq)
    assert code == 0, said
    assert said.count("\nok ") + said.startswith("ok ") == 6
    assert f"is this your pin? {log.genesis}" in said
    assert "policy, signed by alice bob" in said
    assert said.endswith("entries: 6; every name, signature, parent and scope holds\n")


def test_script_does_without_jq(short_log: RealLog, tmp_path: Path) -> None:
    """Python reads the entries instead, a process for each."""
    code, said = run(short_log, tmp_path, without_jq=True)
    assert (code, said.count("ok ")) == (0, 2), said


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox sh"])
def test_script_runs_in_other_shells(short_log: RealLog, tmp_path: Path, shell: str) -> None:
    """Nothing in it belongs to one shell only."""
    program = shutil.which(shell.split(" ", maxsplit=1)[0])
    if program is None:
        pytest.skip(f"{shell} is not installed")
    if shell == "dash" and Path(program).samefile(shutil.which("sh") or ""):
        pytest.skip("dash is the sh that the other tests run it with")
    assert run(short_log, tmp_path, shell=shell)[0] == 0


def break_content(log: RealLog) -> None:
    log.place(log.heads()[0]).write_bytes(b"{}\n")


def remove_parent(log: RealLog) -> None:
    log.place(log.policy).unlink()


def add_stranger(log: RealLog) -> None:
    log.decide("mallory")


def add_forgery(log: RealLog) -> None:
    log.store(log.rewrite(log.heads()[0], lambda statement: statement["predicate"].update(attempt=9)))


def add_expired(log: RealLog) -> None:
    log.decide("bob", policy_id=log.genesis, time="2026-01-01T03:00:00Z")


def add_foreign(log: RealLog) -> None:
    log.decide("alice", log="sha256:" + "1" * 64)


def add_path(log: RealLog) -> None:
    log.store(b'{"payload":"e30=","payloadType":"","signatures":[{"keyid":"","sig":"YQ=="}]}\n')


@pytest.mark.parametrize(
    "harm", [break_content, remove_parent, add_stranger, add_forgery, add_expired, add_foreign, add_path]
)
def test_script_notices_what_is_wrong(short_log: RealLog, tmp_path: Path, harm: object) -> None:
    """A changed file, a missing parent, a stranger, a forgery, an expired key, another log, garbage."""
    assert callable(harm)
    harm(short_log)
    code, said = run(short_log, tmp_path)
    assert code == 1, said
    assert "BAD " in said


@pytest.fixture
def scoped_log(builder: RepositoryBuilder) -> RealLog:
    """A decision of the second version, and its review record with two files."""
    real = RealLog(builder)
    real.begin(signers=build_signers("alice", "bob", "claude"))
    content = "sha256:" + "1" * 64
    files = (
        {"content": content, "mode": "100644", "path": "Grüße.md"},
        {"content": "deleted", "mode": "000000", "path": "old"},
    )
    subject = SCOPED.model_copy(update={"scope": build_scope_digest(list(files))})
    manifest = ScopeManifest(files=files, commits=("a" * 40,), start="6" * 40)
    record = ReviewRecord(handoff="H-1", phase="implement", attempt=1, subject=subject, scope=manifest)
    real.decide("bob", subject=subject, review=write_review(builder.folder, record))
    return real


@pytest.mark.parametrize("without", ["python3", pytest.param("jq", marks=pytest.mark.slow)])
def test_script_computes_the_scope_from_the_review_record(scoped_log: RealLog, tmp_path: Path, without: str) -> None:
    """With jq alone and with Python alone."""
    if without == "python3" and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    code, said = run(scoped_log, tmp_path, without_jq=without == "jq", without_python=without == "python3")
    assert (code, said.count("ok "), "note" in said) == (0, 2, False), said


def test_script_notices_another_scope(scoped_log: RealLog, tmp_path: Path) -> None:
    """A record with other files than the entry binds, though its name is right; a record that is gone is only told."""
    record = ReviewRecord(handoff="H-1", phase="implement", attempt=1, subject=SCOPED, scope=ScopeManifest())
    scoped_log.decide("bob", subject=SCOPED, review=write_review(scoped_log.folder, record))
    code, said = run(scoped_log, tmp_path)
    assert (code, "the files in its review record are not those that it signs" in said) == (1, True)
    shutil.rmtree(scoped_log.folder / ".handoff-tui" / "reviews")
    code, said = run(scoped_log, tmp_path)
    assert (code, said.count("its review record is not here")) == (0, 2)


def test_script_that_finds_no_tool_or_no_log_does_not_say_yes(log: RealLog, tmp_path: Path) -> None:
    """A reader that answers nothing, or a folder without entries, isn't an intact log."""
    place = tmp_path / "bin"
    write_executable(place / "jq", "exit 0")
    done = subprocess.run(
        ["sh", "-s", str(log.folder)],
        input=read_script().encode(),
        capture_output=True,
        check=False,
        env={"PATH": f"{place}:/usr/bin:/bin"},
    )
    assert (done.returncode, done.stdout.count(b"no signature that holds")) == (1, 6)
    code, said = run(RealLog(RepositoryBuilder.init(tmp_path / "empty")), tmp_path)
    assert (code, "no entries in" in said) == (1, True)


def test_script_passes_no_control_characters_on(short_log: RealLog, tmp_path: Path) -> None:
    """What an entry says of itself is printed as text."""
    log = short_log
    log.store(log.rewrite(log.heads()[0], lambda statement: statement["predicate"].update(actor="\x1b[31mred")))
    code, said = run(log, tmp_path)
    assert code == 1
    assert "\x1b" not in said


def test_bundle_texts_name_each_other() -> None:
    """The README says how to call the script that lies beside it."""
    texts = build_bundle_texts()
    assert texts[SCRIPT_NAME] == read_script()
    assert f"sh handoff-log/{SCRIPT_NAME} handoff-log" in texts[README_NAME]
    assert all(text.isascii() or name == README_NAME for name, text in texts.items())


def test_extract_readme_of_what_is_no_entry_is_short() -> None:
    """Only the hash can be checked."""
    row = LogRow(id="sha256:" + "a" * 64, state=EntryState.REFUSED, why="cut off")
    readme = build_extract_readme(EntryView(row=row, entry=None, size=0, places=()), ("entry.intoto.jsonl",))
    assert "ssh-keygen" not in readme
    assert "refused. cut off" in readme
