"""Approvals that handoffs carry: where they stand, and whose names do not count."""

from __future__ import annotations

from handoff_tui.config.settings.quantities import Count, Name
from handoff_tui.core.model import Model


class Approvals(Model):
    """Approvals that handoffs carry."""

    fields: tuple[Name, ...] = (
        "approved by",
        "approver",
        "approval by",
        "human approval",
        "deploy approved by",
        "deployment approved by",
        "signed off by",
        "sign-off by",
        "greenlight",
        "greenlit by",
        "greenlight by",
    )
    """Fields that name who approved; case, hyphens and underscores do not matter."""
    agent_words: tuple[Name, ...] = (
        *("agent", "agents", "bot", "ai", "assistant", "llm", "model", "orchestrator", "director"),
        *("auto", "automated", "automatic", "automation", "script", "system", "pipeline", "ci", "cicd", "self"),
        *("claude", "gpt", "chatgpt", "openai", "anthropic", "gemini", "codex", "copilot", "cursor", "devin", "aider"),
        *("github-actions", "jenkins", "dependabot", "renovate"),
    )
    """Words in a name that say it is no person's."""
    nameless_words: tuple[Name, ...] = (
        *("human", "user", "operator", "admin", "owner", "reviewer", "someone", "person", "team"),
        *("yes", "true", "ok", "approved", "granted", "given", "received", "confirmed", "go"),
    )
    """Words that stand where a name should, and name nobody."""
    refusing_words: tuple[Name, ...] = (
        *("no", "not", "none", "nobody", "n/a", "na", "null", "false", "tbd", "todo", "pending", "waiting"),
        *("awaiting", "required", "requested", "needed", "denied", "rejected", "withheld", "until", "before", "if"),
    )
    """Words in place of a name that say nobody has approved yet."""
    near_lines: Count = 3
    """How many lines from an approval a word still speaks of it."""
