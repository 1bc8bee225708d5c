"""The names, keys, words and lines of every format, and files made of them: right, wrong, cut off, mixed up."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from hypothesis import strategies as st

from handoff_tui.handoffs.formats.builder.format import BUILDER
from handoff_tui.handoffs.formats.claude import CLAUDE
from handoff_tui.handoffs.formats.gsd import GSD
from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.formats.notes.format import NOTES
from handoff_tui.handoffs.formats.procedure import PROCEDURE
from handoff_tui.handoffs.formats.relay import RELAY
from handoff_tui.handoffs.formats.tdd.format import TDD
from handoff_tui.handoffs.reading.format import HandoffFormat
from tests.support.memory_files import MemoryFiles, build_commit, build_ref
from tests.support.strategies import json_texts, json_values, line_texts

_HASH = "ab12" * 16


@dataclass(frozen=True)
class Grammar:
    """What files of a format are called, and what stands in them."""

    format: HandoffFormat
    text_paths: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    json_paths: tuple[str, ...] = ()
    keys: str = ""
    words: tuple[str, ...] = ()
    whole: int = 0
    """A file that has these first keys, all of them, is often recognised."""
    head: str = ""

    def files(self) -> st.SearchStrategy[dict[str, str]]:
        """Some files of this format, by path."""
        return st.builds(
            lambda data, texts: data | texts,
            st.dictionaries(st.sampled_from(self.json_paths), self.data, max_size=4)
            if self.json_paths
            else st.just({}),
            st.dictionaries(st.sampled_from(self.text_paths), self.texts, max_size=4)
            if self.text_paths
            else st.just({}),
        )

    @cached_property
    def texts(self) -> st.SearchStrategy[str]:
        """Documents of its lines and of anything."""
        texts = line_texts(self.lines)
        return texts | texts.map(lambda text: self.head + text) if self.head else texts

    @cached_property
    def data(self) -> st.SearchStrategy[str]:
        """JSON with its keys."""
        keys = self.keys.split()
        values = json_values(keys, self.words)
        whole = st.fixed_dictionaries(dict.fromkeys(keys[: self.whole], values)).map(json.dumps)
        return json_texts(keys, self.words) | whole if self.whole else json_texts(keys, self.words)


GRAMMARS = (
    Grammar(
        BUILDER,
        text_paths=(
            *("BUILDER_HANDOFF_7_lamp.md", "old/BUILDER_HANDOFF_7_lantern.md", "BUILDER_FOLLOWUP_7B_wick.md"),
            *("RESULTS_HANDOFF_7.md", "RESULTS_HANDOFF_7_ATTEMPT_1.md", "AGENT_PROMPT_HANDOFF_7.md"),
            *("handoffs/H-7/H-7_RESULTS.md", "handoffs/H-7/H-7_BUILDER_HANDOFF.md", "handoffs/H-7/13Q_ANSWERS.md"),
            *("handoffs/H-7/REVIEW_REPORT.md", "handoffs/H-7/H-7_EVALUATION_REPORT.md", "FMWK-001_Lamp/SPEC.md"),
            *("FMWK-001_Lamp/RESULTS_2.md", "RESULTS.md", "REGISTRY.md", "RESULTS_HANDOFF_31E-1.md"),
            *("FMWK008A/RESULTS.md", "BUILDER_HANDOFF_31A1_wick.md", "RESULTS_FMWK-001.md"),
        ),
        lines=(
            *("# Results: H-7 — Lamp", "# BUILDER HANDOFF 7: Lamp", "**Status**: PASS 4/4", "**Attempt**: 2"),
            *("**Agent**: Lamplighter | **Date**: 2031-01-02", "## Status: PARTIAL", "## Status: PASS | FAIL"),
            *("## 1. Mission", "## 1. Identity", "## 9. Files Summary", "Blocked-By: H-3 through H-6, FMWK-001"),
            *("| File | Location | Action |", "| Handoff | Status | Blocked By |", "|---|---|---|"),
            *("| H-7 | VALIDATED | H-3 |", "| `lamp.py` | `src/` | CREATE |", "| **Total** | **9** | ALL PASS |"),
            *("## Files Created", f"- `src/lamp.py` (SHA256 before: 12ab34cd..., after: {_HASH})"),
            *("## Files Moved", "- `a/b.md` -> `c/b.md`", "## Test Results"),
            *("## Full Regression -- ALL STAGED PACKAGES", "- Attempt 1:", "- Total: 9 tests"),
            *("- Passed: N/A (collection interrupted)", "- New failures introduced by this agent: NONE"),
            *("## Gate Check Results", "- G1: PASS", "## Baseline Snapshot", "- Package count: 3"),
            *("## Clean-Room Verification", "- 3 packages installed", "```", "9 passed in 0.1s"),
            *("Answer these 13 questions:", "1. Why PKG-LAMP-001?", "Q2: what?", "STOP and WAIT for approval."),
            *("Contract version: 1.2", "## Expected Answers", "Greenlight: YES by Ada", "Review verdict: PASS"),
            *("Final verdict: FAIL", "H-3 is SUPERSEDED"),
        ),
        json_paths=(
            *("PKG-LAMP-001/manifest.json", "web/manifest.json", "handoffs/H-7/evidence.json"),
            *("handoffs/H-7/runs/events.jsonl", "handoffs/H-7/runs/status.json", "H-31E-1_evidence.json"),
        ),
        keys=(
            "package_id version schema_version spec_id framework_id plane_id title supersedes dependencies depends_on "
            "assets files path sha256 classification hash artifact results_hash seq time status state"
        ),
        words=("PKG-LAMP-001", f"sha256:{_HASH}", _HASH, "HOT/lamp.py", "1.0.0", "REVIEW_REPORT.md"),
    ),
    Grammar(
        MOSAIC,
        text_paths=(".mosaic/SESSION_HANDOFF_1.md", ".mosaic/LATEST_HANDOFF.md", ".ai-agents/emergency_handoff.txt"),
        lines=(
            *("# Session handoff", "## Files created", "- `src/a.py`", "| File | Change |", "|---|---|"),
            *("| `b.py` | new |", "**Status:** COMPLETE", "**Agent**: robin", "Backend https://x.example LIVE"),
            *("- Commit: `abc1234`", "5/6 tests passed", "```"),
        ),
        json_paths=(
            *(".mosaic/agent_state.json", ".mosaic/blockers.json", ".mosaic/current_task.json"),
            *(".mosaic/project_state.json", ".mosaic/gemini_approval.json", ".mosaic/session_log.jsonl"),
            *(".mosaic/other/anything.json", "deep/er/.mosaic/agent_state.json", ".ai-agents/handoff_1.json"),
        ),
        keys=(
            "last_agent current_agent next_agent last_mode handoff_message current_task objective status priority "
            "details completed_tasks in_progress success_criteria artifacts_created blockers archived_blockers id "
            "title severity resolution owner gates_status next_phase current_phase implementation_steps "
            "implementation_plan phases session_history commit git_commit last_commit plan_document blocking_issues "
            "verdict note criteria_results required_fixes implementation_progress deployment_status "
            "render_service_url open_questions user_decisions briefing_acknowledgment files timestamp outcome "
            "git_state uncommitted_changes session_continuity modified_files last_5_commits next_agent_checklist "
            "critical_features tests_passed next_session_action"
        ),
        words=("PASS", "resolved", "4/5 passed", "abc1234", "docs/plan.md", "Simulated (no API key)", "critical"),
    ),
    Grammar(
        HUB,
        text_paths=(
            *("HANDOFF_12_T007.md", "WORK_CYCLE_12.md", "handoffs/WORK_CYCLE_3_T007.md", "docs/context.md"),
            *("proofs/T007/run-12/a.png", "screenshots/b.png"),
        ),
        lines=(
            *("# Handoff Context", "# WorkCycle Context", "Generated: 2031-05-06 07:08:09"),
            *("Run ID: 12 | Project: Lantern | Task: T007", "Run 0 not found.", "## Pipeline Position"),
            *("- **Current State**: qa_failed", "- **Your Role**: QA", "## Current Task: T007", "**Title**: a title"),
            *("**Status**: in_progress", "### Acceptance Criteria", "1. something", "## Tasks in This Run"),
            *("- **T001**: one [done] (stage: QA)", "## Previous Agent Work", "### DEV Agent (05-06 01:00)"),
            *("**Status**: pass", "**Summary**: done", "---", "```", "Traceback", "## Recent Git Commits"),
            *("- `1234567a` feat: x", "## Uncommitted Changes", " a/b.py | 3 +", " 1 file changed"),
        ),
        json_paths=(
            *("todo.json", "security_report.json", "bugs.json", "runs/12/report.json", "handoffs/a.json"),
            *("T007/bugs.json",),
        ),
        keys=(
            "from_role to_role stage status report_status summary report task task_id run run_id created_at "
            "completed_at handoffs work_cycles vulnerabilities findings bugs severity title id file line location "
            "total critical project tasks priority blocked_by role agent details commit_hash raw_output "
            "acceptance_criteria name"
        ),
        words=("pass", "fail", "pending", "T007", "high", "a.py:12", "HTTP 502", "DEV", "done"),
        head="# Handoff Context\nRun ID: 12 | Project: Lantern | Task: T007\n",
    ),
    Grammar(
        TDD,
        text_paths=(".tdd-state.yaml", ".tdd.lock", ".tdd-queue.log", "test-list.md", ".handoff/context/a.md"),
        lines=(
            *("phase: RED", "nextPhase: GREEN", "cycle: 2", "agent: test", "t1 TEST RED done -> GREEN"),
            *('{"phase": "RED", "next": "impl"}', "# Test List", "- [x] lights up", "- [ ] dims"),
            *("Handoff-Phase: RED", "Handoff-Cycle: 3", "Next-Agent: IMPL"),
            *("[TEST-AGENT] test: dim | next:IMPL | test_file:tests/a.py", ""),
        ),
        json_paths=(".handoff.json", ".tdd-state.json", ".handoff/current.json", ".handoff/history/1.json"),
        keys=(
            "phase nextPhase cycleNumber currentTest completedTests pendingTests testResult error errorDetails "
            "retryCount next_phase cycle test_file testFile implFile description type message next_agent agent"
        ),
        words=("PLAN", "RED", "green", "PASS", "FAIL", "tests/test_lamp.py", "impl", "2"),
        whole=10,
    ),
    Grammar(
        GSD,
        text_paths=(".planning/.continue-here.md", ".planning/phases/02-lamp/.continue-here.md"),
        lines=(
            *("---", "phase: 02-lamp", "task: 2", "status: in_progress", "<current_state>", "</current_state>"),
            *("<completed_work>", "</completed_work>", "<remaining_work>", "<blockers>", "</blockers>"),
            *("<next_action>", "None", "- Task 2: light `src/lamp.py` in `abc1234`", "  - [x] 3/4 tests passing"),
            *("## Decisions", "```"),
        ),
        json_paths=(".planning/HANDOFF.json", "web/.planning/HANDOFF.json"),
        keys=(
            "version timestamp phase phase_name phase_dir plan task total_tasks status completed_tasks "
            "remaining_tasks blockers human_actions_pending decisions uncommitted_files next_action context_notes id "
            "name commit description type workaround action blocking decision rationale"
        ),
        words=("02", "lamp", "paused", "abc1234", "M src/lamp.py (half done)", "12/12 tests passing", "human_action"),
        whole=17,
    ),
    Grammar(
        PROCEDURE,
        text_paths=("LAMP_REPORT.md", "docs/PHASE_CONTRACT.md"),
        lines=(
            *("# Lamp Report", "**Contract ID**: LAMP-7", "**Status**: ✅ COMPLETED", "**Agent**: Agent-9"),
            *("- **Success Rate**: 95%+", "- **Wiring**: ✅ fine", "## Deliverables", "### ✅ Required Deliverables"),
            *("1. `src/lamp.py` - done", "- [ ] shade", "```"),
        ),
        json_paths=("handoffs/lamp.json", "procedures/lamp.json", "agent_workspaces/a/handoff_1.json"),
        keys=(
            "handoff_id source_phase target_phase source_agent target_agent handoff_type metadata timestamp priority "
            "handoffs contexts procedures executions procedure_id name steps validation_rules rollback_procedures "
            "estimated_duration execution_id session_id status current_state results validation_results rule_id "
            "passed errors timeout retries"
        ),
        words=("H-LAMP", "VR001", "completed", "phase_transition", "high", "PHASE_TRANSITION_STANDARD"),
        whole=30,
    ),
    Grammar(
        NOTES,
        text_paths=(
            *("HANDOFF.md", ".claude/HANDOFF.md", "docs/handoffs/lamp.md", "SESSION_HANDOFF_2031.md"),
            *("handoff-lamp.md", "handoff-lamp.yaml", "docs/handoffs/lamp-qa-decision.md", "docs/FOR_NEXT_AGENT.md"),
            *("docs/handoffs/_TEMPLATE.md",),
        ),
        lines=(
            *("---", "status: done", "branch: lamp/dimmer", "# Session Handoff", "## Status: COMPLETE"),
            *("**Status:** PASS", "**Agent:** Ada", "## Current Session Summary"),
            *("## Previous Session Summary (2031-01-02)", "## Files Created", "## Files Modified/Created"),
            *("| File | Change |", "|---|---|", "| `src/lamp.py` | new |", "- Updated `src/lamp.py` (new)"),
            *("## Blockers", "None", "- the fuse is blown", "## Next Steps", "1. light it", "### Then sleep"),
            *("- [x] done in `abc1234`", "Deployed: https://lamp.test/", "Final verdict: PASS", "12 passed, 1 failed"),
            *(
                "```",
                "**QA Decision:** FAIL",
                "> Superseded by `HANDOFF_9.md`",
                "next_steps:",
                "- one",
                "blockers: [a]",
            ),
        ),
        json_paths=(
            "handoff-lamp.json",
            ".agents/sessions/2031-01-02-session-7.json",
            "docs/handoffs/DECISION-lamp.json",
        ),
        keys=(
            "session status from_agent to_agent completed nextSteps blockers files_changed branch endingCommit workLog "
            "protocolCompliance level Complete summary date decision"
        ),
        words=("MUST", "MUST NOT", "FAIL", "src/lamp.py", "abc1234", "lamp/dim", "heron"),
        whole=6,
    ),
    Grammar(
        CLAUDE,
        json_paths=(".claude/handoff.json", "lamp/.claude/handoff.json", "handoffs/one.json"),
        keys=(
            "feature phase goal scope relevant_files acceptance_criteria verification_commands source_spec "
            "constraints known_risks produced_by timestamp checkpoint_pending"
        ),
        words=("lamp", "docs/lamp.md", "https://github.com/lamp/lamp/issues/1", "clarification"),
        whole=13,
    ),
    Grammar(
        RELAY,
        json_paths=("HANDOFF.json", "old/HANDOFF.json", "handoff-2.json"),
        keys="task status actor changed_files checks open_points next_role name result",
        words=("TASK-001", "pass", "codex", "src/lamp.py", "none"),
        whole=7,
    ),
)

BY_ID = {grammar.format.id: grammar for grammar in GRAMMARS}
_ids = st.text(alphabet="0123456789abcdef", min_size=40, max_size=40)
_texts = BY_ID["tdd"].texts | st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=30)
_commits = st.lists(
    st.builds(build_commit, _ids, _texts, _texts, _texts, st.just("2031-01-01")),
    max_size=4,
    unique_by=lambda one: one.id,
)
_names = st.sampled_from(
    ("refs/tags/handoff/test-agent/cycle-2", "refs/heads/tdd/cycle-3/green-phase", "refs/handoff/x", "refs/notes/tdd-2")
)
_refs = st.lists(st.builds(build_ref, _names | st.text(max_size=20), _ids, _texts), max_size=4)


@st.composite
def repositories(draw: st.DrawFn, files: st.SearchStrategy[dict[str, str]]) -> MemoryFiles:
    """Files beside commits, refs and notes of which some mention handoffs."""
    commits = draw(_commits)
    notes = {commit.id: draw(BY_ID["tdd"].data) for commit in commits if draw(st.booleans())}
    return MemoryFiles(
        draw(files),
        git_commits=tuple(commits),
        git_refs=tuple(draw(_refs)),
        git_notes={"refs/notes/tdd-handoffs": notes, "refs/notes/tdd-2": notes},
    )


def turn_round(shelf: MemoryFiles) -> MemoryFiles:
    """The same repository, read by another process that met its files in another order."""
    files = dict(reversed(shelf.files.items()))
    return MemoryFiles(files, git_commits=shelf.git_commits, git_refs=shelf.git_refs, git_notes=shelf.git_notes)
