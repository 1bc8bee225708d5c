"""One handoff made by an agent, and people who decide on it by the real verbs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from handoff_tui.git.repository import open_repository
from handoff_tui.git.signing.ssh_keygen import SigningTool
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import EntryKind, PolicyText
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import open_log
from handoff_tui.log.policy.signers import build_line
from tests.support.command_line import Said
from tests.support.repositories import EMAIL, NOTE_ON_ADDING, RepositoryBuilder
from tests.support.signed import Person, Speaking, make_person

HANDOFF = "notes/HANDOFF.md"
GATE = '[gates."*"]\nthreshold = 1\n'
CODE = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"


def _let_decide_headless(gates: str, names: str) -> str:
    """Lets the people decide without a terminal at every gate, unless the gates say who may."""
    if "headless" in gates:
        return gates
    return re.sub(r"^(\[gates\..*\])$", rf"\1\nheadless = [{names}]", gates, flags=re.MULTILINE)


class GateDesk:
    """A repository whose work is by ada (the builder's own name), with a log that others decide in."""

    def __init__(self, speaking: Speaking, builder: RepositoryBuilder, folder: Path) -> None:
        self.speaking = speaking
        self.builder = builder
        self.folder = folder
        builder.write("src/app.py", CODE).write("HANDOFF.md", NOTE_ON_ADDING).commit("the work")

    @property
    def root(self) -> Path:
        return self.builder.folder

    def person(self, name: str, passphrase: str = "") -> Person:
        return make_person(self.folder / "homes", name, passphrase)

    def begin(
        self,
        *people: Person,
        agents: Iterable[Person] = (),
        guests: Iterable[Person] = (),
        gates: str = GATE,
        roles: str = "",
        start_line: str = "",
    ) -> str:
        """A log with these reviewers; the first of them signs its policy. Guests have a key in it and no role.

        The id of the first entry.
        """
        agents = tuple(agents)
        names = ", ".join(f'"{person.email}"' for person in people)
        machines = ", ".join(f'"{agent.email}"' for agent in agents)
        line = f'start_line = "{start_line}"\n' if start_line else ""
        toml = (
            f'version = 1\n{line}[roles.root]\nprincipals = ["{people[0].email}"]\n'
            f"[roles.reviewer]\nprincipals = [{names}]\n"
            f"[roles.agent]\nprincipals = [{machines}]\n{roles}{_let_decide_headless(gates, names)}"
        )
        signers = "".join(build_line(person.email, person.public_text) for person in (*people, *agents, *guests))
        text = PolicyText(version=1, allowed_signers=signers, policy_toml=toml, nonce="00" * 16)

        def build(parents: Parents) -> Draft:
            return Draft(build_payload(parents.build_entry(EntryKind.POLICY, people[0].email, policy=text)))

        log = open_log(open_repository(self.root))
        genesis = log.journal.append(build, SigningTool(people[0].public_text, people[0].key)).entry.id
        for person in (*people, *agents, *guests):
            self.vouch(person)
        return genesis

    def vouch(self, person: Person) -> None:
        """Somebody takes this log for the right one."""
        with pytest.MonkeyPatch.context() as patch:
            person.become(patch)
            log = open_log(open_repository(self.root))
            log.consent(log.verify())

    def gate(self, person: Person, *options: str) -> Said:
        return self.speaking(person, "gate", HANDOFF, "--repo", self.root, "--json", *options)

    def digest(self, person: Person, *options: str) -> str:
        """What a person spells out who decides without a terminal."""
        return str(self.gate(person, *options).json["subject"]["digest"])

    def decide(self, person: Person, verb: str, *options: str | Path, subject: str | None = None) -> Said:
        """Decides on what is here now, or on what somebody saw before."""
        named = [str(option) for option in options]
        phase = named[named.index("--phase") :][:2] if "--phase" in named else []
        spelled = subject or self.digest(person, *phase)
        words = ("decide", verb, HANDOFF, "--repo", self.root, "--subject", spelled, "--json")
        return self.speaking(person, *words, *options)

    def change(self, content: str = CODE + "# more\n", path: str = "src/app.py") -> None:
        """More work of the agent, committed."""
        self.builder.write(path, content).commit("more work")

    def begin_approved(self) -> None:
        """Work that Bo approved, the log committed with it, and broken work by Ada after it."""
        bo = self.person("bo")
        self.builder.config("user.email", EMAIL).config("user.name", "Ada")
        self.begin(bo)
        self.decide(bo, "approve", "--reason", "good")
        self.commit_log()
        self.change("broken\n")

    def commit_log(self) -> None:
        self.builder.commit("the log")
