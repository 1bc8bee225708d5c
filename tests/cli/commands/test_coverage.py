"""`coverage` as CI and people call it: states, exit codes, blame, and gates that ask for it."""

from __future__ import annotations

import shutil

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.command_line import InProcess, Said
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person


def cover(desk: GateDesk, person: Person, *words: str) -> Said:
    return desk.speaking(person, "coverage", *words, "--repo", desk.root, "--json")


def list_states(said: Said) -> dict[str, str]:
    return {file["path"]: file["state"] for file in said.json["files"]}


def test_approval_covers_the_files_of_its_handoff(gate_desk: GateDesk) -> None:
    """Waiting before it, approved after it with the entry, waiting again once a file is edited."""
    bo = gate_desk.person("bo")
    assert (cover(gate_desk, bo).code, set(list_states(cover(gate_desk, bo)).values())) == (1, {"waiting"})
    gate_desk.begin(bo)
    waiting = cover(gate_desk, bo)
    assert (waiting.code, waiting.json["counts"]["waiting"], waiting.json["complete"]) == (1, 2, False)
    entry = gate_desk.decide(bo, "approve").json["entry"]
    approved = cover(gate_desk, bo)
    assert (approved.code, approved.json["schema"]) == (ExitCode.OK, "handoff-tui/coverage/v1")
    assert (approved.json["complete"], approved.json["since"]) == (True, None)
    assert approved.json["files"][1] == {
        "path": "src/app.py",
        "state": "approved",
        "handoffs": [HANDOFF],
        "covered_by": [{"entry": entry, "principal": bo.email, "handoff": HANDOFF}],
    }
    gate_desk.builder.write("src/app.py", CODE + "# edited\n")
    assert cover(gate_desk, bo).code == ExitCode.BLOCKED


@pytest.mark.parametrize(
    ("verb", "state", "code"), [("override", "overridden", 0), ("reject", "rejected", 1), ("hold", "waiting", 1)]
)
def test_other_decisions_have_states_of_their_own(
    gate_desk: GateDesk, bo: Person, verb: str, state: str, code: int
) -> None:
    """An override covers, a rejection does not."""
    assert gate_desk.decide(bo, verb, "--reason", "so it is").code == 0
    said = cover(gate_desk, bo)
    assert (said.code, set(list_states(said).values())) == (code, {state})


def test_page_has_one_bar_and_the_worst_first(gate_desk: GateDesk, bo: Person) -> None:
    """Unclaimed work before what is approved, with who approved it."""
    gate_desk.decide(bo, "approve")
    gate_desk.builder.write("stray.txt", "who wrote this?\n")
    said = gate_desk.speaking(bo, "coverage", "--repo", gate_desk.root)
    assert said.stdout.startswith("2 of 3 changed files approved  since the first commit\n")
    assert "█ 2 approved · ░ 1 unclaimed" in said.stdout
    assert said.stdout.index("stray.txt") < said.stdout.index(f"src/app.py  {HANDOFF}  {bo.email} sha256:")


def test_lines_are_blamed_on_their_decisions(gate_desk: GateDesk, bo: Person) -> None:
    """An uncommitted line is nobody's yet, or its handoff's again; the others stay approved."""
    gate_desk.decide(bo, "approve")
    assert cover(gate_desk, bo, "src/app.py").code == ExitCode.OK
    gate_desk.builder.write("stray.txt", "one\ntwo")
    said = cover(gate_desk, bo, "stray.txt")
    assert (said.code, said.json["state"]) == (ExitCode.BLOCKED, "unclaimed")
    assert [(one["first"], one["last"], one["commit"], one["state"]) for one in said.json["regions"]] == [
        (1, 2, None, "unclaimed")
    ]
    gate_desk.builder.write("src/app.py", CODE + "# edited\n")
    said = cover(gate_desk, bo, "src/app.py")
    assert [(one["first"], one["last"], one["commit"]) for one in said.json["regions"]] == [
        (1, 6, gate_desk.builder.head()),
        (7, 7, None),
    ]
    page = gate_desk.speaking(bo, "coverage", "src/app.py", "--repo", gate_desk.root).stdout
    assert "uncommitted" in page.splitlines()[-1]


def test_log_that_is_not_intact_covers_nothing(gate_desk: GateDesk) -> None:
    """With a code of its own, for the repository and for a file."""
    bo = gate_desk.person("bo")
    genesis = gate_desk.begin(bo)
    gate_desk.decide(bo, "approve")
    shutil.rmtree(gate_desk.root / ".handoff-tui/log" / genesis.removeprefix("sha256:")[:2])
    said = cover(gate_desk, bo)
    assert (said.code, said.json["complete"], bool(said.json["problems"])) == (ExitCode.INTEGRITY, False, True)
    assert cover(gate_desk, bo, "src/app.py").code == ExitCode.INTEGRITY


def test_since_counts_what_a_branch_adds(gate_desk: GateDesk) -> None:
    """Not what the other branch has, although it went on meanwhile."""
    bo, builder = gate_desk.person("bo"), gate_desk.builder
    builder.step("checkout", "-q", "-b", "feature").write("mine.txt").commit()
    builder.step("checkout", "-q", "main").write("theirs.txt").commit().step("checkout", "-q", "feature")
    said = cover(gate_desk, bo, "--since", "main")
    assert list_states(said) == {"mine.txt": "unclaimed"}
    assert said.json["since"] == builder.head("main")
    assert cover(gate_desk, bo, "--since", "HEAD").code == ExitCode.OK


def test_start_line_ends_what_must_be_approved(gate_desk: GateDesk) -> None:
    """A policy draws it; what lies before is history, and --since can look behind it."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo, start_line=gate_desk.builder.head())
    said = cover(gate_desk, bo)
    assert (said.code, said.json["files"], said.json["since"]) == (0, [], gate_desk.builder.head())
    region = cover(gate_desk, bo, "src/app.py").json["regions"][0]
    assert (region["state"], region["last"]) == (None, 6)


def test_first_commits_count_once_there_is_a_policy(gate_desk: GateDesk) -> None:
    """A merge can bring a history of its own: nobody has approved it. Without a line, all of history counts."""
    bo, builder = gate_desk.person("bo"), gate_desk.builder
    gate_desk.begin(bo, start_line=builder.head())
    builder.step("checkout", "-q", "--orphan", "other").step("rm", "-q", "-rf", ".").write("x.c").commit("other")
    builder.step("checkout", "-q", "main").step("merge", "-q", "--allow-unrelated-histories", "-m", "import", "other")
    said = cover(gate_desk, bo)
    assert (said.code, list_states(said)) == (ExitCode.BLOCKED, {"x.c": "unclaimed"})


def test_all_of_history_counts_without_a_start_line(gate_desk: GateDesk) -> None:
    """Also what the first commit brought, if no report is in it."""
    bo, builder = gate_desk.person("bo"), gate_desk.builder
    builder.step("checkout", "-q", "--orphan", "other").step("rm", "-q", "-rf", ".").write("a.py").commit("a beginning")
    assert list_states(cover(gate_desk, bo)) == {}
    gate_desk.begin(bo)
    assert list_states(cover(gate_desk, bo)) == {"a.py": "unclaimed"}


@pytest.mark.parametrize(
    "words",
    [("--since", "nowhere"), ("src/none.py",), ("src",), ("../out",), (".handoff-tui/x",), ("a", "--since", "HEAD")],
)
def test_wrong_names_are_usage_errors(gate_desk: GateDesk, words: tuple[str, ...]) -> None:
    """A commit that is not there, a path that isn't a file of the repository."""
    said = cover(gate_desk, gate_desk.person("bo"), *words)
    assert (said.code, said.stdout, "hint" in said.stderr) == (ExitCode.USAGE, "", True)


def test_repository_without_commits_has_coverage(builder: RepositoryBuilder, say: InProcess) -> None:
    """Nothing is approved, and nothing breaks."""
    assert say("coverage", "--repo", builder.folder).code == ExitCode.OK
    builder.write("a.txt", "one\n")
    said = say("coverage", "--repo", builder.folder, "--json")
    assert (said.code, list_states(said)) == (ExitCode.BLOCKED, {"a.txt": "unclaimed"})
    assert say("coverage", "a.txt", "--repo", builder.folder, "--json").json["regions"][0]["commit"] is None
    assert say("coverage", "--since", "HEAD", "--repo", builder.folder).code == ExitCode.USAGE


def test_deleted_file_has_a_state_and_no_lines(builder: RepositoryBuilder, say: InProcess) -> None:
    """Somebody has to approve that it is gone."""
    builder.write("a").write("b").commit().write("c").commit().place("a").unlink()
    said = say("coverage", "a", "--repo", builder.folder, "--json")
    assert (said.code, said.json["state"], said.json["regions"]) == (ExitCode.BLOCKED, "unclaimed", [])


def test_gate_that_needs_coverage_names_what_is_missing(gate_desk: GateDesk) -> None:
    """It waits for the work of others, not for its own approval; an approval given meanwhile counts afterwards."""
    bo, builder = gate_desk.person("bo"), gate_desk.builder
    gate_desk.begin(bo, gates='[gates."*"]\nbinds = "tree"\nrequire_coverage = true\n')
    assert gate_desk.gate(bo).json["state"] == "pending"
    builder.write("stray.txt", "who wrote this?\n")
    blocked = gate_desk.gate(bo).json
    assert blocked["state"] == "blocked"
    assert blocked["why"] == [
        "this gate needs every change approved; 1 changed file is not approved: stray.txt (unclaimed)"
    ]
    assert gate_desk.decide(bo, "approve").json["gate"]["state"] == "blocked"
    [row] = gate_desk.speaking(bo, "status", "--repo", gate_desk.root, "--json").json["handoffs"]
    assert (row["gate"]["state"], row["gate"]["next_move"]["who"]) == ("blocked", "reviewer")
    builder.place("stray.txt").unlink()
    assert gate_desk.gate(bo).json["state"] == "approved"
    assert cover(gate_desk, bo).code == ExitCode.OK
