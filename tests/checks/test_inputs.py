from __future__ import annotations

from datetime import UTC, datetime

import pytest

from handoff_tui.checks.inputs import _ASK, Inputs, describe_question, digest_value
from handoff_tui.checks.world import Change, CommitInfo
from handoff_tui.config.settings.checks import Check
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.place import Problem
from tests.support.session_states import build_state
from tests.support.world import HEAD, MemoryWorld

NAMES = {
    "answer": "https://x.example",
    "commit": HEAD[:7],
    "commit-paths": HEAD,
    "file": "a.txt",
    "file-at": f"{HEAD}:a.txt",
    "find": "docs/b.md\0a.txt",
    "handoff": "mosaic",
    "lag": HEAD,
    "parameters": "own",
    "setting": "mosaic.folder",
    "usual-severity": "VR007",
    "verdicts": "mosaic",
}
ANSWERS: dict[str, object] = {
    "answer": 204,
    "baseline": "c" * 40,
    "changes": (Change("M", "a.txt"),),
    "commit": HEAD,
    "commit-paths": ("a.txt",),
    "commits": (CommitInfo(HEAD, (), "A", "a@x", "2026-01-01", "s", ""),),
    "cut-off": False,
    "document-commit": "d" * 40,
    "executable": True,
    "exists": True,
    "file": b"text",
    "file-at": b"old text",
    "find": "a.txt",
    "handoff-ids": (("mosaic", "mosaic"),),
    "lag": 0,
    "now": datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC),
    "parameters": {"minimum": 3},
    "problems": (),
    "program-answers": True,
    "program": "/bin/git",
    "reaches": True,
    "remotes": (("origin", "/srv/x"),),
    "setting": ".mosaic",
    "usual-severity": "medium",
    "writable": True,
}


def build_world() -> MemoryWorld:
    name = "a.txt"
    return MemoryWorld(
        files={name: "text", **build_state()},
        log=(CommitInfo(HEAD, (), "A", "a@x", "2026-01-01", "s", ""),),
        touched={HEAD: (name,)},
        documents={name: "d" * 40},
        old_files={(HEAD, name): b"old text"},
        base="c" * 40,
        changed=(Change("M", name),),
        executables=frozenset({name}),
        programs={name: "/bin/git"},
        answering={name: True},
        known_remotes={"origin": "/srv/x"},
        reached={name: True},
        addresses={"https://x.example": 204},
        settings=Settings(checks={"own": Check(python="mine:find", parameters={"minimum": 3})}),
    )


@pytest.mark.parametrize("kind", sorted(_ASK))
def test_inputs_pass_every_question_to_the_world(kind: str) -> None:
    """Each kind of question has the world's own answer, and a digest that is the same in another run."""
    name = NAMES.get(kind, "a.txt")
    inputs = Inputs(build_world())
    if kind in ANSWERS:
        assert inputs.ask(kind, name) == ANSWERS[kind]
    else:
        assert inputs.ask(kind, name)
    assert inputs.digest(kind, name) == Inputs(build_world()).digest(kind, name)


def test_inputs_know_no_handoff_of_another_name() -> None:
    """A handoff that is gone is nothing, which differs from what it was."""
    inputs = Inputs(build_world())
    assert inputs.ask("handoff", "gone") is None
    assert inputs.digest("handoff", "gone") != inputs.digest("handoff", "mosaic")


def test_inputs_ask_the_world_once() -> None:
    """A file that changes while the rules run is the same for all of them."""
    world = build_world()
    inputs = Inputs(world)
    before = inputs.digest("file", "a.txt")
    world.files["a.txt"] = "changed in between"
    assert inputs.ask("file", "a.txt") == b"text"
    assert inputs.digest("file", "a.txt") == before


def test_inputs_find_no_difference_where_all_is_as_recorded() -> None:
    """A manifest of the same world has no difference."""
    first = Inputs(build_world())
    manifest = {f"{kind}:{NAMES.get(kind, '')}": first.digest(kind, NAMES.get(kind, "")) for kind in _ASK}
    assert Inputs(build_world()).find_difference(manifest) is None


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("file:src/a.py", "src/a.py"),
        ("setting:mosaic.folder", "setting mosaic.folder"),
        ("handoff:mosaic", "mosaic"),
        ("verdicts:mosaic", "the claims of mosaic"),
        ("document-commit:x.md", "document commit x.md"),
        ("facts:", "facts"),
        ("find:docs/b.md\0a.txt", "find docs/b.md names a.txt"),
    ],
)
def test_inputs_name_what_changed(key: str, words: str) -> None:
    """The first answer that is not what was recorded is told in words."""
    assert Inputs(build_world()).find_difference({key: "another digest"}) == words


def test_inputs_take_an_unknown_question_for_a_difference() -> None:
    """A manifest of another version, with questions that nobody asks any more, is never trusted."""
    assert Inputs(build_world()).find_difference({"weather:today": "sunny"}) == "weather today"


def test_inputs_notice_that_a_missing_file_appeared() -> None:
    """Absence is an answer too."""
    manifest = {"file:new.txt": Inputs(MemoryWorld()).digest("file", "new.txt")}
    assert Inputs(MemoryWorld()).find_difference(manifest) is None
    assert Inputs(MemoryWorld(files={"new.txt": ""})).find_difference(manifest) == "new.txt"


def test_digest_tells_answers_apart() -> None:
    """Values of different kinds that look alike have different digests; equal ones have equal digests."""
    values: list[object] = [
        None,
        b"",
        b"a",
        "a",
        "",
        (),
        ("a",),
        0,
        1,
        True,
        {"a": 1},
        datetime(2026, 1, 1, tzinfo=UTC),
    ]
    assert len({digest_value(value) for value in values}) == len(values)
    assert digest_value({"a": 1, "b": 2}) == digest_value({"b": 2, "a": 1})


def test_digest_reads_models_and_odd_values() -> None:
    """Models by their content, anything else by its representation; lone surrogates do no harm."""
    first, second = (Problem(path="a", message=message) for message in ("x", "y"))
    assert digest_value((first,)) == digest_value((first.model_copy(),))
    assert digest_value((first,)) != digest_value((second,))
    assert digest_value(frozenset({"a"})) == digest_value(frozenset({"a"}))
    assert digest_value("\udcff") != digest_value("\udcfe")


def test_question_is_described_by_its_name() -> None:
    """What changed is named as a person would."""
    assert describe_question("commit-paths", "abc") == "commit paths abc"


def test_old_content_is_not_asked_for_again() -> None:
    """What a path held at a commit never changes; what was not there may have come since, as may a name's commit."""
    world = build_world()
    recorded = Inputs(world).digest("file-at", f"{HEAD}:a.txt")
    absent = Inputs(world).digest("file-at", f"{HEAD}:b.txt")
    world.old_files = {(HEAD, "b.txt"): b"come", ("main", "a.txt"): b"moved"}
    assert Inputs(world).find_difference({f"file-at:{HEAD}:a.txt": recorded}) is None
    assert Inputs(world).find_difference({f"file-at:{HEAD}:b.txt": absent}) == f"file at {HEAD}:b.txt"
    assert Inputs(world).find_difference({"file-at:main:a.txt": recorded}) == "file at main:a.txt"


def test_answers_that_still_hold_are_taken_over() -> None:
    """With their digests, and not asked for again; others are."""
    earlier = Inputs(MemoryWorld(files={"a.txt": b"old", "b.txt": b"old"}))
    for name in ("a.txt", "b.txt"):
        earlier.digest("file", name)
    earlier.find_ending((".txt",))
    later = Inputs(MemoryWorld(files={"a.txt": b"new", "b.txt": b"new", "c.txt": b""}))
    later.take_over(earlier, lambda kind, name: (kind, name) in {("file", "a.txt"), ("paths", "")})
    assert later.ask("file", "a.txt") == b"old"
    assert later.digest("file", "a.txt") == digest_value(b"old")
    assert later.ask("file", "b.txt") == b"new"
    assert later.find_ending((".txt",)) == ("a.txt", "b.txt")


def test_answers_can_be_looked_up_and_put() -> None:
    """What was not asked is nothing; what somebody worked out counts as asked."""
    inputs = Inputs(MemoryWorld(files={"a.txt": b"text"}))
    assert inputs.find_known("file", "a.txt") is None
    assert not inputs.has_asked("file", "a.txt")
    inputs.put("file", "a.txt", b"put")
    assert inputs.has_asked("file", "a.txt")
    assert inputs.ask("file", "a.txt") == b"put"


def test_paths_are_found_by_their_endings() -> None:
    """One of several; in the order of the paths."""
    inputs = Inputs(MemoryWorld(files={"b.sum": b"", "a.txt": b"", "c.md": b""}))
    assert inputs.find_ending((".sum", ".txt")) == ("a.txt", "b.sum")
