from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.tdd.phases import COMMIT_PREFIX_FITS_PHASE
from handoff_tui.checks.world import CommitInfo
from handoff_tui.handoffs.reading.format import CommitFact
from tests.support.cycles import commit_id, cycle_world, note, note_path
from tests.support.memory_files import MemoryFiles
from tests.support.world import MemoryWorld, judge


def test_commit_prefix_fits_phase_passes_the_usual_prefixes() -> None:
    """One per phase; the end has none."""
    phases = ("PLAN", "RED", "GREEN", "REFACTOR", "COMPLETE")
    assert judge(COMMIT_PREFIX_FITS_PHASE, cycle_world([note(phase) for phase in phases])) == []


@pytest.mark.parametrize("subject", ["feat: whistle", "fix: whistle", "feat(steam): whistle", "fix!: whistle", "feat:"])
def test_commit_prefix_fits_phase_accepts_either_word_and_a_scope(subject: str) -> None:
    """GREEN may be a feature or a fix."""
    assert judge(COMMIT_PREFIX_FITS_PHASE, cycle_world([note("GREEN")], subjects=[subject])) == []


@pytest.mark.parametrize("subject", ["test: whistle", "feature: whistle", "Whistle", "refeat: x", "feat whistle", ""])
def test_commit_prefix_fits_phase_names_a_commit_that_does_not(subject: str) -> None:
    """Another word, a longer word, no colon, nothing."""
    (found,) = judge(COMMIT_PREFIX_FITS_PHASE, cycle_world([note("GREEN")], subjects=[subject]))
    assert (found.subject, found.expected, found.actual) == (f"commit {commit_id(0)}", "feat: or fix:", subject)
    assert found.place is not None
    assert found.place.path == note_path(0)


def test_commit_prefix_fits_phase_takes_prefixes_from_the_configuration() -> None:
    """A repository may use words of its own."""
    world = cycle_world([note("GREEN")], subjects=["✨ whistle"])
    world.overrides["tdd.commit_prefixes"] = {"GREEN": ("✨",)}
    assert judge(COMMIT_PREFIX_FITS_PHASE, world) == []


def test_commit_prefix_fits_phase_reads_trailers_too() -> None:
    """A phase told by the commit's own trailer."""
    subject = "add whistle"
    body = f"{subject}\n\nTDD-Phase: GREEN\nTDD-Cycle: 1\n"
    name = commit_id(0)
    world = MemoryWorld(
        shelf=MemoryFiles({}, git_commits=(CommitFact(name, subject, body, "Ada", "2031-01-01"),)),
        log=(CommitInfo(name, (), "Ada", "ada@example.com", "2031-01-01", subject, body),),
    )
    assert [found.subject for found in judge(COMMIT_PREFIX_FITS_PHASE, world)] == [f"commit {name}"]


def test_commit_prefix_fits_phase_needs_an_annotated_commit() -> None:
    """No cycle, or none whose commits are among the newest."""
    old = cycle_world([note("GREEN")])
    old.log = ()
    for world in (MemoryWorld(), old):
        with pytest.raises(NotApplicableError):
            judge(COMMIT_PREFIX_FITS_PHASE, world)
