"""What documents list against what the handoff's own commits change."""

from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.every.claims import documents_list_own_changes
from handoff_tui.checks.run.check import check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.checks.world import Disagreements
from handoff_tui.handoffs.session import open_session
from tests.support.repositories import RepositoryBuilder
from tests.support.world import MemoryWorld, judge

NAME = "notes/HANDOFF.md"
RULE = "documents-list-own-changes"
TEXT = "# Handoff: lamp\n\nStatus: COMPLETE\n\n## Files changed\n\n{}\n"


def build_world(**found: object) -> MemoryWorld:
    files = {"HANDOFF.md": "# Handoff: lamp\n\nStatus: COMPLETE\n\n## Next steps\n- more\n", "lamp.py": ""}
    return MemoryWorld(files, disagreeing={NAME: Disagreements(**found)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("world", "message"),
    [
        (build_world(undeclared=("x.py",)), "x.py: changed in its commits, not declared"),
        (build_world(never_changed=("lamp.py",)), "lamp.py: declared, never changed"),
        (
            build_world(never_changed=("lamp.py",), changed_by_others=(("lamp.py", "H-2"),)),
            "lamp.py: declared, last changed by H-2",
        ),
    ],
)
def test_each_disagreement_is_one_finding(world: MemoryWorld, message: str) -> None:
    """A path is told once."""
    assert [found.message for found in judge(documents_list_own_changes, world)] == [f"{NAME}: {message}"]


def test_file_that_is_not_there_is_another_rules_business() -> None:
    """A claim about a missing file is false, and that is said already."""
    assert judge(documents_list_own_changes, build_world(never_changed=("missing.py",))) == []


def test_very_many_are_counted() -> None:
    """Twenty by name, one finding for the rest."""
    many = tuple(f"{number:05}.py" for number in range(50_000))
    found = judge(documents_list_own_changes, build_world(undeclared=many))
    assert (len(found), found[-1].message) == (21, f"{NAME}: 49,980 more files: changed in its commits, not declared")


def test_shallow_clone_cannot_tell() -> None:
    """Changes may lie before its end."""
    world = build_world(undeclared=("x.py",))
    world.repository = world.repository.model_copy(update={"shallow": True})
    with pytest.raises(NotApplicableError):
        judge(documents_list_own_changes, world)


def test_real_repository_is_compared_and_nothing_blocks(builder: RepositoryBuilder) -> None:
    """A commit that names the handoff changes one listed file and one more."""
    name = "notes/docs/handoffs/a-1.md"
    builder.write("README", "x\n").commit("before")
    builder.write("lamp.py", "1\n").write("extra.py", "1\n")
    builder.write("docs/handoffs/a-1.md", TEXT.format("- `lamp.py` (created)"))
    builder.commit(f"lamp\n\nHandoff: {name}")
    report = check(open_session(builder.folder), CheckRequest(only=(RULE,)))
    (result,) = report.results
    told = {finding.message for finding in result.findings}
    assert f"{name}: extra.py: changed in its commits, not declared" in told
    assert not any("lamp.py" in message for message in told)
    assert not result.blocking
