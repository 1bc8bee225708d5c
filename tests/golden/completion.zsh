#compdef handoff-tui
_handoff_tui() {
  if [[ ${words[CURRENT-1]} == (--repo|--dir) ]]; then _files -/; return; fi
  if (( CURRENT == 2 )); then compadd -- status show new cycle registry migrate check diff baseline gate decide coverage submit wait packet comments run worker agents step rollback unlock history bisect compare failure log metrics export init keys policy demo hook mcp hooks doctor config completion --repo --version --help; return; fi
  case "${words[2]} ${words[3]}" in
    'baseline list') compadd -- --help --repo --json ;;
    'baseline show') compadd -- --help --repo --json --all ;;
    'baseline capture') compadd -- --help --repo --json ;;
    'baseline pin') compadd -- --help --none --handoff --repo --json ;;
    'agents list') compadd -- --help --json --repo ;;
    'agents attach') compadd -- --help --handoff --print --repo ;;
    'log show') compadd -- --help --json --repo --extract ;;
    'log verify') compadd -- --help --json --repo --pin --with-ssh-keygen --against --all --bundle ;;
    'log replay') compadd -- --help --json --repo --all ;;
    'log pin') compadd -- --help --json --repo --forget ;;
    'log bundle') compadd -- --help --json --repo --out ;;
    'keys enroll') compadd -- --help --principal --key --valid-after --valid-before --agent --json --repo ;;
    'keys list') compadd -- --help --json --repo ;;
    'policy show') compadd -- --help --json --repo ;;
    'policy propose') compadd -- --help --from --add-reviewer --add-root --add-agent --drop-key --root-threshold --edit --keep --output --json --repo ;;
    'policy sign') compadd -- --help --key --yes-i-read-it --json --repo ;;
    'policy seal') compadd -- --help --allow-void --json --repo ;;
    'policy restore') compadd -- --help --json --repo ;;
    'hook install') compadd -- --help claude codex gemini vscode goose opencode --project --user --dry-run --defer --json --repo ;;
    'hook uninstall') compadd -- --help claude codex gemini vscode goose opencode --project --user --dry-run --json --repo ;;
    'hook claude') compadd -- --help --defer ;;
    'hook codex') compadd -- --help ;;
    'hook gemini') compadd -- --help ;;
    'hook vscode') compadd -- --help ;;
    'hook goose') compadd -- --help ;;
    'hook opencode') compadd -- --help ;;
    'hooks install') compadd -- --help --pre-commit --pre-push --shared --dry-run --json --repo ;;
    'hooks uninstall') compadd -- --help --pre-commit --pre-push --shared --dry-run --json --repo ;;
    'config show') compadd -- --help --origins --repo --json --all ;;
    'config schema') compadd -- --help ;;
    'config accept') compadd -- --help --repo ;;
    'status'*) compadd -- --help --at --repo --json --all --past ;;
    'show'*) compadd -- --help --proofs --at --repo --json --all ;;
    'new'*) compadd -- --help --title --json --repo ;;
    'cycle'*) compadd -- --help accept complete fail --report --summary --json --repo ;;
    'registry'*) compadd -- --help --apply --json --repo ;;
    'migrate'*) compadd -- --help --apply --json --repo ;;
    'check'*) compadd -- --help --pre --post --gate --handoff --only --except --baseline --fresh --network --format --list --trust --grant --at --repo --json --all ;;
    'diff'*) compadd -- --help --handoff --against --between --since --stat --patch --side-by-side --whitespace --context --repo --json --all ;;
    'baseline'*) compadd -- --help list show capture pin ;;
    'gate'*) compadd -- --help --phase --fresh --pin --repo --json --all ;;
    'decide'*) compadd -- --help approve reject retry skip override hold withdraw carry --phase --reason --comments --comment --viewed --subject --json --repo ;;
    'coverage'*) compadd -- --help --since --pin --repo --json --all ;;
    'submit'*) compadd -- --help --phase --sign --key --since --path --write --json --repo ;;
    'wait'*) compadd -- --help --phase --hook --timeout --pin --json --repo ;;
    'packet'*) compadd -- --help --phase --json --repo ;;
    'comments'*) compadd -- --help --phase --repo --json --all ;;
    'run'*) compadd -- --help --handoff --phase --again --no-wait --timeout --profile --list --show --withdraw --trust --json --repo ;;
    'worker'*) compadd -- --help --on-demand --trial --repo ;;
    'agents'*) compadd -- --help list attach ;;
    'step'*) compadd -- --help --handoff --back --note --loop --beyond-budget --trust --list --prompt --detach --attach --stop --pause --resume --merge --repo --json --all ;;
    'rollback'*) compadd -- --help --apply --dry-run --undo --list --with-uncommitted --repo --json --all ;;
    'unlock'*) compadd -- --help --handoff --list --force --json --repo ;;
    'history'*) compadd -- --help --phase --recorded --repo --json --all ;;
    'bisect'*) compadd -- --help --handoff --good --bad --finding --repo --json --all ;;
    'compare'*) compadd -- --help --phase --repo --json --all ;;
    'failure'*) compadd -- --help --phase --check --repo --json --all ;;
    'log'*) compadd -- --help --handoff --person --verb --repo --json --all show verify replay pin bundle ;;
    'metrics'*) compadd -- --help --repo --json --all --csv --since --until ;;
    'export'*) compadd -- --help report --html --markdown --since --until --json --repo ;;
    'init'*) compadd -- --help --reviewer --agent --generate-key --no-passphrase --security-key --protection --pin --start --all --team --tests --no-tests --agent-note --no-agent-note --json --repo ;;
    'keys'*) compadd -- --help enroll list ;;
    'policy'*) compadd -- --help show propose sign seal restore ;;
    'demo'*) compadd -- --help --dir --fixed-dates --no-open ;;
    'hook'*) compadd -- --help install uninstall claude codex gemini vscode goose opencode ;;
    'mcp'*) compadd -- --help --key --pin --repo ;;
    'hooks'*) compadd -- --help install uninstall ;;
    'doctor'*) compadd -- --help --repo --json --all ;;
    'config'*) compadd -- --help show schema accept ;;
    'completion'*) compadd -- --help bash zsh fish ;;
  esac
}
compdef _handoff_tui handoff-tui
