from __future__ import annotations

from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft


def _claim(line: int, value: str) -> Claim:
    return Claim(kind=ClaimKind.COMMIT, text="commit", where=Place(path="a.json", line=line), value=value)


def test_draft_keeps_each_claim_once_per_place() -> None:
    """The same claim at the same place counts once; at another place it is another claim."""
    draft = HandoffDraft(id="x", dialect="d")
    draft.add_claims([_claim(1, "abc1234"), _claim(1, "abc1234"), _claim(2, "abc1234")])
    draft.add_claims([_claim(2, "abc1234"), _claim(2, "def5678")])
    assert [(claim.where.line, claim.value) for claim in draft.build().claims] == [
        (1, "abc1234"),
        (2, "abc1234"),
        (2, "def5678"),
    ]


def test_draft_leaves_out_facts_without_value_and_repeated_producers() -> None:
    """An empty value is no fact, and an agent is named once."""
    draft = HandoffDraft(id="x", dialect="d")
    draft.add_fact("goal", None)
    draft.add_fact("goal", "")
    draft.add_fact("goal", "ship")
    draft.add_producer("robin")
    draft.add_producer(None)
    draft.add_producer("robin")
    built = draft.build()
    assert [(fact.name, fact.value) for fact in built.facts] == [("goal", "ship")]
    assert built.producers == ("robin",)
