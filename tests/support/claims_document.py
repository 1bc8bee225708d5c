"""Builds docs/claims.md: sentences, and what each of them yields when it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from handoff_tui.core.text.markdown_text import render_code
from handoff_tui.handoffs.grammar.author_words import sort_words
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.grammar.counts import find_first_run
from handoff_tui.handoffs.reading.markdown import parse_markdown
from tests.support.claim_sentences import CLAIMING, COUNTS, NOT_CLAIMING, WORDS

_HEADING: Final = """\
# What counts as a claim

`make golden` writes this page by reading each sentence; a test fails if it is stale.

A claim needs a claiming sentence: an entry of a list or table under a heading that says what happened to its entries,
a field such as `Added:`, or a sentence that asserts it. Plans, instructions, denials, quotations, examples, struck-out
and unticked entries, and mere mentions claim nothing. A word counts as a file only if it isn't a ref, a tag, an alias,
a package, a placeholder, a host or a generated path; a hex word counts as a commit only if the word or column before it
says so.

A claim is measured in the commits its document speaks about: after the previous handoff of its line of work (one format
in one folder of the root), up to the commit that last wrote its line of text; in a document that isn't committed, up to
now. `show` and the app say which commits these are. *Created* and *modified* are proven by what these commits changed.

| verdict | in JSON | means |
|---|---|---|
| holds | `holds` | true when it was written, and now |
| false | `contradicted` | false, or impossible, when it was written |
| was true | `was-true` | true when it was written; a later commit, which is named with its handoff, changed it |
| not measured | `unverified` | nothing here can tell, for example in a shallow clone |

*Was true* blocks nothing: scopes, not claims, tell whether approved content changed.

In the table, a word in angle brackets stands for a path, a commit or a branch.

"""
_COUNTS: Final = """
## Test numbers

Expected, wanted, earlier and example numbers aren't results; linter errors, HTTP codes and amounts of money aren't
tests. Several suites in a table or list are added up.
"""
_WORDS: Final = """
## What authors conclude

Status, decision, verdict, review and the like, in the head of a document, in front matter, a heading or a badge, are
shown as written and sorted. A bad one is never ready.
"""
_FILLED: Final = {
    **dict.fromkeys(("commit", "hex"), "1a2b3c4d"),
    "branch": "feature/x",
    "remote": "origin/x",
    "tag": "v1.2.0",
    "alias": "@/lib/x",
    "package": "@scope/x",
    "placeholder": "XXX_add.sql",
    "host": "api.example.com",
    "ignored": "dist/x.js",
    "command": "npm run x",
    "sha": "0a" * 32,
    "number": "7",
    "folder": "PKG-1",
    "in-folder": "x.py",
}


def build_claims_document() -> str:
    parts = [
        _HEADING + "## Sentences that claim\n",
        _build_table(one.text for one in CLAIMING),
        "\n## Sentences that claim nothing\n",
        _build_table(one.text for one in NOT_CLAIMING),
        _COUNTS,
        _build_counts(),
        _WORDS,
        _build_words(),
    ]
    return "\n".join(parts)


def _build_table(texts: Iterable[str]) -> str:
    rows = ["| sentence | yields |", "|---|---|"]
    rows += [f"| {_show(text)} | {_read(text)} |" for text in texts]
    return "\n".join(rows)


def _show(text: str) -> str:
    return render_code(" ⏎ ".join(line for line in text.split("\n") if line.strip()))


def _read(text: str) -> str:
    number = iter(range(1, 100))
    filled = re.sub(r"<([a-z-]+)>", lambda slot: _FILLED.get(slot[1]) or f"src/{slot[1]}{next(number)}.py", text)
    claims = find_claims(parse_markdown(f"# Handoff\n\n{filled}").sections, "HANDOFF.md")
    kinds = dict.fromkeys(claim.kind.value for claim in claims)
    return ", ".join(map(render_code, kinds)) or "nothing"


def _build_counts() -> str:
    rows = ["| sentence | yields |", "|---|---|"]
    for one in COUNTS:
        run = find_first_run(parse_markdown(f"## Tests\n\n{one.text}").sections)
        rows.append(f"| {_show(one.text)} | {run.words() if run else 'nothing'} |")
    return "\n".join(rows)


def _build_words() -> str:
    rows = ["| words | sort |", "|---|---|"]
    rows += [
        f"| {render_code(words)} | {sort_words(words).value} |" for words in dict.fromkeys(one.words for one in WORDS)
    ]
    return "\n".join(rows) + "\n"
