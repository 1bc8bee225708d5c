"""Which changed files somebody approved: by the last owners of each path, and line by line."""

from __future__ import annotations

from handoff_tui.handoffs.scope.scope import DELETED, Attribution, Content, OwnChange, Scope, Scopes
from handoff_tui.log.gates.coverage import (
    Coverage,
    LineOrigin,
    RepositoryCoverage,
    build_coverage,
    build_line_coverage,
    count_coverage,
    describe_uncovered,
)
from handoff_tui.log.gates.gate_state import Approval, GateName, GateReport


def change(path: str, commit: str | None = "c1") -> OwnChange:
    return OwnChange(path, commit, DELETED, Content("100644", "b"), Attribution.COMMITS)


def scopes(*found: Scope, unclaimed: tuple[OwnChange, ...] = (), past: frozenset[str] = frozenset()) -> Scopes:
    paths = {own.path for scope in found for own in scope.changes} | {own.path for own in unclaimed}
    return Scopes({scope.handoff: scope for scope in found}, unclaimed, frozenset(paths), "c9", past)


def report(handoff: str, state: GateName) -> GateReport:
    approval = Approval(entry=f"sha256:{handoff}", principal="bo", verb="approve", time="t", counted=True)
    given = (approval,) if state is GateName.APPROVED else ()
    return GateReport(handoff=handoff, phase="build", attempt=1, state=state, approvals=given)


def reports(**states: GateName) -> dict[str, GateReport]:
    return {handoff: report(handoff, state) for handoff, state in states.items()}


def states(coverage: RepositoryCoverage) -> dict[str, str]:
    return {path.path: path.state.value for path in coverage.paths}


def test_path_is_as_far_as_its_last_owner() -> None:
    """Whoever changed it before does not matter; the entry that covers it is named."""
    first = Scope("A", (change("x"),), taken_over={"x": "B"})
    found = build_coverage(
        scopes(first, Scope("B", (change("x", "c2"),))), reports(A=GateName.REJECTED, B=GateName.APPROVED)
    )
    [path] = found.paths
    assert (path.state, path.handoffs, path.covered_by) == (Coverage.APPROVED, ("B",), (("sha256:B", "bo", "B"),))
    assert found.complete


def test_shared_path_needs_every_owner() -> None:
    """It is as far as the one that is least far."""
    shared = scopes(Scope("A", (change("x"),)), Scope("B", (change("x"),)))
    for other, state in ((GateName.OVERRIDDEN, "overridden"), (GateName.HELD, "waiting"), (GateName.RETRY, "rejected")):
        found = build_coverage(shared, reports(A=GateName.APPROVED, B=other))
        assert states(found) == {"x": state}
        assert count_coverage(shared, reports(A=GateName.APPROVED, B=other)) == found.counts


def test_unclaimed_change_counts_although_somebody_had_the_path() -> None:
    """Every path is listed once, by its last change."""
    found = build_coverage(
        scopes(Scope("A", (change("x"),)), unclaimed=(change("x", None),)), reports(A=GateName.APPROVED)
    )
    assert states(found) == {"x": "unclaimed"}
    assert (found.counts[Coverage.UNCLAIMED], found.complete) == (1, False)


def test_only_the_named_paths_are_asked_about() -> None:
    """Also those from before the start line; whatever nobody owns is unclaimed."""
    found = build_coverage(scopes(Scope("A", (change("x"), change("y")))), {}, ["y", "old"])
    assert states(found) == {"old": "unclaimed", "y": "waiting"}


def test_nothing_changed_is_complete() -> None:
    """There is nothing to approve."""
    assert build_coverage(scopes(), {}).complete


def test_lines_are_grouped_by_where_they_come_from() -> None:
    """A line of an approved handoff is covered; one from before the start line need not be."""
    found = scopes(
        Scope("A", (change("old.py", "c1"), change("x.py", "c0"))),
        Scope("B", (change("x.py", "c2"),)),
        past=frozenset({"c0", "c00"}),
    )
    lines = [
        *[LineOrigin("c1", "old.py")] * 2,  # the file had another name then
        LineOrigin("c2", "x.py"),
        LineOrigin("c00", "x.py"),
        LineOrigin("c0", "x.py"),
        LineOrigin(None, "x.py"),
    ]
    regions = build_line_coverage(lines, found, reports(A=GateName.APPROVED, B=GateName.PENDING))
    told = [(region.first, region.last, region.state, region.handoffs) for region in regions]
    assert told == [
        (1, 2, Coverage.APPROVED, ("A",)),
        (3, 3, Coverage.WAITING, ("B",)),
        (4, 4, None, ()),
        (5, 5, Coverage.APPROVED, ("A",)),
        (6, 6, Coverage.UNCLAIMED, ()),
    ]


def test_gate_does_not_wait_for_itself() -> None:
    """What only waits for one handoff isn't a reason to keep that one waiting; unclaimed work is."""
    found = scopes(
        Scope("A", (change("a"), change("both"))), Scope("B", (change("b"), change("both"))), unclaimed=(change("u"),)
    )
    judged = reports(A=GateName.PENDING, B=GateName.APPROVED)
    coverage = build_coverage(found, judged)
    assert [path.path for path in coverage.list_uncovered("A", judged)] == ["u"]
    assert [path.path for path in coverage.list_uncovered("", judged)] == ["a", "both", "u"]
    words = describe_uncovered(coverage.list_uncovered("", judged))
    assert words == "3 changed files are not approved: a (A waiting), both (A B waiting), u (unclaimed)"
