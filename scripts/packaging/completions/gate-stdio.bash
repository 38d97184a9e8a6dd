# bash completion of gate-stdio, made of the tables of options: see docs/packages.md.
_gate_stdio() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  local i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -- ]] || continue
    if ((i == COMP_CWORD - 1)); then
      mapfile -t COMPREPLY < <(compgen -c -- "$word")
    else
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
    return
  done
  case $before in
    --host) return ;;
    --port) return ;;
    --max-sessions) return ;;
    --max-body-bytes) return ;;
    --env-passthrough) return ;;
    --dir) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --bearer-env) return ;;
    --log-format) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$word"); return ;;
    --log-level) mapfile -t COMPREPLY < <(compgen -W 'debug info warn error' -- "$word"); return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W '--host --port --max-sessions --max-body-bytes --env-passthrough --dir --bearer-env --log-format --log-level --probe --version --help' -- "$word")
}
complete -F _gate_stdio gate-stdio
