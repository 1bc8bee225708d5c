from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.agents.hosts import json_text
from handoff_tui.agents.hosts.install import Installer, Program, build_hooks, is_gone, put_in, take_out
from handoff_tui.agents.hosts.wire import Host
from handoff_tui.core.errors import HookError, StoreWriteError
from tests.support.repositories import RepositoryBuilder

SETTINGS = {Host.CLAUDE: ".claude/settings.json", Host.CODEX: ".codex/hooks.json", Host.GEMINI: ".gemini/settings.json"}
OTHER: dict[str, object] = {"type": "command", "command": "./lint.sh", "timeout": 5}
ODD = [
    "{}",
    "{ }",
    "{\n}\n",
    '{"hooks":{}}',
    '{"hooks": { } , "model":"x"}',
    '{"hooks":{"Stop":[]}}',
    '{"hooks":{"Stop":[ ]},"a":[1,2]}\n\n',
    '{\n\t"permissions": {\n\t\t"allow": ["Bash(ls)"]\n\t}\n}',
    '{\r\n  "model": "x",\r\n  "hooks": {\r\n    "Stop": [\r\n      {"hooks": []}\r\n    ]\r\n  }\r\n}\r\n',
    '{\n  // mine\n  "hooks": {\n    "PreToolUse": [ /* none */ ],\n  }, // and more\n}\n',
    '\ufeff{"z": 1}',
    '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./lint.sh"}]}]}}',
    '{\n    "hooks": {\n        "Stop": [\n            {\n              "hooks": [{"command": "x"}]\n}]\n}\n}',
]


def install(text: str, host: Host = Host.CLAUDE) -> str:
    return put_in(text, build_hooks(host, Program(("handoff-tui",))), "settings.json")


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("host", SETTINGS)
def test_what_is_put_in_comes_out_again(text: str, host: Host) -> None:
    """Byte for byte, whatever the file looked like."""
    changed = install(text, host)
    assert changed != text
    assert take_out(changed, host, "settings.json") == text


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
_GROUPS = st.lists(st.just({"hooks": [OTHER]}) | st.just({"matcher": "x", "hooks": [OTHER, OTHER]}), max_size=3)
_HOOKS = st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "SessionStart", "Mine"]), _GROUPS, max_size=4)
_FILES = st.builds(
    lambda rest, hooks: {**{key: value for key, value in rest.items() if key != "hooks"}, **hooks},
    st.dictionaries(st.text(max_size=6), _VALUES, max_size=3),
    st.just({}) | st.builds(lambda hooks: {"hooks": hooks}, _HOOKS),
)
_LAYOUTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@given(_FILES, _LAYOUTS, st.booleans(), st.booleans())
def test_every_file_survives(value: dict[str, object], indent: int | str | None, dense: bool, crlf: bool) -> None:  # noqa: FBT001
    """Installed twice is installed once; what else was there stays, and comes back byte for byte."""
    text = json.dumps(value, indent=indent, separators=(",", ":") if dense else None)
    text = text.replace("\n", "\r\n") if crlf else text
    changed = install(text)
    read: Any = json.loads(changed)
    assert {key: part for key, part in read.items() if key != "hooks"} == {
        key: part for key, part in value.items() if key != "hooks"
    }
    assert json_text.parse(changed, "x").build() == read
    without = take_out(changed, Host.CLAUDE, "x")
    assert without == text
    assert install(without) == changed


@pytest.mark.parametrize("host", list(Host))
def test_files_made_for_it_go_with_it(builder: RepositoryBuilder, host: Host) -> None:
    """Nothing is left of an installation in a repository without settings."""
    builder.write("a", "a").commit("a")
    before = sorted(path for path in builder.folder.rglob("*") if ".git/" not in f"{path}/")
    installer = Installer(host, builder.folder, user=False)
    planned = installer.install(dry_run=True)
    assert sorted(path for path in builder.folder.rglob("*") if ".git/" not in f"{path}/") == before
    assert [step.deed.value for step in planned.steps] == ["create"] * len(planned.steps)
    assert installer.install().steps == planned.steps
    again = installer.install()
    assert {step.deed.value for step in again.steps} == {"nothing"}
    installer.uninstall()
    assert sorted(path for path in builder.folder.rglob("*") if ".git/" not in f"{path}/") == before


@pytest.mark.parametrize("host", list(Host))
def test_user_settings_are_in_the_home_folder(builder: RepositoryBuilder, isolated_user: Path, host: Host) -> None:
    """And name the program by its full path, where no folder on PATH can replace it."""
    report = Installer(host, builder.folder, user=True).install()
    assert all(Path(step.path).is_relative_to(isolated_user) for step in report.steps)
    texts = [Path(step.path).read_text(encoding="utf-8") for step in report.steps]
    assert host is Host.OPENCODE or any("handoff" in text and '"/' in text for text in texts)
    Installer(host, builder.folder, user=True).uninstall()
    assert not any(Path(step.path).exists() for step in report.steps)


def test_mode_and_link_of_a_file_stay(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Settings may be kept elsewhere, and be private."""
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}", encoding="utf-8")
    kept.chmod(0o600)
    (builder.folder / ".claude").mkdir()
    (builder.folder / ".claude/settings.json").symlink_to(kept)
    Installer(Host.CLAUDE, builder.folder, user=False).install()
    assert (builder.folder / ".claude/settings.json").is_symlink()
    assert (kept.stat().st_mode & 0o777, "handoff-tui" in kept.read_text(encoding="utf-8")) == (0o600, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a" 1}',
        '{"a": 1} x',
        "[]",
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        "[" * 100,
        '{"a": tru}',
        '{"a\n": 1}',
    ],
)
def test_broken_settings_are_left_alone(builder: RepositoryBuilder, text: str) -> None:
    """The error names the file."""
    file = builder.folder / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    with pytest.raises(HookError) as refused:
        Installer(Host.CLAUDE, builder.folder, user=False).install()
    assert (".claude/settings.json" in str(refused.value), "left alone" in str(refused.value)) == (True, True)
    assert file.read_text(encoding="utf-8") == text


def test_read_only_settings_are_left_alone(builder: RepositoryBuilder) -> None:
    """Whoever made them so meant it, for root too."""
    settings = builder.folder / SETTINGS[Host.CLAUDE]
    settings.parent.mkdir()
    settings.write_text("{}\n", encoding="utf-8")
    settings.chmod(0o444)
    with pytest.raises(StoreWriteError, match="read-only"):
        Installer(Host.CLAUDE, builder.folder, user=False).install()
    assert settings.read_text(encoding="utf-8") == "{}\n"


def test_settings_in_another_encoding_are_left_alone(builder: RepositoryBuilder) -> None:
    """They are not guessed at."""
    file = builder.folder / ".gemini/settings.json"
    file.parent.mkdir()
    file.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(HookError, match="UTF-8"):
        Installer(Host.GEMINI, builder.folder, user=False).install()


def test_changed_plugin_is_left_alone(builder: RepositoryBuilder) -> None:
    """Somebody made it theirs."""
    installer = Installer(Host.OPENCODE, builder.folder, user=False)
    installer.install()
    file = builder.folder / ".opencode/plugins/handoff-tui.js"
    file.write_text(file.read_text(encoding="utf-8") + "// more\n", encoding="utf-8")
    with pytest.raises(HookError, match="somebody changed it"):
        installer.uninstall()
    assert file.exists()


def test_handler_moved_into_another_group_is_found() -> None:
    """Only ours is taken out."""
    mine = {"type": "command", "command": "handoff-tui hook gemini"}
    text = json.dumps({"hooks": {"AfterAgent": [{"hooks": [OTHER, mine]}]}}, indent=2)
    rest = take_out(text, Host.GEMINI, "x")
    assert json.loads(rest or "") == {"hooks": {"AfterAgent": [{"hooks": [OTHER]}]}}


def test_outside_a_repository_there_is_no_project(tmp_path: Path) -> None:
    """It says what to do instead."""
    with pytest.raises(HookError, match="not inside a git repository"):
        Installer(Host.CLAUDE, tmp_path, user=False)


def test_removed_gate_is_noticed(builder: RepositoryBuilder) -> None:
    """Our hooks are gone, or all hooks are switched off; other changes are the person's business."""
    installer = Installer(Host.CLAUDE, builder.folder, user=False)
    installer.install()
    file = builder.folder / ".claude/settings.json"
    full = file.read_text(encoding="utf-8")
    assert not is_gone(Host.CLAUDE, str(builder.folder))
    file.write_text(full.replace('"hooks": {', '"model": "x", "hooks": {', 1), encoding="utf-8")
    assert not is_gone(Host.CLAUDE, str(builder.folder))
    file.write_text(full.replace("{", '{"disableAllHooks": true,', 1), encoding="utf-8")
    assert is_gone(Host.CLAUDE, str(builder.folder))
    file.write_text("{}", encoding="utf-8")
    assert is_gone(Host.CLAUDE, str(builder.folder))
    file.write_text("{", encoding="utf-8")
    assert not is_gone(Host.CLAUDE, str(builder.folder))
