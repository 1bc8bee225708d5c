"""VR003: everything that describes a handoff shows it in the same state.

Files about one handoff agree, executions end where they may, steps and validations fit the outcome, a failure
was rolled back, and no agent hands one phase to two successors at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import read_json
from handoff_tui.checks.rule import Findings, RuleFinding, high_rule
from handoff_tui.checks.rules.procedure.records import (
    PROCEDURE,
    TDD,
    Record,
    Records,
    as_text,
    find_broken,
    find_place,
    is_transition,
    read_records,
)
from handoff_tui.core.place import Place, Severity
from handoff_tui.handoffs.formats.procedure import RESULT_LISTS
from handoff_tui.handoffs.handoff import DocumentRole, Handoff

_STEP_LISTS = ("step_results", "steps")
_ENDS = ("end_time", "ended_at", "completed_at")


def judge_execution(context: Context, execution: Record) -> Findings:
    """Checks that the state is legal and fits steps and errors, and that a failure was rolled back."""
    state = execution.state
    legal = context.settings.procedures.states
    final = context.settings.procedures.final_states
    if state is None or state not in legal:
        yield _report(execution, "state", f"is in no legal state: {state or 'none'}", " ".join(legal), state or "none")
        return
    if state not in final and any(execution.fields.get(key) is not None for key in _ENDS):
        yield _report(execution, "end", f"has ended, but is still {state}", " or ".join(final), state)
    yield from _judge_steps(context, execution, state)
    if state == "completed" and execution.fields.get("errors"):
        yield _report(execution, "errors", "is completed, but lists errors", "no errors", "errors")
    yield from _judge_rollback(context, execution, state)


def judge_session(context: Context, session: Record) -> Findings:
    """Checks that the overall result follows from the rules: no critical one failed, and enough passed."""
    overall = session.fields.get("overall_result")
    results = _list_results(session)
    if not isinstance(overall, bool) or not results:
        return
    critical = [name for name, (passed, severe) in results.items() if severe and not passed]
    share = sum(passed for passed, _ in results.values()) / len(results)
    minimum = context.settings.procedures.final_share_minimum
    critical += [name for name, (passed, _) in results.items() if not passed and _is_critical(context, name)]
    good = not critical and share >= minimum
    if overall and not good:
        reason = f"{critical[0]} failed" if critical else f"{share:.0%} of its rules passed"
        yield _report(session, "overall result", f"is said to have passed, but {reason}", "failed", "passed")
    elif good and not overall and share == 1:
        yield _report(session, "overall result", "is said to have failed, but every rule passed", "passed", "failed")


def _is_done(context: Context, step: Mapping[str, object]) -> bool | None:
    """Returns whether a step succeeded; None if it doesn't say."""
    for key in ("success", "passed"):
        if isinstance(step.get(key), bool):
            return bool(step[key])
    word = as_text(step.get("status")) or as_text(step.get("result"))
    return word.rpartition(".")[2].casefold() in context.settings.procedures.done_words if word else None


def _judge_steps(context: Context, execution: Record, state: str) -> Findings:
    steps = next((found for key in _STEP_LISTS if (found := execution.objects(key))), [])
    for number, step in enumerate(steps, start=1):
        name = as_text(step.get("name")) or as_text(step.get("step_name")) or f"step {number}"
        if state == "completed" and _is_done(context, step) is False:
            word = as_text(step.get("status")) or "not done"
            yield _report(execution, f"step {name}", f"is completed, but its step {name} is not", "completed", word)
    no_cause = not execution.fields.get("errors") and not execution.fields.get("error")
    if state == "failed" and steps and no_cause and all(_is_done(context, step) for step in steps):
        results = _list_results(execution)
        if all(passed for passed, _ in results.values()):
            yield _report(
                execution, "cause", "failed, but every step succeeded and no error is reported", "a cause", "none"
            )


def _judge_rollback(context: Context, execution: Record, state: str) -> Findings:
    performed = execution.fields.get("rollback_performed")
    if state == "completed" and performed is True:
        yield _report(execution, "rollback", "is completed, but was rolled back", "one of the two", "both")
    if state == "failed" and performed is not True and _can_roll_back(context, execution):
        yield _report(execution, "rollback", "failed and was not rolled back", "a rollback", "none")
    if state == "rollback" and performed is False:
        yield _report(execution, "rollback", "is in rollback, but no rollback was performed", "a rollback", "none")
    for step in execution.objects("rollback_results") if state in {"failed", "rollback"} else ():
        if _is_done(context, step) is False:
            name = as_text(step.get("action")) or as_text(step.get("name")) or "a step"
            word = as_text(step.get("status")) or "not done"
            yield _report(execution, f"rollback {name}", f"was not rolled back: {name} is {word}", "completed", word)


def _can_roll_back(context: Context, execution: Record) -> bool:
    """Returns whether a rollback is expected: not if the configured procedure has none."""
    procedure = context.settings.procedures.procedures.get(execution.text("procedure_id") or "")
    return procedure is None or bool(procedure.rollback)


def _list_results(record: Record) -> dict[str, tuple[bool, bool]]:
    """Returns, by rule id, whether it passed and whether its result calls it critical."""
    found: dict[str, tuple[bool, bool]] = {}
    for key in RESULT_LISTS:
        for result in record.objects(key):
            name = as_text(result.get("rule_id")) or as_text(result.get("rule")) or as_text(result.get("id"))
            if name and isinstance(result.get("passed"), bool):
                found[name] = (bool(result["passed"]), as_text(result.get("severity")) == "critical")
        value = record.fields.get(key)
        if isinstance(value, dict):
            found.update({name: (passed, False) for name, passed in value.items() if isinstance(passed, bool)})
    return found


def _is_critical(context: Context, name: str) -> bool:
    rules = context.settings.procedures.rules
    return name in rules and rules[name].severity is Severity.CRITICAL


def _report(record: Record, what: str, problem: str, expected: str, actual: str) -> RuleFinding:
    name = record.text("execution_id") or record.text("session_id") or record.where.path
    return RuleFinding(f"VR003: {name} {problem}", f"{name} {what}", record.where, expected, actual)


_PARTIES = ("source_phase", "target_phase", "source_agent", "target_agent")
_PHASE_KEYS = ("phase", "currentPhase", "current_phase")


@high_rule(
    declared="VR003",
    holds="VR003: every handoff is in one state: its files agree, executions end legally, and results fit the outcome.",
    reads="contexts, executions and validation sessions of procedures; state files and notes of TDD cycles",
    remedy="Decide which state is true and correct the other file. Finish or roll back what is half done.",
)
def state_consistent(context: Context) -> Findings:
    own = [
        handoff
        for handoff in context.handoffs()
        if is_transition(handoff) and handoff.dialect in {PROCEDURE, TDD} and handoff.documents
    ]
    if not own:
        context.skip("no procedure and no TDD cycle here")
    for handoff in own:
        yield from find_broken(context, handoff, "VR003")
        if handoff.dialect == TDD:
            yield from _judge_state_files(context, handoff)
            continue
        records = read_records(context, handoff)
        yield from _judge_contexts(handoff, records.contexts)
        yield from _judge_outcome(handoff, records)
        for execution in records.executions:
            yield from judge_execution(context, execution)
        for session in records.sessions:
            yield from judge_session(context, session)
    yield from _judge_rivals(context, own)


def _judge_contexts(handoff: Handoff, contexts: tuple[Record, ...]) -> Findings:
    """Checks that two contexts of one handoff name the same phases, agents and state."""
    for first, second in combinations(contexts, 2):
        for key in (*_PARTIES, "state"):
            told = [record.state if key == "state" else record.text(key) for record in (first, second)]
            if told[0] and told[1] and told[0] != told[1]:
                yield _report_two(handoff, key, told[0], first.where, told[1], second.where)


def _judge_outcome(handoff: Handoff, records: Records) -> Findings:
    """Checks that the contexts and the last session agree with the end of the last execution."""
    last = records.executions[-1] if records.executions else None
    if last is None or last.state is None:
        return
    for record in records.contexts:
        if record.state is not None and record.state != last.state:
            yield _report_two(handoff, "state", record.state, record.where, last.state, last.where)
    of_last = [
        session
        for session in records.sessions
        if session.text("execution_id") in {None, last.text("execution_id")}
        and session.text("procedure_id") in {None, last.text("procedure_id")}
    ]
    if of_last and last.state == "completed" and of_last[-1].fields.get("overall_result") is False:
        yield _report_two(handoff, "state", "completed", last.where, "validation failed", of_last[-1].where)


def _report_two(handoff: Handoff, key: str, one: str, where: Place, other: str, elsewhere: Place) -> RuleFinding:
    name = key.replace("_", " ")
    message = f"VR003: {handoff.id} has two values for its {name}: {one} ({where}) and {other} ({elsewhere})"
    return RuleFinding(message, f"{handoff.id} {key} {where.path} {elsewhere.path}", elsewhere, one, other)


def _judge_state_files(context: Context, handoff: Handoff) -> Findings:
    """Checks that a state file beside notes has the phase of the newest note."""
    if not any(document.role is DocumentRole.NOTE for document in handoff.documents):
        return
    for document in handoff.documents:
        value = read_json(context, document.path) if document.role is DocumentRole.STATE else None
        phase = _read_phase(value) if isinstance(value, dict) else None
        noted = handoff.source_phase
        if phase is not None and noted is not None and phase.upper() != noted.upper():
            place = find_place(handoff) or Place(path=document.path)
            yield _report_two(handoff, "phase", noted, place, phase, Place(path=document.path))


def _read_phase(members: Mapping[str, object]) -> str | None:
    return next((text for key in _PHASE_KEYS if (text := as_text(members.get(key)))), None)


def _judge_rivals(context: Context, own: list[Handoff]) -> Findings:
    """Finds two open handoffs by which one agent passes the same phase to different successors."""
    scope = {handoff.id for handoff in own}
    waiting = [handoff for handoff in context.every_handoff() if _is_waiting(handoff)]
    for first, second in combinations(waiting, 2):
        same = (first.source_phase, first.source_agent) == (second.source_phase, second.source_agent)
        successors = [(handoff.target_phase, handoff.target_agent) for handoff in (first, second)]
        if same and successors[0] != successors[1] and {first.id, second.id} & scope:
            both = f"{first.id} and {second.id} both pass {first.source_phase} of {first.source_agent} on"
            message, subject = f"VR003: {both}, to different successors", f"{first.id} {second.id} successors"
            yield RuleFinding(message, subject, find_place(second), *map(_describe, successors))


def _is_waiting(handoff: Handoff) -> bool:
    is_over = handoff.status in {"COMPLETE", "FAIL", "ROLLBACK"}
    return handoff.dialect == PROCEDURE and bool(handoff.source_phase and handoff.source_agent) and not is_over


def _describe(successor: tuple[str | None, str | None]) -> str:
    return " of ".join(part for part in successor if part) or "nobody"
