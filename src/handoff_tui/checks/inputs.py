"""Answers of the world, each asked for once, with a digest: the record of what a rule read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from typing import Final, cast

from pydantic import BaseModel

from handoff_tui.checks.world import World
from handoff_tui.core.lazy_pattern import compile_later

Question = tuple[str, str]
"""What was asked, and about what: `("file", "src/a.py")`."""

Manifest = dict[str, str]
"""`kind:name` to the digest of the answer."""

_NOTHING = "nothing"
_OLD_FILE: Final = compile_later(r"file-at:(?:[0-9a-f]{40}|[0-9a-f]{64}):")
"""The content of a path at a commit, by the commit's whole id: it never changes, only whether it is here can."""


def _ask_at(world: World, name: str) -> object:
    commit, _, path = name.partition(":")
    return world.read_at(commit, path)


def _ask_handoff(world: World, name: str) -> object:
    return next((handoff for handoff in world.handoffs() if handoff.id == name), None)


def _ask_find(world: World, name: str) -> object:
    document, _, wanted = name.partition("\0")
    return world.find(wanted, document)


_ASK: Final[dict[str, Callable[[World, str], object]]] = {
    "answer": lambda world, name: world.answers(name),
    "baseline": lambda world, _: world.baseline(),
    "changes": lambda world, _: world.changes(),
    "commit": lambda world, name: world.commit(name),
    "commit-paths": lambda world, name: world.commit_paths(name),
    "commits": lambda world, _: world.commits(),
    "cut-off": lambda world, name: world.is_cut_off(name),
    "document-commit": lambda world, name: world.document_commit(name),
    "executable": lambda world, name: world.is_executable(name),
    "exists": lambda world, name: world.exists(name),
    "facts": lambda world, _: world.facts(),
    "file": lambda world, name: world.read(name),
    "file-at": _ask_at,
    "find": _ask_find,
    "handoff": _ask_handoff,
    "handoff-ids": lambda world, _: tuple((handoff.id, handoff.dialect) for handoff in world.handoffs()),
    "lag": lambda world, name: world.lag(name),
    "now": lambda world, _: world.now(),
    "parameters": lambda world, name: world.parameters(name),
    "paths": lambda world, _: world.paths(),
    "problems": lambda world, _: world.problems(),
    "program": lambda world, name: world.find_program(name),
    "program-answers": lambda world, name: world.program_answers(name),
    "reaches": lambda world, name: world.reaches(name),
    "remotes": lambda world, _: world.remotes(),
    "setting": lambda world, name: world.setting(name),
    "usual-severity": lambda world, name: world.usual_severity(name),
    "verdicts": lambda world, name: world.verdicts(name),
    "writable": lambda world, name: world.is_writable(name),
}

OUTSIDE: Final = frozenset({"answer", "executable", "now", "program", "program-answers", "reaches", "writable"})
"""Questions whose answers may change while the repository stands still."""


class Inputs:
    """The world behind a memory: every rule of a run sees the same answers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._answers: dict[Question, object] = {}
        self._digests: Manifest = {}
        self._holding: dict[str, tuple[str, ...]] = {}
        self._ending: dict[tuple[str, ...], tuple[str, ...]] = {}

    def find_holding(self, text: str) -> tuple[str, ...]:
        """The paths that hold a text; several rules look for the same among very many."""
        if text not in self._holding:
            paths = cast("tuple[str, ...]", self.ask("paths"))
            self._holding[text] = tuple(path for path in paths if text in path)
        return self._holding[text]

    def find_ending(self, endings: tuple[str, ...]) -> tuple[str, ...]:
        """The paths that end with one of these."""
        if endings not in self._ending:
            paths = cast("tuple[str, ...]", self.ask("paths"))
            self._ending[endings] = tuple(path for path in paths if path.endswith(endings))
        return self._ending[endings]

    def ask(self, kind: str, name: str = "") -> object:
        question = (kind, name)
        if question not in self._answers:
            self._answers[question] = _ASK[kind](self._world, name)
        return self._answers[question]

    def digest(self, kind: str, name: str = "") -> str:
        key = f"{kind}:{name}"
        if key not in self._digests:
            self._digests[key] = digest_value(self.ask(kind, name))
        return self._digests[key]

    def take_over(self, earlier: Inputs, holds: Callable[[str, str], bool]) -> None:
        """What was asked before, and still holds by the word of who knows what has changed, is not asked again."""
        kept = [question for question in earlier._answers if holds(*question)]
        for kind, name in kept:
            self._answers[kind, name] = earlier._answers[kind, name]
            key = f"{kind}:{name}"
            if key in earlier._digests:
                self._digests[key] = earlier._digests[key]
        if ("paths", "") in kept:
            self._holding, self._ending = earlier._holding, earlier._ending

    def find_known(self, kind: str, name: str = "") -> object:
        """The answer to what was asked already; nothing where it was not."""
        return self._answers.get((kind, name))

    def has_asked(self, kind: str, name: str = "") -> bool:
        return (kind, name) in self._answers

    def put(self, kind: str, name: str, answer: object) -> None:
        """An answer that somebody has worked out already."""
        self._answers[kind, name] = answer

    def find_difference(self, manifest: Manifest) -> str | None:
        """The first answer that is no longer what a manifest recorded, in words; nothing when all are."""
        for key, recorded in manifest.items():
            if self._digests.get(key) == recorded:  # asked before in this run
                continue
            if recorded != _ABSENT and _OLD_FILE.match(key):
                continue
            kind, _, name = key.partition(":")
            if kind not in _ASK or self.digest(kind, name) != recorded:
                return describe_question(kind, name)
        return None


def digest_value(value: object) -> str:
    """A digest of an answer; equal answers have equal digests."""
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    text = _NOTHING if value is None else json.dumps(value, default=_to_plain, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_ABSENT: Final = digest_value(None)


def describe_question(kind: str, name: str) -> str:
    """What an answer was about, for «re-run because … changed»."""
    name = name.replace("\0", " names ")
    return {"file": name, "handoff": name, "setting": f"setting {name}", "verdicts": f"the claims of {name}"}.get(
        kind, f"{kind.replace('-', ' ')} {name}".strip()
    )


def _to_plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump_json()
    if isinstance(value, datetime):
        return value.isoformat()
    return repr(value)
