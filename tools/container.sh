#!/bin/sh
# Makes the container's image from a finished build, without a daemon: stages the program, the libraries that it links and what they
# read, builds packaging/container/Containerfile with buildah, twice to the same bytes, and runs a venue and a gateway from it.
set -eu

usage() {
  cat <<'END'
usage: tools/container.sh [--build FOLDER] [--once] [--no-run]

  --build FOLDER  the finished build (default: build/release)
  --once          do not make it again to compare
  --no-run        do not run it

The image goes to build/container/dojima-VERSION.tar, for `docker load`, `podman load` or `skopeo`. Needs buildah.
Exit status: 0 made, 1 something failed or differed, 2 wrong arguments, 3 something that it needs is not there.
END
}

die() { # STATUS MESSAGE...
  status=$1
  shift
  printf 'tools/container.sh: %s\n' "$*" >&2
  exit "$status"
}

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build/release
once=
runs=yes
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --build) [ $# -ge 2 ] || die 2 "--build needs a folder"; build=$2; shift ;;
    --once) once=yes ;;
    --no-run) runs= ;;
    *) die 2 "unknown argument '$1'; see --help" ;;
  esac
  shift
done
[ -x "$build/bin/dojima" ] || die 3 "no $build/bin/dojima: ./dev build dojima"
command -v buildah >/dev/null 2>&1 || die 3 "needs buildah: apt-get install buildah"

version=$(sed -n 's/^project(dojima VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
date=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
work=$root/build/container
image=$work/dojima-$version.tar
mkdir -p "$work"

# Storage of its own: nothing of this machine's images is read or changed.
store() { buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }

stage() { # FOLDER
  rm -rf "$1"
  mkdir -p "$1/root/usr/bin" "$1/root/etc/dojima" "$1/root/var/lib/dojima" "$1/root/tmp" "$1/root/usr/share/doc"
  cp "$root/packaging/container/Containerfile" "$1/"
  cp "$build/bin/dojima" "$1/root/usr/bin/"
  strip "$1/root/usr/bin/dojima"
  # Libraries at the paths at which the loader looks, and its own.
  ldd "$build/bin/dojima" | grep -o '/[^ ]*' | sort -u | while read -r library; do
    mkdir -p "$1/root${library%/*}"
    cp -L "$library" "$1/root$library"
    package=$(dpkg-query -S "$(realpath "$library")" 2>/dev/null | head -n 1 | cut -d: -f1)
    if [ -n "$package" ] && [ -f "/usr/share/doc/$package/copyright" ]; then
      mkdir -p "$1/root/usr/share/doc/$package"
      cp -L "/usr/share/doc/$package/copyright" "$1/root/usr/share/doc/$package/"
    fi
  done
  cp -R /usr/share/zoneinfo "$1/root/usr/share/"
  mkdir -p "$1/root/usr/share/doc/dojima"
  cp "$root/LICENSE" "$root/NOTICE" "$1/root/usr/share/doc/dojima/"
  program=$(realpath "$build/bin/dojima")
  (cd "$1/root/etc/dojima" && for kind in venue gateway; do "$program" config default "$kind" >"$kind.toml"; done 2>/dev/null)
  sed -i 's|"gateway.password"|"/etc/dojima/gateway.password"|' "$1/root/etc/dojima/gateway.toml"
  printf 'dojima:x:10001:10001::/var/lib/dojima:/usr/sbin/nologin\n' >"$1/root/etc/passwd"
  printf 'dojima:x:10001:\n' >"$1/root/etc/group"
  chmod -R u=rwX,go=rX "$1/root"
  chmod 0600 "$1/root/etc/dojima/gateway.password"
  chmod 1777 "$1/root/tmp"
  chmod 0755 "$1/root/usr/bin/dojima"
  # An archive, whose owners stay: all is root's but the folder that the servers write to, and the password that they alone read.
  tar -C "$1/root" --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner --exclude=./var/lib/dojima \
    --exclude=./etc/dojima/gateway.password -cf "$1/root.tar" .
  tar -C "$1/root" --mtime="@$date" --owner=10001 --group=10001 --numeric-owner -rf "$1/root.tar" ./var/lib/dojima \
    ./etc/dojima/gateway.password
  rm -rf "$1/root"
}

make() { # FOLDER FILE
  stage "$1"
  # docker's format: OCI's has no health check. One timestamp for all: the same bytes again.
  store bud -q --format docker --isolation chroot --layers=false --timestamp "$date" --tag localhost/dojima:latest "$1" \
    >"$work/build.log" 2>&1 || {
    tail -n 20 "$work/build.log" >&2
    die 1 "buildah could not build the image"
  }
  rm -f "$2"
  store push -q localhost/dojima:latest "docker-archive:$2:localhost/dojima:latest" >>"$work/build.log" 2>&1 || {
    tail -n 20 "$work/build.log" >&2
    die 1 "buildah could not write the image"
  }
  python3 "$root/tools/container_archive.py" "$2" --date "$date"
}

container=
servers=
finish() {
  # buildah passes no signal on: the servers themselves are signalled, by their user and the ports that only they have.
  for port in 29201 29203; do
    inner=$(pgrep -u 10001 -f "listen.port=$port" || :)
    # shellcheck disable=SC2086  # one word a process
    [ -z "$inner" ] || kill -INT $inner 2>/dev/null || :
  done
  for server in $servers; do wait "$server" 2>/dev/null || :; done
  if [ -n "$container" ]; then store rm "$container" >/dev/null 2>&1 || :; fi
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

within() { store run --isolation chroot "$container" -- /usr/bin/dojima "$@"; }

wait_for() { # WORDS FILE
  for _ in $(seq 200); do
    if grep -qF -- "$1" "$2" 2>/dev/null; then return 0; fi
    sleep 0.1
  done
  cat "$2" >&2
  die 1 "no '$1' within 20 s"
}

make "$work/stage" "$image"
if [ -z "$once" ]; then
  make "$work/stage-again" "$work/again.tar"
  cmp -s "$image" "$work/again.tar" || die 1 "made twice, and not the same bytes: $image, $work/again.tar"
  rm -rf "$work/again.tar" "$work/stage-again"
fi
printf 'made: %s (%s bytes%s)\n' "$image" "$(stat -c %s "$image")" "${once:+, once}"
[ -n "$runs" ] || exit 0

# chroot isolation shares this machine's network: ports that nobody else has.
container=$(store from --pull-never localhost/dojima:latest)
printf 'buy 100 KAGA @ 99.5\nsell 30 KAGA @ 99.5 ioc\nexpect 1 left 70 within 5\ncancel all\n' >"$work/script"
within venue --config /etc/dojima/venue.toml --set listen.port=29201 --set admin.port=29202 --journal /var/lib/dojima/journal \
  >"$work/venue.log" 2>&1 &
servers="$servers $!"
wait_for 127.0.0.1:29201 "$work/venue.log"
within gateway --config /etc/dojima/gateway.toml --set venue.port=29201 --set listen.port=29203 --set admin.port=29204 \
  >"$work/gateway.log" 2>&1 &
servers="$servers $!"
wait_for 127.0.0.1:29203 "$work/gateway.log"
wait_for 'venue took user KONOIKE' "$work/gateway.log"
for port in 29202 29204; do
  within admin --connect "127.0.0.1:$port" live >/dev/null || die 1 "the health check fails at port $port"
done
"$build/bin/dojima" trade --connect 127.0.0.1:29203 --sender KONOIKE --script "$work/script" || die 1 "no trade with the servers of the image"
for port in 29201 29203; do
  pgrep -u 10001 -f "listen.port=$port" >/dev/null || die 1 "the server with listen.port=$port does not run as the user 10001"
done
printf 'ran: venue and gateway as user 10001, health checks good, a trade made\n'
