"""Files, commits and notes of a repository; sessions and ids."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.config.load import build_settings
from handoff_tui.core.place import ProblemLevel
from handoff_tui.git.repository import open_repository, read_work_tree
from handoff_tui.git.work_tree.patched_tree import SavedPaths
from handoff_tui.handoffs.handoff import ID_PATTERN, Handoff, build_id
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import has_log, open_session, reopen_session
from tests.support.repositories import RepositoryBuilder

Open = Callable[[str], RepositoryFiles]


@pytest.fixture
def open_files_with(builder: RepositoryBuilder) -> Open:
    """Opens the repository as it is now, with the settings of a text."""

    def open_files(settings: str = "") -> RepositoryFiles:
        repository = open_repository(builder.folder)
        loaded = build_settings(None, settings.encode())
        return RepositoryFiles(repository, read_work_tree(repository), loaded.settings)

    return open_files


def test_files_has_tracked_untracked_and_known_ignored_files(builder: RepositoryBuilder, open_files_with: Open) -> None:
    """What git ignores is there only at the places where tools keep their state; our own folder never is."""
    builder.write("a.md").write(".gitignore", ".mosaic\nbuild\n.handoff-tui\n.tdd.lock\n").commit()
    builder.write("b.md").write(".mosaic/deep/state.json").write("build/c.md").write(".tdd.lock")
    builder.write(".handoff-tui/log/1.json").write(".git/HANDOFF.md")
    assert open_files_with("").paths == (".gitignore", ".mosaic/deep/state.json", ".tdd.lock", "a.md", "b.md")


def test_files_leaves_out_what_was_deleted(builder: RepositoryBuilder, open_files_with: Open) -> None:
    """A tracked file that is gone cannot be read; one that was changed can."""
    builder.write("a.md").write("b.md").commit()
    builder.place("a.md").unlink()
    builder.write("b.md", "changed\n")
    files = open_files_with("")
    assert files.paths == ("b.md",)
    assert files.file("b.md").text == "changed\n"


@pytest.mark.parametrize(
    ("path", "content", "words", "level", "readable"),
    [
        ("a.md", b"caf\xe9", "UTF-8", ProblemLevel.WARNING, True),
        ("a.json", b"\x00\x01\x02\xff" * 50, "binary", ProblemLevel.ERROR, False),
        ("a.json", b"x" * 1_000_001, "too large", ProblemLevel.ERROR, False),
        ("a.md", b"x" * 5_001, "too long to be parsed: 5,001 bytes; the limit is 5,000", ProblemLevel.ERROR, False),
        ("a.Markdown", b"x" * 5_001, "too long to be parsed", ProblemLevel.ERROR, False),
    ],
)
def test_source_that_is_not_as_it_should_be_has_a_problem(
    builder: RepositoryBuilder,
    open_files_with: Open,
    path: str,
    content: bytes,
    words: str,
    level: ProblemLevel,
    readable: bool,  # noqa: FBT001
) -> None:
    """It is said what is wrong; what cannot be read is empty."""
    builder.write(path, content)
    source = open_files_with("[limits]\nmarkdown_bytes = 5_000\nfile_bytes = 1_000_000\n").file(path)
    [problem] = source.problems
    assert words in problem.message
    assert (problem.path, problem.level, source.readable, bool(source.text)) == (path, level, readable, readable)


def test_source_that_is_too_long_for_markdown_is_read_as_data(
    builder: RepositoryBuilder, open_files_with: Open
) -> None:
    """The limit is that of the Markdown parser alone."""
    builder.write("a.json", "[" + "1," * 3_000 + "1]")
    assert open_files_with("[limits]\nmarkdown_bytes = 5_000\n").file("a.json").json.valid


def test_source_that_leads_out_is_refused(builder: RepositoryBuilder, open_files_with: Open, tmp_path: Path) -> None:
    """Its problem does not repeat the path."""
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    builder.link("a.md", tmp_path / "secret")
    source = open_files_with("").file("a.md")
    [problem] = source.problems
    assert (source.readable, source.text, source.sha256) == (False, "", None)
    assert problem.message.startswith("is a link that leads out")


def test_commits_and_refs_are_facts(builder: RepositoryBuilder, open_files_with: Open) -> None:
    """Newest commit first, as many as the settings allow; tags are peeled."""
    builder.commit("one").commit("two\n\nNext-Agent: IMPL\n").commit("three").tag("handoff/one", "an annotation")
    builder.ref("refs/handoff/x", "HEAD~1").ref("refs/other/y")
    files = open_files_with("[limits]\ncommits = 2\n")
    assert [(commit.subject, commit.id) for commit in files.commits()] == [
        ("three", builder.head()),
        ("two", builder.head("HEAD~1")),
    ]
    assert "Next-Agent: IMPL" in files.commits()[1].body
    assert {ref.name: ref.commit for ref in files.refs()} == {
        "refs/handoff/x": builder.head("HEAD~1"),
        "refs/heads/main": builder.head(),
        "refs/tags/handoff/one": builder.head(),
    }


def test_notes_are_sources_newest_commit_first(builder: RepositoryBuilder, open_files_with: Open) -> None:
    """By the commit they annotate; those on commits further back are passed over."""
    builder.commit("zero").note("far back", "tdd").commit("one").note("old", "tdd").commit("two").note("new", "tdd")
    files = open_files_with("[limits]\ncommits = 2\n")
    notes = files.notes("refs/notes/tdd")
    assert [(commit, note.text) for commit, note in notes.items()] == [
        (builder.head(), "new\n"),
        (builder.head("HEAD~1"), "old\n"),
    ]
    assert [note.path for note in notes.values()] == [f"notes:refs/notes/tdd/{commit}" for commit in notes]
    assert files.file(f"notes:refs/notes/tdd/{builder.head()}") is notes[builder.head()]
    assert files.notes("refs/notes/none") == {}


def test_note_that_is_too_large_has_a_problem(builder: RepositoryBuilder, open_files_with: Open) -> None:
    """Like a file it is unreadable, and named."""
    builder.commit("one").note("x" * 3_000, "tdd")
    [note] = open_files_with("[limits]\nfile_bytes = 2_000\n").notes("refs/notes/tdd").values()
    assert not note.readable
    assert [problem.message for problem in note.problems] == ["is missing or too large"]


def test_files_moves_on_with_a_saved_file(builder: RepositoryBuilder, open_files_with: Open) -> None:
    """The saved one is read again, the others are the very same."""
    builder.write("a.md", "# one\n").write("b.md", "# two\n").commit()
    files = open_files_with("")
    assert files.paths == ("a.md", "b.md")
    first, other = files.file("a.md"), files.file("b.md")
    assert files.size("a.md") == 6
    assert [path for path in ("a.md", "b.md", "c.md") if files.has_read(path)] == ["a.md", "b.md"]
    builder.write("a.md", "# another\n").write("c.md")
    tree = read_work_tree(open_repository(builder.folder))
    later = files.move_on(tree, SavedPaths(frozenset({"a.md"})))
    assert later.file("a.md").text != first.text
    assert later.file("b.md") is other
    assert later.paths == files.paths
    assert later.size("a.md") == 10
    assert files.move_on(tree, SavedPaths(frozenset({"a.md"}), presence=True)).paths == ("a.md", "b.md", "c.md")


def test_files_that_read_through_a_link_denies_nothing(builder: RepositoryBuilder, open_files_with: Open) -> None:
    """The content may have changed under another name."""
    builder.write("texts/a.md").link("b.md", "texts/a.md").commit()
    files = open_files_with("")
    files.file("b.md")
    assert files.has_read("texts/a.md")


def test_desk_is_opened_from_anywhere_inside(builder: RepositoryBuilder) -> None:
    """The repository, its settings, and its work tree as of now."""
    builder.write("deep/a.py").write("handoff-tui.toml", "[limits]\ncommits = 7\n").commit().write("b.py")
    desk = open_session(builder.folder / "deep")
    assert desk.repository.root == builder.folder
    assert desk.loaded.settings.limits.commits == 7
    assert desk.work_tree.facts.untracked == ("b.py",)


def test_desk_takes_over_a_look_that_has_begun(builder: RepositoryBuilder) -> None:
    """It is as the look saw it; what has changed since is seen when the desk is opened again."""
    builder.write("a.py").commit().write("a.py", "other\n").write("new.py")
    plain = open_session(builder.folder)
    look = OutputCache(builder.folder, ["q"]).look
    assert look.read_digest() is not None
    builder.write("late.py").step("add", "late.py")
    desk = open_session(builder.folder, look)
    assert desk.work_tree.facts == plain.work_tree.facts
    assert "late.py" in reopen_session(desk).work_tree.facts.changed


def test_log_is_there_or_remembered(builder: RepositoryBuilder) -> None:
    """Its folder, or this clone's own record of it; a repository without either has none."""
    desk = open_session(builder.write("a").commit().folder)
    assert not has_log(desk)
    builder.write(".handoff-tui/log/aa/x")
    assert has_log(desk)
    (builder.folder / ".handoff-tui").rename(builder.folder / "away")
    builder.write(".git/handoff-tui/witness.json", "{}")
    assert has_log(desk)


@pytest.mark.parametrize(
    ("parts", "built"),
    [
        (("H-18",), "H-18"),
        (("hub", "T007", "12"), "hub/T007/12"),
        (("notes", "docs/handoffs/lamp.md"), "notes/docs/handoffs/lamp.md"),
        (("a b\tc",), "a-b-c"),
        (("a///b",), "a///b"),
        (("", "H-1", ""), "H-1"),
        ((".mosaic",), "mosaic"),
        (("-/.-x",), "x"),
        (("Lämpchen Straße",), "Lampchen-Strasse"),
        (("灯/灯-1",), "znx/znx-1"),
        (("—",), "unnamed"),
        (("",), "unnamed"),
        ((), "unnamed"),
        (("x" * 200,), "x" * 128),
        (("a\nb\x00c",), "a-b-c"),
    ],
)
def test_id_is_built_from_parts(parts: tuple[str, ...], built: str) -> None:
    """Joined by slashes; letters are spelled in ASCII, all else becomes a hyphen; never empty, never too long."""
    assert build_id(*parts) == built
    assert re.fullmatch(ID_PATTERN, build_id(*parts))


@pytest.mark.parametrize("wrong", ["", "-a", ".a", "/a", "a b", "a\n", "a\x00", "ä", "x" * 129, "a:b"])
def test_id_outside_the_grammar_is_refused(wrong: str) -> None:
    """The signed log could not name it."""
    with pytest.raises(ValidationError, match="id"):
        Handoff.model_validate({"id": wrong, "dialect": "builder"})


def test_submodules_with_handoffs_are_named(builder: RepositoryBuilder) -> None:
    """Another repository's handoffs are not read, and not passed over in silence."""
    builder.write("HANDOFF.md", "# Handoff\n\n## Next\n- dim it\n")
    for name in ("vendor/oil", "vendor/wick"):
        (builder.folder / name).mkdir(parents=True)
        inner = RepositoryBuilder.init(builder.folder / name)
        inner.write("docs/handoffs/a-handoff.md" if name == "vendor/oil" else "a.md").commit("inner")
    builder.commit("two submodules")
    [problem] = read_repository(open_session(builder.folder)).result.problems
    assert (problem.path, "docs/handoffs/a-handoff.md" in problem.message) == ("vendor/oil", True)
