"""Every resolved blocker names evidence that can be checked: a commit or a file that exists."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.checks.rules.mosaic.session_state import BLOCKERS, find_states, read_state_file, says_something
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import Blocker
from handoff_tui.handoffs.handoff import Handoff

_RESOLVED = "resolved"
_WORD = compile_later(r"[\w./@+~-]+")
_COMMIT = compile_later(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}")
_FILE = compile_later(r".*(?:/[^/]*[^/.]|[^/.]\.[A-Za-z]\w{0,9})")
_SURELY_A_FILE = compile_later(r".+/.+\.[A-Za-z]\w{0,9}")
"""`and/or` and `e.g` look like files too, but may be missing."""


def judge(context: Context) -> Iterator[RuleFinding]:
    broken: list[RuleFinding] = []
    fields: dict[tuple[str, str], str] = {}
    for state in find_states(context):
        file = read_state_file(context, state.path(BLOCKERS))
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
        return _build_found(blocker, "is marked as resolved without any evidence", "nothing")
    commits, files = _find_names(evidence)
    if any(map(context.commit, commits)) or any(context.find(file, blocker.where.path) for file in files):
        return None
    named = [*commits, *(file for file in files if _SURELY_A_FILE.fullmatch(file))]
    if named:
        return _build_found(blocker, f"has {named[0]} as evidence, which does not exist here", evidence)
    if context.settings.mosaic.evidence_names_proof:
        return _build_found(blocker, "is marked as resolved with words only", evidence)
    if not says_something(evidence):
        return _build_found(blocker, "has evidence that says nothing", evidence)
    return None


def _find_names(evidence: str) -> tuple[list[str], list[str]]:
    """Returns the words that look like commits, and those that look like files."""
    words = list(dict.fromkeys(word.rstrip(".,;:") for word in _WORD.findall(evidence)))
    commits = [word.lower() for word in words if _COMMIT.fullmatch(word.lower())]
    return commits, [word for word in words if _FILE.fullmatch(word)]


def _build_found(blocker: Blocker, what: str, actual: str) -> RuleFinding:
    message = f"blocker {blocker.id} ({blocker.title}) {what}"
    return RuleFinding(message, blocker.id, blocker.where, "a commit or a file that exists", actual[:80])


RESOLVED_BLOCKERS_HAVE_EVIDENCE = Rule(
    id="resolved-blockers-have-evidence",
    system=System.MOSAIC,
    severity=Severity.HIGH,
    holds="Every resolved blocker names a commit or a file as evidence.",
    reads="the blockers of all handoffs, and their evidence",
    remedy="Name the commit, test or document that shows the resolution, or reopen the blocker.",
    judge=judge,
    moments=(Moment.PRE,),
)
