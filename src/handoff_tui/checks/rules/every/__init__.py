"""Rules for every repository, whatever format it uses."""

from __future__ import annotations
