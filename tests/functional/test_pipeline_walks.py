"""Each system walked from `new` to its end: scripted agents work, a person decides, one attempt is sent back."""

from __future__ import annotations

import json
import sys

import pytest

from handoff_tui.agents.runs.branches import merge_work, preview_merge
from handoff_tui.agents.step.prepare import StepRequest
from handoff_tui.agents.step.report import Direction, StepOutcome
from handoff_tui.agents.step.step import StepCallbacks, step
from handoff_tui.agents.step.trail import list_reports
from handoff_tui.core.errors import AgentRunError, HandoffError, NoHumanError, UsageError
from handoff_tui.handoffs.session import open_session
from handoff_tui.system.installation import find_resource
from tests.support import builder_story as builder
from tests.support.gates import GateDesk
from tests.support.walking import Walk, commit, write


@pytest.fixture
def walk(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> Walk:
    (gate_desk.root / "HANDOFF.md").unlink()
    gate_desk.builder.commit("nothing is handed over yet")
    return Walk(gate_desk, monkeypatch, "T-7")


def _report_bugs(status: str) -> str:
    bug = {"id": "B-1", "title": "Off by one", "severity": "high", "file": "src/limit.py", "status": status}
    return write("tasks/T-7/bugs.json", [bug]) + commit("T-7: tested")


def test_hub_is_walked_to_its_end(walk: Walk) -> None:
    """QA sends it back to DEV, whose gate its report doesn't close; DEPLOY asks a person."""
    walk.scripts = {
        "dev": [write("src/limit.py", f"LIMIT = {number}") + commit("T-7: work") for number in (1, 2)],
        "qa": [_report_bugs("open"), _report_bugs("fixed")],
        "security": [write("tasks/T-7/security_report.json", []) + commit("T-7: looked for holes")],
        "docs": [write("docs/limit.md", "# Limits") + commit("T-7: documented")],
        "cicd": [write("tasks/T-7/deployment.md", "Deployed.") + commit("T-7: deployed")],
    }
    walk.begin("hub")
    assert walk.walk() == ["DEV", "QA failed", "DEV", "QA", "SEC", "DOCS"]
    with pytest.raises(NoHumanError, match="only a person may start DEPLOY"):
        walk.step()
    assert walk.walk(confirm=True) == ["DEPLOY"]
    assert walk.is_done()


def test_hub_is_walked_in_work_trees(walk: Walk) -> None:
    """Each agent works on a branch; failed work goes on from there, approved work is merged before the next phase."""
    walk.scripts = {
        "dev": [write("src/limit.py", f"LIMIT = {number}") + commit("T-7: work") for number in (1, 2)],
        "qa": [_report_bugs("open"), f"test -e tasks/T-7/bugs.json && grep -q 2 src/limit.py\n{_report_bugs('fixed')}"],
    }
    walk.begin("hub")
    config = walk.home / "config" / "handoff-tui" / "config.toml"
    config.write_text(config.read_text().replace("timeout_seconds = 20", 'folder = "worktree"'), encoding="utf-8")
    phases = []
    for _ in range(4):
        report = walk.step()
        phases.append((report.key.phase, report.outcome.value))
        if report.outcome is StepOutcome.READY:
            walk.decide("approve")
            merge_work(open_session(walk.root), preview_merge(open_session(walk.root), "T-7"))
    assert phases == [("DEV", "ready"), ("QA", "failed"), ("DEV", "ready"), ("QA", "ready")]
    assert walk.say("gate", "T-7", "--json").json["state"] == "approved"


def test_work_cycle_moved_by_hand_moves_no_handoff_back(walk: Walk) -> None:
    """Its documents still name DEV, as before QA ran; that isn't news. What they say of the work is."""
    walk.scripts = {
        "dev": [write("src/limit.py", "LIMIT = 1") + commit("T-7: work")],
        "qa": [_report_bugs("open"), _report_bugs("fixed")],
    }
    walk.begin("hub")
    walk.advance("DEV")
    assert walk.step().outcome is StepOutcome.FAILED
    assert walk.find_mover() == "agent"
    walk.step("QA")
    assert walk.say("cycle", "accept", "T-7").code == 0
    assert (walk.phase(), walk.find_mover()) == ("QA", "agent")
    assert "says DEV, but its last run worked on T-7 in QA" in walk.say("status").stdout


_TESTS = ("adds two", "adds one to nothing")
_PAIRS = ("assert add(1, 2) == 3", "assert add(1) == 1")


def _note(phase: str, next_phase: str, result: str | None, cycle: int = 1, *, last: int = 1) -> str:
    done = cycle if result == "PASS" else cycle - 1
    test = {"description": _TESTS[cycle - 1], "testFile": "tests/test_add.py", "implFile": "src/add.py"}
    value = {
        "phase": phase,
        "nextPhase": next_phase,
        "cycleNumber": cycle,
        "currentTest": test,
        "completedTests": _TESTS[:done],
        "pendingTests": _TESTS[done:last],
        "testResult": result,
        "error": None,
        "retryCount": 0,
    }
    who = "git -c user.name=agent -c user.email=agent@example.org"
    return f"{who} notes --ref=tdd-handoffs add -m '{json.dumps(value)}' HEAD\n"


def _script_cycles(last: int = 1) -> dict[str, list[str]]:
    """One test after the other; the first one is not made to pass at once."""
    scripts: dict[str, list[str]] = {"test-list": [], "test": [], "implement": ["echo no; exit 3"], "refactor": []}
    tests = "from src.add import add\n"
    for cycle in range(1, last + 1):
        marks = "".join(f"- [{' x'[at < cycle]}] {name}\n" for at, name in enumerate(_TESTS[:last]))
        tests += f"\n\ndef test_{cycle}():\n    {_PAIRS[cycle - 1]}\n"
        end = "COMPLETE" if cycle == last else "PLAN"
        two = ("b", "b=0")[cycle - 1]
        green = write("src/add.py", f"def add(a, {two}):\n    return a + b\n")
        planned = write("test-list.md", "# Test list\n\n" + marks.replace("[x]", "[ ]" if cycle == 1 else "[x]", 1))
        scripts["test-list"].append(
            planned + commit(f"plan: {_TESTS[cycle - 1]}") + _note("PLAN", "RED", None, cycle, last=last)
        )
        scripts["test"].append(
            write("tests/test_add.py", tests) + commit("test: add") + _note("RED", "GREEN", "FAIL", cycle, last=last)
        )
        scripts["implement"].append(
            green
            + write("test-list.md", "# Test list\n\n" + marks)
            + commit("feat: add")
            + _note("GREEN", "REFACTOR", "PASS", cycle, last=last)
        )
        scripts["refactor"].append(
            write("src/add.py", f"def add(one, {two.replace('b', 'two')}):\n    return one + two\n")
            + commit("refactor: names")
            + _note("REFACTOR", end, "PASS", cycle, last=last)
        )
    return scripts


def test_tdd_is_walked_to_its_end(walk: Walk) -> None:
    """Two cycles, each a handoff; GREEN fails once; notes are the protocol; COMPLETE needs no agent; both stay."""
    walk.handoff, walk.scripts = "TDD-1", _script_cycles(2)
    walk.begin("tdd")
    assert walk.walk() == ["PLAN", "RED", "GREEN failed", "GREEN", "REFACTOR"]
    walk.desk.builder.commit("the log")
    assert walk.say("new", "tdd", "TDD-2").code == 0
    walk.handoff = "TDD-2"
    assert walk.walk() == ["PLAN", "RED", "GREEN", "REFACTOR"]
    assert not any(report.notices for report in walk.reports if report.outcome is StepOutcome.READY)
    walk.desk.builder.write("elsewhere.txt", "other work").commit("more")
    assert [walk.say("gate", one, "--json").json["state"] for one in ("TDD-1", "TDD-2")] == ["approved"] * 2


def test_rollback_takes_the_notes_of_a_cycle_along(walk: Walk) -> None:
    """The cycle is where it was approved, and undoing the rollback brings the notes back."""
    walk.handoff, walk.scripts = "TDD-1", _script_cycles()
    walk.begin("tdd")
    walk.advance("PLAN")
    walk.step()
    assert walk.phase() == "RED"
    walk.desk.builder.commit("the log")
    assert walk.say("rollback", "--apply").code == 0
    assert walk.phase() == "PLAN"
    assert walk.say("rollback", "--undo").code == 0
    assert walk.phase() == "RED"


def test_builder_is_walked_to_its_end(walk: Walk) -> None:
    """The question gate asks for no results, and its approval is the greenlight; failed work comes back to build."""
    walk.handoff = "H-5"
    files = {
        builder.MANIFEST: builder.build_manifest(),
        "PKG-LAMP-001/lamp.py": builder.SOURCE,
        "PKG-LAMP-001/test_lamp.py": builder.TESTS,
    }
    packages = "".join(write(path, text.rstrip("\n")) for path, text in files.items())
    results = builder.build_results("H-5")
    failed = results.replace("## Status: PASS", "## Status: FAIL")
    path = builder.results_path("H-5")
    review = "# Review: H-5\n\nVerified.\n\nReview verdict: PASS"
    walk.scripts = {
        "builder": [
            write(builder.answers_path("H-5"), builder.build_answers("H-5", by="")) + commit("H-5: answers"),
            packages + write(path, failed) + commit("H-5: built"),
            write(path, results) + commit("H-5: built again"),
            write("main.py", "import lamp") + commit("H-5: integrated"),
        ],
        "reviewer": [write("handoffs/H-5/REVIEW_REPORT.md", review) + commit("H-5: reviewed")],
    }
    walk.desk.builder.write("handoffs/BUILDER_PROMPT_CONTRACT.md", builder.build_contract()).commit("the contract")
    walk.begin("builder")
    walk.desk.builder.write(builder.spec_path("H-5"), builder.build_spec("H-5")).commit("H-5: specified")
    prompt = (walk.root / builder.prompt_path("H-5")).read_text(encoding="utf-8")
    assert "**Contract version**: 2.1" in prompt
    assert "\n13. " in prompt
    assert walk.advance("questions")
    with pytest.raises(AgentRunError, match="does not follow questions"):
        walk.step("review")
    assert walk.walk() == ["build failed", "build", "review", "integration"]
    assert walk.is_done()
    registry = walk.root / "handoffs" / "REGISTRY.md"
    registry.write_text("# Registry\n\n| ID | Status | Note |\n|---|---|---|\n| H-5 | **DISPATCHED** | lamp |\n")
    [row] = walk.say("registry", "--json").json["rows"]
    assert (row["before"], row["after"], "DISPATCHED" in registry.read_text()) == ("DISPATCHED", "VALIDATED", True)
    assert walk.say("registry", "--apply").code == 0
    assert registry.read_text().endswith("| H-5 | VALIDATED | lamp |\n")
    assert walk.say("registry", "--json").json["rows"] == []


def test_work_rejected_where_only_documents_brought_it_is_tried_again(walk: Walk) -> None:
    """Documents greenlight nothing; a person's rejection says where the work is, until the phase before changes."""
    walk.handoff = "H-5"
    build = write("PKG-LAMP-001/lamp.py", builder.SOURCE) + commit("H-5: built again")
    answers = write(builder.answers_path("H-5"), builder.build_answers("H-5", by="")) + commit("H-5: other answers")
    walk.scripts = {"builder": [build, answers, "exit 1"]}
    walk.begin("builder")
    walk.desk.builder.write(builder.spec_path("H-5"), builder.build_spec("H-5"))
    walk.desk.builder.write(builder.results_path("H-5"), builder.build_results("H-5")).commit("H-5: by documents")
    with pytest.raises(AgentRunError, match="nobody has decided at questions"):
        walk.step()
    walk.decide("reject", "build")
    report = walk.step()
    assert (report.key.phase, report.route.direction) == ("build", Direction.AGAIN)
    with pytest.raises(AgentRunError, match=r"does not follow|is not open"):
        walk.step("review")
    assert walk.step("questions").key.phase == "questions"
    for phase in ("build", "review"):
        with pytest.raises(AgentRunError, match=r"is not open|does not follow"):
            walk.step(phase)
    walk.decide("reject", "build")
    walk.decide("withdraw", "build")
    with pytest.raises(AgentRunError, match="is not open"):
        walk.step("build")


def test_session_is_walked_to_its_end(walk: Walk) -> None:
    """The first session is sent back once; the next one that resumes fails, and so the work goes back to the first."""
    walk.handoff = "mosaic"
    message = {"last_agent": "wren", "last_mode": "work", "implementation_progress": {"limiter": "done"}}
    read = {"agent": "wren", "briefing_version": "1", "acknowledged_at": "2026-01-02T03:00:00Z"}
    message["briefing_acknowledgment"] = read  # the gate asks for it
    state = {**message, "handoff_message": "The limiter is in src/limit.py and its tests pass; nothing is left to do."}
    task = {"task_id": "S-1", "objective": "Rate limiter", "status": "complete"}
    work = write(".mosaic/agent_state.json", state) + write(".mosaic/current_task.json", task)
    walk.scripts = {
        "work": [write("src/limit.py", "LIMIT = 1") + work + commit(f"limiter {number}") for number in (1, 2)],
        "resume": ["exit 1", write("src/limit.py", "LIMIT = 3") + commit("resumed")],
    }
    walk.scripts["work"][1] = walk.scripts["work"][1].replace("LIMIT = 1", "LIMIT = 2")
    walk.scripts["work"].append(write("src/limit.py", "LIMIT = 4") + commit("what stopped the resuming"))
    walk.begin("mosaic", name="S-1")
    walk.step()
    walk.decide("reject")
    assert walk.walk() == ["work", "resume failed", "work", "resume"]
    assert walk.is_done()


def test_procedure_is_walked_to_its_end(walk: Walk) -> None:
    """The source phase fails once; then it hands over to the target phase."""
    walk.handoff = "P-1"
    record = {
        "handoff_id": "P-1",
        "handoff_type": "phase_transition",
        "title": "Rate limiter",
        "source_phase": "source",
        "target_phase": "target",
        "source_agent": "potter",
        "status": "completed",
        "metadata": {"description": "The limiter works."},
    }
    done = write("handoffs/P-1.json", record) + write("src/limit.py", "LIMIT = 1") + commit("P-1: done")
    walk.scripts = {
        "source": ["exit 4", done],
        "target": [write("src/limit.py", "LIMIT = 2") + commit("P-1: taken over")],
    }
    walk.begin("procedure")
    assert walk.walk() == ["source failed", "source", "target"]
    assert walk.is_done()


def test_scripted_agent_of_the_sample_walks_the_hub(walk: Walk) -> None:
    """One run loops back, one fails, the others succeed; its output is read as Claude's stream."""
    agent = find_resource("sample_repo") / "agent" / "scripted_agent.py"
    settings = f'command = ["{sys.executable}", "{agent}"]\nstream = "claude"\nretries = 1\nbackoff_seconds = [0]\n'
    settings += 'variables = {SCRIPTED_AGENT_PAUSE = "0"}\n'
    names = ("dev", "qa", "security", "docs", "cicd")
    walk.begin("hub", more="".join(f"[agents.{name}]\n{settings}" for name in names))
    assert walk.walk(confirm=True) == ["DEV", "QA failed", "DEV", "QA", "SEC", "DOCS", "DEPLOY"]
    assert walk.is_done()
    secured = [one for one in list_reports(open_session(walk.root), walk.handoff) if one.key.phase == "SEC"]
    assert [one.outcome.value for one in secured] == ["failed", "ready"]
    assert secured[0].end.usage is not None
    assert "could not finish" in secured[0].end.usage.verdict


def test_no_phase_of_a_cycle_starts_past_its_gate(walk: Walk) -> None:
    """Not by name, and not because a note claims to be further; a rejection of PLAN closes RED again."""
    walk.handoff, walk.scripts = "TDD-1", _script_cycles()
    walk.begin("tdd")
    walk.step()
    for phase in ("RED", "GREEN", "REFACTOR", "COMPLETE"):
        with pytest.raises(AgentRunError):
            walk.step(phase)
    walk.decide("approve")
    walk.step("RED")
    walk.decide("reject", "PLAN")
    with pytest.raises(AgentRunError):
        walk.step("RED")
    assert [report.key.phase for report in walk.reports] == ["PLAN", "RED"]


def test_failing_answers_never_lead_to_building(walk: Walk) -> None:
    """The failure edge of the builder points forward from the question gate; it is not taken."""
    walk.handoff = "H-5"
    walk.scripts = {"builder": ["exit 1"]}
    walk.begin("builder")
    walk.bo.become(walk.patch)
    walk.write_scripts()
    report = step(open_session(walk.root), StepRequest("H-5"), StepCallbacks(), loop=True)
    assert (report.outcome, report.key.phase) == (StepOutcome.NEEDS_HUMAN, "questions")
    assert {one.key.phase for one in list_reports(open_session(walk.root), "H-5")} == {"questions"}


_RELEASE = """
[pipelines.release]
failure_target = "package"
phases = [
  {{ name = "package", agent = "any"{} }}, {{ name = "verify", agent = "any" }}, {{ name = "ship", agent = "any" }},
]
"""
_LAX = '[pipelines.lax]\nphases = [{ name = "patch", agent = "any", gate = false }, { name = "ship", agent = "any" }]\n'


def test_neither_documents_nor_settings_nor_a_rejection_lead_past_a_gate(walk: Walk) -> None:
    """Nor a document that moves into another pipeline, nor a gate switched off in the repository."""
    walk.handoff = "notes/docs/handoffs/REL-1.md"
    walk.scripts = {"any": [write("src/app.py", "X = 1") + commit("packaged"), "exit 1"]}
    walk.desk.builder.write("handoff-tui.toml", _RELEASE.format("") + _LAX).commit("pipelines of our own")
    walk.begin("release", name="REL-1")
    walk.step()
    walk.decide("retry", "ship")
    for phase in ("verify", "ship", "patch"):
        with pytest.raises(HandoffError, match=r"does not follow|is not open|has no phase"):
            walk.step(phase)
    document = walk.root / "docs" / "handoffs" / "REL-1.md"
    document.write_text(document.read_text(encoding="utf-8").replace("package", "patch"), encoding="utf-8")
    walk.desk.builder.commit("in another pipeline")
    with pytest.raises(UsageError, match="the pipeline release has no phase 'patch'"):
        walk.step("patch")
    assert "REL-1.md is not in the pipeline lax" in walk.say("run", "lax", "--handoff", "REL-1").stderr
    walk.desk.builder.write("handoff-tui.toml", _RELEASE.format(", gate = false") + _LAX).commit("no gate any more")
    with pytest.raises(AgentRunError, match="its pipeline with it: package has no gate"):
        walk.step("verify")
    assert [report.key.phase for report in walk.reports] == ["package"]
