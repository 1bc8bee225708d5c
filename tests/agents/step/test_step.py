"""A step from preparing to its report, with real agents."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from pathlib import Path
from threading import Timer

import pytest

from handoff_tui.agents.runs.phase_locks import list_locks, take_lock
from handoff_tui.agents.runs.run import RunEnding, RunKey, RunStatus
from handoff_tui.agents.step import step
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.prepare import PreparedStep, StepRequest, choose_handoff, prepare_step
from handoff_tui.agents.step.report import Direction, Route, RunView, Sign, StepOutcome, StepReport
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.config.pipeline import Edge
from handoff_tui.config.settings.pipeline import AgentHome
from handoff_tui.core import errors
from handoff_tui.core.classes import replace
from handoff_tui.decisions.examine import examine
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.run_commits import read_run_commits
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.open_log import open_log
from handoff_tui.system.files.cache_files import find_state_folder
from tests.support.gates import HANDOFF as GATED
from tests.support.gates import GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person
from tests.support.stepping import COMMIT, HANDOFF, WORK, Stepping
from tests.support.waiting import wait_until


def test_next_phase_waits_for_a_person(
    gate_desk: GateDesk, isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step starts nobody behind a closed gate; an approval by a person opens it, and a rejection leads back."""
    stepping = Stepping(gate_desk.builder, isolated_user).teach().teach(WORK, "tester")

    def decide(verb: str, reason: str) -> None:
        gate_desk.decide(bo, verb, "--phase", "build", "--reason", reason)
        monkeypatch.setenv("HOME", str(isolated_user))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(isolated_user / "config"))

    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    assert stepping.step().next_move == "needs you: decide on build"
    with pytest.raises(errors.AgentRunError, match="waits at the gate of build"):
        stepping.step(None)
    with pytest.raises(errors.AgentRunError, match="gate of build is not open"):
        stepping.step("test")
    decide("reject", "no tests at all")
    again = stepping.step(None)
    assert (again.key.phase, again.key.attempt, again.route.direction) == ("build", 2, Direction.AGAIN)
    assert "no tests at all" in (Path(again.proof).parent / "prompt.md").read_text(encoding="utf-8")
    decide("approve", "good")
    forward = stepping.step(None)
    assert (forward.key.phase, forward.route.direction) == ("test", Direction.FORWARD)


def test_agent_can_work_in_a_tree_of_its_own(stepping: Stepping) -> None:
    """On its own branch; the repository's files stay as they are, and the checks look at its work."""
    before = stepping.builder.head()
    report = stepping.configure(folder="worktree").step()
    assert (report.outcome, stepping.builder.head()) == (StepOutcome.READY, before)
    assert report.branch == "refs/heads/handoff-tui/notes-HANDOFF.md/build/a1"
    assert [file.path for file in report.files] == ["src/app.py"]
    assert stepping.builder.git("status", "--porcelain") == ""


def test_decisions_are_not_missed_in_a_tree_of_its_own(gate_desk: GateDesk, isolated_user: Path) -> None:
    """A log that is in no commit yet is there, too."""
    stepping = Stepping(gate_desk.builder, isolated_user).teach().configure(folder="worktree")
    gate_desk.begin(gate_desk.person("bo"))
    report = stepping.step()
    assert (report.outcome, report.gate) == (StepOutcome.READY, "pending")


def test_agent_that_fails_by_itself_is_retried(stepping: Stepping) -> None:
    """As often as its configuration says."""
    flag = stepping.root.parent / "flag"
    stepping.configure(retries=2, backoff_seconds=[0]).teach(
        f"if [ ! -e {flag} ]; then touch {flag}; exit 1; fi; {WORK}"
    )
    reports: list[StepReport] = []
    report = stepping.step(callbacks=step.StepCallbacks(on_report=reports.append))
    assert [(one.key.number, one.outcome) for one in reports] == [(1, StepOutcome.FAILED), (2, StepOutcome.READY)]
    assert (report.budget.used, len(report.trail)) == (1, 2)


@pytest.mark.short
def test_budget_counts_every_failure_and_ends_with_a_person(stepping: Stepping) -> None:
    """Then nothing starts any more, until a person says so; the trail reports all of it."""
    stepping.configure(budget=1).teach("exit 1")
    assert stepping.step().outcome is StepOutcome.FAILED
    spent = stepping.step()
    assert (spent.outcome, spent.why[-1]) == (StepOutcome.NEEDS_HUMAN, "the retry budget of 2 runs is used up")
    assert [entry.counted for entry in spent.trail] == [True, True]
    with pytest.raises(errors.AgentRunError, match="needs you") as refused:
        stepping.step()
    assert "--beyond-budget" in refused.value.hint
    assert stepping.teach(WORK).step(beyond_budget=True).outcome is StepOutcome.READY


def test_loop_goes_back_along_the_failure_edge(stepping: Stepping) -> None:
    """From the tester to the maker, with what is to be mended, and forward again; no decision is made."""
    flag = stepping.root.parent / "flag"
    stepping.configure(gate=False).teach()
    stepping.teach(f"if [ ! -e {flag} ]; then touch {flag}; exit 1; fi; {WORK}", "tester")
    reports: list[StepReport] = []
    report = stepping.step(callbacks=step.StepCallbacks(on_report=reports.append), loop=True)
    assert report.next_move == "needs you: start release"
    assert [(one.key.phase, one.outcome.value) for one in reports] == [
        ("build", "ready"),
        ("test", "failed"),
        ("build", "ready"),
        ("test", "ready"),
    ]
    assert open_log(stepping.desk().repository).verify().entries == ()


def test_loop_stops_where_a_person_decides(stepping: Stepping) -> None:
    """A gate is never opened by it."""
    reports: list[StepReport] = []
    stepping.step(callbacks=step.StepCallbacks(on_report=reports.append), loop=True)
    assert [one.key.phase for one in reports] == ["build"]


def test_loop_stops_when_the_budget_is_spent(stepping: Stepping) -> None:
    """After the runs of all phases."""
    reports: list[StepReport] = []
    report = (
        stepping.configure(budget=2)
        .teach("exit 1")
        .step(callbacks=step.StepCallbacks(on_report=reports.append), loop=True)
    )
    assert (len(reports), report.outcome) == (3, StepOutcome.NEEDS_HUMAN)


def test_cancelled_step_stops_its_agent_and_still_looks(stepping: Stepping) -> None:
    """What it did until then is told."""
    stepping.teach("echo more >> src/app.py; sleep 60")
    checks = ProgressCallbacks()
    views: list[RunView] = []
    callbacks = step.StepCallbacks(
        checks, on_start=lambda _: Timer(0.5, checks.cancel.set).start(), on_look=views.append
    )
    report = stepping.step(callbacks=callbacks)
    assert (report.outcome, [file.path for file in report.files]) == (StepOutcome.STOPPED, ["src/app.py"])
    assert views
    assert report.budget.used == 0


@pytest.mark.short
def test_cancel_during_the_checks_starts_nobody(stepping: Stepping) -> None:
    """Nothing starts on work whose examination was cut short."""
    checks = ProgressCallbacks()
    checks.cancel.set()
    with pytest.raises(KeyboardInterrupt):
        stepping.step(callbacks=step.StepCallbacks(checks))
    assert step.list_views(stepping.desk()) == ()


def test_agent_is_given_its_files_with_recorded_digests(stepping: Stepping) -> None:
    """Prompt, context and notes, by name and by variable; what it was told can be checked later."""
    stepping.teach(f'{WORK}; cat "$1" "$HANDOFF_TUI_PROMPT_FILE" > /dev/null && echo "$HANDOFF_TUI_PHASE"')
    report = stepping.step()
    folder = Path(report.proof).parent
    assert hashlib.sha256((folder / "prompt.md").read_bytes()).hexdigest() == report.prompt_sha256
    assert hashlib.sha256((folder / "context.json").read_bytes()).hexdigest() == report.context_sha256
    context = json.loads((folder / "context.json").read_bytes())
    assert (context["schema"], context["key"]["phase"]) == ("handoff-tui/context/v1", "build")
    assert (folder / "output.log").read_text(encoding="utf-8").endswith("build\n")


def test_agent_sees_the_named_variables_alone(stepping: Stepping, monkeypatch: pytest.MonkeyPatch) -> None:
    """And where its own files are."""
    monkeypatch.setenv("SECRET", "x")
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    environment = step.build_environment(prepared)
    assert "SECRET" not in environment
    assert environment["HANDOFF_TUI_HANDOFF"] == HANDOFF
    assert environment["HANDOFF_TUI_NOTES_FILE"].endswith("notes.md")


def test_agent_can_have_a_home_of_its_own(stepping: Stepping) -> None:
    """D3: an agent with `home = "private"` is not led to the person's keys; no agent is given the ssh-agent."""
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    assert "SSH_AUTH_SOCK" not in prepared.agent.settings.environment
    settings = prepared.agent.settings.model_copy(update={"home": AgentHome.PRIVATE})
    private = replace(prepared, agent=prepared.agent._replace(settings=settings))
    place = Path(step.build_environment(private)["HOME"])
    assert place.is_relative_to(find_state_folder())
    step.start_step(private)
    assert (place.is_dir(), list(place.iterdir())) == (True, [])


def test_start_is_refused_when_something_moved_and_goes_on_when_nothing_did(stepping: Stepping) -> None:
    """What was prepared is what starts; the lock is free again, and the same run cannot be begun twice."""
    common_dir = stepping.desk().repository.common_dir
    stale = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    stepping.builder.write("src/app.py", "moved\n")
    with pytest.raises(errors.ShownMovedError, match=r"no agent was started.*src/app\.py"):
        step.start_step(stale)
    assert list_locks(common_dir) == ()
    stepping.builder.commit()
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    stepping.teach(f"{WORK}; cp $HANDOFF_TUI_CONTEXT_FILE {stepping.home}/told")
    view = step.follow(stepping.desk(), step.start_step(prepared).state.key)
    told = json.loads((stepping.home / "told").read_bytes())
    assert (told["schema"], told["key"]["phase"], told["procedure"]) == ("handoff-tui/context/v1", "build", None)
    stepping.builder.step("reset", "--quiet", "--hard", "HEAD^")
    with pytest.raises(errors.ShownMovedError, match="somebody else has just begun run 1 of build"):
        step.start_step(prepared)
    report = finish_step(stepping.desk(), view.state.key)
    assert (report.outcome, report.notices[0].sign) == (StepOutcome.FAILED, Sign.DID_NOTHING)
    assert Path(report.proof).exists()


def test_everything_that_a_start_rests_on_is_asked_again(gate_desk: GateDesk, bo: Person) -> None:
    """The gate, every decision about the handoff, the agents, the files: each that moved is named."""
    desk = open_session(gate_desk.root)
    examined = examine(desk, open_log(desk.repository), GATED)
    step.refuse_changed(examined)
    assert gate_desk.decide(bo, "reject", "--reason", "no tests").code == 0
    with pytest.raises(errors.ShownMovedError, match="the gate of review is now rejected; it was pending"):
        step.refuse_changed(examined)
    Path(gate_desk.root, "handoff-tui.toml").write_text('[agents.heron]\ncommand = ["sh"]\n', encoding="utf-8")
    with pytest.raises(errors.ShownMovedError, match="it was pending; the configuration of agents changed"):
        step.refuse_changed(examined)


@pytest.mark.short
def test_second_operator_is_told_who_is_at_work(stepping: Stepping) -> None:
    """And nothing of theirs is left behind."""
    stepping.teach("sleep 60")
    view = step.start_step(prepare_step(stepping.desk(), StepRequest(HANDOFF, "build")))
    with pytest.raises(errors.PhaseLockedError, match="build is locked by"):
        step.start_step(prepare_step(stepping.desk(), StepRequest(HANDOFF, "build")))
    step.stop_step(stepping.desk(), view.state.key)
    assert list_locks(stepping.desk().repository.common_dir) == ()


def test_failed_start_gives_the_lock_back(stepping: Stepping) -> None:
    """A prompt that no command takes is refused, and the phase is free."""
    text = stepping.config.read_text(encoding="utf-8").replace('"{prompt_file}"', '"{prompt}"')
    stepping.config.write_text(text.replace("timeout_seconds", f'prompt = "{"x" * 132_000}"\ntimeout_seconds', 1))
    with pytest.raises(errors.AgentRunError, match="too long"):
        stepping.step()
    take_lock(stepping.desk().repository.common_dir, RunKey(handoff=HANDOFF, phase="build"), "somebody")


def test_phase_for_people_is_started_by_a_person_alone(gate_desk: GateDesk, isolated_user: Path) -> None:
    """Without a confirmation at a terminal it is refused."""
    stepping = Stepping(gate_desk.builder, isolated_user).teach().configure(gate=False)
    stepping.teach(WORK, "tester").step()
    stepping.step("test")
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "release"))
    with pytest.raises(errors.NoHumanError, match="only a person may start"):
        step.start_step(prepared)
    view = step.start_step(prepared, confirmed=True)
    assert step.follow(stepping.desk(), view.state.key).state.status is RunStatus.FINISHED


def prepare(stepping: Stepping) -> PreparedStep:
    return prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))


@pytest.mark.short
def test_preparing_measures_everything_and_writes_nothing(stepping: Stepping) -> None:
    """The key, the route and the context are known; there is no folder and no lock."""
    prepared = prepare(stepping)
    assert (prepared.key.attempt, prepared.key.number, prepared.route.direction) == (1, 1, Direction.AGAIN)
    context = prepared.context
    assert (context.commit, context.branch, context.previous) == (stepping.builder.head(), "main", None)
    assert context.baseline.checks_total > 0
    assert [document.path for document in context.handoff.documents] == ["HANDOFF.md"]
    assert not (stepping.root / ".git" / "handoff-tui").exists()


def test_edge_says_what_of_the_work_before_is_passed_on(stepping: Stepping) -> None:
    """Files, commits and the end of the output of the run before; or none of them."""
    stepping.teach(f"{WORK}; echo the last line").step()
    prepared = prepare(stepping)
    previous = prepared.context.previous
    assert previous is not None
    assert (previous.output[-1], [file.path for file in previous.files]) == ("the last line", ["src/app.py"])
    pipeline = prepared.pipeline.model_copy(update={"edges": (Edge(source="build", target="test", passes=()),)})
    route = Route(pipeline="notes", source="build", phase="test", direction=Direction.FORWARD)
    context = replace(prepared, pipeline=pipeline, route=route).context
    assert context.previous is not None
    assert (context.previous.output, context.previous.files, context.handoff.documents) == ((), (), ())


def test_role_comes_from_the_agent_or_the_hub(stepping: Stepping) -> None:
    """Standards of supervising roles hold for all."""
    more = '[hub.roles.maker]\ntitle = "Maker"\nstage = "DEV"\nprompt = "Make it."\n'
    prepared = prepare(stepping.configure(more))
    role = prepared.context.role
    assert (role.title, role.prompt) == ("Maker", "Make it.")
    assert "Tests are written first." in role.standards
    own = prepared.agent._replace(settings=prepared.agent.settings.model_copy(update={"role": "Mine."}))
    assert replace(prepared, agent=own).context.role.prompt == "Mine."


def test_earlier_phase_can_be_wanted_again(stepping: Stepping) -> None:
    """By its name, or as the one before; nothing comes before the first."""
    stepping.configure(gate=False).teach(WORK, "tester").step()
    stepping.step("test")
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, back=True))
    assert (prepared.phase.name, prepared.route.direction) == ("build", Direction.BACK)
    with pytest.raises(errors.AgentRunError, match="first phase"):
        prepare_step(stepping.desk(), StepRequest(HANDOFF, "build", back=True))


def test_handoff_need_not_be_named_if_there_is_one(stepping: Stepping) -> None:
    """With more, it must be."""
    assert choose_handoff(stepping.desk(), None) == HANDOFF
    stepping.builder.write("docs/handoffs/other.md", "# Handoff: other\n\nStatus: COMPLETE\n").commit()
    with pytest.raises(errors.UsageError, match="there are 2 handoffs here"):
        choose_handoff(stepping.desk(), None)
    with pytest.raises(errors.HandoffNotFoundError):
        choose_handoff(stepping.desk(), "gone")


def start(stepping: Stepping) -> RunKey:
    view = step.start_step(prepare_step(stepping.desk(), StepRequest(HANDOFF, "build")))
    return view.state.key


@pytest.mark.short
def test_report_tells_what_was_done(stepping: Stepping) -> None:
    """Files and commits as measured, exit code, time, output with its digest."""
    before = stepping.builder.head()
    report = stepping.teach(f"{WORK}; echo loose > loose.txt").step()
    assert (report.outcome, report.gate is not None) == (StepOutcome.READY, True)
    assert [(file.path, file.change) for file in report.files] == [("loose.txt", "added"), ("src/app.py", "modified")]
    assert [(commit.subject, commit.author) for commit in report.commits] == [("work", "maker@example.org")]
    assert (report.head_before, report.head_after) == (before, stepping.builder.head())
    assert Path(report.proof).read_text(encoding="utf-8") == "working\n"
    assert report.end.output_bytes == 8


def test_failing_checks_become_tasks_for_the_next_try(stepping: Stepping) -> None:
    """They are in its prompt, the most urgent first."""
    stepping.teach(f"printf '# Handoff\\n\\nStatus: COMPLETE\\n\\n- Created `src/gone.py`.\\n' > HANDOFF.md; {COMMIT}")
    report = stepping.step()
    assert report.outcome is StepOutcome.FAILED
    assert report.failing == ("claims-hold",)
    assert [task.source for task in report.fix_tasks] == ["check:claims-hold"]
    again = stepping.teach("cat $HANDOFF_TUI_PROMPT_FILE; exit 1").step(None)
    assert "src/gone.py" in Path(again.proof).read_text(encoding="utf-8")
    assert again.route.direction.value == "failed"


def test_run_is_looked_at_once(stepping: Stepping) -> None:
    """A second question has the same answer."""
    key = start(stepping)
    wait_until(lambda: step.read_view(stepping.desk(), key).state.is_over)
    report = finish_step(stepping.desk(), key)
    stepping.builder.write("src/app.py", "later").commit()
    assert finish_step(stepping.desk(), key) == report
    assert step.read_view(stepping.desk(), key).report == report


def test_running_agent_is_not_looked_at(stepping: Stepping) -> None:
    """Nor one that never was."""
    stepping.teach("sleep 60")
    key = start(stepping)
    with pytest.raises(errors.AgentRunError, match="still running"):
        finish_step(stepping.desk(), key)
    process = step.read_view(stepping.desk(), key).state.process
    assert process is not None
    os.kill(process.pid, signal.SIGTERM)
    with pytest.raises(errors.AgentRunError, match="files of the run are gone"):
        finish_step(stepping.desk(), key.model_copy(update={"number": 9}))


@pytest.mark.short
def test_lost_run_is_ended_and_told(stepping: Stepping) -> None:
    """Its supervisor was killed: the agent is ended, the lock is free again."""
    stepping.teach("sleep 60")
    key = start(stepping)
    process = step.read_view(stepping.desk(), key).state.process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: step.read_view(stepping.desk(), key).state.is_over)
    report = finish_step(stepping.desk(), key)
    assert (report.end.ending, report.outcome) == (RunEnding.LOST, StepOutcome.FAILED)
    assert report.notices[0].sign is Sign.LOST
    assert list_locks(stepping.desk().repository.common_dir) == ()


def test_handoff_that_the_agent_deleted_is_a_failure(stepping: Stepping) -> None:
    """With the reason; nothing crashes."""
    report = stepping.teach(f"git rm -q HANDOFF.md; {COMMIT}").step()
    assert (report.outcome, report.gate) == (StepOutcome.FAILED, None)
    assert "can't be examined" in report.why[0]


def test_configuration_that_the_agent_broke_is_for_a_person(stepping: Stepping) -> None:
    """The report is made with the settings from before."""
    report = stepping.teach(f"echo 'x = [' > handoff-tui.toml; {COMMIT}").step()
    assert report.outcome is StepOutcome.NEEDS_HUMAN
    assert report.notices[0].sign is Sign.CHECKS_EDITED


@pytest.mark.short
def test_findings_of_a_tester_lead_back_to_the_developer(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Reported bugs become tasks, told once, with priorities; the developer is given them."""
    context = "# Handoff Context\nGenerated: 2031-02-03 04:05:06\nRun ID: 10 | Project: Lantern | Task: T007\n\n"
    builder.write("work/HANDOFF_10_T007.md", f"{context}## Current Task: T007\n**Title**: adding\n").commit()
    bugs = '[{"title": "It leaks", "severity": "high", "file": "a.py"}, {"title": "it  leaks!", "file": "a.py"}]'
    scripts = {"dev": f"echo 1 > a.py; {COMMIT}", "qa": f"echo '{bugs}' > work/bugs.json; {COMMIT}"}
    text = '[pipelines.hub]\nfailure_target = "DEV"\nedges = [{source = "DEV", target = "QA"}]\n'
    for name, script in scripts.items():
        (isolated_user / f"{name}.sh").write_text(f"{script}\n", encoding="utf-8")
        text += (
            f'[[pipelines.hub.phases]]\nname = "{name.upper()}"\nagent = "{name}"\ngate = {json.dumps(name == "qa")}\n'
        )
        text += f'[agents.{name}]\ncommand = ["sh", "{isolated_user}/{name}.sh"]\n'
    config = isolated_user / "config" / "handoff-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(text, encoding="utf-8")
    developed = step.step(open_session(builder.folder), StepRequest("T007", "DEV"), step.StepCallbacks())
    assert (developed.outcome, developed.next_phase) == (StepOutcome.READY, "QA")
    report = step.step(open_session(builder.folder), StepRequest("T007"), step.StepCallbacks())
    assert (report.outcome, report.next_phase) == (StepOutcome.FAILED, "DEV")
    reported = [task for task in report.fix_tasks if task.source == "work/bugs.json"]
    assert [(task.title, task.priority) for task in reported] == [("It leaks", 10)]
    again = prepare_step(open_session(builder.folder), StepRequest("T007"))
    assert (again.phase.name, again.context.fix_tasks) == ("DEV", report.fix_tasks)


def read_reasons(root: Path) -> dict[str, str]:
    """Each own file of the handoff with the reason."""
    desk = open_session(root)
    scopes = LogGates(desk, read_repository(desk).result.handoffs).work.scopes
    return {path: str(source) for path, source in scopes.of(HANDOFF).reasons()}


def test_commits_of_a_run_are_its_handoffs_work_in_every_clone(
    gate_desk: GateDesk, isolated_user: Path, tmp_path: Path
) -> None:
    """By the record beside the log: in another clone, and after a rebase that changes every id."""
    stepping = Stepping(gate_desk.builder, isolated_user).teach(f"echo new > new.py; {COMMIT}")
    gate_desk.begin(gate_desk.person("bo"))
    stepping.builder.commit("the log")
    stepping.step()
    assert read_reasons(stepping.root)["new.py"] == "run"
    stepping.builder.commit("the record")
    clone = tmp_path / "clone"
    stepping.builder.git("clone", "--quiet", str(stepping.root), str(clone))
    assert read_reasons(clone)["new.py"] == "run"
    before = stepping.builder.head()
    stepping.builder.step("rebase", "--quiet", "--force-rebase", "--root")
    assert stepping.builder.head() != before
    assert read_reasons(stepping.root)["new.py"] == "run"


def test_run_in_its_own_tree_is_recorded_without_what_it_merged(gate_desk: GateDesk, isolated_user: Path) -> None:
    """The operator's commits stay the operator's, although the agent's branch has them now."""
    stepping = Stepping(gate_desk.builder, isolated_user).configure(folder="worktree")
    gate_desk.begin(gate_desk.person("bo"))
    stepping.builder.commit("the log")
    operator = f"git -C {stepping.root}"
    stepping.teach(
        f"echo mine > {stepping.root}/operator.py; {operator} add operator.py; "
        f"{operator} -c user.name=op -c user.email=op@x commit --quiet --message op; "
        f"git -c user.name=maker -c user.email=maker@x merge --quiet --no-edit main; echo new > new.py; {COMMIT}"
    )
    report = stepping.step()
    assert report.folder
    found = read_reasons(Path(report.folder))
    assert (found["new.py"], found.get("operator.py")) == ("run", None)
    assert [made.handoff for made in read_run_commits(stepping.root)] == [HANDOFF]


def test_run_without_commits_or_log_leaves_no_record(stepping: Stepping) -> None:
    """Nothing is written into a repository that nobody decides in."""
    stepping.step()
    assert not (stepping.root / ".handoff-tui").exists()
