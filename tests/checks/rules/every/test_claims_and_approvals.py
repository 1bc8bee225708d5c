"""Claims, problems and approvals of every format."""

from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.every.claims import (
    approvals_are_real,
    claims_hold,
    documents_list_own_changes,
    problems_absent,
)
from handoff_tui.checks.run.check import check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.checks.world import Disagreements
from handoff_tui.core.classes import replace
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.claims.blocking import MEASURED, may_block
from handoff_tui.handoffs.session import open_session
from tests.support.repositories import RepositoryBuilder
from tests.support.world import MemoryWorld, find_subjects, judge

HEAD = "# Handoff\n\n## Status\nReady.\n\n## Next steps\n- row\n\n"

AGENT_STATE = {"last_agent": "heron", "handoff_message": "rowed", "implementation_progress": {}, "current_task": "row"}

SIGNED = ("ingrid@example.org",)
NOTE_CLAIMS = "# Handoff\n\n## Status\nDone, see `src/row.py`.\n\n## Next steps\n- rest\n"
ID = "notes/HANDOFF.md"
_OWN_RULES = {ClaimKind.STATUS, ClaimKind.CHECK}
BROKEN = '{"phase": '
NOTE_PROBLEMS = "# Handoff\n\n## Status\nDone.\n\n## Next steps\n- rest\n"
NAME = "notes/HANDOFF.md"
RULE = "documents-list-own-changes"
TEXT = "# Handoff: lamp\n\nStatus: COMPLETE\n\n## Files changed\n\n{}\n"


def note(text: str) -> MemoryWorld:
    return MemoryWorld({"HANDOFF.md": HEAD + text})


def mosaic(**approval: object) -> MemoryWorld:
    verdict = {"verdict": "APPROVE", "evaluator": "Ingrid Moen", "score": 9, "criteria_results": {}, **approval}
    return MemoryWorld(
        {
            ".mosaic/agent_state.json": json.dumps(AGENT_STATE),
            ".mosaic/gemini_approval.json": json.dumps(verdict, indent=1),
        }
    )


@pytest.mark.parametrize(
    "text",
    [
        "Approved by: Ingrid Moen\n",
        "Review verdict: PASS\n",
        "Approved by: Ingrid Moen (not simulated)\n",
        "Approved by: pending\n\nApproved by: Ingrid Moen\n",
    ],
)
def test_approval_by_a_person_passes(text: str) -> None:
    """A name that the log bears out, or a verdict that nothing contradicts."""
    assert judge(approvals_are_real, replace(note(text), signed=SIGNED)) == []


@pytest.mark.parametrize(("signed", "said"), [(None, "there is no signed log here"), ((), "has no such decision")])
def test_approval_that_nobody_signed_does_not_pass(signed: tuple[str, ...] | None, said: str) -> None:
    """B9: words are claims; the rule says so, and neither passes nor blocks."""
    world = replace(note("Approved by: Ingrid Moen\n"), signed=signed)
    with pytest.raises(NotApplicableError, match=f"says it was approved by Ingrid Moen; .*{said}"):
        judge(approvals_are_real, world)


@pytest.mark.parametrize(
    "text",
    [
        "Approved by: Ingrid Moen (simulated)\n",
        "Approved by: Ingrid Moen\n\nThis approval was backfilled.\n",
        "Review verdict: PASS (auto-closed)\n",
        "Final verdict: APPROVED\n\nThe run was a simulation.\n",
        "Approved by: review-agent\n",
        "**Approved by**: Claude\n",
        "Greenlight: auto\n",
    ],
)
def test_approval_that_nobody_gave_is_found(text: str) -> None:
    """Marked words on it or beside it, and names of agents."""
    found = judge(approvals_are_real, note(text))
    assert len(found) == 1
    assert found[0].place is not None
    assert found[0].place.line


def test_approval_that_says_it_was_simulated_is_found() -> None:
    """Another model's verdict with a note that it was never asked for."""
    world = mosaic(note="Simulated: no API key was set")
    assert {found.actual for found in judge(approvals_are_real, world)} == {"is marked simulated"}


def test_approval_by_a_model_is_found() -> None:
    """The name of an evaluator that is an agent's."""
    [found] = judge(approvals_are_real, mosaic(evaluator="gemini-pro"))
    assert found.actual == "is by gemini-pro, which is not a person"


def test_word_far_from_an_approval_is_no_mark() -> None:
    """A project may be about simulation."""
    world = note("The simulation runs.\n\n\n\n\n\nApproved by: Ingrid Moen\n")
    assert judge(approvals_are_real, replace(world, signed=SIGNED)) == []


def test_results_that_were_backfilled_are_found() -> None:
    """Results written after the fact."""
    results = (
        "# H-7 RESULTS (backfill)\n\n## Status: PASS\n\n## Files Created\n- none\n\n## Test Results\n- Total: 3 tests\n"
        "- Passed: 3\n- Failed: 0\n\n## Full Regression Test\n- Total: 3 tests\n\n## Baseline Snapshot\n- Packages: 1\n"
    )
    assert find_subjects(approvals_are_real, MemoryWorld({"handoffs/H-7/H-7_RESULTS.md": results})) == [
        "H-7 results backfilled"
    ]


def world(kind: ClaimKind, state: VerdictState) -> MemoryWorld:
    claim = Claim(text="as written", kind=kind, where=Place(path="HANDOFF.md", line=4), subject="row", value=12)
    verdict = Verdict(claim=claim, state=state, measured=11, evidence="counted here")
    return MemoryWorld({"HANDOFF.md": NOTE_CLAIMS}, measured={ID: (verdict,)})


def test_kinds_below_the_precision_that_is_asked_for_are_hints() -> None:
    """What was misread too often at the first look, or seen too rarely: a false one blocks nothing."""
    hints = {kind for kind in MEASURED if not may_block(kind)}
    assert hints == {ClaimKind.FILE_REFERENCED, ClaimKind.BRANCH}
    for kind in hints:
        assert list(judge(claims_hold, world(kind, VerdictState.CONTRADICTED))) == []


@pytest.mark.parametrize("kind", sorted(kind for kind in ClaimKind if may_block(kind) and kind not in _OWN_RULES))
def test_claim_that_is_contradicted_is_found(kind: ClaimKind) -> None:
    """With what was claimed and what was measured."""
    [found] = judge(claims_hold, world(kind, VerdictState.CONTRADICTED))
    assert (found.expected, found.actual) == ("12", "11")
    assert found.place == Place(path="HANDOFF.md", line=4)
    assert "counted here" in found.message


@pytest.mark.parametrize("state", [VerdictState.HOLDS, VerdictState.UNVERIFIED])
def test_claim_that_is_not_contradicted_passes(state: VerdictState) -> None:
    """What could not be verified isn't a contradiction."""
    assert judge(claims_hold, world(ClaimKind.COUNT, state)) == []


def test_claims_of_other_handoffs_are_not_judged() -> None:
    """Only what is under review."""
    both = world(ClaimKind.COUNT, VerdictState.CONTRADICTED)
    both.files["docs/HANDOFF.md"] = NOTE_CLAIMS
    assert judge(claims_hold, both, "notes/docs/HANDOFF.md") == []


def test_document_that_cannot_be_read_is_found() -> None:
    """With its place and the reason."""
    [found] = judge(problems_absent, MemoryWorld({".planning/HANDOFF.json": BROKEN}))
    assert found.place is not None
    assert (found.place.path, found.place.line) == (".planning/HANDOFF.json", 1)
    assert "JSON" in found.message


def test_file_that_is_missing_is_found() -> None:
    """A state file that should be there is nobody's document."""
    files = {".mosaic/agent_state.json": '{"last_agent": "x", "handoff_message": "y", "current_task": "z"}'}
    found = judge(problems_absent, MemoryWorld(dict(files)))
    assert {one.place.path for one in found if one.place} == {".mosaic/blockers.json", ".mosaic/current_task.json"}


def test_problems_of_other_handoffs_are_not_judged() -> None:
    """Only what is under review, and what lies beside it."""
    files = {"docs/HANDOFF.md": NOTE_PROBLEMS, ".planning/HANDOFF.json": BROKEN}
    assert judge(problems_absent, MemoryWorld(dict(files)), "notes/docs/HANDOFF.md") == []


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (approvals_are_real, note("Rowing goes on.\n")),
        (claims_hold, MemoryWorld({"HANDOFF.md": "# Handoff\n\n## Next steps\n- rest\n\n## Context\nNone.\n"})),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)


def build_world(**found: object) -> MemoryWorld:
    files = {"HANDOFF.md": "# Handoff: lamp\n\nStatus: COMPLETE\n\n## Next steps\n- more\n", "lamp.py": ""}
    return MemoryWorld(files, disagreeing={NAME: Disagreements(**found)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("world", "message"),
    [
        (build_world(undeclared=("x.py",)), "x.py: changed in its commits, not declared"),
        (build_world(never_changed=("lamp.py",)), "lamp.py: declared, never changed"),
        (
            build_world(never_changed=("lamp.py",), changed_by_others=(("lamp.py", "H-2"),)),
            "lamp.py: declared, last changed by H-2",
        ),
    ],
)
def test_each_disagreement_is_one_finding(world: MemoryWorld, message: str) -> None:
    """A path is told once."""
    assert [found.message for found in judge(documents_list_own_changes, world)] == [f"{NAME}: {message}"]


def test_file_that_is_not_there_is_another_rules_business() -> None:
    """A claim about a missing file is false, and that is said already."""
    assert judge(documents_list_own_changes, build_world(never_changed=("missing.py",))) == []


def test_very_many_are_counted() -> None:
    """Twenty by name, one finding for the rest."""
    many = tuple(f"{number:05}.py" for number in range(50_000))
    found = judge(documents_list_own_changes, build_world(undeclared=many))
    assert (len(found), found[-1].message) == (21, f"{NAME}: 49,980 more files: changed in its commits, not declared")


def test_shallow_clone_cannot_tell() -> None:
    """Changes may lie before its end."""
    world = build_world(undeclared=("x.py",))
    world.repository = world.repository.model_copy(update={"shallow": True})
    with pytest.raises(NotApplicableError):
        judge(documents_list_own_changes, world)


def test_real_repository_is_compared_and_nothing_blocks(builder: RepositoryBuilder) -> None:
    """A commit that names the handoff changes one listed file and one more."""
    name = "notes/docs/handoffs/a-1.md"
    builder.write("README", "x\n").commit("before")
    builder.write("lamp.py", "1\n").write("extra.py", "1\n")
    builder.write("docs/handoffs/a-1.md", TEXT.format("- `lamp.py` (created)"))
    builder.commit(f"lamp\n\nHandoff: {name}")
    report = check(open_session(builder.folder), CheckRequest(only=(RULE,)))
    (result,) = report.results
    told = {finding.message for finding in result.findings}
    assert f"{name}: extra.py: changed in its commits, not declared" in told
    assert not any("lamp.py" in message for message in told)
    assert not result.blocking
