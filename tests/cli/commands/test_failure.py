from __future__ import annotations

from tests.support.in_process import InProcess
from tests.support.repositories import RepositoryBuilder

TEXT = "# Handoff: adding\n\nStatus: COMPLETE\n\n- `src/{name}` adds.\n"


def test_failure_tells_by_its_code_whether_the_gate_is_blocked(builder: RepositoryBuilder, say: InProcess) -> None:
    """1 with the check to look at first, 0 when it was mended; without a log there is nothing to compare with."""
    builder.write("HANDOFF.md", TEXT.format(name="none.py")).write("src/app.py").commit("work")
    words = ("failure", "notes/HANDOFF.md", "--repo", builder.folder, "--json")
    said = say(*words)
    assert (said.code, said.json["first"], said.json["failed"][0]["last_good"]) == (1, "claims-hold", None)
    builder.write("HANDOFF.md", TEXT.format(name="app.py")).commit("mended")
    said = say(*words)
    assert (said.code, said.json["first"], said.json["blocked"]) == (0, None, False)


def test_failure_of_an_unknown_check_is_a_usage_error(builder: RepositoryBuilder, say: InProcess) -> None:
    """With where to find the known ones."""
    builder.write("HANDOFF.md", TEXT.format(name="none.py")).commit("work")
    said = say("failure", "--check", "no-such-check", "--repo", builder.folder)
    assert (said.code, said.stdout) == (2, "")
    assert "check --list" in said.stderr
