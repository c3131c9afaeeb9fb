#!/usr/bin/env python3
"""System calls that an order costs venue and gateway, by name, for one program or several.

    tools/system_calls.py build/release/bin/dojima [before=OTHER/bin/dojima ...] [--counter perf] [--json calls.json]

Of each program, `dojima venue` and `dojima gateway` run with their default configurations, loop.idle=block, so that they sleep when
there is nothing to do, and heartbeats of a minute between them, so that little happens by itself. Two FIX 4.4 clients, the same for
all programs, send the requests of `dojima bench budget` (docs/budget.md), each when the one before has been answered: rounds of six
with two trades and ten reports, over books of 50 orders on each side. An order is one of these requests. Those that fill the books
and forty rounds more come first. Then calls are counted twice, for few requests and for --orders more, and the difference is divided,
so that attaching and detaching fall out. A run has servers of its own; the programs take turns. What the loops do while nobody sends
is counted as well, a second: a loop looks every 50 ms, and awaits its timers awake.

--counter strace  stops a process twice for each call, so threads meet otherwise than without it
--counter perf    counts in the kernel and stops nothing; needs a kernel's tracepoints and, as a rule, root

"nothing there" are receives that find no byte (EAGAIN) and waits that end without an event. On a busy machine, where an order takes
long, most of them come from the time that passes; the run with the least has the fewest of those. Threads other than the loop's, which
is the first of its process, are counted apart. Reading a clock is no system call where the kernel offers it as vDSO, and is not counted.

Exit status: 0; 2 wrong arguments; 3 when a program does not start or answers otherwise than expected, or nothing can be counted.
"""

import argparse
import collections
import datetime
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import artefact

ROOT = pathlib.Path(__file__).resolve().parents[1]
SERVERS = ("gateway", "venue")
CLIENTS = ("KONOIKE", "YODOYA")
INSTRUMENTS = (("KAGA", 10000), ("CHIKUZEN", 20000), ("HIGO", 50000), ("CHUGOKU", 5000))  # and where their prices begin, in hundredths
DEPTH = 50  # resting orders on each side of each instrument
ROUND = 6
HEARTBEAT = {"venue": "session.heartbeat_ms=60000", "gateway": "venue.heartbeat_ms=60000"}
FEW = 600
MOST = 30_000
PATIENCE_S = 60.0
NOTHING = "nothing there"
RECEIVES = ("recvfrom", "recvmsg", "read", "readv")
WAITS = ("epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6")
# perf is asked for these by name, and for the sum of all.
NAMES = (*RECEIVES, *WAITS, "sendto", "sendmsg", "write", "writev", "epoll_ctl", "io_uring_enter", "timerfd_settime", "futex",
         "sched_yield", "clock_gettime", "clock_nanosleep", "pwrite64", "fdatasync", "accept4", "restart_syscall")
TRACEPOINTS = pathlib.Path("/sys/kernel/tracing/events/syscalls")


class Trouble(Exception):
    """What cannot be counted, in words: exit status 3."""


class Server:
    """`dojima venue` or `dojima gateway`; what it says goes into a file."""

    def __init__(self, program, kind, folder, sets):
        config = pathlib.Path(folder, f"{kind}.toml")
        made = subprocess.run([program, "config", "default", kind], capture_output=True, text=True, check=False, cwd=folder)
        if made.returncode != 0:
            raise Trouble(f"{program} config default {kind}: {made.stderr.strip() or f'exit status {made.returncode}'}")
        config.write_text(made.stdout, encoding="utf-8")
        words = [program, kind, "--config", str(config)]
        for each in ("listen.port=0", "loop.idle=block", HEARTBEAT[kind], *sets):
            words += ["--set", each]
        self.name, self.log = f"{program} {kind}", pathlib.Path(folder, f"{kind}.log")
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder)

    def await_line(self, pattern):
        deadline = time.monotonic() + PATIENCE_S
        while not (found := re.search(pattern, self.log.read_text(encoding="utf-8"), re.MULTILINE)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Trouble(f"{self.name} did not say {pattern!r}:\n{self.log.read_text(encoding='utf-8')}")
            time.sleep(0.02)
        return found

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Clients:
    """Two FIX sessions with the gateway, one request at a time: what bench/budget/orders.cpp sends."""

    def __init__(self, port):
        self.sockets = [socket.create_connection(("127.0.0.1", port)) for _ in CLIENTS]
        for each in self.sockets:
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.numbers, self.rests = [0] * len(CLIENTS), [b""] * len(CLIENTS)
        self.requests = 0
        for client in range(len(CLIENTS)):
            self.say(client, "A", "98=0|108=30|141=Y|")
        self.hear(b"A", len(CLIENTS))

    def close(self):
        for each in self.sockets:
            each.close()

    def fill_books(self):
        for number in range(2 * DEPTH * len(INSTRUMENTS)):
            symbol, reference = INSTRUMENTS[number % len(INSTRUMENTS)]
            place = number // len(INSTRUMENTS)
            side, away = ("1", -(10 + place // 2)) if place % 2 == 0 else ("2", 10 + place // 2)
            self.order(number % len(CLIENTS), f"R{number}", symbol, side, reference + away, 100)
            self.hear(b"8", 1)

    def pass_requests(self, count):
        for _ in range(count):
            self.hear(b"8", self.step())

    def step(self):
        """Sends the next request of a round; how many reports both clients get for it."""
        turn, step = divmod(self.requests, ROUND)
        self.requests += 1
        symbol, reference = INSTRUMENTS[turn % len(INSTRUMENTS)]
        above, below = reference + 1, reference - 1
        if step == 0:
            self.order(0, f"S{turn}", symbol, "2", above, 100)
        elif step == 1:
            self.order(1, f"B{turn}", symbol, "1", below, 100)
        elif step == 2:
            self.order(1, f"P{turn}", symbol, "1", above, 60)
        elif step == 3:
            self.order(1, f"G{turn}", symbol, "1", below, 80, f"B{turn}")
        elif step == 4:
            self.say(1, "F", f"11=F{turn}|41=G{turn}|55={symbol}|54=1|60=@|")
        else:
            self.order(1, f"Q{turn}", symbol, "1", above, 40)
        return 3 if step in (2, 5) else 1

    def order(self, client, name, symbol, side, hundredths, quantity, original=None):
        self.say(client, "G" if original else "D",
                 f"11={name}|" + (f"41={original}|" if original else "") + f"55={symbol}|54={side}|60=@|38={quantity}|40=2|"
                 f"44={hundredths // 100}.{hundredths % 100:02}|59=0|")

    def say(self, client, kind, fields):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d-%H:%M:%S.%f")[:-3]
        self.numbers[client] += 1
        body = f"35={kind}|49={CLIENTS[client]}|56=DOJIMA|34={self.numbers[client]}|52={now}|{fields.replace('@', now)}"
        text = f"8=FIX.4.4|9={len(body)}|{body}".replace("|", "\x01").encode()
        self.sockets[client].sendall(text + b"10=%03d\x01" % (sum(text) % 256))

    def hear(self, kind, count):
        """Reads until so many messages of a kind have come, over both connections; any other but a heartbeat is none that we expect."""
        while count > 0:
            ready, _, _ = select.select(self.sockets, [], [], PATIENCE_S)
            if not ready:
                raise Trouble(f"no answer within {PATIENCE_S:g} s")
            for each in ready:
                client = self.sockets.index(each)
                received = each.recv(65536)
                if not received:
                    raise Trouble("the gateway has closed the connection")
                *messages, self.rests[client] = re.split(rb"(?<=\x0110=\d\d\d\x01)", self.rests[client] + received)
                for message in messages:
                    if b"\x0135=0\x01" in message:
                        continue
                    # ExecType 8: the order is rejected.
                    if b"\x0135=%s\x01" % kind not in message or b"\x01150=8\x01" in message:
                        raise Trouble("not the answer expected: " + message.decode("ascii", "replace").replace("\x01", "|"))
                    count -= 1
        if count < 0:
            raise Trouble("more answers than expected")


# ------------------------------------------------------------------------------------------------------------ counters


def label(name, is_empty, is_loop):
    return ("" if is_loop else "other threads: ") + name + (f", {NOTHING}" if is_empty else "")


class Strace:
    """A file for each thread, a line for each call."""

    def __init__(self, server, folder):
        self.process_id, self.folder = server.process.pid, tempfile.TemporaryDirectory(dir=folder)
        self.tracer = subprocess.Popen(["strace", "-qq", "-ff", "-s", "0", "-o", f"{self.folder.name}/thread", "-p", str(self.process_id)],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + PATIENCE_S
        while any("\nTracerPid:\t0\n" in path.read_text() for path in pathlib.Path(f"/proc/{self.process_id}/task").glob("*/status")):
            if self.tracer.poll() is not None or time.monotonic() > deadline:
                raise Trouble("strace: " + (self.tracer.stderr.read().strip() if self.tracer.poll() is not None else "does not attach"))
            time.sleep(0.01)

    def end(self):
        self.tracer.send_signal(signal.SIGINT)
        self.tracer.communicate()
        counts = collections.Counter()
        for path in pathlib.Path(self.folder.name).iterdir():
            is_loop = path.suffix == f".{self.process_id}"
            for line in path.read_text().splitlines():
                if not (found := re.match(r"(\w+)\(.*?(?:= (\S+)(?: (\w+))?.*)?$", line)):
                    continue  # a signal
                name, value, error = found.groups()
                is_empty = (name in RECEIVES and error == "EAGAIN") or (name in WAITS and value == "0")
                counts[label(name, is_empty, is_loop)] += 1
        self.folder.cleanup()
        return counts

    def abandon(self):
        self.tracer.kill()
        self.tracer.communicate()


class Perf:
    """Tracepoints, counted by the kernel for each thread."""

    def __init__(self, server, folder):
        self.process_id = server.process.pid
        self.file = tempfile.NamedTemporaryFile("r", dir=folder, encoding="utf-8")
        words = ["perf", "stat", "-x", ",", "-o", self.file.name, "--per-thread", "-p", str(self.process_id), "-e", "raw_syscalls:sys_enter"]
        for name in NAMES:
            if not (TRACEPOINTS / f"sys_enter_{name}").exists():
                continue
            words += ["-e", f"syscalls:sys_enter_{name}"]
            if name in RECEIVES + WAITS:
                empty = "ret == -11" if name in RECEIVES else "ret == 0"
                words += ["-e", f"syscalls:sys_exit_{name}", "--filter", empty]
        # Counting lasts as long as this command: it says when that begins, and ends when it is told to.
        self.counter = subprocess.Popen([*words, "--", "sh", "-c", "echo counting; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        if self.counter.stdout.readline() != "counting\n":
            raise Trouble("perf: " + self.counter.communicate()[1].strip())

    def end(self):
        _, complaint = self.counter.communicate("\n")
        if self.counter.returncode != 0:
            raise Trouble("perf: " + complaint.strip())
        counts, rest = collections.Counter(), collections.Counter()
        for line in self.file:
            if not (found := re.match(r".*-(\d+),(\d+),[^,]*,\w+:sys_(enter|exit)(?:_(\w+))?,", line)):
                continue
            is_loop, count, name = int(found[1]) == self.process_id, int(found[2]), found[4]
            if name is None:
                rest[is_loop] += count
            elif found[3] == "enter":
                rest[is_loop] -= count
                counts[label(name, False, is_loop)] += count
            else:
                counts[label(name, False, is_loop)] -= count
                counts[label(name, True, is_loop)] += count
        for is_loop, count in rest.items():
            counts[label("other calls", False, is_loop)] += count
        self.file.close()
        return counts

    def abandon(self):
        self.counter.kill()
        self.counter.communicate()


COUNTERS = {"strace": Strace, "perf": Perf}


# ------------------------------------------------------------------------------------------------------------- counting


def counted(counter, servers, folder, work):
    """{server: its calls} while `work()` runs, and how many seconds that took."""
    counters = {}
    try:
        for kind in SERVERS:
            counters[kind] = counter(servers[kind], folder)
        begin = time.monotonic()
        work()
        seconds = time.monotonic() - begin
        return {kind: counters.pop(kind).end() for kind in SERVERS}, seconds
    finally:
        for each in counters.values():
            each.abandon()


def run(program, options):
    """One pair of servers: {server: calls of `options.orders` requests}, seconds of each, {server: calls while nobody sends}."""
    counter, servers, clients = COUNTERS[options.counter], {}, None
    with tempfile.TemporaryDirectory() as folder:
        try:
            servers["venue"] = Server(program, "venue", folder, [])
            port = servers["venue"].await_line(r"^MIT203 real-time 127\.0\.0\.1:(\d+)")[1]
            servers["gateway"] = Server(program, "gateway", folder, [f"venue.port={port}"])
            port = servers["gateway"].await_line(r"^FIX .*127\.0\.0\.1:(\d+)")[1]
            for client in CLIENTS:
                servers["gateway"].await_line(f"^venue took user {client}$")
            clients = Clients(int(port))
            clients.fill_books()
            clients.pass_requests(40 * ROUND)
            few, few_s = counted(counter, servers, folder, lambda: clients.pass_requests(FEW))
            many, many_s = counted(counter, servers, folder, lambda: clients.pass_requests(FEW + options.orders))
            for kind in SERVERS:
                many[kind].subtract(few[kind])
            rest, _ = counted(counter, servers, folder, lambda: time.sleep(options.rest))
        finally:
            if clients is not None:
                clients.close()
            for each in servers.values():
                each.stop()
    return many, (few_s + many_s) / (2 * FEW + options.orders), rest


def identity_of(program):
    """Which sources the program is made from, as it says itself; none when it does not."""
    said = subprocess.run([program, "lab", "doctor", "--json"], capture_output=True, text=True, check=False).stdout
    try:
        evidence = json.loads(said)["evidence"]
        return {key: evidence[key] for key in ("source_digest", "commit", "dirty")}
    except (ValueError, KeyError, TypeError):
        return None


def named(argument):
    """NAME=PROGRAM, or PROGRAM: its path, and a name when one is given."""
    name, separator, path = argument.rpartition("=")
    if separator and not name:
        raise argparse.ArgumentTypeError(f"{argument}: the name is missing")
    if not os.access(path, os.X_OK) or not os.path.isfile(path):
        raise argparse.ArgumentTypeError(f"{path} is no program")
    return name, str(pathlib.Path(path).resolve())


def rows_of(name, runs, orders):
    """Of one program: calls an order, and the least and the most of all runs."""
    rows = []
    labels = sorted({each for calls, _, _ in runs for counts in calls.values() for each in counts})

    def row(title, count):
        by_run = [[count(calls[kind]) / orders for kind in SERVERS] for calls, _, _ in runs]
        means = [sum(each) / len(runs) for each in zip(*by_run)]
        sums = [sum(each) for each in by_run]
        return [name, title, *(artefact.number(value, 2) for value in (*means, sum(means), min(sums), max(sums)))]

    rows.append(row("all", lambda counts: sum(counts.values())))
    rows.append(row("all but " + NOTHING, lambda counts: sum(count for each, count in counts.items() if not each.endswith(NOTHING))))
    rows += [row(each, lambda counts: counts[each]) for each in labels]
    return [each for each in rows if any(each[2:])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="+", type=named, metavar="[NAME=]PROGRAM", help="a dojima; its commit is its name unless one is given")
    parser.add_argument("--counter", choices=COUNTERS, default="strace", help="(default: strace)")
    parser.add_argument("--orders", type=int, default=6000, help=f"that are counted, whole rounds of six, at most {MOST} (default: 6000)")
    parser.add_argument("--runs", type=int, default=3, help="of each program (default: 3)")
    parser.add_argument("--rest", type=float, default=6.0, metavar="SECONDS", help="for which nobody sends, 1 to 20 (default: 6)")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    options = parser.parse_args()
    if not 10 * ROUND <= options.orders <= MOST or options.orders % ROUND != 0:
        parser.error(f"--orders is a multiple of {ROUND} from {10 * ROUND} to {MOST}")
    if not 1 <= options.runs <= 100:
        parser.error("--runs is from 1 to 100")
    if not 1 <= options.rest <= 20:
        parser.error("--rest is from 1 to 20: a client that is silent for longer is sent away")
    if options.json and not pathlib.Path(options.json).absolute().parent.is_dir():
        parser.error(f"there is no folder for {options.json}")
    if shutil.which(options.counter) is None:
        print(f"there is no {options.counter} (Debian: apt-get install {'linux-perf' if options.counter == 'perf' else 'strace'})", file=sys.stderr)
        return 3

    programs = [path for _, path in options.program]
    identities = [identity_of(path) for path in programs]
    for (name, path), identity in zip(options.program, identities):
        if not name and identity is None:
            parser.error(f"{path} does not say which commit it is made from: give it a name, NAME={path}")
    names = [name or identity["commit"][:8] for (name, _), identity in zip(options.program, identities)]
    if len(set(names)) < len(names):
        parser.error("two programs have the same name, " + ", ".join(names) + ": give them others, NAME=PROGRAM")
    runs = [[] for _ in programs]
    try:
        for _ in range(options.runs):
            for at, program in enumerate(programs):
                runs[at].append(run(program, options))
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        return 3

    calls = artefact.table(
        "calls", "system calls an order", {"program": "its name, or commit", "call": "", "gateway": "", "venue": "", "both": "",
                                           "least": "of both, in a run", "most": "of both, in a run"},
        [row for name, each in zip(names, runs) for row in rows_of(name, each, options.orders)],
        [f"{options.orders} requests, one at a time, in each of {options.runs} runs; counted by {options.counter}"])
    total_s = options.runs * options.rest
    rest = artefact.table(
        "rest", "system calls a second while nobody sends, and how long an order takes while calls are counted",
        {"program": "its name, or commit", "gateway": "calls a second", "venue": "calls a second", "order_us": "microseconds, clients included"},
        [[name, *(artefact.number(sum(sum(at_rest[kind].values()) for _, _, at_rest in each) / total_s, 1) for kind in SERVERS),
          artefact.number(sum(seconds for _, seconds, _ in each) / options.runs * 1e6, 1)]
         for name, each in zip(names, runs)])
    for each in (calls, rest):
        print(artefact.to_text(each))
    if options.json:
        version = subprocess.run([options.counter, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        parameters = {"counter": options.counter, "orders": options.orders, "runs": options.runs, "rest": artefact.number(options.rest)}
        parameters |= {f"commit_of_{name}": identity["commit"] if identity else "" for name, identity in zip(names, identities)}
        pathlib.Path(options.json).write_text(artefact.artefact(ROOT, "tools/system_calls.py", parameters, [calls, rest], [], version,
                                                                identity=next(filter(None, reversed(identities)), None)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
