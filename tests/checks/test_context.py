from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import NotApplicableError, UndecidableError
from handoff_tui.checks.inputs import Inputs
from handoff_tui.checks.world import Change, CommitInfo
from tests.support.session_states import build_state
from tests.support.world import HEAD, MemoryWorld

NOTE = "# Handoff\n\nWorked on `a.txt`.\n"


def build_context(scope: str | None = None, **changes: object) -> Context:
    world = MemoryWorld(files={"a.txt": "text", "HANDOFF.md": NOTE, **build_state()})
    for name, value in changes.items():
        setattr(world, name, value)
    return Context(Inputs(world), scope)


QUESTIONS: list[tuple[str, Callable[[Context], object], object]] = [
    ("file:a.txt", lambda context: context.read("a.txt"), b"text"),
    ("file:a.txt", lambda context: context.read_text("a.txt"), "text"),
    ("file:none", lambda context: context.read_text("none"), None),
    ("file:odd", lambda context: context.read_text("odd"), "\ufffd"),
    ("exists:a.txt", lambda context: context.exists("a.txt"), True),
    ("find:docs/x.md\0a.txt", lambda context: context.find("a.txt", "docs/x.md"), "a.txt"),
    ("executable:a.txt", lambda context: context.is_executable("a.txt"), True),
    ("writable:a.txt", lambda context: context.is_writable("a.txt"), True),
    ("program:git", lambda context: context.find_program("git"), "/bin/git"),
    ("commits:", lambda context: len(context.commits()), 1),
    (f"commit:{HEAD[:7]}", lambda context: context.commit(HEAD[:7]), HEAD),
    (f"lag:{HEAD}", lambda context: context.lag(HEAD), 0),
    ("commit-paths:x", lambda context: context.commit_paths("x"), ("a.txt",)),
    ("document-commit:a.txt", lambda context: context.document_commit("a.txt"), "d" * 40),
    (f"cut-off:{HEAD}", lambda context: context.is_cut_off(HEAD), False),
    ("file-at:x:a.txt", lambda context: context.read_at("x", "a.txt"), b"old"),
    ("baseline:", lambda context: context.baseline(), "c" * 40),
    ("baseline:", lambda context: context.require_baseline(), "c" * 40),
    ("changes:", lambda context: context.changes(), (Change("A", "a.txt"),)),
    ("remotes:", lambda context: context.remotes(), (("origin", "/srv/x"),)),
    ("reaches:origin", lambda context: context.reaches("origin"), False),
    ("answer:https://x", lambda context: context.answers("https://x"), 200),
    ("now:", lambda context: context.now(), datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)),
    ("facts:", lambda context: context.facts().branch, "main"),
    ("problems:", lambda context: context.problems(), ()),
    ("paths:", lambda context: "a.txt" in context.paths(), True),
    ("setting:mosaic.folder", lambda context: context.setting("mosaic.folder", str), ".mosaic"),
]


@pytest.mark.parametrize(("key", "ask", "answer"), QUESTIONS, ids=lambda part: part if isinstance(part, str) else "")
def test_context_records_every_question(key: str, ask: Callable[[Context], object], answer: object) -> None:
    """The answer is the world's, and the manifest holds its digest under the kind and the name of the question."""
    context = build_context(
        executables=frozenset({"a.txt"}),
        programs={"git": "/bin/git"},
        log=(CommitInfo(HEAD, (), "A", "a@x", "2026-01-01", "s", ""),),
        touched={"x": ("a.txt",)},
        documents={"a.txt": "d" * 40},
        old_files={("x", "a.txt"): b"old"},
        base="c" * 40,
        changed=(Change("A", "a.txt"),),
        known_remotes={"origin": "/srv/x"},
        reached={"origin": False},
        addresses={"https://x": 200},
        files={"a.txt": "text", "odd": b"\xff"},
    )
    assert context.manifest == {}
    assert ask(context) == answer
    assert list(context.manifest) == [key]
    assert len(context.manifest[key]) == 64


def test_context_gives_all_handoffs_or_those_of_a_dialect() -> None:
    """Without a scope everything is under review; only what was given is recorded."""
    context = build_context()
    assert context.scope is None
    assert {handoff.dialect for handoff in context.handoffs()} == {"mosaic", "notes"}
    only_one = build_context()
    assert [handoff.dialect for handoff in only_one.handoffs("mosaic")] == ["mosaic"]
    assert set(only_one.manifest) == {"handoff-ids:", "handoff:mosaic"}


def test_context_with_a_scope_gives_one_handoff() -> None:
    """With a scope only that handoff is under review; rules about how they fit together still see all."""
    context = build_context(scope="mosaic")
    assert context.scope == "mosaic"
    assert [handoff.id for handoff in context.handoffs()] == ["mosaic"]
    assert context.handoffs("notes") == ()
    assert len(context.every_handoff()) == 2


def test_context_requires_handoffs_of_a_dialect() -> None:
    """A dialect without handoffs makes the rule not applicable, with the reason."""
    assert build_context().require_handoffs("mosaic")
    with pytest.raises(NotApplicableError, match="no builder handoff here"):
        build_context().require_handoffs("builder")


def test_context_gives_the_verdicts_of_a_handoff() -> None:
    """Claims come beside their measurements, and are recorded by the handoff's id."""
    context = build_context()
    [handoff] = context.handoffs("mosaic")
    assert len(context.verdicts(handoff)) == len(handoff.claims) > 0
    assert "verdicts:mosaic" in context.manifest


def test_context_without_a_baseline_does_not_apply() -> None:
    """A rule that compares needs something to compare with."""
    with pytest.raises(NotApplicableError, match="no baseline"):
        build_context().require_baseline()


def test_context_gives_settings_of_the_asked_type() -> None:
    """A whole number may stand for a fraction; any other type is a mistake of the rule and raises."""
    context = build_context(overrides={"mosaic.briefing_max_age_hours": 24})
    hours = context.setting("mosaic.briefing_max_age_hours", float)
    assert (hours, type(hours)) == (24.0, float)
    with pytest.raises(TypeError, match=r"setting mosaic\.folder is str, not int"):
        context.setting("mosaic.folder", int)


def test_context_says_why_it_does_not_decide() -> None:
    """Nothing to judge and cannot tell are two different things, each with its reason."""
    with pytest.raises(NotApplicableError, match="nothing there"):
        build_context().skip("nothing there")
    with pytest.raises(UndecidableError, match="too dark"):
        build_context().undecidable("too dark")


def test_context_keeps_remarks() -> None:
    """What is worth knowing on a pass is kept in order, and is no input."""
    context = build_context()
    context.remark("first")
    context.remark("second")
    assert (context.remarks, context.manifest) == (["first", "second"], {})


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda context: context.paths_below("a"), ("a/x", "a/y/z")),
        (lambda context: context.paths_holding("/"), ("a/x", "a/y/z", "b/a")),
        (lambda context: context.has_path("a0"), True),
        (lambda context: context.has_path("a"), False),
        (lambda context: context.has_path("c"), False),
    ],
)
def test_context_finds_among_the_paths_and_records_them(ask: Callable[[Context], object], answer: object) -> None:
    """By folder, by a text in them, by name: each rests on the list of all paths."""
    context = Context(Inputs(MemoryWorld(files={"a-b": "", "a/x": "", "a/y/z": "", "a0": "", "b/a": ""})))
    assert ask(context) == answer
    assert context.manifest.keys() == {"paths:"}
