# bash completion of gate, made of the tables of options: see docs/packages.md.
_gate() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} == doctor ]]; then
    case $before in
      --config) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
      --host) return ;;
      --port) return ;;
      --threads) return ;;
      --timeout) return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W '--config --host --port --threads --timeout --json --help' -- "$word")
    return
  fi
  case $before in
    --config) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --host) return ;;
    --port) return ;;
    --threads) return ;;
    --log-format) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$word"); return ;;
    --log-level) mapfile -t COMPREPLY < <(compgen -W 'debug info warn error' -- "$word"); return ;;
    --record) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --record-limit) return ;;
    --record-redact) return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W '--config --watch --host --port --threads --log-format --log-level --record --record-limit --record-redact --validate --schema --healthcheck --version --help' -- "$word")
  ((COMP_CWORD > 1)) || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W 'doctor' -- "$word")
}
complete -F _gate gate
