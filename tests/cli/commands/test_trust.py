"""The verbs of the signed log: init, keys, policy and log."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.log.policy.proposal import parse_proposal
from tests.support.command_line import InProcess
from tests.support.real_log import RealLog
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import list_entries, make_log, make_person, write_identity
from tests.support.ssh_keys import PASSPHRASE, make_key

if TYPE_CHECKING:
    from tests.support.signed import Circle


_LONGEST_SECONDS = 150.0
_QUIET_SECONDS = 0.5


def type_at(
    arguments: tuple[str | Path, ...], answers: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[int, str]:
    """Runs `handoff-tui` at a terminal of its own: exit code and all that was shown.

    `answers` are questions and what is typed at them. Who types waits until nothing more appears, and types again
    while nothing happens: what is typed before a question can be read is thrown away.
    """
    process, terminal = pty.fork()
    if process == 0:
        words = [sys.executable, "-m", "handoff_tui", *map(str, arguments)]
        os.execve(sys.executable, words, {**os.environ, **environment})  # noqa: S606 - no shell is meant
    try:
        shown = _converse(terminal, answers)
    finally:
        os.close(terminal)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status), shown


def _converse(terminal: int, answers: Mapping[str, str]) -> str:
    shown = ""
    deadline = time.monotonic() + _LONGEST_SECONDS
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], _QUIET_SECONDS)[0]:
            try:
                shown += os.read(terminal, 65536).decode("utf-8", "replace")
            except OSError:  # the other end is gone
                return shown
            continue
        asked = max(answers, key=shown.rfind, default="")
        if asked and asked in shown:
            os.write(terminal, f"{answers[asked]}\n".encode())
    raise AssertionError(f"nothing more happened after: {shown[-500:]}")


def test_init_in_a_process_of_its_own(tmp_path: Path, builder: RepositoryBuilder) -> None:
    """Without a terminal; a second time exit code 1, nothing on stdout, and what is there on stderr."""
    ada = make_person(tmp_path)
    genesis = make_log(builder.folder, ada)
    assert list_entries(builder.folder) == [genesis]
    again = ada.say("init", "--repo", builder.folder)
    assert (again.code, again.stdout) == (1, "")
    assert genesis in again.stderr


def test_init_prints_the_pin_and_what_to_commit(circle: Circle) -> None:
    """In words that can be pasted."""
    said = circle.speaking(circle.person("ada"), "init", "--repo", circle.repository)
    (genesis,) = list_entries(circle.repository)
    assert said.code == 0
    assert f"git config --global handoff-tui.repository.pin {genesis}" in said.stdout
    assert "git add .handoff-tui handoff-tui.toml" in said.stdout


def test_locked_key_is_exit_code_four(circle: Circle) -> None:
    """With a hint, and nothing is begun."""
    said = circle.speaking(circle.person("ada", PASSPHRASE), "init", "--repo", circle.repository)
    assert said.code == 4
    assert "hint: Try again, or load the key first: ssh-add" in said.stderr
    assert list_entries(circle.repository) == []


@pytest.mark.parametrize("words", ["claude", "=file", "claude="])
def test_agent_is_a_name_and_a_file(circle: Circle, words: str) -> None:
    """Anything else is a usage error."""
    said = circle.speaking(circle.person("ada"), "init", "--repo", circle.repository, "--agent", words)
    assert said.code == 2
    assert "NAME=KEYFILE" in said.stderr


def test_agent_and_pin_are_taken_from_the_call(circle: Circle) -> None:
    """The report says so."""
    ada = circle.person("ada")
    key = make_key(circle.folder / "claude")
    words = ("--agent", f"claude@agents.example={key}.pub", "--pin", "--json")
    said = circle.speaking(ada, "init", "--repo", circle.repository, *words)
    assert (said.json["schema"], said.json["pinned"]) == ("handoff-tui/init/v1", True)
    assert circle.show(ada).json["policy"]["agents"] == ["claude@agents.example"]
    assert circle.show(ada).json["pinned"]


def test_new_key_is_protected_at_the_terminal(tmp_path: Path, builder: RepositoryBuilder) -> None:
    """ssh-keygen asks for the passphrase twice, then once more to sign; an empty one gives no key and no log."""
    ada = make_person(tmp_path)
    for file in ada.key.parent.iterdir():
        file.unlink()
    write_identity(ada.home, ada.name, ada.email, None)
    words = ("init", "--repo", builder.folder, "--generate-key", "--protection", "passphrase", "--no-agent-note")
    code, shown = type_at(words, {"Enter passphrase": "", "Enter same passphrase again": ""}, ada.environment)
    assert code == 4
    assert "thrown away" in shown
    assert list(ada.key.parent.iterdir()) == []
    answers = {"Enter passphrase": PASSPHRASE, "Enter same passphrase again": PASSPHRASE}
    code, shown = type_at(words, answers, ada.environment)
    assert code == 0, shown
    assert len(list_entries(builder.folder)) == 1
    assert ada.say("init", "--repo", builder.folder).code == 1


def test_two_at_once_begin_one_log(tmp_path: Path, builder: RepositoryBuilder) -> None:
    """Whoever comes second is told that there is one, and adds nothing."""
    ada, bob = make_person(tmp_path, "ada"), make_person(tmp_path, "bob")
    with ThreadPoolExecutor() as pool:
        said = list(pool.map(lambda person: person.say("init", "--repo", builder.folder), (ada, bob)))
    assert sorted(one.code for one in said) == [0, 1]
    assert len(list_entries(builder.folder)) == 1


def test_enrolled_line_alone_is_on_stdout(circle: Circle) -> None:
    """What to do with it is on stderr; and once it is in the policy, that."""
    ada, bob = circle.person("ada"), circle.person("bob")
    circle.begin(ada)
    said = circle.speaking(bob, "keys", "enroll", "--repo", circle.repository)
    assert said.stdout.startswith("bob@example.org namespaces=")
    assert said.stdout.count("\n") == 1
    assert "--add-reviewer" in said.stderr
    circle.change(ada, (ada,), "--add-reviewer", said.stdout.strip(), name="two")
    again = circle.speaking(bob, "keys", "enroll", "--repo", circle.repository)
    assert "already" in again.stderr
    assert circle.speaking(bob, "keys", "enroll", "--repo", circle.repository, "--json").json["known"] is True


def test_keys_in_force_are_listed(circle: Circle) -> None:
    """As a page and as JSON; without a log exit code 1, with a broken one 3."""
    ada = circle.person("ada")
    assert circle.speaking(ada, "keys", "list", "--repo", circle.repository).code == 1
    circle.begin(ada)
    page = circle.speaking(ada, "keys", "list", "--repo", circle.repository)
    value = circle.speaking(ada, "keys", "list", "--repo", circle.repository, "--json").json
    assert (value["schema"], len(value["keys"])) == ("handoff-tui/keys-list/v1", 1)
    assert value["keys"][0]["keyid"] in page.stdout
    for file in (circle.repository / ".handoff-tui/log").glob("*/*"):
        file.unlink()
    assert circle.speaking(ada, "keys", "list", "--repo", circle.repository).code == 3


QUESTION = "anything else cancels:"


def test_person_signs_at_the_terminal(circle: Circle) -> None:
    """Everything is shown, the beginning of the digest is typed; then ssh-keygen asks for the key's passphrase."""
    ada, bob = circle.person("ada"), circle.person("bob", PASSPHRASE)
    circle.begin(ada)
    file = circle.propose(ada, "--add-root", circle.enrol(bob))
    digest = parse_proposal(file.read_bytes()).digest
    answers = {QUESTION: digest.removeprefix("sha256:")[:8], "Enter passphrase": PASSPHRASE}
    code, shown = type_at(("policy", "sign", file, "--repo", circle.repository), answers, bob.environment)
    assert code == 0, shown
    assert digest in shown
    assert "principals = [" in shown
    assert len(parse_proposal(file.read_bytes()).keyids) == 1


def test_any_other_word_at_the_terminal_signs_nothing(circle: Circle) -> None:
    """Exit code 4, and the file is as it was."""
    ada = circle.person("ada")
    circle.begin(ada)
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("claude")))
    before = file.read_bytes()
    code, shown = type_at(("policy", "sign", file, "--repo", circle.repository), {QUESTION: "yes"}, ada.environment)
    assert code == 4
    assert "not confirmed" in shown
    assert file.read_bytes() == before


def test_every_verb_has_a_page(circle: Circle) -> None:
    """Without --json: what a person reads, from the proposal to the policy in force."""
    ada = circle.person("ada")
    circle.begin(ada)
    line = circle.enrol(circle.person("claude"))
    file, repository = circle.folder / "p.json", ("--repo", circle.repository)
    proposed = circle.speaking(ada, "policy", "propose", "--add-agent", line, "--output", file, *repository)
    assert f"handoff-tui policy sign {file}".replace(" ", "") in "".join(proposed.stdout.split())
    unsealed = circle.speaking(ada, "policy", "seal", file, *repository)
    assert (unsealed.code, "was not sealed" in unsealed.stdout) == (1, True)
    assert "ada@example.org signed" in circle.sign(ada, file).stdout
    assert "policy 2 is in force" in circle.speaking(ada, "policy", "seal", file, *repository).stdout
    assert "written: .handoff-tui/trust/policy.toml" in circle.speaking(ada, "policy", "restore", *repository).stdout
    shown = circle.speaking(ada, "policy", "show", *repository)
    assert (shown.code, "claude@example.org may hand over work" in shown.stdout) == (0, True)


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A policy and two decisions, committed."""
    real = RealLog(builder)
    real.begin()
    real.decide("alice", handoff="H-1")
    real.decide("bob", "reject", handoff="H-2")
    builder.commit()
    return real


def test_list_is_printed_for_people_and_scripts(log: RealLog, say: InProcess) -> None:
    """Three rows; JSON with the promised schema; choices narrow it."""
    assert "reject" in say("log", "--repo", log.folder).stdout
    value = say("--repo", log.folder, "log", "--json").json
    assert (value["schema"], len(value["entries"]), value["verdict"]) == ("handoff-tui/log/v1", 3, "clean")
    chosen = say("log", "--repo", log.folder, "--verb", "reject", "--person", "bob", "--handoff", "H-2", "--json").json
    assert [entry["what"] for entry in chosen["entries"]] == ["reject"]


def test_entry_is_shown_and_extracted(log: RealLog, say: InProcess, tmp_path: Path) -> None:
    """By a prefix; with its files; an unknown one is an error with a hint."""
    last = log.heads()[0].removeprefix("sha256:")[:10]
    said = say("log", "show", last, "--extract", tmp_path / "out", "--repo", log.folder)
    assert (said.code, "Bound to" in said.stdout) == (ExitCode.OK, True)
    assert (tmp_path / "out" / "entry.pae").is_file()
    value = say("log", "show", last, "--json", "--repo", log.folder).json
    assert (value["schema"], value["actor"], value["extracted"]) == ("handoff-tui/log-show/v1", "bob", [])
    unknown = say("log", "show", "0000000000", "--repo", log.folder)
    assert (unknown.code, "handoff-tui log" in unknown.stderr) == (ExitCode.USAGE, True)


def test_verification_tells_by_its_exit_code(log: RealLog, say: InProcess) -> None:
    """0 clean, 3 fatal or if nothing vouches for it, 2 where the question makes no sense."""
    unknown = say("log", "verify", "--json", "--repo", log.folder)
    assert (unknown.code, unknown.json["anchored"], unknown.json["verdict"]) == (ExitCode.INTEGRITY, False, "clean")
    log.vouch()
    said = say("log", "verify", "--json", "--with-ssh-keygen", "--against", "HEAD", "--repo", log.folder)
    assert (said.code, said.json["verdict"], said.json["entries"]) == (ExitCode.OK, "clean", 3)
    pinned = say("log", "verify", "--pin", "0" * 64, "--repo", log.folder)
    assert (pinned.code, "genesis-missing" in pinned.stdout) == (ExitCode.INTEGRITY, True)
    log.place(log.heads()[0]).unlink()
    lost = say("log", "verify", "--against", "HEAD", "--json", "--repo", log.folder)
    assert (lost.code, lost.json["problems"][0]["code"]) == (ExitCode.INTEGRITY, "entry-deleted")
    assert say("log", "verify", "--against", "nowhere", "--repo", log.folder).code == ExitCode.USAGE
    assert say("log", "verify", "--pin", "short", "--repo", log.folder).code == ExitCode.USAGE


def test_bundle_is_written_and_verified_anywhere(
    log: RealLog, say: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a file, or to a pipe; verified in a folder that isn't a repository."""
    place = tmp_path / "log.tar"
    said = say("log", "bundle", "--out", place, "--json", "--repo", log.folder)
    assert said.json == {"schema": "handoff-tui/log-bundle/v1", "file": str(place), "bytes": place.stat().st_size}
    words = [sys.executable, "-m", "handoff_tui", "log", "bundle", "--repo", str(log.folder)]
    assert subprocess.run(words, check=True, capture_output=True).stdout == place.read_bytes()
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    verified = say("log", "verify", "--bundle", place, "--pin", log.genesis, "--json")
    assert (verified.code, verified.json["entries"]) == (ExitCode.OK, 3)
    assert say("log", "verify", "--bundle", place, "--pin", "0" * 64).code == ExitCode.INTEGRITY


@pytest.mark.parametrize(
    "words",
    [("verify", "--bundle", "x.tar", "--against", "HEAD"), ("bundle", "--json"), ("--verb", "aprove"), ("what",)],
)
def test_words_that_do_not_fit_together_are_told(log: RealLog, say: InProcess, words: tuple[str, ...]) -> None:
    """A usage error, not a guess."""
    assert say("log", *words, "--repo", log.folder).code == ExitCode.USAGE


def test_options_before_the_word_stay(log: RealLog, say: InProcess) -> None:
    """`log --json verify` prints JSON as `log verify --json` does."""
    assert say("log", "--json", "--repo", log.folder, "verify").json["schema"] == "handoff-tui/log-verify/v1"


def test_repository_without_a_log_says_how_to_begin(builder: RepositoryBuilder, say: InProcess) -> None:
    """Having nothing to show isn't a failure."""
    for words in (("log",), ("log", "verify")):
        said = say(*words, "--repo", builder.folder)
        assert (said.code, "handoff-tui init" in said.stdout) == (ExitCode.OK, True)
