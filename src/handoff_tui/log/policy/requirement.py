"""What a gate can require beyond a number: `1 of security and 2 of dev`, with `and`, `or` and brackets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import product
from math import prod
from typing import Final, Literal

from handoff_tui.core.errors import TrustPolicyError
from handoff_tui.core.model import dataclass

_TOKEN: Final = re.compile(r"\s*(?:(\()|(\))|([A-Za-z0-9_-]+))")
_DEEPEST = 16
_LONGEST = 1_000
_HINT = 'Write it as "1 of security and 2 of dev", with and, or and brackets.'


@dataclass(frozen=True, slots=True)
class Quota:
    """A number of people with a role."""

    number: int
    role: str

    def roles(self) -> frozenset[str]:
        return frozenset({self.role})

    def count_ways(self) -> int:
        return 1

    def alternatives(self) -> list[dict[str, int]]:
        return [{self.role: self.number}]

    def __str__(self) -> str:
        return f"{self.number} of {self.role}"


@dataclass(frozen=True, slots=True)
class Combination:
    """Several requirements: all of them, or one of them."""

    word: Literal["and", "or"]
    parts: tuple[Requirement, ...]

    def roles(self) -> frozenset[str]:
        return frozenset().union(*(part.roles() for part in self.parts))

    def count_ways(self) -> int:
        """Counts the alternatives without spelling them out."""
        counts = [part.count_ways() for part in self.parts]
        return sum(counts) if self.word == "or" else prod(counts)

    def alternatives(self) -> list[dict[str, int]]:
        """Lists every way to meet it, as numbers by role; `and` over one role needs the larger number."""
        if self.word == "or":
            return [way for part in self.parts for way in part.alternatives()]
        return [_merge(ways) for ways in product(*(part.alternatives() for part in self.parts))]

    def __str__(self) -> str:
        return f" {self.word} ".join(f"({part})" if isinstance(part, Combination) else str(part) for part in self.parts)


Requirement = Quota | Combination


def parse_requirement(text: str, roles: AbstractSet[str]) -> Requirement:
    """Parses a requirement; raises for a role that the policy does not have."""
    tokens = _split(text)
    requirement = _parse_or(tokens, 0)
    if tokens:
        raise TrustPolicyError(f'"{text}" goes on after its end, at {tokens[0]!r}', _HINT)
    unknown = sorted(requirement.roles() - roles)
    if unknown:
        raise TrustPolicyError(f'"{text}" names the role {unknown[0]!r}, which may not decide or is not in this policy')
    if requirement.count_ways() > _LONGEST:
        raise TrustPolicyError(f'"{text[:60]}…" can be met in too many ways')
    return requirement


def is_met(requirement: Requirement, people: AbstractSet[str], members: Mapping[str, AbstractSet[str]]) -> bool:
    """Whether these people meet it; one person counts once, whatever roles they have."""
    return any(_can_fill(way, people, members) for way in requirement.alternatives())


def _can_fill(way: dict[str, int], people: AbstractSet[str], members: Mapping[str, AbstractSet[str]]) -> bool:
    """Matches people to seats by augmenting paths; the sets are small."""
    seats = [role for role, number in way.items() for _ in range(min(number, len(people) + 1))]
    taken: dict[str, int] = {}

    def seat(index: int, tried: set[str]) -> bool:
        for person in sorted(people & members.get(seats[index], frozenset())):
            if person not in tried:
                tried.add(person)
                if person not in taken or seat(taken[person], tried):
                    taken[person] = index
                    return True
        return False

    return all(seat(index, set()) for index in range(len(seats)))


def _merge(ways: tuple[dict[str, int], ...]) -> dict[str, int]:
    merged: dict[str, int] = {}
    for way in ways:
        for role, number in way.items():
            merged[role] = max(merged.get(role, 0), number)
    return merged


def _split(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None or len(text) > _LONGEST:
            raise TrustPolicyError(f'"{text[:60]}" is not a requirement', _HINT)
        tokens.append(match.group(0).strip())
        position = match.end()
    return tokens


def _parse_or(tokens: list[str], depth: int) -> Requirement:
    return _parse_series(tokens, "or", depth)


def _parse_series(tokens: list[str], word: Literal["and", "or"], depth: int) -> Requirement:
    parts: list[Requirement] = []
    while True:
        parts.append(_parse_series(tokens, "and", depth) if word == "or" else _parse_one(tokens, depth))
        if not tokens or tokens[0] != word:
            return parts[0] if len(parts) == 1 else Combination(word, tuple(parts))
        tokens.pop(0)


def _parse_one(tokens: list[str], depth: int) -> Requirement:
    if tokens and tokens[0] == "(" and depth < _DEEPEST:
        tokens.pop(0)
        inner = _parse_or(tokens, depth + 1)
        if not tokens or tokens.pop(0) != ")":
            raise TrustPolicyError("a requirement has a bracket that is not closed", _HINT)
        return inner
    if len(tokens) < 3 or not tokens[0].isdecimal() or tokens[1] != "of" or not 1 <= int(tokens[0][:7]) <= _LONGEST:  # noqa: PLR2004 - number, of, role
        raise TrustPolicyError('a requirement is not "number of role"', _HINT)
    number, _, role = tokens[0], tokens.pop(1), tokens.pop(1)
    tokens.pop(0)
    return Quota(int(number[:7]), role)
