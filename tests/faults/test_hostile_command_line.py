"""The verbs on the hostile repository: nothing of it runs, and every byte and time stamp stays."""

from __future__ import annotations

import pytest

from tests.support.command_line import say
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import HostileRepository

HANDOFF = "# Handoff\n\n**Status**: done at commit `0123abc`\n\n## Files created\n\n- `README.md`\n\n## Next\n\n- go\n"


@pytest.mark.parametrize(
    "call",
    [
        ("status",),
        ("status", "--json", "--all"),
        ("show", "notes/HANDOFF.md"),
        ("show", "notes/HANDOFF.md", "--json"),
        ("config", "show"),
        (),
    ],
)
def test_verb_runs_nothing_and_writes_nothing(hostile_repository: HostileRepository, call: tuple[str, ...]) -> None:
    """Planted filters, hooks, monitors, drivers, helpers and pagers stay asleep; the folder is as it was."""
    (hostile_repository.folder / "HANDOFF.md").write_text(HANDOFF, encoding="utf-8")
    before = read_fingerprint(hostile_repository.folder)
    said = say(*call, "--repo", hostile_repository.folder) if call else say("--repo", hostile_repository.folder)
    assert said.code == 0, said.stderr
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) == []


def test_the_fixture_is_really_hostile(hostile_repository: HostileRepository) -> None:
    """Plain git fires the canaries, so the test above can fail."""
    hostile_repository.run_plain_git("status")
    assert hostile_repository.list_fired()
