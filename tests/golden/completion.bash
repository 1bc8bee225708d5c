_handoff_tui() {
  local words='status show check demo hooks doctor config completion --repo --version --help' call='' word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do case "$call $word" in
    ' status') call='status' words='--help --repo --json --all' ;;
    ' show') call='show' words='--help --repo --json --all' ;;
    ' check') call='check' words='--help --pre --post --gate --handoff --only --except --baseline --fresh --network --format --list --trust --repo --json --all' ;;
    ' demo') call='demo' words='--help --dir --no-open' ;;
    ' hooks') call='hooks' words='--help install uninstall' ;;
    'hooks install') call='install' words='--help --pre-commit --pre-push --shared --dry-run --json --repo' ;;
    'hooks uninstall') call='uninstall' words='--help --pre-commit --pre-push --shared --dry-run --json --repo' ;;
    ' doctor') call='doctor' words='--help --repo --json --all' ;;
    ' config') call='config' words='--help show schema' ;;
    'config show') call='show' words='--help --origins --repo --json --all' ;;
    'config schema') call='schema' words='--help' ;;
    ' completion') call='completion' words='--help bash zsh fish' ;;
  esac; done
  if [[ ${COMP_WORDS[COMP_CWORD-1]} == --repo || ${COMP_WORDS[COMP_CWORD-1]} == --dir ]]; then
    COMPREPLY=($(compgen -d -- "${COMP_WORDS[COMP_CWORD]}"))
  else
    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
  fi
}
complete -F _handoff_tui handoff-tui
