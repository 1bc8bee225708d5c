"""Session enforcement: the state files below `.mosaic/` and the manifests below `.ai-agents/`. Reads only its shelf."""

from __future__ import annotations
