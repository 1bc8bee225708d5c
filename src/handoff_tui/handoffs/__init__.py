"""What agents left behind: handoffs found, read, and their claims measured."""

from __future__ import annotations
