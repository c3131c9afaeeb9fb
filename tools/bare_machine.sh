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

log=$root/build/bare.log
. "$root/tools/bare_system.sh"

timed() { # NAME COMMAND...
  name=$1
  shift
  printf '== %s\n' "$name"
  begin=$(date +%s)
  "$@" || die 1 "$name failed"
  printf '%-28s %6s s\n' "$name" "$(($(date +%s) - begin))" | tee -a "$root/build/bare.table"
}

# -------------------------------------------------------------------------------------------------------------------- steps

install_git() {
  if ! inside sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends git' \
    >>"$log" 2>&1; then
    tail -n 30 "$log" >&2
    return 1
  fi
}

clone() { git clone -q --no-hardlinks "$root" "$bare/root/dojima"; }

in_clone() { inside sh -c 'cd /root/dojima && exec "$@"' sh "$@"; }

: >"$root/build/bare.table"
timed 'bare system' make_bare_system
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
if [ -z "$keep" ]; then remove_bare_system; fi
