from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from handoff_tui.core.errors import FileUnreadableError, LogBrokenError, PolicyForbiddenError, ProposalError
from handoff_tui.log.entries import canonical
from handoff_tui.log.entry import LogProblem, LogVerdict, ProblemLevel
from handoff_tui.log.proposals.judged_proposal import (
    build_report,
    find_sealed,
    find_stale,
    place_proposal,
    read_policy_state,
    read_proposals,
    refuse_senseless,
)
from handoff_tui.log.proposals.proposal import Proposal, build_proposal, parse_proposal

if TYPE_CHECKING:
    from tests.support.signed import Circle


@pytest.fixture
def proposal(circle: Circle) -> Proposal:
    """ada wants to add an agent."""
    ada = circle.person("ada")
    circle.begin(ada)
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("claude")))
    return parse_proposal(file.read_bytes())


def change(proposal: Proposal, **predicate: Any) -> Proposal:  # noqa: ANN401 - any field of the predicate
    """The same with other fields, as another program may have made it."""
    value = json.loads(proposal.payload)
    value["predicate"] |= predicate
    return build_proposal(canonical.encode(value))


def test_place_of_a_proposal_is_found(circle: Circle, proposal: Proposal) -> None:
    """What it succeeds, who decides, and that it is neither stale nor sealed."""
    standing = read_policy_state(circle.verify())
    placed = place_proposal(standing, proposal)
    assert placed.before.keys() == standing.tips
    assert set(placed.counting.values()) == {"ada@example.org"}
    assert placed.dropped == frozenset()
    assert (find_stale(standing, placed), find_sealed(standing, proposal)) == (None, None)
    assert build_report("file", standing, placed).tallies[0].missing == 1


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"log": "sha256:" + "0" * 64}, ProposalError, "another log"),
        ({"parents": ["sha256:" + "0" * 64]}, ProposalError, "is not here"),
        ({"seq": 3}, ProposalError, "number or time"),
        ({"time": "2020-01-01T00:00:00Z"}, ProposalError, "number or time"),
        ({"previous": "sha256:" + "0" * 64}, PolicyForbiddenError, "even if everybody signed"),
        ({"version": 3}, ProposalError, "cannot be used"),
    ],
)
def test_proposal_that_would_be_refused_is_not_signed(
    circle: Circle, proposal: Proposal, fields: dict[str, Any], error: type[Exception], words: str
) -> None:
    """However many sign it: verification would not accept it."""
    with pytest.raises(error, match=words):
        place_proposal(read_policy_state(circle.verify()), change(proposal, **fields))


def test_senseless_proposal_of_others_is_refused_too(circle: Circle, proposal: Proposal) -> None:
    """It may come from a program that does not look."""
    text = proposal.text.policy_toml.replace("own\nthreshold = 1", "own\nthreshold = 9")
    value = json.loads(proposal.payload)
    value["predicate"]["files"]["policy.toml"] = text
    import hashlib  # noqa: PLC0415

    value["subject"][1]["digest"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    placed = place_proposal(read_policy_state(circle.verify()), build_proposal(canonical.encode(value)))
    with pytest.raises(PolicyForbiddenError, match="could never open"):
        refuse_senseless(placed)


def test_broken_log_has_no_place_for_a_policy() -> None:
    """Any fatal fault but a fork, which a policy settles."""
    problem = LogProblem(level=ProblemLevel.FATAL, code="rollback", text="an entry is gone")
    with pytest.raises(LogBrokenError, match="an entry is gone"):
        read_policy_state(LogVerdict(problems=(problem,)))


def test_files_are_read_with_their_names(tmp_path: Path) -> None:
    """What is wrong is told with the file it is wrong in."""
    with pytest.raises(FileUnreadableError, match="gone"):
        read_proposals([tmp_path / "gone"])
    (tmp_path / "file").write_text(base64.b64encode(b"nothing").decode())
    with pytest.raises(ProposalError, match="file: it is not a policy proposal"):
        read_proposals([tmp_path / "file"])
