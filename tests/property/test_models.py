"""The common model loses nothing and accepts every id it builds."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from handoff_tui.core.restored import restore
from handoff_tui.handoffs.handoff import ID_PATTERN, Handoff, build_id
from handoff_tui.status.review_state import ReviewState, ShownHandoff
from handoff_tui.status.show_page import build_show_json
from handoff_tui.status.status_page import build_status_json
from tests.support.strategies import model_values

_any_text = st.text(st.characters(), max_size=200)
"""Surrogates too: a file name need not be valid UTF-8."""


@given(model_values(Handoff))
def test_handoff_survives_a_trip_through_json(handoff: Handoff) -> None:
    """Written out and read back it is the same value, and is written the same again."""
    written = handoff.model_dump_json()
    read = Handoff.model_validate_json(written)
    assert read == handoff
    assert read.model_dump_json() == written


@given(model_values(Handoff))
def test_sealed_handoff_is_restored_as_it_was(handoff: Handoff) -> None:
    """What we wrote ourselves is read back without validation, and is equal."""
    assert restore(Handoff, json.loads(json.dumps(handoff.model_dump(mode="json")))) == handoff


@given(model_values(ReviewState))
def test_state_of_any_content_can_be_printed_as_json(state: ReviewState) -> None:
    """The JSON of `status` holds every handoff and can be written in ASCII."""
    read = json.loads(json.dumps(build_status_json(state)))
    assert sorted(row["id"] for row in read["handoffs"]) == sorted(one.handoff.id for one in state.handoffs)


@given(model_values(ShownHandoff))
def test_shown_handoff_of_any_content_can_be_printed_as_json(shown: ShownHandoff) -> None:
    """The JSON of `show` holds every claim and can be written in ASCII."""
    read = json.loads(json.dumps(build_show_json(shown)))
    assert len(read["claims"]) == len(shown.verdicts)
    assert (read["id"], read["message"]) == (shown.reviewed.handoff.id, shown.reviewed.handoff.message)


@given(st.lists(_any_text, max_size=4))
@settings(max_examples=200)
def test_built_id_always_fits_the_grammar(parts: list[str]) -> None:
    """Whatever a file says, its handoff has an id that the log can name; building it again changes nothing."""
    built = build_id(*parts)
    assert re.fullmatch(ID_PATTERN, built)
    assert Handoff(id=built, dialect="x").id == build_id(built) == built


@given(_any_text)
def test_id_is_accepted_as_it_is_or_refused(text: str) -> None:
    """The model and the grammar agree on every text, trailing newlines included."""
    try:
        accepted = Handoff.model_validate({"id": text, "dialect": "x"}).id
    except ValidationError:
        assert not re.fullmatch(ID_PATTERN, text)
    else:
        assert accepted == text
        assert re.fullmatch(ID_PATTERN, text)
