"""What a snapshot reads beside the files themselves: reports of tests and of coverage."""

from __future__ import annotations

from handoff_tui.config.settings.quantities import Name, Quantity
from handoff_tui.core.model import Model


class Baseline(Model):
    """Snapshots: which reports belong to them."""

    reports: tuple[Name, ...] = (
        *("junit.xml", "**/junit*.xml", "**/TEST-*.xml", "test-results/**/*.xml", "**/*.tap", "**/.report.json"),
    )
    """Test reports, as patterns of paths: JUnit XML, TAP, pytest's JSON report. Ignored files count too."""
    coverage: tuple[Name, ...] = (
        *("coverage.xml", "coverage.json", "lcov.info", "coverage/lcov.info", "**/coverage.xml", "**/lcov.info"),
    )
    """Coverage reports, as patterns of paths, the best first: Cobertura XML, coverage.py's JSON, LCOV."""
    reports_maximum: Quantity = 500
    """The most test reports that are read."""
    report_bytes: Quantity = 64 * 1024 * 1024
    """The largest report that is read."""
    entries_maximum: Quantity = 20_000
    """How many entries of ignored folders are looked through for reports."""
    skipped_folders: tuple[Name, ...] = (
        *(".git", "node_modules", "site-packages", ".venv", "venv", ".tox", ".nox", "__pycache__", ".gradle"),
        *(".mypy_cache", ".ruff_cache", ".cargo", "bower_components", ".terraform", ".yarn", ".pnpm-store"),
    )
    """Names of ignored folders that hold no reports of this work."""
