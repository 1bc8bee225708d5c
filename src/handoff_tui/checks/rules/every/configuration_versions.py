"""`handoff-tui.toml` at the baseline and now."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.configuration_changes import FILE, Difference, compare_configuration
from handoff_tui.core.short_id import SHORT_COMMIT


class ConfigurationChange(NamedTuple):
    """What differs. `broken` says why the present file could not be read."""

    differences: list[Difference]
    text: str = ""
    broken: str | None = None


def read_change(context: Context) -> ConfigurationChange:
    """The rule does not apply without a baseline, nor where there is no such file on either side."""
    baseline = context.require_baseline()
    old, new = context.read_at(baseline, FILE), context.read(FILE)
    if old is None and new is None:
        context.skip(f"no {FILE}, at the baseline or now")
    if new is None and context.exists(FILE):
        return ConfigurationChange([], broken="cannot be read")
    if old == new:
        return ConfigurationChange([])
    before = _parse(old)
    if isinstance(before, str):
        context.undecidable(f"{FILE} {before} at {baseline[:SHORT_COMMIT]}")
    now = _parse(new)
    text = (new or b"").decode("utf-8", "replace")
    if isinstance(now, str):
        return ConfigurationChange([], text, now)
    return ConfigurationChange(compare_configuration(before, now, context.usual_severity), text)


def _parse(content: bytes | None) -> dict[str, object] | str:
    """The table, or what is wrong with it."""
    import tomllib  # noqa: PLC0415 - few runs compare two versions

    try:
        return tomllib.loads((content or b"").decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as wrong:
        return f"is not valid TOML: {wrong}"
