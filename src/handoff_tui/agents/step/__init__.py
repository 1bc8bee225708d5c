"""One step of an agent: prepared, started, followed, judged, retried."""

from __future__ import annotations
