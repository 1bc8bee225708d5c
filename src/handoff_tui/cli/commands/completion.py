"""`completion SHELL`: a completion script, made from the parser itself."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.output import write_text

_EXAMPLES = """\
examples:
  handoff-tui completion bash > ~/.local/share/bash-completion/completions/handoff-tui
  handoff-tui completion zsh  > "${fpath[1]}/_handoff-tui"
  handoff-tui completion fish > ~/.config/fish/completions/handoff-tui.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell to complete for")


def run(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.cli.main import build_parser  # noqa: PLC0415 - main loads this module

    words = {verb: list(_words(parser)) for verb, parser in _children(build_parser())}
    write_text({"bash": _render_bash, "zsh": _render_zsh, "fish": _render_fish}[arguments.shell](words))
    return ExitCode.OK


def _children(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list its verbs
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            yield from action.choices.items()


def _words(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The long options of a verb, its fixed choices, and its own verbs."""
    for action in parser._actions:  # noqa: SLF001
        yield from (option for option in action.option_strings if option.startswith("--"))
        if action.choices and not action.option_strings:
            yield from (str(choice) for choice in action.choices)


def _render_bash(words: dict[str, list[str]]) -> str:
    cases = "\n".join(f"    {verb}) words='{' '.join(found)}' ;;" for verb, found in words.items())
    return f"""\
_handoff_tui() {{
  local words='{" ".join(words)} --repo --version --help' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do case $word in
{cases}
  esac; done
  if [[ ${{COMP_WORDS[COMP_CWORD-1]}} == --repo || ${{COMP_WORDS[COMP_CWORD-1]}} == --dir ]]; then
    COMPREPLY=($(compgen -d -- "${{COMP_WORDS[COMP_CWORD]}}"))
  else
    COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
  fi
}}
complete -F _handoff_tui handoff-tui"""


def _render_zsh(words: dict[str, list[str]]) -> str:
    cases = "\n".join(f"    {verb}) compadd -- {' '.join(found)} ;;" for verb, found in words.items())
    return f"""\
#compdef handoff-tui
_handoff_tui() {{
  if [[ ${{words[CURRENT-1]}} == (--repo|--dir) ]]; then _files -/; return; fi
  if (( CURRENT == 2 )); then compadd -- {" ".join(words)} --repo --version --help; return; fi
  case ${{words[2]}} in
{cases}
  esac
}}
compdef _handoff_tui handoff-tui"""


def _render_fish(words: dict[str, list[str]]) -> str:
    lines = [f"complete -c handoff-tui -f -n __fish_use_subcommand -a '{' '.join(words)}'"]
    for verb, found in words.items():
        lines.append(f"complete -c handoff-tui -f -n '__fish_seen_subcommand_from {verb}' -a '{' '.join(found)}'")
    return "\n".join(lines)
