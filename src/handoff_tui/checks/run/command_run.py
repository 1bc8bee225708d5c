"""Runs command checks: in the order of their needs, in parallel as far as their locks allow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from handoff_tui.checks.engine import build_fingerprint
from handoff_tui.checks.facts.reports import TestReport, parse_junit, parse_tap
from handoff_tui.checks.report import (
    NOT_RUN,
    OUTPUT_SUBJECT,
    UNCONSENTED,
    CheckResult,
    Evidence,
    Finding,
    Outcome,
    Remedy,
)
from handoff_tui.checks.run.commands import (
    WORD_ENDS,
    Access,
    CommandCheck,
    GrantedPath,
    build_environment,
    digest_command,
    find_access,
)
from handoff_tui.config.settings.checks import OutputForm
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.tasks import TestCounts
from handoff_tui.git.signing.signing_key import find_key_files
from handoff_tui.handoffs.claims.evidence import build_hash
from handoff_tui.handoffs.grammar.counts import count_output
from handoff_tui.handoffs.session import Session, reopen_session
from handoff_tui.system.files.cache_files import find_cache_folder, find_state_folder, write_log
from handoff_tui.system.files.named_files import find_config_folder
from handoff_tui.system.processes.programs import expand_home
from handoff_tui.system.processes.run import Bounds, CommandEnd, OwnFolders, offer_own_folders, read_report
from handoff_tui.system.processes.walls import (
    CRATES,
    NO_WALLS,
    Bound,
    Walls,
    find_bubblewrap,
    find_crates,
    find_installed,
    find_program_folders,
)

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from handoff_tui.git.work_tree.trial_tree import TrialTree

OUT = "{out}"
"""In a command, stands for the path it may write its report to."""
_OF_THE_PERSON = frozenset({
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GNUPGHOME", "GPG_AGENT_INFO", "GPG_TTY", "SSH_AGENT_PID", "SSH_ASKPASS",
    "SSH_AUTH_SOCK", "TMUX", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
})  # fmt: skip
"""Variables that lead to keys, agents and the person's own files."""


class IsolatedEnd(NamedTuple):
    """How a command ended, and what it wrote to `{out}`."""

    end: CommandEnd
    written: bytes | None
    note: str = ""
    """What did not keep it apart from the person."""


@contextmanager
def open_clean_checkout(session: Session) -> Iterator[TrialTree]:
    """Offers the work tree as it is captured now: committed and uncommitted, without ignored files and the log."""
    cache_folder = find_cache_folder(session.repository.root)
    from handoff_tui.git.work_tree.capture import write_work_tree  # noqa: PLC0415 - most runs start no command
    from handoff_tui.git.work_tree.trial_tree import open_trial_tree  # noqa: PLC0415

    captured = write_work_tree(session.repository, cache_folder)
    with open_trial_tree(session.repository) as tree:
        tree.fill(captured, cache_folder)
        yield tree


def run_isolated(
    session: Session, command: CommandCheck, tree: TrialTree, bounds: Bounds, cancel: Event
) -> IsolatedEnd:
    """Runs a command in a checkout, which it may change."""
    from handoff_tui.system.processes.confined_run import run_confined  # noqa: PLC0415 - most runs start no command

    access = find_access(session, command)
    with offer_own_folders() as own:
        argv = [word.replace(OUT, str(own.report)) for word in command.argv]
        environment = build_private_environment(command, access, own)
        program, crates = find_bubblewrap(), find_crates()
        if crates is not None and not access.home:
            (own.home / CRATES).parent.mkdir()
            (own.home / CRATES).symlink_to(crates)
        if program is not None:
            folder = session.repository.root.resolve()
            tree.borrow(str(own.git))
            walls = _build_walls(session, tree, access, own, argv).build(program)
        else:
            folder, walls = tree.folder, []
            for path in access.paths:
                if path.in_repository:
                    tree.link(path.path)
        end = run_confined(argv, str(folder), environment, bounds, cancel, tree.mark, walls)
        written = read_report(own.report)
    output = _name_repository(end.output, tree, session)
    return IsolatedEnd(end._replace(output=output), written, "" if walls else NO_WALLS)


def build_private_environment(command: CommandCheck, access: Access, own: OwnFolders) -> dict[str, str]:
    """The variables that the check names, with the command's own folders in place of the person's."""
    environment = build_environment(command.check)
    if not access.home:
        environment = {name: value for name, value in environment.items() if name not in _OF_THE_PERSON}
        environment |= {name: str(place) for name, place in find_installed().items()}
        environment["HOME"] = str(own.home)
    return environment | {
        "TMPDIR": str(own.temporary),
        "XDG_CACHE_HOME": str(own.cache),
        "PYTHONPYCACHEPREFIX": str(own.bytecode),
    }


def _build_walls(session: Session, tree: TrialTree, access: Access, own: OwnFolders, argv: list[str]) -> Walls:
    root = session.repository.root.resolve()
    words = [part for word in argv for part in (word, *WORD_ENDS.split(word)) if part]
    programs = find_program_folders(words, os.environ.get("PATH", os.defpath), root)
    installed = () if access.home else (*find_installed().values(), *filter(None, (find_crates(),)))
    return Walls(
        bound=(
            *(Bound(place, place) for place in (*programs, *installed) if not place.is_relative_to(root)),
            *(_bind(path, root) for path in access.paths if not path.in_repository),
            *(Bound(place, place, writable=True, optional=True) for place in access.sockets),
            Bound(own.root, own.root, writable=True),
            Bound(own.git, session.repository.common_dir.resolve()),
            Bound(root, tree.folder.resolve(), writable=True),
            *(_bind(path, root) for path in access.paths if path.in_repository),
        ),
        temporary=own.temporary,
        hidden=_list_hidden(session),
        network=access.network,
        home=access.home,
    )


def _bind(path: GrantedPath, root: Path) -> Bound:
    place = root / path.path if path.in_repository else expand_home(path.path)
    return Bound(place, place, path.writable, optional=True)


def _list_hidden(session: Session) -> tuple[Path, ...]:
    """What leads to the person, wherever it lies: our own folders, and their key."""
    own = (find_state_folder(), find_cache_folder(session.repository.root).parent, find_config_folder())
    return tuple(place for place in (*own, *find_key_files(session.repository.git)) if place is not None)


def _name_repository(output: bytes, tree: TrialTree, session: Session) -> bytes:
    """Puts the repository's path where the command printed that of the checkout."""
    return output.replace(os.fsencode(tree.folder), os.fsencode(session.repository.root))


_MOST_FINDINGS = 200
_TAIL_LINES = 12
_TICK_SECONDS = 0.05


@dataclass(slots=True)
class CommandRunner:
    """Runs commands for one session. `earlier` holds earlier results by check id."""

    session: Session
    consented: bool
    earlier: dict[str, CheckResult] = field(default_factory=dict)
    recall_only: bool = False
    """Whether to start nothing and use earlier results only."""
    cancel: Event = field(default_factory=Event)
    counted: dict[str, TestCounts] = field(default_factory=dict)
    """What the commands that ran to their end say of their tests."""

    def run(
        self,
        commands: list[CommandCheck],
        rule_results: dict[str, CheckResult],
        on_result: Callable[[CheckResult], None] | None = None,
    ) -> list[CheckResult]:
        """Results in the order of the commands, which may need results of rules."""
        results = dict(rule_results)
        waiting = {command.id: command for command in commands}
        held: set[str] = set()
        running: dict[Future[CheckResult], CommandCheck] = {}
        with ExitStack() as stack:
            pool: ThreadPoolExecutor | None = None
            while waiting or running:
                under_way = {command.id for command in running.values()}
                for command in _find_ready(waiting, under_way, results, held):
                    del waiting[command.id]
                    skipped = _explain_skip(command, results, waiting)
                    if skipped is not None:
                        self._tell(_build(command, Outcome.SKIPPED, skipped), results, on_result)
                        continue
                    if command.from_repository and not self.consented:
                        self._tell(_build_unconsented(command), results, on_result)
                        continue
                    digest = digest_command(self.session, command)
                    known = self._recall(command, digest)
                    if known is not None:
                        self._tell(known, results, on_result)
                        continue
                    pool = pool or stack.enter_context(self._open_pool())
                    held.update(command.check.locks)
                    running[pool.submit(self._run_one, command, digest)] = command
                if not running:
                    continue
                from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415 - most runs start no command

                # a signal may reach a worker; its handler runs here, so this thread must not sleep forever
                done, _ = wait(running, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    held.difference_update(running.pop(future).check.locks)
                    self._tell(future.result(), results, on_result)
        return [results[command.id] for command in commands]

    def _tell(
        self, result: CheckResult, results: dict[str, CheckResult], on_result: Callable[[CheckResult], None] | None
    ) -> None:
        results[result.id] = result
        if on_result is not None:
            on_result(result)

    def _open_pool(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - most runs start no command

        configured = self.session.loaded.settings.check_run.parallel_maximum
        return ThreadPoolExecutor(configured or max(1, (os.cpu_count() or 2) - 1), thread_name_prefix="check")

    def _recall(self, command: CommandCheck, digest: str) -> CheckResult | None:
        """The result of a command that needs no run, or may have none; None for one to run now."""
        earlier = self.earlier.get(command.id)
        if earlier is not None and earlier.inputs_digest == digest:
            return earlier.model_copy(update={"from_cache": True})
        if self.recall_only:
            since = "yet" if earlier is None or earlier.inputs_digest is None else "since its inputs changed"
            return _build(command, Outcome.UNKNOWN, f"`{command.shown}` {NOT_RUN} {since}")
        return None

    def _run_one(self, command: CommandCheck, digest: str) -> CheckResult:
        settings = self.session.loaded.settings.check_run
        bounds = Bounds(command.check.timeout_seconds, settings.grace_seconds, settings.output_bytes)
        try:
            end, written, note = self._execute(command, bounds)
            result = judge_run(command, end, written)
            counts = _count_tests(command, end, written)
            if command.check.reproducible and result.outcome is Outcome.PASS:
                result = _compare_builds(command, written, self._execute(command, bounds).written)
        except HandoffError as refused:
            return _build(command, Outcome.ERROR, f"it could not be started: {refused.message}")
        result = _name_missing(result, find_access(self.session, command))
        log = write_log(
            find_cache_folder(self.session.repository.root) / "logs" / f"{command.id}.log", _add_note(end.output, note)
        )
        result = result.model_copy(update={"inputs_digest": digest, "log": log})
        if digest_command(reopen_session(self.session), command) != digest:
            reason = "its inputs changed while it ran; run it again"
            return result.model_copy(update={"outcome": Outcome.UNKNOWN, "summary": reason, "inputs_digest": None})
        if counts is not None:
            self.counted[command.id] = counts
        return result

    def _execute(self, command: CommandCheck, bounds: Bounds) -> IsolatedEnd:
        """Runs the command once, in a checkout of its own."""
        with open_clean_checkout(self.session) as tree:
            return run_isolated(self.session, command, tree, bounds, self.cancel)


def _add_note(output: bytes, note: str) -> bytes:
    return f"[{note}]\n".encode() + output if note else output


def _name_missing(result: CheckResult, access: Access) -> CheckResult:
    """Says what a command asked for in vain, if it did not pass."""
    if not access.missing or result.outcome is Outcome.PASS or result.remedy is None:
        return result
    grants = " ".join(f"--grant {name}" for name in access.missing)
    text = f"It asks for {', '.join(access.missing)}, and nobody granted that: check --trust DIGEST {grants}"
    remedy = Remedy(text=f"{text}. {result.remedy.text}", commands=result.remedy.commands)
    return result.model_copy(update={"remedy": remedy})


def _compare_builds(command: CommandCheck, first: bytes | None, second: bytes | None) -> CheckResult:
    """Fails unless two builds of the same inputs are the same bytes."""
    if first is None or second is None:
        return _build(command, Outcome.ERROR, f"it wrote nothing to {OUT}, so there is nothing to compare")
    expected, actual = build_hash(first), build_hash(second)
    if expected == actual:
        return _build(command, Outcome.PASS, f"built twice, the same bytes: {expected}")
    evidence = Evidence(expected=expected, actual=actual)
    message = "two builds of the same inputs are not the same bytes"
    finding = Finding(message=message, fingerprint=build_fingerprint(command.id, "", "twice"), evidence=(evidence,))
    return _build(command, Outcome.FAIL, message, (finding,))


def _find_ready(
    waiting: dict[str, CommandCheck], under_way: set[str], results: dict[str, CheckResult], held: set[str]
) -> list[CommandCheck]:
    """Commands whose needs have results and whose locks are free; all of them if the rest wait in a circle."""
    open_needs = {*waiting, *under_way} - set(results)
    decided = [command for command in waiting.values() if not open_needs & set(command.check.needs)]
    ready: list[CommandCheck] = []
    taken = set(held)
    for command in decided:
        if not taken & set(command.check.locks):
            taken.update(command.check.locks)
            ready.append(command)
    return ready or ([] if decided or under_way else list(waiting.values()))


def _read_tests(command: CommandCheck, end: CommandEnd, written: bytes | None) -> TestReport | None:
    content = end.output if written is None else written
    if command.check.parse is OutputForm.JUNIT:
        return parse_junit(content)
    if command.check.parse is OutputForm.TAP:
        return parse_tap(content.decode("utf-8", "replace"))
    return None


def _count_tests(command: CommandCheck, end: CommandEnd, written: bytes | None) -> TestCounts | None:
    """The numbers of a run that came to its end: of its report, or of the summary in its output."""
    if _judge_end(command, end) is not None:
        return None
    report = _read_tests(command, end, written)
    if report is None:
        return count_output(end.output.decode("utf-8", "replace"))
    if report.problem is not None:
        return None
    passed = sum(case.outcome is Outcome.PASS for case in report.cases)
    failed = len(report.failing())
    skipped = len(report.cases) - passed - failed
    return TestCounts(total=len(report.cases), passed=passed, failed=failed, skipped=skipped)


def _explain_skip(
    command: CommandCheck, results: dict[str, CheckResult], waiting: dict[str, CommandCheck]
) -> str | None:
    for need in command.check.needs:
        if need in waiting:
            return f"it needs {need}, which needs it in turn"
        if need not in results:
            return f"it needs {need}, which did not run"
        if results[need].outcome is not Outcome.PASS:
            return f"it needs {need}, which did not pass"
    return None


def _build(command: CommandCheck, outcome: Outcome, summary: str, findings: tuple[Finding, ...] = ()) -> CheckResult:
    remedy = command.check.remedy or "Run the command yourself and fix what it reports."
    return CheckResult(
        id=command.id,
        outcome=outcome,
        severity=command.severity,
        blocking=command.blocking,
        summary=summary,
        findings=findings,
        remedy=None if outcome is Outcome.PASS else Remedy(text=remedy, commands=(command.shown,)),
    )


def _build_unconsented(command: CommandCheck) -> CheckResult:
    result = _build(command, Outcome.ERROR, f"`{command.shown}` {UNCONSENTED}")
    text = f"Read what would run ({command.shown}); `handoff-tui check --list` prints the digest to consent to."
    return result.model_copy(update={"remedy": Remedy(text=text, commands=("handoff-tui check --list",))})


def judge_run(command: CommandCheck, end: CommandEnd, written: bytes | None) -> CheckResult:
    """The result of a command that has ended: by the run itself, then by its tests, then by its exit code."""
    report = _read_tests(command, end, written)
    return (
        _judge_end(command, end)
        or (_judge_report(command, end, report) if report is not None else None)
        or _judge_code(command, end, report)
    )


def _judge_end(command: CommandCheck, end: CommandEnd) -> CheckResult | None:
    if end.failure is not None:
        return _build(command, Outcome.ERROR, f"it could not be started: {end.failure}")
    if end.cancelled:
        return _build(command, Outcome.CANCELLED, "it was cancelled")
    if end.timed_out:
        return _build(command, Outcome.TIMEOUT, f"it did not end within {command.check.timeout_seconds:g} seconds")
    return None


def _judge_report(command: CommandCheck, end: CommandEnd, report: TestReport) -> CheckResult | None:
    if report.problem is not None:
        return _build(command, Outcome.ERROR, report.problem, _quote_tail(command, end))
    failing = report.failing()
    if failing:
        findings = tuple(_build_test_finding(command, case.id, case.message) for case in failing[:_MOST_FINDINGS])
        return _build(command, Outcome.FAIL, f"{len(failing)} of {len(report.cases)} tests failed", findings)
    if not report.cases and not end.code:
        return _build(command, Outcome.ERROR, "its report holds no test at all")
    return None


def _judge_code(command: CommandCheck, end: CommandEnd, report: TestReport | None) -> CheckResult:
    if end.code:
        return _build(command, Outcome.FAIL, f"it exited with {end.code}", _quote_tail(command, end))
    left = f"; it left {end.swept} processes running, which were ended" if end.swept else ""
    tests = f"{len(report.cases)} tests ran" if report is not None else "it exited with 0"
    return _build(command, Outcome.PASS, f"{tests}{left}")


def _build_test_finding(command: CommandCheck, test: str, message: str) -> Finding:
    evidence = Evidence(expected="pass", actual=message or "failed")
    return Finding(message=test, fingerprint=build_fingerprint(command.id, "", test), evidence=(evidence,))


def _quote_tail(command: CommandCheck, end: CommandEnd) -> tuple[Finding, ...]:
    """The last lines of the output, which a person would read first."""
    lines = end.output.decode("utf-8", "replace").strip().splitlines()[-_TAIL_LINES:]
    if not lines:
        return ()
    evidence = Evidence(expected="exit code 0", actual=f"exit code {end.code}")
    return (
        Finding(
            message="\n".join(lines),
            fingerprint=build_fingerprint(command.id, "", OUTPUT_SUBJECT),
            evidence=(evidence,),
        ),
    )
