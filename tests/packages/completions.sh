#!/usr/bin/env bash
# tests/packages/completions.sh [FOLDER]: what is offered for a command line that is being typed, in each
# shell itself. FOLDER has the files (scripts/packaging/completions).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
files=${1:-$here/../../scripts/packaging/completions}

for shell in bash zsh fish; do
  command -v "$shell" >/dev/null || { echo "completions: $shell is missing" >&2; exit 1; }
done

# Each prints what it offers for the words of a line, sorted, on a line of its own. The last word is the
# one that is being typed.
in_bash() {
  bash --norc --noprofile -c '
    source "$1/$2.bash"
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    "_${1//-/_}" "$1"
    printf "%s\n" "${COMPREPLY[@]}"' - "$files" "$@"
}
in_fish() {
  local line="$*"
  fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$files/$1.fish" "$line" | cut -f1
}
in_zsh() {
  zsh -f "$here/offered.zsh" "$files" "$*"
}

wrong=0
# expect OFFERED WORD...: all three offer these, and nothing else.
expect() {
  local wanted=$1 offered
  shift
  for shell in bash zsh fish; do
    offered=$("in_$shell" "$@" | sed 's/[= ]*$//' | sort -u | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
    if [[ $offered != "$wanted" ]]; then
      printf '%s: for "%s"\n  offered: %s\n  wanted:  %s\n' "$shell" "$*" "$offered" "$wanted" >&2
      wrong=1
    fi
  done
}

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir folder
touch mcp.json my-recording.jsonl

expect '--record --record-limit --record-redact' gate --rec
expect 'doctor' gate do
expect '--timeout' gate doctor --ti
expect '' gate doctor --rec
expect 'mcp.json' gate doctor --config mc
expect '--validate --version' gate --v
expect 'debug error info warn' gate --log-level ''
expect 'debug' gate --log-level d
expect 'json text' gate-stdio --log-format ''
expect 'mcp.json' gate --config mc
expect '' gate --port ''
expect '--env-passthrough' gate-stdio --env
expect '--retain-dead --retain-succeeded' gate-hooks --ret
expect 'claude claude-desktop codex cursor' gate-up --client c
expect 'mcp.json' gate-up mc
expect '--verbose --version' gate-up --ver
expect '--label-selector' gate-discovery --lab
expect 'replay run' gate-sim r
expect 'scenarios show' gate-sim s
expect '--seeds --shrink' gate-sim run --s
expect '--speed' gate-sim replay --s
expect 'my-recording.jsonl' gate-sim show my
expect 'mcp.json' gate-stdio -- cat mc

if ((wrong)); then exit 1; fi
echo 'completions: as they should be in bash, zsh and fish'
