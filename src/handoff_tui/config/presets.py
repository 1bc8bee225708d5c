"""Programs that handoff-tui knows how to run as agents: `preset = "claude"` in `[agents.X]` stands for all of this.

A preset fills in what the configuration leaves out. Checked against Claude Code 2.1, Codex 0.169, Gemini CLI 0.61,
opencode 1.18, goose 1.34 and aider 0.86.
"""

from __future__ import annotations

from collections.abc import Mapping

from handoff_tui.core.classes import NamedTuple

ALLOW, ARGUMENTS = "{allow}", "{arguments}"
"""Words of a preset's command that stand for several: commands it may run without asking, and the user's own words."""
USUAL_ENVIRONMENT = ("HOME", "PATH", "LANG", "LC_ALL", "TERM", "USER", "SHELL", "TMPDIR")
_PROXIES = (
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),
)

ALLOWED = (
    *("git add", "git commit", "git status", "git diff", "git log", "git show", "git mv", "git rm", "git notes"),
    *("pytest", "python -m pytest", "python3 -m pytest", "python -m unittest", "python3 -m unittest"),
    *("uv run pytest", "poetry run pytest", "tox", "nox", "make test", "make check", "ctest"),
    *("npm test", "npm run test", "pnpm test", "yarn test", "bun test", "deno test", "npx vitest", "npx jest"),
    *("cargo test", "go test", "go vet", "mvn test", "gradle test", "./gradlew test", "dotnet test", "swift test"),
    *("mix test", "bundle exec rspec", "rake test", "phpunit", "handoff-tui check", "handoff-tui status"),
)
"""What an agent may run without asking: commits, and the tests of a project."""


class Preset(NamedTuple):
    """How one program is run as an agent."""

    title: str
    """What it is called, also as the author of its commits."""
    command: tuple[str, ...]
    stream: str
    """The form of what it prints."""
    resume: tuple[str, ...]
    """The command with which a person goes on with its session."""
    install: str
    login: str
    """What a person does if it has no login."""
    environment: tuple[str, ...]
    """Variables it is given besides the usual ones."""
    input: str = "none"
    """What it reads: nothing, its prompt, or messages while it works."""
    allow: str = ""
    """How its command names one thing it may run, `{}` standing for it; empty if it can't be said, or need not be."""
    variables: Mapping[str, str] = {}
    has_verdict: bool = True
    """Whether it says at the end how the run went."""
    tells_cost: bool = False
    """Whether it says what a run costs."""
    cost_limit: str = ""
    """Its own option that limits the cost, if it says what a run costs only at the end."""
    login_folder: tuple[str, str] | None = None
    """The variable that names the folder of its login, and the folder in HOME; None if it says itself what it lacks."""
    login_variables: tuple[str, ...] = ()
    """The variables that stand for a login."""


PRESETS: Mapping[str, Preset] = {
    "claude": Preset(
        title="Claude Code",
        command=(
            *("claude", "--print", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"),
            *(
                "--replay-user-messages",
                "--session-id",
                "{session}",
                "--permission-mode",
                "acceptEdits",
                "--allowedTools",
                ALLOW,
                ARGUMENTS,
            ),
        ),
        input="messages",  # notes reach it while it works
        stream="claude",
        allow="Bash({}:*)",
        resume=("claude", "--resume", "{session}"),
        install="npm install --global @anthropic-ai/claude-code",
        login="Run claude once and log in, or set ANTHROPIC_API_KEY.",
        environment=(
            *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"),
            *("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"),
            *("AWS_PROFILE", "AWS_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "CLOUD_ML_REGION"),
        ),
        variables={"DISABLE_AUTOUPDATER": "1"},
        tells_cost=True,
        cost_limit="--max-budget-usd",
    ),
    "codex": Preset(
        title="Codex",
        # its sandbox keeps .git read-only unless the folder is named, and then git could not commit
        command=(
            *("codex", "exec", "--json", "--sandbox", "workspace-write", "--add-dir", "{git_folder}"),
            *(ARGUMENTS, "-"),
        ),
        input="prompt",
        stream="codex",
        resume=("codex", "resume", "{session}"),
        install="npm install --global @openai/codex",
        login="Run codex login, or set CODEX_API_KEY.",
        environment=("CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        login_folder=("CODEX_HOME", ".codex"),
        login_variables=("CODEX_API_KEY", "OPENAI_API_KEY"),
    ),
    "gemini": Preset(
        title="Gemini CLI",
        command=(
            *("gemini", "--output-format", "stream-json", "--session-id", "{session}", "--skip-trust"),
            *("--approval-mode", "auto_edit", "--allowed-tools", ALLOW, ARGUMENTS),
        ),
        input="prompt",
        stream="gemini",
        allow="run_shell_command({})",
        resume=("gemini", "--resume", "{session}"),
        install="npm install --global @google/gemini-cli",
        login="Run gemini once and log in, or set GEMINI_API_KEY.",
        environment=(
            *(
                "GEMINI_API_KEY",
                "GEMINI_MODEL",
                "GOOGLE_API_KEY",
                "GOOGLE_GEMINI_BASE_URL",
                "GOOGLE_GENAI_USE_VERTEXAI",
            ),
            *("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS"),
        ),
    ),
    "opencode": Preset(
        title="opencode",
        command=("opencode", "run", "--format", "json", ARGUMENTS),
        input="prompt",
        stream="opencode",
        resume=("opencode", "--session", "{session}"),
        install="npm install --global opencode-ai",
        login="Run opencode auth login, or set the API key of its provider.",
        environment=(
            *("OPENCODE_API_KEY", "OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR"),
            *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"),
        ),
        variables={"OPENCODE_DISABLE_AUTOUPDATE": "1"},
        tells_cost=True,
    ),
    "goose": Preset(
        title="goose",
        command=(
            *("goose", "run", "--output-format", "stream-json", "--name", "{session}", ARGUMENTS),
            *("--instructions", "{prompt_file}"),
        ),
        stream="goose",
        resume=("goose", "session", "--resume", "--name", "{session}"),
        install="npm install --global @aaif/goose",
        login="Run goose configure, or set the API key of its provider.",
        environment=(
            *("GOOSE_PROVIDER", "GOOSE_MODEL", "OPENAI_API_KEY", "OPENAI_HOST", "ANTHROPIC_API_KEY", "ANTHROPIC_HOST"),
            *("GOOGLE_API_KEY", "OPENROUTER_API_KEY", "GOOSE_DISABLE_KEYRING"),
        ),
        variables={"GOOSE_MODE": "auto"},  # nobody is there to be asked
    ),
    "aider": Preset(
        title="aider",
        # nothing but the work in the work tree: no .gitignore, no history, no cache of its map of the repository
        command=(
            *("aider", "--yes-always", "--no-pretty", "--no-stream", "--no-check-update", "--no-show-release-notes"),
            *("--no-gitignore", "--no-suggest-shell-commands", "--no-detect-urls", "--no-analytics"),
            *("--no-attribute-author", "--no-attribute-committer", "--map-tokens", "0"),
            *("--chat-history-file", "{run_folder}/aider.chat.md", "--input-history-file", "{run_folder}/aider.input"),
            *(ARGUMENTS, "--message-file", "{prompt_file}"),
        ),
        stream="aider",
        resume=("aider", "--restore-chat-history", "--chat-history-file", "{run_folder}/aider.chat.md"),
        install="python -m pip install aider-chat",
        login="Set the API key of its provider, such as OPENAI_API_KEY or ANTHROPIC_API_KEY.",
        environment=(
            *("AIDER_MODEL", "OPENAI_API_KEY", "OPENAI_API_BASE", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"),
            *("OPENROUTER_API_KEY", "DEEPSEEK_API_KEY"),
        ),
        has_verdict=False,
        tells_cost=True,
    ),
}


def fill_in(given: dict[str, object]) -> dict[str, object]:
    """Returns the settings of an agent with what its preset knows; what was given wins."""
    preset = PRESETS.get(str(given.get("preset")))
    if preset is None:
        return given
    allowed = given.get("allow", ALLOWED)
    arguments = _list_words(given.get("arguments", ()))
    if preset.cost_limit and given.get("max_cost") is not None:
        arguments = [preset.cost_limit, str(given["max_cost"]), *arguments]
    usual: dict[str, object] = {
        "command": _build_command(preset, _list_words(allowed), arguments),
        "environment": [*USUAL_ENVIRONMENT, *_PROXIES, *preset.environment],
        "stream": preset.stream,
        "input": preset.input,
        "resume": list(preset.resume),
        "allow": list(ALLOWED),
        "identity": f"{preset.title} <{given['preset']}@agents.invalid>",
    }
    variables = given.get("variables", {})
    known = dict(preset.variables)
    return {**usual, **given, "variables": known | variables if isinstance(variables, dict) else variables}


def _build_command(preset: Preset, allowed: list[str], arguments: list[str]) -> list[str]:
    several = {ALLOW: [",".join(preset.allow.format(command) for command in allowed)], ARGUMENTS: arguments}
    return [part for word in preset.command for part in several.get(word, [word])]


def _list_words(given: object) -> list[str]:
    """Only well-formed lists count here; the settings refuse the others."""
    return [word for word in given if isinstance(word, str)] if isinstance(given, (list, tuple)) else []
