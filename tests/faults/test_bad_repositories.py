"""Odd repositories and broken files: a clear message with a hint and a place, nothing written, the rest is read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import say
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder

HANDOFF = "# Handoff\n\n**Status**: in progress\n\n## Next steps\n\n- go on\n"


def with_handoff(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.write("HANDOFF.md", HANDOFF).commit("one").write("HANDOFF.md", HANDOFF + "- more\n").commit("two")


def make_unborn(builder: RepositoryBuilder, _: Path) -> Path:
    return builder.write("HANDOFF.md", HANDOFF).folder


def make_detached(builder: RepositoryBuilder, _: Path) -> Path:
    return with_handoff(builder).detach().folder


def make_worktree(builder: RepositoryBuilder, tmp_path: Path) -> Path:
    return with_handoff(builder).worktree(tmp_path / "linked", "side").folder


def make_shallow(builder: RepositoryBuilder, tmp_path: Path) -> Path:
    return with_handoff(builder).clone_shallow(tmp_path / "shallow").folder


def make_submodule(builder: RepositoryBuilder, tmp_path: Path) -> Path:
    library = with_handoff(RepositoryBuilder.init(tmp_path / "library"))
    with_handoff(builder).submodule(library, "library")
    return builder.folder


def make_sha256(_: RepositoryBuilder, tmp_path: Path) -> Path:
    return with_handoff(RepositoryBuilder.init(tmp_path / "sha256", "--object-format=sha256")).folder


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (make_unborn, {"head": None, "branch": "main"}),
        (make_detached, {"branch": None}),
        (make_worktree, {"branch": "side"}),
        (make_shallow, {"branch": "main"}),
        (make_submodule, {"branch": "main"}),
        (make_sha256, {"branch": "main"}),
    ],
)
def test_odd_repository_is_read_and_left_alone(
    builder: RepositoryBuilder,
    tmp_path: Path,
    make: Callable[[RepositoryBuilder, Path], Path],
    expected: dict[str, object],
) -> None:
    """The handoff is found and shown, git's facts are right, and not a byte or time stamp changes."""
    folder = make(builder, tmp_path)
    before = read_fingerprint(tmp_path)
    status = say("status", "--json", "--repo", folder)
    shown = say("show", "notes/HANDOFF.md", "--json", "--repo", folder)
    assert (status.code, shown.code) == (0, 0), status.stderr + shown.stderr
    assert expected.items() <= status.json.items()
    assert [handoff["id"] for handoff in status.json["handoffs"]] == ["notes/HANDOFF.md"]
    assert shown.json["status_claimed"] == "IN_PROGRESS"
    assert compare_fingerprints(before, read_fingerprint(tmp_path)) == []


def make_nothing(_: RepositoryBuilder, tmp_path: Path) -> Path:
    (tmp_path / "plain").mkdir()
    return tmp_path / "plain"


def make_absent(_: RepositoryBuilder, tmp_path: Path) -> Path:
    return tmp_path / "absent"


def make_bare(_: RepositoryBuilder, tmp_path: Path) -> Path:
    return RepositoryBuilder.init(tmp_path / "bare", "--bare").folder


def make_foreign(builder: RepositoryBuilder, _: Path) -> Path:
    with_handoff(builder)
    for place in (builder.folder, *builder.folder.rglob("*")):
        os.chown(place, 12345, 12345, follow_symlinks=False)
    return builder.folder


def make_stolen(builder: RepositoryBuilder, tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    with_handoff(builder).config("core.worktree", str(tmp_path / "elsewhere"))
    return builder.folder


ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        (make_nothing, "is not inside a git repository", "--repo PATH"),
        (make_absent, "is not a folder", "--repo"),
        (make_bare, "bare repository", "Clone it"),
        (make_stolen, "says that its work tree is", "core.worktree"),
        pytest.param(make_foreign, "belongs to another user", "safe.directory", marks=ROOT_ONLY),
    ],
)
@pytest.mark.parametrize("verb", [("status",), ("show", "X"), ()])
def test_unusable_repository_is_refused_with_a_hint(
    builder: RepositoryBuilder,
    tmp_path: Path,
    make: Callable[[RepositoryBuilder, Path], Path],
    message: str,
    hint: str,
    verb: tuple[str, ...],
) -> None:
    """Usage error, a sentence and a way out on stderr, nothing on stdout, nothing written."""
    folder = make(builder, tmp_path)
    before = read_fingerprint(tmp_path)
    said = say(*verb, "--repo", folder) if verb else say("--repo", folder)
    assert (said.code, said.stdout) == (2, "")
    assert message in said.stderr
    assert hint in said.stderr.partition("hint:")[2]
    assert "Traceback" not in said.stderr
    assert compare_fingerprints(before, read_fingerprint(tmp_path)) == []


GOOD = json.dumps(
    {"version": 1, "last_agent": "heron", "handoff_message": "All is written down in the documents here."}
)
STATE = ".mosaic/agent_state.json"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (GOOD.encode()[:-10], "is not valid JSON"),
        (b"\x00\x01\x02\xff" * 100, "is a binary file"),
        (b" " * (50 * 1024 * 1024), "is too large: 52,428,800 bytes"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"version": "one", "last_agent": ["x"], "handoff_message": 7}', "should be"),
        (b'{"last_agent": "a", "last_agent": "b"}', "given twice"),
        (b'{"last_agent": "caf\xe9"}', "not UTF-8"),
        (b"\xef\xbb\xbf" + GOOD.encode(), "byte order mark"),
        (GOOD.replace(",", ",\r\n").encode(), "CRLF"),
        (GOOD.encode("utf-16"), "UTF-16"),
        (b"[1, 2, 3]", "must hold an object"),
        (b'"just text"', "must hold an object"),
    ],
)
def test_broken_state_file_is_a_problem(builder: RepositoryBuilder, content: bytes, words: str) -> None:
    """Each breakage is said with its path, nothing crashes, nothing is written, and the other handoff is still read."""
    builder.write(STATE, content).write("HANDOFF.md", "# Handoff\n\n**Status**: done\n\n## Next steps\n\n- go\n")
    before = read_fingerprint(builder.folder)
    said = say("status", "--json", "--repo", builder.folder)
    assert said.code == 0, said.stderr
    assert any(words in problem["message"] for problem in said.json["problems"] if problem["path"] == STATE), (
        said.stdout
    )
    assert {"mosaic", "notes/HANDOFF.md"} <= {handoff["id"] for handoff in said.json["handoffs"]}
    assert say("show", "mosaic", "--repo", builder.folder).code == 0
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


def test_links_that_lead_nowhere_or_out_are_problems(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Dangling, cyclic and escaping links are named; what they point to outside is never read."""
    secret = tmp_path / "secret.md"
    secret.write_text("# Handoff\n\n**Status**: LEAKED\n\n## Next steps\n\n- x\n", encoding="utf-8")
    builder.write(STATE, GOOD)
    builder.link(".mosaic/LATEST_HANDOFF.md", "SESSION_HANDOFF_1999-01-01.md")
    builder.link("HANDOFF.md", secret)
    builder.link("docs/handoffs/round.md", "about.md").link("docs/handoffs/about.md", "round.md")
    said = say("status", "--json", "--repo", builder.folder)
    problems = {problem["path"]: problem["message"] for problem in said.json["problems"]}
    assert "link to nothing" in problems[".mosaic/LATEST_HANDOFF.md"]
    assert "leads out of the repository" in problems["HANDOFF.md"]
    assert "circle" in problems["docs/handoffs/round.md"]
    assert "LEAKED" not in said.stdout


def test_named_pipe_does_not_hang(builder: RepositoryBuilder) -> None:
    """A pipe that nobody writes to is a problem, at once."""
    builder.write(STATE, GOOD).write(".planning/keep", "")
    os.mkfifo(builder.folder / ".planning" / "HANDOFF.json")
    said = say("status", "--json", "--repo", builder.folder)
    assert said.code == 0
    assert any("named pipe" in problem["message"] for problem in said.json["problems"])


def test_unknown_candidate_is_listed(builder: RepositoryBuilder) -> None:
    """A file that sounds like a handoff and is understood by nobody is not dropped."""
    builder.write("tools/handoff.yaml", "kind: something else\n").write("handoff.schema.json", '{"$schema": "x"}')
    said = say("status", "--json", "--repo", builder.folder)
    assert {"tools/handoff.yaml", "handoff.schema.json"} <= set(said.json["unknown"])


def test_hostile_words_reach_no_terminal(builder: RepositoryBuilder) -> None:
    """Escape sequences, overrides and markup in names and documents are shown as text."""
    evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2J[red]PASS[/red]\u202e\x9b31m"
    builder.write(
        f"docs/handoffs/{evil.replace('/', '')}.md", f"# {evil}\n\n**Status**: {evil}\n\n## Next steps\n\n- {evil}\n"
    )
    builder.write(
        STATE, json.dumps({"last_agent": evil, "handoff_message": evil, "current_task": evil, "next_agent": evil})
    )
    for arguments in (
        ("status", "--all"),
        ("status", "--json"),
        ("show", "mosaic", "--all"),
        ("show", "mosaic", "--json"),
    ):
        said = say(*arguments, "--repo", builder.folder, environment={"FORCE_COLOR": "1", "TERM": "xterm-256color"})
        assert said.code == 0, said.stderr
        for forbidden in ("\x1b]52", "\x1b[2J", "\u202e", "\x9b", "\x07"):
            assert forbidden not in said.stdout + said.stderr
    assert "[red]PASS" in say("show", "mosaic", "--all", "--repo", builder.folder).stdout


def test_hidden_changes_are_said(builder: RepositoryBuilder) -> None:
    """A file that git was told not to look at is named."""
    builder.write("a.txt", "one\n").commit("one")
    builder.git("update-index", "--assume-unchanged", "a.txt")
    builder.write("a.txt", "two\n")
    said = say("status", "--json", "--repo", builder.folder)
    assert any(
        problem["path"] == "a.txt" and "told not to look" in problem["message"] for problem in said.json["problems"]
    )
