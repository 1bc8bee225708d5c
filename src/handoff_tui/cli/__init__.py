"""The headless front end: one file per verb in commands/. May import review, presentation, config, models, errors.

stdout is data, written by output.py alone; stderr is talk, written by diagnostics.py alone.
"""

from __future__ import annotations
