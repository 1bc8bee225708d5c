"""What a gate may ask for beyond a number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.errors import TrustPolicyError
from handoff_tui.log.policy.requirement import is_met, parse_requirement

ROLES = frozenset({"security", "dev", "root"})
MEMBERS = {"security": {"sue", "sam"}, "dev": {"dan", "dora", "sue"}, "root": {"rob"}}


@pytest.mark.parametrize(
    ("text", "people", "met"),
    [
        ("1 of security", {"sue"}, True),
        ("1 of security", {"dan"}, False),
        ("1 of security and 2 of dev", {"sam", "dan", "dora"}, True),
        ("1 of security and 2 of dev", {"sue", "dan"}, False),
        ("1 of security and 2 of dev", {"sue", "dan", "dora"}, True),
        ("1 of security and 1 of dev", {"sue"}, False),
        ("2 of security or 1 of root", {"rob"}, True),
        ("(1 of security or 1 of root) and 1 of dev", {"rob", "sue"}, True),
        ("1 of dev and 2 of dev", {"dan", "dora"}, True),
        ("1 of dev and (1 of root or 1 of security)", {"sue", "sam"}, True),
    ],
)
def test_requirement_is_met_by_people(text: str, people: set[str], met: bool) -> None:  # noqa: FBT001 - a table of cases
    """Each place is filled by one person of its role; a person with two roles fills one of them."""
    assert is_met(parse_requirement(text, ROLES), people, MEMBERS) is met


@pytest.mark.parametrize(
    "text",
    ["", "security", "0 of dev", "one of dev", "1 of", "1 of dev and", "1 of dev 2 of root", "(1 of dev", "1 of dev)",
     "1 of nobody", "1 of dev; 2 of root", " and ".join(["(1 of dev or 1 of root)"] * 40), "1 of dev " * 200,
     "(" * 30 + "1 of dev"],
)  # fmt: skip
def test_malformed_requirement_is_refused(text: str) -> None:
    """What cannot be read, names an unknown role or could be met in too many ways is refused at once."""
    with pytest.raises(TrustPolicyError):
        parse_requirement(text, ROLES)


def test_requirement_reads_as_it_was_written() -> None:
    """Its words can be shown and read again."""
    text = "(1 of security or 1 of root) and 2 of dev"
    assert str(parse_requirement(text, ROLES)) == text


@given(st.text(alphabet="12 ofandr()securitydev", max_size=80))
def test_requirement_never_fails_otherwise(text: str) -> None:
    """Any text is a requirement or a clear refusal."""
    try:
        found = parse_requirement(text, ROLES)
    except TrustPolicyError:
        return
    assert str(parse_requirement(str(found), ROLES)) == str(found)


@given(st.sets(st.sampled_from(["sue", "sam", "dan", "dora", "rob"])), st.sampled_from(["sue", "sam", "dan", "rob"]))
def test_more_people_never_meet_less(people: set[str], another: str) -> None:
    """Nobody's approval can close a gate that was open."""
    requirement = parse_requirement("1 of security and (2 of dev or 1 of root)", ROLES)
    assert is_met(requirement, people | {another}, MEMBERS) >= is_met(requirement, people, MEMBERS)
