"""What the user's own checks (`python = "module:function"`) import: `Found`, a finding to yield."""

from __future__ import annotations

from handoff_tui.checks.rule import RuleFinding as Found

__all__ = ["Found"]
