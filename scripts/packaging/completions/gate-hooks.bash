# bash completion of gate-hooks, made of the tables of options: see docs/packages.md.
_gate_hooks() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case $before in
    --store) return ;;
    --host) return ;;
    --port) return ;;
    --bearer-env) return ;;
    --config) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --schedule) return ;;
    --timeout) return ;;
    --allow-hosts) return ;;
    --retain-succeeded) return ;;
    --retain-dead) return ;;
    --log-format) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$word"); return ;;
    --log-level) mapfile -t COMPREPLY < <(compgen -W 'debug info warn error' -- "$word"); return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W '--store --host --port --bearer-env --config --schedule --timeout --allow-hosts --retain-succeeded --retain-dead --dev-allow-loopback --log-format --log-level --version --help' -- "$word")
}
complete -F _gate_hooks gate-hooks
