#compdef handoff-tui
_handoff_tui() {
  if [[ ${words[CURRENT-1]} == (--repo|--dir) ]]; then _files -/; return; fi
  if (( CURRENT == 2 )); then compadd -- status show check demo hooks doctor config completion --repo --version --help; return; fi
  case "${words[2]} ${words[3]}" in
    'hooks install') compadd -- --help --pre-commit --pre-push --shared --dry-run --json --repo ;;
    'hooks uninstall') compadd -- --help --pre-commit --pre-push --shared --dry-run --json --repo ;;
    'config show') compadd -- --help --origins --repo --json --all ;;
    'config schema') compadd -- --help ;;
    'status'*) compadd -- --help --repo --json --all ;;
    'show'*) compadd -- --help --repo --json --all ;;
    'check'*) compadd -- --help --pre --post --gate --handoff --only --except --baseline --fresh --network --format --list --trust --repo --json --all ;;
    'demo'*) compadd -- --help --dir --no-open ;;
    'hooks'*) compadd -- --help install uninstall ;;
    'doctor'*) compadd -- --help --repo --json --all ;;
    'config'*) compadd -- --help show schema ;;
    'completion'*) compadd -- --help bash zsh fish ;;
  esac
}
compdef _handoff_tui handoff-tui
