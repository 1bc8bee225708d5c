"""A stored snapshot is read without pydantic only if pydantic would read the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from handoff_tui.changes.snapshots.snapshot import PackageRecord, Snapshot, TestOutcome, Unread
from handoff_tui.core.restored import read_strictly

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
    """What is no object with a tree is not read."""
    with pytest.raises(ValueError):  # noqa: PT011 - pydantic says why
        read_strictly(Snapshot, content)
