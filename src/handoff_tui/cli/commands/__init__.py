"""One file for each verb."""

from __future__ import annotations
