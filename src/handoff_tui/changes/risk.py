"""Measures what makes the work of a handoff risky, against its baseline: facts, not a score."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from handoff_tui.changes.diff import write_own_sides
from handoff_tui.changes.snapshots.packages import is_ecosystem_file, parse_ecosystem_file
from handoff_tui.checks.context import Answers
from handoff_tui.checks.engine import RuleEngine
from handoff_tui.checks.facts.changed_files import is_match
from handoff_tui.checks.report import CheckResult, Outcome
from handoff_tui.checks.rule import Rule
from handoff_tui.checks.rules.every.configuration import PROJECT_FILES, ci_unchanged, thresholds_not_lowered
from handoff_tui.checks.rules.every.tests_not_weakened import assertions_not_weakened, no_new_skips, tests_not_deleted
from handoff_tui.checks.run.baseline import ChosenBaseline
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.checks.world import Change
from handoff_tui.config.settings.review import Risk
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.file_modes import LINK, PROGRAM, SUBMODULE, WITHOUT_TEXT
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.text.labels import name_some, plural
from handoff_tui.core.text.safe_text import HIDDEN, has_hidden_characters
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_diff import count_lines, read_tree_changes
from handoff_tui.handoffs.reading.read import NOTHING_READ
from handoff_tui.handoffs.scope.find import find_scopes, read_stated
from handoff_tui.handoffs.session import Session
from handoff_tui.status.inbox import MeasuredWork
from handoff_tui.status.inbox_item import RiskFact, RiskKind, WorkSize, sort_risks
from handoff_tui.status.review_state import ReviewedHandoff, ReviewState
from handoff_tui.system.files.cache_files import find_cache_folder

if TYPE_CHECKING:
    from handoff_tui.log.gates.all_gates import LogGates


_MOST_PLACES: Final = 20
_MOST_COUNTED: Final = 5_000
"""With more changed files, lines aren't counted."""
_MOST_NAMED: Final = 5
_MOST_REMEMBERED = 8
_FILES_AT_ONCE: Final = 50
_CONTROLS: Final = compile_later(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class TreesWorld(RepositoryWorld):
    """The repository as rules see it, with two trees in place of a commit and the work tree."""

    def __init__(self, session: Session, old: str, changes: list[FileChange], objects: Mapping[str, str]) -> None:
        super().__init__(session, NOTHING_READ, ChosenBaseline(old, "compared"))
        self._changes = changes
        self._objects = objects
        self._new = {change.path: change.new_id for change in changes if change.status != "D"}
        self._earlier = {change.old_path or change.path: change.old_id for change in changes if change.status != "A"}
        self._largest = session.loaded.settings.limits.file_bytes
        self._contents = self._fetch()

    def changes(self) -> tuple[Change, ...]:
        return tuple(Change(change.status, change.path, change.old_path) for change in self._changes)

    def read(self, path: str) -> bytes | None:
        return self._contents.get(self._new[path]) if path in self._new else super().read(path)

    def read_at(self, commit: str, path: str) -> bytes | None:  # noqa: ARG002 - there is one tree to compare with
        return self._contents.get(self._earlier[path]) if path in self._earlier else super().read(path)

    def _fetch(self) -> dict[str, bytes | None]:
        """Everything the rules can ask for in one call: one per file would cost two processes each."""
        tamper = self._session.loaded.settings.tamper
        names = (*tamper.test_files, *tamper.makefiles, *tamper.threshold_files, *PROJECT_FILES)
        wanted = {
            blob
            for side in (self._new, self._earlier)
            for path, blob in side.items()
            if is_match(path, names) or is_ecosystem_file(path)
        }
        return read_blobs(self._git, sorted(wanted), self._largest, self._objects)


class _Lens(NamedTuple):
    """A tamper rule, and the words for one finding and for several."""

    rule: Rule
    kind: RiskKind
    one: str
    several: str


_LENSES: Final = (
    _Lens(tests_not_deleted, RiskKind.TESTS_REMOVED, "1 test is gone", "{} tests or test files are gone"),
    _Lens(assertions_not_weakened, RiskKind.TESTS_REMOVED, "1 test checks less", "{} tests check less"),
    _Lens(no_new_skips, RiskKind.SKIPS_ADDED, "1 test is newly skipped", "{} tests are newly skipped"),
    _Lens(ci_unchanged, RiskKind.CI_EDITED, "the way work is checked changed", "{} changes to the way work is checked"),
    _Lens(thresholds_not_lowered, RiskKind.CI_EDITED, "1 threshold was loosened", "{} thresholds were loosened"),
)


def measure_trees(session: Session, old: str, new: str) -> MeasuredWork:
    """Every risk in the differences between two trees, and their size."""
    objects = offer_objects(session.repository, find_cache_folder(session.repository.root))
    git = session.repository.git
    changes = read_tree_changes(git, old, new, objects).changes
    counts = count_lines(git, old, new, extra=objects) if len(changes) <= _MOST_COUNTED else None
    size = WorkSize(len(changes))
    if counts is not None:
        size = size._replace(
            added=sum(one.added or 0 for one in counts.values()),
            deleted=sum(one.deleted or 0 for one in counts.values()),
        )
    world = TreesWorld(session, old, changes, objects)
    risk = session.loaded.settings.risk
    facts = (
        *_judge(world),
        *_find_edited(changes, RiskKind.POLICY_EDITED, risk.policy_files, "{} with rules for this work"),
        *_find_dependencies(world, changes),
        *find_hidden_characters(session, changes, objects),
        *_find_sensitive(changes, risk.sensitive_paths),
        *_find_size(size, risk),
    )
    return MeasuredWork(sort_risks(facts), size)


def _judge(world: TreesWorld) -> Iterator[RiskFact]:
    results = RuleEngine(Answers(world)).run([lens.rule for lens in _LENSES])
    for lens, result in zip(_LENSES, results, strict=True):
        if result.outcome is Outcome.FAIL:
            number = len(result.findings)
            text = lens.one if number == 1 else lens.several.format(number)
            yield RiskFact(kind=lens.kind, text=text, places=_list_places(result))
        elif result.outcome in {Outcome.UNKNOWN, Outcome.ERROR}:
            yield RiskFact(kind=lens.kind, text=f"{lens.rule.id} has no answer: {result.summary}")


def _list_places(result: CheckResult) -> tuple[Place, ...]:
    places = (Place(path=one.path, line=one.line) for found in result.findings for one in found.evidence if one.path)
    return tuple(dict.fromkeys(places))[:_MOST_PLACES]


def _find_edited(
    changes: list[FileChange], kind: RiskKind, patterns: tuple[str, ...], words: str
) -> Iterator[RiskFact]:
    paths = [change.path for change in changes if _fits(change, patterns)]
    if paths:
        yield RiskFact(
            kind=kind, text=words.format(plural(len(paths), "file")) + " changed", places=_build_places(paths)
        )


def _find_sensitive(changes: list[FileChange], patterns: tuple[str, ...]) -> Iterator[RiskFact]:
    """Paths the configuration names, then links and submodules, and files that became executable."""
    yield from _find_edited(changes, RiskKind.SENSITIVE_PATH, patterns, "{} marked sensitive in the configuration")
    odd = (
        ("symbolic link", "changed", [one.path for one in changes if LINK in {one.old_mode, one.new_mode}]),
        ("submodule", "changed", [one.path for one in changes if SUBMODULE in {one.old_mode, one.new_mode}]),
        ("file", "became executable", [one.path for one in changes if one.new_mode == PROGRAM != one.old_mode]),
    )
    for noun, verb, paths in odd:
        if paths:
            text = f"{plural(len(paths), noun)} {verb}"
            yield RiskFact(kind=RiskKind.SENSITIVE_PATH, text=text, places=_build_places(paths))


def _find_dependencies(world: TreesWorld, changes: list[FileChange]) -> Iterator[RiskFact]:
    """Dependencies that are new in this work, wherever they are declared."""
    before: set[str] = set()
    now: dict[str, str] = {}
    for change in changes:
        if change.status != "A" and is_ecosystem_file(change.old_path or change.path):
            path = change.old_path or change.path
            before.update(_list_dependencies(path, world.read_at("", path)))
        if change.status != "D" and is_ecosystem_file(change.path):
            now |= dict.fromkeys(_list_dependencies(change.path, world.read(change.path)), change.path)
    added = sorted(now.keys() - before)
    if added:
        text = f"{plural(len(added), 'new dependency')}: {name_some(added, _MOST_NAMED)}"
        yield RiskFact(kind=RiskKind.DEPENDENCY_ADDED, text=text, places=_build_places(now[name] for name in added))


def _list_dependencies(path: str, content: bytes | None) -> set[str]:
    packages = () if content is None else parse_ecosystem_file(path, content).packages
    return {name for one in packages for name in one.dependencies}


def _find_size(size: WorkSize, risk: Risk) -> Iterator[RiskFact]:
    lines = (size.added or 0) + (size.deleted or 0)
    if size.files > risk.files_maximum or lines > risk.lines_maximum or size.added is None:
        counted = "" if size.added is None else f", +{size.added:,} -{size.deleted:,} lines"
        text = f"{plural(size.files, 'file')}{counted}: too much to review at once"
        yield RiskFact(kind=RiskKind.SIZE, text=text)


def _fits(change: FileChange, patterns: tuple[str, ...]) -> bool:
    return any(is_match(path, patterns) for path in (change.path, change.old_path) if path)


def _build_places(paths: Iterable[str]) -> tuple[Place, ...]:
    return tuple(Place(path=path) for path in dict.fromkeys(paths))[:_MOST_PLACES]


class RiskMemory:
    """Measurements by the trees compared; they never change."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...], MeasuredWork] = OrderedDict()

    def measure(self, session: Session, old: str, new: str) -> MeasuredWork:
        settings = session.loaded.settings
        key = (old, new, settings.tamper.model_dump_json(), settings.risk.model_dump_json())
        if key not in self._known:
            self._known[key] = measure_trees(session, old, new)
            while len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]


def read_risks(
    session: Session, state: ReviewState, gates: LogGates | None, memory: RiskMemory
) -> dict[str, MeasuredWork]:
    """Risks by handoff id, each measured on the handoff's own changes."""
    handoffs = tuple(reviewed.handoff for reviewed in state.handoffs)
    scopes = gates.work.scopes if gates is not None else find_scopes(session, handoffs, read_stated(session)).scopes
    policy = _find_policy_change(gates)
    found: dict[str, MeasuredWork] = {}
    for reviewed in state.handoffs:
        measured = MeasuredWork()
        if scopes.of(reviewed.handoff.id).changes:
            own = write_own_sides(session, scopes, reviewed.handoff.id)
            measured = memory.measure(session, own.before, own.after)
        risks = sort_risks((*policy, *measured.risks, *_find_contradicted(reviewed)))
        found[reviewed.handoff.id] = measured._replace(risks=risks)
    return found


def _find_policy_change(gates: LogGates | None) -> tuple[RiskFact, ...]:
    """A risk if the trust policy changed after the last decision."""
    if gates is None or gates.index.verdict.fatal or gates.policy is None:
        return ()
    votes = [vote for vote in gates.index.decisions.values() if not gates.index.is_void(vote.entry.id)]
    last = max(votes, key=lambda vote: vote.entry.seq, default=None)
    if last is None or last.work.policy == gates.index.verdict.policy:
        return ()
    text = f"the trust policy changed after the last decision; version {gates.policy.version} is in force"
    return (RiskFact(kind=RiskKind.POLICY_EDITED, text=text),)


def _find_contradicted(reviewed: ReviewedHandoff) -> tuple[RiskFact, ...]:
    number = reviewed.claims.contradicted
    if not number:
        return ()
    words = "1 claim is false" if number == 1 else f"{number} claims are false"
    return (RiskFact(kind=RiskKind.CONTRADICTED, text=words),)


def find_hidden_characters(
    session: Session, changes: list[FileChange], objects: Mapping[str, str]
) -> Iterator[RiskFact]:
    """A risk for hidden characters in names and in new lines."""
    risk = session.loaded.settings.risk
    places = [Place(path=change.path) for change in changes if HIDDEN.search(change.path)]
    readable = [one for one in changes if one.status != "D" and one.new_mode not in WITHOUT_TEXT]
    scanned = readable[: risk.scanned_files_maximum]
    for start in range(0, len(scanned), _FILES_AT_ONCE):
        some = scanned[start : start + _FILES_AT_ONCE]
        ids = sorted({blob for one in some for blob in (one.old_id, one.new_id) if set(blob) != {"0"}})
        contents = read_blobs(session.repository.git, ids, risk.scanned_bytes, objects)
        for change in some:
            places += _scan(change.path, contents.get(change.old_id), contents.get(change.new_id))
    if places:
        unseen = len(readable) - len(scanned)
        number = "1 place" if len(places) == 1 else f"{len(places):,} places"
        text = f"{number} with hidden characters" + (f"; {unseen:,} files not searched" if unseen else "")
        yield RiskFact(kind=RiskKind.HIDDEN_CHARACTERS, text=text, places=tuple(places[:_MOST_PLACES]))


def _scan(path: str, before: bytes | None, now: bytes | None) -> list[Place]:
    """New lines with hidden characters; none in binary files."""
    if now is None or b"\0" in now or (now.isascii() and not _CONTROLS.search(now)):
        return []
    known = set((before or b"").split(b"\n"))
    return [
        Place(path=path, line=number)
        for number, line in enumerate(now.removeprefix(_BYTE_ORDER_MARK).split(b"\n"), start=1)
        if line not in known and _has_hidden(line)
    ]


def _has_hidden(line: bytes) -> bool:
    if line.isascii() and not _CONTROLS.search(line):
        return False
    return has_hidden_characters(line.decode("utf-8", "replace").replace("\r", ""))
