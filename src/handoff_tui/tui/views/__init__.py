"""The ten views: the widget of each and the rows it draws."""

from __future__ import annotations
