#!/usr/bin/env bash
# tests/tidy/tidy_changed_test.sh SCRIPT: which sources scripts/tidy-changed looks at, in a repository of a few, and what
# it says of the others. What it calls is played by scripts that write down what they were asked.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{bin,tree/scripts,tree/protocol}
install "$1" "$folder/tree/scripts/tidy-changed"
printf '#!/bin/sh\nexit 0\n' >"$folder/bin/cmake"
printf '#!/bin/sh\nfor last; do :; done\necho "looked at $last"\n' >"$folder/bin/clang-tidy"
chmod +x "$folder"/bin/*
export PATH=$folder/bin:$PATH
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t.test GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t.test

cd "$folder/tree"
git init -q -b main .
for n in {01..13}; do
  echo '// a source' >"protocol/u$n.cpp"
  echo '// a header' >"protocol/u$n.hpp"
done
git add -A
git commit -q -m 'the tree'

fail() {
  printf 'tidy_changed_test: %s; it said:\n%s\n' "$1" "$said" >&2
  exit 1
}
run() {
  git add -A
  git commit -q -m "$1"
  said=$(scripts/tidy-changed 2)
  looked=$(sed -n 's/^looked at //p' <<<"$said" | sort | tr '\n' ' ')
}

echo '// more' >>protocol/u05.hpp
run 'a header'
[[ $looked == 'protocol/u05.cpp ' ]] || fail 'a header is looked at through its source'
grep -q 'not looked at' <<<"$said" && fail 'nothing was left out'

# u01 changes by one line, u02 by two, …; of u03 the header as well, by twenty.
for n in {1..13}; do
  for ((i = 0; i < n; ++i)); do echo "// line $i" >>"$(printf 'protocol/u%02d.cpp' "$n")"; done
done
for i in {1..20}; do echo "// line $i" >>protocol/u03.hpp; done
run 'all of them'
[[ $looked == 'protocol/u03.cpp protocol/u05.cpp protocol/u06.cpp protocol/u07.cpp protocol/u08.cpp protocol/u09.cpp protocol/u10.cpp protocol/u11.cpp protocol/u12.cpp protocol/u13.cpp ' ]] ||
  fail 'the ten that changed most are looked at'
left=$(sed -n 's/^tidy-changed: not looked at: //p' <<<"$said" | tr '\n' ' ')
[[ $left == 'protocol/u04.cpp protocol/u02.cpp protocol/u01.cpp ' ]] || fail 'the others are named'
