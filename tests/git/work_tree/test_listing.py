from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository, read_work_tree
from handoff_tui.git.work_tree import digest as stillness
from handoff_tui.git.work_tree.digest import RepositoryDigest, digest_contents
from handoff_tui.git.work_tree.listing import leave_out_own, list_below, parse_listing, sort_paths
from handoff_tui.git.work_tree.patched_tree import (
    ContentRules,
    PatchedTree,
    find_gone,
    is_stored_as_is,
    patch_work_tree,
    read_content_rules,
)
from handoff_tui.git.work_tree.unseen import IgnoredFiles, is_ignored, list_ignored
from handoff_tui.system.files.named_files import read_user_file
from handoff_tui.system.files.reader import FileReader
from tests.support.repositories import RepositoryBuilder

PATHS = st.lists(st.lists(st.sampled_from(["a", "b", "a.b", "a0", "é", "-"]), min_size=1, max_size=3).map("/".join))


@given(PATHS, PATHS)
def test_paths_are_sorted_and_cut_as_by_looking_at_each(some: Iterable[str], more: Iterable[str]) -> None:
    """Each path once, in order; below a folder are those that begin with it and a slash."""
    paths = sort_paths(some, more)
    assert paths == tuple(sorted({*some, *more}))
    assert list_below(paths, "a") == tuple(path for path in paths if path.startswith("a/"))
    own = (".handoff-tui/.gitignore", ".handoff-tui/trust/policy.toml")
    assert leave_out_own(sort_paths(paths, (*own, ".handoff-tui/a"))) == sort_paths(paths, (".handoff-tui/a",))


def test_line_of_one_path_is_found_without_the_others() -> None:
    """Also where another path ends like it after a tab; a path in conflict, or hidden, has no ordinary line."""
    blob = "a" * 40
    lines = [
        f"H 100644 {blob} 0\tsrc/a.py",
        f"H 100755 {'b' * 40} 0\trun.sh",
        f"H 100644 {'c' * 40} 0\todd\ttail.py",
        f"H 100644 {'d' * 40} 0\ttail.py",
        f"M 100644 {blob} 1\tfought.py",
        f"M 100644 {blob} 2\tfought.py",
        f"h 100644 {blob} 0\thidden.py",
    ]
    tracked, _, _ = parse_listing("".join(f"{line}\0" for line in lines).encode())
    assert tracked.find_line("src/a.py") == ("100644", blob)
    assert tracked.find_line("run.sh") == ("100755", "b" * 40)
    assert tracked.find_line("tail.py") == ("100644", "d" * 40)
    assert [tracked.find_line(path) for path in ("fought.py", "hidden.py", "a.py", "absent")] == [None] * 4


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()


def test_files_among_and_below_ignored_paths_are_listed(tmp_path: Path) -> None:
    """Folders are walked, links not followed, pipes passed over, skipped folders never entered."""
    make(tmp_path, "a.log", "build/reports/x.xml", "build/y.xml", "node_modules/z.xml", "build/node_modules/w.xml")
    (tmp_path / "build" / "link").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "build" / "pipe")
    found = list_ignored(tmp_path, ["node_modules/", "build/", "a.log", "gone/"], {"node_modules"}, 100)
    assert found == IgnoredFiles(("a.log", "build/reports/x.xml", "build/y.xml"), complete=True)


def test_limit_cuts_always_at_the_same_place(tmp_path: Path) -> None:
    """Where there is more than may be looked through, that is told, whatever the order of the file system."""
    make(tmp_path, *(f"b/{number}" for number in range(10)), "a/x", "c/y")
    assert list_ignored(tmp_path, ["c/", "b/", "a/"], (), 5) == IgnoredFiles(("a/x",), complete=False)


def test_ignored_path_is_known_before_it_is_there(builder: RepositoryBuilder) -> None:
    """By a rule of the repository, wherever it stands; what no rule names is not ignored."""
    builder.write(".gitignore", "/.own/\n").write("inner/.gitignore", "*.log\n")
    git = Git.open(builder.folder)
    assert is_ignored(git, ".own/log/entry")
    assert is_ignored(git, "inner/a.log")
    assert not is_ignored(git, "a.log")


Change = Callable[[RepositoryBuilder], object]


def digest(builder: RepositoryBuilder) -> str | None:
    return RepositoryDigest(open_repository(builder.folder)).read_digest()


@pytest.fixture
def still(builder: RepositoryBuilder) -> RepositoryBuilder:
    """Something committed, changed, new, and ignored."""
    builder.write("a.py", "one\n").write("b.py").write(".gitignore", ".mosaic\nbuild\n").commit()
    return builder.write("a.py", "two\n").write("new.py").write(".mosaic/state.json", "{}").write("build/out")


def test_digest_stays_while_nothing_moves(still: RepositoryBuilder) -> None:
    """Looking twice is the same, and what git ignores elsewhere does not count."""
    before = digest(still)
    assert before is not None
    still.write("build/out", "other\n")
    assert digest(still) == before


def replace_by_link(builder: RepositoryBuilder, path: str) -> None:
    builder.place(path).unlink()
    builder.link(path, "a.py")


CHANGES: dict[str, Change] = {
    "another content of a changed file": lambda builder: builder.write("a.py", "six\n"),
    "another content of a new file": lambda builder: builder.write("new.py", "text!"),
    "a file that is gone": lambda builder: builder.place("b.py").unlink(),
    "another mode": lambda builder: builder.place("new.py").chmod(0o755),
    "a commit": lambda builder: builder.commit(),
    "a renamed file": lambda builder: builder.step("mv", "b.py", "c.py"),
    "a ref": lambda builder: builder.ref("refs/handoff/x"),
    "a note": lambda builder: builder.note("said"),
    "a setting of git": lambda builder: builder.config("core.autocrlf", "input"),
    "a file to overlook": lambda builder: builder.step("update-index", "--assume-unchanged", "b.py"),
    "a link in place of a file": lambda builder: replace_by_link(builder, "new.py"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_digest_moves_with_everything_a_check_can_see(still: RepositoryBuilder, change: str) -> None:
    """No older answer is given to a newer question."""
    before = digest(still)
    CHANGES[change](still)
    assert digest(still) != before


def test_what_no_status_speaks_for_is_noted(
    still: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Ignored files, those of the user, and absent ones; not what git lists, and not our own cache."""
    monkeypatch.setattr(stillness, "_CLOCK_STEP", 0)
    look = RepositoryDigest(open_repository(still.folder))
    reader = FileReader(still.folder, 100)
    for path in ("a.py", "new.py", "b.py", "build/out", "absent"):
        reader.exists(path)
    read_user_file(tmp_path / "config.toml", 100)
    read_user_file(tmp_path / "cache" / "ours.json", 100)
    found = look.find_unseen(tmp_path / "cache")
    assert found == tuple(sorted(map(str, (still.place("absent"), still.place("build/out"), tmp_path / "config.toml"))))


def test_nobody_knows_what_was_seen_of_a_file_that_changed_meanwhile(still: RepositoryBuilder, tmp_path: Path) -> None:
    """Also if it is as before again."""
    look = RepositoryDigest(open_repository(still.folder))
    FileReader(still.folder, 100).exists("b.py")
    before = still.place("b.py").read_bytes()
    still.write("b.py", "other\n")
    still.place("b.py").write_bytes(before)
    assert look.find_unseen(tmp_path / "cache") is None


def test_nothing_is_still_once_something_that_was_read_has_moved(
    still: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file, one that is gone or a link, the index and refs count; a file that nobody has read doesn't."""
    monkeypatch.setattr(stillness, "_CLOCK_STEP", 0)
    moves: dict[str, tuple[str, Change]] = {
        "saved": ("b.py", lambda builder: builder.write("b.py", "new\n")),
        "gone": ("b.py", CHANGES["a file that is gone"]),
        "new": ("absent", lambda builder: builder.write("absent")),
        "ignored": ("build/out", lambda builder: builder.write("build/out", "new\n")),
        "index": ("b.py", lambda builder: builder.step("rm", "-q", "--cached", "new.py")),
        "ref": ("b.py", CHANGES["a ref"]),
        "HEAD": ("b.py", lambda builder: builder.step("checkout", "-q", "--detach")),
    }
    for name, (path, move) in moves.items():
        look = RepositoryDigest(open_repository(still.folder))
        FileReader(still.folder, 100).exists(path)
        still.write("unread", name)
        assert look.is_still(), name
        move(still)
        assert not look.is_still(), name
        still.write("b.py", "one\n").commit()
    look = RepositoryDigest(open_repository(still.link("link.py", "a.py").folder))
    FileReader(still.folder, 100).exists("link.py")
    assert not look.is_still()


def test_contents_are_digested_by_what_they_hold(tmp_path: Path) -> None:
    """A file by its content and mode, a folder by its names; one that is absent by that."""
    place, folder = tmp_path / "file", tmp_path / "folder"
    found = {digest_contents([str(place)])}
    place.write_text("a", encoding="utf-8")
    found.add(digest_contents([str(place)]))
    place.write_text("b", encoding="utf-8")
    found.add(digest_contents([str(place)]))
    folder.mkdir()
    found.add(digest_contents([str(folder)]))
    (folder / "name").touch()
    found.add(digest_contents([str(folder)]))
    assert len(found) == 5


@pytest.mark.parametrize(("limit", "value"), [("_MOST_CHANGED", 1), ("_MOST_BYTES", 5)])
def test_digest_is_none_where_it_would_cost_too_much(
    still: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    """Very many changed files, or very large ones: then the checks simply run."""
    monkeypatch.setattr(stillness, limit, value)
    assert digest(still) is None


def test_digest_of_a_conflict_has_both_sides(builder: RepositoryBuilder) -> None:
    """A file in conflict is read like any other that changed."""
    builder.write("a.py", "one\n").commit().step("branch", "side")
    builder.write("a.py", "two\n").commit().step("checkout", "--quiet", "side")
    builder.write("a.py", "three\n").commit()
    with pytest.raises(AssertionError, match="merge"):
        builder.git("merge", "main")
    before = digest(builder)
    builder.write("a.py", "<<<<<<< mine\n")
    assert digest(builder) != before


Act = Callable[[RepositoryBuilder], object]


def unlink(path: str) -> Act:
    return lambda builder: builder.place(path).unlink()


def write(path: str, text: str) -> Act:
    return lambda builder: builder.write(path, text)


def make_executable(path: str, mode: int) -> Act:
    return lambda builder: builder.place(path).chmod(mode)


SAVES: list[tuple[str, Act]] = [
    ("a.py", write("a.py", "changed\n")),
    ("a.py", write("a.py", "changed again\n")),
    ("a.py", write("a.py", "one\n")),
    ("folder/b.py", unlink("folder/b.py")),
    ("folder/b.py", write("folder/b.py", "two\n")),
    ("new.txt", write("new.txt", "new\n")),
    ("new.txt", write("new.txt", "newer\n")),
    ("folder/ähm.txt", write("folder/ähm.txt", "more\n")),
    ("new.txt", unlink("new.txt")),
    ("out.log", write("out.log", "ignored\n")),
    ("staged.py", write("staged.py", "in the index\n")),
    ("staged.py", write("staged.py", "beyond the index\n")),
    ("run.sh", make_executable("run.sh", 0o644)),
    ("run.sh", make_executable("run.sh", 0o755)),
    ("windows.txt", write("windows.txt", "one\r\ntwo\r\n")),
    ("empty.txt", write("empty.txt", "")),
]


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    builder.write("a.py", "one\n").write("folder/b.py", "two\n").write("staged.py", "old\n").write("empty.txt", "x\n")
    builder.write("run.sh", "true\n").write("windows.txt", "one\ntwo\n").write(".gitignore", "*.log\n")
    builder.place("run.sh").chmod(0o755)
    builder.commit().write("staged.py", "in the index\n").step("add", "staged.py")
    return builder


def patch(builder: RepositoryBuilder, *paths: str, act: Act) -> PatchedTree | None:
    """What a save makes of the tree as it was before."""
    repository = open_repository(builder.folder)
    tree = read_work_tree(repository)
    gone = find_gone(repository, tree)
    act(builder)
    return patch_work_tree(repository, tree, gone, paths)


@pytest.mark.parametrize("attributes", ["", "* text=auto\n", "*.py filter=none\n", "* text=auto eol=crlf\n"])
def test_patched_tree_is_what_git_would_say(work: RepositoryBuilder, attributes: str) -> None:
    """After every save, whatever attributes there are: changed, untracked and known paths as by a full look."""
    if attributes:
        work.write(".gitattributes", attributes).step("add", ".gitattributes")
    repository = open_repository(work.folder)
    tree = read_work_tree(repository)
    gone = find_gone(repository, tree)
    for path, act in SAVES:
        act(work)
        patched = patch_work_tree(repository, tree, gone, [path])
        assert patched is not None, path
        now = read_work_tree(repository)
        assert patched.tree.facts == now.facts, path
        assert patched.tree.paths == now.paths, path
        assert patched.gone == find_gone(repository, now), path
        tree, gone = patched.tree, patched.gone


@pytest.mark.parametrize(
    ("path", "act"),
    [("a.py", unlink("a.py")), ("new.txt", write("new.txt", "new\n")), ("out.log", write("out.log", "ignored\n"))],
)
def test_coming_and_going_is_said(work: RepositoryBuilder, path: str, act: Act) -> None:
    """Also of a file that git ignores: a claim may name it."""
    patched = patch(work, path, act=act)
    assert patched is not None
    assert patched.saved.presence


def test_file_that_comes_back_is_said(work: RepositoryBuilder) -> None:
    """A tracked file that was away counts as come, though the list had its name all the time."""
    work.place("a.py").unlink()
    patched = patch(work, "a.py", act=write("a.py", "one\n"))
    assert patched is not None
    assert patched.saved.presence
    assert "a.py" not in patched.gone


def test_new_file_of_an_atomic_save_vanishes(work: RepositoryBuilder) -> None:
    """It is in no list, and nothing has become of it."""
    patched = patch(work, "a.py", "a.py.new", act=write("a.py", "changed\n"))
    assert patched is not None
    assert (patched.saved.paths, patched.vanished) == (frozenset({"a.py", "a.py.new"}), frozenset({"a.py.new"}))
    assert not patched.saved.presence


@pytest.mark.parametrize(
    ("path", "act"),
    [
        (".gitignore", write(".gitignore", "*.py\n")),
        ("folder/.gitattributes", write("folder/.gitattributes", "* -text\n")),
        (".handoff-tui/log/aa/x", write(".handoff-tui/log/aa/x", "entry\n")),
        ("folder", write("folder/c.py", "three\n")),
        ("link", lambda builder: builder.link("link", "a.py")),
        ("staged.py", lambda builder: builder.step("update-index", "--assume-unchanged", "staged.py")),
    ],
    ids=["ignore", "attributes", "own", "folder", "link", "overlooked"],
)
def test_what_is_out_of_the_ordinary_needs_a_full_look(work: RepositoryBuilder, path: str, act: Act) -> None:
    """Rules of git, our own files, folders, links, and what git was told to overlook."""
    if path == "staged.py":
        act(work)
    assert patch(work, path, act=act) is None


def test_planted_filter_does_not_run(work: RepositoryBuilder) -> None:
    """Configuration that was written after the repository was opened is disarmed before git is asked."""

    def plant(builder: RepositoryBuilder) -> None:
        builder.write("a.py", "one\r\n").write("mark.txt", "")
        builder.config("filter.evil.clean", f"touch {builder.folder}/ran; cat")
        builder.place(".git/info").mkdir(exist_ok=True)
        builder.place(".git/info/attributes").write_text("*.py filter=evil\n", encoding="utf-8")

    assert patch(work, "a.py", "mark.txt", act=plant) is not None
    assert not work.place("ran").exists()


def read(builder: RepositoryBuilder) -> ContentRules:
    return read_content_rules(open_repository(builder.folder))


def is_plain(builder: RepositoryBuilder, path: str = "folder/a.txt", content: bytes = b"text\n") -> bool:
    return is_stored_as_is(open_repository(builder.folder), path, content)


def test_plain_text_is_stored_as_it_is(builder: RepositoryBuilder) -> None:
    """Also where rules about line ends hold: without a carriage return they change nothing."""
    assert is_plain(builder)
    builder.write(".gitattributes", "* text=auto\n")
    assert is_plain(builder)
    assert not is_plain(builder, content=b"one\r\n")


@pytest.mark.parametrize("place", [".gitattributes", "folder/.gitattributes", ".git/info/attributes"])
@pytest.mark.parametrize("rule", ["*.txt filter=lfs", "* ident", "*.txt working-tree-encoding=UTF-16"])
def test_converting_attributes_are_left_to_git(builder: RepositoryBuilder, place: str, rule: str) -> None:
    """Wherever they stand above the file."""
    builder.write(place, f"{rule}\n")
    assert not is_plain(builder)


def test_attributes_beside_the_path_do_not_count(builder: RepositoryBuilder) -> None:
    """Those of another folder say nothing about it."""
    builder.write("other/.gitattributes", "* filter=lfs\n")
    assert is_plain(builder)


def test_attributes_of_the_user_count(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """In their usual place, and where the configuration names another."""
    usual = isolated_user / "config" / "git" / "attributes"
    usual.parent.mkdir(parents=True)
    usual.write_text("* filter=mine\n", encoding="utf-8")
    assert not is_plain(builder)
    usual.unlink()
    assert is_plain(builder)
    named = isolated_user / "named"
    named.write_text("* ident\n", encoding="utf-8")
    (isolated_user / "gitconfig").write_text(f"[core]\n\tattributesFile = {named}\n", encoding="utf-8")
    assert not is_plain(builder)


def test_attributes_that_cannot_be_read_are_left_to_git(builder: RepositoryBuilder) -> None:
    """What cannot be told is not guessed."""
    builder.place(".gitattributes").mkdir()
    assert not is_plain(builder)
