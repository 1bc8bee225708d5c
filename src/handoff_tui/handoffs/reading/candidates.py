"""Names that sound like a handoff, and places where such a name means something else. Pure."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later

SPEAKS_OF_HANDOFF: Final = compile_later(r"hand[-_ ]?(?:off|over)", re.IGNORECASE)
_HANDOFF_FOLDER: Final = compile_later(r"(?:^|/)hand[-_]?(?:offs|overs)$", re.IGNORECASE)
_STATE_FOLDER: Final = compile_later(r"(?:^|/)(?:\.mosaic|\.ai-agents)$", re.IGNORECASE)
"""Folders whose files are handoffs, or the state of one, whatever they are called."""
NOT_WORK: Final = compile_later(
    r"(?:^|/)(?:commands?|skills?|prompts?|\.?templates?|agents|subagents|rules|hooks|workflows|schemas?|node_modules|vendor"
    r"|site-packages|\.github|i18n|locales?|fixtures?|__fixtures__|__mocks__|migrations)/"
    r"|(?:^|[/_. -])(?:templates?|examples?|samples?)(?:[_. -][^/]*)?$"
    r"|(?:^|[/_. -])(?:readme|changelog|index)\.\w+$",
    re.IGNORECASE,
)
"""What agents and tools are told, forms to fill in, and what lists or describes others."""
SETTINGS: Final = compile_later(r"(?:^|[/_. -])(?:schema|config|settings)\.\w+$", re.IGNORECASE)
"""Files that no format owns, but that may be somebody's state under an odd name: they are listed as not understood."""
PRODUCT: Final = compile_later(
    r"(?:^|/)(?:src|lib|libs|app|apps|components?|pages|views|ui|web|api|server|client|packages|tests?|__tests__|e2e|spec"
    r"|stories|assets|public|static|styles|charts?|deploy|k8s|helm)/",
    re.IGNORECASE,
)
"""Folders of code: a file there that is called a handoff is mostly a feature of the product."""
_PROSE: Final = (".md", ".markdown", ".txt", ".rst")


def sounds_like_handoff(path: str) -> bool:
    """Whether a path must be listed if no format understands it."""
    folder, _, name = path.rpartition("/")
    if _STATE_FOLDER.search(folder):
        return True
    if not (SPEAKS_OF_HANDOFF.search(name) or _HANDOFF_FOLDER.search(folder)) or NOT_WORK.search(path):
        return False
    return name.lower().endswith(_PROSE) or PRODUCT.search(path) is None
