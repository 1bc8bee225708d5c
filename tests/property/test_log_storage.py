"""Laws of what stores and signs the log: no bytes make a reader fail in a way it does not say."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.errors import WitnessDamagedError
from handoff_tui.git.objects.log_trees import parse_log_folder, parse_shard, parse_tree
from handoff_tui.git.signing.signing_key import parse_private_text, parse_public_text
from handoff_tui.log.storage.memory import SeenEntries, build_block, build_witness, parse_cache, parse_witness
from handoff_tui.system.files.addressed_files import AddressedFolder

IDS = st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:".__add__)
LINES = st.text(st.characters(codec="ascii", exclude_characters="\n"), max_size=40)
SECRET = b"s" * 32


@given(st.binary(max_size=400), st.sampled_from([20, 32]))
def test_any_bytes_are_some_tree(content: bytes, id_bytes: int) -> None:
    """No failure; every object id is complete."""
    assert all(len(line.object) == 2 * id_bytes for line in parse_tree(content, id_bytes))
    parse_log_folder(content, id_bytes)
    parse_shard(content, id_bytes, "ab", ".intoto.jsonl")


@given(IDS, st.sets(IDS, min_size=1), st.sets(IDS))
def test_witness_keeps_everything(genesis: str, first: set[str], more: set[str]) -> None:
    """Written, grown, read: the union, always JSON."""
    content = build_witness(genesis, first)
    if more:
        content = build_witness(genesis, more, content)
    assert parse_witness(content) == SeenEntries(genesis, frozenset(first | more))
    assert json.loads(content)["genesis"] == genesis


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps).map(str.encode)
)
def test_any_bytes_are_a_witness_or_damage(content: bytes) -> None:
    """Nothing in between."""
    try:
        parse_witness(content)
    except WitnessDamagedError as told:
        assert told.hint  # noqa: PT017 - a whole witness is an answer too


@given(st.lists(st.dictionaries(IDS, LINES, min_size=1, max_size=4), max_size=4))
def test_cache_gives_back_what_was_recorded(blocks: list[dict[str, str]]) -> None:
    """The later block wins; another secret or version gives nothing."""
    content = b"".join(build_block(block, SECRET, "1") for block in blocks)
    expected = {identifier: line for block in blocks for identifier, line in block.items()}
    assert parse_cache(content, SECRET, "1") == expected
    if blocks:
        assert parse_cache(content, b"other", "1") is None
        assert parse_cache(content, SECRET, "2") is None


@given(st.dictionaries(IDS, LINES, min_size=1, max_size=3), st.data())
def test_cache_with_any_byte_changed_is_empty(block: dict[str, str], data: st.DataObject) -> None:
    """One flipped bit, anywhere, and nothing is believed."""
    content = bytearray(build_block(block, SECRET, "1"))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    assert parse_cache(bytes(content), SECRET, "1") is None


@given(st.binary(max_size=200))
def test_any_bytes_are_no_cache(content: bytes) -> None:
    """Only the empty file is a cache without a seal."""
    assert parse_cache(content, SECRET, "1") == ({} if content == b"" else None)


@given(st.text(max_size=200))
def test_any_text_is_a_key_or_none(text: str) -> None:
    """What is recognised as a public key is one line of type and base64."""
    found = parse_public_text(text)
    assert found is None or parse_public_text(found) == found
    framed = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{text}\n-----END OPENSSH PRIVATE KEY-----"
    private = parse_private_text(framed)
    assert private is None or parse_public_text(private) == private


@given(st.lists(st.binary(max_size=50), max_size=8))
def test_store_gives_back_what_was_written(contents: list[bytes]) -> None:
    """Each content once, by its digest, in either layout."""
    with tempfile.TemporaryDirectory() as name:
        for sharded in (True, False):
            folder = AddressedFolder(Path(name), f"f{sharded}", ".json", sharded=sharded, max_bytes=50)
            digests = [folder.write(content) for content in contents]
            assert [folder.read(digest) for digest in digests] == contents
            assert folder.list() == tuple(sorted(set(digests)))
            assert folder.list_foreign() == ()
