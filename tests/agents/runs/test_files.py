from __future__ import annotations

import hashlib
import json
from pathlib import Path

from handoff_tui.agents.runs.files import OutputHash, write_json


def test_json_is_written_whole_and_for_its_owner_alone(tmp_path: Path) -> None:
    """It takes the place of what was there; nothing is left beside it."""
    place = tmp_path / "x.json"
    place.write_text("old", encoding="utf-8")
    write_json(place, {"a": 1})
    assert json.loads(place.read_bytes()) == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    assert place.stat().st_mode & 0o077 == 0


def test_digest_grows_with_the_output(tmp_path: Path) -> None:
    """In pieces or at once, it is that of all bytes."""
    place = tmp_path / "output.log"
    digest = OutputHash(place)
    assert not digest.read_some()
    place.write_bytes(b"one\n")
    digest.read_some()
    with place.open("ab") as file:
        file.write(b"x" * 9_000_000)
    assert digest.read_some()
    digest.read_rest()
    assert digest.digest.hexdigest() == hashlib.sha256(place.read_bytes()).hexdigest()
    assert not digest.rewritten


def test_output_that_was_cut_off_is_noticed(tmp_path: Path) -> None:
    """What was hashed before counts; so does a file that is gone."""
    place = tmp_path / "output.log"
    place.write_bytes(b"an error\n")
    digest = OutputHash(place)
    digest.read_rest()
    place.write_bytes(b"")
    digest.read_rest()
    assert digest.rewritten
    assert digest.digest.hexdigest() == hashlib.sha256(b"an error\n").hexdigest()
    other = OutputHash(place)
    place.write_bytes(b"x")
    other.read_rest()
    place.unlink()
    other.read_rest()
    assert other.rewritten
