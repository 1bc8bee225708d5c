"""Session state: its files, blockers, briefing and message."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from handoff_tui.checks.report import Outcome
from handoff_tui.checks.rule import NotApplicableError, Rule, RuleFinding
from handoff_tui.checks.rules.mosaic.named_evidence import resolved_blockers_have_evidence
from handoff_tui.checks.rules.mosaic.session_start import briefing_fresh, handoff_message_says_something
from handoff_tui.checks.rules.mosaic.state_files import state_files_exist, state_files_parse
from handoff_tui.checks.run.check import check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.core.place import CheckMoment
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.session import open_session
from tests.support.format_states import STATE_COMMIT, build_agent_state, build_blocker, build_state
from tests.support.repositories import RepositoryBuilder
from tests.support.world import MemoryWorld, find_subjects, judge

NOTE = "# Handoff\n\nNothing of a session.\n"


@pytest.mark.parametrize("name", ["agent_state.json", "blockers.json", "current_task.json"])
def test_missing_file_is_named(name: str) -> None:
    """Each required file that is not there is a finding with its path."""
    files = build_state()
    del files[f".mosaic/{name}"]
    [found] = judge(state_files_exist, MemoryWorld(files=files))
    assert (found.message, found.subject) == (f".mosaic/{name} is missing", f".mosaic/{name}")
    assert found.place is not None
    assert found.command is None


def test_enforcement_without_a_state_fails() -> None:
    """Who deletes the state but leaves its session gate does not get past."""
    world = MemoryWorld(files={".mosaic/enforcement/session-gate.sh": "exit 0"})
    assert len(judge(state_files_exist, world)) == 3


def test_state_that_git_still_tracks_fails_with_the_way_back() -> None:
    """State files that were deleted and not committed can be restored."""
    changed = tuple(f".mosaic/{name}" for name in ("agent_state.json", "blockers.json", "current_task.json"))
    facts = RepositoryFacts(root="/r", branch="main", changed=changed)
    found = judge(state_files_exist, MemoryWorld(files={"a.txt": ""}, repository=facts))
    assert [finding.command for finding in found] == [f"git restore -- {path}" for path in changed]


def test_existence_repository_without_a_state_does_not_apply() -> None:
    """Other files, also in a folder of that name, aren't session state."""
    world = MemoryWorld(files={".mosaic/palette.css": "", "HANDOFF.md": NOTE})
    with pytest.raises(NotApplicableError, match="no session state here"):
        judge(state_files_exist, world)


def test_handoff_of_another_kind_does_not_apply() -> None:
    """While one handoff is under review, the state of another is not its fault."""
    files = {**build_state(), "HANDOFF.md": NOTE}
    del files[".mosaic/blockers.json"]
    world = MemoryWorld(files=files)
    [note] = [handoff.id for handoff in world.handoffs() if handoff.dialect == "notes"]
    with pytest.raises(NotApplicableError, match="is not a session state"):
        judge(state_files_exist, world, scope=note)
    assert len(judge(state_files_exist, world, scope="mosaic")) == 1


def judge_files(**files: str | bytes) -> list[RuleFinding]:
    """The findings on a state in which some files have another content."""
    changed: dict[str, str | bytes] = {
        f".mosaic/{name.replace('_json', '.json')}": text for name, text in files.items()
    }
    return judge(state_files_parse, MemoryWorld(files={**build_state(), **changed}))


def judge_agent_state(**changes: object) -> list[RuleFinding]:
    return judge(state_files_parse, MemoryWorld(files=build_state(build_agent_state(**changes))))


def judge_blockers(*blockers: object) -> list[RuleFinding]:
    value = {"version": 1, "blockers": list(blockers)}
    return judge(state_files_parse, MemoryWorld(files=build_state(blockers=value)))


def test_good_state_passes() -> None:
    """Valid files with the right fields, optional ones among them, have no finding; nor has an unknown field."""
    files = {
        **build_state(build_agent_state(weather="calm"), {"blockers": [build_blocker()], "archived_blockers": []}),
        ".mosaic/project_state.json": '{"git_commit": "abc1234", "session_history": []}',
        ".mosaic/session_log.jsonl": '{"timestamp": "t", "agent": "a", "files": []}\n\n{"mode": "BUILD"}\n',
        ".mosaic/gemini_approval.json": '{"verdict": "APPROVE", "score": 90}',
    }
    assert judge(state_files_parse, MemoryWorld(files=files)) == []


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ('{\n"last_agent": "a",\n', "is not valid JSON", 3),
        ("", "is empty", 1),
        ('{\n"last_agent": "a",\n"last_agent": "b", "implementation_progress": {}}', "last_agent is given twice", None),
        ('{"last_agent": "a", "implementation_progress": {"tests": NaN}}', "NaN is not a JSON value", None),
        (b'{\n"last_agent": "\xff"}', "is not UTF-8", 2),
        (b"\xef\xbb\xbf[1]", "is not an object", None),
        ('["last_agent"]', "is not an object", None),
        ("[" * 100_000, "is nested too deeply", 1),
    ],
    ids=["cut off", "empty", "twice", "not a number", "not utf-8", "list with a mark", "list", "deep"],
)
def test_broken_file_is_found(text: str | bytes, words: str, line: int | None) -> None:
    """What is not a JSON object is a finding that says why and where, never a crash and never a pass."""
    [found] = judge_files(agent_state_json=text)
    assert words in found.message
    assert found.place is not None
    assert found.place.path == ".mosaic/agent_state.json"
    if line is not None:
        assert found.place.line == line


@pytest.mark.parametrize("name", ["last_agent", "implementation_progress"])
@pytest.mark.parametrize("value", [..., None])
def test_required_field_must_be_there(name: str, value: object) -> None:
    """A field that the next session relies on may be neither absent nor null."""
    [found] = judge_agent_state(**{name: value})
    assert found.message == f".mosaic/agent_state.json has no {name}"
    assert (found.subject, found.actual) == (name, "absent" if value is ... else "null")


@pytest.mark.parametrize(
    ("name", "value", "actual"),
    [
        ("last_agent", 7, "a number"),
        ("handoff_message", ["a"], "a list"),
        ("implementation_progress", "done", "text"),
        ("user_decisions", [], "a list"),
        ("open_questions", {}, "an object"),
        ("current_task", True, "true or false"),
        ("version", False, "true or false"),
    ],
)
def test_field_of_another_type_is_found(name: str, value: object, actual: str) -> None:
    """The finding names the field, its line, and both types."""
    [found] = judge_agent_state(**{name: value})
    assert (found.subject, found.actual) == (name, actual)
    assert found.place is not None
    lines = json.dumps(build_agent_state(**{name: value}), indent=2).split("\n")
    assert lines[(found.place.line or 0) - 1].startswith(f'  "{name}":')


def test_commit_of_the_state_must_look_like_one() -> None:
    """A word in place of a commit id is a finding, an absent or null one is not: the field is optional."""
    [found] = judge_agent_state(last_commit="latest")
    assert (found.subject, found.actual) == ("last_commit", "latest")
    assert judge_agent_state(last_commit=...) == judge_agent_state(last_commit=None) == []


@pytest.mark.parametrize(
    ("changes", "subject", "expected"),
    [
        ({"severity": "severe"}, "B011.severity", "one of critical, high, medium, low"),
        ({"status": "fixed"}, "B011.status", "one of open, resolving, resolved, wont-fix"),
        ({"status": ""}, "B011.status", "one of open, resolving, resolved, wont-fix"),
        ({"status": ...}, "B011.status", "status"),
        ({"title": 3}, "B011.title", "text"),
        ({"resolution": ["x"]}, "B011.resolution", "text"),
        ({"id": ...}, "blockers number 1.id", "id"),
    ],
)
def test_blocker_of_another_shape_is_found(changes: dict[str, object], subject: str, expected: str) -> None:
    """The finding names the blocker by its id."""
    [found] = judge_blockers(build_blocker(**changes))
    assert (found.subject, found.expected) == (subject, expected)


def test_blocker_that_stands_twice_is_found() -> None:
    """Two blockers of one id hide each other."""
    [found] = judge_blockers(build_blocker(), build_blocker(status="open"))
    assert (found.subject, found.actual) == ("B011.twice", "two")


@pytest.mark.parametrize("value", [{"version": 1}, {"blockers": None}, {"blockers": {}}, {"archived_blockers": []}])
def test_blockers_must_be_a_list(value: object) -> None:
    """A file without its list has lost its blockers."""
    assert find_subjects(state_files_parse, MemoryWorld(files=build_state(blockers=value))) == ["blockers"]


def test_blocker_that_is_no_object_is_found() -> None:
    """Also a line of text among the blockers is told."""
    assert [found.subject for found in judge_blockers("all is well")] == ["blockers number 1.top level"]


def test_task_needs_its_fields() -> None:
    """The current task has an id, an objective and a status."""
    assert find_subjects(
        state_files_parse, MemoryWorld(files=build_state(current_task={"status": "open", "priority": []}))
    ) == ["task_id", "objective", "priority"]


def test_log_is_judged_line_by_line() -> None:
    """Each kind of fault is told once, at its first line."""
    lines = ['{"agent": "a"}', "[1]", "[2]", '{"agent": 1}', '{"agent": 2, "files": "x"}']
    files = {**build_state(), ".mosaic/session_log.jsonl": "\n".join(lines)}
    found = judge(state_files_parse, MemoryWorld(files=files))
    assert [(finding.subject, finding.place.line if finding.place else None) for finding in found] == [
        ("top level", 2),
        ("agent", 4),
        ("files", 5),
    ]


def test_log_with_a_broken_line_is_found() -> None:
    """A line that is cut off is told, with and without a format that saw it."""
    for text in ('{"agent": "a"}\n{"agent', b'{"agent": "a"}\n{"agent'):
        [found] = judge(state_files_parse, MemoryWorld(files={**build_state(), ".mosaic/session_log.jsonl": text}))
        assert "is not valid JSON" in found.message
        assert (found.place and found.place.line) == 2


def test_file_of_someone_else_is_found() -> None:
    """A file of that name with another content isn't a state."""
    files = {**build_state(), ".mosaic/current_task.json": '{"colour": "red"}'}
    found_fields = judge(state_files_parse, MemoryWorld(files=files))
    assert [found.subject for found in found_fields] == ["task_id", "objective", "status"]
    [found] = judge(state_files_parse, MemoryWorld(files=files, overrides={"mosaic.task_fields": ()}))
    assert "does not hold what a state file of this name holds" in found.message


COMMIT = "c0ffee1" + "2" * 33


def judge_evidence(*blockers: object, overrides: dict[str, object] | None = None, **lists: object) -> list[RuleFinding]:
    files = build_state(blockers={"blockers": list(blockers), **lists})
    world = MemoryWorld(
        files={**files, "tests/test_sailings.py": "", "docs/quay.md": ""},
        known_commits={COMMIT: 4, STATE_COMMIT: 1},
        overrides=overrides or {},
    )
    return judge(resolved_blockers_have_evidence, world)


@pytest.mark.parametrize(
    "evidence",
    [
        {"resolution": "Merged; shown by tests/test_sailings.py."},
        {"resolution": "Fixed in c0ffee1, all green"},
        {"resolution": "Fixed in C0FFEE1"},
        {"resolution": "see `docs/quay.md`"},
        {"resolution": "see quay.md"},
        {"resolution": "Rows are merged and/or dropped, see docs/quay.md"},
        {"resolution": None, "commit": COMMIT},
        {"resolution": "Rows are merged", "evidence": "docs/quay.md"},
        {"resolution": ..., "evidence": "docs/quay.md"},
    ],
)
def test_evidence_that_exists_passes(evidence: dict[str, object]) -> None:
    """A commit or a file of the repository, in any of the configured fields, can be looked at."""
    assert judge_evidence(build_blocker(**evidence)) == []


@pytest.mark.parametrize("resolution", [None, ..., "", "   "])
def test_blocker_without_evidence_is_found(resolution: object) -> None:
    """Marked as resolved and nothing to show for it."""
    [found] = judge_evidence(build_blocker(resolution=resolution))
    assert found.message == "blocker B011 (Sailings listed twice) is marked as resolved without any evidence"
    assert (found.subject, found.actual) == ("B011", "nothing")
    assert (found.place and found.place.path) == ".mosaic/blockers.json"


@pytest.mark.parametrize(
    "resolution", ["done", "It works now, believe me", "Rows are merged, e.g. by hand", "on 20260304", "yes/no"]
)
def test_words_alone_are_no_evidence(resolution: str) -> None:
    """An agent's word is not evidence: it must name something that can be looked at."""
    [found] = judge_evidence(build_blocker(resolution=resolution))
    assert found.message.endswith("is marked as resolved with words only")
    assert found.actual == resolution


@pytest.mark.parametrize(
    ("resolution", "named"), [("Fixed in deadbe3f", "deadbe3f"), ("See docs/gone.md", "docs/gone.md")]
)
def test_evidence_that_does_not_exist_is_found(resolution: str, named: str) -> None:
    """An invented commit or file is worse than none, and is named."""
    [found] = judge_evidence(build_blocker(resolution=resolution))
    assert f"has {named} as evidence, which does not exist here" in found.message


def test_words_are_enough_where_the_configuration_says_so() -> None:
    """Even then they must say something, and what they name must exist."""
    relaxed: dict[str, object] = {"mosaic.evidence_names_proof": False}
    assert judge_evidence(build_blocker(resolution="Rows are merged"), overrides=relaxed) == []
    [found] = judge_evidence(build_blocker(resolution="done, done, done!"), overrides=relaxed)
    assert found.message.endswith("has evidence that says nothing")
    assert len(judge_evidence(build_blocker(resolution="See docs/gone.md"), overrides=relaxed)) == 1


def test_archived_and_differently_written_blockers_are_judged() -> None:
    """Neither the archive nor capitals hide a resolution without evidence."""
    archived = build_blocker(id="B002", status=" Resolved ", resolution=None)
    found = judge_evidence(build_blocker(), archived_blockers=[archived])
    assert [finding.subject for finding in found] == ["B002"]


def test_other_statuses_need_no_evidence() -> None:
    """What is open, or will not be fixed, has nothing to prove."""
    statuses = ("open", "resolving", "wont-fix", ...)
    blockers = [build_blocker(id=f"B{number}", status=status) for number, status in enumerate(statuses)]
    with pytest.raises(NotApplicableError, match="no blocker is marked resolved"):
        judge_evidence(*blockers)


def test_entries_that_are_no_blockers_do_no_harm() -> None:
    """Text among the blockers is passed over here; its shape is the question of another rule."""
    found = judge_evidence("all is well", build_blocker(resolution=None))
    assert [finding.subject for finding in found] == ["B011"]


NOW = datetime(2026, 3, 4, 12, 0, 0, tzinfo=UTC)


def judge_time(written: object, **overrides: object) -> list[RuleFinding]:
    files = build_state(build_agent_state(briefing_acknowledgment={"agent": "merlin", "acknowledged_at": written}))
    settings = {key.replace("__", "."): value for key, value in overrides.items()}
    return judge(briefing_fresh, MemoryWorld(files=files, moment=NOW, overrides=settings))


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-04T11:00:00Z",
        "2026-03-03T12:00:00+00:00",
        "2026-03-04T13:30:00+02:00",
        "2026-03-04T11:00:00",
        "2026-03-04 11:00",
        " 2026-03-04T11:00:00.123456Z ",
        "2026-03-04",
        "2026-03-04T12:05:00Z",
    ],
)
def test_recent_acknowledgment_passes(written: str) -> None:
    """In any zone, with or without one, up to the bound, and a little ahead of our clock."""
    assert judge_time(written) == []


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("2026-03-03T11:59:00Z", "was acknowledged 24.0 hours ago"),
        ("2026-03-03T02:00:00+02:00", "was acknowledged 36.0 hours ago"),
        ("2026-01-04T12:00:00Z", "was acknowledged 59 days ago"),
        ("0001-01-01T00:00:00+14:00", "days ago"),
    ],
)
def test_old_acknowledgment_is_found(written: str, words: str) -> None:
    """Older than the bound is stale; the finding says how old."""
    [found] = judge_time(written)
    assert words in found.message
    assert (found.subject, found.expected, found.actual) == ("acknowledged_at", "at most 24 hours ago", written)
    assert (found.place and found.place.line) == 13


@pytest.mark.parametrize("written", ["2026-03-04T12:11:00Z", "2026-03-09T12:00:00Z", "9999-12-31T23:59:59Z"])
def test_acknowledgment_in_the_future_is_found(written: str) -> None:
    """A time that has not come yet would stay fresh for ever."""
    [found] = judge_time(written)
    assert "from now" in found.message


@pytest.mark.parametrize("written", ["yesterday", "2026-13-01", "04.03.2026", 1772625600, ["2026-03-04"], True])
def test_time_that_cannot_be_read_is_found(written: object) -> None:
    """A date that is none is a finding, never a pass."""
    [found] = judge_time(written)
    assert "cannot be read" in found.message
    assert found.actual == str(written)


@pytest.mark.parametrize("briefing", [..., None, {}, {"acknowledged_at": None}, {"acknowledged_at": ""}, "yes"])
def test_briefing_that_nobody_acknowledged_is_found(briefing: object) -> None:
    """Without a time there is no acknowledgment."""
    world = MemoryWorld(files=build_state(build_agent_state(briefing_acknowledgment=briefing)), moment=NOW)
    [found] = judge(briefing_fresh, world)
    assert found.message == ".mosaic/agent_state.json does not say when the briefing was acknowledged"


def judge_message(message: object, **overrides: object) -> list[RuleFinding]:
    files = build_state(build_agent_state(handoff_message=message))
    settings = {key.replace("__", "."): value for key, value in overrides.items()}
    return judge(handoff_message_says_something, MemoryWorld(files=files, overrides=settings))


def test_message_that_says_something_passes() -> None:
    """Long enough, and more than one word."""
    assert judge(handoff_message_says_something, MemoryWorld(files=build_state())) == []


@pytest.mark.parametrize(
    ("message", "words", "actual"),
    [
        (..., "has no handoff_message", "nothing"),
        (None, "has no handoff_message", "nothing"),
        (["a" * 60], "has a handoff_message that is not text", "list"),
        ("", "has an empty handoff_message", "empty"),
        (" \n\t" * 40, "has an empty handoff_message", "only white space"),
        ("All done.", "too short", "9 characters"),
        ("All" + " " * 60 + "done.", "too short", "9 characters"),
        ("done " * 20, "of one word, over and over", "done done done done done done done done "),
        ("Done, done. DONE! " * 10, "of one word, over and over", None),
        ("a" * 80, "of one word, over and over", "a" * 40),
        ("- . - ! " * 20, "of one word, over and over", None),
    ],
)
def test_message_that_says_nothing_is_found(message: object, words: str, actual: str | None) -> None:
    """Absent, empty, blank, padded, short, or one word repeated: none of it hands anything over."""
    [found] = judge_message(message)
    assert words in found.message
    assert found.subject == "handoff_message"
    assert actual is None or found.actual == actual


def test_message_without_a_session_state_is_not_judged() -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match="no session state under review"):
        judge(handoff_message_says_something, MemoryWorld({".ai-agents/handoff_1.json": '{"commit": "x"}'}))


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        (resolved_blockers_have_evidence, ".mosaic/blockers.json"),
        (handoff_message_says_something, ".mosaic/agent_state.json"),
        (briefing_fresh, ".mosaic/agent_state.json"),
    ],
)
@pytest.mark.parametrize("text", ["{", "[]", "", None])
def test_file_that_is_broken_or_missing_is_no_pass(rule: Rule, path: str, text: str | None) -> None:
    """It may hide anything."""
    files = {known: content for known, content in build_state().items() if known != path}
    files.update({} if text is None else {path: text})
    assert len(judge(rule, MemoryWorld(files=files))) == 1


def test_folder_in_place_of_a_file_is_found() -> None:
    """What is there but can't be read isn't a state file."""
    files = build_state()
    files[".mosaic/blockers.json/x"] = files.pop(".mosaic/blockers.json")
    for rule in (state_files_exist, state_files_parse):
        [found] = judge(rule, MemoryWorld(files=files))
        assert found.message.startswith(".mosaic/blockers.json ")


def test_gate_closes_for_what_the_session_itself_lacks(builder: RepositoryBuilder) -> None:
    """As a check before it is handed over does; the state of the work tree is no matter of the gate."""
    state = build_agent_state(briefing_acknowledgment=..., mandatory_reading=[".mosaic/BRIEFING.md"])
    blocker = build_blocker(resolution="fixed it", resolved_at="2026-03-04T01:00:00Z")
    for path, text in build_state(state, {"blockers": [blocker]}).items():
        builder.write(path, text)
    builder.write("AGENTS.md", "Mandatory reading: `.mosaic/BRIEFING.md`\n").commit("a session")
    builder.write("AGENTS.md", "changed")
    failing = {
        moment: {
            result.id
            for result in check(
                open_session(builder.folder), CheckRequest(moment, handoff="mosaic", fresh=True)
            ).results
            if result.outcome is Outcome.FAIL and result.blocking
        }
        for moment in (CheckMoment.PRE, CheckMoment.GATE)
    }
    of_itself = {"briefing-acknowledged", "resolved-blockers-have-evidence"}
    assert failing[CheckMoment.GATE] >= of_itself
    assert failing[CheckMoment.PRE] >= of_itself | {"changes-are-documented"}
    assert "changes-are-documented" not in failing[CheckMoment.GATE]
