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

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.decisions.decide import DecideRequest, prepare_decision, sign_decision
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, examine
from handoff_tui.git.repository import open_repository
from handoff_tui.git.signing.ssh_keygen import SigningTool
from handoff_tui.git.work_tree.content import read_submodule_commit, read_work_content
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.scope import DELETED, Content, Scope, Scopes
from handoff_tui.handoffs.session import open_session
from handoff_tui.live.feed.snapshot import RepositorySnapshot, read_snapshot
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import DecisionVerb, EntryKind, PolicyText
from handoff_tui.log.gates.coverage import find_last_owners
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import open_log
from handoff_tui.log.policy.signers import build_line
from handoff_tui.log.storage.evidence import read_review
from handoff_tui.status.coverage import read_coverage
from handoff_tui.status.inbox_item import InboxItem
from handoff_tui.status.pipeline import build_pipeline
from handoff_tui.status.refresh import HandoffReviewer, open_log_gates, refresh, refresh_all
from handoff_tui.status.show import show
from handoff_tui.status.status_page import build_status_json
from handoff_tui.tui.chrome import build_title
from handoff_tui.tui.views.queue.rows import mark_item
from tests.support.builder_story import MANIFEST, SOURCE, build_files
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, make_person

HANDOFFS = {"a": "notes/docs/handoffs/a-1.md", "b": "notes/docs/handoffs/b-1.md"}
PACKAGE = "H-5"
LAMP, LAMP_TEST = "PKG-LAMP-001/lamp.py", "PKG-LAMP-001/test_lamp.py"
SUBMODULE = "module"
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
        self.handoffs = dict(HANDOFFS)
        self.decided_on_edits = False
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

    def add_package(self, foreign: tuple[str, ...] = (LAMP, LAMP_TEST)) -> None:
        """One more handoff: its manifest names the hashes of files that `b` made."""
        files = build_files(PACKAGE)
        for path in foreign:
            self.builder.write(path, files.pop(path))
        self.builder.commit(f"the lamp\n\nHandoff: {HANDOFFS['b']}")
        for path, content in files.items():
            self.builder.write(path, content)
        self.builder.commit(f"{PACKAGE}: results")
        self.handoffs[PACKAGE] = PACKAGE

    def write_document(self, name: str, status: str) -> None:
        self.builder.write(HANDOFFS[name].removeprefix("notes/"), f"# Handoff: {name}\n\nStatus: {status}\n\nText.\n")

    def work(self, name: str, path: str, content: str) -> None:
        self.builder.write(path, content).commit(f"work on {path}\n\nHandoff: {HANDOFFS[name]}")

    def act(self, kind: str, path: str, content: str) -> None:
        """Changes a path and stages that alone; one that is not there is written."""
        place = self.builder.place(path)
        if kind == "bump":
            self._bump_submodule()
        elif kind == "delete" and place.exists():
            place.unlink()
        elif kind == "rename" and place.exists():
            moved = place.rename(place.with_name(f"{place.name}.moved"))
            self.builder.git("add", "--all", "--", str(moved))
        else:
            self.builder.write(path, content)
        if self.builder.git("ls-files", "--", path) or place.exists():
            self.builder.git("add", "--all", "--", path)

    def _bump_submodule(self) -> None:
        """The submodule gets one more commit; the first time it is made."""
        place = self.root / SUBMODULE
        if not place.exists():
            source = RepositoryBuilder.init(self.folder / "source").write("inner.txt", "0\n").commit("inner")
            words = ("submodule", "--quiet", "add", str(source.folder), SUBMODULE)
            self.builder.git("-c", "protocol.file.allow=always", *words)
            return
        inner = RepositoryBuilder(place)
        inner.write("inner.txt", f"{inner.head()}\n").commit("inner work")
        self.builder.git("add", "--", SUBMODULE)

    def commit(self, message: str) -> None:
        """Commits everything, if there is anything."""
        if self.builder.git("status", "--porcelain"):
            self.builder.commit(message)

    def commit_staged(self, message: str) -> None:
        self.builder.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)

    def revert(self) -> None:
        """Takes the last commit back, unless it is a merge, has entries of the log, or the documents."""
        changed = self.list_changed("HEAD~1")
        is_merge = " " in self.builder.git("log", "-1", "--format=%P")
        is_kept = any(path.startswith((".handoff-tui/", "docs/handoffs/", ".gitmodules")) for path in changed)
        if changed and not is_merge and not is_kept and not changed & self.list_uncommitted():
            self.builder.git("revert", "--no-edit", "HEAD")

    def merge(self, number: int, name: str, path: str, choice: str) -> None:
        """Merges a branch on which somebody changed a path; the merge chooses a side, or undoes what the branch did."""
        self.commit("leftovers")
        if choice == "import":
            self._import_history(number, name)
            return
        branch, before = f"side-{number}", self.builder.head()
        self.builder.step("checkout", "--quiet", "-b", branch, "HEAD~1")
        self.builder.write(path, f"side {number}\n").step("add", "--", path)
        self.commit_staged("side work" + (f"\n\nHandoff: {HANDOFFS[name]}" if name else ""))
        self.builder.step("checkout", "--quiet", "main")
        words = {"ours": ("-X", "ours"), "theirs": ("-X", "theirs"), "undo": ("-s", "ours")}[choice]
        try:
            self.builder.git("merge", "--quiet", "--no-ff", "--no-edit", *words, branch)
        except AssertionError:  # one side deleted the file: git asks a person
            self.builder.git("reset", "--quiet", "--hard", before)

    def _import_history(self, number: int, name: str) -> None:
        """Merges a history with a first commit of its own."""
        blob = self.builder.git("hash-object", "-w", "--stdin", stdin=b"imported\n")
        tree = self.builder.git("mktree", stdin=f"100644 blob {blob}\timport-{number}.py\n".encode())
        message = "a beginning" + (f"\n\nHandoff: {HANDOFFS[name]}" if name else "")
        first = self.builder.git("commit-tree", tree, "-m", message)
        self.builder.git("merge", "--quiet", "--no-ff", "--no-edit", "--allow-unrelated-histories", first)

    def check_contents(self, scopes: Scopes) -> None:
        """What lies here is what the last owners of each path made of it: nothing is approved that is not there."""
        for path, owners in find_last_owners(scopes).items():
            here = read_work_content(self.root, path, "sha1")
            content = DELETED if here is None else Content(here.mode, here.blob)
            if path == SUBMODULE:
                content = Content("160000", read_submodule_commit(self.root, path) or "")
            assert {scopes.of(owner).results[path] for owner in owners} == {content}, (path, owners)

    def list_differing(self) -> set[str]:
        """Every path that is not as it was in the first commit, our own files aside."""
        listed = self.builder.git("diff", "--name-only", "-z", ":/begin").split("\0")
        untracked = self.builder.git("ls-files", "--others", "-z").split("\0")
        return {path for path in (*listed, *untracked) if path and not path.startswith(".handoff-tui/")}

    def rewrite(self) -> None:
        """Makes the last commits again with other ids and the same content, as a rebase does."""
        self.builder.moment += 7
        if self.decided_on_edits:
            return  # whoever rewrites the commits below an edit that was decided on begins an attempt
        if self.list_uncommitted() or self.builder.git("rev-list", "--merges", "HEAD~3..HEAD"):
            self.builder.git("commit", "--quiet", "--amend", "--no-edit", "--only", "--no-verify", "--allow-empty")
        else:
            self.builder.git("rebase", "--quiet", "--force-rebase", "HEAD~3")

    def list_uncommitted(self) -> set[str]:
        listed = self.builder.git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all").split("\0")
        return {line[3:] for line in listed if line}

    def list_changed(self, since: str) -> set[str]:
        return set(filter(None, self.builder.git("diff", "--name-only", "-z", since, "HEAD").split("\0")))

    def clone(self) -> Path:
        folder = self.folder / f"clone-{len(list(self.folder.iterdir()))}"
        self.builder.git("clone", "--quiet", str(self.root), str(folder))
        return folder

    def decide(self, name: str, verb: str) -> None:
        desk, log = open_session(self.root), open_log(open_session(self.root).repository)
        request = DecideRequest(DecisionVerb(verb), self.handoffs[name], reason="because")
        sign_decision(log, prepare_decision(desk, log, request))
        self.decided_on_edits |= any(not path.startswith(".handoff-tui/") for path in self.list_uncommitted())

    def read_states(self, root: Path | None = None) -> dict[str, str]:
        """The state of each handoff, which status, gate and the app must all name."""
        root = root or self.root
        desk = open_session(root)
        told = refresh(desk, CheckAgain())
        status = {row["id"]: row["gate"]["state"] for row in build_status_json(told)["handoffs"]}  # type: ignore[attr-defined]
        snapshot = read_snapshot(root, 1)
        app = {item.key.handoff: item for item in snapshot.inbox}
        assert set(told.needs_you or ()) == {item.key.handoff for item in snapshot.inbox if item.needs_you}
        states = {}
        for name, handoff in self.handoffs.items():
            examined = examine(desk, open_log(desk.repository), handoff, options=WITHOUT_COMMANDS)
            shown = show(desk, refresh_all(desk, CheckAgain())._replace(state=snapshot.state), handoff).reviewed
            item = app[handoff]
            phase = next(one for one in build_pipeline(item.reviewed, {}, snapshot.gates.index).phases if one.gate)  # type: ignore[union-attr]
            gate = str(examined.gate.state)
            named = (status[handoff], str(item.reviewed.gate.state), str(shown.gate.state), str(phase.gate))
            assert named == (gate,) * 4, (name, named, gate)
            assert {item.reviewed.attempt, shown.attempt, phase.attempts} == {examined.key.attempt}, name
            check_title(snapshot, item, gate)
            states[name] = gate
        return states

    def read_scopes(self) -> Scopes:
        desk = open_session(self.root)

        result = read_repository(desk).result
        return HandoffReviewer(desk, result, open_log_gates(desk, result.handoffs, CheckAgain())).scopes


def check_title(snapshot: RepositorySnapshot, item: InboxItem, gate: str) -> None:
    """The title and the queue name the same state: that of the gate, or that it is the reader's turn."""
    part = RepositoryPart(item.key.root, "here", Loaded(snapshot.state))
    state = AppState(repositories=(part,), inbox=(item,), chosen=item.key)
    title = "".join(cell.text for cell in build_title(state, "overview", "", 160)).casefold()
    mark = mark_item(item).text
    word = {"rejected": "sent back", "retry": "sent back"}.get(gate, gate)
    assert item.needs_you or gate == "pending" or (gate in title and word in mark), (title, mark, gate)
    assert gate != "superseded" or "superseded" in item.reason, item.reason
    assert not item.needs_you or "your call" in title or "ready to approve" in title


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


ALL_PATHS = (*PATHS, "a.py", "b.py")
ACTS = ("write", "rename", "delete", "bump")
MERGES = ("merge ours", "merge theirs", "merge undo", "merge import")
EDITS = ("edit", "edit away")
VERBS = ("approve", "reject", "hold")
Step = tuple[str, str, str]
"""What is done, by which handoff (nobody: a commit that names none), and where."""
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.tuples(st.sampled_from(ACTS), st.sampled_from(["a", "b"]), st.sampled_from(PATHS)),
    st.tuples(st.sampled_from(ACTS), st.just(""), st.sampled_from(ALL_PATHS)),
    st.tuples(st.sampled_from(["edit", "edit away"]), st.just(""), st.sampled_from(ALL_PATHS)),
    st.tuples(st.sampled_from(["commit all", "revert", "rewrite"]), st.just(""), st.just("")),
    st.tuples(st.sampled_from(MERGES), st.sampled_from(["a", "b", ""]), st.sampled_from(ALL_PATHS)),
    st.tuples(st.sampled_from(VERBS), st.sampled_from(["a", "b"]), st.just("")),
)


def take_step(world: World, number: int, step: Step) -> None:
    kind, name, path = step
    if kind in VERBS:
        world.decide(name, kind)
    elif kind == "edit":
        world.builder.write(path, f"edited {number}\n")
    elif kind == "edit away":
        world.builder.place(path).unlink(missing_ok=True)
    elif kind == "commit all":
        world.commit("log and leftovers")
    elif kind == "revert":
        world.revert()
    elif kind == "rewrite":
        world.rewrite()
    elif kind in MERGES:
        world.merge(number, name, path, kind.removeprefix("merge "))
    else:
        world.act(kind, path, f"{number}\n")
        world.commit_staged(f"{kind} {path}" + (f"\n\nHandoff: {HANDOFFS[name]}" if name else ""))


def check_laws(world: World, steps: list[Step]) -> None:
    """Takes each step and looks what it did to both handoffs; then asks another clone."""
    states, scopes = world.read_states(), world.read_scopes()
    for number, step in enumerate(steps):
        head, dirty = world.builder.head(), world.list_uncommitted()
        take_step(world, number, step)
        before, states = states, world.read_states()
        earlier, scopes = scopes, world.read_scopes()
        touched = {step[2], *world.list_changed(head)}
        for other, handoff in HANDOFFS.items() if not touched & dirty else ():  # somebody took an edit over
            _check_one(step, touched, (before[other], earlier.of(handoff)), (states[other], scopes.of(handoff)), other)
        owned = {path for scope in scopes.by_handoff.values() for path in scope.results}
        assert scopes.changed <= owned | set(scopes.unclaimed_paths)
        assert not owned & set(scopes.unclaimed_paths)
        assert world.list_differing() <= scopes.changed
        world.check_contents(scopes)
    world.commit("everything")
    assert world.read_states(world.clone()) == world.read_states(), "another clone has other gates"


def _check_one(step: Step, touched: set[str], before: tuple[str, Scope], after: tuple[str, Scope], name: str) -> None:
    """What a step may do to one handoff: `before` and `after` are its state and its scope."""
    kind, actor, _ = step
    (old_state, old), (state, new) = before, after
    is_others = bool(actor) and actor != name
    if kind in VERBS:
        if is_others:
            assert (new.results, new.start) == (old.results, old.start), "a decision changed another scope"
            assert state == old_state, "a decision changed another gate"
        return
    if is_others and not touched & new.shared:
        assert state == old_state, "work of others changed a gate"
    if old_state in {"rejected", "held"} and (is_others or kind in EDITS):
        assert state == old_state, "a veto ended without a commit of its own"
    if not actor and not touched & (old.results.keys() | new.results.keys()):
        assert state == old_state, "an unrelated change changed a gate"


@settings(max_examples=6)
@given(steps=st.lists(STEPS, max_size=5))
def test_laws_hold_over_generated_histories(steps: list[Step]) -> None:
    """Status, gate and app agree; work of others, vetoes and partitions behave as scope.md says."""
    with open_world() as world:
        check_laws(world, steps)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@given(steps=st.lists(STEPS, max_size=9))
def test_laws_hold_over_long_histories(steps: list[Step]) -> None:
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


LAMPS: st.SearchStrategy[Step] = st.one_of(
    st.tuples(
        st.sampled_from(["edit", "b", "nobody", "merge"]), st.sampled_from([SOURCE, "other\n", ""]), st.just(LAMP)
    ),
    st.tuples(st.sampled_from(["b", "nobody"]), st.just("unrelated\n"), st.sampled_from(["one.py", "b.py"])),
    st.tuples(st.sampled_from(["commit all", "rewrite"]), st.just(""), st.just("")),
)


def change_lamp(world: World, number: int, step: Step) -> None:
    """Somebody else changes a file, without a commit, in one, or on a branch; no content deletes it."""
    kind, content, path = step
    if kind in {"commit all", "rewrite"}:
        take_step(world, number, (kind, "", ""))
        return
    if kind == "merge":
        world.commit("leftovers")
        world.builder.step("checkout", "--quiet", "-b", f"side-{number}")
    if content:
        world.builder.write(path, content)
    else:
        world.builder.place(path).unlink(missing_ok=True)
    if kind != "edit":
        world.builder.git("add", "--all", "--", path.rpartition("/")[0] or path)
        world.commit_staged("work" if kind == "nobody" else f"work\n\nHandoff: {HANDOFFS['b']}")
    if kind == "merge":
        world.builder.step("checkout", "--quiet", "main")
        world.builder.git("merge", "--quiet", "--no-ff", "--no-edit", f"side-{number}")


def check_package_law(world: World, steps: list[Step]) -> None:
    """The approval stands exactly as long as the file that the manifest names has the hash it names."""
    world.add_package()
    world.decide(PACKAGE, "approve")
    for number, step in enumerate(steps):
        change_lamp(world, number, step)
        lamp = world.builder.place(LAMP)
        fits = lamp.exists() and lamp.read_text() == SOURCE
        assert world.read_states()[PACKAGE] == ("approved" if fits else "superseded")
    world.commit("everything")
    with live_as(make_person(world.folder / "homes", "cy")):
        assert world.read_states(world.clone()) == world.read_states(), "another clone has other gates"


@settings(max_examples=4)
@given(steps=st.lists(LAMPS, max_size=4))
def test_check_that_fails_over_the_work_of_others_supersedes(steps: list[Step]) -> None:
    """Law 1 and 2 for what a check read of others: fails, and the approval goes; restored, and it is back."""
    with open_world() as world:
        check_package_law(world, steps)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@given(steps=st.lists(LAMPS, max_size=8))
def test_check_law_holds_over_long_histories(steps: list[Step]) -> None:
    """The same for longer."""
    with open_world() as world:
        check_package_law(world, steps)


def test_changed_file_of_others_that_a_check_accepts_supersedes_nothing(tmp_path: Path) -> None:
    """A check runs again on what is here: what others changed so that it passes keeps the approval, and coverage it."""
    with open_world() as world:
        world.add_package()
        world.decide(PACKAGE, "approve")
        record = read_review(world.root, open_log(open_repository(world.root)).verify().entries[-1].decision.review)  # type: ignore[union-attr]
        read = {file.path: file.checks for file in record.read_elsewhere}
        assert "asset-hashes-match" in read[LAMP]
        assert not {check for checks in read.values() for check in checks} & {"data-intact", "work-can-be-compared"}
        world.work("b", LAMP, "other\n")
        named = f"the check asset-hashes-match passed then and fails now: lamp.py of {LAMP.partition('/')[0]}"
        desk = open_session(world.root)
        shown = show(desk, refresh_all(desk, CheckAgain()), PACKAGE).reviewed.gate
        assert [one for one in shown.blocking if named in one]
        state = {path.path: path.state for path in read_coverage(desk, CheckAgain()).coverage.paths}
        assert state[MANIFEST] == "waiting"
        world.work("b", LAMP, SOURCE)
        assert world.read_states()[PACKAGE] == "approved"


def test_own_files_that_the_next_handoff_changed_make_no_check_fail() -> None:
    """Law 7: a check sees the handoff's own files as it left them, even where another file makes it run again."""
    with open_world() as world:
        world.add_package(foreign=(LAMP_TEST,))
        world.decide(PACKAGE, "approve")
        world.work("b", LAMP, "other\n")
        assert world.read_states()[PACKAGE] == "approved"
        world.work("b", LAMP_TEST, "def test_more() -> None: ...\n")
        assert world.read_states()[PACKAGE] == "superseded"
        desk = open_session(world.root)
        (gate,) = (one.gate for one in refresh(desk, CheckAgain()).handoffs if one.handoff.id == PACKAGE)
        assert [why for why in gate.blocking if "test_lamp.py of PKG-LAMP-001 is not the file" in why]
