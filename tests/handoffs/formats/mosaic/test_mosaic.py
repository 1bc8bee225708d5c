from __future__ import annotations

import json

import pytest

from handoff_tui.config.settings.root import Mosaic, Settings
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.fields import claim_count_fields, claim_document_fields
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.formats.mosaic.layout import recognise
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.handoff import Handoff, RegistryState
from handoff_tui.handoffs.reading.format import Confidence, Source
from handoff_tui.handoffs.reading.json_document import JsonDocument, JsonNode, parse_json
from handoff_tui.handoffs.reading.read import read_handoffs
from tests.support.memory_files import MemoryFiles, read_with


def test_mosaic_reads_every_state_folder_and_manifest() -> None:
    """States at the root and below, and manifests, are handoffs in a fixed order."""
    files = {
        "svc/.mosaic/agent_state.json": '{"last_agent": "wren", "next_agent": "x"}',
        ".mosaic/agent_state.json": '{"last_agent": "robin", "next_agent": "x"}',
        ".ai-agents/handoff_2.json": '{"commit": "aaa1111", "branch": "b"}',
        ".ai-agents/handoff_1.json": '{"commit": "aaa1111", "branch": "b"}',
    }
    reading = read_with(MOSAIC, MemoryFiles(files))
    assert [handoff.id for handoff in reading.handoffs] == ["mosaic", "svc/mosaic", "mosaic/1", "mosaic/2"]
    assert [problem.path for problem in reading.problems] == [
        ".mosaic/blockers.json",
        ".mosaic/current_task.json",
        "svc/.mosaic/blockers.json",
        "svc/.mosaic/current_task.json",
    ]


def test_what_a_state_file_says_twice_is_said_once() -> None:
    """Each file speaks for itself."""
    files = {
        ".mosaic/agent_state.json": '{"last_agent": "wren", "next_agent": "x", "last_commit": "abc1234"}',
        ".mosaic/project_state.json": json.dumps(
            {"git_commit": "abc1234", "phases": [{"commit": "dcb86a5"}, {"commit": "dcb86a5"}]}
        ),
    }
    [handoff] = read_with(MOSAIC, MemoryFiles(files)).handoffs
    commits = [(one.value, one.where.path) for one in handoff.claims if one.kind is ClaimKind.COMMIT]
    assert sorted(commits) == [
        ("abc1234", ".mosaic/agent_state.json"),
        ("abc1234", ".mosaic/project_state.json"),
        ("dcb86a5", ".mosaic/project_state.json"),
    ]


def test_mosaic_state_in_pieces_is_still_a_handoff() -> None:
    """Broken state files are documents with problems, and what can be read is read."""
    files = {
        ".mosaic/agent_state.json": '{"last_agent": "robin", ',
        ".mosaic/blockers.json": "",
        ".mosaic/current_task.json": json.dumps(["not", "an", "object"]),
    }
    shelf = MemoryFiles(files)
    reading = read_with(MOSAIC, shelf)
    assert [handoff.id for handoff in reading.handoffs] == ["mosaic"]
    assert len(reading.handoffs[0].documents) == 3
    assert reading.problems == []
    assert all(len(shelf.source(path).problems()) == 1 for path in shelf.paths)


def test_mosaic_manifests_are_superseded_by_what_is_newer() -> None:
    """Of those in a folder only the newest can wait for someone, and only if no state was written after it."""
    files = {
        ".ai-agents/handoff_1.json": '{"commit": "aaa1111", "branch": "b", "timestamp": "2031-01-01T00:00:00Z"}',
        ".ai-agents/handoff_2.json": '{"commit": "aaa1111", "branch": "b", "timestamp": "2031-01-02T00:00:00Z"}',
    }

    def superseded() -> list[str]:
        handoffs = read_with(MOSAIC, MemoryFiles(files)).handoffs
        return [handoff.id for handoff in handoffs if handoff.registry is RegistryState.SUPERSEDED]

    assert superseded() == ["mosaic/1"]
    files[".mosaic/agent_state.json"] = '{"last_agent": "wren", "last_session_end": "2031-01-03T00:00:00Z"}'
    assert superseded() == ["mosaic/1", "mosaic/2"]


def test_mosaic_state_of_another_type_is_an_error() -> None:
    """Blockers that cannot be read may be anything: that isn't a detail."""
    shelf = MemoryFiles({".mosaic/agent_state.json": '{"last_agent": "wren"}', ".mosaic/blockers.json": "[1]"})
    read_with(MOSAIC, shelf)
    assert [(problem.path, problem.level.value) for problem in shelf.problems()] == [(".mosaic/blockers.json", "error")]


def test_mosaic_file_that_is_not_understood_is_listed() -> None:
    """A state file with foreign content is not dropped in silence."""
    shelf = MemoryFiles(
        {".mosaic/project_state.json": '{"theme": "dark"}', "docs/handoffs/odd.md": "# Odd\n\nWords.\n"}
    )
    assert read_handoffs(shelf, FORMATS).unknown == (".mosaic/project_state.json", "docs/handoffs/odd.md")


def test_mosaic_words_come_from_the_settings() -> None:
    """Statuses of blockers, and which state files must be there."""
    files = {
        ".mosaic/blockers.json": json.dumps({"blockers": [{"id": "B1", "title": "x", "status": "Parked"}]}),
        ".mosaic/project_state.json": json.dumps({"blocking_issues": [{"id": "B2", "status": "parked"}]}),
    }
    words = Mosaic(open_statuses=("open",), closed_statuses=("parked",), state_files=("blockers.json", "crew.json"))
    shelf = MemoryFiles(files, Settings(mosaic=words))
    reading = read_with(MOSAIC, shelf)
    assert [(blocker.id, blocker.open) for blocker in reading.handoffs[0].blockers] == [("B1", False), ("B2", False)]
    assert shelf.problems() == []
    assert [problem.path for problem in reading.problems] == [".mosaic/crew.json"]
    assert all(blocker.open for blocker in read_with(MOSAIC, MemoryFiles(files)).handoffs[0].blockers)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (".mosaic/agent_state.json", '{"last_agent": "a", "next_agent": "b"}', Confidence.CERTAIN),
        (".mosaic/agent_state.json", '{"last_agent": "a", "colour": "red"}', Confidence.LIKELY),
        (".mosaic/agent_state.json", '{"colour": "red"}', Confidence.NO),
        (".mosaic/agent_state.json", "{}", Confidence.POSSIBLE),
        (".mosaic/agent_state.json", "[1]", Confidence.POSSIBLE),
        (".mosaic/agent_state.json", '{"last_agent": ', Confidence.POSSIBLE),
        (".mosaic/blockers.json", '{"blockers": []}', Confidence.CERTAIN),
        (".mosaic/session_log.jsonl", '{"agent": "a", "action": "b"}\nbroken', Confidence.CERTAIN),
        (".mosaic/session_log.jsonl", '{"colour": 1}', Confidence.NO),
        (".mosaic/session_log.jsonl", "", Confidence.POSSIBLE),
        (".mosaic/gemini_approval.json", '{"verdict": "APPROVE", "score": 3}', Confidence.CERTAIN),
        (".mosaic/theme/palette.json", '{"colour": "red"}', Confidence.POSSIBLE),
        (".mosaic/SESSION_HANDOFF_1.md", "# Session handoff\n", Confidence.CERTAIN),
        (".mosaic/wrap-up.md", "# Handoff of the evening\n", Confidence.LIKELY),
        (".mosaic/thoughts.md", "# Recipes\n", Confidence.POSSIBLE),
        (".ai-agents/handoff_1.json", '{"commit": "abc1234", "branch": "main"}', Confidence.CERTAIN),
        (".ai-agents/handoff_1.json", '{"colour": "red"}', Confidence.NO),
        (".ai-agents/emergency_handoff.txt", "EMERGENCY: stop", Confidence.LIKELY),
        (".ai-agents/emergency_handoff.txt", "", Confidence.POSSIBLE),
        ("elsewhere/agent_state.json", '{"last_agent": "a", "next_agent": "b"}', Confidence.NO),
    ],
)
def test_recognise_judges_by_content(path: str, text: str, expected: float) -> None:
    """Content decides; the place alone never gives more than possible, foreign content nothing."""
    assert recognise(Source.of_text(path, text)) == expected


_PATH = ".ai-agents/handoff_20310203_040506.json"


def _read(content: object) -> tuple[Handoff, list[str]]:
    shelf = MemoryFiles({_PATH: json.dumps(content, indent=1)})
    handoff = read_with(MOSAIC, shelf).handoffs[0]
    return handoff, [problem.message for problem in shelf.source(_PATH).problems()]


def test_manifest_of_the_hook_generation_is_one_handoff() -> None:
    """Commit, branch, modified files and the checklist of the hook's manifest."""
    handoff, problems = _read(
        {
            "timestamp": "2031-02-03T04:05:06Z",
            "commit": "aaa1111",
            "commit_message": "Tar the deck",
            "branch": "night",
            "critical_features": {"rudder_present": True},
            "session_continuity": {"last_5_commits": ["bbb2222: Sand the deck"], "modified_files": ["deck/tar.py"]},
            "next_agent_checklist": ["Let it dry"],
        }
    )
    assert (handoff.id, handoff.title, handoff.created) == (
        "mosaic/20310203_040506",
        "Tar the deck",
        "2031-02-03T04:05:06Z",
    )
    assert [(claim.kind, claim.subject, claim.value) for claim in handoff.claims] == [
        (ClaimKind.COMMIT, None, "aaa1111"),
        (ClaimKind.BRANCH, None, "night"),
        (ClaimKind.FILE_MODIFIED, "deck/tar.py", None),
        (ClaimKind.COMMIT, None, "bbb2222"),
        (ClaimKind.CHECK, "rudder_present", True),
    ]
    assert [(task.id, task.title, task.done) for task in handoff.tasks] == [("checklist-1", "Let it dry", None)]
    assert problems == []


def test_manifest_of_the_agent_generation_is_one_handoff() -> None:
    """Git state with the number of uncommitted changes, deployment and open tasks of the agent's manifest."""
    handoff, _ = _read(
        {
            "outgoing_agent": "robin",
            "status": "Deck tarred, still wet",
            "git_state": {"commit": "aaa1111", "branch": "main", "uncommitted_changes": 9},
            "deployment_status": {"harbour_health": "unknown", "lamps_lit": 0},
            "critical_features": {"rudder": ["deck/rudder.py:3"]},
            "tasks_in_progress": ["Drying"],
            "notes": "Mind the tar",
        }
    )
    assert (handoff.source_agent, handoff.title, handoff.status) == ("robin", "Deck tarred, still wet", None)
    assert (handoff.message, handoff.producers) == ("Mind the tar", ("robin",))
    assert [(claim.kind, claim.subject, claim.value) for claim in handoff.claims] == [
        (ClaimKind.COMMIT, None, "aaa1111"),
        (ClaimKind.BRANCH, None, "main"),
        (ClaimKind.UNCOMMITTED, None, 9),
        (ClaimKind.DEPLOYMENT, None, "unknown"),
        (ClaimKind.CHECK, "lamps_lit", "0"),
        (ClaimKind.FILE_REFERENCED, "deck/rudder.py", None),
    ]
    assert [(task.title, task.done) for task in handoff.tasks] == [("Drying", False)]


def test_manifest_that_lists_uncommitted_files_claims_each() -> None:
    """A list in place of the number names the files."""
    handoff, _ = _read({"git_state": {"uncommitted_changes": ["a.py", "b/c.py"]}, "outgoing_agent": "r"})
    assert [(claim.kind, claim.subject) for claim in handoff.claims] == [
        (ClaimKind.UNCOMMITTED, "a.py"),
        (ClaimKind.UNCOMMITTED, "b/c.py"),
    ]


def test_manifest_with_wrong_content_is_kept_with_its_problem() -> None:
    """A list, a bad commit or a wrong type is reported; the handoff and its document stay."""
    handoff, problems = _read([1])
    assert [document.path for document in handoff.documents] == [_PATH]
    assert problems == ["the top level should be an object, but is a list"]
    _, problems = _read({"commit": "soon", "branch": 5})
    assert problems == ["commit is not a commit id: soon", "branch should be text, but is a number"]


_DOCUMENT = """\
# Session handoff, third of February

**Agent:** Robin (night shift)
**Status:** COMPLETE, all moored

## Files created

1. **`src/anchor.py`** (90 lines)
   - drops `docs/chain.md`
2. **Updated `src/rope.py`**

## Files removed

| File | Why |
|------|-----|
| `src/sail.py` | torn |

## State

- Commit: `aaa1111` (night)
- Harbour: https://harbour.example/app is LIVE
- 14 passed, 2 skipped

```
Check run: 3/3 tests passed
see `src/not_a_reference.py`
```
"""


def _read_session_documents() -> Handoff:
    return read_with(MOSAIC, MemoryFiles({".mosaic/SESSION_HANDOFF_2031-02-03.md": _DOCUMENT})).handoffs[0]


def _claims(kind: ClaimKind) -> list[tuple[str | None, object, int | None]]:
    return [
        (claim.subject, claim.value, claim.where.line)
        for claim in _read_session_documents().claims
        if claim.kind is kind
    ]


def test_session_document_claims_files_by_heading_and_verb() -> None:
    """The heading says what happened to the files below it, unless an item says otherwise."""
    assert _claims(ClaimKind.FILE_CREATED) == [("src/anchor.py", None, 8)]
    assert _claims(ClaimKind.FILE_MODIFIED) == [("src/rope.py", None, 10)]
    assert _claims(ClaimKind.FILE_DELETED) == [("src/sail.py", None, 16)]


def test_session_document_that_only_mentions_files_claims_nothing() -> None:
    """A detail of a listed file, and pasted output, point to nothing."""
    assert _claims(ClaimKind.FILE_REFERENCED) == []


_PATH_EMERGENCY = ".ai-agents/emergency_handoff.txt"


def test_emergency_stands_on_the_live_handoff() -> None:
    """Beside a state the emergency is a fact and a blocker of the live handoff."""
    files = {
        _PATH_EMERGENCY: "\nSTOP: harbour on fire\nCall Ada.",
        ".mosaic/agent_state.json": '{"last_agent": "robin"}',
    }
    handoffs = read_with(MOSAIC, MemoryFiles(files)).handoffs
    assert [handoff.id for handoff in handoffs] == ["mosaic"]
    blocker = handoffs[0].blockers[0]
    assert (blocker.title, blocker.open, blocker.needs_human, blocker.where.line) == (
        "STOP: harbour on fire",
        True,
        True,
        2,
    )
    assert ("emergency", "STOP: harbour on fire\nCall Ada.") in {(fact.name, fact.value) for fact in handoffs[0].facts}


def test_emergency_without_a_state_is_a_handoff_of_its_own() -> None:
    """Even an empty file stops the next agent."""
    handoffs = read_with(MOSAIC, MemoryFiles({_PATH_EMERGENCY: ""})).handoffs
    assert [handoff.id for handoff in handoffs] == ["mosaic/emergency"]
    assert handoffs[0].blockers[0].needs_human
    assert handoffs[0].facts[0].value == "(the file is empty)"


def _parse(text: str) -> JsonNode:
    root = JsonDocument(parse_json("a.json", text)).root
    assert root is not None
    return root


def test_count_and_document_fields_are_found_at_any_depth() -> None:
    """Numbers in words and in fields, and paths in document fields; booleans aren't numbers."""
    root = _parse('{"x": {"smoke": "1/2 passed", "failed_tests": 4, "skipped": true}, "plan_document": "a/b.md"}')
    assert [(claim.subject, claim.value) for claim in claim_count_fields(root)] == [
        ("smoke.total", 2),
        ("smoke.passed", 1),
        ("x.failed", 4),
    ]
    assert [claim.subject for claim in claim_document_fields(root)] == ["a/b.md"]
