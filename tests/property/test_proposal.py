"""Laws of proposals and of the texts of a policy."""

from __future__ import annotations

import contextlib
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.errors import HandoffError, ProposalError
from handoff_tui.log.entries import canonical
from handoff_tui.log.policy.proposal import build_proposal, parse_proposal, render_proposal
from handoff_tui.log.policy.signers import build_line, parse_allowed_signers
from handoff_tui.log.policy.texts import PolicyTexts, add_signer, drop_key, read_principals, set_principals, set_version
from tests.support.log_keys import build_statement
from tests.support.logs import build_key, build_policy_toml, build_signers, find_keyid

FILE = render_proposal(build_proposal(canonical.encode(build_statement("policy"))))
NAMES = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8)


@given(place=st.integers(0, len(FILE) - 1), byte=st.integers(0, 255))
def test_changed_byte_never_gives_another_error(place: int, byte: int) -> None:
    """A proposal with one byte changed is refused, or is a proposal that is written the same way again."""
    content = FILE[:place] + bytes([byte]) + FILE[place + 1 :]
    with contextlib.suppress(ProposalError):
        proposal = parse_proposal(content)
        assert parse_proposal(render_proposal(proposal)) == proposal


@given(content=st.binary(max_size=200))
def test_any_bytes_are_refused_in_words(content: bytes) -> None:
    """Nothing but a refusal."""
    with contextlib.suppress(ProposalError):
        parse_proposal(content)


@given(names=st.lists(NAMES, unique=True, max_size=5), version=st.integers(1, 10**6), noise=st.text(max_size=20))
def test_changes_to_texts_change_nothing_else(names: list[str], version: int, noise: str) -> None:
    """Whatever stands in comments: the list is the one that was asked for, and all other settings are as they were."""
    comment = "".join(character for character in noise if character.isprintable())
    before = PolicyTexts("", f"# {comment}\n" + build_policy_toml())
    after = set_version(set_principals(before, "agent", names), version)
    expected = tomllib.loads(before.policy_toml)
    expected["version"] = version
    expected["roles"]["agent"]["principals"] = names
    assert tomllib.loads(after.policy_toml) == expected
    assert read_principals(after, "agent") == names


@given(toml=st.text(max_size=80))
def test_any_text_is_changed_or_refused(toml: str) -> None:
    """What people wrote may be anything; no other error comes of it."""
    with contextlib.suppress(HandoffError):
        set_version(PolicyTexts("", toml), 2)
    with contextlib.suppress(HandoffError):
        set_principals(PolicyTexts("", toml), "root", ["a"])


@given(name=NAMES)
def test_added_key_can_be_dropped_again(name: str) -> None:
    """And then the people are those of before."""
    before = PolicyTexts(build_signers("alice", "bob"), build_policy_toml())
    added = add_signer(before, build_line(f"x{name}", build_key(name)), ("reviewer",))
    after = drop_key(added, find_keyid(name))
    assert parse_allowed_signers(after.allowed_signers) == parse_allowed_signers(before.allowed_signers)
    assert tomllib.loads(after.policy_toml) == tomllib.loads(before.policy_toml)
