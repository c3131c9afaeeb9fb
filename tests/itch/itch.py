#!/usr/bin/env python3
"""A venue's market data as ITCH 5.0: MoldUDP64 datagrams and SoupBinTCP of a live venue, taken by sockets of Python.

    python3 tests/itch/itch.py --dojima build/release/bin/dojima [--readers PYTHON] [--tshark FILE] [--all]

Orders are entered through a gateway. Both ways must say the same messages, numbered alike; a reader of SoupBinTCP that
comes late gets all of them; the books that they make, kept here by the specification, are those that `dojima replay`
makes of the same messages in a file, and those that readers from PyPI make of it (meatpy, itchfeed), where the Python that
--readers or DOJIMA_ITCH_PYTHON names, else this one, has them. Wireshark's dissectors, where tshark is, see every block and packet of
both ways. Exit status: 0 right, 1 something is wrong, or with --all was skipped, 2 wrong arguments.
"""

import argparse
import collections
import csv
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SIZES = {"S": 12, "R": 39, "H": 25, "A": 36, "F": 40, "E": 31, "C": 36, "X": 23, "D": 19, "U": 35, "P": 44, "Q": 40,
         "B": 19, "I": 50}


class Wrong(Exception):
    pass


def expect(what, is_so):
    if not is_so:
        raise Wrong(what)


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    def __init__(self, words, says):
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []
        while not self.find(says):
            line = self.process.stdout.readline()
            if not line:
                raise Wrong(f"{words[1]} did not start:\n" + "".join(self.lines))
            self.lines.append(line)

    def find(self, pattern):
        return next((found[1] for line in self.lines if (found := re.search(pattern, line))), None)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)


class Mold(threading.Thread):
    """What comes by datagrams."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind(("127.0.0.1", port))
        self.messages, self.sessions, self.heartbeats, self.is_over, self.trouble = {}, set(), 0, False, None
        self.datagrams = []
        self.start()

    def run(self):
        while not self.is_over:
            datagram = self.socket.recv(65_536)
            self.datagrams.append(datagram)
            session, number, count = struct.unpack_from(">10sQH", datagram)
            self.sessions.add(session)
            at = 20
            if count == 0xFFFF:
                self.is_over = True
                continue
            self.heartbeats += count == 0
            for each in range(count):
                (size,) = struct.unpack_from(">H", datagram, at)
                self.messages[number + each] = datagram[at + 2:at + 2 + size]
                at += 2 + size
            if at != len(datagram):
                self.trouble = f"a datagram of {len(datagram)} bytes has blocks of {at}"


    def when_quiet(self):
        """The number of the last message, when none has come for half a second."""
        last, since = 0, time.monotonic()
        while time.monotonic() < since + 0.5:
            time.sleep(0.05)
            if (now := max(list(self.messages), default=0)) != last:
                last, since = now, time.monotonic()
        return last


class Soup:
    """A reader by SoupBinTCP."""

    def __init__(self, port, number, user="READ1", password="feed_1234"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.bytes, self.messages, self.types, self.stream = b"", [], "", b""
        login = f"{user:<6}{password:<10}{'':<10}{number:>20}".encode()
        self.socket.sendall(struct.pack(">Hc", len(login) + 1, b"L") + login)

    def read(self, is_done, patience=10.0):
        deadline = time.monotonic() + patience
        while not is_done(self) and time.monotonic() < deadline:
            self.socket.settimeout(0.2)
            try:
                more = self.socket.recv(65_536)
            except TimeoutError:
                continue
            if not more:
                break
            self.bytes += more
            self.stream += more
            while len(self.bytes) >= 2 and len(self.bytes) >= 2 + (size := struct.unpack_from(">H", self.bytes)[0]):
                packet, self.bytes = self.bytes[2:2 + size], self.bytes[2 + size:]
                self.types += chr(packet[0])
                if packet[:1] == b"S":
                    self.messages.append(packet[1:])
        return self


def books_of(messages):
    """Shares by (stock, side, price), by the specification."""
    stocks, orders = {}, {}
    for message in messages:
        kind = chr(message[0])
        expect(f"{kind} has {len(message)} bytes", SIZES.get(kind) == len(message))
        (locate,) = struct.unpack_from(">H", message, 1)
        if kind == "R":
            stocks[locate] = message[11:19].decode().strip()
        elif kind in "AF":
            reference, side, shares, stock, price = struct.unpack_from(">QcI8sI", message, 11)
            expect("a reference number is used once", reference not in orders)
            expect("the stock is the locate's", stocks[locate] == stock.decode().strip())
            orders[reference] = [locate, side.decode(), price, shares]
        elif kind in "ECX":
            reference, shares = struct.unpack_from(">QI", message, 11)
            expect("no more is executed than is there", orders[reference][3] >= shares)
            orders[reference][3] -= shares
            if orders[reference][3] == 0:
                del orders[reference]
        elif kind == "D":
            del orders[struct.unpack_from(">Q", message, 11)[0]]
        elif kind == "U":
            old, new, shares, price = struct.unpack_from(">QQII", message, 11)
            locate, side, _, _ = orders.pop(old)
            orders[new] = [locate, side, price, shares]
    books = collections.Counter()
    for locate, side, price, shares in orders.values():
        books[stocks[locate], side, price] += shares
    return books


def script():
    lines = []
    for number in range(1, 61):
        lines.append(f"{'buy' if number % 2 else 'sell'} {number * 10} {'KAGA' if number % 3 else 'HIGO'} @ "
                     f"{(95 if number % 3 else 495) + number % 9}.5")
        if number % 4 == 0:
            lines.append(f"amend {number - 1} {number * 5} @ {(95 if (number - 1) % 3 else 495) + number % 7}.5")
        if number % 5 == 0:
            lines.append(f"cancel {number - 2}")
    lines.append("buy 900 KAGA @ 94 display=100")
    lines.append("sell 630 KAGA @ 94")
    return "\n".join(lines) + "\n"


def trade(dojima, folder, gateway):
    path = f"{folder}/orders.trade"
    with open(path, "w", encoding="utf-8") as file:
        file.write(script())
    run = subprocess.run([dojima, "trade", "--connect", gateway, "--sender", "KONOIKE", "--script", path],
                         capture_output=True, text=True, timeout=60, check=False)
    said = run.stdout + run.stderr  # some changes come too late, and are refused
    expect(f"orders were entered: {said}", said.count(" accepted: ") == 62 and "not sent" not in said)


def our_reader(dojima, folder, messages, books):
    path = f"{folder}/day.itch"
    with open(path, "wb") as file:
        for message in messages:
            file.write(struct.pack(">H", len(message)) + message)
    run = subprocess.run([dojima, "replay", path, "--format", "itch50", "--check", "--out", f"{folder}/replayed",
                          "--depth", "1000"],
                         capture_output=True, text=True, timeout=60, check=False)
    expect(f"our reader of ITCH takes it: {run.stdout}{run.stderr}", run.returncode == 0)
    with open(f"{folder}/replayed/snapshots.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    last = [row for row in rows if row["time"] == rows[-1]["time"]]
    theirs = {(row["symbol"], "B" if row["side"] == "buy" else "S", round(float(row["price"]) * 10_000)): int(row["quantity"])
              for row in last}
    expect(f"its books are those of the specification: {theirs}, {books}", theirs == books)
    print("our reader of ITCH has the same books")


skipped = []


def skip(what):
    """A check that cannot be made here: it is said, and counted at the end."""
    skipped.append(what)
    print(f"skipped: {what}")


def pypi_readers(python, folder, books):
    """Programs of others, each by itself."""
    wanted = sorted([*level, shares] for level, shares in books.items() if shares)
    for reader in ("meatpy", "itchfeed"):
        run = subprocess.run([python, Path(__file__).with_name("pypi_readers.py"), reader, f"{folder}/day.itch"],
                             capture_output=True, text=True, timeout=60, check=False)
        if run.returncode == 3:
            skip(f"what {reader} reads; it is not installed for {python} (pip install {reader})")
            continue
        expect(f"{reader} takes it: {run.stderr}", run.returncode == 0)
        expect(f"{reader} has the same books: {run.stdout}, {wanted}", json.loads(run.stdout) == wanted)
        print(f"{reader} has the same books")


def capture(path, protocol, port, payloads):
    """A capture of raw IP packets from port 5000 to `port`: UDP (17) or one stream of TCP (6)."""
    packets, sent = [], 0
    for payload in payloads:
        if protocol == 17:
            body = struct.pack(">HHHH", 5000, port, 8 + len(payload), 0) + payload
        else:
            body = struct.pack(">HHIIHHHH", 5000, port, 1 + sent, 1, 0x5018, 65_535, 0, 0) + payload
            sent += len(payload)
        head = struct.pack(">HHIBBH4s4s", 0x4500, 20 + len(body), 0, 64, protocol, 0, b"\x0a\0\0\x01", b"\x0a\0\0\x02")
        packets.append(head + body)
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_536, 101))
        for number, packet in enumerate(packets):
            file.write(struct.pack("<IIII", 1_784_548_800, number, len(packet), len(packet)) + packet)


def packets_of(stream):
    """Those of a stream of SoupBinTCP, each for a segment of its own: tshark 4.0 lost its place where segments were cut anywhere."""
    packets, at = [], 0
    while at < len(stream):
        (size,) = struct.unpack_from(">H", stream, at)
        packets.append(stream[at:at + 2 + size])
        at += 2 + size
    return packets


def tshark(program, folder, mold, soup):
    """Wireshark's dissectors of both ways: every block and packet, nothing malformed. (It knows ITCH 2.0, not 5.0.)"""
    if program is None:
        skip("what tshark reads; it is not installed (Debian: tshark)")
        return

    def fields(path, decode, *names):
        words = [program, "-r", path, "-d", decode, "-o", "tcp.check_checksum:FALSE", "-T", "fields", "-E", "occurrence=a"]
        for name in (*names, "_ws.malformed", "_ws.expert.message"):
            words += ["-e", name]
        run = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        expect(f"tshark runs: {run.stderr}", run.returncode == 0)
        rows = [line.split("\t") for line in run.stdout.splitlines()]
        expect(f"tshark finds nothing malformed: {run.stdout}", rows and not any("alformed" in row[-2] + row[-1] for row in rows))
        return [[field.split(",") if field else [] for field in row] for row in rows]

    datagrams = list(mold.datagrams)
    capture(f"{folder}/mold.pcap", 17, 6_000, datagrams)
    rows = fields(f"{folder}/mold.pcap", "udp.port==6000,moldudp64", "moldudp64.sequence", "moldudp64.count", "moldudp64.msglen")
    sizes = [int(size) for row in rows for size in row[2]]
    wanted = [len(mold.messages[number]) for number in sorted(mold.messages)]
    expect(f"tshark sees {len(sizes)} blocks, not {len(wanted)}", sizes == wanted)
    capture(f"{folder}/soup.pcap", 6, 6_001, packets_of(soup.stream))
    rows = fields(f"{folder}/soup.pcap", "tcp.port==6001,soupbintcp", "soupbintcp.packet_type", "soupbintcp.packet_length")
    types = "".join(kind.strip("'") for row in rows for kind in row[0])
    expect(f"tshark sees the packets {types}, not {soup.types}", types == soup.types)
    print(f"tshark sees {len(sizes)} messages in datagrams of MoldUDP64, {len(types)} packets of SoupBinTCP, and nothing malformed")


def configuration(dojima, kind, folder, more=""):
    text = subprocess.run([os.path.abspath(dojima), "config", "default", kind], capture_output=True, text=True, check=True, cwd=folder).stdout
    text = text.replace('"gateway.password"', f'"{folder}/gateway.password"')  # it is started elsewhere
    with open(f"{folder}/{kind}.toml", "w", encoding="utf-8") as file:
        file.write(text + more)


def run(dojima, readers, dissector):
    with tempfile.TemporaryDirectory() as folder:
        mold = Mold(port := free_port(socket.SOCK_DGRAM))
        configuration(dojima, "venue", folder, '\n[[feed_reader]]\nname = "READ1"\npassword = "feed_1234"\n')
        configuration(dojima, "gateway", folder)
        venue_port = free_port(socket.SOCK_STREAM)
        servers = []
        try:
            venue = Server([dojima, "venue", "--config", f"{folder}/venue.toml", "--set", f"listen.port={venue_port}",
                            "--set", f"feed.itch_line=127.0.0.1:{port}", "--set", "feed.itch_port=0"],
                           r"SoupBinTCP 127\.0\.0\.1:(\d+)")
            servers.append(venue)
            soup_port = int(venue.find(r"SoupBinTCP 127\.0\.0\.1:(\d+)"))
            early = Soup(soup_port, 1)
            gateway = Server([dojima, "gateway", "--config", f"{folder}/gateway.toml", "--set", "listen.port=0",
                              "--set", f"venue.port={venue_port}"], r"venue took user (KONOIKE)")
            servers.append(gateway)
            trade(dojima, folder, gateway.find(r"FIX (127\.0\.0\.1:\d+)"))
            wanted = mold.when_quiet()
            late = Soup(soup_port, wanted - 9).read(lambda reader: len(reader.messages) >= 10)
            early.read(lambda reader: len(reader.messages) >= wanted)
            refused = Soup(soup_port, 1, password="guess").read(lambda reader: "J" in reader.types)
            expect(f"a wrong password is refused: {refused.types}", refused.types == "J")
            by_datagrams = [mold.messages[number] for number in sorted(mold.messages)]
            expect("datagrams are whole", mold.trouble is None and len(mold.sessions) == 1)
            expect("no datagram is missing", sorted(mold.messages) == list(range(1, wanted + 1)))
            expect("both ways say the same", early.messages == by_datagrams)
            expect("and to who comes late", late.messages == by_datagrams[-10:])
            books = books_of(by_datagrams)
            kinds = collections.Counter(chr(message[0]) for message in by_datagrams)
            expect(f"the day has all kinds of orders' messages: {dict(kinds)}", set(kinds) >= set("SRAEXD"))
            print(f"{wanted} messages, {dict(sorted(kinds.items()))}, {len(books)} price levels at the end")
            our_reader(dojima, folder, by_datagrams, books)
            pypi_readers(readers, folder, books)
        finally:
            for server in reversed(servers):
                server.stop()
        early.read(lambda reader: "Z" in reader.types, 5)
        expect("the end of the session is sent over TCP", early.types.endswith("Z"))
        mold.join(timeout=5)
        expect("and by datagrams", mold.is_over)
        tshark(dissector, folder, mold, early)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dojima", required=True)
    parser.add_argument("--readers", metavar="PYTHON", default=os.environ.get("DOJIMA_ITCH_PYTHON", sys.executable),
                        help="one that has meatpy or itchfeed (default: $DOJIMA_ITCH_PYTHON, else this one)")
    parser.add_argument("--tshark", metavar="FILE", default=shutil.which("tshark"))
    parser.add_argument("--all", action="store_true", help="exit status 1 where a check was skipped")
    arguments = parser.parse_args()
    try:
        run(arguments.dojima, arguments.readers, arguments.tshark)
    except Wrong as wrong:
        print(wrong)
        return 1
    if skipped:
        print(f"right, but {len(skipped)} checks were skipped" + (", which --all does not allow" if arguments.all else ""))
        return 1 if arguments.all else 0
    print("right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
