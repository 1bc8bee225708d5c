from __future__ import annotations

import json

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with

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
    assert problems == ["commit is no commit id: soon", "branch should be text, but is a number"]
