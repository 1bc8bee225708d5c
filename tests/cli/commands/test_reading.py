from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import jsonschema
import pytest

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.handoffs.formats.registry import FORMATS
from tests.support.command_line import InProcess
from tests.support.pictures import build_png
from tests.support.repositories import RepositoryBuilder


def test_status_lists_everything_when_asked(say: InProcess, builder: RepositoryBuilder) -> None:
    """Long lists are cut otherwise, and that is said."""
    for number in range(15):
        builder.write(f"handoff-{number:02}.yaml", "kind: other\n")
    assert "… and 3 more" in say("status", "--repo", builder.folder).stdout
    everything = say("status", "--repo", builder.folder, "--all").stdout
    assert "handoff-14.yaml" in everything
    assert "more; --all" not in everything


def test_status_uses_the_repository_around(
    say: InProcess, builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from a folder deep inside."""
    builder.write("deep/er/a.py")
    monkeypatch.chdir(builder.folder / "deep" / "er")
    assert say("status", "--json").json["repo"] == str(builder.folder)


FILES = "\n".join(f"- `file-{number:02}.py`" for number in range(12))
NOTE_SHOW = f"# Handoff\n\n**Status**: done\n\n## Files created\n\n{FILES}\n\n## Next steps\n\n- go\n"


def test_show_lists_everything_when_asked(say: InProcess, builder: RepositoryBuilder) -> None:
    """Claims that hold are cut otherwise, and that is said."""
    builder.write("HANDOFF.md", NOTE_SHOW)
    for number in range(12):
        builder.write(f"file-{number:02}.py")
    builder.commit()
    short = say("show", "notes/HANDOFF.md", "--repo", builder.folder).stdout
    whole = say("show", "notes/HANDOFF.md", "--repo", builder.folder, "--all").stdout
    assert "--all shows them" in short
    assert short.count("✓ holds") < whole.count("✓ holds") == 12


def test_show_works_for_every_format(say: InProcess, sample_repository: Path) -> None:
    """One handoff of each can be shown by the id that is listed."""
    handoffs = say("status", "--json", "--repo", sample_repository).json["handoffs"]
    one_of_each = {handoff["dialect"]: handoff["id"] for handoff in handoffs}
    assert set(one_of_each) == {dialect.id for dialect in FORMATS}
    for name in one_of_each.values():
        said = say("show", name, "--repo", sample_repository)
        assert (said.code, said.stderr) == (ExitCode.OK, ""), name
        assert said.stdout.startswith(name)


def test_show_draws_screenshots_among_the_proofs(say: InProcess, builder: RepositoryBuilder) -> None:
    """A PNG as half blocks; one that cannot be read is said to be so, and the rest is still shown."""
    context = "# Handoff Context\nRun ID: 1 | Project: Lamp | Task: T021\n\n## Current Task: T021\n**Title**: Lamp\n"
    builder.write("hub/HANDOFF_1_T021.md", f"{context}\n## Pipeline Position\n- **Your Role**: QA\n")
    builder.write("proofs/T021/run-1/screen.png", build_png(4, 4, [bytes((255, 0, 0)) * 4] * 4))
    builder.write("proofs/T021/run-1/torn.png", b"no picture").commit()
    said = say("show", "T021", "--proofs", "--repo", builder.folder)
    assert said.code == ExitCode.OK
    assert "▀▀▀▀" in said.stdout
    assert "torn.png can't be drawn" in said.stderr
    rows = say("show", "T021", "--proofs", "--json", "--repo", builder.folder).json["proofs"]
    assert {row["path"] for row in rows} == {"proofs/T021/run-1/screen.png", "proofs/T021/run-1/torn.png"}


@pytest.fixture
def configured(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.write("handoff-tui.toml", "[limits]\ncommits = 7\n")


def test_config_show_says_where_a_value_comes_from(say: InProcess, configured: RepositoryBuilder) -> None:
    """The file and the line, or that it is the default."""
    said = say("config", "show", "--origins", "--repo", configured.folder)
    assert "handoff-tui.toml:2" in said.stdout
    assert "default" in said.stdout


def test_config_show_prints_json(say: InProcess, configured: RepositoryBuilder) -> None:
    """One object, with the origin of every value."""
    said = say("config", "show", "--json", "--repo", configured.folder)
    assert said.json["schema"] == "handoff-tui/config/v1"
    rows = {row["key"]: (row["value"], row["origin"]) for row in said.json["settings"]}
    assert rows["limits.commits"] == (7, "handoff-tui.toml:2")
    assert {origin for key, (_, origin) in rows.items() if key != "limits.commits"} == {"default"}


def test_config_schema_is_a_schema(say: InProcess) -> None:
    """A JSON Schema that validators accept; it needs no repository."""
    said = say("config", "schema")
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    jsonschema.Draft202012Validator.check_schema(said.json)
    jsonschema.validate({"limits": {"commits": 7}}, said.json)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"limits": {"comits": 7}}, said.json)


def test_config_show_outside_a_repository_is_the_users(
    say: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it works; a folder that was named must be a repository."""
    monkeypatch.chdir(tmp_path)
    assert say("config", "show").code == ExitCode.OK
    said = say("config", "show", "--repo", tmp_path)
    assert (said.code, said.stdout) == (ExitCode.USAGE, "")


def test_config_that_is_wrong_is_told_with_its_place(say: InProcess, builder: RepositoryBuilder) -> None:
    """Code 2, the line, and the nearest name."""
    builder.write("handoff-tui.toml", "[limits]\ncomits = 7\n")
    said = say("config", "show", "--repo", builder.folder)
    assert (said.code, said.stdout) == (ExitCode.USAGE, "")
    assert "handoff-tui.toml:2" in said.stderr
    assert "commits" in said.stderr


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of the user, empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_demo_prints_only_the_path_when_it_is_not_opened(
    say: InProcess, temporary_folder: Path, sample_repository: Path
) -> None:
    """So that a shell can go there: a new folder, beside what is there; the commits are the same everywhere."""
    (temporary_folder / "handoff-tui-demo-").mkdir()
    said = say("demo", "--no-open", "--fixed-dates")
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    repository = Path(said.stdout.removesuffix("\n"))
    assert repository.is_relative_to(temporary_folder.resolve())
    assert list((temporary_folder / "handoff-tui-demo-").iterdir()) == []
    assert RepositoryBuilder(repository).head() == RepositoryBuilder(sample_repository).head()


def test_demo_reviews_what_it_built(say: InProcess, tmp_path: Path) -> None:
    """The page is on stdout; stderr says how to go on, in words that can be pasted and lead to handoffs that exist."""
    folder = tmp_path / "my sample"
    said = say("demo", "--dir", folder)
    assert said.code == ExitCode.OK
    assert str(folder) in " ".join(said.stdout.split("\n"))  # a long path is wrapped at its blank
    lines = [shlex.split(line) for line in said.stderr.splitlines() if line.startswith("  ")]
    assert any(words[:1] == ["cd"] and words[1].startswith(str(folder)) for words in lines)
    proposed = [words[-1] for words in lines if words[-2:-1] == ["show"]]
    assert proposed
    assert all(name in said.stdout for name in proposed)


NOTE = "# Handoff\n\n**Status**: {}\n\n## Files created\n\n- `a.py`\n\n## Next steps\n\n- go\n"


def build(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A handoff that was complete only later."""
    return (
        builder.write("HANDOFF.md", NOTE.format("PAUSED"))
        .commit("first")
        .write("HANDOFF.md", NOTE.format("COMPLETE"))
        .commit("second")
    )


def test_status_at_a_commit_is_that_of_then(say: InProcess, builder: RepositoryBuilder) -> None:
    """Marked as such, on the page and in the JSON."""
    build(builder)
    page = say("status", "--at", "HEAD~1", "--repo", builder.folder)
    assert (page.code, page.stderr) == (ExitCode.OK, "")
    assert page.stdout.startswith(f"AS IT WAS at {builder.head('HEAD~1')[:7]}")
    assert ("PAUSED" in page.stdout, "COMPLETE" in page.stdout, "read-only" in page.stdout) == (True, False, True)
    value = say("status", "--at", "HEAD~1", "--json", "--repo", builder.folder).json
    assert (value["schema"], value["head"]) == ("handoff-tui/status/v1", builder.head("HEAD~1"))
    assert (value["at"]["key"], value["handoffs"][0]["status"]) == (builder.head("HEAD~1"), "PAUSED")


def test_show_at_a_commit_is_that_of_then(say: InProcess, builder: RepositoryBuilder) -> None:
    """Proofs are of now, so both together are refused."""
    build(builder)
    assert "PAUSED" in say("show", "HANDOFF.md", "--at", "HEAD~1", "--repo", builder.folder).stdout
    value = say("show", "HANDOFF.md", "--at", "HEAD~1", "--json", "--repo", builder.folder).json
    assert (value["status_claimed"], value["at"]["commit"]) == ("PAUSED", builder.head("HEAD~1"))
    both = say("show", "HANDOFF.md", "--at", "HEAD~1", "--proofs", "--repo", builder.folder)
    assert (both.code, "only be shown as they are now" in both.stderr) == (ExitCode.USAGE, True)


def test_check_at_a_commit_runs_the_rules_there(say: InProcess, builder: RepositoryBuilder) -> None:
    """As a page and in every form; what only makes sense now is refused."""
    build(builder)
    asked = ("check", "--at", "HEAD~1", "--repo", builder.folder)
    page = say(*asked)
    assert page.stdout.startswith(f"AS IT WAS at {builder.head('HEAD~1')[:7]}")
    value = say(*asked, "--json").json
    assert value["schema"] == "handoff-tui/check/v1"
    assert say(*asked, "--format", "tap").stdout.startswith("TAP version")
    assert page.code == (ExitCode.BLOCKED if value["verdict"] == "blocked" else ExitCode.OK)
    refused = say(*asked, "--list")
    assert (refused.code, refused.stdout) == (ExitCode.USAGE, "")


def test_moment_that_is_none_is_a_usage_error(say: InProcess, builder: RepositoryBuilder) -> None:
    """With a hint."""
    build(builder)
    said = say("status", "--at", "nothing", "--repo", builder.folder)
    assert (said.code, said.stdout, "hint:" in said.stderr) == (ExitCode.USAGE, "", True)
