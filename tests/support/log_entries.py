"""Entries of the signed log for tests: the golden files, and signed files made from any value."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_pae
from handoff_tui.log.entries.statement import build_file
from tests.support.log_keys import LogKey, build_example_key

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "golden_log"
IDS: dict[str, str] = json.loads((GOLDEN / "ids.json").read_text(encoding="utf-8"))


def read_golden(name: str) -> bytes:
    """The golden file of `genesis` or `decision`."""
    return (GOLDEN / f"{IDS[name].removeprefix('sha256:')}.intoto.jsonl").read_bytes()


def sign_payload(payload: bytes, *keys: LogKey) -> bytes:
    """The file of an entry, signed by some keys; by alice where none is named."""
    pae = build_pae(payload)
    return build_file(payload, [key.sign(pae) for key in keys or (build_example_key("alice"),)])


def sign_statement(statement: Any, *keys: LogKey) -> bytes:  # noqa: ANN401 - also what no entry may be
    """As `sign_payload`, from the value of a payload, right or wrong."""
    return sign_payload(canonical.encode(statement), *keys)


def build_statement(kind: str = "decision", **predicate: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """The value of a right payload, with some fields of its predicate replaced."""
    if kind == "genesis":
        statement = _load_payload("genesis")
    elif kind == "policy":
        statement = _load_payload("genesis")
        del statement["predicate"]["nonce"]
        log = IDS["genesis"]
        statement["predicate"] |= {"log": log, "previous": log, "parents": [log], "seq": 2, "version": 2}
    else:
        statement = _load_payload("decision")
        if kind == "submission":
            statement["predicateType"] = "urn:handoff-tui:submission:v1"
            statement["subject"].pop()
            for name in ("decision", "reason", "regards"):
                del statement["predicate"][name]
    statement["predicate"] |= predicate
    return statement


def _load_payload(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(base64.b64decode(json.loads(read_golden(name))["payload"]))
    return value
