from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.in_process import InProcess
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def configured(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.write("handoff-tui.toml", "[limits]\ncommits = 7\n")


def test_config_show_prints_every_setting(say: InProcess, configured: RepositoryBuilder) -> None:
    """Without origins, unless they are asked for."""
    said = say("config", "show", "--repo", configured.folder)
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    assert "limits.commits" in said.stdout
    assert "handoff-tui.toml:2" not in said.stdout


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
