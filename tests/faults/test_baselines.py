"""`baseline` and `diff` on snapshots, commits, reports and trees that are not as they should be: told, nothing lost."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from handoff_tui.system.files.cache_files import find_choices_folder
from tests.support.command_line import InProcess, Said
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import build_lamp, write_junit

FOLDER = ".handoff-tui/baselines"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Caches of each test are its own, and can be taken away."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> InProcess:
    """Runs a verb in this process, its end and its output included."""
    return InProcess(capsys)


@pytest.fixture
def pinned(builder: RepositoryBuilder, say: InProcess) -> Path:
    """The file of a pinned snapshot."""
    digest = capture(say, build_lamp(builder))
    assert say("baseline", "pin", digest, "--repo", builder.folder).code == 0
    return builder.folder / FOLDER / f"{digest}.json"


def capture(say: InProcess, builder: RepositoryBuilder) -> str:
    said = say("baseline", "capture", "--json", "--repo", builder.folder)
    assert said.code == 0, said.stderr
    return str(said.json["digest"])


def store(root: Path, content: bytes) -> str:
    """A file that has the right name, whatever is in it."""
    digest = hashlib.sha256(content).hexdigest()
    (root / FOLDER / f"{digest}.json").write_bytes(content)
    return digest


def change(place: Path, **fields: object) -> bytes:
    """A stored snapshot with other fields, written as the program writes it."""
    value: dict[str, Any] = {**json.loads(place.read_bytes()), **fields}
    return json.dumps(value, sort_keys=True, indent=1).encode() + b"\n"


def assert_told(said: Said, *words: str) -> None:
    """Code 2, nothing on stdout, the words and a hint on stderr."""
    assert (said.code, said.stdout) == (2, ""), said.stderr
    for word in words:
        assert word in said.stderr
    assert "hint:" in said.stderr


def test_missing_snapshot_is_told(builder: RepositoryBuilder, say: InProcess, pinned: Path) -> None:
    """By every verb that was asked for it; the pin is kept, and nothing is called new."""
    pinned.unlink()
    name = pinned.stem
    assert_told(say("baseline", "show", name, "--repo", builder.folder), "is not there")
    assert_told(say("baseline", "show", name[:12], "--repo", builder.folder), "no stored snapshot starts with")
    assert_told(say("diff", "--against", name[:12], "--repo", builder.folder), "neither a stored snapshot nor a commit")
    assert_told(say("diff", "--stat", "--repo", builder.folder), "isn't stored here")
    read = say("diff", "--json", "--repo", builder.folder).json
    assert "isn't stored here" in read["before"]["reason"]
    assert (read["tests"], read["unexplained"], read["changed"]) == (None, None, None)
    assert say("baseline", "list", "--json", "--repo", builder.folder).json["lost_pins"] == {"*": name}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe\x00"])
def test_damaged_snapshot_is_told(builder: RepositoryBuilder, say: InProcess, pinned: Path, content: bytes) -> None:
    """The name is the hash of the content; what has another one is never read as a snapshot, nor overwritten."""
    pinned.write_bytes(content)
    name = pinned.stem
    for words in (("baseline", "show", name), ("baseline", "pin", name), ("diff", "--against", name)):
        assert_told(say(*words, "--repo", builder.folder), "does not have the content that its name says")
    reason = say("diff", "--json", "--repo", builder.folder).json["before"]["reason"]
    assert reason.endswith("can't be used: does not have the content that its name says")
    [listed] = say("baseline", "list", "--json", "--repo", builder.folder).json["snapshots"]
    assert (listed["problem"], listed["tests"]) == ("does not have the content that its name says", None)
    again = say("baseline", "capture", "--repo", builder.folder)
    assert again.code == 2
    assert pinned.read_bytes() == content


def test_changed_word_in_a_snapshot_is_a_wrong_digest(builder: RepositoryBuilder, say: InProcess, pinned: Path) -> None:
    """However small the change."""
    pinned.write_bytes(pinned.read_bytes().replace(b'"pass"', b'"fail"', 1))
    assert_told(say("diff", "--against", pinned.stem, "--repo", builder.folder), "its name says", "restore it from git")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"schema_version": 2}, "has schema version 2; this handoff-tui reads version 1"),
        ({"schema_version": "1"}, "schema version"),
        ({"later": 1}, "has an unknown field: later"),
        ({"tests": {"a": "perhaps"}}, "isn't a snapshot: tests.a"),
        ({"tree": "--batch"}, "tree isn't an object id"),
    ],
)
def test_snapshot_of_another_form_is_told(
    builder: RepositoryBuilder, say: InProcess, pinned: Path, fields: dict[str, object], words: str
) -> None:
    """A newer version is not guessed at."""
    digest = store(builder.folder, change(pinned, **fields))
    assert_told(say("diff", "--against", digest[:12], "--repo", builder.folder), words)
    problems = {
        one["digest"]: one["problem"]
        for one in say("baseline", "list", "--json", "--repo", builder.folder).json["snapshots"]
    }
    assert words in problems[digest]
    assert problems[pinned.stem] is None


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_snapshot_that_is_no_file_is_told(
    builder: RepositoryBuilder, say: InProcess, pinned: Path, tmp_path: Path, kind: str
) -> None:
    """A link is not followed, a pipe not waited for."""
    elsewhere = tmp_path / "elsewhere.json"
    shutil.move(pinned, elsewhere)
    if kind == "link":
        pinned.symlink_to(elsewhere)
    elif kind == "pipe":
        os.mkfifo(pinned)
    else:
        pinned.mkdir()
    said = say("baseline", "show", pinned.stem, "--repo", builder.folder)
    assert (said.code, said.stdout) == (2, "")
    assert "hint:" in said.stderr
    assert say("baseline", "list", "--repo", builder.folder).code == 0


def test_commit_that_a_shallow_clone_lacks_is_told(
    builder: RepositoryBuilder, say: InProcess, pinned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record is compared all the same; the files cannot be, and how to get them is said."""
    builder.write("src/lamp.py", "light = 2\n").commit()
    clone = builder.clone_shallow(tmp_path / "clone")
    shutil.copytree(builder.folder / ".handoff-tui", clone.folder / ".handoff-tui", dirs_exist_ok=True)
    write_junit(clone, test_on="")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    read = say("diff", "--against", pinned.stem, "--json", "--repo", clone.folder).json
    assert read["tests"]["counts"] == {"vanished": 1}
    assert read["changed"] is None
    assert "is not in this repository, so its files can't be compared" in read["missing"][0]
    assert "--unshallow" in read["missing"][1]


def test_commit_that_was_collected_is_told(builder: RepositoryBuilder, say: InProcess, cache: Path) -> None:
    """After the history was rewritten and git gc has run, with our own cache gone too."""
    build_lamp(builder).write("src/lamp.py", "light = 2\n").commit("to be undone")
    digest = capture(say, builder)
    builder.step("reset", "--quiet", "--hard", "HEAD~1").step("reflog", "expire", "--expire=now", "--all")
    builder.step("gc", "--quiet", "--prune=now")
    shutil.rmtree(cache)
    assert_told(say("diff", "--against", digest, "--stat", "--repo", builder.folder), "is not in this repository")
    whole = say("diff", "--against", digest, "--repo", builder.folder)
    assert whole.code == 0
    assert "so its files can't be compared" in whole.stdout
    assert "unchanged: 2 tests" in whole.stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<testsuite", "not XML"),
        ("", "not XML"),
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite>&a;</testsuite>', ""),
    ],
)
def test_report_that_cannot_be_read_is_listed(
    builder: RepositoryBuilder, say: InProcess, content: str, words: str
) -> None:
    """The snapshot is stored with what could not be read, and a later diff says it again."""
    build_lamp(builder).write("junit.xml", content)
    said = say("baseline", "capture", "--json", "--repo", builder.folder)
    assert said.code == 0, said.stderr
    [unread] = said.json["snapshot"]["unread"]
    assert unread["path"] == "junit.xml"
    assert words in unread["reason"]
    shown = say("diff", "--against", said.json["digest"], "--repo", builder.folder).stdout
    assert "junit.xml" in shown[shown.index("Not read") :]
    assert "here and in the baseline" in shown


def test_tree_that_keeps_changing_is_an_error(builder: RepositoryBuilder, say: InProcess, isolated_user: Path) -> None:
    """Detected, looked at again, then told; nothing is stored."""
    build_lamp(builder).write(".gitattributes", "restless.txt filter=restless\n").write("restless.txt").commit()
    # a filter of the user's own that writes to the file each time somebody reads it
    configuration = isolated_user / "gitconfig"
    configuration.write_text('[filter "restless"]\n\tclean = "cat; date +%N >> restless.txt"\n', encoding="utf-8")
    builder.write("restless.txt", "changed\n")
    said = say("baseline", "capture", "--repo", builder.folder)
    assert_told(said, "kept changing while it was captured: restless.txt")
    assert not (builder.folder / ".handoff-tui").exists()
    configuration.write_text("", encoding="utf-8")
    assert say("baseline", "capture", "--repo", builder.folder).code == 0


def test_failing_command_does_not_change_the_digest(
    builder: RepositoryBuilder, say: InProcess, isolated_user: Path
) -> None:
    """What it prints differs from run to run; that it fails does not."""
    place = isolated_user / "config/handoff-tui/config.toml"
    place.parent.mkdir(parents=True)
    run = json.dumps(["sh", "-c", "date +%N; mktemp -u; exit 3"])
    place.write_text(f"[checks.own]\nrun = {run}\n", encoding="utf-8")
    build_lamp(builder)
    first = say("baseline", "capture", "--json", "--repo", builder.folder).json
    assert [one["message"] for one in first["snapshot"]["findings"].values() if one["check"] == "own"] == [
        "it exited with 3"
    ]
    assert capture(say, builder) == first["digest"]


def test_comparing_changes_nothing(builder: RepositoryBuilder, say: InProcess, pinned: Path) -> None:
    """Neither in the work tree nor in git's own folder, whatever is asked."""
    builder.write("src/lamp.py", "light = 2\n").write("untracked", "x\n")
    before = read_fingerprint(builder.folder)
    for words in ((), ("--stat",), ("--patch",), ("--against", "HEAD"), ("src",), ("--between", pinned.stem, "HEAD")):
        assert say("diff", *words, "--repo", builder.folder).code == 0
    for words in (("list",), ("show", pinned.stem)):
        assert say("baseline", *words, "--repo", builder.folder).code == 0
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


def test_pins_that_no_person_wrote_pin_nothing(builder: RepositoryBuilder, say: InProcess, pinned: Path) -> None:
    """A12: the comparison is the usual one, and says so; the snapshots are all there."""
    place = find_choices_folder(builder.folder / ".git") / "handoff-tui/pins.json"
    assert "you pinned it" in say("diff", "--repo", builder.folder).stdout
    for planted in (b"{", place.read_bytes().partition(b"\n")[0]):
        place.write_bytes(planted)
        said = say("diff", "--repo", builder.folder)
        assert ("you pinned it" in said.stdout, "Traceback" in said.stderr) == (False, False)
    assert pinned.exists()
    assert say("diff", "--against", pinned.stem, "--repo", builder.folder).code == 0
