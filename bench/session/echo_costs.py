#!/usr/bin/env python3
"""What a server does for an echo: system calls, by strace, and instructions of its own and, with many sessions in turn,
misses of its caches, by valgrind.

    bench/session/echo_costs.py --build build/release [--json costs.json]

Starts dojima-echo-server for each row, once for few and once for many echoes, sends it one order after the other, and
divides the difference, so that starting and logging on do not count. Reads that find nothing are counted
apart, and so are polls that no read follows at once that finds something. Instructions and misses are those of the serving
thread outside the kernel; misses are of the data caches of a simple processor that does nothing else. Exit status: 0; 1 when
a goal is missed; 3 when strace or valgrind is missing. Standard library only.
"""

import argparse
import datetime
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import artefact  # noqa: E402

FEW, MANY = 200, 1200
ROWS = [("raw", "spin", "-"), ("raw", "block", "-"), ("session", "spin", "journal"), ("session", "block", "journal"),
        ("session", "spin", "memory")]
SESSIONS = (1, 16, 256)
ROUNDS = (2, 6)  # of all sessions in turn
CACHES = ["--cache-sim=yes", "--D1=32768,8,64", "--LL=1048576,16,64"]
MOST_CALLS = {"spin": 2.0, "block": 3.0}
MOST_INSTRUCTIONS = 8000
POLLS = ("epoll_wait", "epoll_pwait", "poll", "ppoll")
READS = ("recvfrom", "recvmsg", "read")


class Client:
    """Sends orders to ECHO, one after the other."""

    def __init__(self, port, is_session, name="CLIENT"):
        self.name = name
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.next, self.rest = 1, b""
        if is_session:
            self.exchange("A", "98=0|108=0|141=Y|")

    def exchange(self, kind, fields):
        stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d-%H:%M:%S.%f")[:-3]
        body = f"35={kind}|49={self.name}|56=ECHO|34={self.next}|52={stamp}|{fields.replace('@', stamp)}"
        self.next += 1
        head = f"8=FIX.4.4|9={len(body)}|{body}".replace("|", "\x01").encode()
        self.socket.sendall(head + b"10=%03d\x01" % (sum(head) % 256))
        while not (found := re.search(rb"\x0110=\d{3}\x01", self.rest)):
            received = self.socket.recv(65536)
            if not received:
                raise SystemExit("the server has closed the connection")
            self.rest += received
        self.rest = self.rest[found.end():]

    def order(self):
        self.exchange("D", "11=ORDER-0000001|21=1|55=RICE|54=1|60=@|38=100|40=2|44=125|1=ACCOUNT-17|59=0|"
                           "58=an order of usual size|")


def run(words, is_session, echoes, pause_s=0.0, sessions=1):
    server = subprocess.Popen(list(map(str, words)) + ["--echoes", str(echoes)], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL)
    try:
        port = int(server.stdout.readline())
        clients = [Client(port, is_session, "CLIENT" if sessions == 1 else f"CLIENT{at}") for at in range(sessions)]
        for echo in range(echoes):
            time.sleep(pause_s)  # so that the server sleeps
            clients[echo % sessions].order()
        server.wait(timeout=60)
    finally:
        server.kill()


def calls(words, is_session, echoes, pause_s, folder):
    """System calls of the serving thread: (that did something, that found nothing)."""
    trace = folder / "trace"
    run(["strace", "-f", "-o", trace, *words], is_session, echoes, pause_s)
    lines = [line.split(None, 1) for line in trace.read_text().splitlines()]
    # The serving thread is the one that accepts.
    serving = next(thread for thread, call in lines if call.startswith("accept"))
    useful = idle = 0
    is_reported = False  # by the call before: a poll
    for thread, call in lines:
        name = re.match(r"(\w+)\(|<\.\.\. (\w+) resumed", call)
        if thread != serving or name is None or "<unfinished" in call:
            continue
        name, outcome = name[1] or name[2], call.rsplit("= ", 1)[-1]
        has_found = not (name in POLLS or (name in READS and "EAGAIN" in outcome))
        useful += has_found
        idle += not has_found
        if is_reported and name in READS and has_found:
            useful, idle = useful + 1, idle - 1
        is_reported = name in POLLS and not outcome.startswith("0")
    return useful, idle


def instructions(words, is_session, echoes, folder):
    out = folder / "callgrind"
    for old in folder.glob("callgrind*"):
        old.unlink()
    run(["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out}", *words], is_session, echoes)
    # The first thread serves; nothing else of the program does.
    text = next(iter(sorted(folder.glob("callgrind-01*")))).read_text()
    return int(re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)[1])


def misses(words, sessions, echoes, folder):
    """(of the first data cache, of the last one)"""
    out = folder / "caches"
    for old in folder.glob("caches*"):
        old.unlink()
    run(["valgrind", "--tool=callgrind", *CACHES, "--separate-threads=yes", f"--callgrind-out-file={out}", *words],
        True, echoes, sessions=sessions)
    text = next(iter(sorted(folder.glob("caches-01*")))).read_text()
    names = re.search(r"^events: (.*)", text, re.MULTILINE)[1].split()
    found = dict(zip(names, map(int, re.search(r"^(?:totals|summary): (.*)", text, re.MULTILINE)[1].split())))
    return found["D1mr"] + found["D1mw"], found["DLmr"] + found["DLmw"]


def measure_misses(sessions, build, folder):
    kept = folder / "misses-store"
    counts = []
    for rounds in ROUNDS:
        shutil.rmtree(kept, ignore_errors=True)
        counts.append(misses([build / "bin" / "dojima-echo-server", "--server", "session", "--idle", "block", "--store", "journal",
                              "--folder", kept, "--sessions", sessions], sessions, rounds * per_round(sessions), folder))
    echoes = (ROUNDS[1] - ROUNDS[0]) * per_round(sessions)
    return [sessions, *(artefact.number((many - few) / echoes, 1) for few, many in zip(*counts))]


def per_round(sessions):
    """One echo of each, and enough of them."""
    return sessions * max(1, 256 // sessions)


def measure(row, build, folder):
    server, idle, store = row

    def words(name):
        kept = folder / f"{name}-store"
        shutil.rmtree(kept, ignore_errors=True)
        given = [build / "bin" / "dojima-echo-server", "--server", server, "--idle", idle]
        return given if store == "-" else [*given, "--store", store, "--folder", kept]

    is_session = server == "session"
    pause_s = 0.002 if idle == "block" else 0.0
    few, many = (calls(words("calls"), is_session, echoes, pause_s, folder) for echoes in (FEW, MANY))
    useful, nothing = ((last - first) / (MANY - FEW) for first, last in zip(few, many))
    # A server that spins looks, and executes instructions, for as long as there is time: nothing to compare.
    if idle == "spin":
        return [server, idle, store, artefact.number(useful, 2), "", ""]
    few, many = (instructions(words("instructions"), is_session, echoes, folder) for echoes in (FEW, MANY))
    return [server, idle, store, artefact.number(useful, 2), artefact.number(nothing, 2),
            artefact.number((many - few) / (MANY - FEW), 0)]


def goals(rows):
    """(name, ok, detail)"""
    checks = []
    for server, idle, store, useful, _, spent in rows:
        if server != "session":
            continue
        checks.append((f"system calls, {idle}, {store} <= {MOST_CALLS[idle]:.0f}", useful <= MOST_CALLS[idle] + 0.05,
                       str(useful)))
        if spent != "":
            checks.append((f"instructions, {idle}, {store} <= {MOST_INSTRUCTIONS}", spent <= MOST_INSTRUCTIONS, str(spent)))
    return checks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path,
                        help="one that valgrind can run, so not the native preset (default: build/release)")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    options = parser.parse_args()
    for tool in ("strace", "valgrind"):
        if shutil.which(tool) is None:
            print(f"{tool} not found (apt-get install {tool})")
            return 3
    build = (ROOT / options.build).resolve()
    if not (build / "bin" / "dojima-echo-server").exists():
        print(f"no dojima-echo-server in {build}: ninja -C {options.build} dojima-echo-server")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(row, build, pathlib.Path(folder)) for row in ROWS]
        caches = [measure_misses(sessions, build, pathlib.Path(folder)) for sessions in SESSIONS]
    checks = goals(rows)
    table = artefact.table(
        "costs", "what a server does for an echo",
        {"server": "", "idle": "between orders", "store": "", "calls": "system calls that did something",
         "empty_calls": "reads and polls that found nothing", "instructions": "of the serving thread, outside the kernel"},
        rows, [f"the difference of {MANY} and {FEW} echoes, one after the other; strace, callgrind"])
    cache_table = artefact.table(
        "caches", "misses of an echo, sessions in turn",
        {"sessions": "", "first": "of a data cache of 32 KiB", "last": "of a cache of 1 MiB behind it"},
        caches, ["the serving thread outside the kernel, which shares the caches of a real processor; callgrind"])
    for each in (table, cache_table):
        print(artefact.to_text(each), end="")
    for name, ok, detail in checks:
        print(f"{'reached' if ok else 'missed '}  {name}: {detail}")
    if options.json:
        text = artefact.artefact(ROOT, "echo_costs", {"build": str(options.build)}, [table, cache_table], checks, "see build")
        pathlib.Path(options.json).write_text(text)
    return 0 if all(ok for _, ok, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
