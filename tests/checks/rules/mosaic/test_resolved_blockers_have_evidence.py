from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, RuleFinding
from handoff_tui.checks.rules.mosaic.resolved_blockers_have_evidence import RESOLVED_BLOCKERS_HAVE_EVIDENCE
from tests.support.session_states import STATE_COMMIT, build_blocker, build_state
from tests.support.world import MemoryWorld, judge

COMMIT = "c0ffee1" + "2" * 33


def judge_blockers(*blockers: object, overrides: dict[str, object] | None = None, **lists: object) -> list[RuleFinding]:
    files = build_state(blockers={"blockers": list(blockers), **lists})
    world = MemoryWorld(
        files={**files, "tests/test_sailings.py": "", "docs/quay.md": ""},
        known_commits={COMMIT: 4, STATE_COMMIT: 1},
        overrides=overrides or {},
    )
    return judge(RESOLVED_BLOCKERS_HAVE_EVIDENCE, world)


@pytest.mark.parametrize(
    "evidence",
    [
        {"resolution": "Merged; shown by tests/test_sailings.py."},
        {"resolution": "Fixed in c0ffee1, all green"},
        {"resolution": "Fixed in C0FFEE1"},
        {"resolution": "see `docs/quay.md`"},
        {"resolution": "see quay.md"},
        {"resolution": "Rows are merged and/or dropped, see docs/quay.md"},
        {"resolution": None, "commit": COMMIT},
        {"resolution": "Rows are merged", "evidence": "docs/quay.md"},
        {"resolution": ..., "evidence": "docs/quay.md"},
    ],
)
def test_evidence_that_exists_passes(evidence: dict[str, object]) -> None:
    """A commit or a file of the repository, in any of the configured fields, can be looked at."""
    assert judge_blockers(build_blocker(**evidence)) == []


@pytest.mark.parametrize("resolution", [None, ..., "", "   "])
def test_blocker_without_evidence_is_found(resolution: object) -> None:
    """Marked as resolved and nothing to show for it."""
    [found] = judge_blockers(build_blocker(resolution=resolution))
    assert found.message == "blocker B011 (Sailings listed twice) is marked as resolved without any evidence"
    assert (found.subject, found.actual) == ("B011", "nothing")
    assert found.place is not None
    assert found.place.path == ".mosaic/blockers.json"


@pytest.mark.parametrize(
    "resolution", ["done", "It works now, believe me", "Rows are merged, e.g. by hand", "on 20260304", "yes/no"]
)
def test_words_alone_are_no_evidence(resolution: str) -> None:
    """An agent's word is not evidence: it must name something that can be looked at."""
    [found] = judge_blockers(build_blocker(resolution=resolution))
    assert found.message.endswith("is marked as resolved with words only")
    assert found.actual == resolution


@pytest.mark.parametrize(
    ("resolution", "named"), [("Fixed in deadbe3f", "deadbe3f"), ("See docs/gone.md", "docs/gone.md")]
)
def test_evidence_that_does_not_exist_is_found(resolution: str, named: str) -> None:
    """An invented commit or file is worse than none, and is named."""
    [found] = judge_blockers(build_blocker(resolution=resolution))
    assert f"has {named} as evidence, which does not exist here" in found.message


def test_words_are_enough_where_the_configuration_says_so() -> None:
    """Even then they must say something, and what they name must exist."""
    relaxed: dict[str, object] = {"mosaic.evidence_names_proof": False}
    assert judge_blockers(build_blocker(resolution="Rows are merged"), overrides=relaxed) == []
    [found] = judge_blockers(build_blocker(resolution="done, done, done!"), overrides=relaxed)
    assert found.message.endswith("has evidence that says nothing")
    assert len(judge_blockers(build_blocker(resolution="See docs/gone.md"), overrides=relaxed)) == 1


def test_fields_of_evidence_come_from_the_configuration() -> None:
    """A project may keep its evidence elsewhere."""
    blocker = build_blocker(resolution=..., proof="docs/quay.md")
    assert judge_blockers(blocker, overrides={"mosaic.evidence_fields": ("proof",)}) == []
    assert len(judge_blockers(blocker)) == 1


def test_archived_and_differently_written_blockers_are_judged() -> None:
    """Neither the archive nor capitals hide a resolution without evidence."""
    archived = build_blocker(id="B002", status=" Resolved ", resolution=None)
    found = judge_blockers(build_blocker(), archived_blockers=[archived])
    assert [finding.subject for finding in found] == ["B002"]


def test_blocker_without_an_id_is_judged() -> None:
    """It is told by its place in the file."""
    [found] = judge_blockers(build_blocker(id=..., resolution=None))
    assert found.subject == "blocker-1"


def test_other_statuses_need_no_evidence() -> None:
    """What is open, or will not be fixed, has nothing to prove."""
    statuses = ("open", "resolving", "wont-fix", ...)
    blockers = [build_blocker(id=f"B{number}", status=status) for number, status in enumerate(statuses)]
    with pytest.raises(NotApplicableError, match="no blocker is marked resolved"):
        judge_blockers(*blockers)


def test_entries_that_are_no_blockers_do_no_harm() -> None:
    """Text among the blockers is passed over here; its shape is the question of another rule."""
    found = judge_blockers("all is well", build_blocker(resolution=None))
    assert [finding.subject for finding in found] == ["B011"]


@pytest.mark.parametrize("text", ["{", "[]", None])
def test_blockers_that_cannot_be_read_are_found(text: str | None) -> None:
    """A file that is broken or missing may hide anything, and that is no pass."""
    files = build_state()
    del files[".mosaic/blockers.json"]
    if text is not None:
        files[".mosaic/blockers.json"] = text
    [found] = judge(RESOLVED_BLOCKERS_HAVE_EVIDENCE, MemoryWorld(files=files))
    assert found.place is not None
    assert found.place.path == ".mosaic/blockers.json"


def test_repository_without_blockers_does_not_apply() -> None:
    """There is nothing to prove."""
    with pytest.raises(NotApplicableError, match="no blocker is marked resolved"):
        judge(RESOLVED_BLOCKERS_HAVE_EVIDENCE, MemoryWorld(files={"a.txt": ""}))
