"""The table of one handoff's scope, written into a configuration without touching the rest."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.config.load import build_settings, read_first_file
from handoff_tui.config.settings.review import ScopeSettings
from handoff_tui.core.errors import ConfigError
from handoff_tui.decisions.correct_scope import render_scope_table, set_scope_table

SCOPE = ScopeSettings(since="a" * 40, until="b" * 40, paths=("src/lamp", "docs/lamp.md"))


def test_table_is_added_at_the_end() -> None:
    """Comments and other tables stay, byte for byte."""
    changed = set_scope_table(read_first_file(), "notes/HANDOFF.md", SCOPE)
    assert changed == f"{read_first_file()}\n{render_scope_table('notes/HANDOFF.md', SCOPE)}"
    assert build_settings(None, changed.encode()).settings.scopes == {"notes/HANDOFF.md": SCOPE}
    assert set_scope_table("", "H-3", ScopeSettings(paths=("a",))) == '[scopes."H-3"]\npaths = ["a"]\n'


def test_table_is_replaced_where_it_stands() -> None:
    """However its header is written; the one after it stays."""
    for header in ('[scopes."H-3"]', "[ scopes . 'H-3' ] # mine", "[scopes.H-3]"):
        text = f'[limits]\ncommits = 9\n\n{header}\nsince = "x"\n\n[scopes."H-4"]\npaths = ["b"]\n'
        changed = tomllib.loads(set_scope_table(text, "H-3", SCOPE))
        assert changed["scopes"]["H-3"] == {"since": "a" * 40, "until": "b" * 40, "paths": ["src/lamp", "docs/lamp.md"]}
        assert (changed["scopes"]["H-4"], changed["limits"]) == ({"paths": ["b"]}, {"commits": 9})


@pytest.mark.parametrize("text", ['scopes = {"H-3" = {since = "x"}}\n', 'text = """\n[scopes.H-3]\n"""\n', "= 1"])
def test_file_that_cannot_be_changed_safely_is_left_alone(text: str) -> None:
    """The table is in the hint, to be put in by hand; what is not TOML must be mended first."""
    with pytest.raises(ConfigError):
        set_scope_table(text, "H-3", SCOPE)


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=4))
def test_any_path_comes_back(paths: list[str]) -> None:
    """Whatever characters it has."""
    table = render_scope_table("H-3", ScopeSettings(paths=tuple(paths)))
    assert tomllib.loads(table)["scopes"]["H-3"]["paths"] == paths


def test_scope_in_the_file_of_one_user_is_refused() -> None:
    """A scope must be the same for everybody."""
    with pytest.raises(ConfigError, match="scopes can only be set by a repository"):
        build_settings(render_scope_table("H-3", SCOPE).encode(), None)
