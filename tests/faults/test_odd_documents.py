"""Handoff documents in odd shapes: none is lost, none breaks the others."""

from __future__ import annotations

import json

from tests.support.command_line import say
from tests.support.repositories import RepositoryBuilder

NOTE = "# Handoff\n\n**Status:** COMPLETE\n\n## Files created\n- `{0}`\n\n## Next steps\n- look\n"
MANY = 10_000


def test_odd_documents_are_listed_and_measured(builder: RepositoryBuilder) -> None:
    """With CRLF, renamed, never committed, too large, with many claims, in another language, and in a submodule."""
    inner = RepositoryBuilder.init(builder.folder.parent / "inner").write("HANDOFF.md", NOTE.format("x.py")).commit()
    builder.submodule(inner, "part").commit("a part")
    builder.write("src/a.py", "1\n").write("handoffs/crlf-handoff.md", NOTE.format("src/a.py").replace("\n", "\r\n"))
    builder.write("handoffs/large-handoff.md", "# Handoff\n" + "- word\n" * 800_000)
    builder.write("handoffs/german-handoff.md", "# Übergabe\n\n## Erledigt\n- Lampe\n\n## Offen\n- Docht\n")
    paths = "".join(f"- `src/{number}.py`\n" for number in range(MANY))
    builder.write("handoffs/many-handoff.md", f"# Handoff\n\n**Status:** DONE\n\n## Files created\n{paths}").commit(
        "all"
    )
    builder.step("mv", "handoffs/crlf-handoff.md", "handoffs/renamed-handoff.md").commit("rename")
    builder.write("src/b.py", "2\n").write("handoffs/new-handoff.md", NOTE.format("src/b.py"))
    said = say("status", "--json", "--repo", builder.folder)
    assert said.code == 0, said.stderr
    state = json.loads(said.stdout)
    found = {one["id"].rpartition("/")[2].removesuffix("-handoff.md"): one for one in state["handoffs"]}
    assert sorted(found) == ["german", "large", "many", "new", "renamed"]
    assert {name: found[name]["claims"]["contradicted"] for name in found} == {
        "german": 0, "large": 0, "many": MANY, "new": 0, "renamed": 0
    }  # fmt: skip
    assert "too large" in found["large"]["gate"]["blocking"][0]
    messages = [one["message"] for one in state["problems"] if one["path"] == "handoffs/german-handoff.md"]
    assert messages == ["no heading is understood, so little of what it says is measured"]
