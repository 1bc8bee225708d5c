from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.changes.diff import diff_scope
from handoff_tui.checks.report import CheckResult
from handoff_tui.checks.run.check import ProgressCallbacks, check
from handoff_tui.checks.run.commands import give_consent, grant_access, read_consent
from handoff_tui.checks.run.guards import accept_settings
from handoff_tui.core.errors import DecisionForbiddenError, HandoffNotFoundError, RepositoryError
from handoff_tui.decisions.examine import (
    WITHOUT_COMMANDS,
    ExaminedGate,
    ExamineOptions,
    build_checks_digest,
    examine,
    find_changes_since,
    judge_again,
    plan_gate,
    refuse_changed,
)
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.entry import NO_BASELINE
from handoff_tui.log.open_log import open_log
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person


def look(root: Path, phase: str | None = None, earlier: ExaminedGate | None = None) -> ExaminedGate:
    desk = open_session(root)
    return examine(desk, open_log(desk.repository), HANDOFF, phase, ExamineOptions(earlier=earlier))


def test_everything_is_bound_to_what_is_here(gate_desk: GateDesk) -> None:
    """The commit, its tree, the handoff's own files and start, the snapshot, the checks, the handoff."""
    examined = look(gate_desk.root)
    subject = examined.subject
    assert subject.commit == gate_desk.builder.head()
    assert subject.tree == gate_desk.builder.head("HEAD^{tree}")
    assert subject.scope == examined.gates.work.digests.digest(examined.scope)
    assert (sorted(examined.scope.results), subject.start) == (["HANDOFF.md", "src/app.py"], "0" * 40)
    assert subject.baseline == NO_BASELINE
    assert subject.checks == build_checks_digest(examined.report)
    assert examined.key == (HANDOFF, "review", 1)
    assert not examined.uncommitted


def test_looking_again_gives_the_same(gate_desk: GateDesk) -> None:
    """Nothing in the subject rests on the clock, the cache or the order."""
    first = look(gate_desk.root)
    assert look(gate_desk.root).digest == first.digest
    assert look(gate_desk.root, earlier=first).digest == first.digest
    assert look(gate_desk.root, "release").digest != first.digest


def test_gate_is_judged_the_same_without_its_work(gate_desk: GateDesk) -> None:
    """Only what signs needs the snapshot; who asks for it all the same is refused."""
    desk = open_session(gate_desk.root)
    with_work = look(gate_desk.root)
    without = examine(desk, open_log(desk.repository), HANDOFF, options=ExamineOptions(capture=False))
    assert (without.digest, without.gate, without.failing) == (with_work.digest, with_work.gate, with_work.failing)
    assert without.subject == with_work.subject.model_copy(update={"snapshot": ""})
    with pytest.raises(ValueError, match="without its work"):
        _ = without.snapshot
    assert look(gate_desk.root, earlier=without).subject == with_work.subject


def test_snapshot_of_the_subject_leaves_the_surroundings_out(gate_desk: GateDesk) -> None:
    """Branch and upstream may change while the work stays; the commit is the newest that is work."""
    work = gate_desk.builder.head()
    gate_desk.builder.write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl").commit("log")
    snapshot = look(gate_desk.root).snapshot
    assert (snapshot.branch, snapshot.upstream, snapshot.commit) == (None, None, work)


def test_uncommitted_work_is_seen(gate_desk: GateDesk) -> None:
    """An own file is in scope and snapshot, not in the tree of the commit; somebody else's is in the snapshot only."""
    clean = look(gate_desk.root)
    gate_desk.builder.write("elsewhere.py", "import os\n")
    beside = look(gate_desk.root)
    assert not beside.uncommitted
    assert (beside.subject.scope, beside.digest) == (clean.subject.scope, clean.digest)
    gate_desk.builder.write("src/app.py", "import os\n")
    dirty = look(gate_desk.root)
    assert dirty.uncommitted
    assert dirty.subject.tree == clean.subject.tree
    assert len({found.subject.snapshot for found in (clean, beside, dirty)}) == 3
    assert dirty.subject.scope != clean.subject.scope


def test_gate_is_judged_again_by_the_log_of_now(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without running a check."""
    before = look(gate_desk.root)
    gate_desk.decide(bo, "approve")
    monkeypatch.setattr("handoff_tui.decisions.examine.check", None)
    after = judge_again(before, open_log(before.session.repository))
    assert (before.gate.state.value, after.gate.state.value) == ("pending", "approved")


def test_checks_run_for_the_handoff_and_for_the_repository(gate_desk: GateDesk) -> None:
    """Each is told once as they go: to whoever follows it is one run, with one end."""
    told: list[tuple[str, int, int]] = []
    desk = open_session(gate_desk.root)
    telling = ProgressCallbacks(on_result=lambda result, done, total: told.append((result.id, done, total)))
    examined = examine(desk, open_log(desk.repository), HANDOFF, telling=telling)
    assert sorted(name for name, _, _ in told) == sorted(result.id for result in examined.report.results)
    assert [done for _, done, _ in told] == list(range(1, len(told) + 1))
    assert examined.captured is not None
    assert "claims-hold" in examined.captured.snapshot.checks


def test_unknown_handoff_is_said_to_be_unknown(gate_desk: GateDesk) -> None:
    """With a hint at what there is."""
    desk = open_session(gate_desk.root)
    with pytest.raises(HandoffNotFoundError):
        examine(desk, open_log(desk.repository), "H-99")


def test_nothing_is_decided_before_the_first_commit(builder: RepositoryBuilder) -> None:
    """A decision is bound to a commit."""
    desk = open_session(builder.write("HANDOFF.md", "# Handoff\n").folder)
    with pytest.raises(RepositoryError, match="no commit yet"):
        examine(desk, open_log(desk.repository), HANDOFF)


def test_entry_that_comes_while_checks_run_is_no_movement(gate_desk: GateDesk) -> None:
    """Somebody else decides meanwhile: nothing runs twice for it."""
    told: list[str] = []
    desk = open_session(gate_desk.root)

    def write(result: CheckResult, _done: int, _total: int) -> None:
        told.append(result.id)
        gate_desk.builder.write(f".handoff-tui/log/aa/aa{len(told):062x}.intoto.jsonl", "an entry")

    examined = examine(desk, open_log(desk.repository), HANDOFF, telling=ProgressCallbacks(on_result=write))
    assert told.count("claims-hold") == 1
    assert not examined.failing


def test_looking_at_a_gate_starts_no_command(gate_desk: GateDesk, tmp_path: Path) -> None:
    """What would have to run is unknown, which closes the gate; a result that is known counts."""
    mark = tmp_path / "mark"
    settings = f'[checks.own]\nrun = ["/bin/sh", "-c", "echo >> {mark}"]\naccess = ["{tmp_path}/:write"]\n'
    gate_desk.builder.write("handoff-tui.toml", settings).commit()
    desk = open_session(gate_desk.root)
    consent = read_consent(desk)
    assert consent is not None
    give_consent(desk, consent.digest)
    grant_access(desk, [f"{tmp_path}/:write"])
    accept_settings(desk)
    looked = examine(desk, open_log(desk.repository), HANDOFF, options=WITHOUT_COMMANDS)
    assert "own" in looked.failing
    assert not mark.exists()
    run = check(desk, plan_gate(desk, looked.index, looked.handoffs, HANDOFF).build_request(fresh=True))
    assert mark.exists()
    options = ExamineOptions(run_commands=False, command_results=run.command_results)
    again = examine(desk, open_log(desk.repository), HANDOFF, options=options)
    assert "own" not in again.failing
    assert mark.read_text(encoding="utf-8").count("\n") == 1


def test_plan_names_the_gate_without_running_anything(gate_desk: GateDesk) -> None:
    """The same handoff, phase and attempt as the examination."""
    examined = look(gate_desk.root)
    plan = plan_gate(examined.session, examined.index, examined.handoffs, HANDOFF)
    assert (plan.key, plan.question.subject.handoff) == (examined.key, examined.subject.handoff)
    request = plan.build_request(fresh=True)
    assert (request.handoff, request.phase, request.fresh, request.baseline) == (HANDOFF, "review", True, plan.since)


@pytest.fixture
def examined(gate_desk: GateDesk) -> ExaminedGate:
    """The work of the agent, as it was looked at."""
    desk = open_session(gate_desk.root)
    return examine(desk, open_log(desk.repository), HANDOFF)


def test_changes_outside_the_scope_are_no_movement(gate_desk: GateDesk, examined: ExaminedGate) -> None:
    """An entry of the log, somebody else's files, an empty commit, a commit of other work."""
    gate_desk.builder.write(".handoff-tui/note", "ours").write("elsewhere.py", "theirs")
    assert find_changes_since(examined) == ()
    gate_desk.builder.commit("their work").commit("an empty one")
    refuse_changed(examined)


def test_changed_files_are_named(gate_desk: GateDesk) -> None:
    """Added, changed, deleted; a name cannot begin a line of our own words."""
    gate_desk.builder.write("handoff-tui.toml", f'[scopes."{HANDOFF}"]\npaths = ["src"]\n')
    examined = look(gate_desk.root)
    gate_desk.builder.write("src/new\nline.py", "theirs").write("src/app.py", "import os\n")
    with pytest.raises(DecisionForbiddenError) as refused:
        refuse_changed(examined)
    assert refused.value.message == (
        "the work has changed since it was shown, so nothing was signed: 2 files changed: src/app.py, src/new\\nline.py"
    )
    assert refused.value.hint == "Look again, then decide."


def test_many_changed_files_are_counted(gate_desk: GateDesk) -> None:
    """Five by name, the rest as a number."""
    gate_desk.builder.write("handoff-tui.toml", f'[scopes."{HANDOFF}"]\npaths = ["src"]\n')
    examined = look(gate_desk.root)
    for number in range(7):
        gate_desk.builder.write(f"src/new-{number}.py", f"{number}\n")
    named = ", ".join(f"src/new-{number}.py" for number in range(5))
    assert find_changes_since(examined) == (f"7 files changed: {named} and 2 more",)


def test_commit_of_what_was_shown_is_no_movement(gate_desk: GateDesk) -> None:
    """The files are as they were; a commit that changes them names them."""
    gate_desk.builder.write("src/app.py", "import os\n")
    examined = look(gate_desk.root)
    gate_desk.builder.commit("as shown")
    assert find_changes_since(examined) == ()
    gate_desk.change(CODE + "# more\n")
    assert find_changes_since(examined) == ("1 file changed: src/app.py",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Handoff: adding\n\nStatus: BLOCKED\n", ("1 file changed: HANDOFF.md",)),
        (None, ("the handoff is gone",)),
    ],
)
def test_changed_handoff_is_said(
    gate_desk: GateDesk, examined: ExaminedGate, text: str | None, words: tuple[str, ...]
) -> None:
    """By the file that it is in."""
    if text is None:
        (gate_desk.root / "HANDOFF.md").unlink()
    else:
        gate_desk.builder.write("HANDOFF.md", text)
    assert find_changes_since(examined) == words


def test_files_that_are_signed_and_those_that_are_not_are_all_changed_files(sample_repository: Path) -> None:
    """As the diff counts them: a review that was renamed is one file, and none of the signed ones."""
    session = open_session(sample_repository)
    examined = examine(session, open_log(session.repository), "H-3", options=WITHOUT_COMMANDS)
    found = diff_scope(session, examined.gates.work.scopes, "H-3").files
    assert found is not None
    changed = {change.path for change in found.listed.changes}
    assert changed == {*examined.scope.bound, *examined.scope.unbound}
    assert examined.scope.unbound == ("handoffs/H-3/REVIEW_REPORT_ATTEMPT_1.md", "handoffs/REGISTRY.md")
