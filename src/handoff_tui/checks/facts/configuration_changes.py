"""How two versions of `handoff-tui.toml` differ, and which changes are weaker.

Apart from severities, the defaults are not known here. A deciding key that is newly set, or no longer set, cannot be
compared with its default, and counts as weaker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from handoff_tui.checks.rule import RuleFinding
from handoff_tui.config.pipeline import FORMATS
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place

FILE = "handoff-tui.toml"

_Key = tuple[str, ...]
_Usual = Callable[[str], str | None]
_RANKS = {"critical": 3, "high": 2, "medium": 1, "low": 0}
_HEAVY = 2
_SECTIONS = frozenset(
    {
        *("approvals", "builder", "check_run", "checks", "hub", "limits", "mosaic"),
        *("pipelines", "procedures", "public", "tamper", "tdd"),
    }
)
"""Sections that decide whether checks pass; the rest is about agents and appearance."""
_FLOOR = compile_later(r"minimum$|^constraints_|^near_lines$|_before_human$")
_CEILING = compile_later(
    r"maximum$|_tolerated$|max_age|stale|timeout|retries$|budget$|_lag$|^file_bytes$|^output_bytes$"
)
_ALLOWING = compile_later(
    r"^(?:passing_statuses|released_states|accept_from|complete_from|closed_statuses|closed_finding_statuses"
    r"|harmless_severities|zero_unless_set|nameless_words)$"
)
_NEEDED_BY_DEFAULT = frozenset({"enabled", "blocking", "gate", "greenlight_needed"})
_FREE_IN_A_CHECK = frozenset({"remedy"})


class SettingChange(NamedTuple):
    """A key that changed. `weaker` says why that is weaker, if it is."""

    key: _Key
    before: object
    now: object
    weaker: str | None

    @property
    def name(self) -> str:
        return ".".join(self.key)


def compare_configuration(
    before: dict[str, object], now: dict[str, object], usual_severity: _Usual = lambda _: None
) -> list[SettingChange]:
    """Every change but of scopes, which hide nothing; in the order of the keys. A check that is gone is one change.

    `usual_severity` says how severe a rule is if the file says nothing about it.
    """
    old, new = _flatten(before), _flatten(now)
    removed = _find_removed_checks(old, new)
    added = _find_added_checks(old, new) | _find_added_pipelines(old, new)
    found = [SettingChange(key, "a check", None, "the check was removed") for key in sorted(removed)]
    for key in sorted({*old, *new}):
        if old.get(key) == new.get(key) or key[:2] in removed or key[0] == "scopes":
            continue
        values = old.get(key), new.get(key)
        spared = key[:2] in added and key[-1] != "blocking"
        weaker = None if spared else _explain(key, *values, usual_severity)
        found.append(SettingChange(key, *values, weaker))
    return found


def build_found(change: SettingChange, text: str, message: str) -> RuleFinding:
    """A change as a rule reports it, at the line of its key."""
    return RuleFinding(
        message=message,
        subject=change.name,
        place=Place(path=FILE, line=find_line(text, change.key)),
        expected=show_value(change.before),
        actual=show_value(change.now),
    )


def show_value(value: object) -> str:
    return "not set" if value is None else str(value)[:200]


def find_line(text: str, key: _Key) -> int | None:
    """The line of a key, or of its table if the key has no line."""
    table: str = ""
    best: int | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        header = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]", line)
        if header is not None:
            table = header[1].replace('"', "").replace("'", "").replace(" ", "")
            if ".".join(key).startswith(table):
                best = number
            continue
        name = re.match(r"\s*([\w.\"'-]+)\s*=", line)
        full = f"{table}.{name[1]}".strip(".").replace('"', "").replace("'", "") if name is not None else ""
        if full and (".".join(key) == full or (table and full == ".".join((table, key[-1])) and best)):
            return number
    return best


def _flatten(table: dict[str, object], prefix: _Key = ()) -> dict[_Key, object]:
    """Leaves by key; entries of a list that have names are keyed by them."""
    leaves: dict[_Key, object] = {}
    for name, value in table.items():
        key = (*prefix, name)
        inner = value
        if isinstance(value, list) and value and all(isinstance(entry, dict) and "name" in entry for entry in value):
            inner = {str(entry["name"]): entry for entry in value}
        if isinstance(inner, dict):  # an empty table says nothing
            leaves |= _flatten(inner, key)
        else:
            leaves[key] = value
    return leaves


def _find_removed_checks(old: dict[_Key, object], new: dict[_Key, object]) -> set[_Key]:
    """Checks with a command or function that are gone."""
    return _find_own_checks(old) - {key[:2] for key in new if key[0] == "checks"}


def _find_added_checks(old: dict[_Key, object], new: dict[_Key, object]) -> set[_Key]:
    return _find_own_checks(new) - {key[:2] for key in old if key[0] == "checks"}


def _find_added_pipelines(old: dict[_Key, object], new: dict[_Key, object]) -> set[_Key]:
    """Pipelines that take nothing's place: no format has one of that name."""
    own = {key[:2] for key in new if key[0] == "pipelines" and FORMATS.isdisjoint(key[1:2])}
    return own - {key[:2] for key in old}


def _find_own_checks(leaves: dict[_Key, object]) -> set[_Key]:
    """Checks that run something of their own; settings of a built-in rule may be written out with nothing there."""
    return {
        key[:2]
        for key, value in leaves.items()
        if key[0] == "checks" and key[-1] in {"run", "python"} and value is not None
    }


def _explain(key: _Key, before: object, now: object, usual_severity: _Usual) -> str | None:
    """Why a change is weaker; None if it isn't."""
    name = key[-1]
    if key[0] not in _SECTIONS:
        return None
    if name == "severity":
        usual = usual_severity(key[-2]) if before is None or now is None else None
        return _explain_severity(str(before or usual), str(now or usual))
    if isinstance(before, bool) or isinstance(now, bool):
        return _explain_switch(name, before, now)
    if key[0] == "checks" and name not in _FREE_IN_A_CHECK and not _CEILING.search(name):
        return "what the check runs was changed"
    return _explain_value(key, before, now)


def _explain_value(key: _Key, before: object, now: object) -> str | None:
    name = key[-1]
    if isinstance(before, int | float) or isinstance(now, int | float):
        return _explain_number(name, before, now)
    if isinstance(before, list) or isinstance(now, list):
        return _explain_list(name, before, now)
    return "another text decides now" if key[0] == "tamper" or name.endswith(("_pattern", "_script")) else None


def _explain_severity(old: str, new: str) -> str | None:
    """A severity that is not set is the usual one; if there is none, one below high counts as lowered."""
    if old in _RANKS and new in _RANKS:
        return f"the severity was lowered from {old} to {new}" if _RANKS[new] < _RANKS[old] else None
    if old not in _RANKS:
        return "the severity was set below high" if _RANKS.get(new, _HEAVY) < _HEAVY else None
    return "the severity no longer counts as heavy" if _RANKS[old] >= _HEAVY else None


def _explain_switch(name: str, before: object, now: object) -> str | None:
    if name.endswith("_tolerated") or name == "shell":
        return "it was allowed" if now is True else None
    if before is True:
        return "it was switched off"
    return "it was switched off" if before is None and now is False and name in _NEEDED_BY_DEFAULT else None


def _explain_number(name: str, before: object, now: object) -> str | None:
    floor, ceiling = _FLOOR.search(name), _CEILING.search(name)
    if floor is None and ceiling is None:
        return None
    if not isinstance(before, int | float) or not isinstance(now, int | float):
        return "the default held before" if before is None else "the default holds now"
    if floor is not None:
        return "the threshold was lowered" if now < before else None
    return "the limit was raised" if now > before else None


def _explain_list(name: str, before: object, now: object) -> str | None:
    if name.endswith("_severities") and isinstance(now, list) and {"critical", "high"} <= set(map(str, now)):
        return None
    if not isinstance(before, list) or not isinstance(now, list):
        return "the default held before" if before is None else "the default holds now"
    old, new = set(map(str, before)), set(map(str, now))
    if _ALLOWING.match(name):
        return f"more is allowed: {', '.join(sorted(new - old))}" if new - old else None
    return f"less is looked at: {', '.join(sorted(old - new))} left out" if old - new else None


def list_weaker(changes: list[SettingChange]) -> Iterator[tuple[SettingChange, str]]:
    for change in changes:
        if change.weaker is not None:
            yield change, change.weaker
