"""Where the engine keeps its state is the user's to say."""

from __future__ import annotations

import pytest

from handoff_tui.config.load import build_settings
from handoff_tui.core.errors import ConfigError


@pytest.mark.parametrize("address", ["", "postgresql://ada@db.example/handoffs", "postgres:///x?host=/run/pg"])
def test_address_of_a_database_is_taken(address: str) -> None:
    """None is a file beside git's own."""
    found = build_settings(f'[engine]\naddress = "{address}"\n'.encode(), None)
    assert found.settings.engine.address == address


@pytest.mark.parametrize("address", ["postgresql://ada:secret@db/x", "postgresql://db/x?user=ada&password=secret"])
def test_address_with_a_password_is_refused(address: str) -> None:
    """Every listing of the settings would show it; the error does not."""
    with pytest.raises(ConfigError, match="holds a password") as refused:
        build_settings(f'[engine]\naddress = "{address}"\n'.encode(), None)
    assert "secret" not in refused.value.message


@pytest.mark.parametrize("address", ["mysql://db/x", "sqlite:///tmp/x", "postgresql://", "db.example"])
def test_other_addresses_are_refused(address: str) -> None:
    """Only PostgreSQL is shared by many workers."""
    with pytest.raises(ConfigError, match=r"engine\.address"):
        build_settings(f'[engine]\naddress = "{address}"\n'.encode(), None)


def test_repository_cannot_name_a_database() -> None:
    """A checkout would have every reviewer's runs sent to a server of its choice."""
    with pytest.raises(ConfigError, match="engine cannot be set by a repository"):
        build_settings(None, b'[engine]\naddress = "postgresql://evil.example/x"\n')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('steps = [{ name = "one", timeout_seconds = 1, rules = ["VR999"] }]', "VR999"),
        (
            'steps = []\nrollback = [{ name = "back", timeout_seconds = 1, undoes = ["two"] }]',
            "undoes 'two', which is not one of its steps",
        ),
    ],
)
def test_procedure_names_only_what_it_has(text: str, words: str) -> None:
    """A rule or a step that is not there is an error where it is said."""
    with pytest.raises(ConfigError, match=words):
        build_settings(None, f"[procedures.procedures.OWN]\n{text}\n".encode())
