"""Gates as the log decides them: decisions counted by the policy, and what was approved before."""

from __future__ import annotations
