from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from handoff_tui.checks.context import Answers, Context, Question, digest_value
from handoff_tui.checks.rule import NotApplicableError, UndecidableError
from handoff_tui.checks.world import Change, CommitInfo, World
from handoff_tui.config.settings.checks import Check
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.place import Problem
from tests.support.session_states import build_state
from tests.support.world import HEAD, MemoryWorld

NOTE = "# Handoff\n\nWorked on `a.txt`.\n"
COMMIT = CommitInfo(HEAD, (), "A", "a@x", "2026-01-01", "s", "")


def build_world() -> MemoryWorld:
    return MemoryWorld(
        files={"a.txt": "text", "odd": b"\xff", "HANDOFF.md": NOTE, **build_state()},
        log=(COMMIT,),
        touched={"x": ("a.txt",)},
        documents={"a.txt": "d" * 40},
        old_files={("x", "a.txt"): b"old"},
        base="c" * 40,
        changed=(Change("A", "a.txt"),),
        executables=frozenset({"a.txt"}),
        programs={"git": "/bin/git"},
        answering={"git": True},
        known_remotes={"origin": "/srv/x"},
        reached={"origin": False},
        addresses={"https://x": 200},
        given_settings=Settings(checks={"own": Check(python="mine:find", parameters={"minimum": 3})}),
    )


def build_context(scope: str | None = None) -> Context:
    return Context(Answers(build_world()), scope, "own")


QUESTIONS: list[tuple[Question, Callable[[Context], object], object]] = [
    (Question("read", ("a.txt",)), lambda context: context.read("a.txt"), b"text"),
    (Question("read", ("a.txt",)), lambda context: context.read_text("a.txt"), "text"),
    (Question("read", ("none",)), lambda context: context.read_text("none"), None),
    (Question("read", ("odd",)), lambda context: context.read_text("odd"), "\ufffd"),
    (Question("exists", ("a.txt",)), lambda context: context.exists("a.txt"), True),
    (Question("find", ("a.txt", "x.md")), lambda context: context.find("a.txt", "x.md"), "a.txt"),
    (Question("is_executable", ("a.txt",)), lambda context: context.is_executable("a.txt"), True),
    (Question("is_writable", ("a.txt",)), lambda context: context.is_writable("a.txt"), True),
    (Question("find_program", ("git",)), lambda context: context.find_program("git"), "/bin/git"),
    (Question("program_answers", ("git",)), lambda context: context.program_answers("git"), True),
    (Question("commits"), lambda context: context.commits(), (COMMIT,)),
    (Question("commit", (HEAD[:7],)), lambda context: context.commit(HEAD[:7]), HEAD),
    (Question("lag", (HEAD,)), lambda context: context.lag(HEAD), 0),
    (Question("commit_paths", ("x",)), lambda context: context.commit_paths("x"), ("a.txt",)),
    (Question("document_commit", ("a.txt",)), lambda context: context.document_commit("a.txt"), "d" * 40),
    (Question("is_cut_off", (HEAD,)), lambda context: context.is_cut_off(HEAD), False),
    (Question("read_at", ("x", "a.txt")), lambda context: context.read_at("x", "a.txt"), b"old"),
    (Question("baseline"), lambda context: context.baseline(), "c" * 40),
    (Question("baseline"), lambda context: context.require_baseline(), "c" * 40),
    (Question("changes"), lambda context: context.changes(), (Change("A", "a.txt"),)),
    (Question("remotes"), lambda context: context.remotes(), (("origin", "/srv/x"),)),
    (Question("reaches", ("origin",)), lambda context: context.reaches("origin"), False),
    (Question("answers", ("https://x",)), lambda context: context.answers("https://x"), 200),
    (Question("now"), lambda context: context.now(), datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)),
    (Question("facts"), lambda context: context.facts().branch, "main"),
    (Question("problems"), lambda context: context.problems(), ()),
    (Question("handoff_names"), lambda context: context.handoff_names()[0].id, "mosaic"),
    (Question("handoff", ("gone",)), lambda context: context.handoff("gone"), None),
    (Question("verdicts", ("mosaic",)), lambda context: len(context.verdicts("mosaic")) > 0, True),
    (Question("paths"), lambda context: "a.txt" in context.paths(), True),
    (Question("parameters", ("own",)), lambda context: context.parameters(), {"minimum": 3}),
    (Question("usual_severity", ("VR007",)), lambda context: context.usual_severity("VR007"), "medium"),
    (Question("settings", ("mosaic", "folder")), lambda context: context.settings.mosaic.folder, ".mosaic"),
    (
        Question("settings", ("mosaic", "health", "path")),
        lambda context: context.settings.mosaic.health.path,
        "/health",
    ),
    (Question("settings", ("agents",)), lambda context: context.settings.agents, {}),
]


@pytest.mark.parametrize(("question", "ask", "answer"), QUESTIONS, ids=[str(row[0].name) for row in QUESTIONS])
def test_context_records_every_question(question: Question, ask: Callable[[Context], object], answer: object) -> None:
    """The answer is the world's; its digest is recorded, and is the same in another run."""
    context = build_context()
    assert ask(context) == answer
    assert list(context.manifest) == [question]
    assert Answers(build_world()).find_difference(context.manifest) is None
    assert Answers(build_world()).find_difference({question: "another digest"}) == question


def test_every_question_of_the_world_is_tested() -> None:
    """So that none goes unrecorded."""
    questions = {"settings", *(name for name in vars(World) if not name.startswith("_"))}
    assert questions == {question.name for question, _, _ in QUESTIONS}


def test_context_gives_all_handoffs_or_those_of_a_format() -> None:
    """Without a scope everything is under review; only what was given is recorded."""
    context = build_context()
    assert {handoff.dialect for handoff in context.handoffs()} == {"mosaic", "notes"}
    only_one = build_context()
    assert [handoff.dialect for handoff in only_one.handoffs("mosaic")] == ["mosaic"]
    assert set(only_one.manifest) == {Question("handoff_names"), Question("handoff", ("mosaic",))}


def test_context_with_a_scope_gives_one_handoff() -> None:
    """With a scope only that handoff is under review; rules about how they fit together still see all."""
    context = build_context(scope="mosaic")
    assert [handoff.id for handoff in context.handoffs()] == ["mosaic"]
    assert context.handoffs("notes") == ()
    assert len(context.every_handoff()) == 2


def test_context_says_why_a_rule_does_not_decide() -> None:
    """Nothing to judge and cannot tell are two different things, each with its reason."""
    context = Context(Answers(MemoryWorld()))
    with pytest.raises(NotApplicableError, match="no builder handoff here"):
        context.require_handoffs("builder")
    with pytest.raises(NotApplicableError, match="no baseline"):
        context.require_baseline()
    with pytest.raises(UndecidableError, match="too dark"):
        context.undecidable("too dark")


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda context: context.paths_below("a"), ("a/x", "a/y/z")),
        (lambda context: context.paths_holding("/"), ("a/x", "a/y/z", "b/a")),
        (lambda context: context.paths_ending(("b", "0")), ("a-b", "a0")),
        (lambda context: context.has_path("a0"), True),
        (lambda context: context.has_path("a"), False),
        (lambda context: context.has_path("c"), False),
    ],
)
def test_context_finds_among_the_paths_and_records_them(ask: Callable[[Context], object], answer: object) -> None:
    """By folder, by a text in them, by name: each rests on the list of all paths."""
    context = Context(Answers(MemoryWorld(files={"a-b": "", "a/x": "", "a/y/z": "", "a0": "", "b/a": ""})))
    assert ask(context) == answer
    assert context.manifest.keys() == {Question("paths")}


def test_world_is_asked_once() -> None:
    """A file that changes while the rules run is the same for all of them."""
    world = build_world()
    answers = Answers(world)
    before = Context(answers).read("a.txt")
    world.files["a.txt"] = "changed in between"
    assert Context(answers).read("a.txt") == before


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (Question("read", ("src/a.py",)), "src/a.py"),
        (Question("settings", ("mosaic", "folder")), "setting mosaic.folder"),
        (Question("handoff", ("mosaic",)), "mosaic"),
        (Question("verdicts", ("mosaic",)), "the claims of mosaic"),
        (Question("document_commit", ("x.md",)), "document commit x.md"),
        (Question("facts"), "facts"),
        (Question("find", ("a.txt", "docs/b.md")), "a.txt, named by docs/b.md,"),
        (Question("read_at", ("main", "a.txt")), "file at main:a.txt"),
    ],
)
def test_question_is_described(question: Question, words: str) -> None:
    """For "re-run because … changed"."""
    assert question.describe() == words


def test_unknown_question_is_a_difference() -> None:
    """A manifest of another version, with questions that nobody asks any more, is never used."""
    for unknown in (Question("weather", ("today",)), Question("settings", ("gone", "setting"))):
        assert Answers(build_world()).find_difference({unknown: "sunny"}) == unknown


def test_file_that_appears_is_a_difference() -> None:
    """Absence is an answer too."""
    new = Question("read", ("new.txt",))
    manifest = {new: digest_value(None)}
    assert Answers(MemoryWorld()).find_difference(manifest) is None
    assert Answers(MemoryWorld(files={"new.txt": ""})).find_difference(manifest) == new


def test_old_content_is_not_asked_for_again() -> None:
    """The content of a path at a full commit id never changes; a missing one may arrive, and a branch may move."""
    kept, missing, named = (
        Question("read_at", about) for about in ((HEAD, "a.txt"), (HEAD, "b.txt"), ("main", "a.txt"))
    )
    world = MemoryWorld(old_files={(HEAD, "b.txt"): b"arrived", ("main", "a.txt"): b"moved"})
    assert Answers(world).find_difference({kept: digest_value(b"old")}) is None
    assert Answers(world).find_difference({missing: digest_value(None)}) == missing
    assert Answers(world).find_difference({named: digest_value(b"old")}) == named


def test_digest_tells_answers_apart() -> None:
    """Values of different kinds that look alike have different digests; equal ones have equal digests."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    first, second = (Problem(path="a", message=message) for message in ("x", "y"))
    surrogates = ("\udcff", "\udcfe")
    values: list[object] = [None, b"", b"a", "a", "", (), ("a",), 0, 1, True, {"a": 1}, moment, first, second]
    assert len({digest_value(value) for value in (*values, *surrogates)}) == len(values) + 2
    assert digest_value({"a": 1, "b": 2}) == digest_value({"b": 2, "a": 1})
    assert digest_value((first,)) == digest_value((first.model_copy(),))
    assert digest_value(frozenset({"a"})) == digest_value(frozenset({"a"}))


def test_valid_answers_are_taken_over() -> None:
    """With their digests, and not asked for again; others are."""
    earlier = Answers(MemoryWorld(files={"a.txt": b"old", "b.txt": b"old"}))
    before = Context(earlier)
    before.read("a.txt")
    before.read("b.txt")
    before.paths_ending((".txt",))
    later = Answers(MemoryWorld(files={"a.txt": b"new", "b.txt": b"new", "c.txt": b""}))
    later.take_over(earlier, lambda question: question in {Question("read", ("a.txt",)), Question("paths")})
    now = Context(later)
    assert (now.read("a.txt"), now.read("b.txt")) == (b"old", b"new")
    assert now.manifest[Question("read", ("a.txt",))] == digest_value(b"old")
    assert now.paths_ending((".txt",)) == ("a.txt", "b.txt")


def test_answers_can_be_looked_up_and_put() -> None:
    """An answer that somebody worked out counts as asked."""
    answers = Answers(build_world())
    assert answers.find_known(World.changes) is None
    assert not answers.has_asked(World.changes)
    worked_out: tuple[Change, ...] = (Change("D", "b.txt"),)
    answers.put(World.changes, worked_out)
    assert answers.has_asked(World.changes)
    assert (answers.find_known(World.changes), Context(answers).changes()) == (worked_out, worked_out)
