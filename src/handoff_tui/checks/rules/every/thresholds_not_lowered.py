"""No threshold was loosened: coverage lowered, allowances or timeouts raised, or a threshold removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.changed_files import ChangedFile, read_changed
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity


class _Threshold(NamedTuple):
    value: float
    line: int
    path: str


def judge(context: Context) -> Iterator[RuleFinding]:
    files = read_changed(context, context.settings.tamper.threshold_files)
    zero_unless_set = context.settings.tamper.zero_unless_set
    tamper = context.settings.tamper
    for limits, floor in ((tamper.floors, True), (tamper.ceilings, False)):
        for name, words in limits.items():
            pattern = re.compile(words, re.IGNORECASE)
            changed, gone, added = _pair(files, pattern)
            for old, new in changed:
                if _is_looser(old.value, new.value, floor=floor):
                    yield _build(name, old, new, f"{'fell' if floor else 'rose'} from {old.value:g} to {new.value:g}")
            moved = _drop_moved(gone, added, floor=floor)
            if name not in zero_unless_set:
                yield from (_build(name, old, None, f"of {old.value:g} is gone") for old in gone if old not in moved)
            else:
                yield from _judge_added(name, [new for new in added if new.value > 0 and new not in moved])


def _pair(
    files: list[ChangedFile], pattern: re.Pattern[str]
) -> tuple[list[tuple[_Threshold, _Threshold]], list[_Threshold], list[_Threshold]]:
    """Returns thresholds before and now in pairs, then the removed and the added ones."""
    changed: list[tuple[_Threshold, _Threshold]] = []
    gone: list[_Threshold] = []
    added: list[_Threshold] = []
    for file in files:
        before = _find(file.old_path, file.before, pattern)
        now = _find(file.new_path, file.now, pattern)
        if len(before) != len(now):
            before, now, lost, more = _match_up(before, now)
            gone.extend(lost)
            added.extend(more)
        changed.extend(zip(before, now, strict=True))
    return changed, gone, added


def _drop_moved(gone: list[_Threshold], added: list[_Threshold], *, floor: bool) -> list[_Threshold]:
    """Returns thresholds that only moved to another file: the old ones, and new ones that are no looser."""
    moved: list[_Threshold] = []
    for old in gone:
        new = next(
            (one for one in added if one not in moved and not _is_looser(old.value, one.value, floor=floor)), None
        )
        if new is not None:
            moved += [old, new]
    return moved


def _judge_added(name: str, added: list[_Threshold]) -> Iterator[RuleFinding]:
    for new in added:
        yield _build(name, _Threshold(0, 0, new.path), new, f"rose from 0 to {new.value:g}")


def _find(path: str | None, text: str, pattern: re.Pattern[str]) -> list[_Threshold]:
    """Returns every threshold outside comments, in order."""
    if path is None:
        return []
    found: list[_Threshold] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.lstrip().startswith(("#", "//", ";")):
            found.extend(_Threshold(float(match[1]), number, path) for match in pattern.finditer(line))
    return found


def _match_up(
    before: list[_Threshold], now: list[_Threshold]
) -> tuple[list[_Threshold], list[_Threshold], list[_Threshold], list[_Threshold]]:
    """Pairs equal values first, then the rest in order; what is left over was removed or added."""
    left, rest = list(before), list(now)
    for old in before:
        same = next((new for new in rest if new.value == old.value), None)
        if same is not None:
            left.remove(old)
            rest.remove(same)
    pairs = min(len(left), len(rest))
    return left[:pairs], rest[:pairs], left[pairs:], rest[pairs:]


def _is_looser(old: float, new: float, *, floor: bool) -> bool:
    return new < old if floor else new > old


def _build(name: str, old: _Threshold, new: _Threshold | None, problem: str) -> RuleFinding:
    place = Place(path=new.path, line=new.line) if new is not None else Place(path=old.path)
    message = f"{place.path}: the threshold «{name}» {problem}"
    return RuleFinding(message, name, place, f"{old.value:g}", "none" if new is None else f"{new.value:g}")


THRESHOLDS_NOT_LOWERED = Rule(
    id="thresholds-not-lowered",
    system=System.ALL,
    severity=Severity.HIGH,
    holds="No threshold for coverage, warnings, complexity, retries or time was loosened since the baseline.",
    reads="project, coverage, linter and CI files that differ from the baseline",
    remedy="Restore the threshold and meet it. Only the reviewer decides whether it may be loosened.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
)
