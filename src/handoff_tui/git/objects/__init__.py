"""Blobs and trees read from the object store, and two trees compared."""

from __future__ import annotations
