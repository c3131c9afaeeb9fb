#!/usr/bin/env python3
"""A venue's live market data for long: multicast lines, channels and a flow of orders, followed to the last message.

    tools/feed_soak.py --program build/release/bin/dojima --minutes 60 --json soak.json

Starts a venue with lines A and B by multicast of this machine, a gateway, two members who send `--rate` orders and cancels a second,
one reader that loses nothing on purpose, one that drops `--drop` percent of each line's datagrams and is held against a third
that gets all of them, and `--late` readers that join while orders come, at even distances, and drop as many. When the flow has
ended, nothing may be missing, no book may be suspect, and no two books may differ: those of all readers are the same.

Exit status: 0; 1 when something is missing or differs; 2 wrong arguments; 3 when multicast or a port cannot be had.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import artefact

ROOT = pathlib.Path(__file__).resolve().parents[1]
READERS = "".join(f'\n[[feed_reader]]\nname = "READ{at}"\npassword = "feed_1234"\n' for at in range(1, 10))
SYMBOLS = {"KAGA": 100, "HIGO": 500}
TICKS = 8  # to both sides of a price that wanders
SETTLES_S = 5  # that readers follow on behind the flow
ENDS_S = 60    # that a program may take to end


class Trouble(Exception):
    """A program that did not start, or did not end as it should: exit status 3."""


class Program:
    """What it says goes into a file: a pipe that nobody empties would stop it after a while."""

    def __init__(self, words, says=None, patience_s=60.0):
        self.words = words
        self.output = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=self.output, stderr=subprocess.STDOUT, text=True)
        deadline = time.monotonic() + patience_s
        while says and not self.find(says):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise Trouble(f"dojima {words[1]} did not start:\n{self.text()}")
            time.sleep(0.02)

    def text(self):
        # Read where it is, without moving the place at which the program writes.
        size = os.fstat(self.output.fileno()).st_size
        return os.pread(self.output.fileno(), size, 0).decode("utf-8", "replace")

    def find(self, pattern):
        found = re.search(pattern, self.text())
        return found and found[1]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.wait()

    def wait(self):
        try:
            return self.process.wait(timeout=ENDS_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Trouble(f"dojima {self.words[1]} did not end within {ENDS_S} s") from None


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Flow:
    """Two members whose orders cross now and then; each cancels what it sent some orders before."""

    def __init__(self, program, gateway, seed):
        self.random = random.Random(seed)
        self.members = [Member(program, gateway, sender) for sender in ("KONOIKE", "YODOYA")]
        self.middle = dict.fromkeys(SYMBOLS, 0)

    def step(self):
        for symbol, start in SYMBOLS.items():
            self.middle[symbol] = max(-40, min(40, self.middle[symbol] + self.random.choice((-1, 0, 0, 1))))
            side = self.random.choice(("buy", "sell"))
            away = self.random.randint(-2, TICKS) * (-1 if side == "buy" else 1)
            price = start + (self.middle[symbol] + away) * 0.5
            self.random.choice(self.members).order(f"{side} {self.random.randint(1, 50)} {symbol} @ {price:g}")

    def end(self):
        return sum(member.end() for member in self.members)


class Member:
    LIVES = 40  # orders, until it is cancelled

    def __init__(self, program, gateway, sender):
        self.sent = 0
        # What it receives is not kept: an hour of it would fill the pipe.
        self.process = subprocess.Popen([program, "trade", "--connect", gateway, "--sender", sender], stdin=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)

    def order(self, line):
        self.sent += 1
        lines = line + "\n"
        if self.sent > self.LIVES:
            lines += f"cancel {self.sent - self.LIVES}\n"
        try:
            self.process.stdin.write(lines)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Trouble(f"a member ended, with status {self.process.wait()}") from None

    def end(self):
        try:
            self.process.stdin.close()
            self.process.wait(timeout=ENDS_S)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        return self.sent


def figures_of(path):
    """The sums that `dojima feed --json` wrote."""
    tables = {each["name"]: each for each in json.loads(path.read_text(encoding="utf-8"))["tables"]}
    table = next(each for each in tables.values() if any(row.get(each["columns"][0]) == "messages" for row in each["rows"]))
    name, value = table["columns"][:2]
    return {row[name]: row[value] for row in table["rows"]}


def books_of(path):
    """The levels at the end that `dojima feed --json` wrote."""
    tables = json.loads(path.read_text(encoding="utf-8"))["tables"]
    return next(each["rows"] for each in tables if each["name"] == "levels")


def identity_of(program):
    """Which sources the program is made from, as it says itself: it may be older than the tree."""
    output = subprocess.run([program, "lab", "doctor", "--json"], capture_output=True, text=True, check=False).stdout
    evidence = json.loads(output)["evidence"]
    return {key: evidence[key] for key in ("source_digest", "commit", "dirty")}


def follow(options, folder, config, sets, seconds, name, more):
    words = [options.program, "feed", "--config", config, *sets, "--seconds", f"{seconds:.1f}", "--every", "10",
             "--json", f"{folder}/{name}.json", *more]
    return Program(words)


def run(options, folder):
    config = pathlib.Path(folder, "venue.toml")
    for kind, more in (("venue", READERS), ("gateway", "")):
        text = subprocess.run([os.path.abspath(options.program), "config", "default", kind], capture_output=True, text=True, check=True,
                              cwd=folder).stdout
        text = text.replace('"gateway.password"', f'"{folder}/gateway.password"')  # it is started elsewhere
        pathlib.Path(folder, f"{kind}.toml").write_text(text + more, encoding="utf-8")
    line_port, venue_port = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_STREAM)
    replay_port, recovery_port = free_port(socket.SOCK_STREAM), free_port(socket.SOCK_STREAM)
    sets = [word for each in (f"feed.line_a=239.255.78.1:{line_port}", f"feed.line_b=239.255.78.2:{line_port}",
                              f"feed.replay_port={replay_port}", f"feed.recovery_port={recovery_port}") for word in ("--set", each)]
    programs, seconds = [], options.minutes * 60
    try:
        programs.append(Program([options.program, "venue", "--config", str(config), "--set", f"listen.port={venue_port}", *sets],
                                r"MIT303 replay 127\.0\.0\.1:(\d+)"))
        programs.append(Program([options.program, "gateway", "--config", f"{folder}/gateway.toml", "--set", "listen.port=0",
                                 "--set", f"venue.port={venue_port}"], r"venue took user \w+[\s\S]*venue took user (\w+)"))
        follows = seconds + SETTLES_S
        readers = [follow(options, folder, str(config), sets, follows, "plain", ["--user", "READ3", "--password", "feed_1234"]),
                   follow(options, folder, str(config), sets, follows, "lossy", ["--drop", f"{options.drop:g}"])]
        programs += readers
        names = ["plain", "lossy"]
        joins = [seconds * (at + 1) / (options.late + 1) for at in range(options.late)]
        flow = Flow(options.program, programs[1].find(r"FIX (127\.0\.0\.1:\d+)"), options.seed)
        begin, steps, shown = time.monotonic(), 0, 0
        every = 2 * len(SYMBOLS) / options.rate  # an order and a cancel of each
        try:
            while (elapsed := time.monotonic() - begin) < seconds:
                for reader in readers:
                    if reader.process.poll() is not None:
                        raise Trouble(f"a reader ended: {reader.wait()} {reader.text()[-500:]}")
                if joins and elapsed >= joins[0]:
                    joins.pop(0)
                    # The users of the first two, and of the third that the second is held against, are taken.
                    user = f"READ{len(names) + 2}"
                    names.append(f"late{len(names) - 1}")
                    readers.append(follow(options, folder, str(config), sets, follows - elapsed, names[-1],
                                          ["--user", user, "--password", "feed_1234", "--drop", f"{options.drop:g}"]))
                    programs.append(readers[-1])
                while steps * every <= elapsed:
                    flow.step()
                    steps += 1
                if int(elapsed / 60) > shown:
                    shown = int(elapsed / 60)
                    print(f"{shown} min: {2 * len(SYMBOLS) * steps} orders and cancels", file=sys.stderr, flush=True)
                time.sleep(0.01)
        finally:
            sent = flow.end()
        statuses = [reader.wait() for reader in readers]
        files = {name: pathlib.Path(folder, f"{name}.json") for name in names}
        figures = {name: figures_of(file) for name, file in files.items()}
        books = {name: books_of(file) for name, file in files.items()}
    finally:
        for program in reversed(programs):
            program.stop()
    return sent, statuses, figures, books


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="a dojima")
    parser.add_argument("--minutes", type=float, default=60, help="of flow (default: 60)")
    parser.add_argument("--rate", type=float, default=400, help="orders and cancels a second (default: 400)")
    parser.add_argument("--drop", type=float, default=5, help="percent of each line's datagrams (default: 5)")
    parser.add_argument("--late", type=int, default=3, help="readers that join late, 0 to 5 (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="of the flow (default: 1)")
    parser.add_argument("--compiler", default="g++", help="what the program was built with (default: g++)")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    options = parser.parse_args()
    if options.minutes <= 0 or options.rate <= 0 or not 0 < options.drop < 100 or not 0 <= options.late <= 5:
        parser.error("--minutes and --rate are above 0, --drop is between 0 and 100, --late from 0 to 5")
    if not pathlib.Path(options.program).is_file():
        parser.error(f"there is no {options.program}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            sent, statuses, figures, books = run(options, folder)
        except Trouble as trouble:
            print(trouble, file=sys.stderr)
            return 3
    plain, lossy = figures["plain"], figures["lossy"]
    late = [name for name in figures if name.startswith("late")]
    titles = {"what": "", "plain": "a reader that drops nothing on purpose", "lossy": f"one that drops {options.drop:g} percent of each line"}
    titles |= {name: "one that joins late and drops as many" for name in late}
    table = artefact.table("soak", f"{options.minutes:g} minutes of live market data", titles,
                           [["orders"] + [sent] * len(figures)] +
                           [[what] + [each[what] for each in figures.values()] for what in plain if what in lossy])
    # What is missing for a while is counted as `missing`; what never came, as `skipped`.
    checks = [("messages came", plain["messages"] > 0 and lossy["dropped"] > 0, f"{plain['messages']}, {lossy['dropped']} datagrams dropped"),
              ("0 missing at the end, no book suspect or different", not any(statuses), f"exit status {statuses}"),
              ("0 skipped", plain["skipped"] == 0 and lossy["skipped"] == 0, f"{plain['skipped']}, {lossy['skipped']}"),
              ("both have all messages", plain["messages"] == lossy["messages"], f"{plain['messages']}, {lossy['messages']}"),
              ("books were compared", all(figures[name]["comparisons"] > 0 for name in ["lossy", *late]),
               ", ".join(str(figures[name]["comparisons"]) for name in ["lossy", *late]) + " times"),
              ("the books of all are the same at the end", all(each == books["plain"] for each in books.values()) and books["plain"] != [],
               f"{len(books['plain'])} levels, {len(books)} readers"),
              ("who joined late recovered its books", all(figures[name]["snapshots"] > 0 for name in late),
               ", ".join(str(figures[name]["snapshots"]) for name in late) + " snapshots")]
    print(artefact.to_text(table))
    for name, is_ok, detail in checks:
        print(f"{'ok    ' if is_ok else 'failed'}  {name}: {detail}")
    if options.json:
        version = subprocess.run([options.compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        pathlib.Path(options.json).write_text(artefact.artefact(
            ROOT, "tools/feed_soak.py", {"minutes": artefact.number(options.minutes), "rate": artefact.number(options.rate),
                                         "drop": artefact.number(options.drop), "late": options.late, "seed": options.seed},
            [table], checks, version.splitlines()[0], identity=identity_of(options.program)), encoding="utf-8")
    return 0 if all(is_ok for _, is_ok, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
