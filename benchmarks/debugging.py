"""Bisect over a thousand commits against `git cat-file` and the rule alone; scrubbing over known stops."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.interleave import Row, interleave
from benchmarks.repositories import build_handoff_files
from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.engine import RuleEngine
from handoff_tui.checks.rule import RuleFinding
from handoff_tui.checks.run.baseline import ChosenBaseline
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.config.load import build_settings
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.reading.read import NOTHING_READ
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.history.bisect.bisect import BisectRequest, bisect
from handoff_tui.history.bisect.report import BisectEnd, BisectReport
from handoff_tui.history.past.checks import list_past_rules
from handoff_tui.history.travel.travel import Traveller

_COMMITS = 1_000
_FILES = 300
_CULPRIT = 640
_STATE = "src/state.txt"
_IDENTITY = "Bench <bench@example.com>"
_FIRST_SECOND = 1_767_225_600
_ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_LIGHT, _HEAVY = "planted", "problems-absent"
_TWO_FRAMES = 2 / 60
_LIMIT = 2.0


def judge(context: Context) -> Iterable[RuleFinding]:
    """A rule that costs next to nothing: it reads one file."""
    return [RuleFinding("it is bad", "state")] if context.read(_STATE) == b"bad\n" else []


def measure_debugging(folder: Path, rounds: int) -> list[Row]:
    """Each bisect beside as many calls of `git cat-file`, and as many runs of its rule on the work tree."""
    desk = _open(_make_history(folder / "debugging"))
    rows = [_measure_bisect(desk, check, rounds) for check in (_LIGHT, _HEAVY)]
    return [*rows, *_measure_scrubbing(desk, rounds)]


def _measure_bisect(desk: Session, check: str, rounds: int) -> Row:
    report = _bisect(desk, check)
    commits = [trial.commit for trial in report.trials]

    def ask_git() -> None:
        for commit in commits:
            argv = ["git", "-C", str(desk.repository.root), "cat-file", "blob", f"{commit}:{_STATE}"]
            subprocess.run(argv, check=True, env=_ENVIRONMENT, stdout=subprocess.DEVNULL)

    def run_rule() -> None:
        for _ in commits:
            _run_rule(desk, check)

    cases: dict[str, Callable[[], object]] = {"bisect": lambda: _bisect(desk, check), "git": ask_git, "rule": run_rule}
    taken = interleave(cases, rounds)
    ratio = taken["bisect"] / (taken["git"] + taken["rule"])
    note = f"{len(commits)} trials, {taken['bisect'] * 1e3:.0f} ms"
    return Row(f"bisect {check}, {_COMMITS:,} commits / cat-file and the rule", ratio, _LIMIT, note)


def _measure_scrubbing(desk: Session, rounds: int) -> list[Row]:
    """Back and forth over ten stops: in memory, and by a new traveller from the cache."""
    traveller = Traveller(desk)
    stops = traveller.line.stops[-10:]
    for stop in stops:
        traveller.visit(stop)

    def visit_again() -> None:
        for stop in stops:
            traveller.visit(stop)

    def visit_anew() -> None:
        fresh = Traveller(desk)
        for stop in stops:
            fresh.visit(stop)

    taken = interleave({"memory": visit_again, "disk": visit_anew}, rounds)
    return [
        Row(f"scrub to a known stop, {name} / 2 frames", taken[case] / len(stops) / _TWO_FRAMES, 1.0)
        for case, name in (("memory", "in memory"), ("disk", "from the cache"))
    ]


def _bisect(desk: Session, check: str) -> BisectReport:
    report = bisect(desk, BisectRequest(check))
    if report.end is not BisectEnd.FOUND or report.culprit is None or report.culprit.subject != f"commit {_CULPRIT}":
        raise AssertionError(report.end)
    return report


def _run_rule(desk: Session, check: str) -> None:
    rule = next(rule for rule in list_past_rules(desk) if rule.id == check)
    result = read_repository(desk).result if check == _HEAVY else NOTHING_READ
    RuleEngine(Answers(RepositoryWorld(desk, result, ChosenBaseline(None, "none")))).run([rule])


def _open(folder: Path) -> Session:
    own = f"[checks.{_LIGHT}]\npython = '{__name__}:judge'\n".encode()
    return open_session(folder)._replace(loaded=build_settings(own, None))


def _make_history(folder: Path) -> Path:
    """A thousand commits over some hundred files, each of which changes one of them; one breaks two rules."""
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True, env=_ENVIRONMENT)
    contents = {f"src/part{number // 50}/file{number:04}.py": f"value = {number}\n" for number in range(_FILES)}
    contents |= {**build_handoff_files(12), _STATE: "good\n"}
    stream: list[bytes] = []
    for number in range(_COMMITS):
        changed = dict(contents) if number == 0 else {f"src/part0/file{number % 50:04}.py": f"value = {number}\n"}
        if number == _CULPRIT:
            changed |= {_STATE: "bad\n", ".planning/HANDOFF.json": '{"cut off": '}
        stream.append(_build_commit(number, changed))
    argv = ["git", "-C", str(folder), "fast-import", "--quiet"]
    subprocess.run(argv, input=b"".join(stream), check=True, env=_ENVIRONMENT)
    subprocess.run(["git", "-C", str(folder), "reset", "-q", "--hard", "main"], check=True, env=_ENVIRONMENT)
    return folder


def _build_commit(number: int, contents: dict[str, str]) -> bytes:
    message = f"commit {number}"
    when = _FIRST_SECOND + number * 60
    parts = [f"commit refs/heads/main\ncommitter {_IDENTITY} {when} +0000\ndata {len(message)}\n{message}\n".encode()]
    for path, text in contents.items():
        content = text.encode()
        parts.append(f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n")
    return b"".join(parts)
