"""The tests of the newest step agree with the test list, and no test is both completed and pending."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.checks.rules.tdd.cycles import list_cycles, require_cycles
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import Task
from handoff_tui.handoffs.handoff import DocumentRole, Handoff

_BOX = compile_later(r"^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(\S.*)$")
_FENCE = compile_later(r"^\s*(?:```|~~~)")
_MARKS = compile_later(r"[*_`~]")
_STAGES = ("completed", "pending")


def judge(context: Context) -> Iterator[RuleFinding]:
    judged = False
    for handoff in require_cycles(context):
        told = [task for task in handoff.tasks if task.stage in _STAGES and task.id.startswith(task.stage)]
        if told:
            judged = True
            yield from _judge_note(handoff, told)
            for document in handoff.documents:
                if document.role is DocumentRole.LIST:
                    yield from _judge_list(context, handoff, told, document.path)
    if not judged:
        has_cycles = bool(list_cycles(context.handoffs("tdd")))
        context.skip("no step names its tests" if has_cycles else "no TDD cycle here")


def _judge_note(handoff: Handoff, told: list[Task]) -> Iterator[RuleFinding]:
    """Finds tests that are in two lists, or twice in one."""
    counts = Counter(_normalise(task.title) for task in told)
    for name, count in counts.items():
        if count == 1:
            continue
        same = [task for task in told if _normalise(task.title) == name]
        both = len({task.done for task in same}) > 1
        problem = "is both completed and pending" if both else "is listed twice"
        yield _build(handoff, same[-1].title, problem, same[-1].where, "once", f"{count} times")


def _judge_list(context: Context, handoff: Handoff, told: list[Task], path: str) -> Iterator[RuleFinding]:
    text = context.read_text(path)
    if text is None:
        yield _build(handoff, path, "cannot be read", Place(path=path), "a list of tests", "no content")
        return
    boxes = {_normalise(title): (checked, title, place) for checked, title, place in _read_boxes(path, text)}
    current = _normalise(handoff.title or "")
    for task in told:
        name = _normalise(task.title)
        if name not in boxes:
            yield _build(handoff, task.title, f"is not in {path}", task.where, "a box in the list", "none")
        elif boxes[name][0] != task.done and name != current:
            said, box = ("completed", "open") if task.done else ("pending", "ticked")
            problem = f"is {said} in the step, but {box} in {path}"
            yield _build(handoff, task.title, problem, boxes[name][2], said, box)
    known = {_normalise(task.title) for task in told} | {current}
    for name, (_, title, place) in boxes.items():
        if name not in known:
            yield _build(handoff, title, "is in the list, but not in the step", place, "named in the step", "missing")


def _read_boxes(path: str, text: str) -> Iterator[tuple[bool, str, Place]]:
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        if _FENCE.match(line):
            fenced = not fenced
        match = None if fenced else _BOX.match(line)
        if match is not None:
            yield match.group(1) != " ", match.group(2).strip(), Place(path=path, line=number)


def _normalise(title: str) -> str:
    return " ".join(_MARKS.sub("", title).split()).rstrip(".").casefold()


def _build(handoff: Handoff, title: str, problem: str, place: Place, expected: str, actual: str) -> RuleFinding:
    message = f"{handoff.id}: «{title}» {problem}"
    return RuleFinding(message, f"{handoff.id} {_normalise(title)}", place, expected, actual)


TEST_LIST_CONSISTENT = Rule(
    id="test-list-consistent",
    system=System.TDD,
    severity=Severity.MEDIUM,
    holds="The tests of the newest step agree with the test list, and no test is both completed and pending.",
    reads="completed and pending tests of TDD steps, and the checkboxes of the test list",
    remedy="Tick the tests that are done, and list every other test as pending.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
)
