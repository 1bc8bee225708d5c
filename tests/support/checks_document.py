"""Builds docs/checks.md from the table of rules."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.checks.engine import RuleOverride, is_blocking
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.report import RuleInfo
from handoff_tui.core.text.markdown_text import render_code, render_markdown
from handoff_tui.handoffs.claims.blocking import MEASURED

_COLUMNS = ("id", "system", "severity", "blocks", "when", "reads", "holds when it passes", "remedy")
_HEADING = """\
# The checks

`make golden` writes this page from the table of rules; a test fails if it is stale.

`handoff-tui check` runs all checks, `--pre` those for an agent that is about to hand over, `--post` those for the agent
that takes over, and `--gate PHASE` those at a gate. It exits with 0 if nothing blocks, and with 1 otherwise. Outcome,
severity and blocking are separate: a failure that doesn't block is a warning and is counted separately; error, timeout,
unknown and skipped block like a failure. Checks that don't apply are not counted.

A rule reads only through its context, which records every file, missing file and git fact it asked for. The digest of
this record identifies the inputs: while it stays the same, the earlier result is used again and marked `cached`.
`--fresh` ignores earlier results. A rule that runs again says what changed.

Set severity, blocking and whether a rule runs by its id in the configuration (`[checks.<id>]`). Thresholds have their
own sections. You can add commands (`run = [...]`, read as an exit code, JUnit or TAP) and Python functions
(`python = "module:function"`, from your own configuration only, never from the repository under review). Commands that
a repository configures run only with your consent: `handoff-tui check --list` prints their digest, and
`handoff-tui check --trust DIGEST` gives consent. A changed command or script has another digest. In the app,
`ctrl+p` and "consent to commands" shows every command and asks.

A command runs isolated from you: in a clean checkout of the reviewed work (committed and uncommitted, without what git
ignores and without `.handoff-tui/`), with a home, caches and temporary files of its own, without your agents' sockets,
and nothing it starts outlives it. With bubblewrap (`bwrap`, Linux) the kernel shuts it in as well: it can't see your
home, your keys and your processes, can't write to the repository, and has no network; without it, `handoff-tui doctor`
and the command's output say so. It finds the toolchains and packages that rustup, Go and Cargo keep in your home. A
command that needs more names it in `access`: `network`, `home` (yours, with the sockets), `docker`, `database`, or a
path with a slash (`node_modules/`, `.venv/`, `~/.m2/:write`; read-only unless it ends with `:write`). In your own file,
naming it grants it. A repository's file only asks, and
`handoff-tui check --trust DIGEST --grant node_modules/` grants it, once.

The rules for procedures also have numbers, VR001 to VR008: `handoff-tui check --only VR003` runs one of them.
`[procedures.rules.VR003]` declares its severity, unless `[checks.<id>]` sets another. A repository that lowers a
severity weakens its checks, and `check-configuration-unchanged` reports that.

"""


_PRECISION = """\

## What a false claim counts for

A claim is false only if it was false, or impossible, in the commits its document speaks about; see
[claims.md](claims.md). A kind of claim blocks only if at least 90 % of what was found was right in each of three
sources: documents of public repositories, read by eye ("read": how many of the claims found are really claims);
documents of known truth, which the tests write ("generated": the share of the verdicts "false" that are right); and
samples by people who had not read the grammar, each measured at the first look, before anything was changed for it
("blind", pooled over all samples with a number for the kind; at least 20 claims). Of those that were called false
there, 90 % must have been false as well ("blind, false": the last three samples, since the earlier ones have no number
for each kind; at least 10 verdicts). Tests hold the second number above 95 %, and the share of claims found in these
documents above 90 %. A kind that is below a limit is a hint: it is shown, and never blocks. The mistakes in the blind
samples came from sentences, headings and tables. A field of a JSON or YAML file, such as `files_modified`, is judged by
the first two numbers alone. Nothing was run in the samples, so no number of tests could be called false there.

The first two numbers come from documents that were used to improve the grammar. This is what to expect of a document
that it has never seen:

| blind sample | recognised | found | verdicts "false" that were right | false claims called false |
|---|---|---|---|---|
| 147 passages, earlier grammar | 93 % | 64 % | 31 of 33 | 31 of 61 |
| 200 items in ten documents | 88 % | 72 % | 21 of 26 | 21 of 32 |
| 215 items | 85 % | 69 % | 27 of 36 | 75 % |
| 215 items | 97 % | 87 % | 30 of 30 | 91 % |
| 482 items in 16 repositories | 91 % | 56 % | 50 of 59 | 50 of 114 |
| 440 items in 56 documents | 97 % | 77 % | 98 of 105 | 98 of 140 |
| 421 items in 51 documents, unusual on purpose | 98 % | 62 % | 80 of 85 | 80 of 132 |
| 555 items in 49 documents | 95 % | 79 % | 121 of 133 | 121 of 162 |

After the first look at each of the last three samples, what had caused the mistakes was fixed, in the last one only the
false alarms; each was looked at only after that had been done for the one before. On these three, which are no longer
blind, the numbers are now 100 %, 99 %, 129 of 129 and 129 of 140; 100 %, 97 %, 116 of 116 and 116 of 132; and 99 %, 81
%, 126 of 126 and 126 of 162. Some of the false claims that are still missed can't be recognised as false in a clone: a
branch that isn't there may have been deleted since, and what was uncommitted may have been dropped.

A claim that isn't recognised is not judged, so silence proves nothing. If a claim is judged wrongly, an override lets
the work go on; please report it.

| kind | read | generated | blind | blind, false | a false one |
|---|---|---|---|---|---|
"""


_EFFECT = {True: "blocks", False: "is a hint"}


def build_precision_table() -> str:
    rows = [
        f"| `{kind.value}` | {one.right} of {one.read} | {_show(one.generated)} | "
        f"{_show_looks(one.blind)} | {_show_looks(one.blind_false)} | {_EFFECT[one.may_block()]} |"
        for kind, one in MEASURED.items()
    ]
    return _PRECISION + "\n".join(rows) + "\n"


def _show(share: float | None) -> str:
    return "not measured" if share is None else f"{share:.0%}"


def _show_looks(looks: tuple[int, int] | None) -> str:
    return "not measured" if looks is None else f"{looks[0]} of {looks[1]}"


def build_checks_document() -> str:
    rules = [
        RuleInfo(
            id=rule.id,
            system=rule.system.value,
            severity=rule.severity,
            blocking=is_blocking(rule, RuleOverride()),
            holds=rule.holds,
            reads=rule.reads,
            remedy=rule.remedy,
            moments=tuple(moment.value for moment in rule.moments),
        )
        for rule in RULES
    ]
    number = f"{len(rules)} built-in rules. `session-gate-passes` runs the script of the session gate as a command."
    return f"{_HEADING}{number}\n\n{build_rule_table(rules)}\n{build_precision_table()}"


def build_rule_table(rules: Sequence[RuleInfo]) -> str:
    """Builds a Markdown table."""
    head = ["| " + " | ".join(_COLUMNS) + " |", "|" + "---|" * len(_COLUMNS)]
    return "\n".join([*head, *(_render_rule(rule) for rule in rules)])


def _render_rule(rule: RuleInfo) -> str:
    cells = (
        render_code(rule.id),
        render_markdown(rule.system),
        rule.severity.value,
        "yes" if rule.blocking else "no",
        render_markdown(", ".join(rule.moments)) or "–",
        render_markdown(rule.reads),
        render_markdown(rule.holds),
        render_markdown(rule.remedy),
    )
    return "| " + " | ".join(cells) + " |"
