"""The laws of scopes, over generated histories: what changes a handoff's gate, and what never does."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.decisions.decide import DecideRequest, prepare_decision, sign_decision
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, examine
from handoff_tui.git.repository import open_repository
from handoff_tui.git.signing.ssh_keygen import SigningTool
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.handoffs.session import open_desk
from handoff_tui.live.feed.snapshot import read_snapshot
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import DecisionVerb, EntryKind, PolicyText
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import open_log
from handoff_tui.log.policy.signers import build_line
from handoff_tui.status.refresh import HandoffReviewer, open_log_gates, refresh
from handoff_tui.status.status_page import build_status_json
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, make_person

HANDOFFS = {"a": "notes/docs/handoffs/a-1.md", "b": "notes/docs/handoffs/b-1.md"}
PATHS = ("one.py", "two.py", "docs/shared.md", "new file.txt")
POLICY = """version = 1
[roles.root]
principals = ["{0}"]
[roles.reviewer]
principals = ["{0}"]
[gates."*"]
threshold = 1
"""


class World:
    """One repository with two handoffs by an agent, and one person who decides."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.person = make_person(folder / "homes", "bo")
        self.builder = RepositoryBuilder.init(folder / "repository")
        self.builder.write("README", "before\n").commit("begin")
        for name, handoff in HANDOFFS.items():
            self.write_document(name, "COMPLETE")
            self.builder.write(f"{name}.py", f"{name}\n").commit(f"work\n\nHandoff: {handoff}")
        self.begin_log()

    def begin_log(self) -> None:

        person = self.person
        text = PolicyText(
            version=1,
            allowed_signers=build_line(person.email, person.public_text),
            policy_toml=POLICY.format(person.email),
            nonce="00" * 16,
        )

        def build(parents: Parents) -> Draft:
            return Draft(build_payload(parents.build_entry(EntryKind.POLICY, person.email, policy=text)))

        log = open_log(open_repository(self.root))
        log.journal.append(build, SigningTool(person.public_text, person.key))

    @property
    def root(self) -> Path:
        return self.builder.folder

    def write_document(self, name: str, status: str) -> None:
        self.builder.write(HANDOFFS[name].removeprefix("notes/"), f"# Handoff: {name}\n\nStatus: {status}\n\nText.\n")

    def work(self, name: str, path: str, content: str) -> None:
        self.builder.write(path, content).commit(f"work on {path}\n\nHandoff: {HANDOFFS[name]}")

    def decide(self, name: str, verb: str) -> None:
        desk, log = open_desk(self.root), open_log(open_desk(self.root).repository)
        request = DecideRequest(DecisionVerb(verb), HANDOFFS[name], reason="because")
        sign_decision(log, prepare_decision(desk, log, request))

    def read_states(self, root: Path | None = None) -> dict[str, str]:
        """The state of each handoff, which status, gate and the app must all name."""
        root = root or self.root
        desk = open_desk(root)
        status = {row["id"]: row["gate"]["state"] for row in build_status_json(refresh(desk))["handoffs"]}  # type: ignore[attr-defined]
        snapshot = read_snapshot(root, 1)
        app = {one.handoff.id: str(one.gate.state) for one in snapshot.state.handoffs}
        states = {}
        for name, handoff in HANDOFFS.items():
            gate = str(examine(desk, open_log(desk.repository), handoff, options=WITHOUT_COMMANDS).gate.state)
            assert status[handoff] == gate == app[handoff], (name, status[handoff], gate, app[handoff])
            states[name] = gate
        return states

    def read_scopes(self) -> Scopes:
        desk = open_desk(self.root)

        result = read_repository(desk).result
        return HandoffReviewer(desk, result, open_log_gates(desk, result.handoffs)).scopes


@contextmanager
def live_as(person: Person) -> Iterator[None]:
    with mock.patch.dict(os.environ, person.environment):
        yield


@contextmanager
def open_world() -> Iterator[World]:
    folder = Path(tempfile.mkdtemp(prefix="laws-"))
    try:
        person_home = folder / "homes" / "bo"
        with mock.patch.dict(os.environ, {"HOME": str(person_home), "GIT_CONFIG_NOSYSTEM": "1"}):
            world = World(folder)
            with live_as(world.person):
                yield world
    finally:
        shutil.rmtree(folder, ignore_errors=True)


STEPS = st.one_of(
    st.tuples(st.just("work"), st.sampled_from(["a", "b"]), st.sampled_from(PATHS)),
    st.tuples(st.just("drive-by"), st.just(""), st.sampled_from((*PATHS, "a.py", "b.py"))),
    st.tuples(st.just("edit"), st.just(""), st.sampled_from((*PATHS, "a.py", "b.py"))),
    st.tuples(st.just("commit all"), st.just(""), st.just("")),
    st.tuples(st.sampled_from(["approve", "reject", "hold"]), st.sampled_from(["a", "b"]), st.just("")),
)


def check_laws(world: World, steps: list[tuple[str, str, str]]) -> None:
    """Takes each step and looks what it did to both handoffs."""
    states = world.read_states()
    for number, (kind, name, path) in enumerate(steps):
        before, scopes = states, world.read_scopes()
        if kind == "work":
            world.work(name, path, f"{number}\n")
        elif kind == "drive-by":
            world.builder.write(path, f"{number}\n").commit("no handoff")
        elif kind == "edit":
            world.builder.write(path, f"edited {number}\n")
        elif kind == "commit all":
            world.builder.commit("log and leftovers")
        else:
            world.decide(name, kind)
        states = world.read_states()
        after = world.read_scopes()
        for other, handoff in HANDOFFS.items():
            touches = path in scopes.of(handoff).results or path in after.of(handoff).results
            if kind == "work" and other != name and path not in after.of(handoff).shared:
                assert states[other] == before[other], "work of others changed a gate"
            if kind in {"approve", "reject", "hold"} and other != name:
                assert after.of(handoff).results == scopes.of(handoff).results
                assert after.of(handoff).start == scopes.of(handoff).start
            if (
                before[other] in {"rejected", "held"}
                and kind in {"edit", "work"}
                and not (kind == "work" and other == name)
            ):
                assert states[other] == before[other], "a veto ended without a commit of its own"
            if kind in {"drive-by", "edit"} and not touches:
                assert states[other] == before[other], "an unrelated change changed a gate"
        owned = {path for scope in after.by_handoff.values() for path in scope.results}
        assert after.changed <= owned | set(after.unclaimed_paths)
        assert not owned & set(after.unclaimed_paths)


@settings(max_examples=6)
@given(st.lists(STEPS, max_size=5))
def test_laws_hold_over_generated_histories(steps: list[tuple[str, str, str]]) -> None:
    """Status, gate and app agree; work of others, vetoes and partitions behave as scope.md says."""
    with open_world() as world:
        check_laws(world, steps)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@settings(max_examples=60)
@given(st.lists(STEPS, max_size=9))
def test_laws_hold_over_long_histories(steps: list[tuple[str, str, str]]) -> None:
    """The same for longer."""
    with open_world() as world:
        check_laws(world, steps)


def test_edit_of_an_approved_file_supersedes_and_restoring_it_restores() -> None:
    """Law 2, with an uncommitted edit and with a commit that names nobody."""
    with open_world() as world:
        world.decide("a", "approve")
        assert world.read_states()["a"] == "approved"
        world.builder.write("a.py", "edited\n")
        assert world.read_states() == {"a": "superseded", "b": "pending"}
        world.builder.write("a.py", "a\n")
        assert world.read_states()["a"] == "approved"
        world.builder.write("a.py", "edited\n").commit("drive-by")
        assert world.read_states()["a"] == "superseded"
        world.builder.write("a.py", "a\n").commit("and back")
        assert world.read_states()["a"] == "approved"


def test_approval_outlives_the_next_phase_a_merge_and_a_rebase() -> None:
    """Law 7: the next handoff changes the same files in commits of its own; history is merged and rewritten."""
    with open_world() as world:
        world.decide("a", "approve")
        world.builder.commit("the log")
        world.work("b", "a.py", "changed by b\n")
        assert world.read_states()["a"] == "approved"
        assert world.read_scopes().of(HANDOFFS["b"]).befores["a.py"].blob
        world.builder.step("checkout", "--quiet", "-b", "side", "HEAD~1")
        world.builder.write("side.txt", "side\n").commit("side work")
        world.builder.step("checkout", "--quiet", "main").step("merge", "--quiet", "--no-edit", "side")
        assert world.read_states()["a"] == "approved"
        world.builder.step("rebase", "--quiet", "--force-rebase", "--root")
        assert world.read_states()["a"] == "approved"


def test_same_commit_and_log_give_the_same_gate_in_every_clone(tmp_path: Path) -> None:
    """Law of portability: another clone, another HOME, another key, no agents on the PATH."""
    with open_world() as world:
        world.decide("a", "approve")
        world.decide("b", "reject")
        world.builder.commit("the log")
        here = world.read_states()
        assert here == {"a": "approved", "b": "rejected"}
        clone = tmp_path / "clone"
        world.builder.git("clone", "--quiet", str(world.root), str(clone))
        with live_as(make_person(tmp_path / "homes", "cy")):
            assert world.read_states(clone) == here


def test_veto_stands_until_the_agent_commits() -> None:
    """Law 4: neither unrelated work nor a half-saved file ends a rejection; an own commit does."""
    with open_world() as world:
        world.decide("a", "reject")
        world.builder.write("a.py", "half saved\n")
        world.work("b", "b.py", "more\n")
        assert world.read_states()["a"] == "rejected"
        world.work("a", "a.py", "fixed\n")
        assert world.read_states()["a"] == "pending"
