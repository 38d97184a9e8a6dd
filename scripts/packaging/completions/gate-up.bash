# bash completion of gate-up, made of the tables of options: see docs/packages.md.
_gate_up() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case $before in
    --host) return ;;
    --port) return ;;
    --write) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --client) mapfile -t COMPREPLY < <(compgen -W 'claude cursor vscode codex windsurf claude-desktop' -- "$word"); return ;;
  esac
  if [[ $word != -* ]]; then compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return; fi
  mapfile -t COMPREPLY < <(compgen -W '--host --port --write --client --verbose --version --help' -- "$word")
}
complete -F _gate_up gate-up
