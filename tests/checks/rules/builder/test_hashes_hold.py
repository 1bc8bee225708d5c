"""Quoted hashes, then and now."""

from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.builder.hashes_hold import HASHES_HOLD
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.builder_story import (
    SOURCE,
    build_changed_results,
    build_results,
    build_world,
    digest,
    results_path,
)
from tests.support.world import HEAD, MemoryWorld, judge

_PATH = "PKG-LAMP-001/lamp.py"
_THEN = "b" * 40


def _committed(world: MemoryWorld, then: str | None) -> MemoryWorld:
    """The results were committed, and the source looked like this then."""
    world.documents = {results_path("H-5"): _THEN, _PATH: _THEN}
    if then is not None:
        world.old_files = {(_THEN, _PATH): then.encode()}
    return world


def test_hash_that_is_true_passes() -> None:
    """Uncommitted, and committed with the document."""
    assert judge(HASHES_HOLD, build_world()) == []
    assert judge(HASHES_HOLD, _committed(build_world(), SOURCE)) == []


def test_hash_that_was_true_then_is_its_own_finding() -> None:
    """It names the commit and says that the file changed since."""
    world = _committed(build_world({_PATH: "changed"}), SOURCE)
    [found] = judge(HASHES_HOLD, world)
    assert "was true at bbbbbbb" in found.message
    assert "changed since" in found.message
    assert (found.expected, found.actual) == (f"sha256:{digest(SOURCE)}", f"sha256:{digest('changed')}")
    gone = _committed(build_world({_PATH: None}), SOURCE)
    [lost] = judge(HASHES_HOLD, gone)
    assert "not there any more" in lost.message


def test_hash_that_was_never_true_is_found() -> None:
    """Neither then nor now."""
    [found] = judge(HASHES_HOLD, _committed(build_world({_PATH: "other\n"}), "third\n"))
    assert found.message == f"the hash quoted for {_PATH} is false"
    assert found.command == f"sha256sum {_PATH}"


@pytest.mark.parametrize("then", ["before the work\n", None])
def test_hash_that_became_true_later_is_found(then: str | None) -> None:
    """The commit of the document did not hold what the document says."""
    [found] = judge(HASHES_HOLD, _committed(build_world(), then))
    assert "is true now, but was not at bbbbbbb" in found.message


def test_hash_in_a_document_that_is_being_changed_is_measured_now() -> None:
    """The commit of its last version says nothing about the words in it."""
    world = _committed(build_world(), "before the work\n")
    world.repository = RepositoryFacts(root="/r", head=HEAD, changed=(results_path("H-5"),))
    assert judge(HASHES_HOLD, world) == []


def test_hash_of_a_file_that_is_not_here_is_found() -> None:
    """A hash that nothing can be compared with proves nothing."""
    [found] = judge(HASHES_HOLD, build_world({_PATH: None}))
    assert "is not here" in found.message


def test_hash_that_is_cut_short_is_found() -> None:
    """Only 64 digits are a hash."""
    [found] = judge(HASHES_HOLD, build_changed_results(digest(SOURCE), "abc123def..."))
    assert (found.subject, found.actual) == (f"form hash {_PATH}", "abc123def...")


def test_hash_that_a_later_handoff_replaces_passes() -> None:
    """The later one names exactly this content as the one before its change; its own hash is judged as well."""
    new = "def light() -> int:\n    return 2\n"
    line = f"- `{_PATH}` (SHA256 before: {digest(SOURCE)}, after: {digest(new)})"
    later = build_results("H-6").replace(f"- `{_PATH}` (SHA256: {digest(SOURCE)})", "- NONE")
    later = later.replace("## Files Modified\n- NONE", f"## Files Modified\n{line}")
    world = _committed(build_world({_PATH: new, results_path("H-6"): later}), SOURCE)
    assert judge(HASHES_HOLD, world) == []
    wrong = {**world.files, results_path("H-6"): later.replace(digest(new), digest("x"))}
    found = judge(HASHES_HOLD, _committed(MemoryWorld(files=wrong), SOURCE))
    assert [one.place and one.place.path for one in found] == [results_path("H-6")]


def test_hash_of_a_time_that_a_shallow_clone_lacks_is_not_judged() -> None:
    """True now it passes; replaced by a declared change nobody can tell; else it is not true, whatever was then."""
    new = "def light() -> int:\n    return 2\n"
    line = f"- `{_PATH}` (SHA256 before: {digest(SOURCE)}, after: {digest(new)})"
    later = build_results("H-6").replace(f"- `{_PATH}` (SHA256: {digest(SOURCE)})", "- NONE")
    later = later.replace("## Files Modified\n- NONE", f"## Files Modified\n{line}")
    cut = frozenset({_THEN})
    world = _committed(build_world({_PATH: new, results_path("H-6"): later}), new)
    world.cut_off = cut
    with pytest.raises(UndecidableError, match=f"shallow.*{results_path('H-5')} was written"):
        judge(HASHES_HOLD, world)
    true = _committed(build_world(), "later\n")
    true.cut_off = cut
    assert judge(HASHES_HOLD, true) == []
    false = _committed(build_world({_PATH: "other\n"}), "other\n")
    false.cut_off = cut
    assert [found.message for found in judge(HASHES_HOLD, false)] == [f"the hash quoted for {_PATH} is false"]


def test_hash_is_not_excused_by_its_own_document() -> None:
    """A document cannot declare its own hash to be the one before."""
    line = f"## Notes for Reviewer\n- `{_PATH}` before: {digest(SOURCE)}\n"
    world = build_changed_results("## Notes for Reviewer\n", line)
    world.files[_PATH] = "changed"
    assert len(judge(HASHES_HOLD, _committed(world, SOURCE))) == 1


def test_hash_rule_needs_a_hash() -> None:
    """Results that quote none leave nothing to judge."""
    with pytest.raises(NotApplicableError):
        judge(HASHES_HOLD, build_changed_results(f" (SHA256: {digest(SOURCE)})", ""))
