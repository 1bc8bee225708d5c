"""Agents: which one works next, whether it may run, what its run amounts to."""

from __future__ import annotations
