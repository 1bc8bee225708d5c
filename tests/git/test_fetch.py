"""Branches are fetched from the user's own address, and nothing of the repository runs on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import FETCHED, fetch_branches
from handoff_tui.log.open_log import build_fetch_key
from tests.support.gates import HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder


def test_wait_sees_what_was_decided_elsewhere(gate_desk: GateDesk, tmp_path: Path) -> None:
    """Only if the user named the address; one that the repository names counts for nothing."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.commit_log()
    here = tmp_path / "here"
    Git.open(tmp_path).read(
        "clone", "--quiet", "--", str(gate_desk.root), str(here), extra={"GIT_ALLOW_PROTOCOL": "file"}
    )
    assert gate_desk.decide(bo, "approve", "--reason", "good").code == 0
    gate_desk.commit_log()
    words = ("wait", HANDOFF, "--timeout", "0", "--repo", here)
    key = build_fetch_key("here")
    Git.open(here).read("config", "--local", key, str(gate_desk.root))
    assert gate_desk.speaking(bo, *words).code == 5
    with (bo.home / ".gitconfig").open("a", encoding="utf-8") as file:
        file.write(f'[handoff-tui "here"]\n\tfetch = {gate_desk.root}\n')
    assert gate_desk.speaking(bo, *words).code == 0
    with (bo.home / ".gitconfig").open("a", encoding="utf-8") as file:
        file.write('[handoff-tui "here"]\n\tfetch = /nowhere/at/all\n')
    said = gate_desk.speaking(bo, *words)
    assert (said.code, "the log can't be fetched from /nowhere/at/all" in said.stderr) == (0, True)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("url.ext::sh -c touch MARK .insteadOf", "/", "says something else"),
        ("remote.FAR.uploadpack", "touch MARK", "says something else"),
        ("remote.FAR.url", "ext::touch MARK", "says something else"),
        ("remote.other.uploadpack", "touch MARK", ""),
        ("core.hooksPath", "hooks", ""),
        ("core.sshCommand", "touch MARK", ""),
    ],
)
def test_nothing_planted_runs(tmp_path: Path, key: str, value: str, why: str) -> None:
    """Neither what the configuration names nor a hook; and no branch but the fetched ones moves."""
    far = RepositoryBuilder.init(tmp_path / "far").write("a.txt", "a").commit("far")
    here = RepositoryBuilder.init(tmp_path / "here").write("b.txt", "b").commit("here")
    mark, address = tmp_path / "mark", str(far.folder)
    for folder in (here.folder / ".git" / "hooks", here.folder / "hooks"):
        folder.mkdir(exist_ok=True)
        hook = folder / "reference-transaction"
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
        hook.chmod(0o755)
    here.config(*(text.replace("MARK", str(mark)).replace("FAR", address) for text in (key, value)))
    before, git = here.head(), Git.open(here.folder)
    said = fetch_branches(git, address)
    assert (why in said) if why else not said
    assert not mark.exists()
    assert here.head() == before
    assert git.run("rev-parse", "--verify", f"{FETCHED}main").ok is not bool(why)
