#!/usr/bin/env bash
# tests/packages/reproducible.sh PACKAGE.deb: builds the package once more, of the same sources in another
# folder with a longer name, by another user mask and time zone, and compares every byte. All is compiled:
# what a compiler cache kept would be the same.
set -euo pipefail
package=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH

elsewhere=$(mktemp -d)/a-folder-with-another-name
trap 'rm -rf "$(dirname "$elsewhere")"' EXIT
mkdir "$elsewhere"
# What is tracked, as it lies here.
git ls-files -z | xargs -0 cp --parents -t "$elsewhere"
(umask 027 && TZ=Asia/Tokyo CCACHE_DISABLE=1 "$elsewhere/scripts/package" "$elsewhere/packages")
again=$elsewhere/packages/$(basename "$package")
if ! cmp "$package" "$again"; then
  mkdir "$elsewhere/1" "$elsewhere/2"
  dpkg-deb -R "$package" "$elsewhere/1"
  dpkg-deb -R "$again" "$elsewhere/2"
  diff -rq "$elsewhere/1" "$elsewhere/2" >&2 || true
  echo 'reproducible: the same sources made another package' >&2
  exit 1
fi
echo "reproducible: $(sha256sum <"$package" | cut -d' ' -f1)"
