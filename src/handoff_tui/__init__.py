"""Review what your AI agents hand over, and sign off on it. An approval no agent can make up."""

from __future__ import annotations

__version__ = "0.1.0"
