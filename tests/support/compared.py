"""A small repository with a stored snapshot, to compare what comes after with."""

from __future__ import annotations

from tests.support.repositories import RepositoryBuilder

RESULTS = """# Results: H-1

## Status: PASS

## Baseline Snapshot (AFTER this agent's work)
- Packages installed: 1
- Total tests (all staged): {tests}
"""


def write_junit(builder: RepositoryBuilder, **tests: str) -> RepositoryBuilder:
    """A report that git ignores: each test with the element that tells its outcome, or nothing."""
    cases = "".join(
        f'<testcase classname="tests/test_lamp.py" name="{name}" file="tests/test_lamp.py">'
        f"{f'<{outcome}/>' if outcome else ''}</testcase>"
        for name, outcome in tests.items()
    )
    return builder.write("junit.xml", f"<testsuite>{cases}</testsuite>")


def build_lamp(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A handoff, a package, and two tests that pass."""
    builder.write(".gitignore", "junit.xml\n").write("src/lamp.py", "light = 1\n")
    builder.write("pyproject.toml", '[project]\nname = "lamp"\nversion = "1.0"\n')
    builder.write("handoffs/H-1/H-1_RESULTS.md", RESULTS.format(tests=2)).commit("the first")
    return write_junit(builder, test_on="", test_off="")
