"""A lock says who holds it and since when, and isn't stale."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity

_PAIR = compile_later(r"^\s*([A-Za-z][A-Za-z_ -]{0,30}?)\s*[:=]\s*(\S.*)$")
_FUTURE = timedelta(minutes=1)
_MILLISECONDS_FROM = 1e11


def judge(context: Context) -> Iterator[RuleFinding]:
    """Looks for the lock by name too, because git often ignores it."""
    name = context.settings.tdd.lock_file
    documents = (document.path for handoff in context.handoffs("tdd") for document in handoff.documents)
    locks = dict.fromkeys((name, *(path for path in documents if path.rpartition("/")[2] == name)))
    present = [path for path in locks if context.exists(path)]
    if not present:
        context.skip("no agent holds a lock")
    for path in present:
        text = context.read_text(path)
        if text is None:
            yield _build(path, "content", "cannot be read", "a lock that can be read", "no content")
            continue
        yield from find_unreadable(context, (path,))
        yield from _judge_lock(context, path, _parse_lock(text))


def _judge_lock(context: Context, path: str, fields: dict[str, str]) -> Iterator[RuleFinding]:
    if not any(fields.get(_fold(key)) for key in context.settings.tdd.lock_owner_fields):
        yield _build(path, "owner", "does not say who holds it", "an owner", "none")
    keys = context.settings.tdd.lock_time_fields
    written = next((text for key in keys if (text := fields.get(_fold(key)))), None)
    since = _parse_moment(written) if written else None
    if since is None:
        yield _build(path, "time", "does not say since when it is held", "a time", written or "none")
        return
    age = context.now() - since
    limit = context.settings.tdd.lock_stale_minutes
    if age > timedelta(minutes=limit):
        minutes = int(age.total_seconds() // 60)
        yield _build(path, "age", f"is older than {limit} minutes", f"at most {limit} minutes", f"{minutes} minutes")
    elif age < -_FUTURE:
        yield _build(path, "age", "is dated in the future", "a time that has been", written or "none")


def _parse_lock(text: str) -> dict[str, str]:
    """Parses the fields of a JSON object, or lines such as `agent: heron`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return {_fold(key): str(entry) for key, entry in value.items() if isinstance(entry, str | int | float)}
    pairs = (_PAIR.match(line) for line in text.splitlines())
    return {_fold(pair.group(1)): pair.group(2).strip() for pair in pairs if pair is not None}


def _parse_moment(text: str) -> datetime | None:
    """Parses ISO 8601, or seconds or milliseconds since 1970, in UTC without a zone; None if it isn't a time."""
    try:
        number = float(text)
        moment = datetime.fromtimestamp(number / 1000 if number > _MILLISECONDS_FROM else number, tz=UTC)
    except (ValueError, OverflowError, OSError):
        try:
            moment = datetime.fromisoformat(text.strip())
        except ValueError:
            return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _fold(key: str) -> str:
    return key.casefold().replace(" ", "_")


def _build(path: str, what: str, problem: str, expected: str, actual: str) -> RuleFinding:
    return RuleFinding(f"the lock {path} {problem}", f"{path} {what}", Place(path=path), expected, actual)


LOCK_NOT_STALE = Rule(
    id="lock-not-stale",
    system=System.TDD,
    severity=Severity.MEDIUM,
    holds="Every lock names its owner and isn't stale.",
    reads="the lock file of TDD agents, and the clock",
    remedy="Make sure that its owner has stopped working. Then remove the lock.",
    judge=judge,
)
