from __future__ import annotations

import json

import pytest

from handoff_tui.config.settings.formats import Tdd
from handoff_tui.config.settings.root import Settings
from handoff_tui.git.history.commits import Commit
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.tdd.format import TDD
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.format import Confidence, Source
from tests.support.memory_files import MemoryFiles, build_commit, build_ref, read_with

NOTES = "refs/notes/tdd-handoffs"
FIRST, SECOND, THIRD = ("1" * 40, "2" * 40, "3" * 40)
GREEN: dict[str, object] = {
    "phase": "GREEN",
    "nextPhase": "REFACTOR",
    "cycleNumber": 2,
    "currentTest": {"description": "dims to zero", "testFile": "tests/test_lamp.py", "implFile": "src/lamp.py"},
    "completedTests": ["lights up"],
    "pendingTests": [{"description": "blinks"}],
    "testResult": "PASS",
    "error": None,
    "retryCount": 1,
}
RED: dict[str, object] = {"phase": "RED", "nextPhase": "GREEN", "cycleNumber": 2, "testResult": "FAIL"}


def commit(identifier: str, subject: str, trailers: str = "", author: str = "Ada") -> Commit:
    body = f"{subject}\n\n{trailers}" if trailers else subject
    return build_commit(identifier, subject, body, author, "2031-01-01")


def noted(*notes: tuple[str, object], **files: str) -> MemoryFiles:
    """Notes given newest first, on commits of the same order."""
    return MemoryFiles(
        files,
        git_commits=tuple(commit(identifier, "test: lamp") for identifier, _ in notes),
        git_notes={NOTES: {identifier: json.dumps(note, indent=1) for identifier, note in notes}},
    )


def read_all(shelf: MemoryFiles) -> dict[str, Handoff]:
    return {handoff.id: handoff for handoff in read_with(TDD, shelf).handoffs}


def messages(shelf: MemoryFiles) -> list[str]:
    return [problem.message for problem in (*shelf.problems(), *read_with(TDD, shelf).problems)]


def test_tdd_planned_files_are_not_claimed() -> None:
    """A plan names files that are not there yet."""
    handoff = read_all(noted((FIRST, {**GREEN, "phase": "PLAN", "nextPhase": "RED", "testResult": None})))["TDD-2"]
    assert [claim.kind for claim in handoff.claims] == [ClaimKind.COMMIT]
    assert [fact.value for fact in handoff.facts] == ["tests/test_lamp.py", "src/lamp.py"]
    assert handoff.status is None


def test_tdd_error_is_a_blocker() -> None:
    """Its details say what it is."""
    note = {**GREEN, "error": "it burns", "errorDetails": {"type": "timeout", "message": "too hot"}}
    (blocker,) = read_all(noted((SECOND, note)))["TDD-2"].blockers
    assert (blocker.title, blocker.status, blocker.open) == ("it burns", "timeout", True)
    only_details = {**GREEN, "errorDetails": {"type": "timeout", "message": "too hot"}}
    assert read_all(noted((SECOND, only_details)))["TDD-2"].blockers[0].title == "too hot"


@pytest.mark.parametrize(
    ("note", "message"),
    [
        ({"phase": "BLUE", "nextPhase": "RED"}, "'BLUE' is not a phase"),
        ({"phase": "RED", "nextPhase": "COMPLETE"}, "COMPLETE may not follow RED"),
        ({"phase": "GREEN", "nextPhase": "GREEN"}, "GREEN may not follow GREEN"),
        ({"phase": "RED", "nextPhase": "GREEN", "testResult": "maybe"}, "testResult is neither PASS nor FAIL"),
        ({"phase": "RED", "nextPhase": "GREEN", "cycleNumber": "two"}, "cycleNumber should be a whole number"),
        ({"hello": 1}, "is a note without a phase"),
    ],
)
def test_tdd_reports_what_is_wrong_with_a_note(note: dict[str, object], message: str) -> None:
    """Words and orders that the pipeline does not know are warnings; the values are kept."""
    shelf = noted((FIRST, note))
    handoffs = read_all(shelf)
    assert [text for text in messages(shelf) if message in text]
    if "phase" in note:
        assert handoffs["TDD-1"].source_phase == note["phase"]


def test_tdd_failed_phase_may_be_tried_again() -> None:
    """The same phase follows itself after a failure without a warning."""
    shelf = noted((FIRST, {"phase": "GREEN", "nextPhase": "GREEN", "testResult": "FAIL", "retryCount": 1}))
    assert read_all(shelf)["TDD-1"].attempt == 2
    assert messages(shelf) == []


def test_tdd_reports_a_note_that_was_not_announced() -> None:
    """A note must be of the phase that the one before it named."""
    shelf = noted((SECOND, {**GREEN, "phase": "REFACTOR", "nextPhase": "PLAN"}), (FIRST, RED))
    read_all(shelf)
    assert "is of phase REFACTOR, but the note before it announced GREEN" in messages(shelf)


def test_tdd_broken_newest_note_hides_no_state() -> None:
    """When the newest note cannot be read, an older one is not taken for the present."""
    shelf = noted((SECOND, RED), (FIRST, RED))
    shelf.git_notes[NOTES][SECOND] = '{"phase": "GR'
    handoff = read_all(shelf)["TDD-2"]
    assert handoff.source_phase is None
    assert [attempt.phase for attempt in handoff.attempts] == ["RED"]
    assert "not valid JSON" in messages(shelf)[0]


def test_tdd_notes_ref_comes_from_settings() -> None:
    """Notes under another ref are found where the settings say."""
    shelf = MemoryFiles(
        {}, settings=Settings(tdd=Tdd(notes_ref="refs/notes/x")), git_notes={"refs/notes/x": {FIRST: json.dumps(RED)}}
    )
    assert list(read_all(shelf)) == ["TDD-2"]


def test_tdd_other_notes_are_read_where_they_are_steps() -> None:
    """A ref whose name mentions handoffs is looked at; prose in it is passed over."""
    shelf = MemoryFiles(
        {},
        git_refs=(build_ref("refs/notes/handoff-lamp", FIRST, ""), build_ref("refs/notes/review", FIRST, "")),
        git_notes={
            "refs/notes/handoff-lamp": {FIRST: json.dumps(RED), SECOND: "looks good"},
            "refs/notes/review": {FIRST: json.dumps(GREEN)},
        },
    )
    assert read_all(shelf)["TDD-2"].source_phase == "RED"
    assert messages(shelf) == []


def test_tdd_trailers_tell_a_step() -> None:
    """The last paragraph of the message, in any mix of the known keys."""
    trailers = "Handoff-Phase: RED\nHandoff-Next: GREEN\nHandoff-Cycle: 4\nSigned-off-by: Ada <a@b.c>"
    handoff = read_all(MemoryFiles({}, git_commits=(commit(FIRST, "test: dim", trailers),)))["TDD-4"]
    assert (handoff.source_phase, handoff.target_phase) == ("RED", "GREEN")
    assert [(claim.kind, claim.value, str(claim.where)) for claim in handoff.claims] == [
        (ClaimKind.COMMIT, FIRST, "commit:1111111")
    ]


def test_tdd_next_agent_trailer_names_agent_and_phase() -> None:
    """The agent's name says which phase comes."""
    body = "TDD-Phase: RED\nNext-Agent: impl-agent"
    handoff = read_all(MemoryFiles({}, git_commits=(commit(FIRST, "test: dim", body),)))["TDD-1"]
    assert (handoff.target_agent, handoff.target_phase) == ("impl-agent", "GREEN")


@pytest.mark.parametrize(
    "body", ["Handoff-Phase: RED", "words\nHandoff-Phase: RED", "Handoff-Phase: RED\n\nlast words"]
)
def test_tdd_words_elsewhere_in_a_message_are_no_trailers(body: str) -> None:
    """Only a last paragraph of nothing but trailers counts, and never the subject."""
    text = body if body.startswith("Handoff-Phase: RED") and "\n" not in body else f"feat: x\n\n{body}"
    assert read_all(MemoryFiles({}, git_commits=(build_commit(FIRST, "feat: x", text, "Ada", "2031"),))) == {}


def test_tdd_bracket_subjects_tell_a_step() -> None:
    """Agent, next agent and test file stand in the subject."""
    subject = "[TEST-AGENT] test: dim to zero | next:IMPL | test_file:tests/test_dim.py"
    handoff = read_all(MemoryFiles({}, git_commits=(commit(FIRST, subject),)))["TDD-1"]
    assert (handoff.source_agent, handoff.target_agent) == ("TEST-AGENT", "IMPL")
    assert (handoff.source_phase, handoff.target_phase) == ("RED", "GREEN")
    assert (ClaimKind.FILE_CREATED, "tests/test_dim.py") in [(claim.kind, claim.subject) for claim in handoff.claims]


def test_tdd_reports_what_is_wrong_with_trailers() -> None:
    """The place is the commit."""
    trailers = "Handoff-Phase: BLUE\nHandoff-Next: GREEN\nHandoff-Cycle: four"
    shelf = MemoryFiles({}, git_commits=(commit(FIRST, "test: dim", trailers),))
    problems = read_with(TDD, shelf).problems
    assert {problem.path for problem in problems} == {"commit:1111111"}
    assert len(problems) == 2


def test_tdd_trailer_on_a_newer_commit_goes_before_the_note() -> None:
    """The newest word counts; the note's tests stay in view."""
    shelf = noted((SECOND, GREEN))
    newer = commit(THIRD, "refactor: wire", "Handoff-Phase: REFACTOR\nHandoff-Next: PLAN\nHandoff-Cycle: 2")
    shelf.git_commits = (newer, *shelf.git_commits)
    handoff = read_all(shelf)["TDD-2"]
    assert handoff.source_phase == "REFACTOR"
    assert [task.title for task in handoff.tasks] == ["lights up", "blinks"]
    assert [attempt.phase for attempt in handoff.attempts] == ["GREEN"]


def test_tdd_bytes_that_are_no_text_are_replaced() -> None:
    """A message with stray bytes can be printed."""
    shelf = MemoryFiles({}, git_commits=(commit(FIRST, "test: \udcff", "TDD-Phase: RED", author="\udcfe"),))
    handoff = read_all(shelf)["TDD-1"]
    assert handoff.message == "test: \ufffd"
    assert handoff.producers == ("\ufffd",)


def test_tdd_refs_mark_cycles() -> None:
    """A tag alone makes a handoff; beside a note it is a fact of the cycle."""
    refs = (
        build_ref("refs/tags/handoff/test-agent/cycle-5", FIRST, "five"),
        build_ref("refs/heads/tdd/cycle-2/green-phase", SECOND, ""),
        build_ref("refs/handoff/current-agent", SECOND, ""),
        build_ref("refs/heads/main", SECOND, ""),
    )
    shelf = noted((SECOND, GREEN))
    shelf.git_refs = refs
    handoffs = read_all(shelf)
    assert sorted(handoffs) == ["TDD-2", "TDD-5"]
    assert (handoffs["TDD-5"].source_agent, handoffs["TDD-5"].source_phase) == ("test-agent", "RED")
    assert [fact.name for fact in handoffs["TDD-2"].facts] == ["branch", "ref"]
    assert handoffs["TDD-2"].source_phase == "GREEN"


def test_tdd_state_file_is_the_present_where_there_are_no_notes() -> None:
    """History files are the attempts before it."""
    handoff = read_all(
        MemoryFiles(
            {
                ".handoff/current.json": json.dumps(GREEN),
                ".handoff/history/001.json": json.dumps({**RED, "phase": "PLAN", "nextPhase": "RED"}),
                ".handoff/history/002.json": json.dumps(RED),
                ".handoff/context/next.md": "# For the REFACTOR agent\n\nRED and GREEN are done.\n",
            }
        )
    )["TDD-2"]
    assert handoff.source_phase == "GREEN"
    assert [attempt.phase for attempt in handoff.attempts] == ["PLAN", "RED"]
    assert len(handoff.documents) == 4


def test_tdd_yaml_state_is_read_with_its_lines() -> None:
    """Simple YAML works like JSON; what is wrong has its line."""
    text = "phase: RED\nnext_phase: BLUE\ncurrent_test:\n  description: blinks\n  test_file: tests/blink.py\n"
    shelf = MemoryFiles({".tdd-state.yaml": text})
    reading = read_with(TDD, shelf)
    (handoff,) = reading.handoffs
    assert handoff.title == "blinks"
    assert [(claim.subject, claim.where.line) for claim in handoff.claims] == [("tests/blink.py", 5)]
    assert [(problem.line, problem.path) for problem in reading.problems] == [(2, ".tdd-state.yaml")]


def test_tdd_reports_a_state_file_that_lags_behind() -> None:
    """A file that tells another phase than the newest note is worth a warning."""
    shelf = noted((SECOND, GREEN))
    shelf.files[".handoff.json"] = json.dumps(RED)
    assert read_all(shelf)["TDD-2"].source_phase == "GREEN"
    assert messages(shelf) == ["says RED, but the newest note says GREEN"]


def test_tdd_test_list_belongs_to_the_newest_cycle() -> None:
    """New boxes are tasks; a box that contradicts the note is reported."""
    shelf = noted((SECOND, GREEN))
    shelf.files["test-list.md"] = "# Tests\n\n## Lamp\n- [ ] lights up\n- [ ] glows\n"
    tasks = read_all(shelf)["TDD-2"].tasks
    assert [(task.title, task.done, task.stage) for task in tasks][-1] == ("glows", False, "Lamp")
    assert len(tasks) == 3
    assert messages(shelf) == ["'lights up' is done in the newest step"]


@pytest.mark.parametrize(
    "text", ['{"agent": "impl", "phase": "GREEN", "timestamp": 7}', "agent: impl\nphase=GREEN\nheld\n"]
)
def test_tdd_lock_is_facts(text: str) -> None:
    """JSON or lines; never judged."""
    shelf = noted((SECOND, GREEN))
    shelf.files[".tdd.lock"] = text
    facts = {fact.name: fact.value for fact in read_all(shelf)["TDD-2"].facts}
    assert facts["lock agent"] == "impl"
    assert facts["lock phase"] == "GREEN"
    assert messages(shelf) == []


def test_tdd_queue_entries_are_steps() -> None:
    """Words or JSON, the last entry is the present."""
    words = read_all(MemoryFiles({".tdd-queue.log": "t1 test RED done -> IMPL\nt2 impl GREEN next: REFACTOR\n"}))[
        "TDD-1"
    ]
    assert (words.source_phase, words.target_phase) == ("GREEN", "REFACTOR")
    assert [attempt.phase for attempt in words.attempts] == ["RED"]
    lines = "\n".join(json.dumps(entry) for entry in (RED, GREEN))
    assert read_all(MemoryFiles({".tdd-queue.log": lines}))["TDD-2"].source_phase == "GREEN"


def test_tdd_recognises_by_content() -> None:
    """A file of that name with someone else's content is not ours."""
    assert TDD.recognise(Source.of_text(".handoff.json", json.dumps(RED))) == Confidence.CERTAIN
    assert TDD.recognise(Source.of_text(".handoff.json", '{"next_agent": "impl"}')) == Confidence.CERTAIN
    assert TDD.recognise(Source.of_text(".handoff.json", '{"phase": "beta", "theme": "dark"}')) == Confidence.NO
    assert TDD.recognise(Source.of_text(".handoff.json", '{"phase": ')) == Confidence.POSSIBLE
    assert TDD.recognise(Source.of_text(".handoff/history/1.json", "{")) == Confidence.NO
    assert TDD.recognise(Source.of_text(".handoff/context/a.md", "# Shopping\n")) == Confidence.NO
    assert TDD.recognise(Source.of_text("test-list.md", "# Plan\n- [ ] a\n")) == Confidence.LIKELY
    assert TDD.recognise(Source.of_text("test-list.md", "# Tests\n- a\n")) == Confidence.NO
    assert TDD.recognise(Source.of_text(".tdd-queue.log", "nothing here\n")) == Confidence.NO
    assert TDD.recognise(Source.of_text(".tdd.lock", "")) == Confidence.POSSIBLE
    assert not TDD.may_own("handoff.schema.json")


@pytest.mark.parametrize("name", ["refs/handoff/cycle-5", "refs/handoff/lamp/cycle-5", "refs/tags/tdd/cycle-5/green"])
def test_tdd_ref_that_names_a_cycle_belongs_to_it(name: str) -> None:
    """It does not go to whichever cycle is the newest."""
    shelf = noted((SECOND, GREEN))
    shelf.git_refs = (build_ref(name, FIRST, "five"),)
    handoffs = read_all(shelf)
    assert sorted(handoffs) == ["TDD-2", "TDD-5"]
    assert [fact.name for fact in handoffs["TDD-2"].facts] == []


def test_tdd_trailers_have_several_spellings() -> None:
    """Next phase, result, giver and taker under their other names."""
    trailers = "TDD-Phase: GREEN\nTDD-Next-Phase: REFACTOR\nTest-Result: PASS\nHandoff-From: wren\nHandoff-To: owl"
    shelf = MemoryFiles({}, git_commits=(commit(FIRST, "feat: lamp", trailers),))
    handoff = read_all(shelf)["TDD-1"]
    assert (handoff.source_phase, handoff.target_phase, handoff.status) == ("GREEN", "REFACTOR", "PASS")
    assert (handoff.source_agent, handoff.target_agent) == ("wren", "owl")


def test_tdd_words_come_from_the_settings() -> None:
    """Phases, and how trailers and tags begin."""
    words = Tdd(phases=("DRAFT", "POLISH", "DONE"), trailer_prefixes=("Relay-",), tag_prefixes=("relay/",))
    shelf = MemoryFiles(
        {".tdd-queue.log": "POLISH next: done\n"},
        settings=Settings(tdd=words, pipelines={}),
        git_commits=(commit(FIRST, "draft: lamp", "Relay-Phase: polish\nRelay-Next: done\nRelay-Cycle: 3"),),
        git_refs=(
            build_ref("refs/tags/relay/cycle-7/polish", FIRST, ""),
            build_ref("refs/tags/tdd/cycle-8", FIRST, ""),
        ),
    )
    reading = TDD.read([shelf.source(".tdd-queue.log")], shelf.opened)
    handoffs = {handoff.id: handoff for handoff in reading.handoffs}
    assert sorted(handoffs) == ["TDD-3", "TDD-7"]
    assert (handoffs["TDD-3"].source_phase, handoffs["TDD-3"].target_phase) == ("POLISH", "DONE")
    assert reading.problems == []


def test_test_lists_of_two_folders_are_two() -> None:
    """The second says so; two of one folder belong together."""
    lists = {"a/test-list.md": "# A\n\n- [x] one\n- [ ] two\n", "b/test-list.md": "# B\n\n- [ ] three\n- [ ] four\n"}
    files = MemoryFiles(lists)
    handoffs = {one.id: one for one in read_with(TDD, files).handoffs}
    assert {name: len(one.tasks) for name, one in handoffs.items()} == {"tdd/test-list": 2, "b/test-list": 2}
    assert [(one.path, one.message) for one in files.problems()] == [
        ("b/test-list.md", "has the id tdd/test-list, as has a/test-list.md; it is listed as b/test-list")
    ]
