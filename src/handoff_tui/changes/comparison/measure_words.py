"""Names and numbers of a snapshot's measures, for people."""

from __future__ import annotations

_COVERAGE = "coverage_basis_points"


def name_measure(name: str) -> str:
    return "coverage" if name == _COVERAGE else name


def render_measure(name: str, value: int) -> str:
    """Coverage is stored in hundredths of a percent, so that no fraction is ever rounded."""
    if name != _COVERAGE:
        return f"{value:,}"
    return f"{'-' if value < 0 else ''}{abs(value) // 100:,}.{abs(value) % 100:02d} %"
