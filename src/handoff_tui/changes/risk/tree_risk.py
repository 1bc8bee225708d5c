"""Two trees compared for what is worth a closer look. The rules of the tamper lens judge; this only collects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from handoff_tui.changes.files.hidden_lines import find_hidden_lines
from handoff_tui.changes.risk.trees_world import TreesWorld
from handoff_tui.changes.snapshots.ecosystem.files import is_ecosystem_file, parse_ecosystem_file
from handoff_tui.checks.contract import Rule
from handoff_tui.checks.engine import Engine
from handoff_tui.checks.facts.changed_files import is_match
from handoff_tui.checks.inputs import Inputs
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.rules.every.assertions_not_weakened import ASSERTIONS_NOT_WEAKENED
from handoff_tui.checks.rules.every.ci_unchanged import CI_UNCHANGED
from handoff_tui.checks.rules.every.no_new_skips import NO_NEW_SKIPS
from handoff_tui.checks.rules.every.tests_not_deleted import TESTS_NOT_DELETED
from handoff_tui.checks.rules.every.thresholds_not_lowered import THRESHOLDS_NOT_LOWERED
from handoff_tui.config.settings.risk import Risk
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_diff import count_lines, read_tree_changes
from handoff_tui.handoffs.session import Desk
from handoff_tui.status.inbox import Measured
from handoff_tui.status.inbox_item import RiskFact, RiskKind, WorkSize, sort_risks
from handoff_tui.system.files.cache_files import find_cache_folder

_MOST_PLACES: Final = 20
_MOST_COUNTED: Final = 5_000
"""Of more changed files the lines are not counted: nobody reads them in one sitting anyway."""
_FILES_AT_ONCE: Final = 50
_MOST_NAMED: Final = 5
_LINK, _SUBMODULE, _EXECUTABLE = "120000", "160000", "100755"
_HARMLESS: Final = frozenset("\t\n\r")
_CONTROLS: Final = compile_later(rb"[\x00-\x08\x0b-\x1f\x7f]")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_PROJECT_FILES: Final = ("package.json", "pyproject.toml", "setup.cfg")


class _Lens(NamedTuple):
    """A rule of the tamper lens, and how its findings are told: of one, and of several."""

    rule: Rule
    kind: RiskKind
    one: str
    several: str


_LENSES: Final = (
    _Lens(TESTS_NOT_DELETED, RiskKind.TESTS_REMOVED, "1 test is gone", "{} tests or test files are gone"),
    _Lens(ASSERTIONS_NOT_WEAKENED, RiskKind.TESTS_REMOVED, "1 test checks less", "{} tests check less"),
    _Lens(NO_NEW_SKIPS, RiskKind.SKIPS_ADDED, "1 test is newly skipped", "{} tests are newly skipped"),
    _Lens(CI_UNCHANGED, RiskKind.CI_EDITED, "how work is checked was changed", "how work is checked: {} changes"),
    _Lens(THRESHOLDS_NOT_LOWERED, RiskKind.CI_EDITED, "1 threshold was loosened", "{} thresholds were loosened"),
)


def measure_trees(desk: Desk, old: str, new: str) -> Measured:
    """Every fact about what differs between two trees, and how much it is."""
    objects = offer_objects(desk.repository, find_cache_folder(desk.repository.root))
    git = desk.repository.git
    changes = read_tree_changes(git, old, new, objects).changes
    counts = count_lines(git, old, new, extra=objects) if len(changes) <= _MOST_COUNTED else None
    size = WorkSize(len(changes))
    if counts is not None:
        size = size._replace(
            added=sum(one.added or 0 for one in counts.values()),
            deleted=sum(one.deleted or 0 for one in counts.values()),
        )
    world = TreesWorld(desk, old, changes, objects)
    risk = desk.loaded.settings.risk
    facts = (
        *_judge(world),
        *_find_edited(changes, RiskKind.POLICY_EDITED, risk.policy_files, "{} of the rules for this work"),
        *_find_dependencies(world, changes),
        *find_hidden_lines(desk, changes, objects),
        *_find_sensitive(changes, risk.sensitive_paths),
        *_find_size(size, risk),
    )
    world.close()
    return Measured(sort_risks(facts), size)


def _judge(world: TreesWorld) -> Iterator[RiskFact]:
    results = Engine(Inputs(world)).run([lens.rule for lens in _LENSES])
    for lens, result in zip(_LENSES, results, strict=True):
        if result.outcome is Outcome.FAIL:
            number = len(result.findings)
            text = lens.one if number == 1 else lens.several.format(number)
            yield RiskFact(kind=lens.kind, text=text, places=_list_places(result))
        elif result.outcome in {Outcome.UNKNOWN, Outcome.ERROR}:
            yield RiskFact(kind=lens.kind, text=f"{lens.rule.id} cannot tell: {result.summary}")


def _list_places(result: CheckResult) -> tuple[Place, ...]:
    places = (Place(path=one.path, line=one.line) for found in result.findings for one in found.evidence if one.path)
    return tuple(dict.fromkeys(places))[:_MOST_PLACES]


def _find_edited(
    changes: list[FileChange], kind: RiskKind, patterns: tuple[str, ...], words: str
) -> Iterator[RiskFact]:
    paths = [change.path for change in changes if _fits(change, patterns)]
    if paths:
        yield RiskFact(
            kind=kind, text=words.format(_count(len(paths), "file")) + " changed", places=_build_places(paths)
        )


def _find_sensitive(changes: list[FileChange], patterns: tuple[str, ...]) -> Iterator[RiskFact]:
    """Paths that the configuration names, then what is no plain file, and what became a program."""
    yield from _find_edited(changes, RiskKind.SENSITIVE_PATH, patterns, "{} that the configuration calls sensitive")
    odd = (
        ("symbolic link", "changed", [one.path for one in changes if _LINK in {one.old_mode, one.new_mode}]),
        ("submodule", "changed", [one.path for one in changes if _SUBMODULE in {one.old_mode, one.new_mode}]),
        ("file", "became executable", [one.path for one in changes if one.new_mode == _EXECUTABLE != one.old_mode]),
    )
    for noun, verb, paths in odd:
        if paths:
            text = f"{_count(len(paths), noun)} {verb}"
            yield RiskFact(kind=RiskKind.SENSITIVE_PATH, text=text, places=_build_places(paths))


def _find_dependencies(world: TreesWorld, changes: list[FileChange]) -> Iterator[RiskFact]:
    """What the packages of this work ask for now and did not before, wherever it was declared."""
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
        names = ", ".join(added[:_MOST_NAMED]) + (
            f" and {len(added) - _MOST_NAMED} more" if added[_MOST_NAMED:] else ""
        )
        text = f"{'a new dependency' if len(added) == 1 else f'{len(added)} new dependencies'}: {names}"
        yield RiskFact(kind=RiskKind.DEPENDENCY_ADDED, text=text, places=_build_places(now[name] for name in added))


def _list_dependencies(path: str, content: bytes | None) -> set[str]:
    packages = () if content is None else parse_ecosystem_file(path, content).packages
    return {name for one in packages for name in one.dependencies}


def _find_size(size: WorkSize, risk: Risk) -> Iterator[RiskFact]:
    lines = (size.added or 0) + (size.deleted or 0)
    if size.files > risk.files_maximum or lines > risk.lines_maximum or size.added is None:
        counted = "" if size.added is None else f", +{size.added:,} -{size.deleted:,} lines"
        text = f"{_count(size.files, 'file')}{counted}: more than one sitting reads well"
        yield RiskFact(kind=RiskKind.SIZE, text=text)


def _fits(change: FileChange, patterns: tuple[str, ...]) -> bool:
    return any(is_match(path, patterns) for path in (change.path, change.old_path) if path)


def _build_places(paths: Iterable[str]) -> tuple[Place, ...]:
    return tuple(Place(path=path) for path in dict.fromkeys(paths))[:_MOST_PLACES]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
