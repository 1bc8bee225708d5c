from __future__ import annotations

from handoff_tui.git.history.commit_graph import GraphCommit
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.travel.past_log import WholeLog
from handoff_tui.history.travel.travel import build_stop, build_stops, read_stops
from handoff_tui.history.travel.values import StopKind
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.record import Entry, EntryKind, LogProblem, LogVerdict, PolicyText, ProblemLevel, Subject, Work
from tests.support.repositories import RepositoryBuilder


def build_commit(number: int, minute: int) -> GraphCommit:
    return GraphCommit(f"c{number}", "tree", (), minute * 60, "Ada", "ada@example.org", "", f"work {number}")


def build_entry(seq: int, minute: int, about: str | None = None) -> Entry:
    subject = Subject(commit=about or "", tree="", baseline="", snapshot="", checks="", handoff="")
    work = Work(handoff="H-1", phase="build", attempt=2, producers=(), policy="p", subject=subject)
    return Entry(
        id=f"sha256:{seq}",
        kind=EntryKind.SUBMISSION if about else EntryKind.POLICY,
        actor="bo@example.org",
        seq=seq,
        time=build_time(build_commit(0, minute).moment),
        parents=(),
        work=work if about else None,
        policy=None if about else PolicyText(version=1, allowed_signers="", policy_toml=""),
    )


def test_stops_are_in_the_order_of_time() -> None:
    """Every commit knows the newest entry before it."""
    commits = [build_commit(1, 10), build_commit(2, 20), build_commit(3, 30)]
    stops = build_stops(commits, [build_entry(1, 15), build_entry(2, 25, "c2")])
    assert [(stop.key, stop.commit, stop.entry) for stop in stops] == [
        ("c1", "c1", None),
        ("sha256:1", "c1", "sha256:1"),
        ("c2", "c2", "sha256:1"),
        ("sha256:2", "c2", "sha256:2"),
        ("c3", "c3", "sha256:2"),
    ]
    assert (stops[1].title, stops[3].title) == ("policy 1", "submit H-1 · build · attempt 2")


def test_entry_never_comes_before_what_it_is_about() -> None:
    """Whatever its clock says; nor before an entry that it may follow."""
    commits = [build_commit(1, 10), build_commit(2, 20)]
    stops = build_stops(commits, [build_entry(1, 1, "c2"), build_entry(2, 12)])
    assert [stop.key for stop in stops] == ["c1", "c2", "sha256:1", "sha256:2"]


def test_stops_of_no_commits_are_none() -> None:
    """An entry needs a commit to be shown at."""
    assert build_stops([], [build_entry(1, 1)]) == []


def test_stop_of_its_own_is_a_commit_or_an_entry() -> None:
    """For what is not on the line."""
    commit = build_commit(1, 10)
    assert build_stop(commit, None).kind is StopKind.COMMIT
    assert (build_stop(commit, build_entry(3, 5)).kind, build_stop(commit, build_entry(3, 5)).commit) == ("entry", "c1")


def test_line_says_what_it_leaves_out(builder: RepositoryBuilder) -> None:
    """A long history, a shallow clone, a log that is not sound."""
    assert read_stops(open_desk(builder.folder), None).notes == ("there is no commit yet",)
    builder.commit("one").commit("two").commit("three")
    fatal = LogProblem(level=ProblemLevel.FATAL, code="rollback", text="gone")
    log = WholeLog(LogVerdict(problems=(fatal,)), {})
    line = read_stops(open_desk(builder.folder), log, most=2)
    assert [stop.title for stop in line.stops] == ["two", "three"]
    assert ["only the newest 2 commits" in line.notes[0], "(rollback)" in line.notes[1]] == [True, True]
    shallow = builder.clone_shallow(builder.folder.parent / "shallow")
    assert "shallow" in read_stops(open_desk(shallow.folder), None).notes[0]
