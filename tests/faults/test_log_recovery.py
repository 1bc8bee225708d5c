"""The recovery scenarios of docs/verify-by-hand.md: the commands as they stand there, where that has happened."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from handoff_tui.git.signing.ssh_keygen import SigningTool
from handoff_tui.log.entries.envelope import build_envelope, build_pae
from handoff_tui.log.entries.sshsig import re_armor
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import Entry, EntryKind, Work
from tests.support.command_line import open_pty, take_terminal
from tests.support.hostile import write_executable
from tests.support.real_log import SUBJECT, RealLog
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Circle, Person, list_entries
from tests.support.ssh_keys import make_key

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "verify-by-hand.md"
SPEAKER = re.compile(r"^# (ada|bob)$", re.MULTILINE)
WRAPPER = """\
# signs as somebody who has read it: the digest, which a person types at the terminal, is spelled out
case "$1 $2" in "policy sign")
  digest=$({python} -c 'import base64, hashlib, json, sys
print(hashlib.sha256(base64.b64decode(json.load(open(sys.argv[1]))["payload"])).hexdigest())' "$3")
  set -- "$@" --yes-i-read-it "$digest" ;;
esac
exec {python} -m handoff_tui "$@"
"""


def read_commands(title: str) -> list[tuple[str, str]]:
    """Who says what in the scenario of a title: names and shell commands in turn."""
    text = DOCUMENT.read_text(encoding="utf-8")
    section = text[text.index(f"### {title}\n") :].split("\n### ")[0]
    (block,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    parts = SPEAKER.split(block)
    assert not parts[0].strip()
    return list(zip(parts[1::2], parts[2::2], strict=True))


class Stage:
    """A repository, two people, and a command line for the scenario's commands."""

    def __init__(self, circle: Circle, builder: RepositoryBuilder, tmp_path: Path) -> None:
        self.circle, self.builder = circle, builder
        self.people = {name: circle.person(name) for name in ("ada", "bob")}
        self.tools = write_executable(tmp_path / "bin/handoff-tui", WRAPPER.format(python=sys.executable)).parent

    @property
    def ada(self) -> Person:
        return self.people["ada"]

    @property
    def bob(self) -> Person:
        return self.people["bob"]

    def begin(self) -> str:
        """Ada begins the log and lets bob in; the first entry."""
        genesis = self.circle.begin(self.ada)
        self.circle.change(self.ada, (self.ada,), "--add-root", self.circle.enrol(self.bob), name="let-bob-in")
        self.builder.commit("the log")
        assert self.circle.speaking(self.bob, "log", "pin", genesis, "--repo", self.builder.folder).code == 0
        return genesis

    def play(self, title: str, **values: str) -> str:
        """Runs the commands of a scenario, each by its person; what they printed."""
        return "".join(self.run(self.people[name], script, values) for name, script in read_commands(title))

    def run(self, person: Person, script: str, values: Mapping[str, str]) -> str:
        environment = {**os.environ, **person.environment, "PATH": f"{self.tools}:{os.environ['PATH']}", **values}
        with open_pty() as terminal:
            done = subprocess.run(
                ["sh", "-eu"],
                input=script.encode(),
                cwd=self.builder.folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
                start_new_session=True,
                preexec_fn=lambda: take_terminal(terminal),
            )
        assert done.returncode == 0, done.stdout.decode()
        return done.stdout.decode()

    def verify(self) -> str:
        """The verdict and its codes, in a word each."""
        said = self.circle.speaking(self.ada, "log", "verify", "--json", "--repo", self.builder.folder)
        return " ".join([said.json["verdict"], *(problem["code"] for problem in said.json["problems"])])

    def list_states(self, person: Person) -> dict[str, str]:
        """The entries of a person, and what is said of each."""
        words = ("log", "--json", "--person", person.email, "--repo", self.builder.folder)
        return {row["id"]: row["state"] for row in self.circle.speaking(self.ada, *words).json["entries"]}


@pytest.fixture
def stage(circle: Circle, builder: RepositoryBuilder, tmp_path: Path) -> Stage:
    return Stage(circle, builder.write("work.txt").commit("work"), tmp_path)


def find_keyid(stage: Stage, person: Person) -> str:
    keys = stage.circle.speaking(stage.ada, "keys", "list", "--json", "--repo", stage.builder.folder).json["keys"]
    (found,) = (key["keyid"] for key in keys if key["principal"] == person.email)
    assert isinstance(found, str)
    return found


def test_lost_key_is_exchanged(stage: Stage) -> None:
    """Bob's old decision stays, his new key signs, his old one does not."""
    stage.begin()
    old = stage.circle.decide(stage.bob)
    make_key(stage.bob.home / ".ssh/id_new")
    stage.play("A lost key", LOST=find_keyid(stage, stage.bob))
    new = stage.circle.decide(stage.bob, "H-2", stage.bob.home / ".ssh/id_new")
    assert stage.list_states(stage.bob) == {old: "valid", new: "valid"}
    with pytest.raises(Exception, match="not in the policy"):
        stage.circle.decide(stage.bob, "H-3", stage.bob.key)


def test_only_root_key_is_lost(stage: Stage) -> None:
    """A new log begins, and the old one verifies as a file."""
    old = stage.circle.begin(stage.ada)
    stage.circle.decide(stage.ada)
    stage.builder.commit("the first log")
    make_key(stage.ada.home / ".ssh/id_new")
    said = stage.play("The only root key is lost", OLD_PIN=old)
    assert said.count("✓ clean") == 2
    assert list_entries(stage.builder.folder) != []
    assert old not in list_entries(stage.builder.folder)


def test_stolen_key_is_dropped(stage: Stage) -> None:
    """What the thief brings later is void, whatever its date; what was there before is listed and stays."""
    stage.begin()
    known = stage.circle.decide(stage.bob)
    stage.builder.commit("bob decides").step("branch", "thief")
    stage.play("A stolen key", STOLEN=find_keyid(stage, stage.bob))
    aside = RepositoryBuilder(stage.builder.folder.parent / "aside", stage.builder.moment)
    only = ("--single-branch", "--branch", "thief")
    stage.builder.step("clone", "--quiet", "--template=", *only, f"file://{stage.builder.folder}", str(aside.folder))
    elsewhere = Circle(stage.circle.speaking, aside.folder, stage.circle.folder)
    late = elsewhere.decide(stage.bob, "H-9")
    aside.commit("late")
    stage.builder.step("fetch", "--quiet", str(aside.folder), "thief:late")
    assert stage.list_states(stage.bob) == {known: "valid", late: "void"}
    assert stage.verify() == "clean void"


def test_forked_policy_is_settled(stage: Stage) -> None:
    """Two sides, each by one person; one policy follows both."""
    stage.begin()
    sides = []
    clones = {name: stage.builder.folder.parent / name for name in ("left", "right")}
    for clone in clones.values():
        stage.builder.step("clone", "--quiet", "--template=", str(stage.builder.folder), str(clone))
    for person, (name, clone) in zip((stage.ada, stage.bob), clones.items(), strict=True):
        apart = Circle(stage.circle.speaking, clone, stage.circle.folder)
        line = apart.enrol(stage.circle.person(f"agent-{name}"))
        sides.append(apart.change(person, (person,), "--add-agent", line, name=name))
        RepositoryBuilder(clone, stage.builder.moment).commit(name)
        stage.builder.step("pull", "--quiet", "--no-rebase", "--no-edit", "-X", "ours", str(clone), "main")
    assert stage.verify().startswith("fatal policy-forked")
    stage.play("A forked policy", SIDE=sides[0])
    assert stage.verify() == "clean"


@pytest.mark.parametrize("what", ["deleted", "changed"])
def test_deleted_or_changed_entries_are_put_back(stage: Stage, what: str) -> None:
    """From the history, and what came since stays."""
    stage.begin()
    middle = stage.circle.decide(stage.bob)
    last = stage.circle.decide(stage.ada)
    stage.builder.commit("decisions")
    digest = middle.removeprefix("sha256:")
    place = stage.builder.folder / f".handoff-tui/log/{digest[:2]}/{digest}.intoto.jsonl"
    if what == "deleted":
        place.unlink()
    else:
        place.write_bytes(b"{}\n")
    stage.builder.commit("tidy up")
    assert stage.verify().startswith("fatal")
    stage.play("Deleted or changed entries")
    assert stage.verify().startswith("clean")  # and it names what another home signed
    assert {middle, last} <= set(list_entries(stage.builder.folder))


def test_entry_that_follows_nothing_is_removed(stage: Stage) -> None:
    """An enrolled agent's entry with a parent that never was closes the gates, and its removal opens them."""
    agent = stage.circle.person("agent")
    genesis = stage.begin()
    stage.circle.change(stage.ada, (stage.ada,), "--add-agent", stage.circle.enrol(agent), name="agent")
    stage.builder.commit("an agent")
    stray = write_stray(stage, agent, genesis)
    stage.builder.commit("work")
    assert stage.verify() == "fatal missing-parent"
    stage.play("An entry that follows nothing", STRAY=stray.removeprefix("sha256:"))
    assert stage.verify() == "clean"


def write_stray(stage: Stage, agent: Person, genesis: str) -> str:
    """A submission, signed by an enrolled agent, that follows something that never was."""
    work = Work(handoff="H-1", phase="implement", attempt=1, producers=(), policy=genesis, subject=SUBJECT)
    entry = Entry(
        id="",
        kind=EntryKind.SUBMISSION,
        actor=agent.email,
        seq=9,
        time="2026-01-01T00:00:00Z",
        parents=("sha256:" + "7" * 64,),
        log=genesis,
        work=work,
    )
    payload = build_payload(entry)
    signed = SigningTool(agent.public_text, agent.key).sign(build_pae(payload))
    return RealLog(stage.builder).store(build_envelope(payload, [re_armor(signed)]))


def test_damaged_witness_is_moved_aside(stage: Stage) -> None:
    """Held against a pin and a commit that was good, the clone begins to remember again."""
    genesis = stage.begin()
    witness = stage.builder.folder / ".git/handoff-tui/witness.json"
    witness.write_bytes(witness.read_bytes()[:-9])
    assert stage.verify() == "fatal witness-damaged not-pinned"
    stage.play("A damaged witness", PIN=genesis, SEEN="HEAD")
    assert stage.verify() == "clean"
    assert witness.exists()


def test_every_scenario_is_played() -> None:
    """A scenario without a test is a promise without proof."""
    text = DOCUMENT.read_text(encoding="utf-8")
    titles = re.findall(r"^### (.*)$", text[text.index("## Recovery") :], re.MULTILINE)
    played = Path(__file__).read_text(encoding="utf-8")
    assert [title for title in titles if f'play("{title}"' not in played] == []
    assert len(titles) == 7
