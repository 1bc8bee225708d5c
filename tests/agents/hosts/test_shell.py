from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.agents.hosts.tools.shell import read_script

_WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
_NASTY = st.text(st.sampled_from("'\"\\$`(){}<>|&;#\n \tgitpush=*?[]!~,-"), max_size=60)


def read_words(text: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in read_script(text).commands]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("git push", [["git", "push"]]),
        ("a; b && c || d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("a\nb", [["a"], ["b"]]),
        ("git \\\n push", [["git", "push"]]),
        ("g''it \"pu\"sh", [["git", "push"]]),
        ("git $'pu\\x73h'", [["git", "push"]]),
        ("{git,push}", [["git", "push"]]),
        ("git${IFS}push", [["git", "push"]]),
        ("x=push; git $x", [[], ["git", "push"]]),
        ("c='git push'; $c", [[], ["git", "push"]]),
        ("echo 'a;b' \"c|d\" e\\;f", [["echo", "a;b", "c|d", "e;f"]]),
        ("echo a # git push", [["echo", "a"]]),
        ("echo a#b", [["echo", "a#b"]]),
        ("(a; b)", [["a"], ["b"]]),
        ("if a; then b; else c; fi", [["a"], ["b"], ["c"]]),
        ("f() { a; }; f", [["f"], ["a"], ["f"]]),
        ("echo $(a b)", [["a", "b"], ["echo", ""]]),
        ("echo `a b`", [["a", "b"], ["echo", ""]]),
        ('echo "$(a "b c")"', [["a", "b c"], ["echo", ""]]),
        ("diff <(a) <(b)", [["a"], ["b"], ["diff", "", ""]]),
        ("echo ${x:-$(a)}", [["a"], ["echo", ""]]),
        ("a 2>&1 >out <in b", [["a", "b"]]),
    ],
)
def test_commands_are_found(text: str, words: list[list[str]]) -> None:
    """As a shell would find them."""
    assert read_words(text) == words


def test_text_of_a_here_document_is_no_command() -> None:
    """It is given to one; the next line is a command again."""
    script = read_script("cat <<'EOF' > notes.md\ngit push (don't)\nEOF\nls")
    first, second = script.commands
    assert (first.given, [word.text for word in first.writes]) == ("git push (don't)", ["notes.md"])
    assert [word.text for word in second.words] == ["ls"]


def test_substitutions_in_a_here_document_run() -> None:
    """Unless its delimiter is quoted."""
    assert ["a"] in read_words("cat <<X\n$(a)\nX\n")
    assert ["a"] not in read_words("cat <<'X'\n$(a)\nX\n")


def test_pipe_says_where_input_comes_from() -> None:
    """Also out of a group."""
    last = read_script("{ echo a; echo b; } | sh").commands[-1]
    assert [[word.text for word in source.words] for source in last.sources] == [["echo", "a"], ["echo", "b"]]


def test_what_only_a_shell_knows_is_marked() -> None:
    """The rest of the word stays."""
    (command,) = read_script('"$HOME_OF/bin/git" $WHAT').commands
    assert [(word.text, word.known) for word in command.words] == [("/bin/git", False), ("", False)]


def test_endless_nesting_is_given_up() -> None:
    """And said."""
    assert read_script("$(" * 50 + "a").deep


@given(_NASTY)
def test_nothing_makes_it_raise(text: str) -> None:
    """Agents write anything."""
    read_script(text)


@given(st.text(max_size=80))
def test_no_text_makes_it_raise(text: str) -> None:
    """Whatever its characters."""
    read_script(text)


@given(st.lists(_WORDS, min_size=1, max_size=5))
def test_quoted_words_come_back(words: list[str]) -> None:
    """However they are quoted."""
    double = " ".join('"' + "".join(f"\\{sign}" if sign in '"\\$`' else sign for sign in word) + '"' for word in words)
    assert read_words(f"run {shlex.join(words)}") == [["run", *words]]
    assert read_words(double) == [words]
