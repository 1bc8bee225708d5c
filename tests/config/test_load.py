from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from handoff_tui.cli.commands.config import build_config_json, build_config_page
from handoff_tui.config.layer import SettingRow, find_lines
from handoff_tui.config.load import LoadedSettings, build_settings, load_settings, load_settings_to_look, read_settings
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import ConfigError, RepositoryError
from tests.support.desk_states import list_lines
from tests.support.repositories import RepositoryBuilder

USER = "~/.config/handoff-tui/config.toml"


def refusal(user: str | bytes | None = None, repository: str | bytes | None = None) -> list[str]:
    """The lines of the error that these files lead to."""
    with pytest.raises(ConfigError) as refused:
        build_settings(as_bytes(user), as_bytes(repository))
    return refused.value.message.split("\n")


def as_bytes(content: str | bytes | None) -> bytes | None:
    return content.encode() if isinstance(content, str) else content


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home without any configuration."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository's root."""
    root = tmp_path / "repository"
    root.mkdir()
    return root


def write_user_file(home: Path, text: str) -> None:
    folder = home / ".config" / "handoff-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)


def test_load_keeps_what_holds_without_the_repository() -> None:
    """The defaults and the user's file, whatever the repository says."""
    loaded = build_settings(b"[limits]\ncommits = 5\n", b"[limits]\ncommits = 7\nfile_bytes = 9\n")
    assert (loaded.usual.limits.commits, loaded.usual.limits.file_bytes) == (5, Settings().limits.file_bytes)
    assert build_settings(None, b"[limits]\ncommits = 7\n").usual == Settings()
    assert build_settings(b"[limits]\ncommits = 5\n", None).usual.limits.commits == 5


def test_load_to_look_goes_on_with_the_usual_settings(home: Path, root: Path) -> None:
    """A repository's wrong key hides nothing; nobody judges by what is used instead."""
    write_user_file(home, "[limits]\ncommits = 5\n")
    (root / "handoff-tui.toml").write_text("[limits]\ncommits = 7\ncomits = 8\n")
    loaded = load_settings_to_look(root)
    assert loaded.settings.limits.commits == 5
    assert loaded.refused_shortly.startswith("handoff-tui.toml:3: ")
    with pytest.raises(ConfigError, match="comits"):
        loaded.refuse_judging()
    (root / "handoff-tui.toml").write_text("[limits]\ncommits = 7\n")
    right = load_settings_to_look(root)
    right.refuse_judging()
    assert (right.settings.limits.commits, right.refused_shortly) == (7, "")


def test_load_lets_the_repository_win_over_the_user(home: Path, root: Path) -> None:
    """Defaults, then the user's file, then the repository's; tables merge key by key."""
    write_user_file(home, 'theme = "light"\n[limits]\ncommits = 5\nfile_bytes = 6\n')
    (root / "handoff-tui.toml").write_text("[limits]\n\ncommits = 7\n")
    loaded = load_settings(root)
    limits = loaded.settings.limits
    assert (limits.commits, limits.file_bytes, limits.markdown_bytes) == (7, 6, Settings().limits.markdown_bytes)
    assert loaded.origins["limits.commits"] == "handoff-tui.toml:3"
    assert loaded.origins["limits.file_bytes"] == f"{USER}:4"
    assert loaded.origins["limits.markdown_bytes"] == "default"
    assert loaded.origins["theme"] == f"{USER}:1"


def test_load_follows_the_xdg_variable(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An absolute XDG_CONFIG_HOME is used; a relative one is ignored."""
    folder = tmp_path / "elsewhere" / "handoff-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('theme = "light"')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder.parent))
    assert load_settings(None).origins["theme"] == f"{folder}/config.toml:1"
    monkeypatch.setenv("XDG_CONFIG_HOME", "elsewhere")
    assert load_settings(None).settings.theme == "dark"


def test_load_refuses_a_link_out_of_the_repository(home: Path, root: Path, tmp_path: Path) -> None:
    """The repository's file cannot be a link to somewhere else, nor to nothing."""
    link = root / "handoff-tui.toml"
    (tmp_path / "outside.toml").write_text("")
    for target in (tmp_path / "outside.toml", root / "nothing"):
        link.symlink_to(target)
        with pytest.raises(ConfigError, match="link"):
            load_settings(root)
        link.unlink()


@pytest.mark.parametrize("where", ["user", "repository"])
def test_load_refuses_a_file_that_is_too_large(home: Path, root: Path, where: str) -> None:
    """Neither file may be larger than 256 KiB."""
    text = "#" * (256 * 1024 + 1)
    if where == "user":
        write_user_file(home, text)
    else:
        (root / "handoff-tui.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"large.*262,144|262,144"):
        load_settings(root)


def test_load_refuses_a_named_pipe_without_waiting(home: Path, root: Path) -> None:
    """A pipe in the place of a file is refused at once."""
    os.mkfifo(root / "handoff-tui.toml")
    with pytest.raises(ConfigError, match="named pipe"):
        load_settings(root)
    (root / "handoff-tui.toml").unlink()
    folder = home / ".config" / "handoff-tui"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "config.toml")
    with pytest.raises(ConfigError, match="not a regular file"):
        load_settings(root)


def test_lists_replace_and_named_tables_merge() -> None:
    """A list is replaced as a whole; one field of a named table can be changed."""
    loaded = build_settings(None, b"[tdd]\nbackoff_seconds = [9]\n[procedures.rules.VR001]\nretries = 1\n")
    assert loaded.settings.tdd.backoff_seconds == (9,)
    rules = loaded.settings.procedures.rules
    assert (rules["VR001"].retries, rules["VR001"].timeout_seconds, len(rules)) == (1, 30, 8)


def test_keys_of_actions_can_be_written_with_and_without_quotes() -> None:
    """`app.quit` and `"app.quit"` are the same action."""
    plain = build_settings(b'[keymap]\napp.quit = "Q"\n', None)
    quoted = build_settings(b'[keymap]\n"app.quit" = "Q"\n', None)
    assert plain == quoted
    assert plain.settings.keymap["app.quit"] == "Q"
    assert plain.origins["keymap.app.quit"] == f"{USER}:2"


def test_a_key_given_to_an_action_by_its_earlier_name_is_taken_over() -> None:
    """From the file, where every action has its usual key already; two names of one action may not disagree."""
    keymap = build_settings(b'[keymap]\ndiff.comment = "alt+c"\ndocument.comment = "alt+c"\n', None).settings.keymap
    assert (keymap["review.comment"], keymap.get("diff.comment")) == ("alt+c", None)
    with pytest.raises(ConfigError, match=r"document\.comment is review\.comment now, .* alt\+c"):
        build_settings(b'[keymap]\ndiff.comment = "alt+c"\ndocument.comment = "alt+d"\n', None)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("theme", 'theme = "light"'),
        ("ascii", "ascii = true"),
        ("editor", 'editor = ["ed"]'),
        ("keymap", '[keymap]\napp.quit = "Q"'),
        ("notifications", '[notifications]\ncommand = ["run-me"]'),
    ],
)
def test_repository_cannot_set_the_users_desk(key: str, text: str) -> None:
    """Theme, drawing, editor, keys and notifications are refused, with the file they belong in."""
    assert refusal(None, text) == [f"handoff-tui.toml:1: {key} cannot be set by a repository; put it into {USER}"]
    assert key in {origin.partition(".")[0] for origin in find_said(build_settings(text.encode(), None))}


def find_said(loaded: LoadedSettings) -> list[str]:
    return [key for key, origin in loaded.origins.items() if origin != "default"]


def test_unknown_key_names_the_nearest() -> None:
    """A slip is answered with the key that was probably meant."""
    assert refusal("[limits]\ncomits = 1") == [f"{USER}:2: limits.comits is unknown; did you mean commits?"]
    assert refusal("[Limits]\ncommits = 1") == [f"{USER}:1: Limits is unknown; did you mean limits?"]


def test_unknown_key_like_no_other_lists_the_known() -> None:
    """With nothing near, all keys of that table are listed."""
    expected = f"{USER}:2: limits.zzz is unknown; known are file_bytes, markdown_bytes, hash_bytes, commits"
    assert refusal("[limits]\nzzz = 1") == [expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[limits]\nfile_bytes = 'x'", "2: limits.file_bytes should be a whole number, is 'x'"),
        ("[limits]\nfile_bytes = 1.5", "2: limits.file_bytes should be a whole number, is 1.5"),
        ("[limits]\nfile_bytes = true", "2: limits.file_bytes should be a whole number, is true"),
        ("[limits]\nfile_bytes = '5'", "2: limits.file_bytes should be a whole number, is '5'"),
        ("[limits]\ncommits = 0", "2: limits.commits should be at least 1, is 0"),
        ("limits = 1", "1: limits should be a table, is 1"),
        ("[tdd]\nphases = 'PLAN'", "2: tdd.phases should be a list, is 'PLAN'"),
        ("[tdd]\nphases = [1]", "2: tdd.phases.0 should be a text in quotes, is 1"),
        ("[tdd]\nlock_file = ''", "2: tdd.lock_file should be a text that is not empty, is ''"),
        ("[mosaic.health]\nenabled = 'no'", "2: mosaic.health.enabled should be true or false, is 'no'"),
        ("[procedures]\nfinal_share_minimum = 1.5", "2: procedures.final_share_minimum should be at most 1.0, is 1.5"),
        (
            "[checks.x]\nseverity = 'bad'",
            "2: checks.x.severity should be one of 'critical', 'high', 'medium' or 'low', is 'bad'",
        ),
        ("[agents.x]\nretries = 1", "1: agents.x.command is missing"),
        ("[agents.x]\ncommand = []", "2: agents.x.command should be a list with at least 1 entry, is []"),
        (
            "[limits]\ncommits = 2020-01-01",
            "2: limits.commits is a date or a time, and no setting is one; put it in quotes if it is a text",
        ),
        ("[checks.x.parameters]\na = [nan]", "2: checks.x.parameters.a.0 should be a finite number, is nan"),
        (
            "[[pipelines.own.phases]]\nname = 'a'\n[[pipelines.own.phases]]\nname = 'b'\ngate = 1",
            "5: pipelines.own.phases.1.gate should be true or false, is 1",
        ),
        (
            "[checks.x]\nrun = ['a']\npython = 'a:b'",
            "1: checks.x: has both `run` and `python`; a check is one or the other",
        ),
    ],
)
def test_wrong_value_is_named_with_place_and_kind(text: str, message: str) -> None:
    """File, line, key, what it should be and what it is."""
    assert refusal(None, text) == [f"handoff-tui.toml:{message}"]


def test_several_problems_are_reported_together() -> None:
    """All problems of both files, one a line, in the order of the lines."""
    lines = refusal("[limits]\ncommits = 'x'\nfile_byte = 1", "[limits]\ncommits = 5\nmarkdown_bytes = 0")
    assert [line.split(" ")[0:2] for line in lines] == [
        [f"{USER}:2:", "limits.commits"],
        [f"{USER}:3:", "limits.file_byte"],
        ["handoff-tui.toml:3:", "limits.markdown_bytes"],
    ]


def test_very_many_problems_are_cut() -> None:
    """The message ends; it says how many problems it left out."""
    lines = refusal("\n".join(f"unknown{number} = 1" for number in range(50)))
    assert lines[-1] == "and 30 more"


def test_files_that_contradict_each_other_are_both_named() -> None:
    """Each file is right alone; together they are not."""
    user = "[[pipelines.own.phases]]\nname = 'a'\n[[pipelines.own.phases]]\nname = 'b'\n"
    user += "[pipelines.own]\nfailure_target = 'b'\n"
    lines = refusal(user, "[[pipelines.own.phases]]\nname = 'c'\n")
    assert lines == [
        f"{USER} and handoff-tui.toml together: pipelines.own: names 'b', which is not one of its phases: 'c'"
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a =", "handoff-tui.toml:1:4: is not TOML: Invalid value"),
        (b"[a]\nb", "handoff-tui.toml:2:2: is not TOML: Expected '=' after a key in a key/value pair"),
        (b"[a]\r\nb 1", "handoff-tui.toml:2:3: is not TOML: Expected '=' after a key in a key/value pair"),
        (b"a = 1\nb = '\xff'", "handoff-tui.toml:2: is not UTF-8"),
        (b"a=" + b"[" * 9000, "handoff-tui.toml: is nested more than 20 levels deep"),
        (b"a=" + b"[" * 50 + b"]" * 50, "handoff-tui.toml: is nested more than 20 levels deep"),
        (b"b=1\n" + b".".join([b"a"] * 9000) + b"=1", "handoff-tui.toml:2: has more than 200 dots in one line"),
    ],
)
def test_broken_files_are_explained(content: bytes, message: str) -> None:
    """Not TOML, not UTF-8, too deep: each says where and why, and none takes long."""
    assert refusal(None, content) == [message]


def test_enormous_number_is_refused() -> None:
    """A number that Python itself will not read is an error of the file."""
    assert refusal(None, b"a = " + b"9" * 5000)[0].startswith("handoff-tui.toml: is not TOML: Exceeds the limit")


def test_byte_order_mark_and_crlf_are_tolerated() -> None:
    """What editors of other systems write is read."""
    loaded = build_settings(None, b"\xef\xbb\xbf[limits]\r\ncommits = 9\r\n")
    assert loaded.settings.limits.commits == 9
    assert loaded.origins["limits.commits"] == "handoff-tui.toml:2"


def test_control_characters_of_a_file_never_reach_a_message() -> None:
    """Keys, values and names from a repository are escaped."""
    text = (
        '"\\u001b[31m" = 1\n[limits]\ncommits = "\\u001b\\u202e"\n[pipelines."\\u001b"]\nfailure_target = "\\u001b"\n'
    )
    for line in refusal(None, text):
        assert line.isprintable()


def test_rows_come_in_the_order_of_declaration() -> None:
    """Each setting once, in order, with value and origin."""
    loaded = build_settings(None, b"[limits]\ncommits = 9\n[agents.own]\ncommand = ['tool']\n")
    rows = loaded.rows()
    keys = [key for key, _, _ in rows]
    assert keys[:4] == ["limits.file_bytes", "limits.markdown_bytes", "limits.hash_bytes", "limits.commits"]
    assert rows[3] == ("limits.commits", 9, "handoff-tui.toml:2")
    assert ("agents.own.command", ["tool"], "handoff-tui.toml:4") in rows
    assert ("agents.own.retries", 0, "default") in rows
    assert len(keys) == len(set(keys)) == len(loaded.origins)
    tables = list(dict.fromkeys(key.partition(".")[0] for key in keys))
    assert tables == list(Settings.model_fields)


@pytest.fixture
def user_file(isolated_user: Path) -> Path:
    """The user's own file, which sets one thing."""
    place = isolated_user / "config" / "handoff-tui" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text("[limits]\ncommits = 5\n", encoding="utf-8")
    return place


def test_settings_of_a_repository_are_read_from_anywhere_inside(builder: RepositoryBuilder, user_file: Path) -> None:
    """Its own file wins over the user's."""
    builder.write("handoff-tui.toml", "[limits]\ncommits = 7\n").write("deep/a.py")
    assert read_settings(builder.folder / "deep", required=True).settings.limits.commits == 7


def test_repository_that_was_asked_for_must_be_one(tmp_path: Path) -> None:
    """By name it is required."""
    with pytest.raises(RepositoryError):
        read_settings(tmp_path, required=True)


def test_lines_are_not_confused_by_values() -> None:
    """Keys and brackets inside texts, lists and comments are none."""
    text = 'a = """\n[not]\nkey = 1 \\"""\n"""\n'
    text += "b = [\n  ']', # ] x = 1\n  \"[\",\n]\n"
    text += "c = '''\nd = 1\n'''\ne = {f = 1}\n"
    assert find_lines(text) == {"a": 1, "b": 5, "c": 9, "e": 12}


ROWS = [
    SettingRow("limits.commits", 200, "default"),
    SettingRow("agents.names", ["köhler", "\x1b[2J"], "handoff-tui.toml:3"),
]


def test_config_json_has_key_value_and_origin() -> None:
    """The shape promised to scripts, in the order of the rows."""
    assert build_config_json(ROWS) == {
        "schema": "handoff-tui/config/v1",
        "settings": [
            {"key": "limits.commits", "value": 200, "origin": "default"},
            {"key": "agents.names", "value": ["köhler", "\x1b[2J"], "origin": "handoff-tui.toml:3"},
        ],
    }
    json.dumps(build_config_json(ROWS))


def test_config_page_shows_origins_only_when_asked() -> None:
    """The third column comes with the question."""
    assert list_lines(build_config_page(ROWS, origins=False)) == [
        "setting | value",
        "limits.commits | 200",
        'agents.names | ["köhler", "\\u001b[2J"]',
    ]
    assert list_lines(build_config_page(ROWS, origins=True))[1:] == [
        "limits.commits | 200 | default",
        'agents.names | ["köhler", "\\u001b[2J"] | handoff-tui.toml:3',
    ]
