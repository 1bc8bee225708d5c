from __future__ import annotations

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with

_DOCUMENT = """\
# Session handoff, third of February

**Agent:** Robin (night shift)
**Status:** COMPLETE, all moored

## Files created

1. **`src/anchor.py`** (90 lines)
   - drops `docs/chain.md`
2. **Updated `src/rope.py`**

## Files removed

| File | Why |
|------|-----|
| `src/sail.py` | torn |

## State

- Commit: `aaa1111` (night)
- Harbour: https://harbour.example/app is LIVE
- 14 passed, 2 skipped

```
Check run: 3/3 tests passed
see `src/not_a_reference.py`
```
"""


def _read() -> Handoff:
    return read_with(MOSAIC, MemoryFiles({".mosaic/SESSION_HANDOFF_2031-02-03.md": _DOCUMENT})).handoffs[0]


def _claims(kind: ClaimKind) -> list[tuple[str | None, object, int | None]]:
    return [(claim.subject, claim.value, claim.where.line) for claim in _read().claims if claim.kind is kind]


def test_session_document_claims_files_by_heading_and_verb() -> None:
    """The heading says what happened to the files below it, unless an item says otherwise."""
    assert _claims(ClaimKind.FILE_CREATED) == [("src/anchor.py", None, 8)]
    assert _claims(ClaimKind.FILE_MODIFIED) == [("src/rope.py", None, 10)]
    assert _claims(ClaimKind.FILE_DELETED) == [("src/sail.py", None, 16)]


def test_session_document_claims_commit_deployment_and_counts() -> None:
    """Commits, a live address and test numbers, also those in pasted output."""
    assert _claims(ClaimKind.COMMIT) == [(None, "aaa1111", 20)]
    assert _claims(ClaimKind.DEPLOYMENT) == [("https://harbour.example/app", "live", 21)]
    assert _claims(ClaimKind.COUNT) == [
        ("session.passed", 14, 22),
        ("session.skipped", 2, 22),
        ("session.total", 3, 25),
        ("session.passed", 3, 25),
    ]


def test_session_document_references_files_outside_code() -> None:
    """Paths in prose are references; pasted output names none."""
    subjects = [subject for subject, _, _ in _claims(ClaimKind.FILE_REFERENCED)]
    assert subjects == ["src/anchor.py", "docs/chain.md", "src/rope.py", "src/sail.py"]


def test_session_document_tells_agent_and_status() -> None:
    """The fields at its head are facts; a status token is a claim; the agent did the work."""
    handoff = _read()
    facts = {(fact.name, fact.value) for fact in handoff.facts}
    assert ("session document agent", "Robin (night shift)") in facts
    assert _claims(ClaimKind.STATUS) == [(None, "COMPLETE", 4)]
    assert handoff.producers == ("Robin (night shift)",)
