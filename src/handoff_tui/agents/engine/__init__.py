"""The engine that runs procedures (DBOS), its worker, and trials of both."""

from __future__ import annotations
