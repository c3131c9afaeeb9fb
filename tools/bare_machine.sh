#!/bin/sh
# Proves on a bare Debian 12 that `./dev run` and `./dev test` need nothing but a shell, git and the package mirror: makes a
# minimal system in FOLDER, clones this repository's last commit into it, runs both there, then both again, and prints what
# each took. The mirror, its keys and apt's network settings are those of this machine. Needs root and debootstrap.
set -eu

usage() {
  cat <<'END'
usage: tools/bare_machine.sh [--setup-only] [--keep] [FOLDER]

  FOLDER        where the bare system is made (default: build/bare); what was there before is removed
  --setup-only  stop after `./dev setup`, before anything is built
  --keep        leave the system there afterwards, for a look around (default: removed after success)

Exit status: 0 all ran, 1 something failed, 2 wrong arguments, 3 this machine cannot do it.
END
}

die() { # STATUS MESSAGE...
  status=$1
  shift
  printf 'tools/bare_machine.sh: %s\n' "$*" >&2
  exit "$status"
}

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
release=bookworm
bare=$root/build/bare
setup_only=
keep=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --setup-only) setup_only=yes ;;
    --keep) keep=yes ;;
    -*) die 2 "unknown option '$1'; see --help" ;;
    *) bare=$1 ;;
  esac
  shift
done

[ "$(id -u)" -eq 0 ] || die 3 "needs root, for chroot and mounts"
command -v debootstrap >/dev/null 2>&1 || die 3 "needs debootstrap: apt-get install debootstrap"
mkdir -p "$bare" "$root/build"
bare=$(cd "$bare" && pwd)
[ "$bare" != / ] || die 2 "FOLDER may not be the root of this machine"
if [ -n "$(ls -A "$bare")" ] && [ ! -f "$bare/.dojima-bare" ]; then
  die 2 "$bare is not empty and was not made by this script"
fi

# --------------------------------------------------------------------------------------------- what apt uses on this machine

# Lines of `URI SUITE COMPONENT` for Debian's own suites, in apt's order.
suites() {
  # shellcheck disable=SC2016  # apt's own format
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v release="$release" '$2 == release || index($2, release "-") == 1' | sort -u
}

# The keyring that signs Debian's own suites, if the sources name one in a file.
keyring() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
    sed -n -e 's/^Signed-By:[[:space:]]*\(\/[^[:space:]]*debian[^[:space:]]*\).*/\1/p' \
      -e 's/^deb .*signed-by=\(\/[^],[:space:]]*debian[^],[:space:]]*\).*/\1/p' | head -n 1
}

suites >"$root/build/bare.suites"
mirror=$(awk -v release="$release" '$2 == release && $3 == "main" { print $1; exit }' "$root/build/bare.suites")
[ -n "$mirror" ] || die 3 "apt on this machine has no source for Debian $release main to take the mirror from"
keys=$(keyring)
keys=${keys:-/usr/share/keyrings/debian-archive-keyring.gpg}
[ -f "$keys" ] || die 3 "the keyring $keys is not there: apt-get install debian-archive-keyring"

# ------------------------------------------------------------------------------------------------------------------- mounts

unmount() {
  for place in proc etc/resolv.conf etc/hosts; do
    if grep -qF " $bare/$place " /proc/self/mounts; then umount "$bare/$place" || umount -l "$bare/$place"; fi
  done
}
trap unmount EXIT
trap 'exit 1' HUP INT TERM

attach() {
  mount -t proc proc "$bare/proc" || return 1
  for place in etc/resolv.conf etc/hosts; do
    [ -f "/$place" ] || continue
    : >>"$bare/$place"
    mount --bind "/$place" "$bare/$place" || return 1
  done
}

inside() { # COMMAND...: in the bare system, with nothing of this environment but the proxy
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
    ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
    chroot "$bare" "$@" </dev/null
}

timed() { # NAME COMMAND...
  name=$1
  shift
  printf '== %s\n' "$name"
  begin=$(date +%s)
  "$@" || die 1 "$name failed"
  printf '%-28s %6s s\n' "$name" "$(($(date +%s) - begin))" | tee -a "$root/build/bare.table"
}

# -------------------------------------------------------------------------------------------------------------------- steps

remove_system() {
  unmount
  if grep -qF " $bare/" /proc/self/mounts; then die 3 "something is still mounted below $bare"; fi
  rm -rf "$bare"
}

make_system() {
  remove_system
  mkdir -p "$bare"
  : >"$bare/.dojima-bare"
  debootstrap --variant=minbase --keyring="$keys" "$release" "$bare" "$mirror" >"$root/build/bare.log" 2>&1 || {
    tail -n 30 "$root/build/bare.log" >&2
    return 1
  }
  if [ ! -f "$bare$keys" ]; then mkdir -p "$bare${keys%/*}" && cp "$keys" "$bare$keys"; fi
  while read -r uri suite component; do
    printf 'deb [signed-by=%s] %s %s %s\n' "$keys" "$uri" "$suite" "$component"
  done <"$root/build/bare.suites" >"$bare/etc/apt/sources.list"
  # Proxies and what else reaching this mirror takes.
  for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    if [ -f "$file" ] && grep -q '^[[:space:]]*Acquire::' "$file"; then
      grep '^[[:space:]]*Acquire::.*;[[:space:]]*$' "$file" >"$bare/etc/apt/apt.conf.d/${file##*/}" || :
    fi
  done
  attach
}

install_git() {
  if ! inside sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends git' \
    >>"$root/build/bare.log" 2>&1; then
    tail -n 30 "$root/build/bare.log" >&2
    return 1
  fi
}

clone() { git clone -q --no-hardlinks "$root" "$bare/root/dojima"; }

in_clone() { inside sh -c 'cd /root/dojima && exec "$@"' sh "$@"; }

: >"$root/build/bare.table"
timed 'bare system' make_system
timed 'git' install_git
timed 'clone' clone
timed './dev setup' in_clone ./dev setup
if [ -z "$setup_only" ]; then
  timed './dev run' in_clone ./dev run
  timed './dev test' in_clone ./dev test
  timed './dev run, again' in_clone ./dev run
  timed './dev test, again' in_clone ./dev test
fi
timed './dev setup, again' in_clone ./dev setup

printf '\n'
cat "$root/build/bare.table"
if [ -z "$keep" ]; then remove_system; fi
