#!/usr/bin/env python3
"""Makes a capture harder to read and changes nothing in what it carries: `mangle.py demo.pcap demo-mangled.pcap.gz`.

Every TCP segment with a payload is split into pieces of 1 to 40 bytes; pieces change places with their neighbours, some
are sent twice, some again with a piece of their neighbour, as retransmissions do. Each piece keeps the time of its
segment. Seeded: the same input gives the same output.
"""

import gzip
import random
import struct
import sys

ETHERNET, RECORD = 14, 16


def pieces_of(frame, choice):
    """(frame, whether it has a payload) for the pieces of one frame, without link checksums to put right."""
    header = (frame[ETHERNET] & 15) * 4
    tcp = ETHERNET + header
    begin = tcp + (frame[tcp + 12] >> 4) * 4
    end = ETHERNET + struct.unpack(">H", frame[ETHERNET + 2:ETHERNET + 4])[0]
    payload = frame[begin:end]
    if not payload:
        return [frame]
    sequence = struct.unpack(">I", frame[tcp + 4:tcp + 8])[0]

    def piece(first, last):
        made = bytearray(frame[:begin] + payload[first:last])
        made[ETHERNET + 2:ETHERNET + 4] = struct.pack(">H", len(made) - ETHERNET)
        made[tcp + 4:tcp + 8] = struct.pack(">I", (sequence + first) % 2**32)
        return bytes(made)

    pieces, at = [], 0
    while at < len(payload):
        last = min(len(payload), at + choice.randint(1, 40))
        pieces.append(piece(at, last))
        if choice.random() < 0.2:
            pieces.append(piece(at, last))
        if choice.random() < 0.2:
            pieces.append(piece(max(0, at - 7), min(len(payload), last + 7)))
        at = last
    for first in range(0, len(pieces) - 1, 2):
        if choice.random() < 0.5:
            pieces[first], pieces[first + 1] = pieces[first + 1], pieces[first]
    return pieces


def main():
    data = open(sys.argv[1], "rb").read()
    choice = random.Random(1)
    out, at = bytearray(data[:24]), 24
    while at < len(data):
        seconds, fraction, size, _ = struct.unpack("<IIII", data[at:at + RECORD])
        for piece in pieces_of(data[at + RECORD:at + RECORD + size], choice):
            out += struct.pack("<IIII", seconds, fraction, len(piece), len(piece)) + piece
        at += RECORD + size
    with open(sys.argv[2], "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(out)


main()
