"""Two snapshots compared, every drop explained or called out."""

from __future__ import annotations
