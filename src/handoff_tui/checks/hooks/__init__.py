"""Git hooks installed, and the doctor, which says whether anything is really enforced."""

from __future__ import annotations
