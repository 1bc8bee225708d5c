"""Checks: the contract, the registry, the engine, one rule per file. May import models and errors.

A rule reads only through the context it is given; what it read is the record that decides whether it must run again.
"""

from __future__ import annotations
