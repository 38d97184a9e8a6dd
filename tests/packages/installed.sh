#!/usr/bin/env bash
# tests/packages/installed.sh OLDER.deb NEWER.deb: installs, upgrades, removes and purges the package in a
# Debian of its own, which mmdebstrap makes of GATE_DEBIAN_MIRROR (or of the usual one).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [[ ${1:-} != --inside ]]; then
  older=$(realpath "$1")
  newer=$(realpath "$2")
  mmdebstrap --quiet --variant=minbase --include=ca-certificates,man-db,systemd --format=null \
    --customize-hook="'$here/installed.sh' --inside \"\$1\" '$older' '$newer'" \
    bookworm /dev/null ${GATE_DEBIAN_MIRROR:+"$GATE_DEBIAN_MIRROR"}
  exit
fi

# From here on: beside the other system, whose root is $root.
root=$2
cp "$3" "$root/older.deb"
cp "$4" "$root/newer.deb"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
fail() {
  echo "installed: $*" >&2
  exit 1
}
silent() {
  local said
  said=$("$@" 2>&1) || fail "$* failed: $said"
  [[ -z $said ]] || fail "$* said: $said"
}

inside find / -xdev -path /proc -prune -o -print | sort >"$root/tmp/before"
inside apt-get install -y -qq /older.deb >/dev/null
for program in gate gate-stdio gate-hooks gate-up gate-discovery gate-sim; do
  inside "$program" --version | grep -q "^$program " || fail "$program does not say its version"
  inside man -w "$program" >/dev/null || fail "$program has no manual page"
done
[[ $(inside gate --validate --config /etc/gate/gate.json) == 'config OK' ]] ||
  fail 'the document is not good'
for secrets in gate gate-hooks; do
  [[ $(inside stat -c '%a %U' "/etc/gate/$secrets.env") == '640 root' ]] ||
    fail "others can read /etc/gate/$secrets.env"
done
for unit in gate.service gate-hooks.service gate-stdio@files.service; do
  silent inside systemd-analyze verify --man=yes "/lib/systemd/system/${unit/files/}"
  exposure=$(inside systemd-analyze security --offline=true --no-pager "/lib/systemd/system/${unit/files/}" |
    sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p')
  [[ $exposure ]] && awk -v it="$exposure" 'BEGIN { exit !(it <= 1.5) }' ||
    fail "$unit is exposed: $exposure"
  echo "installed: $unit is exposed by $exposure"
done
[[ ! -e $root/etc/systemd/system/multi-user.target.wants/gate.service ]] ||
  fail 'it is enabled without being asked for'

# What gate-up writes are units that systemd takes.
printf '%s' '{"mcpServers": {"one": {"command": "cat", "args": ["a b", "100%", "$HOME"], "env": {"KEY": "k y"}}}}' \
  >"$root/tmp/mcp.json"
inside gate-up --write /tmp/units /tmp/mcp.json >/dev/null
for unit in gate.service gate-stdio-one.service; do
  silent inside env XDG_RUNTIME_DIR=/tmp systemd-analyze verify --user "/tmp/units/$unit"
done
rm -r "$root/tmp/units" "$root/tmp/mcp.json"

# An upgrade leaves alone what somebody has written.
sed -i 's/"local"/"mine"/' "$root/etc/gate/gate.json"
echo 'TOKEN=x' >"$root/etc/gate/gate.env"
inside apt-get install -y -qq /newer.deb >/dev/null
grep -q '"mine"' "$root/etc/gate/gate.json" || fail 'the upgrade took the document away'
grep -q 'TOKEN=x' "$root/etc/gate/gate.env" || fail 'the upgrade took the secrets away'
[[ $(inside dpkg-query -W -f '${Version}' gate) == "$(dpkg-deb -f "$4" Version)" ]] ||
  fail 'it was not upgraded'

# A removal leaves the configuration, a purge leaves nothing. (Pages that were shown are man's to keep.)
inside apt-get remove -y -qq gate >/dev/null
[[ ! -e $root/usr/bin/gate ]] || fail 'the program is left'
[[ -e $root/etc/gate/gate.json && -e $root/etc/gate/gate.env ]] ||
  fail 'the removal took the configuration away'
mkdir -p "$root/var/lib/private/gate-hooks" "$root/var/log/private/gate"
inside apt-get purge -y -qq gate >/dev/null
left=$(inside find / -xdev -path /proc -prune -o -path '/tmp/*' -prune -o -path /var/cache/man -prune -o -name '*gate*' -print | sort |
  comm -13 "$root/tmp/before" - | grep -E '(^|/)_?gate([-.@_]|$)' || true)
[[ -z $left ]] || fail "the purge left: $left"
echo 'installed: it was installed, upgraded, removed and purged'
