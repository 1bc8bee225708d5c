"""What a session state names exists: commits, files, deployments, and the evidence of resolved blockers.

A commit stored inside the repository can never be the commit that stores it, so some lag is normal.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Findings, RuleFinding, high_rule, medium_rule
from handoff_tui.checks.rules.mosaic import session_state
from handoff_tui.checks.rules.mosaic.session_state import SessionState, StateFile, judge_agent_states
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment
from handoff_tui.core.tasks import Blocker
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.claims.blocking import may_block
from handoff_tui.handoffs.formats.mosaic import layout
from handoff_tui.handoffs.handoff import Handoff

_STATE_COMMIT = "head"
_FIELD = "last_commit"
_COMMIT_FIRST = compile_later(r"^\W*[0-9a-fA-F]{7,64}\b")
_NO_SUCH = "no such commit"
_ELSEWHERE = "on another line of history"
_MAY_BE_CUT_OFF = (_NO_SUCH, _ELSEWHERE)
_NAMED = {
    ClaimKind.FILE_REFERENCED: "names",
    ClaimKind.FILE_CREATED: "says it created",
    ClaimKind.FILE_MODIFIED: "says it modified",
}
_RESOLVED = "resolved"
_WORD = compile_later(r"[\w./@+~-]+")
_COMMIT = compile_later(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}")
_FILE = compile_later(r".*(?:/[^/]*[^/.]|[^/.]\.[A-Za-z]\w{0,9})")
_SURELY_A_FILE = compile_later(r".+/.+\.[A-Za-z]\w{0,9}")
"""`and/or` and `e.g` look like files too, but may be missing."""
_PROGRESS = "implementation_progress"
_PLAIN_WORD = compile_later(r"[^\W_]+")


@high_rule(
    holds="Every commit that the session state names is in the history of HEAD, and its own commit is near HEAD.",
    reads="commits named in state files and session documents, and the history",
    remedy="Write the commit that ends the work into the state. Correct or remove commits that don't exist.",
    commands=("git log --oneline -5",),
    moments=(CheckMoment.PRE,),
)
def claimed_commits_match_git(context: Context) -> Findings:
    claims = [
        claim
        for handoff in context.require_handoffs(session_state.DIALECT)
        for claim in handoff.claims
        if claim.kind is ClaimKind.COMMIT
    ]
    found = list(_judge_form(context))
    if not claims and not found:
        context.skip("the state names no commit")
    unseen: list[str] = []
    for (path, written), claim in _pick_claims(claims).items():
        problem = _judge_claim(context, claim, written)
        if problem is None:
            continue
        if problem.actual in _MAY_BE_CUT_OFF and context.facts().shallow:
            unseen.append(f"{written} in {path}")
        else:
            found.append(problem)
    if unseen and not found:
        context.undecidable(f"this clone is shallow, so its history does not show {', '.join(unseen[:3])}")
    yield from found


def _judge_form(context: Context) -> Findings:
    """Finds states that can't be read or name something that isn't a commit."""
    for state in session_state.find_states(context):
        file = session_state.read_state_file(context, state.path(layout.AGENT_STATE))
        yield from file.broken
        commit = file.members.get(_FIELD)
        if commit is not None and not (isinstance(commit, str) and _COMMIT_FIRST.match(commit)):
            message = f"{file.path} has a {_FIELD} that is not a commit id"
            yield RuleFinding(message, _FIELD, file.place(_FIELD), "a commit id", str(commit)[:40] or "empty")


def _pick_claims(claims: list[Claim]) -> dict[tuple[str, str], Claim]:
    """Picks one claim per commit and document, preferring the state's own commit."""
    picked: dict[tuple[str, str], Claim] = {}
    for claim in claims:
        key = (claim.where.path, str(claim.value).lower())
        if key not in picked or claim.subject == _STATE_COMMIT:
            picked[key] = claim
    return picked


def _judge_claim(context: Context, claim: Claim, written: str) -> RuleFinding | None:
    commit = context.commit(written)
    if commit is None:
        message = f"{claim.where.path} names commit {written}, which does not exist here"
        return _report_commit(claim, written, message, written, _NO_SUCH)
    if claim.subject == _STATE_COMMIT:
        return _judge_lag(context, claim, written, commit)
    if any(known.id == commit for known in context.commits()) or context.lag(commit) is not None:
        return None
    return _build_unrelated(claim, written)


def _judge_lag(context: Context, claim: Claim, written: str, commit: str) -> RuleFinding | None:
    lag = context.lag(commit)
    if lag is None:
        return _build_unrelated(claim, written)
    tolerated = context.settings.mosaic.commit_lag_tolerated
    counted = _count_work(context, commit, lag, tolerated)
    if counted <= tolerated:
        left_out = f", {lag - counted} of them of state files only" if lag > counted else ""
        context.note(f"HEAD is {_count(lag)} ahead of {written} in {claim.where.path}{left_out}")
        return None
    message = f"{claim.where.path} was written for commit {written}, and HEAD is {_count(lag)} ahead of it"
    return _report_commit(claim, written, message, f"at most {_count(tolerated)} of work", _count(lag))


def _count_work(context: Context, commit: str, lag: int, tolerated: int) -> int:
    """Counts the newer commits that touch more than state files, stopping once there are too many."""
    if lag <= tolerated or not context.settings.mosaic.state_only_commits_tolerated:
        return lag
    newer = _find_newer(context, commit)
    work = max(0, lag - len(newer))  # further back than was read: taken for work
    for known in newer:
        if work > tolerated:
            break
        work += not all(session_state.is_state_file(context, path) for path in context.commit_paths(known))
    return work


def _find_newer(context: Context, commit: str) -> list[str]:
    """Returns the commits of HEAD's history that aren't in a commit's, newest first."""
    parents = {known.id: known.parents for known in context.commits()}
    contained: set[str] = set()
    waiting = [commit]
    while waiting:
        current = waiting.pop()
        if current not in contained:
            contained.add(current)
            waiting.extend(parents.get(current, ()))
    return [known for known in parents if known not in contained]


def _build_unrelated(claim: Claim, written: str) -> RuleFinding:
    message = f"{claim.where.path} names commit {written}, which is not in the history of HEAD"
    return _report_commit(claim, written, message, written, _ELSEWHERE)


def _report_commit(claim: Claim, written: str, message: str, expected: str, actual: str) -> RuleFinding:
    command = None if actual == _NO_SUCH else f"git log --oneline {written}..HEAD"
    return RuleFinding(message, written, claim.where, expected, actual, command)


def _count(number: int) -> str:
    return f"{number} commit{'' if number == 1 else 's'}"


@high_rule(
    holds="Every file that a state file or handoff document names exists.",
    reads="files named in state files and handoff documents",
    remedy="Create or commit the named file, or correct the document that names it.",
    moments=(CheckMoment.PRE, CheckMoment.POST),
)
def referenced_files_exist(context: Context) -> Findings:
    handoffs = context.handoffs()
    claims = [(handoff, claim) for handoff in handoffs for claim in handoff.claims if claim.kind in _NAMED]
    broken = list(find_unreadable(context, {document.path for handoff in handoffs for document in handoff.documents}))
    if not claims and not broken:
        context.skip("no document under review names a file")
    yield from broken
    deleted = {
        claim.subject
        for handoff in context.every_handoff()
        for claim in handoff.claims
        if claim.kind is ClaimKind.FILE_DELETED
    }
    missing = _find_missing(context, handoffs)
    explained = [verdict for verdict in missing if verdict.claim.subject in deleted]
    if explained:
        context.note(f"{len(explained)} named files are said to have been deleted")
    for verdict in missing:
        claim = verdict.claim
        if claim.subject not in deleted:
            message = f"{claim.where.path} {_NAMED[claim.kind]} {claim.subject}: {verdict.evidence}"
            expected = f"{claim.subject} exists"
            yield RuleFinding(message, claim.subject or claim.text, claim.where, expected, "no such file")


def _find_missing(context: Context, handoffs: tuple[Handoff, ...]) -> list[Verdict]:
    """Returns, per document, the first claim about each file that wasn't there when it was written.

    Outside of sessions, whose standard demands it of every file, kinds that are only hints are left to `claims-hold`.
    """
    missing: dict[tuple[str, str | None], Verdict] = {}
    for handoff in handoffs:
        for verdict in context.verdicts(handoff.id):
            claim = verdict.claim
            is_false = verdict.state is VerdictState.CONTRADICTED and verdict.measured is None
            demanded = handoff.dialect == "mosaic" or may_block(claim.kind, claim.where.path)
            if claim.kind in _NAMED and is_false and demanded:
                missing.setdefault((claim.where.path, claim.subject), verdict)
    return list(missing.values())


@high_rule(
    holds="Every resolved blocker names a commit or a file as evidence.",
    reads="the blockers of all handoffs, and their evidence",
    remedy="Name the commit, test or document that shows the resolution, or reopen the blocker.",
    moments=(CheckMoment.PRE, CheckMoment.GATE),
)
def resolved_blockers_have_evidence(context: Context) -> Findings:
    broken: list[RuleFinding] = []
    fields: dict[tuple[str, str], str] = {}
    for state in session_state.find_states(context):
        file = session_state.read_state_file(context, state.path(layout.BLOCKERS))
        broken.extend(file.broken)
        fields.update(_list_evidence(context, file.path, file.members))
    resolved = [blocker for handoff in context.handoffs() for blocker in _list_resolved(handoff)]
    if not resolved and not broken:
        context.skip("no blocker is marked resolved")
    yield from broken
    for blocker in resolved:
        evidence = fields.get((blocker.where.path, blocker.id)) or blocker.evidence or ""
        found = _judge_evidence(context, blocker, evidence)
        if found is not None:
            yield found


def _list_resolved(handoff: Handoff) -> list[Blocker]:
    return [blocker for blocker in handoff.blockers if (blocker.status or "").strip().lower() == _RESOLVED]


def _list_evidence(context: Context, path: str, members: dict[str, object]) -> Iterator[tuple[tuple[str, str], str]]:
    """Yields the text of the evidence fields of each blocker, by path and id."""
    names = context.settings.mosaic.evidence_fields
    for member in members.values():
        for blocker in member if isinstance(member, list) else ():
            if isinstance(blocker, dict) and blocker.get("id") is not None:
                texts = (blocker[name] for name in names if isinstance(blocker.get(name), str))
                yield (path, str(blocker["id"])), " ".join(texts)


def _judge_evidence(context: Context, blocker: Blocker, evidence: str) -> RuleFinding | None:
    if not evidence.strip():
        return _report_blocker(blocker, "is marked as resolved without any evidence", "nothing")
    commits, files = _find_names(evidence)
    if any(map(context.commit, commits)) or any(context.find(file, blocker.where.path) for file in files):
        return None
    named = [*commits, *(file for file in files if _SURELY_A_FILE.fullmatch(file))]
    if named:
        return _report_blocker(blocker, f"has {named[0]} as evidence, which does not exist here", evidence)
    if context.settings.mosaic.evidence_names_proof:
        return _report_blocker(blocker, "is marked as resolved with words only", evidence)
    if not session_state.says_something(evidence):
        return _report_blocker(blocker, "has evidence that says nothing", evidence)
    return None


def _find_names(evidence: str) -> tuple[list[str], list[str]]:
    """Returns the words that look like commits, and those that look like files."""
    words = list(dict.fromkeys(word.rstrip(".,;:") for word in _WORD.findall(evidence)))
    commits = [word.lower() for word in words if _COMMIT.fullmatch(word.lower())]
    return commits, [word for word in words if _FILE.fullmatch(word)]


def _report_blocker(blocker: Blocker, what: str, actual: str) -> RuleFinding:
    message = f"blocker {blocker.id} ({blocker.title}) {what}"
    return RuleFinding(message, blocker.id, blocker.where, "a commit or a file that exists", actual[:80])


def _judge_state(context: Context, state: SessionState, file: StateFile) -> Findings:
    yield from _find_empty(context, file)
    yield from _judge_deployment(context, state, file)


def _find_empty(context: Context, file: StateFile) -> Findings:
    """Finds required fields that are absent or empty."""
    for name in context.settings.mosaic.required_fields:
        value = file.members.get(name)
        if value is None or value in ("", [], {}) or (isinstance(value, str) and not value.strip()):
            actual = "empty" if name in file.members else "absent"
            yield RuleFinding(f"{file.path} does not say its {name}", name, file.place(name), "a value", actual)


def _judge_deployment(context: Context, state: SessionState, file: StateFile) -> Findings:
    claims = [
        claim
        for claim in state.handoff.claims
        if claim.kind is ClaimKind.DEPLOYMENT and claim.where.path.startswith(f"{state.folder}/")
    ]
    undetermined = context.settings.mosaic.undetermined_words
    if any(_is_determined(claim, undetermined) for claim in claims):
        return
    if claims:
        said = str(claims[0].value)
        message = f"{claims[0].where.path} says {said!r} of the deployment, which does not tell what is live"
        yield RuleFinding(message, "deployment", claims[0].where, "the state of the deployment", said)
    else:
        message = f"{file.path} does not say whether anything is deployed"
        yield RuleFinding(
            message, "deployment", file.place(_PROGRESS), 'deployment_status, even if it is "none"', "nothing"
        )


def _is_determined(claim: Claim, undetermined: tuple[str, ...]) -> bool:
    words = [word.lower() for word in _PLAIN_WORD.findall(str(claim.value))]
    return bool(words) and words[0] not in undetermined


@medium_rule(
    holds="The state files say who worked last, how far the work is, and what is deployed.",
    reads="required fields of the agent state, and what it says about the deployment",
    remedy="Fill in the named field. Write the state of the deployment into implementation_progress.deployment_status.",
    moments=(CheckMoment.POST,),
)
def production_state_determinable(context: Context) -> Findings:
    return judge_agent_states(context, _judge_state)


@medium_rule(
    blocking=False,
    holds="Every deployment that is said to be live answers.",
    reads="what handoffs say about deployments, and their addresses if you allow network access",
    remedy="Bring the deployment up, or say in the state that it isn't live.",
    moments=(CheckMoment.PRE, CheckMoment.POST),
)
def deployment_answers(context: Context) -> Findings:
    claims = [claim for handoff in context.handoffs() for claim in handoff.claims if _says_live(context, claim)]
    if not claims:
        context.skip("no deployment is claimed to be live")
    asked: dict[str, Claim] = {}
    for claim in claims:
        if claim.subject is not None:
            asked.setdefault(_build_address(context, claim), claim)
    found = [_judge_answer(context, address, claim) for address, claim in asked.items()]
    if not asked:
        yield _build_unnamed(claims[0])
    yield from (finding for finding in found if finding is not None)


def _says_live(context: Context, claim: Claim) -> bool:
    """Returns whether the claimed state begins with a word that means reachable; "not live" doesn't."""
    if claim.kind is not ClaimKind.DEPLOYMENT:
        return False
    words = _PLAIN_WORD.findall(str(claim.value))
    return bool(words) and words[0].lower() in context.settings.mosaic.health.live_words


def _build_address(context: Context, claim: Claim) -> str:
    """Returns the claimed address with the health-check path; a page named in a document stays as it is."""
    address = (claim.subject or "").rstrip("/")
    names_a_page = not claim.where.path.endswith(".json") and urlsplit(address).path
    return address if names_a_page else address + context.settings.mosaic.health.path


def _judge_answer(context: Context, address: str, claim: Claim) -> RuleFinding | None:
    answer = context.answers(address)
    if answer is None:
        context.skip("asking the deployment needs network access; allow it with --network")
    expected = context.settings.mosaic.health.expected_status
    if answer == expected:
        return None
    said = f"{claim.where.path} says that {claim.subject} is {claim.value}"
    if isinstance(answer, int):
        return RuleFinding(f"{said}, but {address} answers {answer}", address, claim.where, str(expected), str(answer))
    return RuleFinding(f"{said}, but {address} does not answer: {answer}", address, claim.where, str(expected), answer)


def _build_unnamed(claim: Claim) -> RuleFinding:
    message = f"{claim.where.path} says that a deployment is {claim.value}, but gives no address to ask"
    return RuleFinding(message, "address", claim.where, "an address", "nothing")
