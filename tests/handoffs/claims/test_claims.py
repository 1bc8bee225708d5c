"""What claims are worth: what blocks, and what is measured."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.core.place import Place, Problem
from handoff_tui.core.tasks import Attempt, Fact, Question, ReportedFinding, TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.claims.blocking import ProblemIndex, find_blocking
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.claims.path_finder import PathFinder
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.handoff import CONTRADICTION, Document, DocumentRole, Handoff
from handoff_tui.handoffs.reading.markdown import parse_markdown
from handoff_tui.handoffs.session import open_session
from tests.support.repositories import RepositoryBuilder

PLACE = Place(path="a.md", line=1)


def blocking(**fields: object) -> list[str]:
    handoff = Handoff.model_validate({"id": "H-1", "dialect": "builder", **fields})
    return list(find_blocking(handoff, {}, (), ()))


def claim(kind: ClaimKind, subject: str, value: object, line: int = 1) -> Claim:
    where = Place(path="a.md", line=line)
    return Claim.model_validate({"text": "x", "kind": kind, "where": where, "subject": subject, "value": value})


def test_decision_that_is_the_status_is_said_once() -> None:
    """One line, one reason; a verdict on another line is another."""
    where = Place(path="a.md", line=3)
    status = Claim(text="x", kind=ClaimKind.STATUS, where=where, value="FAIL")
    same, other = (claim(ClaimKind.VERDICT, "review", "FAIL", line) for line in (3, 9))
    assert blocking(status="FAIL", claims=[status, same]) == ["says FAIL"]
    assert blocking(status="FAIL", claims=[status, other]) == ["says FAIL", "review says FAIL (a.md:9)"]


def test_evidence_that_contradicts_itself_blocks() -> None:
    """As its rule does; another fact does not."""
    facts = [Fact(name=CONTRADICTION, value="event 3 follows event 1"), Fact(name="events", value="2")]
    assert blocking(facts=facts) == ["its evidence contradicts itself: event 3 follows event 1"]


def test_last_verdict_of_each_reviewer_counts() -> None:
    """A refusal that was taken back does not block; a good verdict never unblocks another's."""
    verdicts = [
        claim(ClaimKind.VERDICT, "review", "RETRY"),
        claim(ClaimKind.VERDICT, "review", "PASS", 2),
        claim(ClaimKind.VERDICT, "evaluation", "FAIL", 3),
    ]
    assert blocking(status="PASS", claims=verdicts) == ["evaluation says FAIL (a.md:3)"]


def test_own_checks_that_failed_block_unless_they_passed_later() -> None:
    """A completed stage whose report says fail did not pass."""
    checks = [
        claim(ClaimKind.CHECK, "dev report", "fail"),
        claim(ClaimKind.CHECK, "dev report", "pass", 2),
        claim(ClaimKind.CHECK, "qa report", "fail", 3),
        claim(ClaimKind.CHECK, "auth", False, 4),  # noqa: FBT003 - as a manifest writes it
    ]
    assert blocking(status="COMPLETE", claims=checks) == [
        "says itself that a check failed: qa report and 1 more (a.md:3)"
    ]


@pytest.mark.parametrize(
    ("status", "reasons"), [("FAIL", []), ("PASS", ["is RED, but its new test passes: it proves nothing"])]
)
def test_new_test_must_fail_in_the_red_phase(status: str, reasons: list[str]) -> None:
    """There a failure is the aim."""
    assert blocking(dialect="tdd", source_phase="RED", status=status) == reasons


def test_results_of_the_last_attempt_must_be_whole() -> None:
    """What an earlier attempt left out does not matter."""
    documents = [
        Document(path="RESULTS_1.md", role=DocumentRole.RESULTS, missing=("Summary",)),
        Document(path="RESULTS_1_2.md", role=DocumentRole.RESULTS),
    ]
    attempts = [Attempt(number=2, where=Place(path="RESULTS_1_2.md", line=3))]
    assert blocking(status="PASS", documents=documents, attempts=attempts) == []
    assert blocking(status="PASS", documents=documents[::-1]) == ["results lack: Summary"]


def test_questions_without_an_answer_are_named() -> None:
    """A greenlight does not answer them."""
    questions = [Question(number=number, text="?", where=PLACE, answered=number != 2) for number in (1, 2, 3)]
    assert blocking(status="PASS", questions=questions, greenlit=True) == ["question without an answer: 2"]


def test_finding_of_unknown_weight_blocks() -> None:
    """What nobody rated is not harmless."""
    assert blocking(status="PASS", findings=[ReportedFinding(id="1", title="crash", where=PLACE)]) == [
        "unrated finding: crash"
    ]


def handoff(identifier: str, path: str, role: DocumentRole) -> Handoff:
    return Handoff(id=identifier, dialect="mosaic", documents=(Document(path=path, role=role),))


def test_problems_of_documents_and_of_files_missing_beside_the_state() -> None:
    """A state file that is not there belongs to the handoff of its folder."""
    state = handoff("a", ".mosaic/agent_state.json", DocumentRole.STATE)
    other = handoff("b", ".mosaic/other.json", DocumentRole.STATE)
    problems = [
        Problem(path=".mosaic/agent_state.json", message="one"),
        Problem(path=".mosaic/blockers.json", message="is missing"),
        Problem(path=".mosaic/other.json", message="is another's"),
        Problem(path="elsewhere.json", message="two"),
    ]
    index = ProblemIndex(problems, [state, other])
    assert [problem.message for problem in index.of(state)] == ["one", "is missing"]


HOLDS, CONTRADICTED, UNVERIFIED = VerdictState.HOLDS, VerdictState.CONTRADICTED, VerdictState.UNVERIFIED
WAS_TRUE = VerdictState.WAS_TRUE

DOCUMENT = "docs/RESULTS.md"


def sha256(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


@pytest.fixture
def folder(builder: RepositoryBuilder) -> Path:
    """`a.py` changed after the document was committed; `dirty.py` is not committed; `PKG-1` is a package."""
    builder.write("a.py", "zero\n").write("gone.py").commit("zero")
    builder.write("a.py", "one\n").write(DOCUMENT, "# Results\n").write("PKG-1/manifest.json", "{}").commit("one")
    builder.git("rm", "-q", "gone.py")
    builder.write("a.py", "two\n").commit("two")
    builder.git("branch", "side")
    builder.write("dirty.py", "x\n")
    return builder.folder


Measure = Callable[..., Verdict]


@pytest.fixture
def measure(folder: Path) -> Measure:
    evidence = RepositoryEvidence(open_session(folder))

    def measure_one(kind: ClaimKind, subject: str | None = None, value: object = None, **fields: object) -> Verdict:
        where = Place(path=DOCUMENT, line=3)
        claim = Claim.model_validate({"text": "x", "kind": kind, "where": where, "subject": subject, "value": value})
        handoff = Handoff.model_validate({"id": "H-1", "dialect": "builder", "claims": [claim], **fields})
        [verdict] = measure_claims(handoff, evidence)
        return verdict

    return measure_one


def test_hash_that_was_true_is_told_from_one_that_never_was(measure: Measure) -> None:
    """Only the first was true when the document was written; the second is false."""
    then, never = measure(ClaimKind.HASH, "a.py", sha256("one\n")), measure(ClaimKind.HASH, "a.py", sha256("no\n"))
    assert (then.state, never.state) == (WAS_TRUE, CONTRADICTED)
    assert "changed since by" in then.evidence
    assert "never had this hash" in never.evidence


def test_document_that_was_moved_is_still_what_it_calls_itself(builder: RepositoryBuilder) -> None:
    """By a name with a number, which no other file has; a README of another folder is none of it."""
    told = "# Results\n\n## Files Created\n- `staging/RESULTS_H-7.md`\n- `staging/README.md`\n"
    for name in ("RESULTS_H-7.md", "README.md"):
        builder.write(f"handoffs/{name}", told)
    builder.commit("H-7: all of it")
    evidence = RepositoryEvidence(open_session(builder.folder))
    for name, state in (("RESULTS_H-7.md", HOLDS), ("README.md", CONTRADICTED)):
        claims = find_claims(parse_markdown(told).sections, f"handoffs/{name}")
        [itself] = [one for one in claims if one.subject == f"staging/{name}"]
        handoff = Handoff(id="H-7", dialect="builder", claims=(itself,))
        assert [verdict.state for verdict in measure_claims(handoff, evidence)] == [state], name


def test_hash_before_is_looked_up_in_history(measure: Measure) -> None:
    """The commit before the document had it."""
    assert measure(ClaimKind.HASH_BEFORE, "a.py", sha256("zero\n")).state is HOLDS
    assert measure(ClaimKind.HASH_BEFORE, "a.py", sha256("other\n")).state is UNVERIFIED


@pytest.mark.parametrize(
    ("kind", "subject", "state"),
    [
        (ClaimKind.FILE_CREATED, "a.py", HOLDS),
        (ClaimKind.FILE_CREATED, "absent.py", CONTRADICTED),
        (ClaimKind.FILE_MODIFIED, "PKG-1", UNVERIFIED),  # it is there, but which commits are meant isn't known
        (ClaimKind.FILE_DELETED, "never.py", UNVERIFIED),
        (ClaimKind.FILE_DELETED, "gone.py", CONTRADICTED),  # a later commit deleted it
        (ClaimKind.FILE_DELETED, "a.py", CONTRADICTED),
        (ClaimKind.FILE_REFERENCED, "no/such/thing", UNVERIFIED),
        (ClaimKind.FILE_REFERENCED, "os.path", UNVERIFIED),
        (ClaimKind.FILE_REFERENCED, "../../etc/passwd", UNVERIFIED),
        (ClaimKind.UNCOMMITTED, "dirty.py", HOLDS),
        (ClaimKind.UNCOMMITTED, "a.py", WAS_TRUE),
        (ClaimKind.HASH, "absent.py", UNVERIFIED),
    ],
)
def test_files_are_looked_for(measure: Measure, kind: ClaimKind, subject: str, state: VerdictState) -> None:
    """What is said to be there, gone or changed is compared with the work tree as it was then."""
    assert measure(kind, subject).state is state


def test_missing_file_with_a_claimed_hash_is_contradicted(measure: Measure) -> None:
    """A hash of a file that is not here cannot be true here."""
    assert measure(ClaimKind.HASH, "absent.py", sha256("x")).state is CONTRADICTED


def test_commit_is_looked_up(measure: Measure, builder: RepositoryBuilder) -> None:
    """Present, absent, and the lag of a state's own commit."""
    assert measure(ClaimKind.COMMIT, None, builder.head()[:7]).state is HOLDS
    assert measure(ClaimKind.COMMIT, None, "abc1234").state is CONTRADICTED
    lagging = measure(ClaimKind.COMMIT, "head", builder.head("HEAD~1"))
    assert (lagging.state, lagging.evidence) == (HOLDS, "HEAD is 1 commit further on")


def test_commit_outside_history_is_told(measure: Measure, builder: RepositoryBuilder) -> None:
    """A commit that exists but is not in the history of HEAD contradicts a state that claims it."""
    tree = builder.head("HEAD^{tree}")
    loose = builder.git("commit-tree", tree, "-m", "loose").strip()
    assert "not in the history" in measure(ClaimKind.COMMIT, None, loose).evidence
    assert measure(ClaimKind.COMMIT, "head", loose).state is CONTRADICTED


def test_shallow_clone_does_not_contradict_what_it_cannot_know(
    folder: Path, builder: RepositoryBuilder, tmp_path: Path
) -> None:
    """When the document was written, how many packages there were, what HEAD came from, and who changed a file.

    The commit where it begins seems to bring every file.
    """
    clone = builder.clone_shallow(tmp_path / "clone")
    evidence = RepositoryEvidence(open_session(clone.folder))
    loose = clone.git("commit-tree", clone.head("HEAD^{tree}"), "-m", "loose").strip()
    claims = [
        Claim(text="x", kind=kind, where=Place(path=DOCUMENT), subject=subject, value=value)
        for kind, subject, value in (
            (ClaimKind.BASELINE, "packages", 2),
            (ClaimKind.HASH_BEFORE, "a.py", sha256("two\n")),
            (ClaimKind.COMMIT, "head", loose),
            (ClaimKind.FILE_MODIFIED, "a.py", None),
        )
    ]
    handoff = Handoff.model_validate({"id": "H-1", "dialect": "builder", "claims": claims})
    verdicts = measure_claims(handoff, evidence)
    assert {verdict.state for verdict in verdicts} == {UNVERIFIED}
    assert f"this shallow clone begins at {clone.head()[:7]}" in verdicts[0].evidence
    assert folder != clone.folder


@pytest.mark.parametrize(
    ("evidence", "state"),
    [
        (None, CONTRADICTED),
        ("  ", CONTRADICTED),
        ("it works now", UNVERIFIED),
        ("see a.py", HOLDS),
        ("see nope.py", UNVERIFIED),
    ],
)
def test_resolution_needs_evidence(measure: Measure, evidence: str | None, state: VerdictState) -> None:
    """None is a contradiction, words are words, a thing that exists can be looked at."""
    assert measure(ClaimKind.BLOCKER_RESOLVED, "B1", evidence).state is state


def test_status_is_contradicted_by_its_own_numbers(measure: Measure) -> None:
    """PASS with failures is false; without them it is still only a claim."""
    failing = measure(ClaimKind.STATUS, None, "PASS", status="PASS", regression=TestCounts(failed=3))
    assert (failing.state, failing.measured) == (CONTRADICTED, "regression: 3 failed")
    assert measure(ClaimKind.STATUS, None, "PASS", status="PASS").state is UNVERIFIED


def test_total_is_contradicted_when_the_parts_do_not_add_up(measure: Measure) -> None:
    """5 + 1 is not 7."""
    counts = TestCounts(total=7, passed=5, failed=1)
    assert measure(ClaimKind.COUNT, "package.total", 7, tests=counts).state is CONTRADICTED
    assert measure(ClaimKind.COUNT, "package.passed", 5, tests=counts).state is UNVERIFIED


def test_pass_with_a_doubtful_output_is_contradicted(measure: Measure) -> None:
    """The attempt's own raw output contradicts it."""
    attempt = Attempt(number=1, status="pass", warning="HTTP 500", where=Place(path=DOCUMENT, line=3))
    assert measure(ClaimKind.CHECK, "QA report", "pass", attempts=[attempt]).state is CONTRADICTED
    assert measure(ClaimKind.CHECK, "QA report", "pass").state is UNVERIFIED


def test_what_needs_the_network_is_not_asked(measure: Measure) -> None:
    """A deployment is unverified, and it is said why."""
    verdict = measure(ClaimKind.DEPLOYMENT, "http://localhost:1", "live")
    assert verdict.state is UNVERIFIED
    assert "consent" in verdict.evidence


def test_every_kind_of_claim_has_a_measure(measure: Measure) -> None:
    """No kind is forgotten, whatever its subject and value."""
    for kind in ClaimKind:
        assert measure(kind).evidence


def test_hash_that_a_later_handoff_found_and_changed_was_true(folder: Path) -> None:
    """Even if no commit has that content: the follow-up quotes it. A document's own word does not count."""
    first = Claim(text="x", kind=ClaimKind.HASH, where=PLACE, subject="a.py", value=sha256("never committed\n"))
    before = first.model_copy(update={"kind": ClaimKind.HASH_BEFORE, "where": Place(path=DOCUMENT, line=3)})
    own = before.model_copy(update={"where": PLACE})
    earlier = Handoff(id="H-1", dialect="builder", claims=(first,))
    later = Handoff(id="H-1A", dialect="builder", claims=(before,))
    alone = Handoff(id="H-1", dialect="builder", claims=(first, own))
    for every, state in (((earlier, later), WAS_TRUE), ((alone,), CONTRADICTED)):
        evidence = RepositoryEvidence(open_session(folder))
        prepare(evidence, [every[0]], every)
        assert measure_claims(every[0], evidence)[0].state is state


FINDER = PathFinder.over(
    [
        "README.md",
        "src/a.py",
        "src/deep/b.py",
        "stage/PKG-1/kernel/shell.py",
        "stage/docs/RESULTS.md",
        "x/same.py",
        "y/same.py",
    ]
)


@pytest.mark.parametrize(
    ("wanted", "document", "path"),
    [
        ("src/a.py", "HANDOFF.md", "src/a.py"),
        ("./src/a.py", "HANDOFF.md", "src/a.py"),
        ("RESULTS.md", "stage/docs/OTHER.md", "stage/docs/RESULTS.md"),
        ("PKG-1/kernel/shell.py", "stage/docs/RESULTS.md", "stage/PKG-1/kernel/shell.py"),
        ("kernel/shell.py", "README.md", "stage/PKG-1/kernel/shell.py"),
        ("project/src/deep/b.py", "README.md", "src/deep/b.py"),
        ("src/deep/", "README.md", "src/deep"),
        ("absent.py", "README.md", None),
        ("other/a.py", "README.md", None),
        ("../secret", "README.md", None),
        ("", "README.md", None),
    ],
)
def test_path_is_found_as_a_reader_would(wanted: str, document: str, path: str | None) -> None:
    """From the root, from the document upwards, or by a unique tail; never by another folder's file."""
    assert FINDER.find(wanted, document).path == path


DOCUMENT_EVIDENCE = "docs/HANDOFF.md"

Look = Callable[[], RepositoryEvidence]


@pytest.fixture
def look(builder: RepositoryBuilder) -> Look:
    """Looks at the repository as it is now."""
    return lambda: RepositoryEvidence(open_session(builder.folder))


@pytest.fixture
def story(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A file that changed before, with and after its document."""
    builder.write("a.py", "zero\n").write("PKG-1/manifest.json", "{}").commit("before")
    builder.write("a.py", "one\n").write(DOCUMENT_EVIDENCE, "said\n").commit("with the document")
    return builder.write("a.py", "two\n").write("PKG-2/manifest.json", "{}").commit("after")


def test_hash_of_a_link_that_leads_out_is_not_measured(builder: RepositoryBuilder, look: Look, tmp_path: Path) -> None:
    """Nothing outside the repository is read."""
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    builder.link("way", tmp_path / "secret")
    assert look().hash_now("way") is None


@pytest.mark.parametrize("name", ["", "\0", "/etc/passwd", "~", "x" * 5_000, "a\ud800b", "."])
def test_name_of_any_shape_can_be_looked_for(story: RepositoryBuilder, look: Look, name: str) -> None:
    """What an agent wrote is never a failure, and never leads out."""
    found = look().find(name, DOCUMENT_EVIDENCE).path
    assert found in {None, "", "."}


def test_proof_is_a_commit_or_a_file_that_exists(story: RepositoryBuilder, look: Look) -> None:
    """The first one that a text names; words alone prove nothing."""
    commit = story.head()[:7]
    evidence = look()
    assert evidence.find_proof(f"fixed in commit {commit}, see `a.py`", DOCUMENT_EVIDENCE) == commit
    assert evidence.find_proof("commit abc1234 and `a.py`", DOCUMENT_EVIDENCE) == "a.py"
    assert evidence.find_proof("see (a.py).", DOCUMENT_EVIDENCE) == "a.py"
    assert evidence.find_proof("it works now, see nope.py", DOCUMENT_EVIDENCE) is None


def test_saved_files_are_measured_again(story: RepositoryBuilder) -> None:
    """What else was found stays; a file behind a link is hashed each time."""
    story.link("way.py", "a.py")
    evidence = RepositoryEvidence(open_session(story.folder))
    assert (evidence.hash_now("a.py"), evidence.hash_now("way.py")) == (sha256("two\n"), sha256("two\n"))
    story.write("a.py", "three\n").write("PKG-1/manifest.json", "{} ")
    evidence.move_on(open_session(story.folder), frozenset({"a.py"}))
    assert (evidence.hash_now("a.py"), evidence.hash_now("way.py")) == (sha256("three\n"), sha256("three\n"))
    assert "a.py" in evidence.uncommitted


@pytest.mark.parametrize("sign", [" ", "│ ", "| ", "`", "a/", "a.", "created ", "§", "(", "- ", "and ", "\u2705"])
def test_hostile_lines_are_read_in_linear_time(sign: str) -> None:
    """Thousands of one sign, as prose, as a list and as a tool's output; a pattern that backtracks would never end."""
    line = sign * 4_000
    text = f"## Files changed\n\n- {line}`src/a.py`\n\n{line}x.py was changed\n\n```\n{line}\n├── {line}\n```\n"
    claims = find_claims(parse_markdown(text).sections, DOCUMENT)
    assert {claim.where.path for claim in claims} <= {DOCUMENT}
