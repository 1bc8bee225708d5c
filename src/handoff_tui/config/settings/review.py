"""What a review looks at: approvals, tampering, risks, and the reports that belong to a snapshot."""

from __future__ import annotations

from handoff_tui.config.quantities import Count, Name, Quantity
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


class Risk(Model):
    """What is worth a closer look; it blocks nothing."""

    policy_files: tuple[Name, ...] = (
        *("handoff-tui.toml", "CODEOWNERS", "allowed_signers", ".handoff-tui/*"),
        *("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".claude/settings*.json", ".claude/hooks/*", ".mcp.json", ".cursor/*"),
    )
    """Files with the rules under which work is made and judged: patterns of names, or, with a slash, of paths."""
    sensitive_paths: tuple[Name, ...] = (
        *(".env", ".env.*", "*.pem", "*.key", "*.p12", "id_rsa*", "id_ed25519*", ".netrc", ".npmrc", ".pypirc"),
        *(".gitattributes", ".gitmodules", ".gitignore", "Dockerfile", "docker-compose*.yml", "compose*.yaml"),
        *("*.tf", "migrations/*", "deploy/*", "k8s/*", "helm/*"),
    )
    """Files whose change always deserves a look, as links, submodules and new executables do."""
    files_maximum: Quantity = 40
    """The most changed files that a person reads in one sitting."""
    lines_maximum: Quantity = 1_000
    """The most added and deleted lines that a person reads in one sitting."""
    scanned_files_maximum: Quantity = 500
    """How many changed files are searched for hidden characters."""
    scanned_bytes: Quantity = 256 * 1024
    """The largest file that is searched for hidden characters."""


class Approvals(Model):
    """Approvals that handoffs carry."""

    fields: tuple[Name, ...] = (
        "approved by",
        "approver",
        "approval by",
        "human approval",
        "deploy approved by",
        "deployment approved by",
        "signed off by",
        "sign-off by",
        "greenlight",
        "greenlit by",
        "greenlight by",
    )
    """Fields that name who approved; case, hyphens and underscores do not matter."""
    agent_words: tuple[Name, ...] = (
        *("agent", "agents", "bot", "ai", "assistant", "llm", "model", "orchestrator", "director"),
        *("auto", "automated", "automatic", "automation", "script", "system", "pipeline", "ci", "cicd", "self"),
        *("claude", "gpt", "chatgpt", "openai", "anthropic", "gemini", "codex", "copilot", "cursor", "devin", "aider"),
        *("github-actions", "jenkins", "dependabot", "renovate"),
    )
    """Words in a name that say it isn't a person's."""
    nameless_words: tuple[Name, ...] = (
        *("human", "user", "operator", "admin", "owner", "reviewer", "someone", "person", "team"),
        *("yes", "true", "ok", "approved", "granted", "given", "received", "confirmed", "go"),
    )
    """Words used in place of a name that name nobody."""
    refusing_words: tuple[Name, ...] = (
        *("no", "not", "none", "nobody", "n/a", "na", "null", "false", "tbd", "todo", "pending", "waiting"),
        *("awaiting", "required", "requested", "needed", "denied", "rejected", "withheld", "until", "before", "if"),
    )
    """Words in place of a name that say nobody has approved yet."""
    near_lines: Count = 3
    """How many lines away from an approval a word still counts for it."""


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
    """What must not have been loosened since the baseline."""

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
    """Files that say how work is checked; any change is reported."""
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
    """Ceilings that are zero if not set, so that removing one loosens nothing."""


class ScopeSettings(Model):
    """What counts as the work of one handoff."""

    since: str = ""
    """Only changes after this commit."""
    until: str = ""
    """Only changes up to this commit; what comes after it is assigned as usual."""
    paths: tuple[str, ...] = ()
    """Only changes of these files, or below these folders."""
