from __future__ import annotations

from typing import Any

import pytest

from handoff_tui.core.errors import LogEntryError
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.patterns import match_entry
from handoff_tui.log.entries.statement import parse_statement
from handoff_tui.log.entry import DecisionVerb, Entry
from tests.support.log_entries import GOLDEN, IDS, build_statement

OTHER = "sha256:" + "f" * 64


def match(payload: bytes) -> Entry | None:
    return match_entry(payload, "sha256:" + "0" * 64, ("SHA256:x",))


def read_slowly(payload: bytes) -> Entry | None:
    """What is said without the short cut."""
    try:
        return parse_statement(payload, "sha256:" + "0" * 64, ("SHA256:x",))
    except LogEntryError:
        return None


def test_golden_decision_fits() -> None:
    """The short cut is really taken, and gives what the long way gives."""
    payload = (GOLDEN / "decision.payload").read_bytes()
    assert match(payload) is not None
    assert match(payload) == read_slowly(payload)


@pytest.mark.parametrize(
    ("kind", "predicate"),
    [
        ("submission", {}),
        ("submission", {"producers": [], "attempt": 10**6, "seq": 2**53 - 1}),
        ("decision", {"parents": [OTHER[:-1] + "e", OTHER], "regards": [IDS["genesis"], OTHER]}),
        ("decision", {"producers": ["a", "b@c", "a"], "time": "2024-02-29T23:59:59Z"}),
        ("decision", {"reason": 'a "word"\nand a \\n, ö 😀 \u2028'}),
        ("decision", {"reason": "", "decision": "carry"}),
        ("decision", {"reason": "\\" * 4000, "decision": "hold"}),
        *[("decision", {"decision": verb.value}) for verb in DecisionVerb],
    ],
)
def test_right_entry_fits(kind: str, predicate: dict[str, Any]) -> None:
    """Both kinds, with every verb, lists of any length, and a reason with escapes in it."""
    payload = canonical.encode(build_statement(kind, **predicate))
    found = match(payload)
    assert found is not None
    assert found == read_slowly(payload)


@pytest.mark.parametrize(
    "predicate",
    [
        {"attempt": 10**6 + 1},
        {"attempt": 0},
        {"seq": 1},
        {"seq": 0},
        {"parents": []},
        {"parents": [OTHER, IDS["genesis"]]},
        {"parents": [OTHER, OTHER]},
        {"regards": [OTHER, OTHER]},
        {"time": "2026-02-29T00:00:00Z"},
        {"time": "0000-01-01T00:00:00Z"},
        {"decision": "reject", "reason": " \n"},
        {"reason": "x" * 4001},
        {"reason": "\t"},
        {"reason": "\x7f"},
        {"reason": "\x85"},
        {"actor": ""},
        {"actor": "a\n"},
        {"handoff": "x" * 129},
        {"producers": [""]},
        {"producers": ['a","b']},
    ],
)
def test_wrong_entry_does_not_fit(predicate: dict[str, Any]) -> None:
    """What the long way refuses is not let in by the short one."""
    payload = canonical.encode(build_statement(**predicate))
    assert match(payload) is None
    assert read_slowly(payload) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seq":2', b'"seq": 2'),
        (b'"seq":2', b'"seq":02'),
        (b'"seq":2', b'"seq":9007199254740992'),
        (b'"seq":2', b'"seq":2.0'),
        (b"checks green", b"checks\\u0020green"),
        (b"checks green", b"checks\\/green"),
        (b"checks green", b"checks\\tgreen"),
        (b"checks green", b"checks\ngreen"),
        (b"checks green", b"checks\\ud800green"),
        (b"checks green", b"checks\xed\xa0\x80green"),
        (b"checks green", b"checks\xffgreen"),
        (b'"regards":[]', b'"regards":[],"regards":[]'),
        (b'"regards":[]', b'"regards":null'),
        (b'"name":"review"}]}', b'"name":"review"}]}\n'),
        (b'{"_type"', b' {"_type"'),
        (b"in-toto.io", b"in-totoxio"),
    ],
)
def test_other_bytes_do_not_fit(old: bytes, new: bytes) -> None:
    """Escapes, numbers and spaces have one form here too; a dot in a name is a dot."""
    payload = (GOLDEN / "decision.payload").read_bytes()
    changed = payload.replace(old, new, 1)
    assert changed != payload
    assert match(changed) is None
    assert read_slowly(changed) is None


def test_policy_is_left_to_the_long_way() -> None:
    """Its texts have to be hashed, and there are few."""
    for kind in ("genesis", "policy"):
        payload = canonical.encode(build_statement(kind))
        assert match(payload) is None
        assert read_slowly(payload) is not None


def test_giant_payload_does_not_fit() -> None:
    """Nothing over the size limit is looked at."""
    parents = [f"sha256:{number:064x}" for number in range(4000)]
    payload = canonical.encode(build_statement(parents=parents), max_bytes=10**6)
    assert match(payload) is None
    assert read_slowly(payload) is None
    fitting = canonical.encode(build_statement(parents=parents[:3000]))
    assert match(fitting) is not None
    assert match(fitting) == read_slowly(fitting)
