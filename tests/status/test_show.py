"""The state of a repository, and one handoff in full."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.core.errors import HandoffNotFoundError
from handoff_tui.core.place import Place, Problem, Severity
from handoff_tui.core.tasks import (
    Attempt,
    Blocker,
    Fact,
    Package,
    Proof,
    ProofKind,
    Question,
    ReportedFinding,
    Task,
    TestCounts,
)
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.handoff import ClaimedBaseline, Document, DocumentRole, Handoff, RegistryState
from handoff_tui.handoffs.session import open_session, open_session_to_look
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.refresh import refresh, refresh_all
from handoff_tui.status.review_state import Reviewer, ReviewState, Revision, ShownHandoff, ShownScope
from handoff_tui.status.show import show
from handoff_tui.status.show_page import build_show_json, build_show_page
from tests.support.desk_states import build_reviewed, find_section, list_lines
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import make_log, make_person

NOTE = "# Handoff\n\n**Status**: done\n\n## Files created\n\n- `a.py`\n- `b.py`\n\n## Next steps\n\n- go\n"

ID = "notes/HANDOFF.md"


def refreshed(folder: Path) -> ReviewState:
    return refresh(open_session(folder), CheckAgain())


def test_refresh_reads_every_handoff_with_its_claims_counted(builder: RepositoryBuilder) -> None:
    """One file of the two that are claimed is there; what could not be measured is counted apart."""
    builder.write("HANDOFF.md", NOTE).write("a.py").commit()
    [reviewed] = refreshed(builder.folder).handoffs
    assert reviewed.handoff.id == ID
    assert (reviewed.claims.holds, reviewed.claims.contradicted) == (1, 1)
    assert sum(reviewed.claims.model_dump().values()) == len(reviewed.handoff.claims)
    assert any("b.py" in reason for reason in reviewed.gate.blocking)


def test_refresh_sees_what_changed_since(builder: RepositoryBuilder) -> None:
    """A new desk, a new state; the same desk, the same state, whatever its generation."""
    builder.write("HANDOFF.md", NOTE).write("a.py").commit()
    desk = open_session(builder.folder)
    first = refresh(desk, CheckAgain(), generation=1)
    assert refresh(desk, CheckAgain(), generation=2) == first.model_copy(update={"generation": 2})
    builder.write("b.py")
    [reviewed] = refreshed(builder.folder).handoffs
    assert (reviewed.claims.holds, reviewed.claims.contradicted) == (2, 0)


def test_refresh_tells_of_the_repository(builder: RepositoryBuilder) -> None:
    """Facts of git, candidates nobody understood, problems of files."""
    builder.write("a.py").commit().write("a.py", "changed\n").write("handoff.yaml", "kind: other\n")
    builder.write(".mosaic/agent_state.json", "{")
    state = refreshed(builder.folder)
    assert (state.repository.head, state.repository.changed) == (builder.head(), ("a.py",))
    assert state.unknown == ("handoff.yaml",)
    assert ".mosaic/agent_state.json" in {problem.path for problem in state.problems}


def test_gate_is_pending_whatever_lies_in_the_place_of_the_log(builder: RepositoryBuilder) -> None:
    """Garbage there decides nothing, and closes nothing."""
    builder.write("HANDOFF.md", NOTE).write("a.py").write("b.py").commit()
    assert refreshed(builder.folder).handoffs[0].gate.state is GateName.PENDING
    builder.write(".handoff-tui/log/entry")
    assert refreshed(builder.folder).handoffs[0].gate.state is GateName.PENDING


def test_gate_is_blocked_where_the_log_is_broken(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A log that this clone has seen, and that was deleted, closes every gate."""
    builder.write("HANDOFF.md", NOTE).write("a.py").write("b.py").commit()
    make_log(builder.folder, make_person(tmp_path / "people"))
    shutil.rmtree(builder.folder / ".handoff-tui")
    [reviewed] = refreshed(builder.folder).handoffs
    assert reviewed.gate.state is GateName.BLOCKED
    assert "not intact" in reviewed.gate.blocking[0]


def test_settings_that_cannot_be_used_close_every_gate_and_hide_nothing(builder: RepositoryBuilder) -> None:
    """Each handoff is listed; the problem names its line, and a person owes its repair."""
    builder.write("HANDOFF.md", NOTE).write("a.py").write("b.py").commit()
    builder.write("handoff-tui.toml", "[limits]\ncommits = 7\ncomits = 8\n")
    state = refresh(open_session_to_look(builder.folder), CheckAgain())
    [reviewed] = state.handoffs
    assert reviewed.gate.state is GateName.BLOCKED
    assert reviewed.gate.blocking[0].startswith("its settings can't be used: handoff-tui.toml:3: ")
    assert (reviewed.gate.next_move.who, reviewed.gate.next_move.what) == (Mover.HUMAN, "fix handoff-tui.toml")
    assert (state.problems[0].path, state.problems[0].line) == ("handoff-tui.toml", 3)


def test_unreadable_document_blocks_its_handoff(builder: RepositoryBuilder) -> None:
    """Nobody can approve what nobody can read."""
    builder.write("RESULTS_HANDOFF_7.md", b"\x00\x01\x02" * 100)
    [reviewed] = refreshed(builder.folder).handoffs
    assert reviewed.handoff.id == "H-7"
    assert any("binary" in reason for reason in reviewed.gate.blocking)


@pytest.mark.parametrize(("files", "told"), [(3, 3), (25, 21)])
def test_changes_that_git_was_told_to_hide_come_first(builder: RepositoryBuilder, files: int, told: int) -> None:
    """Each by its path; of very many the rest is counted."""
    names = [f"file-{number:02}.txt" for number in range(files)]
    for name in names:
        builder.write(name)
    builder.commit()
    builder.git("update-index", "--assume-unchanged", *names)
    problems = refreshed(builder.folder).problems
    assert len(problems) == told
    assert problems[0].path == "file-00.txt"
    assert all("told not to look" in problem.message for problem in problems)
    assert ("5 more files" in problems[-1].message) is (files == 25)


def test_refresh_writes_nothing(builder: RepositoryBuilder) -> None:
    """Looking leaves every byte and time stamp as it was."""
    builder.write("HANDOFF.md", NOTE).write("a.py").commit().write("b.py")
    before = read_fingerprint(builder.folder)
    refreshed(builder.folder)
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


AGENT_NOTE = (
    "# Handoff\n\n**Status**: done\n**Agent**: heron\n\n## Files created\n\n- `a.py`\n\n## Next steps\n\n- go\n"
)


@pytest.fixture
def noted(builder: RepositoryBuilder) -> RepositoryBuilder:
    return (
        builder.write("HANDOFF.md", AGENT_NOTE)
        .commit("first")
        .write("HANDOFF.md", AGENT_NOTE + "- on\n")
        .commit("second")
    )


def shown_in(folder: Path, wanted: str = "notes/HANDOFF.md") -> ShownHandoff:
    desk = open_session(folder)
    return show(desk, refresh_all(desk, CheckAgain()), wanted)


@pytest.mark.parametrize(("name", "produced"), [("Heron", True), ("Ada", False)])
def test_reviewer_who_produced_it_is_told(
    noted: RepositoryBuilder,
    isolated_user: Path,
    name: str,
    produced: bool,  # noqa: FBT001
) -> None:
    """The name in the user's own configuration, whatever the repository says of it."""
    (isolated_user / "gitconfig").write_text(f"[user]\n\tname = {name}\n", encoding="utf-8")
    noted.config("user.name", "Somebody Else")
    reviewer = shown_in(noted.folder).reviewer
    assert reviewer is not None
    assert (reviewer.name, reviewer.produced_this) == (name, produced)


@pytest.mark.parametrize(("wanted", "hint"), [("notes/HANDOF.md", "notes/HANDOFF.md"), ("zzz", "lists the ids")])
def test_unknown_id_is_refused_with_what_was_meant(noted: RepositoryBuilder, wanted: str, hint: str) -> None:
    """Near ids are named, otherwise the way to the list."""
    with pytest.raises(HandoffNotFoundError) as refused:
        shown_in(noted.folder, wanted)
    assert hint in refused.value.hint


@pytest.mark.parametrize("wanted", ["h_29_1a", "29.1a", "HANDOFF 29.1A", "./handoffs/RESULTS_HANDOFF_29_1A.md"])
def test_handoff_is_found_however_its_name_is_written(builder: RepositoryBuilder, wanted: str) -> None:
    """Separators, case and the kind of a number do not matter; a document leads to its handoff."""
    results = "# RESULTS: HANDOFF_29.1A\n\n## Status: PASS\n\n## Files Created\n\n- none\n"
    builder.write("handoffs/RESULTS_HANDOFF_29_1A.md", results).commit("one")
    assert shown_in(builder.folder, wanted).reviewed.handoff.id == "H-29.1A"


def test_gate_counts_what_only_a_close_look_finds(builder: RepositoryBuilder) -> None:
    """The number of false claims above is that of the list below."""
    baseline = "## Baseline Snapshot\n\n- Packages installed: 7\n"
    results = f"# RESULTS: HANDOFF_4\n\n## Status: PASS\n\n## Files Created\n\n- none\n\n{baseline}"
    builder.write("RESULTS_HANDOFF_4.md", results).write("PKG-A-001/manifest.json", "{}").commit("one")
    shown = shown_in(builder.folder, "H-4")
    assert shown.reviewed.claims.contradicted == 1
    assert '"Packages installed: 7" is false (RESULTS_HANDOFF_4.md:11)' in shown.reviewed.gate.blocking


HASH = "sha256:" + "ab" * 32


def test_show_json_drops_no_field_of_a_handoff() -> None:
    """Every field of the model is shown, under its own name or under the one that was promised."""
    renamed = {"status": "status_claimed", "source_phase": "phase", "target_phase": "next_phase", "regression": "tests"}
    shown = build_show_json(ShownHandoff(reviewed=build_reviewed()))
    assert {renamed.get(name, name) for name in Handoff.model_fields} <= shown.keys()


HERE = Place(path="RESULTS.md", line=7)

MORE = "… and 2 more; --all shows them"


def shown(**fields: object) -> ShownHandoff:
    """A handoff that has these fields and nothing else."""
    return ShownHandoff(reviewed=build_reviewed(Handoff.model_validate({"id": "H-1", "dialect": "builder", **fields})))


def verdict_show_page(
    state: VerdictState,
    kind: ClaimKind = ClaimKind.FILE_CREATED,
    *,
    subject: str | None = "a.py",
    value: str | int | bool | None = None,
) -> Verdict:
    claim = Claim(text="x", kind=kind, where=HERE, subject=subject, value=value)
    return Verdict(claim=claim, state=state, evidence="looked")


def section(one: ShownHandoff, title: str, *, everything: bool = False) -> list[str]:
    return find_section(build_show_page(one, everything=everything), title)


def test_heading_says_who_hands_what_to_whom() -> None:
    """Title, other name, phases, agents, attempt, times and states, each on its line."""
    handoff = Handoff(
        id="H-1",
        dialect="builder",
        title="Lamp",
        original_name="HANDOFF_1",
        source_phase="build",
        target_phase="review",
        source_agent="heron",
        target_agent="ibis",
        attempt=3,
        priority="high",
        created="2031-01-02",
        status="PASS",
        registry=RegistryState.COMPLETE,
        message="All lit.",
        next_action="Dim it.",
    )
    reviewed = build_reviewed(handoff, who=Mover.HUMAN, name="Ada", what="decide", blocking=("no oil", "no wick"))
    reviewer = Reviewer(name=None, email="heron@example.org", produced_this=True)
    page = build_show_page(ShownHandoff(reviewed=reviewed, reviewer=reviewer))
    assert list_lines(page) == [
        "H-1  Lamp",
        "format   builder, agent_handoff",
        "named    HANDOFF_1",
        "phase    build → review",
        "agent    heron → ibis",
        "attempt  3",
        "priority high",
        "created  2031-01-02",
        "says     PASS",
        "registry COMPLETE",
        "gate     ■ blocked",
        "next     human Ada: decide",
        "blocks   no oil",
        "blocks   no wick",
        "you      heron@example.org, one of its producers: you cannot approve it",
        "",
        "Message",
        "All lit.",
        "",
        "Next step, as claimed",
        "Dim it.",
    ]


def test_numbers_are_shown_as_claimed() -> None:
    """What was not said is a dash, not a zero."""
    one = shown(
        tests=TestCounts(total=4, passed=4, failed=0),
        regression=TestCounts(total=1200),
        baseline=ClaimedBaseline(packages=3),
    )
    assert section(one, "Tests, as claimed") == [
        "run | total | passed | failed | skipped",
        "this package | 4 | 4 | 0 | –",
        "full regression | 1,200 | – | – | –",
    ]
    assert section(one, "Baseline, as claimed") == ["3 packages, – tests"]
    elsewhere = shown(dialect="hub", tests=TestCounts(total=4))
    assert section(elsewhere, "Tests, as claimed")[1:] == ["tests | 4 | – | – | –"]


def test_claims_that_are_false_come_first() -> None:
    """Then those that hold, then those that could not be measured; the heading counts them."""
    verdicts = (
        verdict_show_page(VerdictState.UNVERIFIED, ClaimKind.STATUS, subject=None, value="PASS"),
        verdict_show_page(VerdictState.HOLDS, ClaimKind.HASH, value="sha256:" + "ab" * 32),
        verdict_show_page(VerdictState.CONTRADICTED, value=True),
    )
    page = build_show_page(ShownHandoff(reviewed=build_reviewed(), verdicts=verdicts))
    assert "Claims beside measurements  1 false, 1 holds, 1 not measured" in list_lines(page)
    assert find_section(page, "Claims beside measurements")[1:] == [
        "✗ false | created a.py  (RESULTS.md:7) | – | looked",
        "✓ holds | hash of a.py: sha256:abababababab…  (RESULTS.md:7) | – | looked",
        "? not measured | status: PASS  (RESULTS.md:7) | – | looked",
    ]


def test_claims_that_are_false_are_never_cut() -> None:
    """Eleven contradictions are eleven rows; of the rest only as many as fit are listed."""
    verdicts = (*[verdict_show_page(VerdictState.HOLDS)] * 2, *[verdict_show_page(VerdictState.CONTRADICTED)] * 11)
    one = ShownHandoff(reviewed=build_reviewed(), verdicts=verdicts)
    rows = section(one, "Claims beside measurements")[1:]
    assert [row[0] for row in rows] == ["✗"] * 11 + ["…"]
    assert rows[-1] == MORE
    assert len(section(one, "Claims beside measurements", everything=True)) == 1 + 13


def test_blockers_that_are_open_come_first() -> None:
    """A closed one without evidence is told apart from one with it."""
    blockers = (
        Blocker(id="B1", title="no oil", where=HERE, open=False, evidence="see a.py"),
        Blocker(id="B2", title="no wick", where=HERE, open=False, status="resolved"),
        Blocker(id="B3", title="no match", where=HERE, severity=Severity.HIGH, needs_human=True),
        Blocker(id="B4", title="no shade", where=HERE, needs_human=True, blocking=False),
        Blocker(id="B5", title="no stand", where=HERE, blocking=False),
    )
    page = build_show_page(shown(blockers=blockers))
    assert "Blockers  3 open of 5" in list_lines(page)
    assert find_section(page, "Blockers")[1:] == [
        "■ open | high | no match  (a human must act) | ",
        "■ open | – | no shade  (a human should act; it can wait) | ",
        "■ open | – | no stand  (can wait) | ",
        "✓ closed | – | no oil | see a.py",
        "✓ resolved | – | no wick | no evidence",
    ]


def test_attempts_are_told_with_their_warnings() -> None:
    """Number, status, who, when and what; below it what its own output says against it."""
    attempts = (
        Attempt(number=1, status="fail", agent="heron", phase="DEV", when="01-02", summary="dark"),
        Attempt(number=2, warning="HTTP 500"),
    )
    assert section(shown(attempts=attempts), "Attempts") == [
        "  1  fail  heron DEV 01-02  dark",
        "  2  –  ",
        "     HTTP 500",
    ]


@pytest.mark.parametrize(
    ("greenlit", "words"), [(True, "a greenlight is claimed"), (False, "no greenlight"), (None, "greenlight not known")]
)
def test_question_gate_is_summed_up(greenlit: bool | None, words: str) -> None:  # noqa: FBT001
    """How many are answered, and whether a person gave the greenlight."""
    questions = (
        Question(number=1, text="wick?", where=HERE, answered=True),
        Question(number=2, text="oil?", where=HERE, answered=None),
    )
    lines = list_lines(build_show_page(shown(questions=questions, greenlit=greenlit)))
    assert f"Question gate  1 of 2 answered, {words}" in lines


def test_documents_tell_what_they_lack() -> None:
    """Missing sections and those out of order stand below the document."""
    documents = (
        Document(path="a.md", role=DocumentRole.SPEC, missing=("Test Plan", "Mission"), out_of_order=("Scope",)),
        Document(path="b.md", role=DocumentRole.RESULTS),
    )
    assert section(shown(documents=documents), "Documents") == [
        "spec       a.md",
        "             missing: Test Plan, Mission",
        "             out of order: Scope",
        "results    b.md",
    ]


def test_facts_history_and_problems_close_the_page() -> None:
    """What else is said, who touched the documents, and what could not be read in them."""
    one = ShownHandoff(
        reviewed=shown(facts=(Fact(name="platform", value="lamp"),)).reviewed,
        history=(Revision(commit="0123456789", author="Ada", date="2031-01-02T03:04:05Z", subject="Light"),),
        problems=(Problem(path="a.md", line=3, message="is odd"), Problem(path="b.md", message="is empty")),
    )
    assert section(one, "Other facts") == ["platform: lamp"]
    assert section(one, "History of its documents") == ["0123456 2031-01-02 Ada  Light"]
    assert section(one, "Problems in its documents") == ["a.md:3  is odd", "b.md  is empty"]


LONG: dict[str, dict[str, object]] = {
    "Blockers": {"blockers": [Blocker(id="B", title="t", where=HERE)] * 10},
    "Findings reported": {"findings": [ReportedFinding(id="F", title="t", where=HERE)] * 10},
    "Attempts": {"attempts": [Attempt(number=1)] * 10},
    "Tasks": {"tasks": [Task(id="T", title="t", where=HERE)] * 10},
    "Packages": {"packages": [Package(id="P", where=HERE)] * 10},
    "Proofs of work": {"proofs": [Proof(path="p", kind=ProofKind.LOG)] * 10},
    "Other facts": {"facts": [Fact(name="n", value="v")] * 10},
}


@pytest.mark.parametrize("title", LONG)
def test_long_list_is_cut_unless_all_is_wanted(title: str) -> None:
    """Eight of ten, and how many more; all ten when asked for."""
    one = shown(**LONG[title])
    heading = int(title == "Blockers")
    short, whole = section(one, title), section(one, title, everything=True)
    assert (len(short), short[-1]) == (heading + 9, MORE)
    assert len(whole) == heading + 10
    assert MORE not in whole


def test_scope_is_listed_with_its_reasons(builder: RepositoryBuilder) -> None:
    """Each file with why it belongs here; what the documents and the commits disagree about, and who came later."""
    report = "# Results: H-1\n\n## Status: PASS\n\n## Files created\n\n- `src/a.py`\n- `src/none.py`\n"
    builder.write("README.md").commit("start")
    builder.write("src/a.py", "a\n").write("src/b.py", "b\n").write("handoffs/H-1/H-1_RESULTS.md", report)
    builder.commit("H-1: work")
    later = report.replace("H-1", "H-2").replace("src/a.py", "src/b.py")
    builder.write("src/b.py", "more\n").write("handoffs/H-2/H-2_RESULTS.md", later).commit("H-2: work")
    builder.write("src/a.py", "edited\n")
    one = shown_in(builder.folder, "H-1")
    scope = build_show_json(one)["scope"]
    assert isinstance(scope, dict)
    assert (scope["start"], scope["commits"]) == (builder.head("HEAD~2"), [builder.head("HEAD~1")])
    assert [(file["path"], file["change"], file["source"], file["uncommitted"]) for file in scope["files"]] == [
        ("handoffs/H-1/H-1_RESULTS.md", "added", "commits", False),
        ("src/a.py", "added", "declared", True),
        ("src/b.py", "added", "commits", False),
    ]
    assert (scope["undeclared"], scope["never_changed"]) == (["src/b.py"], ["src/none.py"])
    assert scope["taken_over"] == {"src/b.py": "H-2"}
    assert section(one, "Scope") == [
        "added      handoffs/H-1/H-1_RESULTS.md  its commits",
        "added      src/a.py  declared · uncommitted",
        "added      src/b.py  its commits",
        "! changed in its commits, not declared: src/b.py",
        "! declared, never changed: src/none.py",
        "! changed later by H-2: src/b.py",
    ]


def test_scope_without_files_says_so() -> None:
    """Nothing changed belongs to the handoff; where nobody looked, nothing is said."""
    reviewed = build_reviewed()
    empty = build_show_page(ShownHandoff(reviewed=reviewed, scope=ShownScope()))
    assert "Scope  no changed file belongs to it" in list_lines(empty)
    assert "Scope" not in "".join(list_lines(build_show_page(ShownHandoff(reviewed=reviewed))))
