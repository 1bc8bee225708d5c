"""Notices what changes in a repository, and never trusts a single event."""

from __future__ import annotations
