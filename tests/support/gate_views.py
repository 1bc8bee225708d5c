"""Gates and decisions put together by hand, for tests of what is shown."""

from __future__ import annotations

from typing import Any

from handoff_tui.decisions.views import DecisionView, GateView
from handoff_tui.log.entry import Decision, DecisionVerb, Entry, EntryKind, Subject
from handoff_tui.log.gates.gate_state import Approval, GateName, GateReport
from handoff_tui.log.review_record import Comment, ReviewRecord, ShownCheck, ShownClaim

SUBJECT = Subject(
    commit="1" * 40, tree="2" * 40, baseline="3" * 64, snapshot="4" * 64, checks="5" * 64, handoff="6" * 64
)
POLICY = "sha256:" + "7" * 64
APPROVAL = Approval(
    entry="sha256:" + "8" * 64, principal="bo@x", verb="approve", time="2026-01-02T03:04:05Z", counted=True
)
RECORD = ReviewRecord(
    handoff="H-1",
    phase="build",
    attempt=2,
    subject=SUBJECT,
    checks=(
        ShownCheck(id="tests", outcome="pass", severity="high", blocking=True),
        ShownCheck(id="style", outcome="fail", severity="low", blocking=False, summary="3 lines are too long"),
    ),
    claims={"holds": 4, "contradicted": 1, "unverified": 0},
    contradicted=(ShownClaim(text="12 tests", where="RESULTS.md:4", measured="11"),),
    differences={"files": 3, "unexplained": 1},
    comments=(Comment(text="first\nsecond", path="a.py", line=3, end_line=5), Comment(text="all in all")),
    viewed=("a.py", "b.py"),
)


def build_gate_view(report: dict[str, Any] | None = None, **changes: Any) -> GateView:  # noqa: ANN401 - any field
    fields: dict[str, Any] = {
        "handoff": "H-1",
        "phase": "build",
        "attempt": 2,
        "state": GateName.PENDING,
        "why": ("1 of 2 approvals",),
        "threshold": 2,
        "approvals": (APPROVAL,),
        "policy": POLICY,
    }
    view: dict[str, Any] = {
        "report": GateReport(**{**fields, **(report or {})}),
        "digest": "sha256:" + "9" * 64,
        "subject": SUBJECT,
        "baseline_reason": "The last approved baseline on this branch",
        "checks_passed": 7,
        "checks_total": 9,
        "failing": ("tests",),
        "warnings": 1,
        "producers": ("ada@x", "robot"),
    }
    return GateView(**{**view, **changes})


def build_decision_view(**changes: Any) -> DecisionView:  # noqa: ANN401 - any field
    view: dict[str, Any] = {
        "gate": build_gate_view(),
        "verb": "reject",
        "reason": "no tests\nfor the empty table",
        "referenced_entries": ("sha256:" + "8" * 64,),
        "record": RECORD,
        "review": "a" * 64,
        "principal": "cy@x",
        "keyid": "SHA256:abc",
        "key_source": "user.signingkey",
        "policy": POLICY,
        "notes": ("there is uncommitted work",),
    }
    return DecisionView(**{**view, **changes})


def build_entry(verb: str = "approve") -> Entry:
    decision = Decision(verb=DecisionVerb(verb), reason="because", regards=(), review="a" * 64)
    return Entry(
        id="sha256:" + "b" * 64,
        kind=EntryKind.DECISION,
        actor="cy@x",
        seq=3,
        time="2026-01-02T03:04:05Z",
        parents=(POLICY,),
        decision=decision,
    )
