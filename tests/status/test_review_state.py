from __future__ import annotations

import pytest
from pydantic import ValidationError

from handoff_tui.core.model import SCHEMA_VERSION
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.status.review_state import ClaimCounts, Reviewer, ReviewState, ShownHandoff
from tests.support.reviewed import ROOT, build_reviewed, build_state


def test_state_carries_the_version_of_its_schema() -> None:
    """So that a stored one can be told from an older one."""
    assert build_state().schema_version == SCHEMA_VERSION


def test_state_of_equal_content_is_equal() -> None:
    """A front end can see that nothing changed."""
    assert build_state(build_reviewed()) == build_state(build_reviewed())
    assert build_state(build_reviewed()) != build_state()


def test_state_survives_a_trip_through_json() -> None:
    """Written out and read back it is the same value."""
    state = build_state(build_reviewed(blocking=("no results yet",)))
    assert ReviewState.model_validate_json(state.model_dump_json()) == state


def test_facts_that_git_did_not_give_are_absent() -> None:
    """No head, no branch and no distance are not zero or empty text."""
    facts = RepositoryFacts(root=ROOT)
    assert (facts.head, facts.branch, facts.upstream, facts.ahead, facts.behind) == (None,) * 5


def test_claims_are_counted_from_nothing() -> None:
    """A handoff without claims has none of any kind."""
    assert build_reviewed().claims == ClaimCounts(holds=0, contradicted=0, unverified=0)


def test_shown_handoff_needs_only_the_handoff() -> None:
    """Nobody is known to look, nothing was measured, no commit touched it."""
    shown = ShownHandoff(reviewed=build_reviewed())
    assert (shown.reviewer, shown.verdicts, shown.history, shown.problems) == (None, (), (), ())


def test_reviewer_without_a_judgement_is_refused() -> None:
    """Whether the reviewer produced the work is always said."""
    with pytest.raises(ValidationError, match="produced_this"):
        Reviewer.model_validate({"name": "Ada", "email": None})
