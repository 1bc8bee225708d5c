"""Smooth procedures: handoff contexts, procedures, executions, validation sessions, contract reports.

The dialect itself is `dialect.PROCEDURE`. May import the contract and the shared parsers; runs no procedure.
"""

from __future__ import annotations
