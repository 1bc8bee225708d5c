"""A rule's context: the world's questions, each recorded with a digest of its answer."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import reduce
from typing import Final, NoReturn, TypeVar, TypeVarTuple, cast

from handoff_tui.checks.rule import NotApplicableError, UndecidableError
from handoff_tui.checks.world import Change, World
from handoff_tui.config.recorded import record_settings
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.handoff import Handoff

_Answer = TypeVar("_Answer")
_Arguments = TypeVarTuple("_Arguments")


class WorldQuestion(NamedTuple):
    """A question to the world: the method's name and its arguments; for `settings`, the path of one setting."""

    name: str
    arguments: tuple[str, ...] = ()

    @property
    def is_outside(self) -> bool:
        """Whether the answer may change while the repository stays the same."""
        return self.name in _OUTSIDE

    def describe(self) -> str:
        """What the answer is about, for "re-run because … changed"."""
        about = " ".join(self.arguments)
        match self.name:
            case "read" | "handoff":
                return about
            case "read_at":
                return f"file at {':'.join(self.arguments)}"
            case "find":
                return f"{self.arguments[0]}, named by {self.arguments[1]},"
            case "settings":
                return f"setting {'.'.join(self.arguments)}"
            case "verdicts":
                return f"the claims of {about}"
        return f"{self.name.replace('_', ' ')} {about}".strip()


Manifest = dict[WorldQuestion, str]
"""What a rule asked, with the digest of each answer."""

_QUESTIONS: Final = frozenset({"settings", *(name for name in vars(World) if not name.startswith("_"))})
_OUTSIDE: Final = frozenset(
    question.__name__
    for question in (
        World.answers,
        World.find_program,
        World.is_executable,
        World.is_writable,
        World.now,
        World.reaches,
    )
)
_FULL_COMMIT: Final = compile_later(r"(?:[0-9a-f]{40}|[0-9a-f]{64})$")


class Answers:
    """The world's answers, each asked for once: every rule of a run sees the same."""

    def __init__(self, world: World, earlier: Answers | None = None) -> None:
        """`earlier` are those of a run before, whose digests still stand for the same values."""
        self.world = world
        self._earlier = {} if earlier is None else earlier.list_digested()
        self._answers: dict[WorldQuestion, object] = {}
        self._digests: Manifest = {}
        self._holding: dict[str, tuple[str, ...]] = {}
        self._ending: dict[tuple[str, ...], tuple[str, ...]] = {}

    def ask(self, question: WorldQuestion) -> object:
        if question not in self._answers:
            name, arguments = question
            self._answers[question] = (
                reduce(getattr, arguments, self.world.settings)
                if name == "settings"
                else getattr(self.world, name)(*arguments)
            )
        return self._answers[question]

    def digest(self, question: WorldQuestion) -> str:
        """A digest of the answer."""
        if question not in self._digests:
            value = self.ask(question)
            earlier, digest = self._earlier.get(question, (self, ""))
            self._digests[question] = digest if earlier is value or earlier == value else digest_value(value)
        return self._digests[question]

    def list_digested(self) -> dict[WorldQuestion, tuple[object, str]]:
        """Returns the answers that a rule was given, each with its digest."""
        return {question: (self._answers[question], digest) for question, digest in self._digests.items()}

    def find_difference(self, manifest: Manifest) -> WorldQuestion | None:
        """The first question whose answer is no longer the recorded one; None if all are the same."""
        return next((question for question, recorded in manifest.items() if self._differs(question, recorded)), None)

    def _differs(self, question: WorldQuestion, recorded: str) -> bool:
        if self._digests.get(question) == recorded:  # asked before in this run
            return False
        if question.name == "read_at" and recorded != _ABSENT and _FULL_COMMIT.match(question.arguments[0]):
            return False  # content at a full commit id never changes; a missing object may arrive
        try:
            return question.name not in _QUESTIONS or self.digest(question) != recorded
        except AttributeError:  # a setting of another version
            return True

    def find_holding(self, paths: tuple[str, ...], text: str) -> tuple[str, ...]:
        """Those of all paths that contain a text; several rules look for the same among very many."""
        if text not in self._holding:
            self._holding[text] = tuple(path for path in paths if text in path)
        return self._holding[text]

    def find_ending(self, paths: tuple[str, ...], endings: tuple[str, ...]) -> tuple[str, ...]:
        """Those that end with one of these."""
        if endings not in self._ending:
            self._ending[endings] = tuple(path for path in paths if path.endswith(endings))
        return self._ending[endings]


def digest_value(value: object) -> str:
    """A digest of an answer; equal answers have equal digests."""
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    text = "nothing" if value is None else json.dumps(value, default=_to_plain, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_ABSENT: Final = digest_value(None)


def _to_plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else repr(value)  # of a model, its fields in order


def _recorded(question: Callable[[World, *_Arguments], _Answer]) -> Callable[[Context, *_Arguments], _Answer]:
    """A method of the context that passes a question on and records it."""
    name = question.__name__

    def ask(context: Context, *arguments: *_Arguments) -> _Answer:
        return cast("_Answer", context.ask(WorldQuestion(name, cast("tuple[str, ...]", arguments))))

    ask.__doc__ = question.__doc__
    return ask


class Context:
    """All that a rule can see. `manifest` holds what it asked, with digests of the answers."""

    def __init__(self, answers: Answers, scope: str | None = None, check: str = "") -> None:
        self._answers = answers
        self.scope = scope
        """The id of the handoff under review; None if all are."""
        self._check = check
        self.settings = record_settings(answers.world.settings, lambda path: self.ask(WorldQuestion("settings", path)))
        """The settings; each one that is read is recorded."""
        self.manifest: Manifest = {}
        self.notes: list[str] = []

    handoff_names = _recorded(World.handoff_names)
    handoff = _recorded(World.handoff)
    problems = _recorded(World.problems)
    facts = _recorded(World.facts)
    verdicts = _recorded(World.verdicts)
    own_paths = _recorded(World.own_paths)
    deleted_paths = _recorded(World.deleted_paths)
    disagreements = _recorded(World.disagreements)
    signers = _recorded(World.signers)
    phase_signers = _recorded(World.phase_signers)
    paths = _recorded(World.paths)
    read = _recorded(World.read)
    exists = _recorded(World.exists)
    find = _recorded(World.find)
    is_executable = _recorded(World.is_executable)
    is_writable = _recorded(World.is_writable)
    find_program = _recorded(World.find_program)
    commits = _recorded(World.commits)
    commit = _recorded(World.commit)
    lag = _recorded(World.lag)
    commit_paths = _recorded(World.commit_paths)
    document_commit = _recorded(World.document_commit)
    is_cut_off = _recorded(World.is_cut_off)
    read_at = _recorded(World.read_at)
    baseline = _recorded(World.baseline)
    all_changes = _recorded(World.changes)
    remotes = _recorded(World.remotes)
    reaches = _recorded(World.reaches)
    answers = _recorded(World.answers)
    now = _recorded(World.now)
    usual_severity = _recorded(World.usual_severity)
    _parameters = _recorded(World.parameters)

    def ask(self, question: WorldQuestion) -> object:
        answer = self._answers.ask(question)
        self.manifest[question] = self._answers.digest(question)
        return answer

    def parameters(self) -> Mapping[str, object]:
        """`[checks.<id>.parameters]` of the configuration, for this check."""
        return self._parameters(self._check)

    def handoffs(self, dialect: str | None = None) -> tuple[Handoff, ...]:
        """The handoffs under review, of one format or of all: those that are live, or the one that is asked for.

        Only these are recorded as read.
        """
        named = [name for name in self.handoff_names() if dialect in {None, name.dialect}]
        return self._read_handoffs(
            name.id for name in named if name.id == self.scope or (self.scope is None and not name.past)
        )

    def changes(self) -> tuple[Change, ...]:
        """What differs between the baseline and the work tree; of one handoff under review, in its own files."""
        changes = self.all_changes()
        if self.scope is None:
            return changes
        own = frozenset(self.own_paths(self.scope))
        return tuple(change for change in changes if not own.isdisjoint((change.path, change.old_path)))

    def every_handoff(self) -> tuple[Handoff, ...]:
        """All handoffs, past ones too, even if only one is under review: for rules about how they fit together."""
        return self._read_handoffs(name.id for name in self.handoff_names())

    def _read_handoffs(self, ids: Iterable[str]) -> tuple[Handoff, ...]:
        return tuple(handoff for name in ids if (handoff := self.handoff(name)) is not None)

    def require_handoffs(self, dialect: str) -> tuple[Handoff, ...]:
        """The handoffs of a format under review; without any, the rule does not apply."""
        return self.handoffs(dialect) or self.skip(f"no {dialect} handoff here")

    def paths_holding(self, text: str) -> tuple[str, ...]:
        """The paths that contain a text."""
        return self._answers.find_holding(self.paths(), text)

    def paths_ending(self, endings: tuple[str, ...]) -> tuple[str, ...]:
        """The paths that end with one of these."""
        return self._answers.find_ending(self.paths(), endings)

    def paths_below(self, folder: str) -> tuple[str, ...]:
        """The paths below a folder."""
        paths = self.paths()
        after_slash = chr(ord("/") + 1)
        return paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}{after_slash}")]

    def has_path(self, path: str) -> bool:
        """Whether a path is tracked or untracked, and not ignored."""
        paths = self.paths()
        index = bisect_left(paths, path)
        return index < len(paths) and paths[index] == path

    def read_text(self, path: str) -> str | None:
        """A file as text; bytes that are not UTF-8 become U+FFFD."""
        content = self.read(path)
        return None if content is None else content.decode("utf-8", "replace")

    def require_baseline(self) -> str:
        """The commit compared with; without one, the rule does not apply."""
        return self.baseline() or self.skip("no baseline: nothing was pushed or approved yet, and none was named")

    def note(self, text: str) -> None:
        """Adds something worth knowing even if the rule passes: a lag that is tolerated, a thing left out."""
        self.notes.append(text)

    def skip(self, reason: str) -> NoReturn:
        """Ends the rule: it has nothing to judge here."""
        raise NotApplicableError(reason)

    def undecidable(self, reason: str) -> NoReturn:
        """Ends the rule: it can't tell, which never counts as a pass."""
        raise UndecidableError(reason)
