#!/bin/sh
# Proves that the packages of ./dev package can be installed, used, upgraded, removed and purged on a bare Debian 12, and leave
# nothing: makes a minimal system, installs them there with apt, starts a venue and a gateway, trades between them, completes a
# command line, reads a manual page, builds against the libraries, and compares the files before and after. The mirror, its keys
# and apt's network settings are those of this machine. Needs root and debootstrap.
set -eu

usage() {
  cat <<'END'
usage: tools/bare_packages.sh [--packages FOLDER] [--no-development] [--keep] [FOLDER]

  FOLDER             where the bare system is made (default: build/bare-packages); what was there before is removed
  --packages FOLDER  where the .deb files are (default: build/package)
  --no-development   do not build against libdojima-dev, which takes a compiler
  --keep             leave the system there afterwards, for a look around (default: removed after success)

Exit status: 0 all as it should be, 1 something is not, 2 wrong arguments, 3 this machine cannot do it.
END
}

die() { # STATUS MESSAGE...
  status=$1
  shift
  printf 'tools/bare_packages.sh: %s\n' "$*" >&2
  exit "$status"
}

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
bare=$root/build/bare-packages
packages=$root/build/package
keep=
development=yes
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --keep) keep=yes ;;
    --no-development) development= ;;
    --packages) [ $# -ge 2 ] || die 2 "--packages needs a folder"; packages=$2; shift ;;
    -*) die 2 "unknown option '$1'; see --help" ;;
    *) bare=$1 ;;
  esac
  shift
done
mkdir -p "$root/build"
log=$root/build/bare-packages.log
. "$root/tools/bare_system.sh"

version=$(sed -n 's/^project(dojima VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
set -- "$packages"/dojima_"$version"_*.deb
[ -f "$1" ] || die 3 "no $packages/dojima_${version}_*.deb: ./dev package makes it"

say() { printf '%s\n' "$*"; }
expect() { # WHAT, then a command that must succeed inside
  what=$1
  shift
  if inside "$@" >>"$log" 2>&1; then say "ok    $what"; else
    tail -n 20 "$log" >&2
    die 1 "$what: failed ($log)"
  fi
}
apt_get() { inside env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 "$@"; }

# Every file, with what it is: what apt and dpkg keep for themselves, logs and caches aside.
files_of() {
  (cd "$bare" && find . -xdev \( -path ./proc -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
    -o -path ./tmp -o -path ./root -o -path ./packages \) -prune -o -printf '%p %y %m\n' | LC_ALL=C sort)
}

say "== a bare Debian $release (some minutes)"
make_bare_system
apt_get update >>"$log" 2>&1 || die 3 "apt-get update failed in the bare system ($log)"
mkdir "$bare/packages"
cp "$packages"/*.deb "$bare/packages/"
# What the packages depend on and what this script uses stays, so that the difference is theirs alone.
needed=$(for deb in "$packages"/dojima_*.deb; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/(.*//; s/|.*//' | tr -d ' ')
extra='procps bash-completion man-db init-system-helpers'
[ -z "$development" ] || extra="$extra g++ cmake make"
# shellcheck disable=SC2086  # one word a package
apt_get install -y --no-install-recommends $needed $extra >>"$log" 2>&1 || die 3 "their dependencies cannot be installed ($log)"
files_of >"$bare.before"

say "== installed"
apt_get install -y --no-install-recommends "/packages/dojima_${version}_$(dpkg --print-architecture).deb" >>"$log" 2>&1 ||
  die 1 "apt does not install dojima ($log)"
expect 'the program says its version' sh -c "dojima --version | grep -Fx 'dojima $version'"
expect 'the configurations are found right' sh -c 'cd /etc/dojima && dojima config check venue.toml && dojima config check gateway.toml'
expect 'nobody but root reads them' sh -c 'test "$(stat -c %a /etc/dojima/* | sort -u)" = 600'
expect 'no service is enabled' sh -c '! ls /etc/systemd/system/*.wants/dojima-* 2>/dev/null'
expect 'each command has a manual page' sh -c 'man -P cat dojima-journal-recover | grep -q -- --orders'
expect 'bash completes' bash -c '
  . /usr/share/bash-completion/bash_completion && __load_completion dojima && complete -p dojima | grep -q _dojima'

cat >"$bare/root/market.sh" <<'END'
set -eu
cd /root
# Ports of its own: the network is that of the machine around it.
dojima venue --config /etc/dojima/venue.toml --set listen.port=29001 --journal day >venue.log 2>&1 & venue=$!
for i in $(seq 100); do grep -q 127.0.0.1:29001 venue.log && break; sleep 0.1; done
CREDENTIALS_DIRECTORY=/etc/dojima dojima gateway --config /etc/dojima/gateway.toml --set venue.port=29001 --set listen.port=29878 >gateway.log 2>&1 & gateway=$!
for i in $(seq 100); do grep -q "venue took user KONOIKE" gateway.log && break; sleep 0.1; done
cat >script <<'SCRIPT'
buy 100 KAGA @ 99.5
sell 30 KAGA @ 99.5 ioc
expect 1 left 70 within 5
expect 2 filled
cancel all
SCRIPT
dojima trade --connect 127.0.0.1:29878 --sender KONOIKE --script script
kill -INT $gateway $venue
wait $gateway && wait $venue
dojima journal verify day
END
say "== used"
expect 'venue, gateway and client trade, and the journal verifies' sh /root/market.sh

say "== installed again, and with the others"
printf '\n# changed by its owner\n' >>"$bare/etc/dojima/venue.toml"
apt_get install -y --no-install-recommends --reinstall "/packages/dojima_${version}_$(dpkg --print-architecture).deb" >>"$log" 2>&1 ||
  die 1 "apt does not install dojima again ($log)"
expect "its owner's changes to a configuration stay" grep -q 'changed by its owner' /etc/dojima/venue.toml
others=
[ -z "$development" ] || others="$others /packages/libdojima-dev_${version}_$(dpkg --print-architecture).deb"
[ ! -f "$packages/dojima-doc_${version}_all.deb" ] || others="$others /packages/dojima-doc_${version}_all.deb"
# shellcheck disable=SC2086  # one word a package
[ -z "$others" ] || apt_get install -y --no-install-recommends $others >>"$log" 2>&1 || die 1 "apt does not install the others ($log)"
if [ -n "$development" ]; then
  mkdir -p "$bare/root/mine"
  cat >"$bare/root/mine/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(mine LANGUAGES CXX)
find_package(dojima 0.1 CONFIG REQUIRED COMPONENTS book)
add_executable(mine main.cpp)
target_link_libraries(mine PRIVATE dojima::book)
END
  cat >"$bare/root/mine/main.cpp" <<'END'
#include "dojima/market/order.hpp"
int main() { return dojima::market::Quantity{} == dojima::market::Quantity{} ? 0 : 1; }
END
  expect 'a program of its own builds against libdojima-dev' sh -c 'cd /root/mine && cmake -B b . && cmake --build b && b/mine'
fi
if [ -f "$packages/dojima-doc_${version}_all.deb" ]; then
  expect 'the pages are there' test -f /usr/share/doc/dojima-doc/html/index.html
fi

say "== removed"
apt_get remove -y dojima libdojima-dev dojima-doc >>"$log" 2>&1 || apt_get remove -y dojima >>"$log" 2>&1 || die 1 "apt does not remove them ($log)"
expect 'configurations stay until purged' test -f /etc/dojima/venue.toml
expect 'the program is gone' sh -c '! command -v dojima'
apt_get purge -y dojima libdojima-dev dojima-doc >>"$log" 2>&1 || apt_get purge -y dojima >>"$log" 2>&1 || die 1 "apt does not purge them ($log)"
files_of >"$bare.after"
# man-db and the dynamic linker renew their indexes.
left=$(diff "$bare.before" "$bare.after" | grep -v -e ' \./var/lib/systemd/' -e '\./etc/ld\.so\.cache' | grep '^[<>]' || :)
[ -z "$left" ] || { printf '%s\n' "$left" >&2; die 1 "purged, they leave or take something"; }
say 'ok    purged, nothing is left and nothing is missing'
if [ -z "$keep" ]; then remove_bare_system; fi
