"""Runs one procedure: gates, steps with retries, rules after each and at the end, and the rollback of a failure."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from threading import Event

from handoff_tui.agents.engine.engine import Actions, Durable, GateAnswer, Json, StepResult
from handoff_tui.agents.procedures.report import (
    PlannedRule,
    PlannedStep,
    PlannedUndo,
    ProcedureEnd,
    ProcedurePlan,
    ProcedureState,
    ProcedureTry,
    RunRequest,
    TryKind,
    TryResult,
)
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.place import Severity
from handoff_tui.system.background import Background
from handoff_tui.system.clock import read_now

GRACE_SECONDS = 10.0
"""How long a built-in step may go on after its time, before it counts as stuck."""
_LOOK_SECONDS = 0.5


class StepExecutor:
    """Executes the steps of one run in this process, each on a thread with a time limit. Never raises an error."""

    def __init__(self, grace_seconds: float = GRACE_SECONDS) -> None:
        self.withdrawn = Event()
        """Set when somebody asked the run to end, so that its steps end early."""
        self._grace_seconds = grace_seconds
        self._overdue: list[Background[ProcedureTry]] = []

    def run(
        self, draft: ProcedureTry, seconds: float, work: Callable[[Event], StepResult], *, to_the_end: bool = False
    ) -> ProcedureTry:
        """Does the work on its own thread, so that a step that hangs does not block the run.

        `to_the_end`: goes on although the run was withdrawn, because it undoes something.
        """
        if self.withdrawn.is_set() and not to_the_end:
            return draft.model_copy(update={"result": TryResult.WITHDRAWN, "begun": False})
        cancel = Event()
        thread = Background(lambda: _run(draft, lambda: work(cancel)))
        left = seconds
        while thread.is_alive() and left > 0:
            thread.join(min(left, _LOOK_SECONDS))
            left -= _LOOK_SECONDS
            if self.withdrawn.is_set() and not to_the_end:
                break
        if not thread.is_alive():
            return thread.finish()
        cancel.set()
        self._overdue.append(thread)
        if left > 0:
            return _end(draft, TryResult.WITHDRAWN)
        return _end(draft, TryResult.TIMEOUT, f"not done within {seconds:g} s")

    def read_gate(self, draft: ProcedureTry, read: Callable[[], GateAnswer]) -> ProcedureTry:
        """Reads a gate once; waits if it can't be read now, because it may be readable later."""
        if self.withdrawn.is_set():
            return _end(draft, TryResult.WITHDRAWN)
        try:
            answer = read()
        except HandoffError as unread:
            return _end(draft, TryResult.WAITING, unread.message)
        result = {True: TryResult.PASS, False: TryResult.FAIL, None: TryResult.WAITING}[answer.open]
        return draft.model_copy(update={"result": result, "detail": answer.why, "evidence": answer.entry})

    def fence(self, draft: ProcedureTry, stop_agents: Callable[[], None]) -> ProcedureTry:
        """Makes sure that nothing of the run is still at work before anything is undone."""
        for thread in self._overdue:
            thread.join(self._grace_seconds)
        self._overdue = [thread for thread in self._overdue if thread.is_alive()]
        if self._overdue:
            return _end(draft, TryResult.FAIL, "a step that ran out of time is still at work")
        try:
            stop_agents()
        except HandoffError as refused:
            return _end(draft, TryResult.FAIL, refused.message)
        return _end(draft, TryResult.PASS)


class StepExecutors:
    """The executors of this process, by run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_run: dict[str, StepExecutor] = {}

    def find(self, run: str) -> StepExecutor:
        with self._lock:
            return self._by_run.setdefault(run, StepExecutor())

    def forget(self, run: str) -> None:
        with self._lock:
            self._by_run.pop(run, None)

    def list(self) -> dict[str, StepExecutor]:
        with self._lock:
            return dict(self._by_run)


def _run(draft: ProcedureTry, work: Callable[[], StepResult]) -> ProcedureTry:
    try:
        passed, detail, evidence = work()
    except HandoffError as refused:
        return _end(draft, TryResult.ERROR, refused.message)
    result = TryResult.PASS if passed else TryResult.FAIL
    return draft.model_copy(update={"result": result, "detail": detail, "evidence": evidence})


def _end(draft: ProcedureTry, result: TryResult, detail: str = "") -> ProcedureTry:
    return draft.model_copy(update={"result": result, "detail": detail})


PLAN = "plan"
REFUSED = "refused"
_FIRST_LOOK_SECONDS = 5.0
DONE = "done"
"""What a look at a pipeline is based on when nothing is left to start."""
_ENDS_WALK = frozenset({TryResult.WITHDRAWN, TryResult.STOPPED, TryResult.NEEDS_HUMAN, TryResult.ERROR})
_NO_OTHER_TRY = frozenset({TryResult.PASS, TryResult.WITHDRAWN, TryResult.STOPPED, TryResult.NEEDS_HUMAN})


class ProcedureRunner:
    """Runs a procedure; deterministic except for the bodies of durable steps, so that a replay does the same."""

    def __init__(self, durable: Durable, actions: Actions, request: RunRequest, executor: StepExecutor) -> None:
        self._durable = durable
        self._actions = actions
        self._request = request
        self._executor = executor
        self._begun: list[str] = []
        self._for_person = False
        """Whether only a person can judge what was noticed, even if everything is undone."""

    def run(self) -> ProcedureEnd:
        planned = self._durable.step(PLAN, self._plan)
        if REFUSED in planned:
            return ProcedureEnd(state=ProcedureState.FAILED, reason=str(planned[REFUSED]))
        plan = ProcedurePlan.model_validate(planned[PLAN])
        if plan.pipeline:
            return self._walk(plan)
        for step in plan.steps:
            failure = self._pass_gate(plan, step) or self._do(plan, step) or self._validate_step(plan, step)
            if failure is not None:
                return self._roll_back(plan, failure)
        failure = self._validate_all(plan)
        if failure is not None:
            return self._roll_back(plan, failure)
        return ProcedureEnd(state=ProcedureState.COMPLETED)

    def _walk(self, plan: ProcedurePlan) -> ProcedureEnd:
        """Starts one agent after another until the last phase is done; waits wherever a person is needed."""
        number, pause = 0, _FIRST_LOOK_SECONDS
        while True:
            number += 1
            look = self._record(
                ProcedureTry(kind=TryKind.GATE, name="next", number=number, result=TryResult.ERROR),
                lambda draft: self._executor.read_gate(draft, lambda: self._actions.read_gate(self._request)),
            )
            if look.result is TryResult.WAITING:
                self._durable.receive(min(pause, plan.gate_check_seconds))
                pause = min(pause * 2, plan.gate_check_seconds)
                continue
            if look.passed and look.evidence == DONE:
                return ProcedureEnd(state=ProcedureState.COMPLETED)
            if not look.passed:
                return self._roll_back(plan, _describe("the pipeline", look))
            step = PlannedStep(name=look.detail, timeout_seconds=plan.gate_timeout_seconds, agent=True)
            last = self._try_step(TryKind.STEP, step, number)
            if last.result in _ENDS_WALK:
                self._for_person = last.result is not TryResult.WITHDRAWN
                return self._roll_back(plan, _describe(f"the phase {step.name}", last))
            pause = _FIRST_LOOK_SECONDS

    def _plan(self) -> Json:
        try:
            return {PLAN: self._actions.plan(self._request).model_dump(mode="json")}
        except HandoffError as refused:
            return {REFUSED: refused.message}

    def _do(self, plan: ProcedurePlan, step: PlannedStep) -> str | None:
        """Runs a step until it passes or its retries are used up; returns why it failed, or None."""
        last = self._retry(plan, step.retries, partial(self._try_step, TryKind.STEP, step))
        if last.begun or last.number > 1:
            self._begun.append(step.name)
        self._for_person = self._for_person or last.result is TryResult.NEEDS_HUMAN
        return None if last.passed else _describe(f"the step {step.name}", last)

    def _try_step(self, kind: TryKind, step: PlannedStep | PlannedUndo, number: int) -> ProcedureTry:
        if step.agent:
            order: Json = {"kind": kind.value, "name": step.name, "number": number, "seconds": step.timeout_seconds}
            return ProcedureTry.model_validate(self._durable.run_limited(f"{kind.value} {step.name} {number}", order))
        work = self._actions.act if kind is TryKind.STEP else self._actions.undo
        draft = ProcedureTry(kind=kind, name=step.name, number=number, result=TryResult.ERROR)
        return self._execute(draft, step.timeout_seconds, lambda cancel: work(self._request, step.name, cancel))

    def _execute(self, draft: ProcedureTry, seconds: float, work: Callable[[Event], StepResult]) -> ProcedureTry:
        to_the_end = draft.kind is TryKind.ROLLBACK
        return self._record(draft, lambda draft: self._executor.run(draft, seconds, work, to_the_end=to_the_end))

    def _validate_step(self, plan: ProcedurePlan, step: PlannedStep) -> str | None:
        """Checks the rules of a step; only a critical one ends the run, the others count at the end."""
        rules = (rule for rule in plan.rules if rule.id in step.rules)
        judged = ((rule, self._judge(plan, rule, final=False)) for rule in rules)
        return next(
            (_describe(f"{_name(rule)} after {step.name}", last) for rule, last in judged if _ends(rule, last)), None
        )

    def _validate_all(self, plan: ProcedurePlan) -> str | None:
        """Checks all rules; fails on a critical one, or if too small a share holds."""
        held = 0
        for rule in plan.rules:
            last = self._judge(plan, rule, final=True)
            held += last.passed
            if _ends(rule, last):
                return _describe(_name(rule), last)
        if plan.rules and held / len(plan.rules) < plan.share_minimum:
            return f"only {held} of {len(plan.rules)} rules hold; {plan.share_minimum:.0%} must"
        return None

    def _judge(self, plan: ProcedurePlan, rule: PlannedRule, *, final: bool) -> ProcedureTry:
        def judge_once(number: int) -> ProcedureTry:
            draft = ProcedureTry(kind=TryKind.RULE, name=rule.id, number=number, final=final, result=TryResult.ERROR)
            work = self._actions.judge
            return self._execute(draft, rule.timeout_seconds, lambda cancel: work(self._request, rule.id, cancel))

        return self._retry(plan, rule.retries, judge_once)

    def _pass_gate(self, plan: ProcedurePlan, step: PlannedStep) -> str | None:
        """Waits until git has a decision; a wake-up is only a reason to read again."""
        if not step.gate:
            return None
        number, opened, pause = 1, 0.0, _FIRST_LOOK_SECONDS
        while True:
            last = self._record(
                ProcedureTry(kind=TryKind.GATE, name=step.name, number=number, result=TryResult.ERROR),
                lambda draft: self._executor.read_gate(draft, lambda: self._actions.read_gate(self._request)),
            )
            if last.passed:
                return None
            opened = opened or last.began
            left = plan.gate_timeout_seconds - (last.began - opened)
            if last.result is TryResult.WAITING and left <= 0:
                return f"nobody decided on {step.name} in time: it expired without an answer"
            if last.result is not TryResult.WAITING:
                return _describe(f"the gate before {step.name}", last)
            self._durable.receive(max(0.05, min(pause, left, plan.gate_check_seconds)))
            pause = min(pause * 2, plan.gate_check_seconds)
            number += 1

    def _roll_back(self, plan: ProcedurePlan, failure: str) -> ProcedureEnd:
        """Undoes what was begun, the latest first; leaves it to a person from the first undo that fails."""
        undos = self._find_undos(plan)
        fenced = self._record(
            ProcedureTry(kind=TryKind.FENCE, name="fence", result=TryResult.ERROR),
            lambda draft: self._executor.fence(draft, lambda: self._actions.stop_agents(self._request)),
        )
        if not fenced.passed:
            return _build_stop(failure, "nothing was undone: " + fenced.detail, undos)
        for position, undo in enumerate(undos):
            last = self._retry(plan, undo.retries, partial(self._try_step, TryKind.ROLLBACK, undo))
            if not last.passed:
                return _build_stop(failure, _describe(f"the rollback {undo.name}", last), undos[position:])
        state = ProcedureState.ROLLBACK if undos else ProcedureState.FAILED
        return ProcedureEnd(state=state, reason=failure, needs_human=self._for_person)

    def _find_undos(self, plan: ProcedurePlan) -> list[PlannedUndo]:
        """Finds the undos of steps that were begun, and those without a step of their own."""
        if not self._begun:
            return []
        order = {name: number for number, name in enumerate(self._begun)}
        due = [undo for undo in plan.rollback if not undo.undoes or order.keys() & set(undo.undoes)]
        latest = [max((order[name] for name in undo.undoes if name in order), default=len(order)) for undo in due]
        ranked = sorted(range(len(due)), key=lambda number: (latest[number], number), reverse=True)
        return [due[number] for number in ranked]

    def _retry(self, plan: ProcedurePlan, retries: int, run_once: Callable[[int], ProcedureTry]) -> ProcedureTry:
        """Runs up to 1 + `retries` times; each is recorded by itself, so that a crash neither loses nor repeats one."""
        last = run_once(1)
        for number in range(2, retries + 2):
            if last.result in _NO_OTHER_TRY:
                break
            if plan.backoff_seconds:
                self._durable.sleep(plan.backoff_seconds[min(number - 2, len(plan.backoff_seconds) - 1)])
            last = run_once(number)
        return last

    def _record(self, draft: ProcedureTry, work: Callable[[ProcedureTry], ProcedureTry]) -> ProcedureTry:
        """Does the work in a durable step, and records the time it took."""

        def run_once() -> Json:
            began = read_now().timestamp()
            done = work(draft)
            update = {"began": began, "seconds": round(read_now().timestamp() - began, 6)}
            return done.model_copy(update=update).model_dump(mode="json")

        name = f"{draft.kind.value} {draft.name} {draft.number}{' final' if draft.final else ''}"
        return ProcedureTry.model_validate(self._durable.step(name, run_once))


def _name(rule: PlannedRule) -> str:
    return f"{rule.id} ({rule.name})"


def _ends(rule: PlannedRule, last: ProcedureTry) -> bool:
    """Whether the result of a rule ends the run."""
    return not last.passed and (rule.severity is Severity.CRITICAL or last.result is TryResult.WITHDRAWN)


def _describe(what: str, last: ProcedureTry) -> str:
    words = {
        TryResult.FAIL: "failed",
        TryResult.ERROR: "could not run",
        TryResult.TIMEOUT: "ran out of time",
        TryResult.WITHDRAWN: "was skipped: the run was withdrawn",
        TryResult.STOPPED: "was stopped by hand",
        TryResult.NEEDS_HUMAN: "needs you",
    }
    tries = f" after {last.number} attempts" if last.number > 1 and last.kind is not TryKind.GATE else ""
    detail = f": {last.detail}" if last.detail else ""
    return f"{what} {words.get(last.result, 'did not pass')}{tries}{detail}"


def _build_stop(failure: str, stopped: str, left: list[PlannedUndo]) -> ProcedureEnd:
    return ProcedureEnd(
        state=ProcedureState.FAILED,
        reason=f"{failure}; then {stopped}",
        needs_human=True,
        left=tuple(undo.name for undo in left),
    )
