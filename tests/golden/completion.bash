_handoff_tui() {
  local words='status show new cycle registry migrate check diff baseline gate decide coverage submit wait packet comments run worker agents step rollback unlock history bisect compare failure log metrics export init keys policy demo hook mcp hooks doctor config completion --repo --version --help' call='' word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do case "$call $word" in
    ' status') call='status' words='--help --at --repo --json --all --past' ;;
    ' show') call='show' words='--help --proofs --at --repo --json --all' ;;
    ' new') call='new' words='--help --title --json --repo' ;;
    ' cycle') call='cycle' words='--help accept complete fail --report --summary --json --repo' ;;
    ' registry') call='registry' words='--help --apply --json --repo' ;;
    ' migrate') call='migrate' words='--help --apply --json --repo' ;;
    ' check') call='check' words='--help --pre --post --gate --handoff --only --except --baseline --fresh --network --format --list --trust --grant --at --repo --json --all' ;;
    ' diff') call='diff' words='--help --handoff --against --between --since --stat --patch --side-by-side --whitespace --context --repo --json --all' ;;
    ' baseline') call='baseline' words='--help list show capture pin' ;;
    'baseline list') call='list' words='--help --repo --json' ;;
    'baseline show') call='show' words='--help --repo --json --all' ;;
    'baseline capture') call='capture' words='--help --repo --json' ;;
    'baseline pin') call='pin' words='--help --none --handoff --repo --json' ;;
    ' gate') call='gate' words='--help --phase --fresh --pin --repo --json --all' ;;
    ' decide') call='decide' words='--help approve reject retry skip override hold withdraw carry --phase --reason --comments --comment --viewed --subject --json --repo' ;;
    ' coverage') call='coverage' words='--help --since --pin --repo --json --all' ;;
    ' submit') call='submit' words='--help --phase --sign --key --since --path --write --json --repo' ;;
    ' wait') call='wait' words='--help --phase --hook --timeout --pin --json --repo' ;;
    ' packet') call='packet' words='--help --phase --json --repo' ;;
    ' comments') call='comments' words='--help --phase --repo --json --all' ;;
    ' run') call='run' words='--help --handoff --phase --again --no-wait --timeout --profile --list --show --withdraw --trust --json --repo' ;;
    ' worker') call='worker' words='--help --on-demand --trial --repo' ;;
    ' agents') call='agents' words='--help list attach' ;;
    'agents list') call='list' words='--help --json --repo' ;;
    'agents attach') call='attach' words='--help --handoff --print --repo' ;;
    ' step') call='step' words='--help --handoff --back --note --loop --beyond-budget --trust --list --prompt --detach --attach --stop --pause --resume --merge --repo --json --all' ;;
    ' rollback') call='rollback' words='--help --apply --dry-run --undo --list --with-uncommitted --repo --json --all' ;;
    ' unlock') call='unlock' words='--help --handoff --list --force --json --repo' ;;
    ' history') call='history' words='--help --phase --recorded --repo --json --all' ;;
    ' bisect') call='bisect' words='--help --handoff --good --bad --finding --repo --json --all' ;;
    ' compare') call='compare' words='--help --phase --repo --json --all' ;;
    ' failure') call='failure' words='--help --phase --check --repo --json --all' ;;
    ' log') call='log' words='--help --handoff --person --verb --repo --json --all show verify replay pin bundle' ;;
    'log show') call='show' words='--help --json --repo --extract' ;;
    'log verify') call='verify' words='--help --json --repo --pin --with-ssh-keygen --against --all --bundle' ;;
    'log replay') call='replay' words='--help --json --repo --all' ;;
    'log pin') call='pin' words='--help --json --repo --forget' ;;
    'log bundle') call='bundle' words='--help --json --repo --out' ;;
    ' metrics') call='metrics' words='--help --repo --json --all --csv --since --until' ;;
    ' export') call='export' words='--help report --html --markdown --since --until --json --repo' ;;
    ' init') call='init' words='--help --reviewer --agent --generate-key --no-passphrase --security-key --protection --pin --start --all --team --tests --no-tests --agent-note --no-agent-note --json --repo' ;;
    ' keys') call='keys' words='--help enroll list' ;;
    'keys enroll') call='enroll' words='--help --principal --key --valid-after --valid-before --agent --json --repo' ;;
    'keys list') call='list' words='--help --json --repo' ;;
    ' policy') call='policy' words='--help show propose sign seal restore' ;;
    'policy show') call='show' words='--help --json --repo' ;;
    'policy propose') call='propose' words='--help --from --add-reviewer --add-root --add-agent --drop-key --root-threshold --edit --keep --output --json --repo' ;;
    'policy sign') call='sign' words='--help --key --yes-i-read-it --json --repo' ;;
    'policy seal') call='seal' words='--help --allow-void --json --repo' ;;
    'policy restore') call='restore' words='--help --json --repo' ;;
    ' demo') call='demo' words='--help --dir --fixed-dates --no-open' ;;
    ' hook') call='hook' words='--help install uninstall claude codex gemini vscode goose opencode' ;;
    'hook install') call='install' words='--help claude codex gemini vscode goose opencode --project --user --dry-run --defer --json --repo' ;;
    'hook uninstall') call='uninstall' words='--help claude codex gemini vscode goose opencode --project --user --dry-run --json --repo' ;;
    'hook claude') call='claude' words='--help --defer' ;;
    'hook codex') call='codex' words='--help' ;;
    'hook gemini') call='gemini' words='--help' ;;
    'hook vscode') call='vscode' words='--help' ;;
    'hook goose') call='goose' words='--help' ;;
    'hook opencode') call='opencode' words='--help' ;;
    ' mcp') call='mcp' words='--help --key --pin --repo' ;;
    ' hooks') call='hooks' words='--help install uninstall' ;;
    'hooks install') call='install' words='--help --pre-commit --pre-push --shared --dry-run --json --repo' ;;
    'hooks uninstall') call='uninstall' words='--help --pre-commit --pre-push --shared --dry-run --json --repo' ;;
    ' doctor') call='doctor' words='--help --repo --json --all' ;;
    ' config') call='config' words='--help show schema accept' ;;
    'config show') call='show' words='--help --origins --repo --json --all' ;;
    'config schema') call='schema' words='--help' ;;
    'config accept') call='accept' words='--help --repo' ;;
    ' completion') call='completion' words='--help bash zsh fish' ;;
  esac; done
  if [[ ${COMP_WORDS[COMP_CWORD-1]} == --repo || ${COMP_WORDS[COMP_CWORD-1]} == --dir ]]; then
    COMPREPLY=($(compgen -d -- "${COMP_WORDS[COMP_CWORD]}"))
  else
    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
  fi
}
complete -o default -F _handoff_tui handoff-tui
