from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.cli.demo.demo import build_demo, list_homes, load_script
from handoff_tui.core.errors import DemoError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.open_log import open_log
from handoff_tui.log.record import ProblemLevel
from handoff_tui.system.resources import find_resource
from tests.support.command_line import Said
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, Speaking


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with its log, built once and only looked at."""
    return build_demo(tmp_path_factory.mktemp("demo") / "sample")


@pytest.fixture
def speaking(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Speaking:
    """People who speak in this process."""
    return Speaking(monkeypatch, capsys)


def ask(speaking: Speaking, demo: Path, *words: str, home: int = 0) -> Said:
    """As one of the reviewers of the story."""
    place = list_homes(demo)[home]
    return speaking(Person("somebody", place, place / "unused"), *words, "--repo", demo)


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
    assert [(one.level, one.code) for one in verdict.problems] == [(ProblemLevel.REFUSED, "bad-signature")]


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
    assert all(word in said["bisect"] for word in ("fails since c7e6981", "curlew"))
    assert "Bring them back." in said["history"]


def test_both_reviewers_can_decide_at_once(demo: Path, tmp_path: Path, speaking: Speaking) -> None:
    """Their homes are ready: a decision needs nothing but the digest."""
    demo = Path(shutil.copytree(demo.parent, tmp_path / "copy", symlinks=True)) / demo.name
    digest = ask(speaking, demo, "gate", "TDD-1", "--json", home=1).json["subject"]["digest"]
    said = ask(speaking, demo, "decide", "approve", "TDD-1", "--subject", digest, "--json", home=1)
    assert said.code == 0, said.stderr
    assert said.json["actor"] == "tomas.reyes@example.com"
    assert ask(speaking, demo, "gate", "H-2").code == 0


def test_every_build_is_the_same(demo: Path, tmp_path: Path) -> None:
    """To the byte, log and all; the history is the story's own."""
    again = build_demo(tmp_path / "sample")

    def list_files(root: Path) -> dict[str, bytes]:
        below = root / ".handoff-tui"
        return {str(path.relative_to(below)): path.read_bytes() for path in below.rglob("*") if path.is_file()}

    assert list_files(again) == list_files(demo)
    assert RepositoryBuilder(again).head() == RepositoryBuilder(demo).head()
    assert not [name for name in ("keys", "home") if (demo / name).exists()]


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


def test_script_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """What is wrong with it is said, not thrown."""
    assert load_script(find_resource("sample_repo")).forged.of == "fmwk"
    (tmp_path / "log.toml").write_text("nonce = 1\n", encoding="utf-8")
    with pytest.raises(DemoError, match=r"log\.toml"):
        load_script(tmp_path)
