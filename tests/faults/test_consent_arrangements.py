"""Attacks on an approval that are judged by the arrangement around it: keys, filters, refs, containers, runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.gates import HANDOFF, GateDesk
from tests.support.raw_terminal import RawTerminal
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, list_entries
from tests.support.stepping import COMMIT, Stepping
from tests.support.waiting import wait_until

PASSPHRASE = "correct horse"
YES, NO = "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 1\n"
TEXT = "# Handoff: more\n\nStatus: COMPLETE\n\n## What was done\n- `src/app.py` adds more.\n"


class ConfirmingAgent:
    """An ssh-agent that asks a program before each use of a key."""

    def __init__(self, folder: Path, answer: str) -> None:
        self.askpass = folder / "askpass"
        self.askpass.write_text(answer)
        self.askpass.chmod(0o755)
        self._socket = folder / "agent.sock"
        self._secret = folder / "secret"
        self._secret.write_text(f"#!/bin/sh\necho '{PASSPHRASE}'\n")
        self._secret.chmod(0o755)
        self._process = subprocess.Popen(
            ["ssh-agent", "-D", "-a", str(self._socket)], env=self._ask_with(self.askpass), stdout=subprocess.DEVNULL
        )
        wait_until(self._socket.exists)

    @property
    def environment(self) -> dict[str, str]:
        return {"SSH_AUTH_SOCK": str(self._socket)}

    def add(self, key: Path) -> None:
        subprocess.run(
            ["ssh-add", "-q", "-c", str(key)],
            env={**self._ask_with(self._secret), **self.environment},
            check=True,
            capture_output=True,
        )

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()

    @staticmethod
    def _ask_with(program: Path) -> dict[str, str]:
        return {**os.environ, "SSH_ASKPASS": str(program), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": "none"}


@pytest.fixture
def confirming(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ConfirmingAgent]:
    agent = ConfirmingAgent(tmp_path, request.param)
    yield agent
    agent.end()


@pytest.mark.parametrize(("confirming", "entries"), [(NO, 1), (YES, 2)], indirect=["confirming"], ids=["A8", "A9"])
def test_key_that_asks_before_each_use(gate_desk: GateDesk, confirming: ConfirmingAgent, entries: int) -> None:
    """A8: nobody confirms, nothing is signed. A9: a program that says yes can stand in; only root can prevent that."""
    bo, plain = gate_desk.person("bo", PASSPHRASE), gate_desk.folder / "plain"
    shutil.copy(bo.key, plain)
    words = ["ssh-keygen", "-q", "-p", "-P", PASSPHRASE, "-N", "", "-f", str(plain)]
    subprocess.run(words, check=True, capture_output=True)
    plain.with_suffix(".pub").write_bytes(bo.key.with_suffix(".pub").read_bytes())
    gate_desk.begin(Person("bo", bo.home, plain))
    plain.unlink()
    confirming.add(bo.key)
    words = ["decide", "approve", HANDOFF, "--repo", str(gate_desk.root)]
    with RawTerminal(*words, environment={**bo.environment, **confirming.environment}) as terminal:
        terminal.wait_for(f"Type {HANDOFF} to")
        terminal.answer(HANDOFF)
        terminal.wait_for("approved" if entries > 1 else "refused to sign")
    assert len(list_entries(gate_desk.root)) == entries


def test_filter_that_prints_the_old_content_hides_nothing(gate_desk: GateDesk, bo: Person) -> None:
    """A25: raw bytes are compared, while the person's own git configuration has the filter and after it is gone."""
    gate_desk.decide(bo, "approve")
    config, root = bo.home / ".gitconfig", gate_desk.root
    before = config.read_text()
    config.write_text(f'{before}[filter "evil"]\n\tclean = git -C {root} show HEAD:src/app.py\n')
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/attributes").write_text("*.py filter=evil\n")
    (root / "src/app.py").write_text("evil = 1\n")
    assert gate_desk.gate(bo).json["state"] == "superseded"
    config.write_text(before)
    assert gate_desk.gate(bo).json["state"] == "superseded"


def test_code_inside_an_ident_is_content(gate_desk: GateDesk, bo: Person) -> None:
    """A26: git would call the file unchanged."""
    gate_desk.builder.write(".gitattributes", "*.py ident\n").write("src/app.py", "# $Id$\nx = 1\n").commit("ident")
    gate_desk.decide(bo, "approve")
    (gate_desk.root / "src/app.py").write_text("# $Id: import os $\nx = 1\n")
    assert gate_desk.gate(bo).json["state"] == "superseded"


@pytest.mark.parametrize("option", ["--assume-unchanged", "--skip-worktree"])
def test_file_that_git_is_told_to_overlook_is_content(gate_desk: GateDesk, bo: Person, option: str) -> None:
    """A23: flags in the index hide no edit from a gate, a deletion neither."""
    gate_desk.decide(bo, "approve")
    gate_desk.builder.git("update-index", option, "src/app.py")
    assert gate_desk.gate(bo).json["state"] == "approved"
    (gate_desk.root / "src/app.py").write_text("evil = 1\n")
    assert gate_desk.gate(bo).json["state"] == "superseded"
    (gate_desk.root / "src/app.py").unlink()
    assert gate_desk.gate(bo).json["state"] == "superseded"


def test_status_and_gate_agree_after_an_edit(gate_desk: GateDesk, bo: Person) -> None:
    """A36: nothing says approved any more."""
    gate_desk.decide(bo, "approve")
    (gate_desk.root / "src/app.py").write_text("evil = 1\n")
    (listed,) = bo.say("status", "--repo", gate_desk.root, "--json").json["handoffs"]
    assert (listed["gate"]["state"], gate_desk.gate(bo).json["state"]) == ("superseded", "superseded")


def test_log_begun_anew_with_the_persons_key_is_fatal(gate_desk: GateDesk, bo: Person) -> None:
    """A17: the pin in git's configuration is rewritten and the witness gone; the memory of the desk is neither."""
    gate_desk.decide(bo, "approve")
    gate_desk.decide(bo, "reject", "--reason", "no")
    shutil.rmtree(gate_desk.root / ".handoff-tui")
    (gate_desk.root / ".git/handoff-tui/witness.json").unlink()
    thief = Person("bo", gate_desk.folder / "elsewhere", bo.key)
    thief.home.mkdir()
    shutil.copy(bo.home / ".gitconfig", thief.home)
    assert thief.say("init", "--all", "--repo", gate_desk.root).code == 0
    assert gate_desk.gate(bo).code == 3


def test_tests_that_go_before_the_first_approval_are_missed(builder: RepositoryBuilder, gate_desk: GateDesk) -> None:
    """B4: work straight on main, nothing approved yet: the handoff is compared with its own start."""
    bo = gate_desk.person("bo")
    builder.write("tests/test_app.py", "def test_add():\n    assert 1 + 1 == 2\n")
    builder.write("first/HANDOFF.md", TEXT).commit("tests, and a handoff")
    gate_desk.begin(bo)
    (gate_desk.root / "tests/test_app.py").unlink()
    builder.write("later/HANDOFF.md", TEXT.replace("more", "less")).commit("without them")
    said = bo.say("gate", "notes/later/HANDOFF.md", "--repo", gate_desk.root, "--json")
    assert (said.code, "tests-not-deleted" in said.json["checks"]["failing"]) == (1, True)


def test_deleted_document_leaves_its_changes_uncovered(gate_desk: GateDesk, bo: Person) -> None:
    """B17: `status` can't list what is gone, but `coverage`, which CI asks, ends with 1."""
    gate_desk.change()
    (gate_desk.root / "HANDOFF.md").unlink()
    gate_desk.builder.commit("no document")
    assert bo.say("coverage", "--repo", gate_desk.root).code == 1


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_container_without_the_home_has_nothing_to_sign_with(gate_desk: GateDesk, bo: Person) -> None:
    """An agent in it shares the clone: it can delete the log and what the clone remembers, and the desk says so."""
    gate_desk.decide(bo, "reject", "--reason", "no")
    walls = ["bwrap", "--dev-bind", "/", "/", "--proc", "/proc", "--tmpfs", str(bo.home)]
    probe = subprocess.run([*walls, "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip("this kernel lets nobody make namespaces")
    decide = f"{sys.executable} -m handoff_tui decide approve {HANDOFF} --repo {gate_desk.root}"
    script = f"ls {bo.home}/.ssh; {decide} --subject {gate_desk.digest(bo)}; echo code $?"
    wipe = f"rm -r {gate_desk.root}/.handoff-tui/log {gate_desk.root}/.git/handoff-tui"
    said = subprocess.run(
        [*walls, "--unshare-pid", "sh", "-c", f"{script}; {wipe}"],
        env={**os.environ, **bo.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.stdout, "no key to sign with" in said.stderr) == ("code 4\n", True), said.stderr
    assert gate_desk.gate(bo).code == 3


def test_agent_of_a_step_may_not_decide_on_its_own_work(
    builder: RepositoryBuilder, isolated_user: Path, tmp_path: Path
) -> None:
    """D1: the run marks everything that it starts, also behind a terminal of its own."""
    decide = f"{sys.executable} -m handoff_tui decide approve {HANDOFF}"
    stepping = Stepping(builder, isolated_user)
    said = tmp_path / "said"
    stepping.teach(
        f"{decide} > {said} 2>&1; script -qec '{decide}' /dev/null >> {said} 2>&1; echo x >> src/app.py; {COMMIT}"
    )
    stepping.step()
    assert said.read_text().count("an agent may not decide") == 2
