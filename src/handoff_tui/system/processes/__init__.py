"""Starts processes, limits them, finds them again and ends them; also the editor and the terminal."""

from __future__ import annotations
