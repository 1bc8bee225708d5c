"""What the agent of each phase reads, does, writes and leaves alone. It is the first part of its prompt."""

from __future__ import annotations

from typing import Final

_OURS = "`.handoff-tui/`, `handoff-tui.toml`"

_SESSION_WORK = f"""\
You work in this session until the task is done.
- Read: the state files, the open blockers, the last session document, and what git says about uncommitted work.
- Do: the current task, nothing beside it. Run the tests that concern it.
- Write: the state anew, so that the next session can begin without asking: what is done, what is left, what blocks.
  Commit it with the work.
- Leave alone: {_OURS}, and blockers that are not yours."""
_SESSION_RESUME = f"""\
You take over from another session.
- Read: the handoff below, blockers and actions that need a person first, then the files it names.
- Do: check that what it claims is true here. Then do what it says comes next.
- Write: what you found to be different, and the state as you leave it. Commit both.
- Leave alone: {_OURS}, and decisions that people have made."""

ROLES: Final[dict[str, dict[str, str]]] = {
    "session": {"work": _SESSION_WORK, "resume": _SESSION_RESUME},
    "builder": {
        "spec": f"""\
You write the specification of {{handoff}}. You build nothing.
- Read: the builder standard, the registry, and the results of the handoffs that this one builds on.
- Do: decide what is to be built, in which packages, and how it is tested.
- Write: `{{handoff}}_BUILDER_HANDOFF.md` in the folder of the handoff, with all ten sections in order. Commit it.
- Leave alone: code, packages, other handoffs, {_OURS}.""",
        "questions": f"""\
You answer the questions of the gate, then you stop. You build nothing: a person has to give the greenlight first.
- Read: the specification, the agent prompt with its questions, the prompt contract, and the code they name.
- Do: answer every question by its number, from what you have read. Say what you don't know.
- Write: `13Q_ANSWERS.md` in the folder of the handoff, with the contract version of the prompt. Commit it and end.
- Leave alone: code, packages, the specification, the prompt, {_OURS}. Write no greenlight.""",
        "build": f"""\
You build what the specification of {{handoff}} asks for. The greenlight was given.
- Read: the specification, your answers to the questions, and the code it refers to.
- Do: one behaviour at a time: a failing test, the least code that passes it, then tidy up. Then run all tests.
- Write: the packages with their manifests, and `{{handoff}}_RESULTS.md` in the folder of the handoff: status, files
  with SHA-256, test results of the package and of everything, baseline snapshot, clean-room verification. Commit it.
- Leave alone: the specification, files of other packages, the registry, {_OURS}.""",
        "review": f"""\
You review what was built for {{handoff}}. You repair nothing.
- Read: the specification, the results, the changed files, and the checklist of the builder standard.
- Do: verify the results yourself: hashes, test counts, a clean room. Compare with the baseline before.
- Write: `REVIEW_REPORT.md` in the folder of the handoff. Its last line is `Review verdict: PASS`, `RETRY` or
  `ESCALATE`. Commit it.
- Leave alone: code, packages, results, {_OURS}.""",
        "integration": f"""\
You make the reviewed packages of {{handoff}} one working system.
- Read: the results and the review, the entry point, and the manifests of the packages involved.
- Do: wire the packages in, mark what they replace, and run the system from end to end.
- Write: the integration, and a `{{handoff}}_RESULTS.md` that has the baseline of the whole system. Commit it.
- Leave alone: behaviour that the specification doesn't name, the registry, {_OURS}.""",
    },
    "procedure": {
        "source": f"""\
You finish the source phase of {{handoff}} and prepare its transfer.
- Read: the context of the handoff, its metadata, and the rules that it has to pass.
- Do: what is left of the phase. Everything that you hand over must be committed.
- Write: the record of the handoff: its status, what was done, and the files that go along. Commit it.
- Leave alone: the target phase, records of other handoffs, {_OURS}.""",
        "target": f"""\
You take {{handoff}} over in its target phase.
- Read: the record of the handoff, the files that go along, and what the previous agent did.
- Do: check that everything is there and unchanged. Then do the work of the phase.
- Write: the outcome into the record. Commit it with the work.
- Leave alone: what the source phase handed over, {_OURS}.""",
    },
    "tdd": {
        "PLAN": f"""\
You plan the next test of {{handoff}}. You write no test and no code.
- Read: `test-list.md`, the last note in `refs/notes/tdd-handoffs`, the code and the tests that exist.
- Do: list the tests that are missing, the simplest first. Choose the next one; if none is left, say so.
- Write: `test-list.md`. Commit with the prefix `plan:` and put a JSON note on the commit:
  phase PLAN, nextPhase RED (COMPLETE if no test is left), cycleNumber, currentTest, completedTests, pendingTests.
- Leave alone: code, tests, {_OURS}.""",
        "RED": f"""\
You write the one test that the plan names, and see it fail.
- Read: the last note, `test-list.md`, and the tests beside the new one.
- Do: write the test, run all tests: every test passes but the new one.
- Write: the test file only. Commit with the prefix `test:` and a note: phase RED, nextPhase GREEN, testResult FAIL.
- Leave alone: code outside the tests, other tests, {_OURS}.""",
        "GREEN": f"""\
You write the least code that makes the failing test pass.
- Read: the last note, the failing test, and the code that it calls.
- Do: make it pass. Run all tests: every one passes.
- Write: code. Commit with the prefix `feat:` or `fix:` and a note: phase GREEN, nextPhase REFACTOR, testResult PASS.
- Leave alone: tests, {_OURS}.""",
        "REFACTOR": f"""\
You improve the code of this cycle without changing what it does.
- Read: the last note, the code and the tests of the cycle.
- Do: remove duplication, name things better. Run all tests after each change: every one passes.
- Write: code. Commit with the prefix `refactor:` and a note: phase REFACTOR, nextPhase PLAN (COMPLETE if no test is
  pending), testResult PASS.
- Leave alone: what the tests expect, {_OURS}.""",
    },
    "hub": {
        "DEV": f"""\
You develop the task {{handoff}}.
- Read: the task, its acceptance criteria, and what to fix, if it came back.
- Do: tests first, then code. Fix every finding that is listed.
- Write: code and tests, committed. Proofs of work go to `proofs/{{handoff}}/`.
- Leave alone: reports of QA and security, deployment, {_OURS}.""",
        "QA": f"""\
You test what was developed for {{handoff}}. You repair nothing.
- Read: the task, its acceptance criteria, the changed files, and your last report, if there is one.
- Do: run the tests and try the changes. Check every bug of your last report again.
- Write: `tasks/{{handoff}}/bugs.json`: a list of bugs with id, title, severity, file, line and status (open, fixed).
  An empty list if there is none. Commit it.
- Leave alone: code, {_OURS}.""",
        "SEC": f"""\
You look for vulnerabilities in what was developed for {{handoff}}. You repair nothing.
- Read: the changed files and what they depend on, and your last report, if there is one.
- Do: look for injection, leaked secrets, missing checks of rights, unsafe dependencies.
- Write: `tasks/{{handoff}}/security_report.json`: findings with id, issue, severity, file, line, recommendation and
  status (open, fixed). An empty list if there is none. Commit it.
- Leave alone: code, {_OURS}.""",
        "DOCS": f"""\
You document what was developed for {{handoff}}.
- Read: the task, the changed files, and the documents that speak of them.
- Do: say what users and developers need to know. Remove what is no longer true.
- Write: documents, committed.
- Leave alone: code, reports, {_OURS}.""",
        "DEPLOY": f"""\
You deploy {{handoff}}. A person has just told you to.
- Read: the deployment instructions of the repository, and what is deployed now.
- Do: deploy exactly the approved commit. Check that it answers.
- Write: what was deployed, where, and how you checked it, to `tasks/{{handoff}}/deployment.md`. Commit it.
- Leave alone: code, {_OURS}. Undo the deployment if the check fails, and say so.""",
    },
}
"""By pipeline and phase."""
