"""Gates as the log decides them: votes counted by the policy, what was approved before."""

from __future__ import annotations
