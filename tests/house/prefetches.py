#!/usr/bin/env python3
"""Holds functions that only fetch ahead to really do so: a compiler may take such a function for one without effect and
leave it empty, which no other test sees. Their machine code, out of a room's archive, has an instruction that fetches.
Only for x86-64, by objdump; exit status 0 when it is so, 1 when a function is empty or missing, 2 when the check itself
cannot run.
"""

import argparse
import re
import subprocess
import sys

FUNCTIONS = {"libdojima_venue.a": ["dojima::venue::Partition::prefetch("]}
HEAD = re.compile(r"^[0-9a-f]+ <(.+)>:$")


def bodies(listing):
    """The lines of each function, by its name."""
    found, body = {}, None
    for line in listing.splitlines():
        head = HEAD.match(line)
        if head:
            body = found.setdefault(head.group(1), [])
        elif body is not None:
            body.append(line)
    return found


def violations(archive, listing):
    found = bodies(listing)
    for function in FUNCTIONS.get(archive.rsplit("/", 1)[-1], []):
        same = [body for name, body in found.items() if name.startswith(function)]
        if not same:
            yield f"{archive}: {function}...) is not there"
        elif not any("\tprefetch" in line for body in same for line in body):
            yield f"{archive}: {function}...) fetches nothing: the compiler has left it empty"


def self_test():
    name = "dojima::venue::Partition::prefetch(std::span<X const>) const"
    fetching = f"0000000000000010 <{name}>:\n  10:\t0f 18 08 \tprefetcht0 (%rax)\n  13:\tc3 \tret\n"
    cases = [(fetching, 0), (f"0000000000000010 <{name}>:\n  10:\tc3 \tret\n", 1), ("0000000000000010 <main>:\n", 1)]
    for listing, wanted in cases:
        found = list(violations("x/libdojima_venue.a", listing))
        if len(found) != wanted:
            print(f"{wanted} violations were planted, found: {found}\n{listing}")
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="find violations that are planted")
    parser.add_argument("archives", nargs="*", help="libdojima_ROOM.a")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    status = 0
    for archive in arguments.archives:
        listed = subprocess.run(["objdump", "-d", "-C", archive], capture_output=True, text=True, check=False)
        if listed.returncode != 0:
            print(f"objdump {archive}: {listed.stderr.strip()}")
            return 2
        for violation in violations(archive, listed.stdout):
            print(violation)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
