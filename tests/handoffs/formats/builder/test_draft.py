"""One handoff in the making."""

from __future__ import annotations

from handoff_tui.config.settings.root import Builder
from handoff_tui.handoffs.formats.builder.draft import BuilderDraft, build_draft
from handoff_tui.handoffs.formats.builder.grouping import group_files
from handoff_tui.handoffs.handoff import DocumentRole, RegistryState
from handoff_tui.handoffs.reading.format import Source, SourceFile

_SPEC = "# BUILDER HANDOFF 7: Lamp\n\nBlocked-By: H-3\n\n## 1. Mission\n\nLight.\n\n## 2. Critical Constraints\n"
_RESULTS = "# Results: HANDOFF-7 — Lamp\n\n**Agent**: {agent}\n\n## Status: {status}\n\n## Files Created\n- `a.py`\n"


def _results(status: str, agent: str = "Ada") -> str:
    return _RESULTS.format(status=status, agent=agent)


def _prompt(*questions: str) -> str:
    asked = "\n".join(f"{number}. {question}" for number, question in enumerate(questions, start=1))
    return f"# Agent Prompt: H-7\n\nAnswer these questions, then STOP:\n\n{asked}\n"


def _draft(files: dict[str, str | None]) -> BuilderDraft:
    """The draft of one handoff; a file without text cannot be read."""
    sources = [
        Source(SourceFile(path, "", readable=False)) if text is None else Source.of_text(path, text)
        for path, text in files.items()
    ]
    [group], _ = group_files(sources)
    return build_draft(group, Builder())


def test_newest_results_speak_for_the_handoff() -> None:
    """Status, agent and claims are theirs; every agent that worked on it is a producer, once."""
    draft = _draft(
        {
            "H-7/H-7_RESULTS_ATTEMPT_1.md": _results("FAIL", "Bo"),
            "H-7/H-7_RESULTS_ATTEMPT_2.md": _results("PARTIAL"),
            "H-7/H-7_RESULTS_ATTEMPT_3.md": _results("PASS"),
        }
    )
    handoff = draft.handoff(RegistryState.COMPLETE)
    assert (handoff.status, handoff.source_agent, handoff.attempt) == ("PASS", "Ada", 3)
    assert handoff.producers == ("Bo", "Ada")
    assert {claim.where.path for claim in handoff.claims} == {"H-7/H-7_RESULTS_ATTEMPT_3.md"}
    assert [attempt.status for attempt in handoff.attempts] == ["FAIL", "PARTIAL", "PASS"]
    assert handoff.registry is RegistryState.COMPLETE


def test_handoff_without_results_says_nothing() -> None:
    """A spec alone has a title and what blocks it, and no status."""
    handoff = _draft({"BUILDER_HANDOFF_7_lamp.md": _SPEC}).handoff(None)
    assert (handoff.title, handoff.blocked_by) == ("Lamp", ("H-3",))
    assert (handoff.status, handoff.source_agent, handoff.attempt, handoff.attempts) == (None, None, 1, ())
    assert (handoff.registry, handoff.tests, handoff.created) == (None, None, None)


def test_title_may_come_from_the_results() -> None:
    """Without a spec, the first document that has one gives it, without the id."""
    assert _draft({"RESULTS_HANDOFF_7.md": _results("PASS")}).handoff(None).title == "Lamp"
    assert _draft({"RESULTS_HANDOFF_7.md": None}).handoff(None).title is None


def test_documents_are_in_the_order_of_the_work() -> None:
    """Spec, prompt, answers, results, review, evaluation; what they lack is theirs alone."""
    draft = _draft(
        {
            "H-7/H-7_EVALUATION_REPORT.md": "Final verdict: PASS\n",
            "H-7/H-7_REVIEW_REPORT.md": "Review verdict: PASS\n",
            "H-7/H-7_RESULTS.md": _results("PASS"),
            "H-7/H-7_13Q_ANSWERS.md": "# Answers\n\n1. Cotton.\n",
            "H-7/H-7_AGENT_PROMPT.md": _prompt("Wick?"),
            "H-7/H-7_BUILDER_HANDOFF.md": _SPEC,
        }
    )
    assert [document.role.value for document in draft.documents] == [
        "spec",
        "prompt",
        "answers",
        "results",
        "review",
        "evaluation",
    ]
    missing = {document.role: bool(document.missing) for document in draft.documents}
    assert [role for role, lacks in missing.items() if lacks] == [DocumentRole.SPEC, DocumentRole.RESULTS]


def test_empty_document_is_a_problem() -> None:
    """A file that says nothing is said to; one that cannot be read has its own problem."""
    empty, unread = (
        Source.of_text("RESULTS_HANDOFF_7.md", " \n"),
        Source(SourceFile("H-7/H-7_RESULTS.md", "", readable=False)),
    )
    [group], _ = group_files([empty, unread])
    draft = build_draft(group, Builder())
    assert [problem.message for problem in empty.problems()] == ["is empty"]
    assert unread.problems() == []
    assert len(draft.documents) == 2


def test_questions_are_those_of_the_newest_prompt() -> None:
    """An older prompt, one without questions, and the one inside the spec give way."""
    spec = _SPEC + "\n## 12. Agent Prompt\n\n```\nAnswer these questions:\n\n1. From the spec?\n\nSTOP.\n```\n"
    asked = {
        "H-7/H-7_BUILDER_HANDOFF.md": spec,
        "H-7/H-7_AGENT_PROMPT_ATTEMPT_1.md": _prompt("Old?"),
        "H-7/H-7_AGENT_PROMPT_ATTEMPT_2.md": _prompt("New?"),
    }
    silent = asked | {"H-7/H-7_AGENT_PROMPT_ATTEMPT_1.md": "# Agent Prompt: H-7\n\nA builder agent. STOP.\n"}
    for files in (asked, silent):
        assert [question.text for question in _draft(dict(files)).questions()] == ["New?"]
    alone = _draft({"H-7/H-7_BUILDER_HANDOFF.md": spec})
    assert [question.text for question in alone.questions()] == ["From the spec?"]


def test_answers_mark_the_questions() -> None:
    """Without answers nothing is known; with some, the others are unanswered."""
    files: dict[str, str | None] = {"H-7/H-7_AGENT_PROMPT.md": _prompt("Wick?", "Oil?")}
    assert [question.answered for question in _draft(files).questions()] == [None, None]
    files["H-7/H-7_13Q_ANSWERS.md"] = "# Answers\n\n2. Whale.\n"
    assert [question.answered for question in _draft(files).questions()] == [False, True]


def test_greenlight_is_given_by_a_person_or_not_known() -> None:
    """No gate, no answer; a gate without the word is shut."""
    prompt: dict[str, str | None] = {"H-7/H-7_AGENT_PROMPT.md": _prompt("Wick?")}
    assert _draft({"RESULTS_HANDOFF_7.md": _results("PASS")}).greenlit() is None
    assert _draft(prompt).greenlit() is False
    assert _draft({"H-7/H-7_13Q_ANSWERS.md": "# Answers\n\n1. Cotton.\n"}).greenlit() is False
    assert _draft(prompt | {"H-7/H-7_13Q_ANSWERS.md": "1. Cotton.\n\nGreenlight: YES by Ada\n"}).greenlit() is True


def test_standing_is_what_the_registry_is_derived_from() -> None:
    """Which documents there are, the newest status, and the newest verdict of each kind."""
    draft = _draft(
        {
            "H-7/H-7_AGENT_PROMPT.md": _prompt("Wick?"),
            "H-7/H-7_RESULTS.md": _results("PASS"),
            "H-7/H-7_REVIEW_REPORT_1.md": "Review verdict: FAIL\n",
            "H-7/H-7_REVIEW_REPORT_2.md": "Review verdict: PASS\n",
        }
    )
    standing = draft.standing(superseded=False)
    assert (standing.has_prompt, standing.has_results, standing.status) == (True, True, "PASS")
    assert (standing.review, standing.evaluation, standing.superseded) == ("PASS", None, False)
    assert draft.standing(superseded=True).superseded


def test_spec_that_says_another_id_is_reported() -> None:
    """The table of identity and the name of the file must agree."""
    table = "\n## Identity\n\n| Field | Value |\n|-|-|\n| Handoff ID | HANDOFF-8 |\n"
    source = Source.of_text("BUILDER_HANDOFF_7_lamp.md", _SPEC + table)
    [group], _ = group_files([source])
    build_draft(group, Builder())
    assert [problem.message for problem in source.problems()] == ["is named for H-7, but says it is H-8"]
