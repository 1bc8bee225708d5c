"""What tests build with: repositories, shelves, generators."""

from __future__ import annotations
