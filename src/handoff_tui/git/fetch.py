"""Fetches the branches of an address that the user named: no hook or helper of the repository runs."""

from __future__ import annotations

from handoff_tui.git.command import Git
from handoff_tui.git.hardening import TRUSTED_SCOPES

FETCHED = "refs/remotes/handoff-tui/"
"""Where fetched branches are kept; no branch of the user's, and none of a remote's, is touched."""
_PROTOCOLS = "file:https:ssh"
_SSH = "ssh -oBatchMode=yes -oConnectTimeout=10"


def fetch_branches(git: Git, address: str) -> str:
    """Fetches every branch of an address; returns why that failed, or an empty text.

    The address must come from the user: what the repository's own configuration says of addresses is refused.
    """
    lines = git.list_config()
    planted = [key for scope, key, _ in lines if scope not in TRUSTED_SCOPES]
    rewriting = [key for key in planted if key.startswith(("url.", f"remote.{address}."))]
    if rewriting:
        return f"this repository's own git configuration says something else of that address ({rewriting[0]})"
    own = {key.lower(): value for scope, key, value in lines if scope in TRUSTED_SCOPES}
    helper = [("credential.helper", own["credential.helper"])] if "credential.helper" in own else []
    fetching = Git(git.folder, (*git.overrides, *helper), git.git_dir, git.common_dir)
    answer = fetching.run(
        *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-fetch-head"),
        *("--refmap=", "--upload-pack=git-upload-pack", "--", address, f"+refs/heads/*:{FETCHED}*"),
        extra={"GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_SSH_COMMAND": own.get("core.sshcommand") or _SSH},
    )
    return "" if answer.ok else answer.complaint
