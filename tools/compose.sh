#!/bin/sh
# Runs packaging/container/compose.yaml from the image that tools/container.sh made, by podman and podman-compose: health checks, both
# dashboards, a trade through the gateway, and down again with its volumes. Nothing of this machine's own images is read or changed.
set -eu

usage() {
  cat <<'END'
usage: tools/compose.sh [--build FOLDER]

  --build FOLDER  the finished build whose program trades (default: build/release)

Needs build/container/dojima-VERSION.tar, podman, runc, curl, and from PyPI podman-compose (1.6.0 works; Debian 12's 1.0.3 does not read
the file), which goes into build/compose/venv. The ports 9300, 9301 and 9878 of 127.0.0.1 are free.
Exit status: 0 it ran, 1 something failed, 2 wrong arguments, 3 something that it needs is not there.
END
}

die() { # STATUS MESSAGE...
  status=$1
  shift
  printf 'tools/compose.sh: %s\n' "$*" >&2
  exit "$status"
}

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build/release
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --build) [ $# -ge 2 ] || die 2 "--build needs a folder"; build=$2; shift ;;
    *) die 2 "unknown argument '$1'; see --help" ;;
  esac
  shift
done
for needed in podman runc curl; do
  command -v "$needed" >/dev/null 2>&1 || die 3 "needs $needed: apt-get install $needed"
done
image=$(find "$root/build/container" -name 'dojima-*.tar' 2>/dev/null | head -n 1)
[ -n "$image" ] || die 3 "no image: tools/container.sh"
[ -x "$build/bin/dojima" ] || die 3 "no $build/bin/dojima: ./dev build dojima"

work=$root/build/compose
mkdir -p "$work/net"
# crun wants one version of control groups, and standard limits may be above those of this machine.
cat >"$work/containers.conf" <<'END'
[containers]
default_ulimits = ["nofile=1024:4096", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
END
cat >"$work/podman" <<END
#!/bin/sh
CONTAINERS_CONF='$work/containers.conf' exec podman --runtime runc --root '$work/store' --runroot '$work/run' --storage-driver vfs \\
  --network-config-dir '$work/net' "\$@"
END
chmod 0755 "$work/podman"
[ -x "$work/venv/bin/podman-compose" ] ||
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q 'podman-compose==1.6.0'; } || die 3 "podman-compose cannot be had"

compose() {
  "$work/venv/bin/podman-compose" --podman-path "$work/podman" -f "$root/packaging/container/compose.yaml" "$@" >>"$work/compose.log" 2>&1
}
finish() {
  compose down -t 5 -v || :
}
: >"$work/compose.log"
"$work/podman" load -q -i "$image" >/dev/null
trap finish EXIT
trap 'exit 1' HUP INT TERM
compose up -d || { tail -n 20 "$work/compose.log" >&2; die 1 "it does not come up"; }

# Without systemd nobody asks for the health of a container of itself.
healthy() {
  for _ in $(seq 100); do
    if "$work/podman" healthcheck run "$1" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  die 1 "$1 is not healthy"
}
healthy dojima_venue_1
healthy dojima_gateway_1
for port in 9300 9301; do
  curl -fsS -o /dev/null "http://127.0.0.1:$port/" || die 1 "no dashboard at port $port"
done
printf 'buy 100 KAGA @ 99.5\nsell 30 KAGA @ 99.5 ioc\ncancel 1\nquit\n' |
  "$build/bin/dojima" trade --connect 127.0.0.1:9878 --sender KONOIKE >"$work/trade.log" || { cat "$work/trade.log" >&2; die 1 "no trade"; }
grep -q '^2 filled' "$work/trade.log" || { cat "$work/trade.log" >&2; die 1 "no trade"; }
echo "ran: venue and gateway of compose.yaml, healthy, both dashboards, a trade through them"
