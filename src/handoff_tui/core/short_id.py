"""How much of a long id is shown if a person only has to tell it from others."""

from __future__ import annotations

SHORT_COMMIT = 7
SHORT_DIGEST = 12
SHORT_ENTRY = len("sha256:") + SHORT_DIGEST
"""An id of the log, with its kind in front."""
