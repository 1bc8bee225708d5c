from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.core.errors import HandoffNotFoundError, UsageError
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.git.history.commit_graph import GraphCommit
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.past.repository import CurrentLog
from handoff_tui.history.travel import travel
from handoff_tui.history.travel.values import PastState, Stop, StopKind, add_banner
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import Entry, EntryKind, LogProblem, LogProblemLevel, LogVerdict, PolicyText, Subject, Work
from handoff_tui.status.review_state import ReviewState
from handoff_tui.system.files.cache_files import find_cache_folder
from tests.support.desk_states import render_page
from tests.support.gates import HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder


def test_traveller_sees_gates_and_log_of_then(gate_desk: GateDesk) -> None:
    """Pending before the approval, approved at it, superseded at the next commit; the log grows with it."""
    bo = gate_desk.person("bo")
    genesis = gate_desk.begin(bo)
    gate_desk.decide(bo, "approve")
    gate_desk.change()
    traveller = travel.Traveller(open_session(gate_desk.root))
    stops = traveller.line.stops
    assert [stop.kind for stop in stops] == [StopKind.COMMIT, StopKind.COMMIT, StopKind.ENTRY, StopKind.ENTRY]
    first, second = (stop.commit for stop in stops[:2])
    approval = stops[3].key

    def visit(commit: str, entry: str | None) -> tuple[str | None, int]:
        stop = stops[0].model_copy(update={"commit": commit, "entry": entry})
        then = traveller.visit(stop)
        [reviewed] = then.state.handoffs
        return reviewed.gate.state, then.log.total if then.log else 0

    assert visit(first, None) == ("pending", 0)
    assert visit(first, genesis) == ("pending", 1)
    assert visit(first, approval) == ("approved", 2)
    assert visit(second, approval) == ("superseded", 2)
    assert traveller.find_stop(approval[:20]) == stops[3]
    shown = traveller.show(stops[3], HANDOFF)
    assert (shown.reviewed.handoff.id, [one.subject for one in shown.history][-1]) == (HANDOFF, "the work")
    traveller.close()


def test_traveller_remembers_where_it_was(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory, and for the next one in our cache: nothing is looked at again."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit().write("a").commit()
    first = travel.Traveller(open_session(builder.folder))
    found = first.visit(first.line.stops[0])
    assert not found.from_cache
    monkeypatch.setattr("handoff_tui.history.travel.travel.PastRepositories.open", None)
    for traveller in (first, travel.Traveller(open_session(builder.folder))):
        again = traveller.visit(traveller.line.stops[0])
        assert again.from_cache
        assert again.model_copy(update={"from_cache": False}) == found


def test_traveller_checks_what_is_asked_for(builder: RepositoryBuilder) -> None:
    """One rule, one handoff, another baseline."""
    builder.write("a").commit("one").write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit("two")
    traveller = travel.Traveller(open_session(builder.folder))
    stop = traveller.find_stop("HEAD")
    report = traveller.check(stop, CheckRequest(only=("claims-hold",), handoff="HANDOFF.md", baseline="HEAD~1"))
    assert [result.id for result in report.results] == ["claims-hold"]
    assert (report.handoff, report.baseline) == (HANDOFF, builder.head("HEAD~1"))


def test_traveller_goes_on_where_settings_were_wrong(builder: RepositoryBuilder) -> None:
    """Everything is listed, nothing is checked, every gate is closed, and it is said why."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").write("handoff-tui.toml", "nonsense = 1\n").commit()
    (builder.folder / "handoff-tui.toml").unlink()
    builder.commit()
    traveller = travel.Traveller(open_session(builder.folder))
    then = traveller.visit(traveller.find_stop("HEAD~1"))
    assert (then.report, len(then.state.handoffs)) == (None, 1)
    assert "nonsense" in then.notes[0]
    assert then.state.handoffs[0].gate.blocking


def test_state_at_a_commit_is_that_of_the_sample(sample_repository: Path) -> None:
    """At the review of H-3 there were no procedures and no hub."""
    traveller = travel.Traveller(open_session(sample_repository))
    then = traveller.visit(traveller.find_stop("HEAD~14"))
    assert {one.handoff.dialect for one in then.state.handoffs} == {"builder", "mosaic"}
    assert then.report is not None
    assert "hashes-hold" in {result.id for result in then.report.blocking_failures}


def test_name_that_is_neither_is_refused(builder: RepositoryBuilder) -> None:
    """With a hint; a commit comes before an entry that happens to begin like it."""
    builder.commit("one").commit("two")
    traveller = travel.Traveller(open_session(builder.folder))
    assert traveller.find_stop("main~1") == traveller.line.stops[0]
    for name in ("none", "sha256:" + "0" * 64):
        with pytest.raises(UsageError, match="nor a log entry") as refused:
            traveller.find_stop(name)
        assert refused.value.hint


def test_handoff_that_was_not_there_then_is_said_of_then(builder: RepositoryBuilder) -> None:
    """With the commit, and how to list what was there."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    traveller = travel.Traveller(open_session(builder.folder))
    [stop] = traveller.line.stops
    at = stop.commit[:7]
    for ask in (lambda: traveller.show(stop, "H-9"), lambda: traveller.check(stop, CheckRequest(handoff="H-9"))):
        with pytest.raises(HandoffNotFoundError, match=f"'H-9' at {at}") as refused:
            ask()
        assert f"status --at {at}" in refused.value.hint
    traveller.close()


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
    stops = travel.build_stops(commits, [build_entry(1, 15), build_entry(2, 25, "c2")])
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
    stops = travel.build_stops(commits, [build_entry(1, 1, "c2"), build_entry(2, 12)])
    assert [stop.key for stop in stops] == ["c1", "c2", "sha256:1", "sha256:2"]


def test_line_says_what_it_leaves_out(builder: RepositoryBuilder) -> None:
    """A long history, a shallow clone, a log that is not intact."""
    assert travel.read_stops(open_session(builder.folder), None).notes == ("there is no commit yet",)
    builder.commit("one").commit("two").commit("three")
    fatal = LogProblem(level=LogProblemLevel.FATAL, code="rollback", text="gone")
    log = CurrentLog(LogVerdict(problems=(fatal,)), {})
    line = travel.read_stops(open_session(builder.folder), log, most=2)
    assert [stop.title for stop in line.stops] == ["two", "three"]
    assert ["only the newest 2 commits" in line.notes[0], "(rollback)" in line.notes[1]] == [True, True]
    shallow = builder.clone_shallow(builder.folder.parent / "shallow")
    assert "shallow" in travel.read_stops(open_session(shallow.folder), None).notes[0]


STOP = Stop(key="c1", kind=StopKind.COMMIT, commit="c1", time="2026-03-06T14:10:00Z", who="Ada", title="work")

FOUND = PastState(stop=STOP, tree="t1", state=ReviewState(repository=RepositoryFacts(root="/r")))


@pytest.fixture
def repository(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.commit()


def open_cache(builder: RepositoryBuilder) -> travel.TravelCache:
    return travel.TravelCache(open_session(builder.folder))


def test_cache_gives_back_what_was_kept(repository: RepositoryBuilder) -> None:
    """Here and to the next one, marked; not for another commit or another entry."""
    cache = open_cache(repository)
    cache.keep(STOP, FOUND)
    for one in (cache, open_cache(repository)):
        assert one.find(STOP) == FOUND.model_copy(update={"from_cache": True})
        assert one.find(STOP.model_copy(update={"commit": "c2"})) is None
        assert one.find(STOP.model_copy(update={"entry": "e1"})) is None


def test_cache_shows_a_stop_with_its_words_of_now(repository: RepositoryBuilder) -> None:
    """The title isn't part of what was found."""
    cache = open_cache(repository)
    cache.keep(STOP, FOUND)
    again = cache.find(STOP.model_copy(update={"title": "other words"}))
    assert again is not None
    assert again.stop.title == "other words"


def test_cache_forgets_when_refs_or_settings_change(repository: RepositoryBuilder) -> None:
    """A tag that was set later may belong to a commit of then."""
    open_cache(repository).keep(STOP, FOUND)
    repository.tag("mark")
    assert open_cache(repository).find(STOP) is None


@pytest.mark.parametrize("content", ["", "[]", '{"schema": 0}', '{"schema": 1, "desk": "{}"}', '{"schema": 1}'])
def test_damaged_cache_is_as_good_as_none(repository: RepositoryBuilder, content: str) -> None:
    """It costs time, never truth."""
    open_cache(repository).keep(STOP, FOUND)
    [place] = (find_cache_folder(repository.folder) / "travel").iterdir()
    place.write_text(content, encoding="utf-8")
    assert open_cache(repository).find(STOP) is None


def test_disk_is_bounded(repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go first."""
    monkeypatch.setattr("handoff_tui.history.travel.travel._MOST_ON_DISK", 2)
    cache = open_cache(repository)
    for number in range(4):
        cache.keep(STOP.model_copy(update={"commit": f"c{number}"}), FOUND)
    assert len(list((find_cache_folder(repository.folder) / "travel").iterdir())) == 2
    assert open_cache(repository).find(STOP.model_copy(update={"commit": "c3"})) is not None


COMMIT = Stop(
    key="c" * 40, kind=StopKind.COMMIT, commit="c" * 40, time="2026-03-06T14:10:00Z", who="Ada", title="work\x1b[2J"
)

ENTRY = Stop(
    key="sha256:" + "e" * 64,
    kind=StopKind.ENTRY,
    commit="c" * 40,
    entry="sha256:" + "e" * 64,
    time="2026-03-06T15:00:00Z",
    who="bo@example.org",
    title="approve H-2 · build · attempt 1",
)


def test_page_of_then_is_marked_at_both_ends() -> None:
    """Nobody takes it for now."""
    page = Page()
    page.line(Cell("content"))
    text = render_page(add_banner(page, ENTRY, ("something is not known",)))
    assert text.startswith("AS IT WAS at ccccccc · 2026-03-06 15:00 UTC")
    assert text.index("content") < text.index("read-only") < text.index("something is not known")
