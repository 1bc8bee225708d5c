from __future__ import annotations

import re
import shutil
import stat
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.cli.demo.demo import (
    build_demo,
    copy_own_folder,
    describe_next_steps,
    list_homes,
    load_script,
    write_demo_home,
    write_demo_key,
)
from handoff_tui.core.errors import DemoError
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.entry import LogProblemLevel
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.open_log import open_log
from handoff_tui.status.refresh import refresh
from handoff_tui.status.review_state import ClaimCounts
from handoff_tui.system.installation import find_resource
from tests.support.command_line import Said
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, Speaking


def test_key_is_made_from_its_text_alone(tmp_path: Path) -> None:
    """Same text, same key, which ssh-keygen can use; nobody else may read it."""
    first = write_demo_key(tmp_path / "one" / "ada", "a text", "ada@example.com")
    second = write_demo_key(tmp_path / "two" / "ada", "a text", "ada@example.com")
    assert first == second != write_demo_key(tmp_path / "bo", "another text", "bo@example.com")
    assert stat.S_IMODE((tmp_path / "one" / "ada").stat().st_mode) == 0o600
    derived = subprocess.run(
        ["ssh-keygen", "-y", "-f", tmp_path / "one" / "ada"], check=True, capture_output=True, text=True
    )
    assert derived.stdout.split()[:2] == first.split()
    assert (tmp_path / "one" / "ada.pub").read_text(encoding="utf-8") == f"{first} ada@example.com\n"


def test_key_overwrites_nothing(tmp_path: Path) -> None:
    """What is there stays."""
    (tmp_path / "ada").write_text("mine", encoding="utf-8")
    with pytest.raises(DemoError):
        write_demo_key(tmp_path / "ada", "a text", "ada@example.com")
    assert (tmp_path / "ada").read_text(encoding="utf-8") == "mine"


def test_home_signs_with_the_key(tmp_path: Path) -> None:
    """As git itself reads it, with a path that has quotes in it."""
    key = tmp_path / 'a "quoted" folder' / "ada"
    write_demo_home(tmp_path / "home", "Ada", "ada@example.com", key)

    def ask(name: str) -> str:
        file = tmp_path / "home" / ".gitconfig"
        words = ["git", "config", "--file", str(file), name]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()

    assert (ask("user.email"), ask("user.signingkey"), ask("gpg.format")) == ("ada@example.com", str(key), "ssh")
    with pytest.raises(DemoError):
        write_demo_home(tmp_path / "home", "Ada", "ada@example.com", key)


def test_folder_is_copied_over_what_is_there(tmp_path: Path) -> None:
    """Files of both sides are there afterwards; a folder that is not there is an error of ours."""
    for side, name in (("one", "a"), ("two", "b")):
        place = tmp_path / side / ".handoff-tui" / "log" / name
        place.parent.mkdir(parents=True)
        place.write_text(name, encoding="utf-8")
    copy_own_folder(tmp_path / "one", tmp_path / "two")
    assert {path.name for path in (tmp_path / "two" / ".handoff-tui" / "log").iterdir()} == {"a", "b"}
    with pytest.raises(DemoError):
        copy_own_folder(tmp_path / "three", tmp_path / "two")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with its log, built once and only looked at."""
    built = build_demo(tmp_path_factory.mktemp("demo") / "sample")
    for home in list_homes(built):
        with pytest.MonkeyPatch.context() as patch:
            Person("somebody", home, home / "unused").become(patch)
            log = open_log(open_repository(built))
            log.consent(log.verify())
    return built


@pytest.fixture
def speaking(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Speaking:
    """People who speak in this process."""
    return Speaking(monkeypatch, capsys)


def ask(speaking: Speaking, demo: Path, *words: str, home: int = 0, terminal: bool | None = None) -> Said:
    """As one of the reviewers of the story."""
    place = list_homes(demo)[home]
    return speaking(Person("somebody", place, place / "unused"), *words, "--repo", demo, terminal=terminal)


def test_log_is_sound_and_has_one_refused_entry(demo: Path) -> None:
    """The forged approval is named, and counts for nothing."""
    verdict = open_log(open_repository(demo), remembered=False).verify()
    assert not verdict.fatal
    assert [entry.decision.verb.value for entry in verdict.entries if entry.decision] == [
        "approve",
        "approve",
        "reject",
        "override",
    ]
    assert [(one.level, one.code) for one in verdict.problems] == [(LogProblemLevel.REFUSED, "bad-signature")]


@pytest.mark.parametrize(
    ("handoff", "state", "code"),
    [
        ("H-2", "approved", 0),
        ("night-watch", "superseded", 1),
        ("FMWK-002", "rejected", 1),
        ("TASK-004", "overridden", 0),
        ("TDD-1", "pending", 1),
    ],
)
def test_gates_stand_as_the_readme_says(demo: Path, speaking: Speaking, handoff: str, state: str, code: int) -> None:
    """One that holds, one that was overtaken, one sent back, one with a debt, one to decide."""
    said = ask(speaking, demo, "gate", handoff, "--json")
    assert (said.code, said.json["state"]) == (code, state), said.json["why"]
    assert bool(said.json["debts"]) is (state == "overridden")


def test_packet_of_the_rejection_has_its_remarks(demo: Path, speaking: Speaking) -> None:
    """With the lines they are about."""
    said = ask(speaking, demo, "packet", "FMWK-002", "--json")
    assert said.code == 0
    first = said.json["comments"][0]
    assert any("unittest.skip" in line for line in first["code"])
    assert len(said.json["comments"]) == 4
    assert said.json["demands"][0]["author"] == "tomas.reyes@example.com"


def test_planted_failure_is_found_as_the_document_says(demo: Path, speaking: Speaking) -> None:
    """Every verb of the walk-through in docs/debugging.md runs on the sample, and says what is told there."""
    text = (Path(__file__).parents[3] / "docs" / "debugging.md").read_text(encoding="utf-8")
    calls = [line.split()[1:] for line in text.split("```")[1].splitlines() if line.startswith("handoff-tui ")]
    said = {words[0]: ask(speaking, demo, *words).stdout for words in calls if words[0] != "demo"}
    assert all(word in said["failure"] for word in ("look first at approvals-are-real", "commit cbfc5a1"))
    since = said["failure"].partition("Since it last passed")[2].splitlines()
    assert since[3].split()[:2] == ["added", ".mosaic/gemini_approval.json"]
    assert all(word in said["bisect"] for word in ("c7e6981 broke", "curlew"))
    assert "Bring them back." in said["history"]


def test_both_reviewers_can_decide_at_once(
    demo: Path, tmp_path: Path, speaking: Speaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their homes are ready: a decision needs nothing but the id, typed at the terminal."""
    demo = Path(shutil.copytree(demo.parent, tmp_path / "copy", symlinks=True)) / demo.name
    monkeypatch.setattr("handoff_tui.cli.commands.decide.ask_person", lambda _: "TDD-1")
    said = ask(speaking, demo, "decide", "approve", "TDD-1", "--json", home=1, terminal=True)
    assert said.code == 0, said.stderr
    assert said.json["actor"] == "tomas.reyes@example.com"
    assert ask(speaking, demo, "gate", "H-2").code == 0


def test_every_build_is_the_same(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the byte, log and all, also below a relative path; the history is the story's own."""
    monkeypatch.chdir(tmp_path)
    again = build_demo(Path("sample"))
    assert again.is_relative_to(tmp_path / "sample")

    def list_files(root: Path) -> dict[str, bytes]:
        below = root / ".handoff-tui"
        return {str(path.relative_to(below)): path.read_bytes() for path in below.rglob("*") if path.is_file()}

    assert list_files(again) == list_files(demo)
    assert RepositoryBuilder(again).head() == RepositoryBuilder(demo).head()
    assert not [name for name in ("keys", "home") if (demo / name).exists()]


def test_demo_happened_in_the_last_days(tmp_path: Path, demo: Path) -> None:
    """Commits, log, texts and names of files follow the clock; no day of the story is left, and no verdict differs."""
    now = datetime(2024, 1, 2, 15, 39, tzinfo=UTC)
    recent = build_demo(tmp_path / "recent", now)
    dates = RepositoryBuilder(recent).git("log", "--format=%cI %aI").split()
    assert (min(dates)[:10], max(dates)[:16]) == ("2023-12-28", "2024-01-01T14:10")
    times = [entry.time for entry in open_log(open_repository(recent), remembered=False).verify().entries]
    assert max(times) == "2024-01-01T15:40:00Z"
    names = {path.relative_to(recent).as_posix() for path in recent.rglob("*") if ".git" not in path.parts}
    assert {"docs/handoffs/2023-12-31-station-names.md", ".mosaic/SESSION_HANDOFF_2024-01-01.md"} <= names
    texts = [(recent / name).read_bytes() for name in names if (recent / name).is_file()]
    assert not [text for text in texts if re.search(rb"2026-?03|[2-6] March|\(03-0", text)]
    assert (recent / ".mosaic" / "LATEST_HANDOFF.md").is_file()
    assert b"morning of 1 January" in (recent / "HANDOFF.md").read_bytes()
    assert list_states(recent) == list_states(demo)


def list_states(repository: Path) -> set[tuple[str, GateName | None, ClaimCounts]]:
    """Title, gate and verdicts of every handoff."""
    reviewed = refresh(open_session(repository), CheckAgain()).handoffs
    return {(one.handoff.title or "", one.gate.state, one.claims) for one in reviewed}


def test_sample_can_be_built_again_where_one_was_deleted(demo: Path, tmp_path: Path) -> None:
    """This user's memory has the log that was there; it isn't missed."""
    shutil.copytree(demo, tmp_path / "again" / demo.name)
    log = open_log(open_repository(tmp_path / "again" / demo.name))
    log.remember(log.verify())
    assert not log.verify().fatal
    shutil.rmtree(tmp_path / "again")
    assert not open_log(open_repository(build_demo(tmp_path / "again"))).verify().fatal


def test_without_ssh_keygen_there_is_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The story is there all the same."""
    programs = tmp_path / "programs"
    programs.mkdir()
    git = shutil.which("git")
    assert git is not None
    (programs / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(programs))
    demo = build_demo(tmp_path / "sample")
    assert not (demo / ".handoff-tui").exists()
    assert list_homes(demo) == ()


def test_next_steps_can_be_typed_as_printed(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the program was installed in a folder that is not on PATH, as `make demo` does."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    shown = [line.strip() for line in describe_next_steps(demo).splitlines() if line.endswith(" show H-3")]
    done = subprocess.run(["/bin/sh", "-c", *shown], cwd=demo, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("H-3")


def test_script_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """What is wrong with it is said, not thrown."""
    assert load_script(find_resource("sample_repo")).forged.of == "fmwk"
    (tmp_path / "log.toml").write_text("nonce = 1\n", encoding="utf-8")
    with pytest.raises(DemoError, match=r"log\.toml"):
        load_script(tmp_path)


def test_scripted_agent_is_configured_in_the_sample_and_runs(tmp_path: Path, speaking: Speaking) -> None:
    """In the homes of the sample only, from a copy of its own; what it does is committed, and waits for a person."""
    repository = build_demo(tmp_path / "built")
    marit = Person("marit", tmp_path / "built" / "home", tmp_path / "built" / "keys" / "marit")
    settings = marit.home / ".config" / "handoff-tui" / "config.toml"
    environment = {"XDG_CONFIG_HOME": str(settings.parents[1])}
    said = marit.say("step", "--handoff", "H-2", "--repo", repository, "--json", environment=environment)
    assert said.json["commits"], said.stderr
    assert str(tmp_path / "built" / "agent") in settings.read_text(encoding="utf-8")


def test_script_that_verifies_the_log_is_that_of_the_document(demo: Path) -> None:
    """The demo brings it along; the document explains it."""
    text = (Path(__file__).parents[3] / "docs" / "verify-by-hand.md").read_text(encoding="utf-8")
    script = (demo.parent / "verify.sh").read_text(encoding="utf-8")
    assert f"```sh\n{script}```" in text
