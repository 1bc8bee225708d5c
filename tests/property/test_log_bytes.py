"""The bytes of the log under random change: nothing crashes, and nothing that was changed is accepted."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.errors import LogEntryError
from handoff_tui.handoffs.scope.digests import build_files, build_scope_digest
from handoff_tui.handoffs.scope.scope import DELETED, Attribution, Content, OwnChange, Scope
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import parse_envelope
from handoff_tui.log.entries.public_keys import KeyType, parse_key_blob, parse_public_key
from handoff_tui.log.entries.sshsig import armor, parse_signature, parse_signature_blob, re_armor, unarmor
from handoff_tui.log.entries.statement import (
    build_payload,
    parse_entry,
    parse_payload,
    verify_signatures,
)
from handoff_tui.log.entry import Subject
from handoff_tui.log.review_record import ReviewRecord, ScopeManifest
from handoff_tui.log.storage.evidence import encode_review
from tests.support.log_keys import (
    IDS,
    build_example_key,
    build_key,
    build_statement,
    read_golden,
    sign_payload,
    sign_statement,
)
from tests.support.strategies import json_values

ALL_KINDS = ["genesis", "policy", "submission", "decision", "scoped_submission", "scoped_decision"]
KINDS = st.sampled_from(ALL_KINDS)
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
KEYS = st.text(alphabet=st.characters(max_codepoint=127), max_size=6)
VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-canonical.MAX_INTEGER, canonical.MAX_INTEGER), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=20,
)
MUTABLE = {kind: sign_statement(build_statement(), build_key(kind)) for kind in KeyType}


def is_accepted(content: bytes) -> bool:
    """What the log says of a file; an error that is not our own is a failure of the test."""
    try:
        verify_signatures(parse_entry(content))
    except LogEntryError:
        return False
    return True


@given(VALUES)
def test_value_comes_back_from_its_one_form(value: canonical.Value) -> None:
    """Encoding is the inverse of decoding, and agrees with plain JSON about the value."""
    data = canonical.encode(value)
    assert canonical.decode(data) == value == json.loads(data)
    assert canonical.encode(canonical.decode(data)) == data


STYLES = st.fixed_dictionaries(
    {
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (",", ": ")]),
        "indent": st.sampled_from([None, None, 0, 1]),
        "ensure_ascii": st.booleans(),
        "sort_keys": st.booleans(),
    }
)


@given(json_values(["a", "b", "_type"]), STYLES)
def test_json_is_accepted_in_its_one_form_only(value: object, style: dict[str, Any]) -> None:
    """Whatever another writer makes of a value is refused unless it is that form, byte for byte."""
    data = json.dumps(value, **style).encode(errors="surrogatepass")
    try:
        decoded = canonical.decode(data)
    except LogEntryError:
        return
    assert canonical.encode(decoded) == data
    assert decoded == value


@given(
    st.one_of(
        st.binary(max_size=40), st.text(alphabet='[]{}",:0123456789.eE-+ntrufals\\ö', max_size=30).map(str.encode)
    )
)
def test_decoder_never_breaks(data: bytes) -> None:
    """Any bytes are a value in its one form, or an error of ours."""
    try:
        value = canonical.decode(data)
    except LogEntryError:
        return
    assert canonical.encode(value) == data


@pytest.mark.parametrize("name", ["genesis", "decision", "scoped_submission", "scoped_decision"])
def test_every_changed_byte_of_a_golden_file_is_noticed(name: str) -> None:
    """Every byte of the file, each with one bit flipped: not one of the files is accepted."""
    content = read_golden(name)
    assert is_accepted(content)
    for place, byte in enumerate(content):
        assert not is_accepted(content[:place] + bytes([byte ^ 1 << place % 8]) + content[place + 1 :]), place


@given(st.sampled_from(KeyType), st.data())
def test_any_change_of_a_byte_is_noticed(kind: KeyType, data: st.DataObject) -> None:
    """By keys of every type: replaced by any other, left out, doubled, put in, cut off."""
    content = MUTABLE[kind]
    place = data.draw(st.integers(0, len(content) - 1), "place")
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[place]), "other")
    assert is_accepted(content)
    for changed in (
        content[:place] + bytes([other]) + content[place + 1 :],
        content[:place] + content[place + 1 :],
        content[:place] + content[place : place + 1] + content[place:],
        content[:place] + bytes([other]) + content[place:],
        content[:place],
        content[place:][: max(1, len(content) - place - 1)],
    ):
        assert changed == content or not is_accepted(changed)


@given(st.sampled_from(KeyType), st.data())
def test_any_change_inside_a_signature_is_noticed(kind: KeyType, data: st.DataObject) -> None:
    """With armor, base64 and keyid made right again around it."""
    value = json.loads(MUTABLE[kind])
    blob = unarmor(base64.b64decode(value["signatures"][0]["sig"]))
    place = data.draw(st.integers(0, len(blob) - 1), "place")
    flip = data.draw(st.integers(1, 255), "flip")
    changed = blob[:place] + bytes([blob[place] ^ flip]) + blob[place + 1 :]
    value["signatures"][0]["sig"] = base64.b64encode(armor(changed)).decode()
    try:
        value["signatures"][0]["keyid"] = parse_signature_blob(changed).key.fingerprint
    except LogEntryError:
        return
    assert not is_accepted(canonical.encode(value) + b"\n")


@given(
    st.one_of(st.binary(max_size=200), st.binary(max_size=60).map(armor), st.binary(max_size=60).map(base64.b64encode))
)
def test_readers_of_bytes_never_break(data: bytes) -> None:
    """Whatever is in a file, a signature or a key: an error of ours, or what it was made from."""
    for read in (parse_entry, parse_envelope, parse_payload, parse_signature, parse_signature_blob, parse_key_blob):
        with pytest.raises(LogEntryError):
            read(data)
    try:
        right = re_armor(data)
    except LogEntryError:
        return
    assert armor(unarmor(right)) == right


@given(st.one_of(st.text(max_size=60), st.text(max_size=60).map(lambda text: f"ssh-ed25519 {text}")))
def test_reader_of_key_lines_never_breaks(text: str) -> None:
    """No text by chance is a key."""
    with pytest.raises(LogEntryError):
        parse_public_key(text)


def list_places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:  # noqa: ANN401 - JSON
    """The paths of everything inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [place for key, part in inner for place in list_places(part, (*path, key))]


@st.composite
def wrong_statements(draw: st.DrawFn) -> tuple[Any, Any]:
    """A right statement, and the same with something replaced, left out, added or doubled somewhere."""
    right = build_statement(draw(KINDS))
    wrong = copy.deepcopy(right)
    path = draw(st.sampled_from(list_places(wrong)))
    parent: Any = wrong
    for step in path[:-1]:
        parent = parent[step]
    action = draw(st.sampled_from(["replace", "remove", "add", "double"]))
    if action == "replace":
        parent[path[-1]] = draw(VALUES)
    elif action == "remove":
        del parent[path[-1]]
    elif isinstance(parent, dict):
        parent[draw(KEYS)] = draw(VALUES)
    else:
        parent.insert(0, draw(VALUES) if action == "add" else parent[path[-1]])
    return right, wrong


FOREIGN: tuple[Any, ...] = (
    None,
    [None],
    {"ö": 1},
    {"": None},
    [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]],
    {"a": {"a": {"a": {}}}},
    [],
    {},
    -1,
)
EMPTY_IS_RIGHT = {"producers", "regards"}


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_value_that_the_format_does_not_know_is_refused_wherever_it_stands(kind: str) -> None:
    """Null, keys that are not ASCII, deep nesting: in the place of every part of an entry of every kind."""
    for path in list_places(build_statement(kind)):
        for foreign in FOREIGN:
            statement = build_statement(kind)
            parent: Any = statement
            for step in path[:-1]:
                parent = parent[step]
            parent[path[-1]] = foreign
            payload = json.dumps(statement, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
            if foreign == [] and (path[-1] in EMPTY_IS_RIGHT or statement == build_statement(kind)):
                assert build_payload(parse_payload(payload)) == payload
            else:
                with pytest.raises(LogEntryError):
                    parse_payload(payload)


@given(wrong_statements())
def test_structure_that_is_wrong_is_refused_though_signed(statements: tuple[Any, Any]) -> None:
    """What is still read differs from the right one in the value of a field only, and is written again as it was."""
    right, wrong = statements
    content = sign_statement(wrong)
    try:
        parsed = parse_entry(content)
    except LogEntryError:
        return
    verify_signatures(parsed)
    assert build_payload(parsed.entry) == canonical.encode(wrong)
    assert build_shape(wrong) == build_shape(right)


FREE_LISTS = ("parents", "producers", "regards")


def build_shape(statement: Any) -> Any:  # noqa: ANN401 - JSON
    """Which fields there are and of which type; lists of names may have any length."""
    predicate = {name: None if name in FREE_LISTS else type(value) for name, value in statement["predicate"].items()}
    subjects = [(subject["name"], *subject["digest"]) for subject in statement["subject"]]
    return statement["_type"], statement["predicateType"], predicate, subjects, statement.keys()


WORK_PAYLOADS = [
    canonical.encode(build_statement("submission")),
    canonical.encode(build_statement("decision", reason='a\n"b"\\ö', regards=[IDS["genesis"]])),
    canonical.encode(build_statement("scoped_submission")),
    canonical.encode(build_statement("scoped_decision", reason='a\n"b"\\ö', regards=[IDS["genesis"]])),
]


@given(st.data())
def test_every_byte_counts(data: st.DataObject) -> None:
    """A byte replaced, put in or left out: refused, or read as exactly these bytes."""
    payload = data.draw(st.sampled_from(WORK_PAYLOADS), "payload")
    place = data.draw(st.integers(0, len(payload) - 1), "place")
    byte = data.draw(st.one_of(st.sampled_from(b'",:[]{}\\0fn /'), st.integers(0, 255)), "byte")
    for changed in (
        payload[:place] + bytes([byte]) + payload[place + 1 :],
        payload[:place] + bytes([byte]) + payload[place:],
        payload[:place] + payload[place + 1 :],
    ):
        try:
            entry = parse_payload(changed)
        except LogEntryError:
            continue
        assert build_payload(entry) == changed


PRINCIPALS = st.from_regex(r"[A-Za-z0-9._%+@-]{1,128}", fullmatch=True)
LABELS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,127}", fullmatch=True)
ENTRY_IDS = st.binary(min_size=32, max_size=32).map(lambda data: f"sha256:{data.hex()}")
REASONS = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=40).map(lambda text: f"a\n{text}")


@given(
    st.sampled_from(["decision", "scoped_decision"]),
    st.fixed_dictionaries(
        {
            "actor": PRINCIPALS,
            "attempt": st.integers(1, 10**6),
            "decision": st.sampled_from(
                ["approve", "reject", "retry", "skip", "override", "hold", "withdraw", "carry"]
            ),
            "handoff": LABELS,
            "phase": LABELS,
            "parents": st.sets(ENTRY_IDS, min_size=1, max_size=4).map(sorted),
            "producers": st.lists(PRINCIPALS, max_size=3),
            "reason": REASONS,
            "regards": st.sets(ENTRY_IDS, max_size=3).map(sorted),
            "seq": st.integers(2, canonical.MAX_INTEGER),
            "time": st.datetimes().map(lambda moment: f"{moment.replace(microsecond=0).isoformat()}Z"),
        }
    ),
)
def test_decision_with_any_right_content_comes_back(kind: str, predicate: dict[str, Any]) -> None:
    """Built, signed, read, verified, built again: the same bytes, in either version."""
    payload = canonical.encode(build_statement(kind, **predicate))
    content = sign_payload(payload, build_example_key("alice"), build_example_key("bob"))
    parsed = parse_entry(content)
    verify_signatures(parsed)
    assert build_payload(parsed.entry) == payload
    assert parsed.entry.log == IDS["genesis"]
    assert parsed.entry.model_validate(parsed.entry.model_dump()) == parsed.entry


PATHS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
RAW_PATHS = st.one_of(PATHS, st.binary(min_size=1, max_size=8).filter(lambda data: 0 not in data).map(os.fsdecode))
FILES = st.dictionaries(
    RAW_PATHS, st.sampled_from([DELETED, Content("100644", "a"), Content("100755", "b")]), max_size=6
)


def build_scope(files: dict[str, Content], commit: str = "c" * 40) -> Scope:
    changes = tuple(OwnChange(path, commit, DELETED, content, Attribution.COMMITS) for path, content in files.items())
    return Scope("H-3", changes, start=commit)


@given(FILES, FILES)
def test_scope_digest_is_of_the_files_and_of_nothing_else(
    files: dict[str, Content], others: dict[str, Content]
) -> None:
    """Canonical bytes; equal for equal files in any order and at any commit, and for no others."""
    hashes = {"a": "1" * 64, "b": "2" * 64}
    listed = build_files(build_scope(files), hashes)
    digest = build_scope_digest(listed)
    assert digest == hashlib.sha256(canonical.encode({"files": [{**file} for file in listed]})).hexdigest()
    turned = build_scope(dict(reversed(files.items())), commit="d" * 40)
    assert build_scope_digest(build_files(turned, hashes)) == digest
    assert (build_scope_digest(build_files(build_scope(others), hashes)) == digest) == (files == others)


@given(FILES)
def test_manifest_of_a_review_record_gives_the_digest_back(files: dict[str, Content]) -> None:
    """Written as evidence and read again, whatever the paths are called."""
    listed = build_files(build_scope(files), {"a": "1" * 64, "b": "2" * 64})
    subject = Subject(commit="", tree="", scope=build_scope_digest(listed), snapshot="", checks="", handoff="")
    manifest = ScopeManifest(files=tuple(listed))
    record = ReviewRecord(handoff="H-3", phase="p", attempt=1, subject=subject, scope=manifest)
    again = ReviewRecord.model_validate_json(encode_review(record), strict=True)
    assert again.scope is not None
    assert build_scope_digest(list(again.scope.files)) == subject.scope
