"""The text of our hooks: rendered here, and recognised again.

The second line has a digest of everything below it, so that a changed hook isn't taken for ours.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from typing import NamedTuple

from handoff_tui.checks.hooks.hook import HookName
from handoff_tui.core.lazy_pattern import compile_later

FORM = 2
"""Increased when a hook does something else."""
EARLIER_SUFFIX = ".before-handoff-tui"
CALL = "-m handoff_tui check --pre --fresh"

_LEFT_OUT = {
    HookName.PRE_COMMIT: ("nothing-unpushed", "changes-are-documented"),
    HookName.PRE_PUSH: ("nothing-unpushed",),
}
"""Checks that would block the very commit or push that fixes them."""

_HEADER = compile_later(rb"#!/bin/sh\n# handoff-tui hook (\d+) ([a-z-]+) sha256:([0-9a-f]{64})\n")
_MARK = b"# handoff-tui hook "
_VERSION = compile_later(rb"^# Written by handoff-tui ([^ \n]+):", re.MULTILINE)
_PYTHON = compile_later(rb"^python=(.+)$", re.MULTILINE)

# The body is for any POSIX shell. What is not obvious in it:
# - the earlier hook is found by its folder, not by "$0": a hook manager may have moved ours aside and call it there;
#   such a manager may itself be the earlier hook, and HANDOFF_TUI_CHAINED ends that circle;
# - husky up to version 4 asks $0 which hook it is, so it is run under its old name;
# - `-E -P` keep modules planted at the root of the repository from being imported in place of ours.
_BODY = """\
# Written by handoff-tui {version}: `handoff-tui hooks uninstall` takes it away, and puts back what was here before.
# Runs the earlier hook, if there was one, then the checks; only when both agree does git go on.
python={python}
here=$(CDPATH='' cd -- "${{0%/*}}" && pwd -P) || exit 1
earlier=$here/{name}{suffix}
{take}
run_earlier() {{
    line=
    {{ read -r line; read -r line; }} <"$earlier"
    case $line in
    '# husky'*) sh -c '. "$HANDOFF_TUI_CHAINED{suffix}"' "$here/{name}" "$@" ;;
    *) "$earlier" "$@" ;;
    esac
}}

if [ -f "$earlier" ] && [ -x "$earlier" ] && [ "$HANDOFF_TUI_CHAINED" != "$here/{name}" ]; then
    {feed}(HANDOFF_TUI_CHAINED=$here/{name}; export HANDOFF_TUI_CHAINED; run_earlier "$@") || exit
fi
if [ -x "$python" ]; then
    {feed}"$python" -E -P {call}{left_out} && exit 0
    code=$?
    "$python" -E -P -c 'import handoff_tui' 2>/dev/null && exit "$code"
fi
program=$(command -v handoff-tui)
case $program in
/*) {feed}"$program" check --pre --fresh{left_out}; exit ;;
esac
printf '%s\\n' "handoff-tui: the {name} hook finds handoff-tui neither at $python nor on PATH: nothing was checked." \\
    "  hint: install it and run handoff-tui hooks install again, or delete $here/{name}" >&2
exit 1
"""
_TAKE = """\
# git names what is pushed on standard input; the earlier hook and the checks both get to read it.
given=$(cat; printf x)
given=${given%x}
give() { printf '%s' "$given" 2>/dev/null; }
"""


class HookScript(NamedTuple):
    """What one of our hooks says about itself."""

    form: int
    name: str
    python: str | None
    version: str | None
    unchanged: bool


def render_hook(name: HookName, python: str, version: str) -> bytes:
    """Renders the file of a hook."""
    reads = name is HookName.PRE_PUSH
    body = _BODY.format(
        version=version,
        python=shlex.quote(python),
        name=name.value,
        suffix=EARLIER_SUFFIX,
        call=CALL,
        left_out="".join(f" --except {rule}" for rule in _LEFT_OUT[name]),
        take=_TAKE if reads else "",
        feed="give | " if reads else "",
    )
    content = os.fsencode(body)
    digest = hashlib.sha256(content).hexdigest()
    return f"#!/bin/sh\n# handoff-tui hook {FORM} {name.value} sha256:{digest}\n".encode() + content


def parse_hook(content: bytes) -> HookScript | None:
    """Parses one of our hooks, also a changed one; None if it isn't ours."""
    header = _HEADER.match(content)
    if header is None:
        return HookScript(0, "", None, None, unchanged=False) if _MARK in content else None
    rest = content[header.end() :]
    version = _VERSION.search(rest)
    return HookScript(
        form=int(header[1]),
        name=header[2].decode(),
        python=_parse_python(rest),
        version=os.fsdecode(version[1]) if version else None,
        unchanged=hashlib.sha256(rest).hexdigest().encode() == header[3],
    )


def _parse_python(body: bytes) -> str | None:
    said = _PYTHON.search(body)
    try:
        words = shlex.split(os.fsdecode(said[1])) if said else []
    except ValueError:
        return None
    return words[0] if len(words) == 1 else None
