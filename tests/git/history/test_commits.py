"""Commits, refs and notes; which commits are work, and who made them."""

from __future__ import annotations

import hashlib
import itertools
import os
import struct
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handoff_tui.core.errors import GitError, StoreWriteError
from handoff_tui.git.command import Git
from handoff_tui.git.history import last_changes
from handoff_tui.git.history.commit_changes import read_commit_changes
from handoff_tui.git.history.commit_graph import (
    count_commits,
    find_ancestors,
    find_merge_bases,
    find_work_commit,
    list_co_authors,
    list_work_commits,
    list_work_times,
    read_commit_paths,
    read_graph,
    read_message,
)
from handoff_tui.git.history.commits import (
    count_commits_since,
    find_last_commit,
    is_cut_off,
    read_blobs,
    read_commits,
    read_notes,
    read_refs,
    resolve_commits,
)
from handoff_tui.git.history.last_changes import blame_lines, read_commit_times, read_disk_times
from handoff_tui.git.objects.tree_diff import read_changes
from handoff_tui.git.repository import open_repository, reaches_locally
from handoff_tui.git.session import session_of
from handoff_tui.git.work_tree.trial_tree import offer_commit_view
from tests.support.repositories import AUTHOR, EMAIL, RepositoryBuilder

LIMIT = 1000


def open_git(builder: RepositoryBuilder) -> Git:
    return open_repository(builder.folder).git


def remove_object(builder: RepositoryBuilder, identifier: str) -> None:
    (builder.folder / ".git" / "objects" / identifier[:2] / identifier[2:]).unlink()


def test_commits_come_newest_first_and_whole(builder: RepositoryBuilder) -> None:
    """Each commit has its parents, its people, its date and its whole message."""
    builder.write("a").commit("first").write("a", "2\n").commit("second\n\nA body.\n\nTrailer: yes\n")
    newest, oldest = read_commits(open_git(builder), 10)
    assert (newest.id, newest.parents) == (builder.head(), (oldest.id,))
    assert (newest.subject, newest.body) == ("second", "second\n\nA body.\n\nTrailer: yes")
    assert (newest.author, newest.author_email, newest.committer, newest.committer_email) == (AUTHOR, EMAIL) * 2
    assert newest.date == "2025-06-15T15:08:40+00:00"
    assert oldest.parents == ()


def test_commits_are_limited_in_number_and_to_paths(builder: RepositoryBuilder) -> None:
    """At most as many as asked for, and only those that touch the paths, taken literally."""
    for number in range(3):
        builder.write(f"file{number}").commit(f"commit {number}")
    git = open_git(builder)
    assert [commit.subject for commit in read_commits(git, 2)] == ["commit 2", "commit 1"]
    assert [commit.subject for commit in read_commits(git, 9, ("file0", "file2"))] == ["commit 2", "commit 0"]
    assert read_commits(git, 9, ("file*",)) == []


@pytest.mark.parametrize(
    "message", ["", "\x0bvertical\x0c", "separator\u2028in it\u0085", "grün\n\n\x1eBody\x1d", "\ttab"]
)
def test_commits_survive_odd_messages(builder: RepositoryBuilder, message: str) -> None:
    """Whatever a message holds, one commit stays one commit."""
    builder.step("config", "core.commentChar", ";")
    builder.git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-m", message)
    builder.commit("after")
    newest, _ = read_commits(open_git(builder), 9)
    assert newest.subject == "after"


def test_commit_in_another_encoding_is_read_as_text(builder: RepositoryBuilder) -> None:
    """A message in Latin-1 that says so is converted; the repository's output encoding is not asked."""
    builder.config("i18n.commitEncoding", "ISO-8859-1").config("i18n.logOutputEncoding", "UTF-16")
    builder.git("commit", "--quiet", "--allow-empty", "--file=-", stdin="grün".encode("latin-1"))
    assert read_commits(open_git(builder), 1)[0].subject == "grün"


def test_unborn_branch_has_no_history(builder: RepositoryBuilder) -> None:
    """Before the first commit everything is empty and nothing raises."""
    git = open_git(builder)
    assert read_commits(git, 9) == []
    assert read_refs(git) == []
    assert read_notes(git, "commits") == {}
    assert resolve_commits(git, ["HEAD"]) == {"HEAD": None}
    assert count_commits_since(git, "HEAD") is None
    assert find_last_commit(git, "a") is None


def test_missing_commit_is_an_error_and_not_an_empty_history(builder: RepositoryBuilder) -> None:
    """A history that cannot be read is not passed off as none."""
    builder.write("a").commit("first")
    remove_object(builder, builder.head())
    git = open_git(builder)
    for read in (lambda: read_commits(git, 9), lambda: read_refs(git), lambda: find_last_commit(git, "a")):
        with pytest.raises(GitError) as caught:
            read()
        assert "fsck" in caught.value.hint


def test_forged_commit_graph_is_not_believed(builder: RepositoryBuilder) -> None:
    """Parents come from the commits themselves, not from a cache beside them that anyone can write."""
    for number in range(3):
        builder.commit(f"commit {number}")
    builder.git("commit-graph", "write", "--reachable")
    cut_all_parents(builder.folder / ".git" / "objects" / "info" / "commit-graph")
    assert builder.git("log", "--format=%s") == "commit 2"
    assert [commit.subject for commit in read_commits(open_git(builder), 9)] == ["commit 2", "commit 1", "commit 0"]


def cut_all_parents(graph: Path) -> None:
    """Rewrites the commit data of a commit-graph file so that no commit has a parent."""
    content = bytearray(graph.read_bytes())
    chunks = [struct.unpack_from(">4sQ", content, 8 + 12 * number) for number in range(content[6] + 1)]
    for (name, start), (_, end) in itertools.pairwise(chunks):
        if name == b"CDAT":
            for entry in range(start, end, 36):
                struct.pack_into(">I", content, entry + 20, 0x70000000)
    graph.chmod(0o644)
    graph.write_bytes(content)


def test_refs_have_kind_target_and_subject(builder: RepositoryBuilder) -> None:
    """Branches, both kinds of tags, a tag of a tag and refs of one's own; a tag's subject is its own."""
    builder.commit("a commit").tag("light").tag("heavy", "a tag\twith a tab").tag("double", "twice", "heavy")
    builder.ref("refs/handoff/one")
    refs = {ref.name: ref for ref in read_refs(open_git(builder))}
    head = builder.head()
    assert refs.keys() == {
        "refs/heads/main", "refs/tags/light", "refs/tags/heavy", "refs/tags/double", "refs/handoff/one"
    }  # fmt: skip
    assert {ref.commit for ref in refs.values()} == {head}
    assert (refs["refs/tags/heavy"].kind, refs["refs/tags/heavy"].subject) == ("tag", "a tag\twith a tab")
    assert refs["refs/tags/heavy"].target == builder.head("heavy")
    assert (refs["refs/tags/light"].kind, refs["refs/tags/light"].target) == ("commit", head)


def test_notes_are_found_by_commit(builder: RepositoryBuilder) -> None:
    """A note's blob holds its text; another ref has other notes, a missing one none."""
    builder.commit().note("a note", "handoff")
    git = open_git(builder)
    notes = read_notes(git, "handoff")
    assert notes.keys() == {builder.head()}
    assert list(read_blobs(git, list(notes.values()), LIMIT).values()) == [b"a note\n"]
    assert read_notes(git, "refs/notes/handoff") == notes
    assert read_notes(git, "missing") == {}


def test_blobs_are_read_by_id_and_by_path(builder: RepositoryBuilder) -> None:
    """Contents come as bytes, whatever is in them; what isn't a blob, missing or too large is nothing."""
    odd = b"\0\n\xff blob 7\nmissing\n"
    builder.write("a", odd).write("empty", b"").write("large", b"x" * 11).write("exact", b"x" * 10).write("d/e", "e")
    builder.write("with space", "space").commit()
    names = ["HEAD:a", builder.head("HEAD:a"), "HEAD:empty", "HEAD:large", "HEAD:exact", "HEAD:d", "HEAD:no", "f" * 40]
    contents = read_blobs(open_git(builder), [*names, "HEAD:with space", "HEAD"], len(odd))
    assert list(contents.values()) == [odd, odd, b"", b"x" * 11, b"x" * 10, None, None, None, b"space", None]
    assert read_blobs(open_git(builder), ["HEAD:large", "HEAD:exact"], 10) == {
        "HEAD:large": None,
        "HEAD:exact": b"x" * 10,
    }


def test_commits_are_resolved_as_written(builder: RepositoryBuilder) -> None:
    """Short and long ids, refs and tags name a commit; a tree or blob does not."""
    builder.write("a").commit().tag("v1", "tagged")
    head = builder.head()
    names = [head, head[:7], head.upper(), "HEAD", "main", "v1", "refs/tags/v1", builder.head("HEAD:a"), "dead" * 10]
    assert list(resolve_commits(open_git(builder), names).values()) == [head] * 7 + [None, None]


def test_ambiguous_short_id_is_nothing(builder: RepositoryBuilder) -> None:
    """An id that fits more than one commit names none; one digit more, and it names one."""
    first, second, length = build_similar_commits(builder)
    git = open_git(builder)
    assert resolve_commits(git, [first[:length]]) == {first[:length]: None}
    assert resolve_commits(git, [first[: length + 1], second]) == {first[: length + 1]: first, second: second}


def build_similar_commits(builder: RepositoryBuilder) -> tuple[str, str, int]:
    """Two commits whose ids begin with the same four digits, the fewest that git takes, and how many they share."""
    seen: dict[str, str] = {}
    tree = builder.git("hash-object", "-t", "tree", "-w", "--stdin")
    for number in range(5000):
        content = f"tree {tree}\nauthor A <a> 0 +0000\ncommitter A <a> 0 +0000\n\n{number}\n".encode()
        header = f"commit {len(content)}\0".encode()
        identifier = hashlib.sha1(header + content, usedforsecurity=False).hexdigest()
        if identifier[:4] in seen:
            other = seen[identifier[:4]]
            for stored in (content, content.rpartition(b"\n\n")[0] + f"\n\n{other}\n".encode()):
                builder.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=stored)
            similar = builder.git("rev-parse", f"--disambiguate={identifier[:4]}").split("\n")
            shared = itertools.takewhile(lambda digits: digits[0] == digits[1], zip(*similar, strict=True))
            return similar[0], similar[1], len(list(shared))
        seen[identifier[:4]] = str(number)
    raise AssertionError("no two ids begin alike")


def test_commits_since_are_counted(builder: RepositoryBuilder) -> None:
    """The distance to HEAD is counted for ancestors only."""
    builder.commit("one").tag("v1").commit("two").commit("three")
    builder.step("checkout", "-q", "-b", "side", "v1").commit("side").step("checkout", "-q", "main")
    git = open_git(builder)
    assert [count_commits_since(git, name) for name in ("HEAD", "v1", "main~1")] == [0, 2, 1]
    assert [count_commits_since(git, name) for name in ("side", "nothing", "--all", "", "a\0b")] == [None] * 5


def test_last_commit_of_a_path_is_found(builder: RepositoryBuilder) -> None:
    """The newest commit that touched a path, deleted ones and folders included."""
    builder.write("a").write("d/e").commit("one")
    first = builder.head()
    builder.write("b[1]").commit("two")
    git = open_git(builder.config("log.follow", "true"))
    assert find_last_commit(git, "a") == find_last_commit(git, "d") == first
    assert find_last_commit(git, "b[1]") == builder.head()


def test_commit_is_cut_off_where_a_shallow_clone_ends(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Not where history truly begins, and not what isn't a commit."""
    builder.write("a").commit("one").write("b").commit("two")
    whole, clone = open_git(builder), builder.clone_shallow(tmp_path / "clone")
    assert [is_cut_off(whole, name) for name in (builder.head(), builder.head("HEAD~1"), "nothing")] == [False] * 3
    cut = clone.head()
    clone.write("c").commit("three")
    assert [is_cut_off(open_git(clone), name) for name in (cut, clone.head())] == [True, False]


@pytest.fixture
def worked(tmp_path: Path) -> RepositoryBuilder:
    """A repository with one commit of work."""
    return RepositoryBuilder.init(tmp_path / "repo").write("a.txt", "one\n").commit("work")


def test_log_commits_are_no_work(worked: RepositoryBuilder) -> None:
    """A commit that only adds entries is passed over; one that also touches a file is not."""
    git = Git(worked.folder)
    base = worked.head()
    worked.write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl", "x")
    worked.commit("approval")
    assert list_work_commits(git, base) == []
    assert find_work_commit(git) == base
    worked.write(f".handoff-tui/log/bb/{'b' * 64}.intoto.jsonl", "x")
    worked.write(".handoff-tui-not/ours", "x")
    worked.commit("both")
    mixed = worked.head()
    assert list_work_commits(git, base) == [mixed]
    assert find_work_commit(git) == mixed


def test_co_authors_come_in_small_letters() -> None:
    """Every trailer counts, whatever its case."""
    body = "more\n\nCo-authored-by: Claude <noreply@agents.example>\nCo-Authored-By: Bo <Bo@example.com>"
    assert list_co_authors(body) == {"noreply@agents.example", "bo@example.com"}


@pytest.mark.parametrize(
    "trailer",
    [
        "Co-authored-by: Bo <bo@example.com>",
        "Co-authored-by: Al <al@example.com>, Bo <bo@example.com>",
        "Co-authored-by: Bo bo@example.com",
        "co-authored-by: Bo\n <bo@example.com>",
        "Co-authored-by: Bo <bo@example.com>\n\nA paragraph after it.",
    ],
)
def test_co_author_is_found_however_it_is_written(trailer: str) -> None:
    """No unusual form hides who had a hand in it."""
    assert "bo@example.com" in list_co_authors(f"more\n\n{trailer}\n")


def test_address_in_the_text_makes_no_co_author() -> None:
    """Who is only mentioned, or quoted with an indent, had no hand in it."""
    assert not list_co_authors("ask bo@example.com\n\n    Co-authored-by: Bo <bo@example.com>\n")


def test_many_are_asked_about_at_once(worked: RepositoryBuilder) -> None:
    """Itself and what lies before; neither a side branch nor what is not here. Nobody asks about nothing."""
    git = Git(worked.folder)
    first = worked.head()
    worked.step("switch", "--quiet", "--create", "side").write("b.txt").commit("side")
    side = worked.head()
    worked.step("switch", "--quiet", "main").write("c.txt").commit("more")
    head = worked.head()
    assert find_ancestors(git, [first, side, head, "1" * 40, first]) == {first, head}
    assert find_ancestors(git, [first, side], side) == {first, side}
    assert find_ancestors(git, []) == find_ancestors(git, ["1" * 40]) == frozenset()


def test_merge_that_took_a_side_as_it_was_is_no_work(worked: RepositoryBuilder) -> None:
    """Whoever merged has made nothing; a merge of two lines is somebody's work."""
    git = Git(worked.folder)
    base = worked.head()
    worked.step("switch", "--quiet", "--create", "side").write("b.txt").commit("side")
    side = worked.head()
    worked.step("switch", "--quiet", "main").step("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    assert list_work_commits(git, base) == [side]
    worked.step("reset", "--quiet", "--hard", base).write("c.txt").commit("more")
    worked.step("merge", "--quiet", "--no-ff", "-m", "both", "side")
    assert len(list_work_commits(git, base)) == 3


def test_times_of_work_are_told_and_commits_of_the_log_are_not_among_them(worked: RepositoryBuilder) -> None:
    """By the committer's clock, sorted, from a moment on."""
    first = worked.moment
    worked.write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl", "x").commit("approval")
    worked.write("a.txt", "two\n").commit("more work")
    git = Git(worked.folder)
    assert list_work_times(git, 0) == list_work_times(git, -62_135_596_800) == [first, worked.moment]
    assert list_work_times(git, first + 1) == [worked.moment]


def read(builder: RepositoryBuilder, *paths: str, shallow: bool = False) -> dict[str, datetime]:
    return read_commit_times(open_repository(builder.folder).git, paths, shallow=shallow)


def moment(builder: RepositoryBuilder) -> datetime:
    return datetime.fromtimestamp(builder.moment, UTC)


def test_newest_commit_that_touched_a_path_gives_its_time(builder: RepositoryBuilder) -> None:
    """Each path by its own last change; what no commit has is left out."""
    builder.write("a/one.md", "1").write("two.md", "1").commit()
    first = moment(builder)
    builder.write("a/one.md", "2").commit()
    second = moment(builder)
    builder.write("later.md").write("two.md", "1")
    assert read(builder, "a/one.md", "two.md", "later.md", "nowhere.md") == {"a/one.md": second, "two.md": first}


def test_odd_names_are_taken_as_they_are(builder: RepositoryBuilder) -> None:
    """Blanks, quotes, stars and bytes that aren't text; a star stands for nothing else."""
    names = ["a b.md", 'c"d.md', "*.md", os.fsdecode(b"\xff.md"), "\n.md"]
    for name in names:
        builder.write(name)
    builder.write("other.md").commit()
    assert read(builder, *names).keys() == set(names)


def test_merge_counts_as_the_change_of_what_it_brings(builder: RepositoryBuilder) -> None:
    """On this line of work the file changed when it was merged."""
    builder.write("one.md", "1").commit().step("checkout", "-q", "-b", "side")
    builder.write("one.md", "2").commit().step("checkout", "-q", "main")
    builder.write("else.md").commit()
    builder.moment += 600
    builder.step("merge", "-q", "--no-ff", "-m", "merged", "side")
    assert read(builder, "one.md") == {"one.md": moment(builder)}


def test_shallow_clone_does_not_guess(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Its oldest commit seems to have made everything; only what came later has a time."""
    builder.write("old.md").commit()
    clone = builder.clone_shallow(tmp_path / "clone")
    clone.write("new.md").commit()
    assert read(clone, "old.md", "new.md", shallow=True).keys() == {"new.md"}


def test_many_paths_are_asked_for_by_their_folders(builder: RepositoryBuilder) -> None:
    """Git compares each change with each path it is given, so two thousand are asked for by few."""
    names = [f"handoffs/H-{number}/results.md" for number in range(200)]
    for name in names:
        builder.write(name)
    builder.commit()
    assert read(builder, *names).keys() == set(names)
    assert last_changes._build_scope(set(names)) == ["handoffs"]
    assert last_changes._build_scope({f"{number}.md" for number in range(200)}) == ["."]


def test_disk_tells_the_time_of_what_is_in_no_commit(builder: RepositoryBuilder) -> None:
    """By the last write; a link by its own, and what leads out of the repository not at all."""
    builder.write("draft.md").link("link.md", "/etc/passwd")
    os.utime(builder.folder / "draft.md", (1_700_000_000, 1_700_000_000))
    found = read_disk_times(builder.folder, ["draft.md", "link.md", "gone.md", "../secret", "/etc/passwd", "\udcff\0"])
    assert found["draft.md"] == datetime.fromtimestamp(1_700_000_000, UTC)
    assert found.keys() == {"draft.md", "link.md"}


def test_changes_against_a_commit_are_told(builder: RepositoryBuilder) -> None:
    """Committed, staged and unstaged ones alike; renames are found."""
    builder.write("keep", "k\n").write("old name.py", "text\n" * 20).write("gone").write("edit", "a\n").commit("one")
    base = builder.head()
    builder.git("mv", "old name.py", "new name.py")
    builder.git("rm", "-q", "gone")
    builder.write("added", "something else\n").commit("two").write("edit", "b\n")
    listed = read_changes(open_repository(builder.folder).git, base)
    assert sorted((one.status, one.path, one.old_path) for one in listed) == [
        ("A", "added", None),
        ("D", "gone", None),
        ("M", "edit", None),
        ("R", "new name.py", "old name.py"),
    ]


def test_paths_of_a_commit_are_told(builder: RepositoryBuilder) -> None:
    """Also of the first one."""
    builder.write("a").commit("one").write("b").commit("two")
    git = open_repository(builder.folder).git
    assert read_commit_paths(git, builder.head("HEAD~1")) == ["a"]
    assert read_commit_paths(git, "HEAD") == ["b"]


def test_paths_of_commits_that_were_read_are_not_asked_again(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But a merge was read against all its parents at once, and is asked about."""
    builder.write("a").commit("one").git("checkout", "-q", "-b", "side")
    builder.write("b").commit("two").git("checkout", "-q", "main")
    builder.write("c").write("é\n").commit("three").git("merge", "-q", "--no-ff", "-m", "four", "side")
    asked, git = open_repository(builder.folder).git, open_repository(builder.folder).git
    commits = read_commit_changes(git)
    paths = {one.id: read_commit_paths(asked, one.id) for one in commits}
    assert len(paths) == 4
    assert read_commit_paths(git, builder.head()) == paths[builder.head()]
    monkeypatch.setattr(Git, "read", None)
    alone = [one for one in commits if len(one.parents) < 2]
    assert {one.id: read_commit_paths(git, one.id) for one in alone} == {one.id: paths[one.id] for one in alone}


def test_history_that_was_read_whole_is_not_read_again(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest commits with their messages are all there are, unless there are as many as were asked for."""
    for name in ("a", "b", "c"):
        builder.write(name).commit(name)
    asked, learned, cut = (session_of(open_repository(builder.folder).git) for _ in range(3))
    assert len(read_commits(learned, 4)) == 3
    assert len(read_commits(cut, 3)) == 3
    assert cut.find_known("history") is None
    expected = asked.read_history()
    monkeypatch.setattr(Git, "run", None)
    assert learned.read_history() == expected
    assert list(learned.read_history().trees) == list(expected.parents)


def test_merge_base_is_where_lines_parted(builder: RepositoryBuilder) -> None:
    """An unknown name gives nothing."""
    builder.write("a").commit("one")
    base = builder.head()
    builder.git("checkout", "-q", "-b", "side")
    builder.write("b").commit("two")
    git = open_repository(builder.folder).git
    assert find_merge_bases(git, "main", "side") == [base]
    assert find_merge_bases(git, "main", "nowhere") == []


@pytest.mark.parametrize("url", ["https://example.com/x.git", "git@example.com:x.git", "ssh://h/x", "ext::sh -c x"])
def test_remote_elsewhere_is_not_asked(tmp_path: Path, url: str) -> None:
    """Only folders of this machine are looked at."""
    assert reaches_locally(tmp_path, url) is None


def test_local_remote_is_looked_at(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A repository answers, an empty folder and a missing one do not."""
    bare = RepositoryBuilder.init(tmp_path / "bare", "--bare").folder
    (tmp_path / "empty").mkdir()
    assert reaches_locally(builder.folder, f"file://{bare}") is True
    assert reaches_locally(builder.folder, "../bare") is True
    assert reaches_locally(builder.folder, "../empty") is False
    assert reaches_locally(builder.folder, "../missing") is False


def test_graph_has_trees_parents_and_words(builder: RepositoryBuilder) -> None:
    """Newest first, without what leads to another commit."""
    builder.commit("one").commit("two\n\nwith a body").commit("three")
    found = read_graph(Git(builder.folder), "HEAD", without=(builder.head("HEAD~2"),))
    assert [(one.id, one.subject) for one in found] == [(builder.head(), "three"), (builder.head("HEAD~1"), "two")]
    assert found[0].parents == (found[1].id,)
    assert count_commits(Git(builder.folder), "HEAD") == 3
    assert found[0].tree == builder.head("HEAD^{tree}")
    assert (found[0].author, found[0].author_email, found[0].committed) == (AUTHOR, EMAIL, builder.moment)
    assert found[0].moment.timestamp() == builder.moment
    assert read_message(Git(builder.folder), found[1].id) == "two\n\nwith a body"


def test_view_is_made_once_for_each_commit(builder: RepositoryBuilder) -> None:
    """Asked again, the same folder answers; another repository has another one."""
    builder.commit("one")
    repository = open_repository(builder.folder)
    first, again = (offer_commit_view(repository, builder.head()) for _ in range(2))
    assert first.git_dir == again.git_dir
    other = RepositoryBuilder.init(builder.folder.parent / "other").commit("one")
    assert offer_commit_view(open_repository(other.folder), builder.head()).git_dir != first.git_dir


def test_view_says_that_it_cannot_be_made(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A temporary folder that is a file, say."""
    builder.commit("one")
    (tmp_path / "file").touch()
    monkeypatch.setattr("handoff_tui.git.work_tree.trial_tree._offer_folder", lambda: tmp_path / "file")
    with pytest.raises(StoreWriteError, match="cannot be written"):
        offer_commit_view(open_repository(builder.folder), builder.head())


def blame(builder: RepositoryBuilder, path: str) -> list[tuple[str, str]]:
    """The origin of every line."""
    lines = blame_lines(open_repository(builder.folder).git, builder.head(), path)
    return [(line.commit, line.path) for line in lines]


def test_every_line_has_its_commit(builder: RepositoryBuilder) -> None:
    """Lines that a later commit left alone stay with the one before."""
    builder.write("a", "one\ntwo\nthree\n").commit()
    first = builder.head()
    builder.write("a", "one\n2\nthree\n").commit()
    assert blame(builder, "a") == [(first, "a"), (builder.head(), "a"), (first, "a")]


def test_white_space_counts_and_no_commit_is_passed_over(builder: RepositoryBuilder) -> None:
    """Whatever the repository's configuration says: an approval is about exact lines."""
    builder.write("a", "one\n").commit()
    builder.write("a", "  one\n").commit()
    builder.write("passed-over", f"{builder.head()}\n").config("blame.ignoreRevsFile", "passed-over")
    assert blame(builder, "a") == [(builder.head(), "a")]


@pytest.mark.parametrize("name", ["old", 'with "quotes" and \\', "line\nend", "grün\ttab"])
def test_line_keeps_the_name_that_its_file_had(builder: RepositoryBuilder, name: str) -> None:
    """Also a name that git writes in quotes."""
    text = "".join(f"line {number}\n" for number in range(20))
    builder.write(name, text).commit()
    first = builder.head()
    builder.step("mv", name, "new").commit()
    assert blame(builder, "new") == [(first, name)] * 20
