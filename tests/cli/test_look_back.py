from __future__ import annotations

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.in_process import InProcess
from tests.support.repositories import RepositoryBuilder

NOTE = "# Handoff\n\n**Status**: {}\n\n## Files created\n\n- `a.py`\n\n## Next steps\n\n- go\n"


def build(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A handoff that was complete only later."""
    return (
        builder.write("HANDOFF.md", NOTE.format("PAUSED"))
        .commit("first")
        .write("HANDOFF.md", NOTE.format("COMPLETE"))
        .commit("second")
    )


def test_status_at_a_commit_is_that_of_then(say: InProcess, builder: RepositoryBuilder) -> None:
    """Marked as such, on the page and in the JSON."""
    build(builder)
    page = say("status", "--at", "HEAD~1", "--repo", builder.folder)
    assert (page.code, page.stderr) == (ExitCode.OK, "")
    assert page.stdout.startswith(f"AS IT WAS at {builder.head('HEAD~1')[:7]}")
    assert ("PAUSED" in page.stdout, "COMPLETE" in page.stdout, "read-only" in page.stdout) == (
        True,
        False,
        True,
    )
    value = say("status", "--at", "HEAD~1", "--json", "--repo", builder.folder).json
    assert (value["schema"], value["head"]) == ("handoff-tui/status/v1", builder.head("HEAD~1"))
    assert (value["at"]["key"], value["handoffs"][0]["status"]) == (builder.head("HEAD~1"), "PAUSED")


def test_show_at_a_commit_is_that_of_then(say: InProcess, builder: RepositoryBuilder) -> None:
    """Proofs are of now, so both together are refused."""
    build(builder)
    assert "PAUSED" in say("show", "HANDOFF.md", "--at", "HEAD~1", "--repo", builder.folder).stdout
    value = say("show", "HANDOFF.md", "--at", "HEAD~1", "--json", "--repo", builder.folder).json
    assert (value["status_claimed"], value["at"]["commit"]) == ("PAUSED", builder.head("HEAD~1"))
    both = say("show", "HANDOFF.md", "--at", "HEAD~1", "--proofs", "--repo", builder.folder)
    assert (both.code, "only be shown as they are now" in both.stderr) == (ExitCode.USAGE, True)


def test_check_at_a_commit_runs_the_rules_there(say: InProcess, builder: RepositoryBuilder) -> None:
    """As a page and in every form; what only makes sense now is refused."""
    build(builder)
    asked = ("check", "--at", "HEAD~1", "--repo", builder.folder)
    page = say(*asked)
    assert page.stdout.startswith(f"AS IT WAS at {builder.head('HEAD~1')[:7]}")
    value = say(*asked, "--json").json
    assert value["schema"] == "handoff-tui/check/v1"
    assert say(*asked, "--format", "tap").stdout.startswith("TAP version")
    assert page.code == (ExitCode.BLOCKED if value["verdict"] == "blocked" else ExitCode.OK)
    refused = say(*asked, "--list")
    assert (refused.code, refused.stdout) == (ExitCode.USAGE, "")


def test_moment_that_is_none_is_a_usage_error(say: InProcess, builder: RepositoryBuilder) -> None:
    """With a hint."""
    build(builder)
    said = say("status", "--at", "nothing", "--repo", builder.folder)
    assert (said.code, said.stdout, "hint:" in said.stderr) == (ExitCode.USAGE, "", True)
