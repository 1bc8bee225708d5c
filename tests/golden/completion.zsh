#compdef handoff-tui
_handoff_tui() {
  if [[ ${words[CURRENT-1]} == (--repo|--dir) ]]; then _files -/; return; fi
  if (( CURRENT == 2 )); then compadd -- status show demo config completion --repo --version --help; return; fi
  case ${words[2]} in
    status) compadd -- --help --repo --json --all ;;
    show) compadd -- --help --repo --json --all ;;
    demo) compadd -- --help --dir --no-open ;;
    config) compadd -- --help show schema ;;
    completion) compadd -- --help bash zsh fish ;;
  esac
}
compdef _handoff_tui handoff-tui
