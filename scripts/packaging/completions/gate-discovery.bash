# bash completion of gate-discovery, made of the tables of options: see docs/packages.md.
_gate_discovery() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case $before in
    --api-server) return ;;
    --token-file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --ca-file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --namespace) return ;;
    --label-selector) return ;;
    --cluster-domain) return ;;
    --reserve) return ;;
    --secret-refs) return ;;
    --upstream-hosts) return ;;
    --credential-hosts) return ;;
    --host) return ;;
    --port) return ;;
    --bearer-env) return ;;
    --log-format) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$word"); return ;;
    --log-level) mapfile -t COMPREPLY < <(compgen -W 'debug info warn error' -- "$word"); return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W '--api-server --token-file --ca-file --namespace --label-selector --cluster-domain --reserve --secret-refs --upstream-hosts --credential-hosts --host --port --bearer-env --log-format --log-level --healthcheck --version --help' -- "$word")
}
complete -F _gate_discovery gate-discovery
