from __future__ import annotations

from handoff_tui.git.objects.log_trees import parse_log_folder, parse_shard, parse_tree

ID = b"\x01" * 20
HEX = "01" * 20
SUFFIX = ".intoto.jsonl"
DIGEST = "ab" + "0" * 62


def build_tree(*lines: tuple[str, str]) -> bytes:
    return b"".join(f"{mode} {name}".encode() + b"\0" + ID for mode, name in lines)


def test_tree_is_read_line_by_line() -> None:
    """Mode, name and object id, also where the id holds NUL and spaces."""
    raw = b"100644 a b\0" + b"\0 " * 10 + build_tree(("40000", "c"))
    assert [(line.mode, line.name, line.object) for line in parse_tree(raw, 20)] == [
        (b"100644", "a b", "0020" * 10),
        (b"40000", "c", HEX),
    ]


def test_tree_of_a_sha256_repository_has_longer_ids() -> None:
    """The length of the ids is the repository's."""
    raw = b"100644 a\0" + b"\x02" * 32
    assert [line.object for line in parse_tree(raw, 32)] == ["02" * 32]


def test_tree_that_is_cut_off_yields_what_is_whole() -> None:
    """No guess about the rest."""
    raw = build_tree(("100644", "a"), ("100644", "b"))
    assert [line.name for line in parse_tree(raw[:-1], 20)] == ["a"]


def test_log_folder_has_shards_and_foreign_things() -> None:
    """Only folders of two hex digits are shards; what a killed writer left is overlooked."""
    shelf = parse_log_folder(
        build_tree(("40000", "ab"), ("40000", "AB"), ("100644", "cd"), ("120000", "ef"), ("100644", ".tmp-1")), 20
    )
    assert shelf.ours == {"ab": HEX}
    assert [name for name, _ in shelf.foreign] == ["AB", "cd", "ef"]


def test_shard_has_entries_and_foreign_things() -> None:
    """Right name, right shard, regular file; everything else is named with a reason."""
    name = DIGEST + SUFFIX
    shelf = parse_shard(
        build_tree(("100644", name), ("100644", "cd" + name[2:]), ("100644", ".tmp-1")), 20, "ab", SUFFIX
    )
    assert shelf.ours == {DIGEST: HEX}
    assert shelf.foreign == (("cd" + name[2:], "not the name of an entry in this shard"),)
    for mode in ("120000", "160000", "40000"):
        shelf = parse_shard(build_tree((mode, name)), 20, "ab", SUFFIX)
        assert shelf.ours == {}
        assert "not a regular file" in shelf.foreign[0][1]
    assert parse_shard(build_tree(("100755", name)), 20, "ab", SUFFIX).ours == {DIGEST: HEX}
