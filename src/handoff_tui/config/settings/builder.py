"""The builder standard (`handoffs/<ID>/`)."""

from __future__ import annotations

from handoff_tui.config.quantities import Count, Name, Quantity
from handoff_tui.core.model import Model


class SizeClass(Model):
    """Packages up to a size, and the tests they need."""

    name: Name
    """What the class is called."""
    source_files_maximum: Quantity | None = None
    """The most source files of a package in this class; the last class has no limit."""
    tests_minimum: Count
    """The fewest tests of such a package."""


class QuestionGroup(Model):
    """Questions of the gate that belong together."""

    name: Name
    """What they are about."""
    first: Quantity
    """The number of the first question."""
    last: Quantity
    """The number of the last question."""


class QuestionGate(Model):
    """The questions an agent answers before a person gives the greenlight."""

    count: Quantity = 13
    """How many questions there are."""
    groups: tuple[QuestionGroup, ...] = (
        QuestionGroup.model_construct(name="scope", first=1, last=3),
        QuestionGroup.model_construct(name="technical", first=4, last=6),
        QuestionGroup.model_construct(name="packaging", first=7, last=8),
        QuestionGroup.model_construct(name="tests", first=9, last=9),
        QuestionGroup.model_construct(name="integration", first=10, last=10),
        QuestionGroup.model_construct(name="adversarial", first=11, last=13),
    )
    """Which questions are about what."""
    adversarial_genesis: tuple[Name, ...] = ("dependency trap", "scope creep", "semantic audit")
    """The adversarial questions of a genesis handoff."""
    adversarial_infrastructure: tuple[Name, ...] = ("failure mode", "shortcut check", "semantic audit")
    """The adversarial questions of an infrastructure handoff."""
    contract: Name = "BUILDER_PROMPT_CONTRACT.md"
    """The prompt contract whose version a prompt must carry."""
    greenlight_needed: bool = True
    """Whether work may start only after a person's greenlight."""
    greenlight_words: tuple[Name, ...] = ("granted", "given", "approved", "yes", "go", "proceed")
    """Words that say the greenlight was given."""
    greenlight_fields: tuple[Name, ...] = ("by", "granted by", "given by", "approved by", "greenlit by", "reviewer")
    """Fields below a greenlight that say who gave it."""


class Builder(Model):
    """The builder standard (`handoffs/<ID>/`)."""

    staging_folders: tuple[Name, ...] = ("_reboot/_staging", "_staging")
    """Folders where packages are staged."""
    handoff_folders: tuple[Name, ...] = ("_reboot/_staging/handoffs", "_staging/handoffs", "handoffs")
    """Folders of handoffs, flat or one folder each."""
    id_patterns: tuple[Name, ...] = (r"^H-\d+[A-Z]?$", r"^CLEANUP-\d+$")
    """What a canonical id looks like."""
    file_names: dict[Name, Name] = {"spec": "BUILDER_HANDOFF", "results": "RESULTS", "prompt": "AGENT_PROMPT"}
    """What a document is called after the id of its handoff, by what it is for."""
    spec_sections: tuple[str, ...] = (
        "Mission",
        "Critical Constraints",
        "Architecture / Design",
        "Implementation Steps",
        "Package Plan",
        "Test Plan",
        "Existing Code to Reference",
        "End-to-End Verification",
        "Files Summary",
        "Design Principles",
    )
    """The sections of a spec, in order."""
    results_sections: tuple[str, ...] = (
        "Status",
        "Files Created",
        "Files Modified",
        "Archives Built",
        "Test Results",
        "Full Regression Test",
        "Baseline Snapshot",
        "Clean-Room Verification",
        "Issues Encountered",
        "Notes for Reviewer",
    )
    """The sections of a results file."""
    checklist_sections: tuple[str, ...] = (
        "Files Created",
        "Test Results",
        "Full Regression Test",
        "Clean-Room Verification",
        "Baseline Snapshot",
    )
    """The results sections without which the reviewer's checklist fails."""
    results_statuses: tuple[Name, ...] = ("PASS", "FAIL", "PARTIAL")
    """The status tokens of a results file."""
    passing_statuses: tuple[Name, ...] = ("PASS",)
    """The status tokens that claim success."""
    nothing_words: tuple[Name, ...] = ("none", "no", "nothing", "zero", "0")
    """Words that say there was nothing."""
    yes_words: tuple[Name, ...] = ("yes", "pass", "passed", "true")
    """Words that say it was so."""
    exception_words: tuple[Name, ...] = (
        *("except", "excepting", "exception", "exceptions", "but", "apart", "aside", "besides", "however", "unless"),
    )
    """Words after a yes or a none that take it back."""
    constraints_minimum: Count = 10
    """The fewest critical constraints of a spec."""
    package_prefix: Name = "PKG-"
    """How the folder of a package begins."""
    manifest_name: Name = "manifest.json"
    """The manifest of a package."""
    manifest_fields: tuple[Name, ...] = (
        "package_id",
        "version",
        "schema_version",
        "spec_id",
        "framework_id",
        "plane_id",
        "assets",
        "dependencies",
    )
    """Fields that a manifest must have."""
    manifest_replaced_fields: dict[str, str] = {"files": "assets", "depends_on": "dependencies"}
    """Field names that a manifest must not use, and what to use instead."""
    hash_pattern: Name = r"^sha256:[0-9a-f]{64}$"
    """What a hash in a manifest looks like."""
    archive_suffix: Name = ".tar.gz"
    """How the name of a package archive ends."""
    packages_minimum: Count = 1
    """The fewest packages that a baseline or a clean room must hold to mean something."""
    integration_packages_minimum: Quantity = 2
    """From how many packages in parallel waves an integration handoff is required."""
    source_suffixes: tuple[Name, ...] = (".py", ".sh", ".js", ".ts", ".go", ".rs")
    """Files that count as source when a package's size is taken."""
    size_classes: tuple[SizeClass, ...] = (
        SizeClass.model_construct(name="small", source_files_maximum=2, tests_minimum=10),
        SizeClass.model_construct(name="medium", source_files_maximum=5, tests_minimum=25),
        SizeClass.model_construct(name="large", tests_minimum=40),
    )
    """Sizes of packages, smallest first, and the tests each needs."""
    test_files: tuple[Name, ...] = (
        *("test_*", "*_test.*", "*.test.*", "*.spec.*", "conftest.py", "test/*", "tests/*", "*/test/*", "*/tests/*"),
    )
    """Assets that are tests and no source: patterns of names, or, with a slash, of paths in the package."""
    unwanted_files: tuple[Name, ...] = ("__pycache__", "*.pyc", "*.pyo", ".DS_Store")
    """Names of files and folders that no package may hold."""
    archive_member_time: Count = 0
    """The time that every member of a reproducible archive carries, in seconds since 1970."""
    archive_owner_names: tuple[str, ...] = ("", "root")
    """Owners and groups that the members of a reproducible archive may name."""
    explanation_sections: tuple[Name, ...] = ("Baseline", "Issues", "Notes")
    """How the results sections begin that may explain why there are fewer tests or packages."""
    drop_words: tuple[Name, ...] = (
        *("drop", "dropped", "drops", "fewer", "less", "removed", "removes", "removal", "remove", "deleted", "deletes"),
        *("retired", "superseded", "supersedes", "merged", "consolidated", "gone", "reduced"),
    )
    """Words for fewer tests or packages."""
    released_states: tuple[Name, ...] = ("VALIDATED",)
    """Registry states in which a handoff no longer blocks those that wait for it."""
    review_verdicts: tuple[Name, ...] = ("PASS", "RETRY", "ESCALATE")
    """The closing verdicts of a review report."""
    evaluation_verdicts: tuple[Name, ...] = ("PASS", "FAIL")
    """The closing verdicts of an evaluation report."""
    questions: QuestionGate = QuestionGate.model_construct()
    """The questions before work starts."""
