"""Notes and state files of TDD cycles are readable, locks are not stale, and test lists agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable, parse_json, parse_moment
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, medium_rule
from handoff_tui.checks.rules.tdd.cycles import list_cycles, list_steps, require_cycles
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment, Place, Problem, ProblemLevel
from handoff_tui.core.tasks import Task
from handoff_tui.handoffs.handoff import DocumentRole, Handoff


@critical_rule(
    holds="Every TDD note and state file is readable and names its phase.",
    reads="git notes and state files of TDD cycles",
    remedy="Write the note or file again as one JSON object with phase and nextPhase.",
    commands=("git notes --ref=tdd-handoffs list",),
)
def handoff_notes_parse(context: Context) -> Findings:
    handoffs = context.handoffs("tdd")
    problems = [problem for problem in context.problems() if _is_ours(context, problem, handoffs)]
    if not handoffs and not problems:
        context.skip("no TDD note or state file here")
    for problem in problems:
        message = f"{problem.path} {problem.message}"
        expected = "a handoff that can be read"
        yield RuleFinding(message, problem.path, Place(path=problem.path, line=problem.line), expected, problem.message)
    broken = {problem.path for problem in problems}
    for step in (step for handoff in list_cycles(handoffs) for step in list_steps(handoff)):
        if step.phase is None and step.where.path not in broken:
            message = f"{step.where.path} does not say which phase it is of"
            yield RuleFinding(message, f"{step.where.path} phase", step.where, "a phase", "none")


def _is_ours(context: Context, problem: Problem, handoffs: tuple[Handoff, ...]) -> bool:
    """Returns whether a problem is an error in a TDD file under review, or in a note that became no step."""
    tdd, name = context.settings.tdd, problem.path.rpartition("/")[2]
    is_note = problem.path.startswith(f"notes:{tdd.notes_ref}/")
    is_file = problem.path.startswith(f"{tdd.state_folder}/") or name in {tdd.state_file, tdd.lock_file}
    is_error = problem.level is ProblemLevel.ERROR
    if problem.path in _list_documents(handoffs):
        return is_error
    if problem.path in _list_documents(context.every_handoff()):
        return False
    return is_note or (is_file and is_error)


def _list_documents(handoffs: tuple[Handoff, ...]) -> set[str]:
    return {document.path for handoff in handoffs for document in handoff.documents}


_PAIR = compile_later(r"^\s*([A-Za-z][A-Za-z_ -]{0,30}?)\s*[:=]\s*(\S.*)$")
_FUTURE = timedelta(minutes=1)
_MILLISECONDS_FROM = 1e11


@medium_rule(
    holds="Every lock names its owner and isn't stale.",
    reads="the lock file of TDD agents, and the clock",
    remedy="Make sure that its owner has stopped working. Then remove the lock.",
)
def lock_not_stale(context: Context) -> Findings:
    """Looks for the lock by name too, because git often ignores it."""
    name = context.settings.tdd.lock_file
    documents = (document.path for handoff in context.handoffs("tdd") for document in handoff.documents)
    locks = dict.fromkeys((name, *(path for path in documents if path.rpartition("/")[2] == name)))
    present = [path for path in locks if context.exists(path)]
    if not present:
        context.skip("no agent holds a lock")
    for path in present:
        text = context.read_text(path)
        if text is None:
            yield _report_lock(path, "content", "cannot be read", "a lock that can be read", "no content")
            continue
        yield from find_unreadable(context, (path,))
        yield from _judge_lock(context, path, _parse_lock(text))


def _judge_lock(context: Context, path: str, fields: dict[str, str]) -> Findings:
    if not any(fields.get(_fold(key)) for key in context.settings.tdd.lock_owner_fields):
        yield _report_lock(path, "owner", "does not say who holds it", "an owner", "none")
    keys = context.settings.tdd.lock_time_fields
    written = next((text for key in keys if (text := fields.get(_fold(key)))), None)
    since = _parse_lock_time(written) if written else None
    if since is None:
        yield _report_lock(path, "time", "does not say since when it is held", "a time", written or "none")
        return
    age = context.now() - since
    limit = context.settings.tdd.lock_stale_minutes
    if age > timedelta(minutes=limit):
        minutes = int(age.total_seconds() // 60)
        yield _report_lock(
            path, "age", f"is older than {limit} minutes", f"at most {limit} minutes", f"{minutes} minutes"
        )
    elif age < -_FUTURE:
        yield _report_lock(path, "age", "is dated in the future", "a time that has been", written or "none")


def _parse_lock(text: str) -> dict[str, str]:
    """Parses the fields of a JSON object, or lines such as `agent: heron`."""
    value = parse_json(text.encode())
    if isinstance(value, dict):
        return {_fold(key): str(entry) for key, entry in value.items() if isinstance(entry, str | int | float)}
    pairs = (_PAIR.match(line) for line in text.splitlines())
    return {_fold(pair.group(1)): pair.group(2).strip() for pair in pairs if pair is not None}


def _parse_lock_time(text: str) -> datetime | None:
    """Parses ISO 8601, or seconds or milliseconds since 1970, in UTC without a zone; None if it isn't a time."""
    try:
        number = float(text)
        return datetime.fromtimestamp(number / 1000 if number > _MILLISECONDS_FROM else number, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return parse_moment(text)


def _fold(key: str) -> str:
    return key.casefold().replace(" ", "_")


def _report_lock(path: str, what: str, problem: str, expected: str, actual: str) -> RuleFinding:
    return RuleFinding(f"the lock {path} {problem}", f"{path} {what}", Place(path=path), expected, actual)


_BOX = compile_later(r"^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(\S.*)$")
_FENCE = compile_later(r"^\s*(?:```|~~~)")
_MARKS = compile_later(r"[*_`~]")
_STAGES = ("completed", "pending")


@medium_rule(
    holds="The tests of the newest step agree with the test list, and no test is both completed and pending.",
    reads="completed and pending tests of TDD steps, and the checkboxes of the test list",
    remedy="Tick the tests that are done, and list every other test as pending.",
    moments=(CheckMoment.PRE, CheckMoment.GATE),
)
def test_list_consistent(context: Context) -> Findings:
    tests = [(handoff, told) for handoff in require_cycles(context) if (told := _list_tests(handoff))]
    for handoff, told in tests or context.skip("no step names its tests"):
        yield from _judge_note(handoff, told)
        for document in handoff.documents:
            if document.role is DocumentRole.LIST:
                yield from _judge_list(context, handoff, told, document.path)


def _list_tests(handoff: Handoff) -> list[Task]:
    return [task for task in handoff.tasks if task.stage in _STAGES and task.id.startswith(task.stage)]


def _judge_note(handoff: Handoff, told: list[Task]) -> Findings:
    """Finds tests that are in two lists, or twice in one."""
    counts = Counter(_normalise(task.title) for task in told)
    for name, count in counts.items():
        if count == 1:
            continue
        same = [task for task in told if _normalise(task.title) == name]
        both = len({task.done for task in same}) > 1
        problem = "is both completed and pending" if both else "is listed twice"
        yield _report_test(handoff, same[-1].title, problem, same[-1].where, "once", f"{count} times")


def _judge_list(context: Context, handoff: Handoff, told: list[Task], path: str) -> Findings:
    text = context.read_text(path)
    if text is None:
        yield _report_test(handoff, path, "cannot be read", Place(path=path), "a list of tests", "no content")
        return
    boxes = {_normalise(title): (checked, title, place) for checked, title, place in _read_boxes(path, text)}
    current = _normalise(handoff.title or "")
    for task in told:
        name = _normalise(task.title)
        if name not in boxes:
            yield _report_test(handoff, task.title, f"is not in {path}", task.where, "a box in the list", "none")
        elif boxes[name][0] != task.done and name != current:
            said, box = ("completed", "open") if task.done else ("pending", "ticked")
            problem = f"is {said} in the step, but {box} in {path}"
            yield _report_test(handoff, task.title, problem, boxes[name][2], said, box)
    known = {_normalise(task.title) for task in told} | {current}
    for name, (_, title, place) in boxes.items():
        if name not in known:
            yield _report_test(
                handoff, title, "is in the list, but not in the step", place, "named in the step", "missing"
            )


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


def _report_test(handoff: Handoff, title: str, problem: str, place: Place, expected: str, actual: str) -> RuleFinding:
    message = f'{handoff.id}: "{title}" {problem}'
    return RuleFinding(message, f"{handoff.id} {_normalise(title)}", place, expected, actual)
