from __future__ import annotations

import json
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.config.layer import find_leaves, find_lines, join_path, merge_tables
from handoff_tui.config.load import LoadedSettings, build_settings
from handoff_tui.config.settings.root import Settings
from handoff_tui.config.theme import ROLES, Theme, parse_theme
from handoff_tui.core.errors import ConfigError

KEYS = st.sampled_from(
    ["a", "b-1", "limits", "commits", "keymap", "theme", "odd name", "dot.ted", "", "é", 'quo"te', "["]
)
SCALARS = st.one_of(
    st.integers(-5, 5),
    st.booleans(),
    st.floats(),
    st.text(alphabet="a=[]{}#'\"\n.\\", max_size=8),
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=5)
TABLES = st.recursive(
    st.dictionaries(KEYS, VALUES, max_size=3),
    lambda inner: st.dictionaries(KEYS, st.one_of(VALUES, inner), max_size=3),
    max_leaves=6,
)
KNOWN = st.sampled_from([key for key, _ in find_leaves(Settings().model_dump(mode="json"))])


def render_value(value: object) -> str:
    if isinstance(value, list):
        return "[" + ",\n ".join(render_value(entry) for entry in value) + "]"
    if isinstance(value, float) and not isinstance(value, bool):
        return "nan" if value != value else str(value)  # noqa: PLR0124 - only nan differs from itself
    return json.dumps(value, ensure_ascii=False)


def render_toml(table: dict[str, object], above: tuple[str, ...] = ()) -> str:
    """TOML with the values of each table first, then its tables."""
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = [f"{json.dumps(key, ensure_ascii=False)} = {render_value(value)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, dict):
            path = (*above, key)
            lines.append("[" + ".".join(json.dumps(part, ensure_ascii=False) for part in path) + "]")
            lines.append(render_toml(value, path))
    return "\n".join(lines)


def find_all_paths(table: dict[str, object], above: tuple[str, ...] = ()) -> set[str]:
    paths: set[str] = set()
    for key, value in table.items():
        paths.add(join_path((*above, key)))
        if isinstance(value, dict):
            paths |= find_all_paths(value, (*above, key))
    return paths


def try_build(user: bytes | None, repository: bytes | None) -> LoadedSettings | str:
    try:
        return build_settings(user, repository)
    except ConfigError as refused:
        return refused.message


@given(TABLES)
def test_lines_find_exactly_the_keys_that_toml_has(table: dict[str, object]) -> None:
    """Every table and key that the TOML reader sees has a line, and nothing else has."""
    text = render_toml(table)
    assert set(find_lines(text)) == find_all_paths(tomllib.loads(text))


@given(TABLES)
def test_lines_point_at_the_line_of_the_key(table: dict[str, object]) -> None:
    """The line that is named for a key has the key's last part in it."""
    text = render_toml(table)
    lines = text.split("\n")
    for path in find_all_paths(table):
        found = lines[find_lines(text)[path] - 1]
        assert any(
            json.dumps(key, ensure_ascii=False) in found for key in find_keys(table) if path.endswith(join_path([key]))
        )


def find_keys(table: dict[str, object]) -> set[str]:
    return set(table) | {key for value in table.values() if isinstance(value, dict) for key in find_keys(value)}


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_give_settings_or_a_config_error(user: bytes, repository: bytes) -> None:
    """Nothing but ConfigError escapes, and the same bytes give the same answer."""
    assert try_build(user, repository) == try_build(user, repository)


@given(TABLES, TABLES)
def test_any_toml_gives_settings_or_a_printable_error(user: dict[str, object], repository: dict[str, object]) -> None:
    """Whatever the tables hold, the answer is settings, or lines that are safe to print."""
    answer = try_build(render_toml(user).encode(), render_toml(repository).encode())
    assert isinstance(answer, LoadedSettings) or all(line.isprintable() for line in answer.split("\n"))


@given(KNOWN, SCALARS)
def test_any_value_for_a_known_key_is_taken_or_refused_by_its_name(key: str, value: object) -> None:
    """A known key either takes the value, with its origin, or is named in the error."""
    table, _, name = key.rpartition(".") if not key.startswith("keymap.") else ("keymap", ".", key[len("keymap.") :])
    header = f"[{table}]\n" if table else ""
    written = name if name.startswith('"') else json.dumps(name)
    answer = try_build(f"{header}{written} = {render_value(value)}\n".encode(), None)
    if isinstance(answer, LoadedSettings):
        assert answer.origins[key] == f"~/.config/handoff-tui/config.toml:{2 if table else 1}"
    else:
        assert key.partition(".")[0] in answer


@given(TABLES, TABLES)
def test_merging_keeps_what_is_above_and_what_only_below_has(
    below: dict[str, object], above: dict[str, object]
) -> None:
    """The upper table wins, the lower fills in, and merging again changes nothing."""
    merged = merge_tables(below, above)
    assert set(merged) == set(below) | set(above)
    assert all(repr(merged[key]) == repr(value) for key, value in above.items() if not isinstance(value, dict))
    assert repr(merge_tables(merged, above)) == repr(merged)


@given(st.dictionaries(st.one_of(st.sampled_from(ROLES), KEYS), SCALARS, max_size=4))
def test_any_theme_is_read_or_refused(roles: dict[str, object]) -> None:
    """A theme is a Theme with every role, or a ConfigError."""
    text = render_toml({"dark": True, "roles": {**dict.fromkeys(ROLES, "default"), **roles}})
    try:
        theme = parse_theme(text.encode(), "own", "own.toml")
    except ConfigError:
        return
    assert isinstance(theme, Theme)
    assert tuple(theme.roles) == ROLES
