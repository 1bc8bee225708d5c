"""A log that was changed in place after it was verified."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import cast

import pytest

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.checks.report import Outcome
from handoff_tui.checks.run.check import check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.checks.run.commands import give_consent, grant_access, read_consent
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.core.classes import replace
from handoff_tui.decisions.pages.packet import render_packet
from handoff_tui.git.file_diff import DiffOptions
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.agent_comments import AgentComment, add_comment
from handoff_tui.handoffs.claim import ClaimKind, VerdictState
from handoff_tui.handoffs.session import open_session
from handoff_tui.live.drafts import DraftKeeper
from handoff_tui.live.feed.snapshot import RepositorySnapshot
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.parts.requested import RequestedParts
from handoff_tui.live.parts.visible import VisibleParts
from handoff_tui.live.state.app import PACKET, AppState, DiffRange, Loaded, Part, RepositoryPart
from handoff_tui.live.state_store import StateStore, raise_bug
from handoff_tui.status.inbox_item import HandoffKey, QueueGroup
from handoff_tui.status.refresh import refresh, refresh_all
from handoff_tui.status.show import show
from handoff_tui.system.clock import read_now
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.gates import HANDOFF, GateDesk
from tests.support.live_desks import build_results, build_work, looking, save_atomically
from tests.support.repositories import RepositoryBuilder
from tests.support.waiting import wait_until

COMMAND = """[checks.always]
run = ["/bin/sh", "-c", "echo run >> {marks}; exit 1"]
access = ["{marks.parent}/:write"]
"""


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    return build_work(builder)


def read_hash_finding(state: AppState) -> str:
    """What the checks quote as the present hash of the claimed file."""
    results = state.checks.value.results if state.checks.value else ()
    found = [
        one.actual or ""
        for result in results
        if result.id == "hashes-hold"
        for finding in result.findings
        for one in finding.evidence
    ]
    return " ".join(found)


def read_lines(state: AppState) -> list[str]:
    """The lines of the file in view."""
    lines = state.file.value.lines if state.file.value else ()
    return [state.file.value.lines.read_line(number).text for number in range(len(lines)) if state.file.value]


def test_desk_shows_what_the_use_cases_say(work: RepositoryBuilder) -> None:
    """The state, the inbox and each part are those of the command line."""
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        state = onlooker.choose("H-1", Part.SHOWN, Part.CHECKS, Part.PIPELINE, Part.GATE, Part.FILES, Part.DIFFERENCE)
        desk = open_session(work.folder)
        fresh = refresh(desk, CheckAgain(), 0)
        (part,) = state.repositories
        assert part.state.value is not None
        assert fresh.needs_you == frozenset(
            item.key.handoff for item in state.inbox if item.group <= QueueGroup.YOUR_CALL
        )
        fresh = fresh.model_copy(update={"needs_you": None})  # the app counts its items instead
        assert part.state.value.model_copy(update={"generation": 0}) == fresh
        assert (part.root, part.name, part.watching) == (str(work.folder), "repository", Watching.LIVE)
        assert [item.key.handoff for item in state.inbox] == [one.handoff.id for one in fresh.handoffs]
        assert state.shown.value == show(desk, refresh_all(desk, CheckAgain())._replace(state=fresh), "H-1")
        report = check(desk, CheckRequest(handoff="H-1"))
        assert state.checks.value is not None
        known = {result.id: result.outcome for result in report.results}
        assert {result.id: result.outcome for result in state.checks.value.results}.items() <= known.items()
        assert state.gate.value is not None
        assert state.gate.value.checks_total == state.checks.value.total
        assert state.pipeline.value is not None
        assert state.files.value is not None
        assert state.difference.value is not None


def test_save_is_followed_without_a_full_look(work: RepositoryBuilder) -> None:
    """The claim is measured again, the checks say the new hash, and the repository was looked at in full once."""
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.SHOWN, Part.CHECKS)
        before = onlooker.state.repositories[0].confirmed_at
        content = "value = 3\n"
        digest = hashlib.sha256(content.encode()).hexdigest()
        save_atomically(work.place("src/part.py"), content)
        state = onlooker.wait_for(lambda state: digest in read_hash_finding(state))
        assert state.repositories[0].confirmed_at == before
        state = onlooker.wait_for_parts(Part.SHOWN)
        assert state.shown.value is not None
        assert any(digest in str(verdict.measured) for verdict in state.shown.value.verdicts)
        assert state.repositories[0].state.value is not None
        assert state.repositories[0].state.value.repository.changed == ("src/part.py",)


def test_comment_of_an_agent_is_there_with_its_next_save(work: RepositoryBuilder) -> None:
    """It comes by another way than a file of the work, in the middle of a review."""
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.SHOWN)
        comment = AgentComment(handoff="H-1", agent="robot", text="look at part.py", time="2026-11-18T08:00:00+00:00")
        add_comment(open_session(work.folder).repository, comment)
        save_atomically(work.place("src/part.py"), "value = 3\n")
        onlooker.wait_for(lambda state: bool(state.shown.value and comment in state.shown.value.agent_comments))


def test_true_claim_turns_green_when_the_file_is_saved(work: RepositoryBuilder) -> None:
    """And the inbox counts it."""
    content = "value = 9\n"
    work.write("handoffs/H-1/H-1_RESULTS.md", build_results(1, digest=hashlib.sha256(content.encode()).hexdigest()))
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.CHECKS)
        save_atomically(work.place("src/part.py"), content)

        def holds(state: AppState) -> bool:
            return bool(state.item and state.item.reviewed.claims.holds) and not read_hash_finding(state)

        onlooker.wait_for(holds)


def test_document_saved_changes_inbox_and_parts(work: RepositoryBuilder) -> None:
    """What the agent writes is read at once; the document in view, too, once it is taken in."""
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.SHOWN)
        path = "handoffs/H-1/H-1_RESULTS.md"
        onlooker.desk.need(frozenset({Part.SHOWN, Part.DOCUMENT}))
        onlooker.desk.open_document(path)
        state = onlooker.wait_for_parts(Part.DOCUMENT)
        assert state.document.value is not None
        assert state.document.value.document is not None
        save_atomically(work.place(path), build_results(1, tests=77))

        def is_there(state: AppState) -> bool:
            item, document = state.item, state.document.value
            tests = item.reviewed.handoff.tests if item else None
            return tests is not None and tests.total == 77 and document is not None and "77 tests" in document.text

        onlooker.wait_for(lambda state: state.moved == (path,))
        onlooker.desk.parts.take_in()
        onlooker.wait_for(is_there)


def test_new_handoff_appears_and_goes_away(work: RepositoryBuilder) -> None:
    """In folders that were not there before; one in view that is gone says so."""
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        work.write("handoffs/H-9/H-9_RESULTS.md", build_results(9))
        onlooker.choose("H-9", Part.SHOWN)
        work.place("handoffs/H-9/H-9_RESULTS.md").unlink()
        state = onlooker.wait_for(lambda state: state.shown.trouble is not None)
        assert state.shown.trouble is not None
        assert "H-9" in state.shown.trouble.message
        assert all(item.key.handoff != "H-9" for item in state.inbox)


def test_commit_is_noticed(work: RepositoryBuilder) -> None:
    """Refs and the index have everything read again."""
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        work.write("src/part.py", "value = 4\n").commit("more")
        head = work.head()

        def is_there(state: AppState) -> bool:
            value = state.repositories[0].state.value
            return value is not None and value.repository.head == head and value.repository.changed == ()

        onlooker.wait_for(is_there)


def test_repository_that_cannot_be_opened_is_shown_beside_others(work: RepositoryBuilder, tmp_path: Path) -> None:
    """With what is wrong; when it is one later, a rescan opens it."""
    empty = tmp_path / "empty"
    empty.mkdir()
    with looking(work.folder, empty) as onlooker:
        state = onlooker.wait_until_live()
        first, second = state.repositories
        assert first.state.value is not None
        assert (second.root, second.watching) == (str(empty), Watching.GONE)
        assert second.state.trouble is not None
        assert "not inside a git repository" in second.state.trouble.message
        build_work(RepositoryBuilder.init(empty), handoffs=1)
        onlooker.desk.rescan()
        state = onlooker.wait_for(lambda state: any(item.key.root == str(empty) for item in state.inbox))
        assert [one.state.trouble for one in state.repositories] == [None, None]


def test_two_folders_of_one_repository_are_one(work: RepositoryBuilder) -> None:
    """The first one stands for both."""
    with looking(work.folder, work.folder / "src") as onlooker:
        state = onlooker.wait_until_live()
        assert [one.root for one in state.repositories] == [str(work.folder)]
        assert len(state.inbox) == 2


def test_handoffs_of_several_repositories_stand_in_one_inbox(work: RepositoryBuilder, tmp_path: Path) -> None:
    """Ids are unique within one; choosing goes by both."""
    other = build_work(RepositoryBuilder.init(tmp_path / "other"), handoffs=1)
    with looking(work.folder, other.folder) as onlooker:
        state = onlooker.wait_until_live()
        assert {item.repository for item in state.inbox} == {"repository", "other"}
        key = next(item.key for item in state.inbox if item.repository == "other")
        onlooker.desk.choose(key)
        onlooker.desk.need(frozenset({Part.SHOWN, Part.LOG}))
        state = onlooker.wait_for_parts(Part.SHOWN, Part.LOG)
        assert state.repository is not None
        assert state.repository.root == str(other.folder)


def test_parts_that_nobody_needs_are_marked_stale_only(work: RepositoryBuilder) -> None:
    """They are read when they are needed again."""
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.SHOWN, Part.CHECKS)
        onlooker.desk.need(frozenset({Part.SHOWN}))
        work.write("src/other.py", "value = 5\n")
        onlooker.wait_for(lambda state: state.checks.stale)
        state = onlooker.wait_until_live()
        assert state.checks.stale
        assert not state.checks.loading
        onlooker.desk.need(frozenset({Part.CHECKS}))
        onlooker.wait_for(lambda state: not state.checks.stale and state.checks.value is not None)


def test_files_and_the_one_in_view(work: RepositoryBuilder) -> None:
    """Against any commit: the list, its counts, and the hunks of a file as it is saved."""
    first = work.head()
    work.write("src/part.py", "value = 8\n").commit("second")
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.SHOWN)
        onlooker.desk.need(frozenset({Part.FILES, Part.FILE}))
        onlooker.desk.parts.show_scope(DiffRange(DiffScope.SINCE_BASELINE, against=first))
        state = onlooker.wait_for(lambda state: bool(state.files.value and state.files.value.counted))
        assert state.files.value is not None
        assert [one.change.path for one in state.files.value.files] == ["src/part.py"]
        onlooker.desk.parts.open_file("src/part.py", DiffOptions())
        onlooker.wait_for(lambda state: "value = 8" in read_lines(state))
        save_atomically(work.place("src/part.py"), "value = 88\n")
        onlooker.wait_for(lambda state: "value = 88" in read_lines(state))
        onlooker.desk.parts.open_file("src/other.py", DiffOptions())
        state = onlooker.wait_for(lambda state: state.file.trouble is not None)
        assert state.file.value is None


def test_packet_is_a_document(work: RepositoryBuilder) -> None:
    """Made from the log and the checks, and rendered as Markdown."""
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.SHOWN)
        onlooker.desk.need(frozenset({Part.DOCUMENT}))
        onlooker.desk.open_document(PACKET)
        state = onlooker.wait_for_parts(Part.DOCUMENT)
        assert state.document.value is not None
        assert state.document.value.packet is not None
        assert state.document.value.text == render_packet(state.document.value.packet)


def test_claimed_test_numbers_are_measured_once_the_tests_were_run_here(builder: RepositoryBuilder) -> None:
    """In the verdicts that Evidence and Documents show, and in the counts of the overview."""
    builder.write("README.md").commit("start")
    builder.write("HANDOFF.md", "# Handoff\n\n## Tests\n\nAll 3 tests pass.\n").write("src/a.py", "one\n")
    builder.write("handoff-tui.toml", '[checks.tests]\nrun = ["echo", "3 passed in 0.10s"]\n').commit("the work")
    session = open_session(builder.folder)
    consent = read_consent(session)
    assert consent is not None
    give_consent(session, consent.digest)
    with looking(builder.folder) as onlooker:
        onlooker.wait_until_live()
        state = onlooker.choose("notes/HANDOFF.md", Part.SHOWN, Part.CHECKS)
        assert VerdictState.HOLDS not in list_counted(state)
        assert state.item is not None
        before = state.item.reviewed.claims
        onlooker.desk.checks.run()
        onlooker.wait_for(lambda state: VerdictState.HOLDS in list_counted(state))
        state = onlooker.wait_for(lambda state: state.item is not None and state.item.reviewed.claims != before)
        assert state.item is not None
        assert state.item.reviewed.claims.holds == before.holds + list_counted(state).count(VerdictState.HOLDS)


def list_counted(state: AppState) -> list[VerdictState]:
    """The verdicts on claimed numbers, as they are shown."""
    verdicts = state.shown.value.verdicts if state.shown.value is not None else ()
    return [one.state for one in verdicts if one.claim.kind is ClaimKind.COUNT]


def test_commands_run_only_when_asked(work: RepositoryBuilder, tmp_path: Path) -> None:
    """Looking starts nothing; asked, a command with consent runs, with progress, and its result stays while it fits."""
    marks = tmp_path / "marks"
    work.write("handoff-tui.toml", COMMAND.format(marks=marks)).commit("a command")
    desk = open_session(work.folder)
    consent = read_consent(desk)
    assert consent is not None
    give_consent(desk, consent.digest)
    grant_access(desk, [f"{tmp_path}/:write"])
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        state = onlooker.choose("H-1", Part.CHECKS, Part.GATE)
        assert _find_outcome(state) is Outcome.UNKNOWN
        assert not marks.exists()
        onlooker.desk.checks.run(("always",))
        onlooker.wait_for(lambda state: _find_outcome(state) is Outcome.FAIL and state.running is None)
        assert marks.read_text(encoding="utf-8").count("run") == 1
        assert any(state.running is not None and state.running.only == ("always",) for state in onlooker.told)
        work.write("src/other.py", "value = 6\n")
        onlooker.wait_for(lambda state: _find_outcome(state) is Outcome.UNKNOWN)
        assert marks.read_text(encoding="utf-8").count("run") == 1


def test_results_that_were_asked_for_stay_while_they_fit(work: RepositoryBuilder, tmp_path: Path) -> None:
    """A save elsewhere makes neither a command unknown nor a rule older than its last run."""
    marks = tmp_path / "marks"
    settings = f'{COMMAND.format(marks=marks)}inputs = ["src/part.py"]\n'
    work.write("handoff-tui.toml", settings).commit("a command")
    desk = open_session(work.folder)
    consent = read_consent(desk)
    assert consent is not None
    give_consent(desk, consent.digest)
    grant_access(desk, [f"{tmp_path}/:write"])
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.CHECKS)
        began = read_now()
        onlooker.desk.checks.run()
        onlooker.wait_for(lambda state: _find_outcome(state) is Outcome.FAIL and state.running is None)
        work.write("src/other.py", "value = 6\n")
        onlooker.wait_for(lambda state: bool(state.item) and "src/other.py" in _list_changed(state))
        state = onlooker.wait_for_parts(Part.CHECKS)
        assert _find_outcome(state) is Outcome.FAIL
        assert state.checks.value is not None
        assert all(result.ran_at is not None and result.ran_at >= began for result in state.checks.value.results)
        assert marks.read_text(encoding="utf-8").count("run") == 1


def _list_changed(state: AppState) -> tuple[str, ...]:
    value = state.repositories[0].state.value
    return value.repository.changed if value else ()


def _find_outcome(state: AppState) -> Outcome | None:
    results = state.checks.value.results if state.checks.value else ()
    return next((result.outcome for result in results if result.id == "always"), None)


def test_running_checks_can_be_cancelled_and_are_given_up_with_the_handoff(
    work: RepositoryBuilder, tmp_path: Path
) -> None:
    """The command is ended, and leaves nothing behind."""
    sleeping = '[checks.always]\nrun = ["/bin/sh", "-c", "touch {mark}; sleep 600"]\n'
    work.write("handoff-tui.toml", sleeping.format(mark=tmp_path / "mark")).commit("a command")
    desk = open_session(work.folder)
    consent = read_consent(desk)
    assert consent is not None
    give_consent(desk, consent.digest)
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.CHECKS)
        onlooker.desk.checks.run(("always",))
        onlooker.wait_for(lambda state: state.running is not None)
        onlooker.desk.checks.cancel()
        onlooker.wait_for(lambda state: state.running is None)
        onlooker.desk.checks.run(("always",))
        onlooker.wait_for(lambda state: state.running is not None)
        onlooker.desk.choose(None)
        onlooker.wait_for(lambda state: state.running is None)
        onlooker.wait_until_live()


def test_log_is_read_verified_and_shown_by_entry(gate_desk: GateDesk) -> None:
    """As the verbs of the command line do."""
    genesis = gate_desk.begin(gate_desk.person("bob"))
    with looking(gate_desk.root) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose(HANDOFF, Part.LOG)
        assert onlooker.state.log.value is not None
        assert [row.id for row in onlooker.state.log.value.rows] == [genesis]
        onlooker.desk.requests.open_entry(genesis[:15])
        state = onlooker.wait_for(lambda state: state.entry.value is not None)
        assert state.entry.value is not None
        assert state.entry.value.row.id == genesis
        onlooker.desk.requests.open_entry("ffff")
        onlooker.wait_for(lambda state: state.entry.trouble is not None)
        onlooker.desk.requests.verify_log()
        state = onlooker.wait_for(lambda state: state.report.value is not None)
        assert state.report.value is not None
        assert not state.report.value.fatal


def test_broken_log_is_said_of_its_repository(gate_desk: GateDesk) -> None:
    """Every gate is closed then."""
    genesis = gate_desk.begin(gate_desk.person("bob"))
    with looking(gate_desk.root) as onlooker:
        state = onlooker.wait_until_live()
        assert state.repositories[0].fatal == ()
        name = genesis.removeprefix("sha256:")
        (entry,) = (gate_desk.root / ".handoff-tui" / "log").rglob(f"*{name[2:]}*")
        entry.unlink()
        state = onlooker.wait_for(lambda state: bool(state.repositories[0].fatal))
        assert state.repositories[0].fatal


def test_looking_writes_nothing_into_the_repository(gate_desk: GateDesk) -> None:
    """Over a session of every view, with a full look on focus: not a byte, `.git` included."""
    gate_desk.begin(gate_desk.person("bob"))
    before = read_fingerprint(gate_desk.root)
    with looking(gate_desk.root) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose(HANDOFF, *(part for part in Part if part not in {Part.FILE, Part.DOCUMENT}))
        onlooker.desk.open_document("HANDOFF.md")
        onlooker.desk.set_focused(focused=False)
        onlooker.desk.set_focused(focused=True)
        onlooker.desk.rescan()
        onlooker.wait_until_live()
    assert compare_fingerprints(before, read_fingerprint(gate_desk.root)) == []


def test_stopped_desk_leaves_no_thread(work: RepositoryBuilder) -> None:
    """Whatever it was about to read."""
    before = set(threading.enumerate())
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.SHOWN)
        onlooker.desk.need(frozenset(Part))
    own = [one for one in set(threading.enumerate()) - before if not one.name.startswith("watch-listener")]
    assert own == []


def test_handoff_that_was_left_tells_nothing_any_more(work: RepositoryBuilder) -> None:
    """Parts are those of the handoff in view, however fast one goes through the list."""
    with looking(work.folder) as onlooker:
        state = onlooker.wait_until_live()
        onlooker.desk.need(frozenset({Part.SHOWN, Part.CHECKS, Part.GATE}))
        for _ in range(6):
            for item in state.inbox:
                onlooker.desk.choose(item.key)
        last = state.inbox[-1].key
        onlooker.wait_for_parts(Part.SHOWN, Part.CHECKS, Part.GATE)
        for told in onlooker.told:
            if told.shown.value is not None and told.chosen is not None:
                assert told.shown.value.reviewed.handoff.id == told.chosen.handoff
            if told.checks.value is not None and told.chosen is not None:
                assert told.checks.value.handoff == told.chosen.handoff
        assert onlooker.state.chosen == last


def test_phase_in_view_is_that_of_the_gate(gate_desk: GateDesk) -> None:
    """Another phase has another gate."""
    gate_desk.begin(gate_desk.person("bob"))
    with looking(gate_desk.root) as onlooker:
        onlooker.wait_until_live()
        first = onlooker.choose(HANDOFF, Part.GATE).gate.value
        onlooker.desk.choose_phase("release")
        second = onlooker.wait_for_parts(Part.GATE).gate.value
        assert first is not None
        assert second is not None
        assert first.digest != second.digest


def test_repository_that_goes_away_and_comes_back_is_said(work: RepositoryBuilder, tmp_path: Path) -> None:
    """What was read stays in view, marked as old, until it is there again."""
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        work.folder.rename(tmp_path / "away")
        state = onlooker.wait_for(lambda state: state.repositories[0].watching is Watching.GONE)
        assert state.repositories[0].state.value is not None
        onlooker.wait_for(lambda state: state.repositories[0].state.trouble is not None)
        (tmp_path / "away").rename(work.folder)
        state = onlooker.wait_for(
            lambda state: (
                state.repositories[0].watching is Watching.LIVE and state.repositories[0].state.trouble is None
            )
        )
        assert not state.repositories[0].state.stale


def test_settings_that_cannot_be_used_close_the_gates_and_hide_nothing(work: RepositoryBuilder) -> None:
    """Handoffs are listed and can be read; nothing is judged by other settings, until the file is mended."""
    work.write("handoff-tui.toml", "comits = 1\n")
    with looking(work.folder) as onlooker:
        state = onlooker.choose("H-1", Part.SHOWN, Part.CHECKS, Part.GATE)
        assert [item.waits_on_me for item in state.inbox] == [False, False]
        assert all("its settings can't be used: handoff-tui.toml:1" in item.closed for item in state.inbox)
        assert state.shown.value is not None
        for part in (state.checks, state.gate):
            assert part.value is None
            assert part.trouble is not None
            assert "comits" in part.trouble.message
        work.write("handoff-tui.toml", "[limits]\ncommits = 9\n")
        mended = onlooker.wait_for(lambda state: state.checks.value is not None and not state.inbox[0].closed)
        assert mended.repositories[0].refused == ""


def has_fatal(state: AppState) -> bool:
    return bool(state.repository and state.repository.fatal)


def test_entry_changed_in_place_closes_the_gates_and_mended_opens_them(
    gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who remembers the entry would not read it again; the desk does, and notices also that it is mended."""
    bob = gate_desk.person("bob")
    gate_desk.begin(bob)
    bob.become(monkeypatch)
    entry = next(path for path in (gate_desk.root / ".handoff-tui" / "log").rglob("*") if path.is_file())
    content = entry.read_bytes()
    with looking(gate_desk.root) as onlooker:
        assert not has_fatal(onlooker.wait_until_live())
        entry.chmod(0o644)
        entry.write_bytes(content + b" ")
        onlooker.wait_for(has_fatal)
        entry.write_bytes(content)
        onlooker.wait_for(lambda state: not has_fatal(state))


def test_desk_says_why_a_handoff_fails_and_compares_attempts(builder: RepositoryBuilder) -> None:
    """The failing check is first; an attempt that is not there is a trouble with its words, never a guess."""
    build_work(builder)
    with looking(builder.folder) as onlooker:
        onlooker.wait_until_live()
        state = onlooker.choose("H-1", Part.ATTEMPTS)
        assert state.attempts.value is not None
        [history] = state.attempts.value.histories
        assert [record.name.rpartition(":")[2] for record in history.attempts][-1] == "now"
        onlooker.desk.requests.explain()
        state = onlooker.wait_for(lambda state: state.failure.value is not None)
        assert state.failure.value is not None
        assert "hashes-hold" in {one.result.id for one in state.failure.value.failed}
        onlooker.desk.requests.compare(f"H-1:{history.phase}:41", f"H-1:{history.phase}:now")
        state = onlooker.wait_for(lambda state: state.comparison.trouble is not None)
        assert state.comparison.trouble is not None
        assert "no attempt 41" in state.comparison.trouble.message
        onlooker.choose("H-2")
        assert (onlooker.state.failure, onlooker.state.comparison) == (Loaded(), Loaded())


def test_figures_are_read_of_the_whole_repository(builder: RepositoryBuilder) -> None:
    """Also where no handoff is chosen and no log was begun: each says why it has no value."""
    build_work(builder)
    with looking(builder.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.desk.need(frozenset({Part.METRICS}))
        report = onlooker.wait_for_parts(Part.METRICS).metrics.value
        assert report is not None
        assert all(figure.value is not None or figure.why for figure in report.metrics)


def test_answer_about_another_handoff_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The person has gone on meanwhile."""
    store, worker = StateStore(lambda _: None), KeyedWorker("slow", raise_bug)
    requests = RequestedParts(store, worker, VisibleParts(store, worker, worker, DraftKeeper(store)))
    first, second = HandoffKey("/desk", "H-1"), HandoffKey("/desk", "H-2")
    store.change(lambda _: AppState(chosen=first, repositories=(RepositoryPart("/desk", "desk"),)))
    store.snapshots["/desk"] = cast("RepositorySnapshot", object())

    def read(*_: object) -> object:
        store.change(lambda state: replace(state, chosen=second, comparison=Loaded()))
        return object()

    monkeypatch.setattr("handoff_tui.live.parts.loader.read_comparison", read)
    requests.compare("H-1:build:1", "H-1:build:now")
    worker.start()
    wait_until(worker.is_idle)
    worker.stop()
    assert store.state.comparison == Loaded()


def hold(let_go: threading.Event) -> None:
    let_go.wait()


def test_work_handed_on_while_it_is_asked_is_work(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A feed that ends may have given a job to a worker that was found idle a moment before."""
    let_go = threading.Event()
    with looking(builder.write("README.md").commit().folder) as onlooker:
        onlooker.wait_until_live()
        quick, feed = onlooker.desk._threads[0], onlooker.desk._feeds[0]
        assert isinstance(quick, KeyedWorker)
        hand_on = quick.submit
        with monkeypatch.context() as patch:
            patch.setattr(feed, "is_idle", lambda: hand_on("job", lambda _: hold(let_go)) is None)
            assert not onlooker.desk.is_idle()
        let_go.set()
