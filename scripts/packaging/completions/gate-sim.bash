# bash completion of gate-sim, made of the tables of options: see docs/packages.md.
_gate_sim() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD > 1)); then
    case ${COMP_WORDS[1]} in
      replay)
        case $before in
          --config) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
          --against) return ;;
          --speed) return ;;
          --bearer-env) return ;;
          --most) return ;;
        esac
        if [[ $word != -* ]]; then compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return; fi
        mapfile -t COMPREPLY < <(compgen -W '--config --against --speed --bearer-env --json --most --help' -- "$word")
        ;;
      run)
        case $before in
          --seeds) return ;;
          --from) return ;;
          --jobs) return ;;
          --failures) return ;;
          --plant) return ;;
          --report) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
        esac
        if [[ $word != -* ]]; then compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return; fi
        mapfile -t COMPREPLY < <(compgen -W '--seeds --from --jobs --failures --digest --shrink --trace --plant --report --help' -- "$word")
        ;;
      plants)
        mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word")
        ;;
      scenarios)
        if [[ $word != -* ]]; then compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return; fi
        mapfile -t COMPREPLY < <(compgen -W '--schema --settings --help' -- "$word")
        ;;
      show)
        if [[ $word != -* ]]; then compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return; fi
        mapfile -t COMPREPLY < <(compgen -W '--follow --json --schema --help' -- "$word")
        ;;
      export)
        case $before in
          --har) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
        esac
        if [[ $word != -* ]]; then compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return; fi
        mapfile -t COMPREPLY < <(compgen -W '--har --help' -- "$word")
        ;;
    esac
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W '--help --version replay run plants scenarios show export' -- "$word")
}
complete -F _gate_sim gate-sim
