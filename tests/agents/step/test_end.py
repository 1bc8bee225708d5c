from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from handoff_tui.agents.runs.phase_locks import find_lock
from handoff_tui.agents.runs.run import RunEnding, RunKey
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.follow import follow, read_view
from handoff_tui.agents.step.prepare import StepRequest, prepare_step
from handoff_tui.agents.step.report import Sign, StepOutcome
from handoff_tui.agents.step.start import start_step
from handoff_tui.core.errors import AgentRunError
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder
from tests.support.stepping import COMMIT, HANDOFF, WORK, Stepping, wait_until


def start(stepping: Stepping) -> RunKey:
    view = start_step(prepare_step(stepping.desk(), StepRequest(HANDOFF, "build")))
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
    stepping.teach(f"printf '# Handoff\\n\\nStatus: COMPLETE\\n\\n- `src/gone.py` adds.\\n' > HANDOFF.md; {COMMIT}")
    report = stepping.step()
    assert report.outcome is StepOutcome.FAILED
    assert report.failing == ("claims-hold",)
    assert [task.source for task in report.fix_tasks] == ["check:claims-hold"]
    again = stepping.teach("cat $HANDOFF_TUI_PROMPT_FILE; exit 1").step(None)
    assert "src/gone.py" in Path(again.proof).read_text(encoding="utf-8")
    assert again.route.direction.value == "failed"


def test_run_is_looked_at_once(stepping: Stepping) -> None:
    """Whoever asks again is told the same."""
    key = start(stepping)
    wait_until(lambda: read_view(stepping.desk(), key).state.is_over)
    report = finish_step(stepping.desk(), key)
    stepping.builder.write("src/app.py", "later").commit()
    assert finish_step(stepping.desk(), key) == report
    assert read_view(stepping.desk(), key).report == report


def test_running_agent_is_not_looked_at(stepping: Stepping) -> None:
    """Nor one that never was."""
    stepping.teach("sleep 60")
    key = start(stepping)
    with pytest.raises(AgentRunError, match="still running"):
        finish_step(stepping.desk(), key)
    process = read_view(stepping.desk(), key).state.process
    assert process is not None
    os.kill(process.pid, signal.SIGTERM)
    with pytest.raises(AgentRunError, match="files of the run are gone"):
        finish_step(stepping.desk(), key.model_copy(update={"number": 9}))


@pytest.mark.short
def test_lost_run_is_ended_and_told(stepping: Stepping) -> None:
    """Its supervisor was killed: the agent is ended, the lock is free again."""
    stepping.teach("sleep 60")
    key = start(stepping)
    process = read_view(stepping.desk(), key).state.process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: read_view(stepping.desk(), key).state.is_over)
    report = finish_step(stepping.desk(), key)
    assert (report.end.ending, report.outcome) == (RunEnding.LOST, StepOutcome.FAILED)
    assert report.notices[0].sign is Sign.LOST
    assert find_lock(stepping.desk().repository.common_dir, "build") is None


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
    script = isolated_user / "qa.sh"
    script.write_text(f"echo '{bugs}' > work/bugs.json; {COMMIT}\n", encoding="utf-8")
    config = isolated_user / "config" / "handoff-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    command = f'command = ["sh", "{script}"]\n'
    config.write_text(f"[agents.qa]\n{command}[agents.dev]\n{command}", encoding="utf-8")
    desk = open_desk(builder.folder)
    view = start_step(prepare_step(desk, StepRequest("T007", "DEV")))
    follow(desk, view.state.key)
    report = finish_step(desk, view.state.key)
    assert (report.outcome, report.next_phase) == (StepOutcome.FAILED, "DEV")
    reported = [task for task in report.fix_tasks if task.source == "work/bugs.json"]
    assert [(task.title, task.priority) for task in reported] == [("It leaks", 10)]
    again = prepare_step(open_desk(builder.folder), StepRequest("T007"))
    assert (again.phase.name, again.context.fix_tasks) == ("DEV", report.fix_tasks)
