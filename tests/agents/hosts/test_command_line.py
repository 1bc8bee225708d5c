from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.agents.hosts.tools.acts import ActKind, Surroundings
from handoff_tui.agents.hosts.tools.command_line import judge_command_line

ALIASES = {"p": "push", "up": "!git push --force", "ship": '!f() { git merge "$1"; }; f', "st": "status"}
SCRIPTS = {
    "/repo/release.sh": "#!/bin/sh\nset -e\ngit push\n",
    "/repo/test.sh": "#!/bin/sh\npytest\n",
    "/repo/ship": "#!/usr/bin/env python3\nimport os\nos.system('git push')\n",
    "/repo/ship.py": "import subprocess\n\nsubprocess.run(['git', '--no-pager', 'push'])\n",
}
AROUND = Surroundings("/repo", "/home/ada", lambda _: ALIASES, SCRIPTS.get)
PASSING = frozenset({ActKind.PASS_ON, ActKind.UNCLEAR})

PUSHES = """\
git push
git -C x -c a=b push
git --no-pager --git-dir=/x/.git push
/usr/bin/git push origin main
\\git push
git p
git up
git ship feature
git -c alias.x=push x
git -c alias.x='!git push' x
git config alias.q push && git q
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x
git -c help.autocorrect=immediate psuh
git-push
/usr/lib/git-core/git-push
git send-pack origin
git subtree push --prefix x origin y
git lfs push origin
git merge feature
git pull . feature
git rebase -x 'git push' main
git bisect run git push
git submodule foreach 'git push'
env A=1 git push
env -S 'git push'
env -i PATH=/bin git push
sudo -u bob git push
sudo -Zsomething git push
doas git push
nohup git push &
time git push
timeout -k 5 10 git push
nice -n 5 git push
stdbuf -oL git push
setsid git push
command git push
exec git push
busybox sh -c 'git push'
script -qec 'git push' /dev/null
flock /tmp/x git push
watch git push
ssh host 'git push'
echo a | xargs git push
xargs -I{} sh -c 'git push {}' < list
find . -maxdepth 0 -exec git push \\;
uv run git push
tmux send-keys 'git push' Enter
sh -c 'git push'
bash -lc "cd x && git push"
bash -o pipefail -c 'git push'
bash -c "bash -c 'git push'"
zsh -ic 'git push'
eval git push
eval "git push"
echo $(git push)
`git push`
diff <(git push) x
true; git push
true && git push
false || git push
(git push)
{ git push; }
! git push
if true; then git push; fi
for r in a b; do git push $r; done
while true; do git push; done
f() { git push; }; f
alias gp='git push'; gp
trap 'git push' EXIT
g''it pu""sh
git $'pu\\x73h'
git pu\\sh
{git,push}
git${IFS}push
X=push; git $X
C='git push'; $C
echo 'git push' | sh
printf 'git %s\\n' push | bash
bash <<<'git push'
echo Z2l0IHB1c2g= | base64 -d | sh
git $CMD
$GIT push
./release.sh
bash release.sh
. ./release.sh
source /repo/release.sh
gh pr merge 3 --squash
gh -R a/b pr merge 3
gh pr merge --auto
gh pr review 3 --approve
gh api -X PUT repos/a/b/pulls/1/merge
gh api graphql -f query='mutation { mergePullRequest(input: {}) { x } }'
glab mr merge 1
glab mr accept 1
glab api -X PUT projects/1/merge_requests/2/merge
tea pr merge 4
jj git push
hg push
curl -X PUT https://api.github.com/repos/a/b/pulls/1/merge
python3 -c "import subprocess; subprocess.run(['git', 'push'])"
python3 -c "import os; os.system('git push')"
node -e "require('child_process').execSync('git push')"
perl -e 'system("git push")'
awk 'BEGIN { system("git push") }'
Git push
git --config-env=alias.x=FOO x
env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push; git x
echo push | xargs git
xargs -I{} git {} < list
$(echo git push)
$(echo $(printf git)) push
eval "$(echo git push)"
eval $(echo Z2l0IHB1c2g= | base64 -d)
set -- git push; "$@"
sh -c '"$@"' _ git push
sh -c '$1 $2' _ git push
${X:-git push}
git ${VERB:-push}
${GIT:-git} push
function f { git push; }; f
time -p git push
echo 'git push' | at now
echo '* * * * * cd /repo && git push' | crontab -
systemd-run --user git push
conda run -n test git push
dotenvx run -- git push
nix-shell -p git --run "git push"
npx -c 'git push'
nodemon --exec 'git push'
hyperfine 'git push'
parallel ::: 'git push'
pwsh -Command "git push"
cmd.exe /c git push
tmux send-keys -t x 'git pu' 'sh' Enter
tmux send-keys -t x git Space push Enter
ssh localhost <<< 'git push'
bash <(echo git push)
source <(echo git push)
bash < release.sh
cat release.sh | bash
sh -c "$(cat release.sh)"
. /dev/stdin <<< 'git push'
echo 'git push' > y.sh; sh y.sh
printf 'git push' | tee z.sh; sh ./z.sh
vim -c '!git push' -c q
GIT_PAGER='git push' git log
env GIT_EDITOR='git push' git commit
git -c diff.external='git push' diff
git difftool --extcmd='git push'
git rebase -x'git push' HEAD~1
git filter-branch --tree-filter 'git push' HEAD
git for-each-repo --config=x push
git p?sh
git branch -f main feature
git checkout -B main feature
git update-ref refs/heads/main feature
git fetch . feature:main
gh api -X POST repos/o/r/pulls/5/reviews -f event=APPROVE
gh api -X PATCH repos/o/r/git/refs/heads/main -f sha=abc
hub api -XPUT repos/o/r/pulls/1/merge
curl -X PUT https://api.github.com/repos/o/r/contents/a.txt -d '{}'
aws codecommit merge-pull-request-by-squash --pull-request-id 1
node -e 'require("child_process").spawnSync("git", ["push"])'
deno eval 'new Deno.Command("git", {args: ["push"]}).output()'
perl -E 'say qx(git push)'
python3 -c "import subprocess; subprocess.run(['git', '-C', '/x', 'push'])"
python3 -c "from git import Repo; Repo('.').remotes.origin.push()"
python3 -c "import requests; requests.put('https://api.github.com/repos/o/r/pulls/1/merge')"
python3 ship.py
./ship
git push --dry-run --no-dry-run
git push --dry-run && git push
""".splitlines()

HARMLESS = """\
git log --grep push
git log --merges
git merge-base main HEAD
git merge --abort
git push --help
git help push
man git-push
git stash push
git stash push -m "before merge"
git branch push
git checkout -b merge-fix
git tag push-1
git diff main...push
git fetch --all
git pull
git pull --rebase origin main
git commit -m 'git push fix'
git commit -m "merge styles; git push later"
git config user.name Ada
git config --get alias.p
git st
git remote -v
echo "git push"
echo 'git merge main' >> notes.md
printf '%s\\n' 'git push'
grep -rn 'git push' docs
rg "gh pr merge" .
sed -n 's/git push/x/p' README.md
awk '/git push/' log.txt
ls | xargs grep -l 'git push'
find . -name push -print
npm run merge-styles
npm run push:docs -- --dry
yarn merge
make merge-reports
docker pull x
python -c 'print("git push")'
python3 -m pytest -k "push or merge"
pytest tests/test_push.py::test_merge
curl https://sh.rustup.rs | sh
curl -s https://api.github.com/repos/a/b/pulls/1
gh pr view 3
gh pr create --fill
gh pr list --search merge
gh api repos/a/b/pulls/1
glab mr list
handoff-tui status
handoff-tui check --pre
handoff-tui policy show
handoff-tui keys list
handoff-tui submit H-3
handoff-tui wait H-3
handoff-tui decide --help
handoff-tui packet H-3
./test.sh
bash test.sh
cat release.sh
ssh-keygen -l -f key.pub
git push --dry-run
git branch -f main origin/main
git fetch origin main:main
[ -f push ] && echo push
eval "$(ssh-agent -s)"
eval "$(direnv hook bash)"
source <(kubectl completion bash)
git ls-files -m | xargs git add
git ls-files | xargs -I{} git add {}
ls | xargs -n1 echo git
docker build -t git-push .
docker run --rm alpine echo git push
npm install --save git-push
gh api repos/o/r/pulls/1/merge
gh api repos/o/r/git/refs/heads/main
gh api graphql -f query='query { repository(owner: "a", name: "b") { mergeCommitAllowed } }'
curl -fsSL https://api.github.com/repos/o/r/contents/x
notify-send 'git push done'
psql -c 'merge into t using s on x when matched then do nothing'
python3 -c "import subprocess; subprocess.run(['git', 'stash', 'push'])"
python3 -c "import subprocess; print(subprocess.check_output(['git', 'log', '--grep', 'push']))"
MSG='git push'; git commit -m "$MSG"
git -c push.default=current status
tldr git push
""".splitlines()

DECIDING = """\
handoff-tui decide approve H-3
handoff-tui --repo x decide approve H-3
/opt/bin/handoff-tui decide approve H-3
python -m handoff_tui decide approve H-3
python3 -mhandoff_tui init
python3.12 -P -m handoff_tui decide approve H-3
uvx handoff-tui decide reject H-3
uv run handoff-tui decide approve H-3
yes | handoff-tui decide approve H-3
script -qec 'handoff-tui decide approve H-3' /dev/null
bash -c "handoff-tui decide approve H-3"
echo "handoff-tui decide approve H-3" | sh
tmux send-keys 'handoff-tui decide approve H-3' Enter
env -u CLAUDECODE handoff-tui decide approve H-3
handoff-tui init
handoff-tui policy sign proposal.json
handoff-tui policy seal proposal.json
handoff-tui policy propose --add-reviewer me
handoff-tui keys enroll
handoff-tui baseline pin abc
handoff-tui log pin
handoff-tui check --trust sha256:1
handoff-tui check --tru sha256:1
handoff-tui step --note "go on"
handoff-tui step --note="go on"
handoff-tui step --beyond-budget
handoff-tui hook uninstall claude
handoff-tui hooks uninstall
python3 -c "import subprocess; subprocess.run(['handoff-tui', 'decide', 'approve', 'H-3'])"
echo decide approve H-3 | xargs handoff-tui
handoff-tui $WHAT approve H-3
$(which handoff-tui) decide approve H-3
Handoff-TUI decide approve H-3
""".splitlines()


def find_kinds(text: str) -> set[ActKind]:
    return {act.kind for act in judge_command_line(text, AROUND)}


@pytest.mark.parametrize("text", PUSHES)
def test_work_that_is_passed_on_is_seen(text: str) -> None:
    """Whatever stands around it."""
    assert find_kinds(text) & PASSING


def test_document_for_a_shell_is_read() -> None:
    """A text of several lines, too."""
    assert find_kinds("cat <<EOF | bash\nset -e\ngit push\nEOF") & PASSING
    assert find_kinds("bash <<'EOF'\ngit push\nEOF") & PASSING
    assert find_kinds("python3 - <<'EOF'\nimport os\nos.system('git push')\nEOF") & PASSING


@pytest.mark.parametrize("text", HARMLESS)
def test_words_alone_pass_nothing_on(text: str) -> None:
    """Only commands do."""
    assert find_kinds(text) <= {ActKind.WRITE, ActKind.DELETE}


def test_message_in_a_document_is_no_command() -> None:
    """The usual way of agents to write a commit message."""
    text = "git commit -m \"$(cat <<'EOF'\nDon't push (yet)\n\nThen: git push; gh pr merge\nEOF\n)\""
    assert find_kinds(text) == set()


@pytest.mark.parametrize("text", DECIDING)
def test_deciding_is_seen(text: str) -> None:
    """However the program is called."""
    assert ActKind.DECIDE in find_kinds(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("echo x > handoff-tui.toml", "/repo/handoff-tui.toml"),
        ("echo x >> ~/.ssh/id", "/home/ada/.ssh/id"),
        ("cd .handoff-tui && touch log", "/repo/.handoff-tui/log"),
        ("tee a/../b < c", "/repo/b"),
        ("sed -i s/a/b/ .claude/settings.json", "/repo/.claude/settings.json"),
        ("cp evil.json .codex/hooks.json", "/repo/.codex/hooks.json"),
        ("cp settings.json .claude/", "/repo/.claude/settings.json"),
        ("cp -t .claude settings.json", "/repo/.claude/settings.json"),
        ("dd if=x of=.gemini/settings.json", "/repo/.gemini/settings.json"),
        ("git checkout HEAD~3 -- handoff-tui.toml", "/repo/handoff-tui.toml"),
        ("python3 -c \"open('handoff-tui.toml', 'w').write('')\"", "/repo/handoff-tui.toml"),
        ("perl -pi -e s/a/b/ handoff-tui.toml", "/repo/handoff-tui.toml"),
        ("sh -c 'echo x > handoff-tui.toml'", "/repo/handoff-tui.toml"),
        ("truncate -s 0 handoff-tui.toml", "/repo/handoff-tui.toml"),
    ],
)
def test_written_files_are_named(text: str, path: str) -> None:
    """By their absolute paths."""
    assert path in {act.what for act in judge_command_line(text, AROUND) if act.kind is ActKind.WRITE}


@pytest.mark.parametrize("text", ["rm -rf x", "mv x y", "git rm -r x", "find x -delete", "git clean -fdx x"])
def test_deleted_files_are_named(text: str) -> None:
    """Also by git and find."""
    assert "/repo/x" in {act.what for act in judge_command_line(text, AROUND) if act.kind is ActKind.DELETE}


@pytest.mark.parametrize(
    "text", ["ssh-keygen -Y sign -n x -f k f", "git config gpg.ssh.program /x", "git config --unset handoff-tui.a.pin"]
)
def test_use_of_keys_is_seen(text: str) -> None:
    """A signature, and what signs."""
    assert ActKind.SIGN in find_kinds(text)


def test_folder_of_a_push_is_known() -> None:
    """Its gates count, not those of the folder where the agent started."""
    folders = {
        "git -C ../other push": "/other",
        "cd /x/y && git push": "/x/y",
        "git --work-tree /x/z push": "/x/z",
        "git --git-dir=/x/z/.git push": "/x/z",
        "GIT_DIR=/x/z/.git git push": "/x/z",
        "env GIT_DIR=/x/z/.git git push": "/x/z",
        "export GIT_WORK_TREE=/x/z; git push": "/x/z",
        "git push": "/repo",
    }
    for text, folder in folders.items():
        assert [act.folder for act in judge_command_line(text, AROUND)] == [folder]


WRAPS: list[Callable[[str], str]] = [
    lambda text: f"sh -c {shlex.quote(text)}",
    lambda text: f"bash -lc {shlex.quote(text)}",
    lambda text: f"env A=b {text}",
    lambda text: f"sudo -n {text}",
    lambda text: f"nohup {text}",
    lambda text: f"eval {shlex.quote(text)}",
    lambda text: f"echo $({text})",
    lambda text: f"true && {text}",
    lambda text: f"cd x; {text} | cat",
    lambda text: f"({text})",
    lambda text: f"echo {shlex.quote(text)} | sh",
    lambda text: f"if true; then {text}\nfi",
    lambda text: f"cat <<'END' | bash\n{text}\nEND",
    lambda text: f"timeout 9 {text}",
]
"""Each leaves a simple command a simple command, or makes a command line of it."""
SIMPLE = st.sampled_from(["git push", "git -c a=b merge x", "/usr/bin/git push -f", "gh pr merge 1", "git p"])
CALM = st.sampled_from(["git status", "ls -l", "npm run push", "echo push", "git log --grep merge", "git stash push"])
WRAPPED_ONCE = st.sampled_from(WRAPS)
LINES = st.lists(st.sampled_from([WRAPS[0], WRAPS[1], WRAPS[5], WRAPS[9]]), max_size=3)


def _wrap(text: str, inner: Callable[[str], str], outer: list[Callable[[str], str]]) -> str:
    text = inner(text)
    for wrap in outer:
        text = wrap(text)
    return text


@given(SIMPLE, WRAPPED_ONCE, LINES)
def test_no_wrapping_hides_it(text: str, inner: Callable[[str], str], outer: list[Callable[[str], str]]) -> None:
    """Several layers of it, too."""
    assert find_kinds(_wrap(text, inner, outer)) & PASSING


@given(CALM, WRAPPED_ONCE, LINES)
def test_no_wrapping_raises_an_alarm(text: str, inner: Callable[[str], str], outer: list[Callable[[str], str]]) -> None:
    """What is harmless stays harmless."""
    assert not find_kinds(_wrap(text, inner, outer)) & PASSING


@given(st.sampled_from(PUSHES[:5] + HARMLESS[:10]), st.data())
def test_quoting_changes_nothing(text: str, data: st.DataObject) -> None:
    """The same words, quoted otherwise, are judged the same."""
    words = shlex.split(text)
    quotes: list[Callable[[str], str]] = [
        shlex.quote,
        lambda word: '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"',
        lambda word: "".join(f"\\{sign}" for sign in word),
        lambda word: "$'" + "".join(f"\\x{ord(sign):02x}" for sign in word) + "'",
        lambda word: f"''{shlex.quote(word)}\"\"",
    ]
    again = " ".join(data.draw(st.sampled_from(quotes))(word) for word in words)
    assert judge_command_line(again, AROUND) == judge_command_line(shlex.join(words), AROUND)


@given(st.text(st.sampled_from("git push sh -c eval env sudo '\"\\$`(){}<>|&;#\n\t=*?[]!~,"), max_size=80))
def test_nothing_makes_it_raise(text: str) -> None:
    """Agents write anything."""
    judge_command_line(text, AROUND)
