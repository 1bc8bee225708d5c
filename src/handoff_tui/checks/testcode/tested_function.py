"""A test as it stands in a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TestFunction:
    """One test, and how much it asserts."""

    __test__ = False

    name: str
    line: int
    assertions: int
    """How many of its assertions can fail."""
    body: str
    """A digest of what it does, whatever it is called."""
    exact: int = 0
    """How many of them compare with something."""
    trivial: tuple[str, ...] = ()
    """Its assertions that cannot fail, as written."""
    cases: int = 1
    """How many cases it is given."""
    title: str = ""
    """Its own name, without those of the groups around it."""
    empty: bool = False
    """Whether its body does nothing at all."""
