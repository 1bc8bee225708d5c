"""The ten views, a folder each: the widget and the rows it draws."""

from __future__ import annotations
