"""`policy.toml`: who may change the policy, who may decide, who may only submit, and what each gate needs.

It also says what keeps agents from signing as a person; nothing of that opens or closes a gate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from enum import StrEnum
from functools import lru_cache, reduce
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final, Literal

from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.errors import TrustPolicyError, UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.safe_text import passes_for
from handoff_tui.core.text.toml_text import parse_toml
from handoff_tui.log.entries.fields import GIT_OBJECT, PRINCIPAL
from handoff_tui.log.entry import Entry, PolicyText
from handoff_tui.log.policy.signers import Signer, parse_allowed_signers

if TYPE_CHECKING:
    from handoff_tui.git.signing.key_grade import KeyGrade

NONE = "none"


class Wall(StrEnum):
    """One thing that keeps an agent from signing as its operator."""

    OTHER_USER = "other-user"
    CI = "ci"
    TOUCH = "touch"
    PASSPHRASE = "passphrase"
    CONFIRM = "confirm"
    TWO_PEOPLE = "two-people"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    Wall.OTHER_USER: "agents run under another user account, or in a container",
    Wall.CI: "CI asks the gate, with a pinned first entry",
    Wall.TOUCH: "your key signs only when touched",
    Wall.PASSPHRASE: "your key asks for its passphrase each time",
    Wall.CONFIRM: "your ssh-agent asks before each use (ssh-add -c)",
    Wall.TWO_PEOPLE: "two people decide, each with a key of their own",
}


def parse_protection(words: str) -> tuple[Wall, ...]:
    """Parses walls with commas between them; `none` alone says that there is none."""
    names = [name.strip().casefold() for name in words.split(",") if name.strip()]
    if names == [NONE]:
        return ()
    known = {wall.value for wall in Wall}
    wrong = next((name for name in names if name not in known), None)
    if wrong is not None or not names:
        raise UsageError(
            f"{wrong or words!r} is not one of the protections", f"Choose from {', '.join(Wall)}, or {NONE}."
        )
    return tuple(wall for wall in Wall if wall in names)


def render_protection(walls: Iterable[Wall]) -> str:
    return ",".join(walls) or NONE


def guess_protection(grade: KeyGrade) -> tuple[Wall, ...]:
    """What can be seen of the key: the answer for a person who gives none."""
    from handoff_tui.git.signing.key_grade import KeyGrade  # noqa: PLC0415 - asked when a policy is written

    seen = {KeyGrade.TOUCH: Wall.TOUCH, KeyGrade.PASSPHRASE: Wall.PASSPHRASE}.get(grade)
    return () if seen is None else (seen,)


def build_question(usual: tuple[Wall, ...]) -> str:
    """Asks once, in a few lines; an empty answer means `usual`."""
    rows = "\n".join(f"  {wall.value:<11}{wall.words}" for wall in Wall)
    return (
        f"What keeps an agent from signing as you? The answer goes into the policy.\n{rows}\n"
        f"Which of them are in place? Separate them with commas, or answer {NONE} [{render_protection(usual)}]: "
    )


_TOKEN: Final = compile_later(r"\s*(?:(\()|(\))|([A-Za-z0-9_-]+))")
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
        raise TrustPolicyError(f'"{text}" continues after its end, at {tokens[0]!r}', _HINT)
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


ANY_GATE: Final = "*"
_ROLE_KEYS = frozenset({"principals", "threshold"})
_KEYS = frozenset({"version", "start_line", "solo", "commits_by", "protection", "roles", "gates"})
_GATE_KEYS = frozenset(
    {"threshold", "max_age_days", "require_user_presence", "require_signed_submission", "require", "binds"}
    | {"require_coverage", "headless"}
)
_BINDS = ("scope", "tree")
_BY_AGENTS = "agents"
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class GateRule:
    """What one gate needs."""

    threshold: int = 1
    max_age_days: int | None = None
    require_user_presence: bool = False
    require_signed_submission: bool = False
    require: Requirement | None = None
    """Roles and numbers beyond the plain threshold."""
    binds_tree: bool = False
    """Whether an approval holds only while all files of the repository stay as they are, not just the handoff's."""
    require_coverage: bool = False
    """Whether every changed file must be approved by somebody before this gate opens."""
    headless: frozenset[str] = frozenset()
    """Who may decide here without a terminal, by naming the digest."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: the two texts of a policy entry, parsed."""

    version: int
    root: frozenset[str]
    root_threshold: int
    reviewers: frozenset[str]
    agents: frozenset[str]
    roles: dict[str, frozenset[str]]
    """All roles by name, including the three above."""
    gates: dict[str, GateRule]
    signers: dict[str, Signer] = field(default_factory=dict)
    start_line: str = ""
    """The commit after which changes count; empty if all of history does."""
    solo: bool = False
    """Whether the one person here may approve what their agents made under their name."""
    commits_by_agents: frozenset[str] = frozenset()
    """People under whose name agents commit."""

    protection: frozenset[Wall] | None = None
    """What keeps agents from signing as a person here; None if nobody has said."""

    def may_approve_own(self, principal: str) -> bool:
        """Whether a solo policy lets this person approve work that carries their own name."""
        return self.solo and self.reviewers == {principal}

    def find_gate(self, phase: str) -> GateRule | None:
        """Returns the rule of a phase, else the one for all. Another spelling of a phase gives no easier gate."""
        named = {name.casefold(): rule for name, rule in self.gates.items()}
        known = self.gates.get(phase) or named.get(phase.casefold())
        if known is not None:
            return known
        rules = [self.gates[name] for name in (ANY_GATE, *self.find_resembled(phase)) if name in self.gates]
        return reduce(_combine, rules) if rules else None

    def find_resembled(self, phase: str) -> tuple[str, ...]:
        """Names the gates that a phase could be taken for although it is none of theirs."""
        if phase.casefold() in {name.casefold() for name in self.gates}:
            return ()
        return tuple(name for name in self.gates if name != ANY_GATE and passes_for(phase, name))

    def may_decide(self, principal: str) -> bool:
        """Whether a person may decide: reviewers, and holders of a role that a gate requires; never an agent."""
        asked = {role for gate in self.gates.values() if gate.require for role in gate.require.roles()}
        named = any(principal in self.roles[role] for role in asked)
        return principal not in self.agents and (principal in self.reviewers or named)

    def may_submit(self, principal: str) -> bool:
        return principal in self.agents or self.may_decide(principal)


def _combine(one: GateRule, other: GateRule) -> GateRule:
    """A rule that is met only where both are."""
    asked = [rule.require for rule in (one, other) if rule.require is not None]
    ages = [rule.max_age_days for rule in (one, other) if rule.max_age_days is not None]
    return GateRule(
        threshold=max(one.threshold, other.threshold),
        max_age_days=min(ages, default=None),
        require_user_presence=one.require_user_presence or other.require_user_presence,
        require_signed_submission=one.require_signed_submission or other.require_signed_submission,
        require=Combination("and", tuple(asked)) if len(asked) > 1 else next(iter(asked), None),
        binds_tree=one.binds_tree or other.binds_tree,
        require_coverage=one.require_coverage or other.require_coverage,
        headless=one.headless & other.headless,
    )


def find_rule(policy: Policy | None, phase: str) -> GateRule:
    """Returns the rule of a phase; the usual one if there is no policy, or none for the phase."""
    return (policy.find_gate(phase) if policy is not None else None) or GateRule()


@lru_cache(maxsize=64)
def parse_policy(text: PolicyText) -> Policy:
    """Parses both texts of a policy entry; refuses anything unknown in them."""
    try:
        content = parse_toml(text.policy_toml)
    except ValueError as wrong:
        raise TrustPolicyError(f"policy.toml is not TOML: {wrong}") from wrong
    _refuse_unknown("policy.toml", content, _KEYS)
    _check_version(content.get("version"), text.version)
    roles = _read_roles(content.get("roles"))
    gates = _read_gates(content.get("gates"), roles)
    signers = parse_allowed_signers(text.allowed_signers)
    root_table = content["roles"]["root"]
    policy = Policy(
        version=text.version,
        root=roles["root"],
        root_threshold=_read_number("roles.root.threshold", root_table.get("threshold", 1)),
        reviewers=roles["reviewer"],
        agents=roles.get("agent", frozenset()),
        roles=roles,
        gates=gates,
        signers=signers,
        start_line=_read_start_line(content.get("start_line", "")),
        solo=_read_switch("policy.toml", content, "solo"),
        commits_by_agents=_read_commits_by(content.get("commits_by", {})),
        protection=_read_protection(content.get("protection")),
    )
    _check_sense(policy)
    return policy


def is_solo(entry: Entry, policy: PolicyText | None) -> bool:
    """Whether somebody decided on work under their own name, which only a solo policy allows."""
    if entry.work is None or entry.decision is None or entry.actor not in entry.work.producers or policy is None:
        return False
    try:
        return parse_policy(policy).may_approve_own(entry.actor)
    except TrustPolicyError:  # an entry of the list may name a policy that is refused
        return False


def _check_version(written: object, version: int) -> None:
    """Checks that the file counts with the entry; 1 is fine too, since others may mean the format's version."""
    if isinstance(written, bool) or not isinstance(written, int) or written not in {1, version}:
        raise TrustPolicyError(f"policy.toml has version {written!r}, its entry has {version}")


def _read_start_line(value: object) -> str:
    if not isinstance(value, str) or not (value == "" or GIT_OBJECT.fullmatch(value)):
        raise TrustPolicyError("start_line is not the full id of a commit")
    return value


def _read_commits_by(table: object) -> frozenset[str]:
    if not isinstance(table, dict) or any(value != _BY_AGENTS for value in table.values()):
        raise TrustPolicyError('commits_by is not a table of names such as "ada@example.org" = "agents"')
    return frozenset(name.casefold() for name in table)


def _read_protection(value: object) -> frozenset[Wall] | None:
    if value is None:
        return None
    known = {wall.value for wall in Wall}
    if not isinstance(value, list) or not all(isinstance(item, str) and item in known for item in value):
        raise TrustPolicyError(f"protection is not a list of: {', '.join(Wall)}")
    return frozenset(map(Wall, value))


def _read_roles(table: object) -> dict[str, frozenset[str]]:
    if not isinstance(table, dict):
        raise TrustPolicyError("policy.toml has no [roles.…]")
    roles: dict[str, frozenset[str]] = {}
    for name, content in table.items():
        where = f"roles.{name}"
        if not isinstance(content, dict):
            raise TrustPolicyError(f"{where} is not a table")
        _refuse_unknown(where, content, _ROLE_KEYS if name == "root" else frozenset({"principals"}))
        roles[name] = _read_principals(where, content.get("principals"))
    for needed in ("root", "reviewer"):
        if not roles.get(needed):
            raise TrustPolicyError(f"policy.toml names nobody in roles.{needed}")
    return roles


def _read_principals(where: str, value: object, key: str = "principals") -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) and PRINCIPAL.fullmatch(item) for item in value):
        raise TrustPolicyError(f"{where}.{key} is not a list of principals")
    if len(set(value)) != len(value):
        raise TrustPolicyError(f"{where}.{key} names someone twice")
    return frozenset(value)


def _read_gates(table: object, roles: dict[str, frozenset[str]]) -> dict[str, GateRule]:
    if not isinstance(table, dict) or not table:
        raise TrustPolicyError("policy.toml has no [gates.…]", 'Add [gates."*"] with threshold = 1.')
    return {name: _read_gate(f"gates.{name}", content, roles) for name, content in table.items()}


def _read_gate(where: str, content: object, roles: dict[str, frozenset[str]]) -> GateRule:
    if not isinstance(content, dict):
        raise TrustPolicyError(f"{where} is not a table")
    _refuse_unknown(where, content, _GATE_KEYS)
    age = content.get("max_age_days")
    words = content.get("require")
    if words is not None and not isinstance(words, str):
        raise TrustPolicyError(f'{where}.require is not text such as "1 of security and 2 of dev"')
    return GateRule(
        threshold=_read_number(f"{where}.threshold", content.get("threshold", 1)),
        max_age_days=None if age is None else _read_number(f"{where}.max_age_days", age),
        require_user_presence=_read_switch(where, content, "require_user_presence"),
        require_signed_submission=_read_switch(where, content, "require_signed_submission"),
        require=None if words is None else parse_requirement(words, frozenset(roles) - {"agent"}),
        binds_tree=_read_binds(where, content) == "tree",
        require_coverage=_read_switch(where, content, "require_coverage"),
        headless=_read_principals(where, content.get("headless", []), "headless"),
    )


def _read_binds(where: str, content: dict[str, object]) -> str:
    value = content.get("binds", _BINDS[0])
    if value not in _BINDS:
        raise TrustPolicyError(f'{where}.binds is {value!r}; it is "scope" or "tree"')
    return str(value)


def _read_number(where: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST:
        raise TrustPolicyError(f"{where} is {value!r}, not a whole number from 1")
    return value


def _read_switch(where: str, content: dict[str, object], key: str) -> bool:
    value = content.get(key, False)
    if not isinstance(value, bool):
        raise TrustPolicyError(f"{where}.{key} is neither true nor false")
    return value


def _refuse_unknown(where: str, content: dict[str, object], known: frozenset[str]) -> None:
    unknown = sorted(set(content) - known)
    if unknown:
        raise TrustPolicyError(
            f"{where} has the unknown key {unknown[0]!r}", "A newer version may know it; this one must not ignore it."
        )


def _check_sense(policy: Policy) -> None:
    """Refuses a policy that could not be used, or that gives an agent a person's role."""
    deciding = policy.agents & policy.reviewers
    if deciding:
        raise TrustPolicyError(f"{min(deciding)} is in roles.agent and roles.reviewer; agents may never decide")
    rooted = policy.agents & policy.root
    if rooted:
        raise TrustPolicyError(f"{min(rooted)} is in roles.agent and roles.root; agents may not change the policy")
    enrolled = {signer.principal for signer in policy.signers.values()}
    able = policy.root & enrolled
    if len(able) < policy.root_threshold:
        raise TrustPolicyError(
            f"roles.root asks for {policy.root_threshold} signatures, and {len(able)} of its people have a key",
            "Such a policy could never be changed again.",
        )
