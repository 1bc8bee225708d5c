from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Attempt, TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder

HOLDS, CONTRADICTED, UNVERIFIED = VerdictState.HOLDS, VerdictState.CONTRADICTED, VerdictState.UNVERIFIED
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
    evidence = RepositoryEvidence(open_desk(folder), deep=True)

    def measure_one(kind: ClaimKind, subject: str | None = None, value: object = None, **fields: object) -> Verdict:
        where = Place(path=DOCUMENT, line=3)
        claim = Claim.model_validate({"text": "x", "kind": kind, "where": where, "subject": subject, "value": value})
        handoff = Handoff.model_validate({"id": "H-1", "dialect": "builder", "claims": [claim], **fields})
        [verdict] = measure_claims(handoff, evidence)
        return verdict

    return measure_one


def test_hash_holds_for_the_file_as_it_is(measure: Measure) -> None:
    """The measured hash is given with it."""
    verdict = measure(ClaimKind.HASH, "a.py", sha256("two\n"))
    assert (verdict.state, verdict.measured) == (HOLDS, sha256("two\n"))


def test_hash_that_was_true_is_told_from_one_that_never_was(measure: Measure) -> None:
    """Both are contradicted; only the first was true when the document was written."""
    then, never = measure(ClaimKind.HASH, "a.py", sha256("one\n")), measure(ClaimKind.HASH, "a.py", sha256("no\n"))
    assert (then.state, never.state) == (CONTRADICTED, CONTRADICTED)
    assert "was true at" in then.evidence
    assert "was true at" not in never.evidence


def test_hash_before_is_looked_up_in_history(measure: Measure) -> None:
    """The commit before the document had it."""
    assert measure(ClaimKind.HASH_BEFORE, "a.py", sha256("zero\n")).state is HOLDS
    assert measure(ClaimKind.HASH_BEFORE, "a.py", sha256("other\n")).state is UNVERIFIED


@pytest.mark.parametrize("value", ["abc", "not captured", None])
def test_text_that_is_no_hash_is_unverified(measure: Measure, value: str | None) -> None:
    """Nothing is measured against nothing."""
    assert measure(ClaimKind.HASH, "a.py", value).state is UNVERIFIED


@pytest.mark.parametrize(
    ("kind", "subject", "state"),
    [
        (ClaimKind.FILE_CREATED, "a.py", HOLDS),
        (ClaimKind.FILE_CREATED, "absent.py", CONTRADICTED),
        (ClaimKind.FILE_MODIFIED, "PKG-1", HOLDS),
        (ClaimKind.FILE_DELETED, "gone.py", HOLDS),
        (ClaimKind.FILE_DELETED, "a.py", CONTRADICTED),
        (ClaimKind.FILE_REFERENCED, "no/such/thing", CONTRADICTED),
        (ClaimKind.FILE_REFERENCED, "os.path", UNVERIFIED),
        (ClaimKind.FILE_REFERENCED, "../../etc/passwd", CONTRADICTED),
        (ClaimKind.UNCOMMITTED, "dirty.py", HOLDS),
        (ClaimKind.UNCOMMITTED, "a.py", CONTRADICTED),
        (ClaimKind.HASH, "absent.py", UNVERIFIED),
    ],
)
def test_files_are_looked_for(measure: Measure, kind: ClaimKind, subject: str, state: VerdictState) -> None:
    """What is said to be there, gone or changed is compared with the work tree."""
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
    """When the document was written, how many packages there were, and what HEAD came from."""
    clone = builder.clone_shallow(tmp_path / "clone")
    evidence = RepositoryEvidence(open_desk(clone.folder), deep=True)
    loose = clone.git("commit-tree", clone.head("HEAD^{tree}"), "-m", "loose").strip()
    claims = [
        Claim(text="x", kind=kind, where=Place(path=DOCUMENT), subject=subject, value=value)
        for kind, subject, value in (
            (ClaimKind.BASELINE, "packages", 2),
            (ClaimKind.HASH_BEFORE, "a.py", sha256("two\n")),
            (ClaimKind.COMMIT, "head", loose),
        )
    ]
    handoff = Handoff.model_validate({"id": "H-1", "dialect": "builder", "claims": claims})
    verdicts = measure_claims(handoff, evidence)
    assert {verdict.state for verdict in verdicts} == {UNVERIFIED}
    assert f"this shallow clone begins at {clone.head()[:7]}" in verdicts[0].evidence
    assert folder != clone.folder


@pytest.mark.parametrize(("name", "state"), [("main", HOLDS), ("side", UNVERIFIED), ("nowhere", CONTRADICTED)])
def test_branch_is_looked_up(measure: Measure, name: str, state: VerdictState) -> None:
    """The present one, another one, none."""
    assert measure(ClaimKind.BRANCH, None, name).state is state


def test_baseline_counts_manifests_as_of_the_document(measure: Measure) -> None:
    """One package then; two are not."""
    assert measure(ClaimKind.BASELINE, "packages", 1).state is HOLDS
    assert measure(ClaimKind.BASELINE, "packages", 2).state is CONTRADICTED
    assert measure(ClaimKind.BASELINE, "tests", 9).state is UNVERIFIED


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
    """The attempt's own raw output speaks against it."""
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


def test_commits_of_many_handoffs_are_looked_up_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was prepared is not asked for again."""
    claim = Claim(text="x", kind=ClaimKind.COMMIT, where=Place(path=DOCUMENT), value="abc1234")
    handoff = Handoff(id="H-1", dialect="builder", claims=(claim,))
    evidence = RepositoryEvidence(open_desk(folder), deep=False)
    prepare(evidence, [handoff, handoff], [])
    monkeypatch.setattr(RepositoryEvidence, "resolve_commits", lambda *_: pytest.fail("asked again"))
    assert evidence.find_commit("abc1234") is None


def test_hash_that_a_later_handoff_found_and_changed_holds(folder: Path) -> None:
    """The follow-up quotes it as the one before, so nobody hid anything; its own word does not count."""
    where = Place(path=DOCUMENT, line=3)
    first = Claim(text="x", kind=ClaimKind.HASH, where=where, subject="a.py", value=sha256("one\n"))
    before = Claim(text="x", kind=ClaimKind.HASH_BEFORE, where=where, subject="x/a.py", value=sha256("one\n"))
    earlier = Handoff(id="H-1", dialect="builder", claims=(first,))
    later = Handoff(id="H-1A", dialect="builder", claims=(before,))
    alone = Handoff(id="H-1", dialect="builder", claims=(first, before))
    for every, state in (((earlier, later), HOLDS), ((alone,), CONTRADICTED)):
        evidence = RepositoryEvidence(open_desk(folder), deep=False)
        prepare(evidence, [every[0]], every)
        assert measure_claims(every[0], evidence)[0].state is state
