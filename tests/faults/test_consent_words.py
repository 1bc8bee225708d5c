"""Words in documents are claims: no spelling makes a gate easier, and no approval counts that nobody signed."""

from __future__ import annotations

import pytest

from handoff_tui.core.text.safe_text import fold_lookalikes, passes_for, render_safe
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.signed import Person

_TWO = '[gates."*"]\nthreshold = 1\n\n[gates.deploy]\nthreshold = 2\nmax_age_days = 30\n'


def write_document(desk: GateDesk, text: str) -> None:
    desk.builder.write("HANDOFF.md", f"# Handoff: adding\n\nStatus: COMPLETE\n{text}\n").commit("a document")


@pytest.mark.parametrize(
    "phase",
    [
        "deploy",
        "Deploy",
        "deploy\u200b",
        "\u200bdeploy",
        "de\u2060ploy",
        "depl\u043ey",
        "\u0501eploy",
        "depl\u014dy",
        "\uff44eploy",
        "dep1oy",
        "deploy-notes",
        "deploy_notes",
        "deploy notes",
    ],
)
def test_lookalike_phase_meets_the_strictest_gate(gate_desk: GateDesk, phase: str) -> None:
    """B15: one approval is not enough where two are due, however the phase is spelled."""
    bo, cy = gate_desk.person("bo"), gate_desk.person("cy")
    gate_desk.begin(bo, cy, gates=_TWO)
    write_document(gate_desk, f"Phase: {phase}")
    gate_desk.decide(bo, "approve")
    one = gate_desk.gate(bo)
    assert (one.code, one.json["state"], one.json["threshold"]) == (1, "pending", 2), one.stdout
    if phase.casefold() != "deploy" and one.json["phase"] != "deploy":
        told = one.stdout + gate_desk.speaking(bo, "status", "--repo", gate_desk.root, "--json").stdout
        assert "could be taken for deploy" in told or "look-alike letters" in told
    gate_desk.decide(cy, "approve")
    assert gate_desk.gate(bo).json["state"] == "approved"


@pytest.mark.parametrize("phase", ["build", "redeploy", "deployment", "pre-deploy"])
def test_other_phases_meet_the_gate_for_all(gate_desk: GateDesk, phase: str) -> None:
    """B15: a phase that nobody would take for deploy is as it was."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo, gates=_TWO)
    write_document(gate_desk, f"Phase: {phase}")
    gate_desk.decide(bo, "approve")
    assert gate_desk.gate(bo).json["state"] == "approved"


def test_gate_of_its_own_is_no_lookalike(gate_desk: GateDesk) -> None:
    """B15: what the signed policy names has the gate that it names."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo, gates=f"{_TWO}\n[gates.deploy-notes]\nthreshold = 1\n")
    write_document(gate_desk, "Phase: deploy-notes")
    gate_desk.decide(bo, "approve")
    assert gate_desk.gate(bo).json["state"] == "approved"


def test_names_are_folded_only_if_all_of_them_look_like_ascii() -> None:
    """B15: words of other languages stay what they are."""
    assert fold_lookalikes("Pr\u00fcfung") == "Pr\u00fcfung"
    assert fold_lookalikes("\u0440\u0435\u043b\u0438\u0437") == "\u0440\u0435\u043b\u0438\u0437"
    assert fold_lookalikes("\u041d-9") == "H-9"
    assert not passes_for("review", "release")


def test_id_in_other_letters_is_listed(gate_desk: GateDesk) -> None:
    """B19: a document whose id has a Cyrillic letter is listed, and reported."""
    bo = gate_desk.person("bo")
    path = "handoffs/\u041d-9/\u041d-9_RESULTS.md"
    gate_desk.builder.write(path, "# \u041d-9 Results\n\nStatus: COMPLETE\n").commit("more")
    said = gate_desk.speaking(bo, "status", "--repo", gate_desk.root, "--json").json
    assert any("-9_RESULTS.md" in one["id"] for one in said["handoffs"]) or path in said["unknown"]
    assert any("looks like handoffs/H-9/H-9_RESULTS.md" in problem["message"] for problem in said["problems"])


def test_only_a_commit_or_a_submission_ends_a_rejection(gate_desk: GateDesk) -> None:
    """B16: neither a count in a document or note, nor an uncommitted line, makes it pending again."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "reject", "--reason", "no tests")
    gate_desk.builder.git("notes", "add", "-m", '{"retryCount": 3, "attempt": 4}', "HEAD")
    assert gate_desk.gate(bo).json["state"] == "rejected"
    gate_desk.builder.write("HANDOFF.md", "# Handoff: adding\n\nAttempt: 4\nretryCount: 3\nStatus: COMPLETE\n\n\n")
    gate_desk.builder.write("src/app.py", CODE + "\n")
    assert gate_desk.gate(bo).json["state"] == "rejected"
    gate_desk.change(CODE + "# tested\n")
    assert gate_desk.gate(bo).json["state"] == "pending"


def test_retry_count_of_a_note_ends_no_rejection(gate_desk: GateDesk) -> None:
    """B16: the note that a TDD handoff is written in may count what it likes."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    add_note(gate_desk, 0)
    words = ("gate", "TDD-1", "--repo", gate_desk.root, "--json")
    digest = gate_desk.speaking(bo, *words).json["subject"]["digest"]
    decide = ("decide", "reject", "TDD-1", "--repo", gate_desk.root, "--subject", digest, "--reason", "no", "--json")
    assert gate_desk.speaking(bo, *decide).code == 0
    add_note(gate_desk, 3)
    assert gate_desk.speaking(bo, *words).json["state"] == "rejected"


def add_note(desk: GateDesk, retries: int) -> None:
    text = f'{{"phase": "RED", "nextPhase": "GREEN", "cycle": 1, "retryCount": {retries}, "testsPassing": false}}'
    desk.builder.git("notes", "--ref", "handoff", "add", "-f", "-m", text, "HEAD")


@pytest.mark.parametrize("blank", ["\u2800", "\u3164", "\u115f", "\U0001d159"])
def test_blank_looking_characters_are_shown(blank: str) -> None:
    """C1: a character that looks like nothing is shown by its number."""
    assert render_safe(f"a{blank}b") == f"a⟨U+{ord(blank):04X}⟩b"


def test_words_of_approval_are_claims(gate_desk: GateDesk) -> None:
    """B9: "Approved by" in a document passes no rule; a signed entry does, and the claim is named until then."""
    bo = gate_desk.person("bo")
    write_document(gate_desk, "Approved by: Marit Holm")
    assert judge_approvals(gate_desk, bo) == (
        "not-applicable",
        f"{HANDOFF} says it was approved by Marit Holm; there is no signed log here",
    )
    gate_desk.begin(bo)
    assert judge_approvals(gate_desk, bo) == (
        "not-applicable",
        f"{HANDOFF} says it was approved by Marit Holm; the signed log has no such decision",
    )
    assert gate_desk.decide(bo, "approve").code == 0
    assert judge_approvals(gate_desk, bo)[0] == "pass"


def test_validated_in_a_registry_opens_no_gate(gate_desk: GateDesk) -> None:
    """B11: a registry that says VALIDATED leaves the gate as it is."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    table = "# Registry\n\n| ID | Status |\n|---|---|\n| H-1 | VALIDATED |\n"
    gate_desk.builder.write("handoffs/REGISTRY.md", table)
    gate_desk.builder.write("handoffs/H-1/H-1_RESULTS.md", "# H-1 Results\n\n## Status: VALIDATED\n").commit("more")
    said = gate_desk.speaking(bo, "gate", "H-1", "--repo", gate_desk.root, "--json")
    assert (said.code, said.json["state"]) == (1, "pending")


def judge_approvals(desk: GateDesk, person: Person) -> tuple[str, str]:
    said = desk.speaking(person, "check", "--repo", desk.root, "--json", "--fresh").json
    [result] = [one for one in said["results"] if one["id"] == "approvals-are-real"]
    return result["outcome"], result["summary"]
