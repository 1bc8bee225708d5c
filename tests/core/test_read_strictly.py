"""Stored snapshots and settings are read without pydantic only if pydantic would read the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from handoff_tui.changes.snapshots.snapshot import PackageRecord, Snapshot, TestOutcome, Unread
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.restored import read_strictly, read_table

_SOUND: dict[str, object] = {
    "schema_version": 1,
    "tree": "a" * 40,
    "commit": None,
    "packages": {"python:a": {"kind": "python", "name": "a", "where": "pyproject.toml", "supersedes": ["b"]}},
    "tests": {"one": "pass"},
    "measures": {"files": 3},
    "unread": [{"path": "x", "reason": "y"}],
}


def encode(value: object) -> bytes:
    return json.dumps(value).encode()


def test_sound_one_is_read() -> None:
    """Every kind of field comes out as the model has it."""
    read = read_strictly(Snapshot, encode(_SOUND))
    assert read == Snapshot.model_validate_json(encode(_SOUND), strict=True)
    assert read.tests == {"one": TestOutcome.PASS}
    assert read.packages["python:a"] == PackageRecord(
        kind="python", name="a", where="pyproject.toml", supersedes=("b",)
    )
    assert read.unread == (Unread(path="x", reason="y"),)


_JSON = some.recursive(
    some.none()
    | some.booleans()
    | some.integers(-3, 3)
    | some.floats()
    | some.sampled_from(["", "pass", "sha1", "\ud800"]),
    lambda inner: (
        some.lists(inner, max_size=2) | some.dictionaries(some.sampled_from(["path", "reason", "kind"]), inner)
    ),
    max_leaves=4,
)


@given(some.sampled_from([*_SOUND, "object_format", "checks", "unknown"]), _JSON)
def test_whatever_it_accepts_pydantic_accepts(field: str, value: object) -> None:
    """Any field with any value: refused, or read as pydantic reads it."""
    content = encode({**_SOUND, field: value})
    try:
        read = read_strictly(Snapshot, content)
    except ValueError:
        return
    assert read == Snapshot.model_validate_json(content, strict=True)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"tree": "a", "tree": 1}', b"\xff\xfe{\x00}\x00", b'{"commit": "a"}']
)
def test_no_snapshot_is_refused(content: bytes) -> None:
    """What isn't an object with a tree is not read."""
    with pytest.raises(ValueError):  # noqa: PT011 - pydantic says why
        read_strictly(Snapshot, content)


_SETTINGS: dict[str, object] = Settings().model_dump(mode="json") | {
    "agents": {
        "a": {
            "command": ["x", "{prompt}"],
            "timeout_seconds": 3,
            "stream": "claude",
            "max_cost": 0.5,
            "variables": {"A": "b"},
        }
    },
    "checks": {"c": {"run": ["make", "test"], "severity": "high", "access": ["network", ".venv/"]}},
    "scopes": {"H-1": {"since": "abc", "paths": ["src"]}},
    "engine": {"address": "postgresql://host/name"},
}


def list_places(table: dict[str, object], *above: str) -> list[tuple[str, ...]]:
    """Every key of a table and of the tables in it."""
    inner = [
        place for key, value in table.items() if isinstance(value, dict) for place in list_places(value, *above, key)
    ]
    return [*((*above, key) for key in table), *inner]


_SETTING = some.sampled_from([*list_places(_SETTINGS), ("unknown",), ("agents", ""), ("limits", "unknown")])
_VALUE = _JSON | some.sampled_from(
    [0, 1, 2**70, 0.5, 1e400, "x\n", "docker", "é", ["x"], [""], "postgres://a:b@c/d", {"": {}}, {"a": {"command": []}}]
)


@given(_SETTING, _VALUE)
def test_whatever_settings_it_accepts_pydantic_accepts(place: tuple[str, ...], value: object) -> None:
    """Any setting with any value: refused, or read as pydantic reads it."""
    table = json.loads(json.dumps(_SETTINGS))
    inner = table
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    try:
        read = read_table(Settings, table)
    except ValueError:
        return
    assert read == Settings.model_validate_json(json.dumps(table), strict=True)


@pytest.mark.parametrize("section", list(_SETTINGS))
def test_sound_settings_need_no_pydantic(section: str) -> None:
    """Each kind of setting is understood, and comes out as pydantic has it."""
    table = {section: _SETTINGS[section]}
    assert read_table(Settings, table) == Settings.model_validate_json(json.dumps(table), strict=True)


def test_default_is_what_pydantic_makes_of_it() -> None:
    """Down to 1 and 1.0: a setting that no file names isn't read, and its default goes into digests as it is."""
    written = json.dumps(Settings().model_dump(mode="json"))
    assert json.dumps(Settings.model_validate_json(written, strict=True).model_dump(mode="json")) == written
    assert json.dumps(read_table(Settings, json.loads(written)).model_dump(mode="json")) == written
