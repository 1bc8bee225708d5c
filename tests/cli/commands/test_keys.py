from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.signed import Circle


def test_enrolled_line_alone_is_on_stdout(circle: Circle) -> None:
    """What to do with it is on stderr; and once it is in the policy, that."""
    ada, bob = circle.person("ada"), circle.person("bob")
    circle.begin(ada)
    said = circle.speaking(bob, "keys", "enroll", "--repo", circle.repository)
    assert said.stdout.startswith("bob@example.org namespaces=")
    assert said.stdout.count("\n") == 1
    assert "--add-reviewer" in said.stderr
    circle.change(ada, (ada,), "--add-reviewer", said.stdout.strip(), name="two")
    again = circle.speaking(bob, "keys", "enroll", "--repo", circle.repository)
    assert "already" in again.stderr
    assert circle.speaking(bob, "keys", "enroll", "--repo", circle.repository, "--json").json["known"] is True


def test_keys_in_force_are_listed(circle: Circle) -> None:
    """As a page and as JSON; without a log exit code 1, with a broken one 3."""
    ada = circle.person("ada")
    assert circle.speaking(ada, "keys", "list", "--repo", circle.repository).code == 1
    circle.begin(ada)
    page = circle.speaking(ada, "keys", "list", "--repo", circle.repository)
    value = circle.speaking(ada, "keys", "list", "--repo", circle.repository, "--json").json
    assert (value["schema"], len(value["keys"])) == ("handoff-tui/keys-list/v1", 1)
    assert value["keys"][0]["keyid"] in page.stdout
    for file in (circle.repository / ".handoff-tui/log").glob("*/*"):
        file.unlink()
    assert circle.speaking(ada, "keys", "list", "--repo", circle.repository).code == 3
