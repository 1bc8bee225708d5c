"""What makes work worth a closer look in the inbox. It decides nothing: what blocks is for checks to say."""

from __future__ import annotations

from handoff_tui.config.settings.quantities import Name, Quantity
from handoff_tui.core.model import Model


class Risk(Model):
    """What is worth a closer look; it blocks nothing."""

    policy_files: tuple[Name, ...] = (
        *("handoff-tui.toml", "CODEOWNERS", "allowed_signers", ".handoff-tui/*"),
        *("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".claude/settings*.json", ".claude/hooks/*", ".mcp.json", ".cursor/*"),
    )
    """Files with the rules under which work is made and judged: patterns of names, or, with a slash, of paths."""
    sensitive_paths: tuple[Name, ...] = (
        *(".env", ".env.*", "*.pem", "*.key", "*.p12", "id_rsa*", "id_ed25519*", ".netrc", ".npmrc", ".pypirc"),
        *(".gitattributes", ".gitmodules", ".gitignore", "Dockerfile", "docker-compose*.yml", "compose*.yaml"),
        *("*.tf", "migrations/*", "deploy/*", "k8s/*", "helm/*"),
    )
    """Files whose change deserves a look by itself; links, submodules and new executables always do."""
    files_maximum: Quantity = 40
    """So many changed files are still read in one sitting."""
    lines_maximum: Quantity = 1_000
    """So many added and deleted lines are still read in one sitting."""
    scanned_files_maximum: Quantity = 500
    """How many changed files are searched for hidden characters."""
    scanned_bytes: Quantity = 256 * 1024
    """The largest file that is searched for hidden characters."""
