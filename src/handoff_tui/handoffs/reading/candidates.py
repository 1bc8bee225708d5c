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
    r"(?:^|/)(?:commands?|skills?|prompts?|\.?templates?|agents|subagents|rules|hooks|workflows|schemas?|node_modules"
    r"|vendor|site-packages|\.github|i18n|locales?|fixtures?|__fixtures__|__mocks__|migrations)/|(?:^"
    r"|[/_. -])(?:templates?|examples?|samples?)(?:[_. -][^/]*)?$|(?:^|[/_. -])(?:readme|changelog|index)\.\w+$",
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
TREATISE: Final = (
    r"(?:specification|spec|standard|architecture|guide|guidelines?|protocol|template|enforcement|procedures?|reference|overview"
    r"|workflow|schema|format|mechanism|contract|rules|policy|conventions?|process|playbook|instructions|glossary|checklist)"
)
FEATURE: Final = (
    r"(?:system|design|implementation|command|skill|api|service|component|feature|screen|button|registry|directory"
    r"|management)"
)
OFFS: Final = r"hand[-_ ]?(?:offs?|overs?)"
ABOUT_HANDOFFS: Final = compile_later(
    rf"(?:^|/)how[-_ ]to[-_ ][^/]*{OFFS}"
    rf"|(?:^|[/_ -]){OFFS}[-_ ](?:{TREATISE}|{FEATURE})(?:[-_ ][^/]*)?\.\w+$|(?:^|/){TREATISE}\.\w+$",
    re.IGNORECASE,
)
"""A name of a text about handoffs, or of a feature of a product, that is none itself."""
_METHOD_STATE: Final = compile_later(
    r"(?:^|/)(?:\.specify/workflows/runs/[^/]+/state\.json|specs/\d{3}-[^/]+/(?:spec|plan|tasks)\.md"
    r"|\.planning/(?:(?:ROADMAP|STATE)\.md|phases/.*(?:VERIFICATION|UAT)\.md)|openspec/changes/[^/]+/(?:proposal"
    r"|tasks)\.md|\.kiro/specs/[^/]+/(?:spec\.json|tasks\.md)|(?:[^/]*[-_])?sprint-status\.ya?ml"
    r"|_bmad-output/(?:.*/)?\d+[a-z]?-\d+-[^/]+\.md|(?:\.taskmaster/)?tasks/tasks\.json|backlog/tasks/.+\.md"
    r"|\.beads/issues\.jsonl|codev/projects/[^/]+/status\.yaml|\.claude-flow/claims/claims\.json)$"
)
"""Where the methods that agents follow keep the state of their work: spec-kit, GSD, OpenSpec, Kiro, BMAD and others."""
_NO_STATE: Final = compile_later(
    r"(?:^|/)(?:archive|attic|completed|milestones|(?:.*[-_])?fixtures?|\.?templates?|examples?|node_modules|vendor)/"
)
"""Folders for what is over, and for what is nobody's work."""
_PROSE: Final = (".md", ".markdown", ".txt", ".rst")


def sounds_like_handoff(path: str) -> bool:
    """Whether a path must be listed if no format understands it."""
    folder, _, name = path.rpartition("/")
    if _STATE_FOLDER.search(folder):
        return True
    if _METHOD_STATE.search(path) and not _NO_STATE.search(path):
        return True
    speaks = SPEAKS_OF_HANDOFF.search(name) or _HANDOFF_FOLDER.search(folder)
    if not speaks or NOT_WORK.search(path) or ABOUT_HANDOFFS.search(name):
        return False
    return name.lower().endswith(_PROSE) or PRODUCT.search(path) is None
