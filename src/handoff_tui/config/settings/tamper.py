"""The tamper lens: what must not have been loosened since the baseline."""

from __future__ import annotations

from handoff_tui.config.settings.quantities import Name
from handoff_tui.core.model import Model

_NUMBER = r"(\d+(?:\.\d+)?)"

_FLOORS = {
    "coverage fail_under": rf"\bfail[_-]under[\"']?\s*[=: ]\s*{_NUMBER}",
    "coverage of branches": rf"(?<![\w-])branches[\"']?\s*[:=]\s*{_NUMBER}",
    "coverage of functions": rf"(?<![\w-])functions[\"']?\s*[:=]\s*{_NUMBER}",
    "coverage of lines": rf"(?<![\w-])lines[\"']?\s*[:=]\s*{_NUMBER}",
    "coverage of statements": rf"(?<![\w-])statements[\"']?\s*[:=]\s*{_NUMBER}",
    "coverage target": rf"\btarget[\"']?\s*:\s*[\"']?{_NUMBER}\s*%",
    "coverage minimum": rf"\bmin(?:imum)?[_-]?coverage[\"']?\s*[:= ]\s*{_NUMBER}",
}
_CEILINGS = {
    "allowed warnings": rf"\bmax-warnings[\"',]*\s*[= ]?\s*[\"']?{_NUMBER}",
    "allowed complexity": rf"\bmax[_-]complexity[\"']?\s*[:=]\s*{_NUMBER}",
    "coverage tolerance": rf"\bthreshold[\"']?\s*:\s*[\"']?{_NUMBER}\s*%",
    "timeout": rf"\b(?:test|hook|faulthandler|session)?[_-]?timeout(?:[_-]?(?:minutes|seconds|ms))?[\"']?"
    rf"\s*[:= ]\s*{_NUMBER}",
    "retries": rf"(?:\bretries[\"']?\s*[:=]|--reruns[= ]|--retries[= ])\s*{_NUMBER}",
}


class Tamper(Model):
    """The tamper lens: what must not have been loosened since the baseline."""

    test_files: tuple[Name, ...] = (
        *("test_*.py", "*_test.py", "conftest.py", "tests/*.py", "test/*.py"),
        *("*.test.js", "*.test.jsx", "*.test.ts", "*.test.tsx", "*.test.mjs", "*.test.cjs"),
        *("*.spec.js", "*.spec.jsx", "*.spec.ts", "*.spec.tsx", "*.spec.mjs", "*.spec.cjs"),
        *("__tests__/*.js", "__tests__/*.jsx", "__tests__/*.ts", "__tests__/*.tsx"),
        *("*_test.go", "*.rs", "*Test.java", "*Tests.java", "*IT.java", "src/test/*.java"),
        *("*Test.kt", "*Tests.kt", "src/test/*.kt"),
    )
    """Files that hold tests: patterns of names, or, with a slash, of paths at any depth."""
    ci_files: tuple[Name, ...] = (
        *(".github/workflows/*", ".github/actions/*", ".gitlab-ci.yml", ".gitlab-ci.yaml", ".gitlab/ci/*"),
        *("Jenkinsfile", "Jenkinsfile.*", "azure-pipelines*.yml", "azure-pipelines*.yaml", ".azure-pipelines/*"),
        *(".circleci/*", ".ci/*", ".travis.yml", ".drone.yml", ".woodpecker.yml", ".woodpecker/*", ".buildkite/*"),
        *("bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml", ".cirrus.yml"),
        *("tox.ini", "noxfile.py", "pytest.ini", ".pytest.ini"),
        *(".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", ".husky/*"),
    )
    """Files that say how work is checked; any change is told."""
    makefiles: tuple[Name, ...] = ("Makefile", "makefile", "GNUmakefile", "*.mk", "justfile", "Justfile")
    """Files with targets, of which those that check are compared."""
    check_target: Name = r"(?:^|[-_:.])(?:tests?|check|checks|lint|ci|verify|coverage|cov|typecheck)(?:$|[-_:.])"
    """What the name of a target or script that checks looks like."""
    check_tables: tuple[Name, ...] = ("tool.pytest", "tool.tox", "tool.nox")
    """Tables of `pyproject.toml` that say how work is checked."""
    threshold_files: tuple[Name, ...] = (
        *("pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", ".coveragerc", "noxfile.py", "Makefile", "justfile"),
        *("package.json", "jest.config.*", "vitest.config.*", "vite.config.*", "karma.conf.*", "playwright.config.*"),
        *(".nycrc", ".nycrc.*", ".c8rc.json", ".eslintrc*", "eslint.config.*", "codecov.yml", ".codecov.yml"),
        *(".github/workflows/*", ".gitlab-ci.yml", ".circleci/*", "Jenkinsfile", "azure-pipelines*.yml", ".ci/*"),
        *(".pre-commit-config.yaml", ".golangci.yml", ".golangci.yaml", "sonar-project.properties", "ruff.toml"),
    )
    """Files that hold thresholds."""
    floors: dict[Name, Name] = _FLOORS
    """Thresholds that must not fall, by name: a pattern whose group is the number."""
    ceilings: dict[Name, Name] = _CEILINGS
    """Thresholds that must not rise, by name: a pattern whose group is the number."""
    zero_unless_set: tuple[Name, ...] = ("coverage tolerance", "retries")
    """Ceilings that are zero where they are not set, so that taking one away loosens nothing."""
