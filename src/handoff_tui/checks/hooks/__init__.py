"""Git hooks installed, and the doctor who says whether anything is really enforced."""

from __future__ import annotations
