"""Every change belongs to whoever can show it is theirs, else to a guess, else to the last owner, else to nobody."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.classes import replace
from handoff_tui.git.history.commit_changes import ChangedCommit, PathChange
from handoff_tui.handoffs.scope.assign import UncommittedChange, assign_changes
from handoff_tui.handoffs.scope.scope import DELETED, Attribution, Content, Scopes
from handoff_tui.handoffs.scope.traces import PersonSays, Traces

ZEROS = "0" * 40


class History:
    """A history on one line or on several, written down commit by commit."""

    def __init__(self) -> None:
        self.commits: list[ChangedCommit] = []
        self.content: dict[str, str] = {}

    def commit(self, message: str, *paths: str, parents: tuple[str, ...] | None = None) -> str:
        identifier = f"c{len(self.commits)}"
        if parents is None:
            parents = (self.commits[-1].id,) if self.commits else ("before",)
        changes = []
        for path in paths:
            blob, before = f"{path}@{identifier}", self.content.get(path, ZEROS)
            changes.append(PathChange(path, "100644", blob, "100644" if before != ZEROS else "000000", before))
            self.content[path] = blob
        self.commits.append(ChangedCommit(identifier, parents, "A", "a@x", "a@x", 0, message, tuple(changes)))
        return identifier

    def assign(self, *traces: Traces, uncommitted: tuple[UncommittedChange, ...] = ()) -> Scopes:
        return assign_changes(self.commits, uncommitted, traces)

    def edit(self, path: str) -> UncommittedChange:
        before = self.content.get(path, ZEROS)
        return UncommittedChange(
            path, Content("100644", before) if before != ZEROS else DELETED, Content("100644", "edited")
        )


def traces(handoff: str, document: str = "", **more: Any) -> Traces:  # noqa: ANN401 - any field of Traces
    documents = frozenset({document} if document else ())
    found = Traces(handoff, names=frozenset({handoff.casefold()}), documents=documents, reports=documents)
    return replace(found, **more)


def reasons(scopes: Scopes, handoff: str) -> dict[str, str]:
    return {path: str(source) for path, source in scopes.of(handoff).reasons()}


def test_commit_that_names_a_handoff_is_its_own_as_a_whole() -> None:
    """`H-3: …` in the subject is enough."""
    history = History()
    first = history.commit("H-3: stations", "a.py", "b.py")
    scopes = history.assign(traces("H-3"), traces("H-4"))
    assert reasons(scopes, "H-3") == {"a.py": "commits", "b.py": "commits"}
    assert scopes.of("H-3").commits == (first,)
    assert scopes.of("H-3").start == "before"
    assert scopes.of("H-4").changes == ()


def test_trailer_and_several_names_share_a_commit() -> None:
    """A commit that names two handoffs belongs to both."""
    history = History()
    history.commit("tidy\n\nHandoff: H-3, H-4", "a.py")
    scopes = history.assign(traces("H-3"), traces("H-4"))
    assert scopes.of("H-3").shared == scopes.of("H-4").shared == {"a.py"}


def test_span_reaches_from_the_document_before_to_its_own() -> None:
    """Commits between two reports belong to the later one, as a guess."""
    history = History()
    history.commit("one", "a.py")
    history.commit("results", "H-1.md")
    history.commit("two", "b.py")
    history.commit("results", "H-2.md", "c.py")
    history.commit("later", "d.py")
    scopes = history.assign(traces("H-1", "H-1.md"), traces("H-2", "H-2.md"))
    assert reasons(scopes, "H-1") == {"a.py": "span", "H-1.md": "declared"}
    assert reasons(scopes, "H-2") == {"b.py": "span", "c.py": "span", "H-2.md": "declared"}
    assert scopes.unclaimed_paths == ("d.py",)


def test_span_follows_ancestry_not_the_order_of_the_list() -> None:
    """Work on a branch that the report did not see is not in its span."""
    history = History()
    root = history.commit("root", "r.py")
    side = history.commit("on a branch", "side.py", parents=(root,))
    main = history.commit("results", "H-1.md", parents=(root,))
    history.commit("merge", parents=(main, side))
    scopes = history.assign(traces("H-1", "H-1.md"))
    assert "side.py" in scopes.unclaimed_paths
    assert reasons(scopes, "H-1") == {"r.py": "span", "H-1.md": "declared"}


def test_declared_path_counts_while_the_work_lasts() -> None:
    """A declaration claims nothing after the last own commit."""
    history = History()
    history.commit("H-1: begin", "x.py")
    history.commit("more", "shared.py")
    history.commit("H-1: end", "y.py")
    history.commit("much later", "shared.py")
    scopes = history.assign(
        traces("H-1", declared=frozenset({"shared.py"})), traces("H-2", declared=frozenset({"shared.py"}))
    )
    last = [change for change in scopes.of("H-1").changes if change.path == "shared.py"]
    assert [change.source for change in last] == [Attribution.DECLARED, Attribution.OWNER]
    assert scopes.of("H-2").changes == ()


def test_edit_of_approved_work_without_a_handoff_changes_that_handoff() -> None:
    """Whoever edits it without a handoff of their own has changed this one."""
    history = History()
    history.commit("H-1: work", "a.py")
    before = history.assign(traces("H-1")).of("H-1").results
    edited = history.assign(traces("H-1", undecided=False), uncommitted=(history.edit("a.py"),)).of("H-1")
    assert edited.results != before
    assert edited.without_uncommitted().results == before


def test_next_handoff_takes_a_path_over_and_leaves_the_first_alone() -> None:
    """Each handoff keeps its own result."""
    history = History()
    history.commit("H-1: work", "a.py")
    alone = history.assign(traces("H-1"), traces("H-2")).of("H-1").results
    history.commit("H-2: more work", "a.py")
    scopes = history.assign(traces("H-1"), traces("H-2"))
    assert scopes.of("H-1").results == alone
    assert scopes.of("H-1").taken_over == {"a.py": "H-2"}
    assert scopes.of("H-2").befores["a.py"] == alone["a.py"]


def test_unclaimed_change_is_reviewed_by_whoever_changes_the_path_next() -> None:
    """Else a line that nobody claims would be part of the next handoff's "before"."""
    history = History()
    history.commit("drive-by", "a.py")
    assert history.assign(traces("H-1")).unclaimed_paths == ("a.py",)
    history.commit("H-1: work", "a.py")
    scopes = history.assign(traces("H-1"))
    assert scopes.unclaimed == ()
    assert scopes.of("H-1").befores["a.py"] == DELETED


def test_unclaimed_change_that_was_taken_back_leaves_nothing_to_review() -> None:
    """A file that came and went; one that is still there is unclaimed."""
    history = History()
    history.commit("junk", "x", "y")
    away = UncommittedChange("x", Content("100644", history.content["x"]), DELETED)
    scopes = history.assign(uncommitted=(away,))
    assert scopes.unclaimed_paths == ("y",)
    assert (scopes.changed, scopes.restored) == (frozenset("y"), frozenset("x"))


def test_person_decides_before_anything_else() -> None:
    """What a person says beats the name in a commit."""
    history = History()
    first = history.commit("H-2: work", "a.py", "b.py")
    person = PersonSays(frozenset({first}), ("a.py",))
    scopes = history.assign(traces("H-1", person=person), traces("H-2"))
    assert reasons(scopes, "H-1") == {"a.py": "explicit"}
    assert reasons(scopes, "H-2") == {"b.py": "commits"}


def test_uncommitted_work_belongs_to_whoever_declares_it_or_writes_about_it() -> None:
    """Work that is not committed yet is not lost."""
    history = History()
    history.commit("root", "README")
    declared = traces("H-1", declared=frozenset({"new/"}))
    scopes = history.assign(declared, uncommitted=(history.edit("new/a.py"), history.edit("other.py")))
    assert reasons(scopes, "H-1") == {"new/a.py": "declared"}
    assert scopes.unclaimed_paths == ("README", "other.py")
    scopes = history.assign(traces("H-2", "H-2.md"), uncommitted=(history.edit("H-2.md"), history.edit("other.py")))
    assert reasons(scopes, "H-2") == {"H-2.md": "declared", "other.py": "span"}
    assert scopes.of("H-2").start == "c0"


def test_disagreements_between_words_and_changes_are_kept() -> None:
    """Changed but not declared, and declared but never changed."""
    history = History()
    history.commit("H-1: work", "a.py", "quiet.py")
    listed = frozenset({"a.py", "never.py"})
    scope = history.assign(traces("H-1", declared=listed, declared_changes=listed)).of("H-1")
    assert scope.undeclared == ("quiet.py",)
    assert scope.never_changed == ("never.py",)


PATHS = ("a", "b", "c/d", "H-1.md", "H-2.md")
MESSAGES = ("plain", "H-1: x", "fix(H-2): y", "both H-1 and H-2", "x\n\nHandoff: H-1")


@st.composite
def histories(draw: st.DrawFn) -> History:
    history = History()
    for _ in range(draw(st.integers(0, 8))):
        known = [commit.id for commit in history.commits]
        parents = (
            tuple(draw(st.lists(st.sampled_from(known), min_size=1, max_size=2, unique=True))) if known else ("before",)
        )
        paths = draw(st.lists(st.sampled_from(PATHS), max_size=3, unique=True))
        history.commit(draw(st.sampled_from(MESSAGES)), *paths, parents=parents)
    return history


ALL = (traces("H-1", "H-1.md", declared=frozenset({"a"})), traces("H-2", "H-2.md", declared=frozenset({"b", "c/"})))


@given(histories(), st.lists(st.sampled_from(PATHS), max_size=3, unique=True))
def test_every_changed_path_is_owned_or_unclaimed_and_never_both(history: History, edited: list[str]) -> None:
    """Nothing is in neither."""
    edits = tuple(history.edit(path) for path in edited)
    scopes = history.assign(*ALL, uncommitted=edits)
    owned = {path for scope in scopes.by_handoff.values() for path in scope.results}
    changed = {change.path for commit in history.commits for change in commit.changes} | set(edited)
    assert owned | set(scopes.unclaimed_paths) == changed
    assert not owned & set(scopes.unclaimed_paths)


@given(histories(), st.sampled_from(PATHS[:3]))
def test_work_of_another_handoff_leaves_a_scope_as_it_is(history: History, path: str) -> None:
    """Results, diff and start stay."""
    before = history.assign(*ALL, traces("H-9")).of("H-1")
    parents = (history.commits[-1].id,) if history.commits else ("before",)
    history.commit("H-9: something else", path, parents=parents)
    after = history.assign(*ALL, traces("H-9")).of("H-1")
    assert after.results == before.results
    assert after.befores == before.befores
    assert after.start == before.start or not before.commits


@given(histories())
def test_each_own_path_is_reviewed_from_before_its_first_change_to_its_last(history: History) -> None:
    """What no handoff had before is in somebody's diff: the owners' changes of a path form a chain without gaps."""
    scopes = history.assign(*ALL)
    for scope in scopes.by_handoff.values():
        for path, result in scope.results.items():
            own = [change for change in scope.changes if change.path == path]
            assert own[0].before == scope.befores[path]
            assert own[-1].after == result


def test_span_ends_at_the_start_line() -> None:
    """A report after the line says nothing about work before it, declared or not; one before it does."""
    history = History()
    history.commit("long ago", "a.py", "old.md")
    line = history.commit("just before", "a.py", "b.py")
    first = history.commit("work", "b.py")
    last = history.commit("report", "new.md")
    old, new = traces("OLD", "old.md"), traces("NEW", "new.md", declared=frozenset({"a.py", "b.py"}))
    scopes = assign_changes(history.commits, (), (old, new), past=frozenset({"c0", line}))
    assert scopes.of("NEW").commits == (first, last)
    assert reasons(scopes, "NEW") == {"b.py": "declared", "new.md": "declared"}
    assert reasons(scopes, "OLD") == {"a.py": "owner", "old.md": "declared"}
    assert scopes.unclaimed == ()
    assert scopes.changed == {"b.py", "new.md"}


def test_work_on_both_sides_of_the_start_line_counts_from_there_on() -> None:
    """A report that is written again and again hands over what is new; its older work is history."""
    history = History()
    history.commit("session one", "a.py", "HANDOFF.md")
    line = history.commit("tidy", "a.py")
    new = history.commit("session two", "b.py", "HANDOFF.md")
    report = traces("NOTE", "HANDOFF.md")
    scopes = assign_changes(history.commits, (), (report,), past=frozenset({"c0", line}))
    assert (scopes.of("NOTE").commits, scopes.of("NOTE").start) == ((new,), line)
    assert set(scopes.of("NOTE").results) == {"b.py", "HANDOFF.md"}
    scopes = assign_changes(history.commits[:2], (), (report,), past=frozenset({"c0", line}))
    assert set(scopes.of("NOTE").results) == {"a.py", "HANDOFF.md"}
