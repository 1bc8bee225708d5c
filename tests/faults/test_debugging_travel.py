"""Time travel and bisect on histories that were rewritten, cut off or damaged: said plainly, never a wrong answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.core.errors import BisectError, ObjectMissingError, UsageError
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.history.bisect.bisect import BisectRequest, bisect
from handoff_tui.history.bisect.report import BisectEnd, BisectReport, TrialVerdict
from handoff_tui.history.travel.travel import Traveller
from handoff_tui.history.travel.values import PastState
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.gates import GateDesk
from tests.support.histories import SCRIPT, Told, build_history
from tests.support.hostile import HostileRepository
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person
from tests.support.waiting import wait_until

CHECK = "referenced-files-exist"
NOTE = "# Handoff\n\n**Status**: COMPLETE\n\n## Files created\n\n- `{}`\n"


def run(builder: RepositoryBuilder, check: str = CHECK, **words: str) -> BisectReport:
    return bisect(open_session(builder.folder), BisectRequest(check, **words))


def write_user_file(home: Path, text: str) -> None:
    folder = home / "config" / "handoff-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


def configure_script(home: Path, script: str = SCRIPT, writes: Path | None = None) -> None:
    access = f"access = ['{writes}/:write']\n" if writes is not None else ""
    run = json.dumps(["sh", "-c", script])
    write_user_file(home, f"[checks.own]\nrun = {run}\nenvironment = ['PATH']\n{access}")


@pytest.fixture
def story(builder: RepositoryBuilder) -> RepositoryBuilder:
    """Nine commits; the handoff names a file that is not there since the sixth."""
    builder.write("a.py").write("HANDOFF.md", NOTE.format("a.py"))
    for number in range(1, 10):
        if number == 6:
            builder.write("HANDOFF.md", NOTE.format("none.py"))
        builder.write("number.txt", str(number)).commit(f"commit {number}")
    return builder


def lose(builder: RepositoryBuilder, name: str) -> None:
    """Takes an object away."""
    identifier = builder.head(name)
    (builder.folder / ".git" / "objects" / identifier[:2] / identifier[2:]).unlink()


def test_bisect_of_a_whole_history_finds_it(story: RepositoryBuilder) -> None:
    """What the tests below damage."""
    report = run(story)
    assert (report.end, report.culprit and report.culprit.subject) == (BisectEnd.FOUND, "commit 6")


def test_missing_content_is_no_pass_and_no_failure(story: RepositoryBuilder) -> None:
    """The document of the first bad commits is gone: it is one of a range that holds the right one."""
    lose(story, "HEAD~3:HANDOFF.md")
    lose(story, "HEAD~3:number.txt")
    story.write("HANDOFF.md", NOTE.format("other.py")).commit("commit 10")
    report = run(story, good="HEAD~8")
    assert (report.end, report.culprit) == (BisectEnd.RANGE, None)
    assert "commit 6" in {one.subject for one in report.left}
    missing = [trial for trial in report.trials if trial.standing is TrialVerdict.UNTESTABLE]
    assert missing
    assert all("is not in this repository" in trial.summary for trial in missing)


def visit(desk: Session, name: str) -> PastState:
    traveller = Traveller(desk)
    return traveller.visit(traveller.find_stop(name))


def test_missing_tree_is_named(story: RepositoryBuilder) -> None:
    """Travelling there is refused with what is missing; the stop before it is fine."""
    lose(story, "HEAD~2^{tree}")
    desk = open_session(story.folder)
    with pytest.raises(ObjectMissingError, match=r"the tree .* is not in this repository"):
        visit(desk, "HEAD~2")
    assert visit(desk, "HEAD~3").state.handoffs


def test_missing_content_is_named_when_travelling(story: RepositoryBuilder) -> None:
    """Never shown as a document that was not there."""
    lose(story, "HEAD:HANDOFF.md")
    with pytest.raises(ObjectMissingError, match=r"of HANDOFF\.md is not in this repository"):
        visit(open_session(story.folder), "HEAD")


def test_check_on_missing_content_ends_with_its_name(story: RepositoryBuilder) -> None:
    """Not with one error for every rule that would have read it."""
    lose(story, "HEAD:HANDOFF.md")
    traveller = Traveller(open_session(story.folder))
    with pytest.raises(ObjectMissingError, match=r"of HANDOFF\.md is not in this repository"):
        traveller.check(traveller.find_stop("HEAD"), CheckRequest())
    traveller.close()


def test_shallow_clone_says_how_far_it_goes(story: RepositoryBuilder, isolated_user: Path) -> None:
    """It fails in all that is here, which is not to say that it always did; what is not here isn't a commit."""
    configure_script(isolated_user, 'test "$(cat number.txt)" -lt 6')
    story.git(
        "clone", "--quiet", "--depth=3", "--template=", f"file://{story.folder}", str(story.folder.parent / "cut")
    )
    cut = RepositoryBuilder(story.folder.parent / "cut")
    report = run(cut, "own")
    assert (report.end, len(report.trials)) == (BisectEnd.ALWAYS, 3)
    assert "shallow" in report.notes[0]
    with pytest.raises(UsageError) as refused:
        run(cut, "own", good=story.head("HEAD~6"))
    assert "git fetch --unshallow" in (refused.value.hint or "")
    assert "shallow" in Traveller(open_session(cut.folder)).line.notes[0]


def test_rewritten_history_is_no_ancestor(story: RepositoryBuilder) -> None:
    """A good commit of before the rewrite has nothing in common with what is here now, or parts where it was mended."""
    old = story.head("HEAD~6")
    story.step("checkout", "--quiet", "--orphan", "anew").commit("all at once")
    with pytest.raises(BisectError, match="share no history"):
        run(story, good=old)


def test_entry_about_a_rewritten_commit_says_so(gate_desk: GateDesk, bo: Person) -> None:
    """The decision is shown, its files are not taken for those of now."""
    gate_desk.decide(bo, "approve")
    gate_desk.builder.write("src/app.py", "other = 1\n").step("add", "--all")
    gate_desk.builder.git("commit", "--quiet", "--amend", "--no-verify", "-m", "rewritten")
    traveller = Traveller(open_session(gate_desk.root))
    stop = traveller.line.stops[-1]
    then = traveller.visit(stop)
    assert "isn't in the history of HEAD" in then.notes[0]
    assert then.state.handoffs[0].gate.state == "superseded"


def test_check_that_crashes_on_old_trees_is_not_blamed_on_them(
    builder: RepositoryBuilder, isolated_user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commits at which it raises are left out of the answer, and the range is said."""
    module = (
        "from handoff_tui.checks.contract import Found\n"
        "def judge(context):\n"
        "    value = int(context.read_text('state.txt'))\n"
        "    return [Found('too much', 'x')] if value > 3 else []\n"
    )
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "crashing_check.py").write_text(module, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "modules")
    write_user_file(isolated_user, "[checks.own]\npython = 'crashing_check:judge'\n")
    for text in ("1", "2", "none", "nothing", "7", "8"):
        builder.write("state.txt", text).commit(f"state {text}")
    report = run(builder, "own")
    assert (report.end, report.culprit) == (BisectEnd.RANGE, None)
    assert [one.subject for one in report.left] == ["state 7", "state nothing", "state none"]
    assert any("ValueError" in trial.summary for trial in report.trials)


def test_thousand_commits_take_few_trials(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Twice the logarithm, and a few: there and back."""
    told = [Told((number - 1,) if number else (), "bad" if number >= 137 else "good") for number in range(1000)]
    history = build_history(builder.folder.parent / "long", told)
    write_user_file(isolated_user, "[checks.own]\npython = 'tests.support.verdict_check:judge'\n")
    report = run(history.builder, "own")
    assert (report.end, report.bad) == (BisectEnd.FOUND, history.commits[137])
    assert len(report.trials) <= 22


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_interrupt_leaves_no_work_tree_and_no_process(
    tmp_path: Path, isolated_user: Path, number: signal.Signals
) -> None:
    """Ctrl-C or a closed terminal while a command runs: code 130, what is known, and nothing left behind."""
    mark = tmp_path / "marks" / "mark"
    mark.parent.mkdir()
    script = f'[ "$(cat verdict)" = bad ] && exit 1; touch {mark}; exec sleep 299.{os.getpid()}'
    configure_script(isolated_user, script, mark.parent)
    told = [Told((number - 1,) if number else (), "bad" if number > 3 else "good") for number in range(6)]
    history = build_history(tmp_path / "history", told)
    before = read_fingerprint(history.builder.folder)
    process = subprocess.Popen(
        [sys.executable, "-m", "handoff_tui", "bisect", "own", "--json", "--repo", str(history.builder.folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: mark.exists() or process.poll() is not None, "the first trial")
    assert process.poll() is None
    process.send_signal(number)
    stdout, _ = process.communicate(timeout=150)
    assert (process.returncode, json.loads(stdout)["end"]) == (130, "cancelled")
    assert (
        subprocess.run(["pgrep", "-f", f"sleep 299.{os.getpid()}$"], check=False, stdout=subprocess.PIPE).stdout == b""
    )
    assert compare_fingerprints(before, read_fingerprint(history.builder.folder)) == []


def visit_all(folder: Path) -> None:
    traveller = Traveller(open_session(folder))
    assert all(traveller.visit(stop).report is not None for stop in traveller.line.stops)


def bisect_rule(folder: Path) -> None:
    assert run(RepositoryBuilder(folder), "claims-hold").trials


def bisect_command(folder: Path) -> None:
    """All is put into the work tree but one file, whose content was only promised."""
    with pytest.raises(BisectError, match=r"unable to read sha1 file of promised\.txt"):
        run(RepositoryBuilder(folder), "own")


LOOKS: dict[str, Callable[[Path], None]] = {"travel": visit_all, "rule": bisect_rule, "command": bisect_command}


@pytest.mark.parametrize("look", LOOKS)
def test_hostile_repository_executes_nothing(
    hostile_repository: HostileRepository, isolated_user: Path, look: str
) -> None:
    """Neither travelling nor bisecting nor a work tree for a command of the user's own sets off what is planted."""
    configure_script(isolated_user, "true")
    before = read_fingerprint(hostile_repository.folder)
    LOOKS[look](hostile_repository.folder)
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) == []
