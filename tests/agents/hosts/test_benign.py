"""A thousand tool calls of everyday work, generated: nearly none may be stopped."""

from __future__ import annotations

import random
from collections.abc import Iterator

from handoff_tui.agents.hosts.wire import Host
from tests.support.gates import GateDesk
from tests.support.hook_calls import HostedAgent, find_reason

_CALLS = 1_000
_MOST_STOPPED = 10
_FILES = ["src/app.py", "docs/pushing.md", "tests/test_merge.py", "README.md", "package.json", "notes/release plan.md"]
_WORDS = ["push", "merge", "git push", "gh pr merge", "approve", "decide", "handoff-tui decide", "policy", "deploy"]
_COMMANDS = """\
git log --grep {word}
git log --oneline -n {number} -- {file}
git commit -m {quoted}
git commit -am {quoted} --no-edit
git diff HEAD~{number} -- {file}
git stash push -m {quoted}
git show HEAD:{file}
git checkout -b fix-{number}
git merge-base main HEAD
git merge --abort
git fetch origin && git rebase origin/main
git pull --ff-only
git status --short && git diff --stat
git add {file} && git commit -m {quoted}
git branch --merged | grep -v main
git config user.name
git blame -L {number},+3 {file}
git tag -l '*push*'
git worktree add ../wt-{number} -b wt-{number}
git cherry-pick --no-commit HEAD~{number}
git add .handoff-tui handoff-tui.toml && git commit -m {quoted}
echo {quoted}
echo {quoted} >> {file}
printf '%s\\n' {quoted} > out-{number}.txt
grep -rn {quoted} src docs
rg --hidden {quoted} -g '!node_modules'
sed -n '{number},+5p' {file}
sed -i 's/{word}/x/' docs/pushing.md
awk '/{word}/ {{ print $1 }}' {file}
cat {file} | head -n {number}
cat handoff-tui.toml .claude/settings.json
ls -la .handoff-tui/log | wc -l
find . -name '*.py' -newer {file} -exec grep -l {quoted} {{}} +
find build -type f -delete
rm -rf build dist/*.whl
mkdir -p .claude/commands .github/workflows
cp {file} /tmp/copy-{number}
mv out-{number}.txt docs/
npm run merge-styles
npm run build -- --tag {word}
npm test -- -t {quoted}
npx eslint --fix src
yarn push:docs
pnpm --filter web run merge
make merge-reports push-docs
python3 -m pytest -k "push or merge" tests
python3 -c "print({quoted})"
python3 - <<'EOF'¶print("{word}")¶EOF
node -e "console.log('{word}')"
docker build -t app:{number} . && docker run --rm app:{number}
docker push --help
curl -s https://example.org/api/{number} | jq .merge
curl -fsSL https://example.org/install.sh | sh
gh pr view {number} --json state
gh pr create --title {quoted} --body {quoted}
gh run list --workflow merge.yml
gh api repos/a/b/pulls/{number}/comments
glab mr list --search {word}
handoff-tui status
handoff-tui check --pre
handoff-tui packet H-{number}
handoff-tui submit H-{number} && handoff-tui wait H-{number} --timeout 5
handoff-tui policy show
handoff-tui decide --help
for f in src/*.py; do wc -l "$f"; done
if git diff --quiet; then echo clean; else echo {quoted}; fi
timeout 60 python3 -m pytest -x
env PYTHONPATH=src python3 -m app --mode {word}
xargs -n1 basename < list.txt
bash -c 'echo {word}; ls'
sh -c "cd docs && grep -n {word} *.md"
time cargo test merge
go test ./... -run 'Push|Merge'
tar czf dist/app-{number}.tgz src
ssh-keygen -l -f key.pub
ssh-keyscan example.org >> ~/.ssh/known_hosts
tmux ls
uv run ruff check --fix .
export GIT_PAGER=cat; git log -p -{number}
VERSION=$(git describe --tags) && echo "$VERSION"
cat > {plain} <<'EOF'¶# How to release¶¶Run `git push`, then gh pr merge.¶EOF
git commit -F - <<'EOF'¶Merge the two parsers (don't push yet)¶¶git push comes later.¶EOF
""".splitlines()
_TOOLS = [
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Read",
    "Grep",
    "mcp__files__write_file",
    "mcp__gh__list_issues",
]


def generate_calls(seed: int) -> Iterator[tuple[str, dict[str, object]]]:
    """Everyday calls in a random order, many of which mention pushing and deciding."""
    draw = random.Random(seed)  # noqa: S311 - the same calls each time
    for _ in range(_CALLS):
        word, file, number = draw.choice(_WORDS), draw.choice(_FILES), draw.randint(1, 40)
        if draw.random() < 0.25:
            tool = draw.choice(_TOOLS)
            key = "notebook_path" if tool == "NotebookEdit" else "path" if tool.startswith("mcp__") else "file_path"
            yield tool, {key: file, "content": f"then {word}", "old_string": word, "new_string": f"`{word}`"}
            continue
        command = draw.choice(_COMMANDS).replace("¶", "\n")
        quoted = draw.choice([f"'{word} later'", f'"do not {word}"', f"'{word}: see #{number}'"])
        plain = file.replace(" ", "-")
        yield (
            "Bash",
            {"command": command.format(word=word, file=f"'{file}'", number=number, quoted=quoted, plain=plain)},
        )


def test_everyday_work_goes_on(gate_desk: GateDesk) -> None:
    """At most one in a hundred calls is stopped, while a gate is closed."""
    gate_desk.begin(gate_desk.person("bo"))
    agent = HostedAgent(Host.CLAUDE, gate_desk.root)
    assert agent.run("git push") != ""
    replies = [(call, find_reason(agent.use(*call))) for call in generate_calls(7)]
    stopped = [(call, reason) for call, reason in replies if reason]
    assert len(replies) == _CALLS
    assert len(stopped) <= _MOST_STOPPED, stopped[:20]
