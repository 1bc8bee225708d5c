from __future__ import annotations

import json

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import NotApplicableError, RuleFinding
from handoff_tui.checks.rules.mosaic.session_state import find_states, is_state_file, read_state_file, says_something
from handoff_tui.checks.rules.mosaic.state_files import (
    STATE_FILES_EXIST,
    STATE_FILES_PARSE,
)
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.memory_files import MemoryFiles
from tests.support.session_states import build_agent_state, build_blocker, build_state
from tests.support.world import MemoryWorld, find_subjects, judge


def build_context(**files: str | bytes) -> Context:
    return Context(Answers(MemoryWorld(files={name.replace("__", "."): text for name, text in files.items()})))


def test_states_are_found_wherever_they_lie() -> None:
    """Each folder of the name has its own state and handoff; manifests beside it are none."""
    files = {**build_state(), **build_state(folder="app/.mosaic"), ".ai-agents/handoff_1.json": '{"commit": "abcdef1"}'}
    states = find_states(Context(Answers(MemoryWorld(files=files))))
    assert [(state.folder, state.handoff.id) for state in states] == [
        (".mosaic", "mosaic"),
        ("app/.mosaic", "app/mosaic"),
    ]
    assert states[1].path("x.json") == "app/.mosaic/x.json"


@pytest.mark.parametrize(
    ("path", "is_state"),
    [
        (".mosaic/agent_state.json", True),
        (".mosaic/session_log.jsonl", True),
        (".mosaic/LATEST_HANDOFF.md", True),
        (".mosaic/SESSION_HANDOFF_2026-03-04.md", True),
        ("app/.mosaic/blockers.json", True),
        (".ai-agents/handoff_20260304.json", True),
        (".mosaic/enforcement/session-gate.sh", False),
        (".mosaic/enforcement/agent_state.json", False),
        (".mosaic/notes.md", False),
        (".ai-agents/AI_AGENT_PROMPT.md", False),
        ("x.mosaic/agent_state.json", False),
        ("agent_state.json", False),
        ("src/a.py", False),
    ],
)
def test_state_files_are_told_from_work(path: str, *, is_state: bool) -> None:
    """Only the files that tell the state are state, not all that lies beside them."""
    assert is_state_file(build_context(), path) is is_state


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not valid JSON"),
        ('["a"]', "is not an object"),
        ('{"a": 1, "a": 2}', "a is given twice"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_state_file_that_nobody_read_before_is_judged_here(content: str | bytes, words: str) -> None:
    """Also a file that no dialect looked at is broken when it is."""
    file = read_state_file(build_context(state__json=content), "state.json")
    assert [words in found.message for found in file.broken] == [True]
    assert file.members == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [("two words", True), ("same same", False), ("Same, same!", False), ("", False), ("- -", False), ("one", False)],
)
def test_text_says_something_with_two_different_words(text: str, *, says: bool) -> None:
    """Case and punctuation do not make another word."""
    assert says_something(text) is says


NOTE = "# Handoff\n\nNothing of a session.\n"


def test_whole_state_passes() -> None:
    """With all three state files nothing is found."""
    assert judge(STATE_FILES_EXIST, MemoryWorld(files=build_state())) == []


@pytest.mark.parametrize("name", ["agent_state.json", "blockers.json", "current_task.json"])
def test_missing_file_is_named(name: str) -> None:
    """Each required file that is not there is a finding with its path."""
    files = build_state()
    del files[f".mosaic/{name}"]
    [found] = judge(STATE_FILES_EXIST, MemoryWorld(files=files))
    assert (found.message, found.subject) == (f".mosaic/{name} is missing", f".mosaic/{name}")
    assert found.place is not None
    assert found.command is None


def test_optional_file_may_be_missing() -> None:
    """Only the files that the configuration requires must be there."""
    world = MemoryWorld(files=build_state(), overrides={"mosaic.state_files": ("agent_state.json", "plan.json")})
    assert find_subjects(STATE_FILES_EXIST, world) == [".mosaic/plan.json"]


def test_folder_in_place_of_a_file_is_found() -> None:
    """What is there but cannot be read is no state file."""
    files = build_state()
    files[".mosaic/blockers.json/readme"] = files.pop(".mosaic/blockers.json")
    [found] = judge(STATE_FILES_EXIST, MemoryWorld(files=files))
    assert found.message == ".mosaic/blockers.json is there, but cannot be read"


def test_empty_file_exists() -> None:
    """Whether a file says anything is the question of another rule."""
    assert judge(STATE_FILES_EXIST, MemoryWorld(files={**build_state(), ".mosaic/blockers.json": ""})) == []


def test_state_of_another_folder_is_judged_too() -> None:
    """Each state folder is judged by itself."""
    files = {**build_state(), **build_state(folder="server/.mosaic")}
    del files["server/.mosaic/current_task.json"]
    [found] = judge(STATE_FILES_EXIST, MemoryWorld(files=files))
    assert found.subject == "server/.mosaic/current_task.json"


def test_enforcement_without_a_state_fails() -> None:
    """Who deletes the state but leaves its session gate does not get past."""
    world = MemoryWorld(files={".mosaic/enforcement/session-gate.sh": "exit 0"})
    assert len(judge(STATE_FILES_EXIST, world)) == 3


def test_state_that_git_still_tracks_fails_with_the_way_back() -> None:
    """State files that were deleted and not committed can be restored."""
    changed = tuple(f".mosaic/{name}" for name in ("agent_state.json", "blockers.json", "current_task.json"))
    facts = RepositoryFacts(root="/r", branch="main", changed=changed)
    found = judge(STATE_FILES_EXIST, MemoryWorld(files={"a.txt": ""}, repository=facts))
    assert [finding.command for finding in found] == [f"git restore -- {path}" for path in changed]


def test_existence_repository_without_a_state_does_not_apply() -> None:
    """Other files, also in a folder of that name, are no session state."""
    world = MemoryWorld(files={".mosaic/palette.css": "", "HANDOFF.md": NOTE})
    with pytest.raises(NotApplicableError, match="no session state here"):
        judge(STATE_FILES_EXIST, world)


def test_handoff_of_another_kind_does_not_apply() -> None:
    """While one handoff is under review, the state of another is not its fault."""
    files = {**build_state(), "HANDOFF.md": NOTE}
    del files[".mosaic/blockers.json"]
    world = MemoryWorld(files=files)
    [note] = [handoff.id for handoff in world.handoffs() if handoff.dialect == "notes"]
    with pytest.raises(NotApplicableError, match="is not a session state"):
        judge(STATE_FILES_EXIST, world, scope=note)
    assert len(judge(STATE_FILES_EXIST, world, scope="mosaic")) == 1


def judge_files(**files: str | bytes) -> list[RuleFinding]:
    """The findings on a state in which some files have another content."""
    changed: dict[str, str | bytes] = {
        f".mosaic/{name.replace('_json', '.json')}": text for name, text in files.items()
    }
    return judge(STATE_FILES_PARSE, MemoryWorld(files={**build_state(), **changed}))


def judge_agent_state(**changes: object) -> list[RuleFinding]:
    return judge(STATE_FILES_PARSE, MemoryWorld(files=build_state(build_agent_state(**changes))))


def judge_blockers(*blockers: object) -> list[RuleFinding]:
    value = {"version": 1, "blockers": list(blockers)}
    return judge(STATE_FILES_PARSE, MemoryWorld(files=build_state(blockers=value)))


def test_good_state_passes() -> None:
    """Valid files with the right fields, optional ones among them, have no finding; nor has an unknown field."""
    files = {
        **build_state(build_agent_state(weather="calm"), {"blockers": [build_blocker()], "archived_blockers": []}),
        ".mosaic/project_state.json": '{"git_commit": "abc1234", "session_history": []}',
        ".mosaic/session_log.jsonl": '{"timestamp": "t", "agent": "a", "files": []}\n\n{"mode": "BUILD"}\n',
        ".mosaic/gemini_approval.json": '{"verdict": "APPROVE", "score": 90}',
    }
    assert judge(STATE_FILES_PARSE, MemoryWorld(files=files)) == []


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
    """What is no JSON object is a finding that says why and where, never a crash and never a pass."""
    [found] = judge_files(agent_state_json=text)
    assert words in found.message
    assert found.place is not None
    assert found.place.path == ".mosaic/agent_state.json"
    if line is not None:
        assert found.place.line == line


def test_file_with_a_byte_order_mark_and_crlf_is_read() -> None:
    """Encodings as they occur are no fault."""
    text = json.dumps(build_agent_state(), indent=1).replace("\n", "\r\n")
    files = build_state()
    shelf = MemoryFiles({path: str(content) for path, content in files.items()})
    content = b"\xef\xbb\xbf" + text.encode()
    world = MemoryWorld(files={**files, ".mosaic/agent_state.json": content}, shelf=shelf)
    assert judge(STATE_FILES_PARSE, world) == []


@pytest.mark.parametrize("name", ["last_agent", "implementation_progress"])
@pytest.mark.parametrize("value", [..., None])
def test_required_field_must_be_there(name: str, value: object) -> None:
    """A field that the next session relies on may be neither absent nor null."""
    [found] = judge_agent_state(**{name: value})
    assert found.message == f".mosaic/agent_state.json has no {name}"
    assert (found.subject, found.actual) == (name, "absent" if value is ... else "null")


def test_required_fields_come_from_the_configuration() -> None:
    """Other projects require other fields."""
    world = MemoryWorld(files=build_state(), overrides={"mosaic.required_fields": ("tide",)})
    assert find_subjects(STATE_FILES_PARSE, world) == ["tide"]


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


@pytest.mark.parametrize("value", [1, "2.0", 1.5])
def test_version_may_be_a_number_or_text(value: object) -> None:
    """Both are in use."""
    assert judge_agent_state(version=value) == []


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


@pytest.mark.parametrize("status", ["Open", " resolved ", "wont_fix", "WONT FIX"])
def test_blocker_status_is_read_as_people_write_it(status: str) -> None:
    """Case, spaces and underscores do not make another status."""
    assert judge_blockers(build_blocker(status=status)) == []


def test_blocker_is_placed_at_its_id() -> None:
    """The line of the finding is that of the blocker's id."""
    [found] = judge_blockers(build_blocker(id="B001"), build_blocker(id="B002", severity="huge"))
    assert found.place is not None
    lines = json.dumps({"version": 1, "blockers": [build_blocker(id="B001"), build_blocker(id="B002")]}, indent=2)
    assert '"B002"' in lines.split("\n")[(found.place.line or 0) - 1]


def test_blocker_that_stands_twice_is_found() -> None:
    """Two blockers of one id hide each other."""
    [found] = judge_blockers(build_blocker(), build_blocker(status="open"))
    assert (found.subject, found.actual) == ("B011.twice", "two")


@pytest.mark.parametrize("value", [{"version": 1}, {"blockers": None}, {"blockers": {}}, {"archived_blockers": []}])
def test_blockers_must_be_a_list(value: object) -> None:
    """A file without its list has lost its blockers."""
    assert find_subjects(STATE_FILES_PARSE, MemoryWorld(files=build_state(blockers=value))) == ["blockers"]


def test_blocker_that_is_no_object_is_found() -> None:
    """Also a line of text among the blockers is told."""
    assert [found.subject for found in judge_blockers("all is well")] == ["blockers number 1.top level"]


def test_archived_blockers_are_judged() -> None:
    """Moving a blocker to the archive does not hide its shape."""
    value = {"blockers": [], "archived_blockers": [build_blocker(severity="x")]}
    [found] = judge(STATE_FILES_PARSE, MemoryWorld(files=build_state(blockers=value)))
    assert found.subject == "B011.severity"


def test_task_needs_its_fields() -> None:
    """The current task has an id, an objective and a status."""
    found = judge(STATE_FILES_PARSE, MemoryWorld(files=build_state(current_task={"status": "open", "priority": []})))
    assert [finding.subject for finding in found] == ["task_id", "objective", "priority"]


def test_log_is_judged_line_by_line() -> None:
    """Each kind of fault is told once, at its first line."""
    lines = ['{"agent": "a"}', "[1]", "[2]", '{"agent": 1}', '{"agent": 2, "files": "x"}']
    files = {**build_state(), ".mosaic/session_log.jsonl": "\n".join(lines)}
    found = judge(STATE_FILES_PARSE, MemoryWorld(files=files))
    assert [(finding.subject, finding.place.line if finding.place else None) for finding in found] == [
        ("top level", 2),
        ("agent", 4),
        ("files", 5),
    ]


def test_log_with_a_broken_line_is_found() -> None:
    """A line that is cut off is told, with and without a dialect that saw it."""
    for text in ('{"agent": "a"}\n{"agent', b'{"agent": "a"}\n{"agent'):
        [found] = judge(STATE_FILES_PARSE, MemoryWorld(files={**build_state(), ".mosaic/session_log.jsonl": text}))
        assert "is not valid JSON" in found.message
        assert found.place is not None
        assert found.place.line == 2


def test_file_of_someone_else_is_found() -> None:
    """A file of that name with another content is no state."""
    files = {**build_state(), ".mosaic/current_task.json": '{"colour": "red"}'}
    found_fields = judge(STATE_FILES_PARSE, MemoryWorld(files=files))
    assert [found.subject for found in found_fields] == ["task_id", "objective", "status"]
    [found] = judge(STATE_FILES_PARSE, MemoryWorld(files=files, overrides={"mosaic.task_fields": ()}))
    assert "does not hold what a state file of this name holds" in found.message


def test_unknown_state_file_must_be_an_object() -> None:
    """For a file that the configuration adds, only that much is known."""
    world = MemoryWorld(
        files={**build_state(), ".mosaic/plan.json": "[]"}, overrides={"mosaic.state_files": ("plan.json",)}
    )
    assert [found.message for found in judge(STATE_FILES_PARSE, world)] == [".mosaic/plan.json is not an object"]


def test_missing_file_is_left_to_another_rule() -> None:
    """What is not there cannot be parsed; that it is not there is said elsewhere."""
    files = build_state()
    del files[".mosaic/blockers.json"]
    assert judge(STATE_FILES_PARSE, MemoryWorld(files=files)) == []


def test_file_that_cannot_be_read_is_found() -> None:
    """A folder in its place is there, but says nothing."""
    files = build_state()
    files[".mosaic/blockers.json/x"] = files.pop(".mosaic/blockers.json")
    [found] = judge(STATE_FILES_PARSE, MemoryWorld(files=files))
    assert found.message == ".mosaic/blockers.json cannot be read"


def test_parsing_repository_without_a_state_does_not_apply() -> None:
    """No state, nothing to parse."""
    with pytest.raises(NotApplicableError, match="no session state under review"):
        judge(STATE_FILES_PARSE, MemoryWorld(files={"a.txt": ""}))
