_handoff_tui() {
  local words='status show demo config completion --repo --version --help' word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do case $word in
    status) words='--help --repo --json --all' ;;
    show) words='--help --repo --json --all' ;;
    demo) words='--help --dir --no-open' ;;
    config) words='--help show schema' ;;
    completion) words='--help bash zsh fish' ;;
  esac; done
  if [[ ${COMP_WORDS[COMP_CWORD-1]} == --repo || ${COMP_WORDS[COMP_CWORD-1]} == --dir ]]; then
    COMPREPLY=($(compgen -d -- "${COMP_WORDS[COMP_CWORD]}"))
  else
    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
  fi
}
complete -F _handoff_tui handoff-tui
