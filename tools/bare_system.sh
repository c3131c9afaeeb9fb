# shellcheck shell=sh
# A minimal Debian 12 in $bare, for tools/bare_machine.sh and tools/bare_packages.sh, which read this file with `.` in a shell with
# `set -eu`, the function `die`, and the variables root, bare and log. What is mounted in it goes when the shell ends.
# shellcheck disable=SC2154

release=bookworm
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

bare_suites=$bare.suites
suites >"$bare_suites"
mirror=$(awk -v release="$release" '$2 == release && $3 == "main" { print $1; exit }' "$bare_suites")
[ -n "$mirror" ] || die 3 "apt on this machine has no source for Debian $release main to take the mirror from"
keys=$(keyring)
keys=${keys:-/usr/share/keyrings/debian-archive-keyring.gpg}
[ -f "$keys" ] || die 3 "the keyring $keys is not there: apt-get install debian-archive-keyring"

# ------------------------------------------------------------------------------------------------------------------- mounts

unmount() {
  for place in proc dev/pts etc/resolv.conf etc/hosts; do
    if grep -qF " $bare/$place " /proc/self/mounts; then umount "$bare/$place" || umount -l "$bare/$place"; fi
  done
}
trap unmount EXIT
trap 'exit 1' HUP INT TERM

attach() {
  mount -t proc proc "$bare/proc" || return 1
  # Tests type into pseudo terminals; nothing needs /sys, which is not there.
  mount -t devpts -o ptmxmode=0666 devpts "$bare/dev/pts" || return 1
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

remove_bare_system() {
  unmount
  if grep -qF " $bare/" /proc/self/mounts; then die 3 "something is still mounted below $bare"; fi
  rm -rf "$bare"
}

make_bare_system() {
  remove_bare_system
  mkdir -p "$bare"
  : >"$bare/.dojima-bare"
  debootstrap --variant=minbase --keyring="$keys" "$release" "$bare" "$mirror" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    return 1
  }
  if [ ! -f "$bare$keys" ]; then mkdir -p "$bare${keys%/*}" && cp "$keys" "$bare$keys"; fi
  while read -r uri suite component; do
    printf 'deb [signed-by=%s] %s %s %s\n' "$keys" "$uri" "$suite" "$component"
  done <"$bare_suites" >"$bare/etc/apt/sources.list"
  # Proxies and what else reaching this mirror takes.
  for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    if [ -f "$file" ] && grep -q '^[[:space:]]*Acquire::' "$file"; then
      grep '^[[:space:]]*Acquire::.*;[[:space:]]*$' "$file" >"$bare/etc/apt/apt.conf.d/${file##*/}" || :
    fi
  done
  attach
}
