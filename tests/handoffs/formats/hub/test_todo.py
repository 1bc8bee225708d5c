from __future__ import annotations

import json

from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with


def _read(content: object) -> tuple[Handoff, list[str]]:
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    shelf = MemoryFiles({"todo.json": text})
    return read_with(HUB, shelf).handoffs[0], [problem.message for problem in shelf.source("todo.json").problems()]


def test_todo_is_one_handoff_with_all_tasks() -> None:
    """Tasks keep their words; done is known only for known words."""
    tasks = [
        {"id": "LN-1", "title": "Oil", "status": "done", "priority": 1},
        {"id": "LN-2", "title": "Wick", "status": "pending", "priority": "high", "blocked_by": ["LN-1"]},
        {"title": "Glass", "status": "simmering"},
    ]
    handoff, problems = _read({"project": "Lantern", "last_updated": "2031-02-03", "tasks": tasks})
    assert (handoff.id, handoff.title, handoff.created) == ("todo", "Lantern", "2031-02-03")
    assert [(task.id, task.status, task.done, task.priority) for task in handoff.tasks] == [
        ("LN-1", "done", True, "1"),
        ("LN-2", "pending", False, "high"),
        ("task-3", "simmering", None, None),
    ]
    assert [(fact.name, fact.value) for fact in handoff.facts] == [
        ("blocked by", "LN-2 waits for LN-1"),
        ("tasks done", "1 of 3"),
    ]
    assert problems == []


def test_todo_reports_repeated_and_unknown_ids() -> None:
    """A repeated task and a blocker that is not in the list are problems."""
    tasks = [{"id": "A-1", "title": "a"}, {"id": "A-1", "title": "b", "blocked_by": "A-9"}, 7]
    _, problems = _read({"project": "Lantern", "tasks": tasks})
    assert problems == [
        "tasks[2] should be an object, but is a number",
        "the task A-1 is listed twice",
        "A-1 is blocked by A-9, which is not in the list",
    ]


def test_broken_todo_is_kept_with_its_problem() -> None:
    """A truncated list is a handoff without tasks, and the problem says where it breaks."""
    handoff, problems = _read('{"tasks": [')
    assert (handoff.tasks, len(handoff.documents), len(problems)) == ((), 1, 1)
