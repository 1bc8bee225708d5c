from __future__ import annotations

import json

from handoff_tui.core.place import Place, Problem
from handoff_tui.core.tasks import Fact, Task, TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.handoff import ClaimedBaseline, Document, DocumentRole, Handoff, Heading
from handoff_tui.status.review_state import Reviewer, Revision, ShownHandoff
from handoff_tui.status.show_page import build_show_json, count_verdicts
from tests.support.reviewed import build_reviewed

PLACE = Place(path="RESULTS.md", line=7)
HASH = "sha256:" + "ab" * 32


def verdict(
    kind: ClaimKind, state: VerdictState, *, subject: str | None = None, value: str | int | None = None
) -> Verdict:
    claim = Claim(text="as written", kind=kind, where=PLACE, subject=subject, value=value)
    return Verdict(claim=claim, state=state, measured="measured", evidence="looked")


def as_read_by_a_script(shown: ShownHandoff) -> dict[str, object]:
    """The JSON after a trip through text, as a script gets it."""
    read: dict[str, object] = json.loads(json.dumps(build_show_json(shown)))
    return read


def test_show_json_of_an_empty_handoff_has_every_field() -> None:
    """What was not read is null or an empty list, never absent."""
    read = as_read_by_a_script(ShownHandoff(reviewed=build_reviewed()))
    counts = dict.fromkeys(("total", "passed", "failed", "skipped", "command"))
    assert read["schema"] == "handoff-tui/show/v1"
    assert read["tests"] == {"package": counts, "regression": counts}
    assert read["baseline"] == {"packages": None, "tests": None}
    assert read["sections"] == {"present": [], "missing": [], "by_document": {}}
    absent = (
        "title",
        "status_claimed",
        "phase",
        "next_phase",
        "created",
        "message",
        "greenlit",
        "reviewer",
        "registry",
    )
    assert {name: read[name] for name in absent} == dict.fromkeys(absent)
    lists = ("documents", "attempts", "tasks", "findings", "proofs", "blockers", "packages", "questions", "facts")
    more = ("hashes", "claims", "history", "problems", "producers", "blocked_by")
    assert {name: read[name] for name in (*lists, *more)} == {name: [] for name in (*lists, *more)}


def test_show_json_has_claims_beside_measurements() -> None:
    """Each with its place; hashes are also a list of their own, and the one before the work is marked."""
    verdicts = (
        verdict(ClaimKind.HASH, VerdictState.HOLDS, subject="a.py", value=HASH),
        verdict(ClaimKind.HASH_BEFORE, VerdictState.UNVERIFIED, subject="a.py", value=HASH),
        verdict(ClaimKind.COUNT, VerdictState.CONTRADICTED, subject="package.total", value=9),
    )
    read = as_read_by_a_script(ShownHandoff(reviewed=build_reviewed(), verdicts=verdicts))
    assert read["hashes"] == [
        {
            "path": "a.py",
            "claimed": HASH,
            "measured": "measured",
            "verdict": state,
            "before": before,
            "evidence": "looked",
        }
        for state, before in (("holds", False), ("unverified", True))
    ]
    claims = read["claims"]
    assert isinstance(claims, list)
    assert claims[2] == {
        "text": "as written",
        "kind": "count",
        "where": {"path": "RESULTS.md", "line": 7},
        "subject": "package.total",
        "claimed": 9,
        "measured": "measured",
        "verdict": "contradicted",
        "evidence": "looked",
    }
    assert len(claims) == 3


def test_show_json_keeps_the_sections_of_documents_apart() -> None:
    """All in one list, and by document."""
    documents = (
        Document(
            path="a.md", role=DocumentRole.SPEC, sections=(Heading(title="Mission", line=1),), missing=("Test Plan",)
        ),
        Document(
            path="b.md",
            role=DocumentRole.RESULTS,
            sections=(Heading(title="Status", line=3),),
            out_of_order=("Status",),
        ),
    )
    read = as_read_by_a_script(
        ShownHandoff(reviewed=build_reviewed(Handoff(id="H-1", dialect="builder", documents=documents)))
    )
    assert read["sections"] == {
        "present": ["Mission", "Status"],
        "missing": ["Test Plan"],
        "by_document": {
            "a.md": {"present": ["Mission"], "missing": ["Test Plan"], "out_of_order": []},
            "b.md": {"present": ["Status"], "missing": [], "out_of_order": ["Status"]},
        },
    }


def test_show_json_has_what_the_handoff_carries() -> None:
    """Numbers, tasks, facts, history, reviewer and problems in the shape of the model."""
    handoff = Handoff(
        id="H-1",
        dialect="builder",
        tests=TestCounts(total=4, passed=3, failed=1),
        regression=TestCounts(total=9),
        baseline=ClaimedBaseline(packages=3, tests=90),
        tasks=(Task(id="T-1", title="light", where=PLACE, done=True),),
        facts=(Fact(name="platform", value="lamp"),),
    )
    shown = ShownHandoff(
        reviewed=build_reviewed(handoff),
        history=(Revision(commit="c" * 40, author="Ada", date="2031-01-02T03:04:05Z", subject="Light"),),
        reviewer=Reviewer(name="Ada", email=None, produced_this=True),
        problems=(Problem(path="a.md", message="is empty"),),
    )
    read = as_read_by_a_script(shown)
    assert read["tests"] == {
        "package": {"total": 4, "passed": 3, "failed": 1, "skipped": None, "command": None},
        "regression": {"total": 9, "passed": None, "failed": None, "skipped": None, "command": None},
    }
    assert read["baseline"] == {"packages": 3, "tests": 90}
    assert read["tasks"] == [handoff.tasks[0].model_dump(mode="json")]
    assert read["facts"] == [{"name": "platform", "value": "lamp", "where": None}]
    assert read["history"] == [shown.history[0].model_dump(mode="json")]
    assert read["reviewer"] == {"name": "Ada", "email": None, "produced_this": True}
    assert read["problems"] == [{"path": "a.md", "line": None, "message": "is empty", "level": "error"}]


def test_show_json_drops_no_field_of_a_handoff() -> None:
    """Every field of the model is shown, under its own name or under the one that was promised."""
    renamed = {
        "status": "status_claimed",
        "source_phase": "phase",
        "target_phase": "next_phase",
        "regression": "tests",
    }
    shown = build_show_json(ShownHandoff(reviewed=build_reviewed()))
    assert {renamed.get(name, name) for name in Handoff.model_fields} <= shown.keys()


def test_verdicts_are_counted_by_state() -> None:
    """A state that no claim has is there with nothing."""
    verdicts = tuple(
        verdict(ClaimKind.COMMIT, state)
        for state in (VerdictState.HOLDS, VerdictState.CONTRADICTED, VerdictState.HOLDS)
    )
    assert count_verdicts(verdicts) == {
        VerdictState.HOLDS: 2,
        VerdictState.CONTRADICTED: 1,
        VerdictState.UNVERIFIED: 0,
    }
