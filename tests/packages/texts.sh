#!/usr/bin/env bash
# tests/packages/texts.sh PACKAGE.deb: what lintian, mandoc and man say of a package. Nothing is good.
set -euo pipefail
package=$(realpath "$1")
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT

lintian --fail-on error,warning --suppress-tags-from-file /dev/null "$package"
dpkg-deb -x "$package" "$unpacked"
pages=0
for page in "$unpacked"/usr/share/man/man*/*.gz; do
  said=$(mandoc -T lint -W warning <(zcat "$page") 2>&1 || true)
  said+=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null || true)
  if [[ $said ]]; then
    printf '%s:\n%s\n' "$(basename "$page")" "$said" >&2
    exit 1
  fi
  pages=$((pages + 1))
done
for program in "$unpacked"/usr/bin/*; do
  [[ -e $unpacked/usr/share/man/man1/$(basename "$program").1.gz ]] || {
    echo "$(basename "$program") has no manual page" >&2
    exit 1
  }
done
((pages >= 6)) || { echo "only $pages manual pages" >&2; exit 1; }
echo "texts: lintian, mandoc and man have nothing to say of $(basename "$package") and its $pages manual pages"
