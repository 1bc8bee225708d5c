"""`completion SHELL`: prints a completion script, generated from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.output import write_text

EXAMPLES = """\
examples:
  handoff-tui completion bash > ~/.local/share/bash-completion/completions/handoff-tui
  handoff-tui completion zsh  > "${fpath[1]}/_handoff-tui"
  handoff-tui completion fish > ~/.config/fish/completions/handoff-tui.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell to complete for")


def run(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.cli.main import build_parser  # noqa: PLC0415 - main loads this module

    words = {call: list(_words(parser)) for call, parser in _calls(build_parser())}
    write_text({"bash": _render_bash, "zsh": _render_zsh, "fish": _render_fish}[arguments.shell](words))
    return ExitCode.OK


def _calls(parser: argparse.ArgumentParser, before: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yields every verb and sub-verb with its parser: `config`, `config show`."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list its verbs
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for verb, child in action.choices.items():
                yield f"{before}{verb}", child
                yield from _calls(child, f"{before}{verb} ")


def _words(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yields the long options of a verb, its choices and its sub-verbs."""
    for action in parser._actions:  # noqa: SLF001
        yield from (option for option in action.option_strings if option.startswith("--"))
        if action.choices and not action.option_strings:
            yield from (str(choice) for choice in action.choices)


def _list_verbs(words: dict[str, list[str]]) -> str:
    return " ".join(call for call in words if " " not in call)


def _render_bash(words: dict[str, list[str]]) -> str:
    cases = "\n".join(
        f"    '{' '.join(['', *call.split()][-2:])}') call='{call.split()[-1]}' words='{' '.join(found)}' ;;"
        for call, found in words.items()
    )
    return f"""\
_handoff_tui() {{
  local words='{_list_verbs(words)} --repo --version --help' call='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do case "$call $word" in
{cases}
  esac; done
  if [[ ${{COMP_WORDS[COMP_CWORD-1]}} == --repo || ${{COMP_WORDS[COMP_CWORD-1]}} == --dir ]]; then
    COMPREPLY=($(compgen -d -- "${{COMP_WORDS[COMP_CWORD]}}"))
  else
    COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
  fi
}}
complete -o default -F _handoff_tui handoff-tui"""


def _render_zsh(words: dict[str, list[str]]) -> str:
    longest_first = sorted(words.items(), key=lambda pair: -pair[0].count(" "))
    cases = "\n".join(
        f"    '{call}'{'' if ' ' in call else '*'}) compadd -- {' '.join(found)} ;;" for call, found in longest_first
    )
    return f"""\
#compdef handoff-tui
_handoff_tui() {{
  if [[ ${{words[CURRENT-1]}} == (--repo|--dir) ]]; then _files -/; return; fi
  if (( CURRENT == 2 )); then compadd -- {_list_verbs(words)} --repo --version --help; return; fi
  case "${{words[2]}} ${{words[3]}}" in
{cases}
  esac
}}
compdef _handoff_tui handoff-tui"""


def _render_fish(words: dict[str, list[str]]) -> str:
    lines = [f"complete -c handoff-tui -f -n __fish_use_subcommand -a '{_list_verbs(words)}'"]
    for call, found in words.items():
        seen = "; and ".join(f"__fish_seen_subcommand_from {verb}" for verb in call.split())
        lines.append(f"complete -c handoff-tui -f -n '{seen}' -a '{' '.join(found)}'")
    return "\n".join(lines)
