#!/usr/bin/env python3
"""The books that a reader of ITCH 5.0 from PyPI makes of a file of messages, each behind two bytes of its length.

    python3 tests/itch/pypi_readers.py READER FILE

READER: meatpy, which keeps books by itself and minds whose turn it is in a queue, or itchfeed, which decodes messages; the books
are kept here then, from what it says. Prints JSON: [symbol, "B" or "S", price in ten-thousandths, shares] of every level, sorted.
Exit status: 0; 1 the reader does not take it; 2 wrong arguments; 3 it is not installed for this Python (pip install READER).
"""

import collections
import datetime
import json
import sys

del sys.path[0]  # this folder, whose itch.py is not the package


def messages_of(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at:at + 2], "big")
        yield data[at + 2:at + 2 + size]
        at += 2 + size


def meatpy(path):
    from meatpy.itch50 import ITCH50MarketProcessor, ITCH50MessageReader

    symbols = [message[11:19].decode().strip() for message in messages_of(path) if message[:1] == b"R"]
    books = collections.Counter()
    for symbol in symbols:
        processor = ITCH50MarketProcessor(symbol, datetime.datetime(2026, 1, 5))
        for message in ITCH50MessageReader().read_file(path):
            processor.process_message(message)
        lob = processor.current_lob
        for side, levels in (("B", lob.get_bid_levels()), ("S", lob.get_ask_levels())) if lob is not None else ():
            for level in levels:
                books[symbol, side, level.price] += level.volume
    return books


def itchfeed(path):
    from itch.parser import MessageParser

    orders = {}
    with open(path, "rb") as file:
        for message in MessageParser().parse_file(file):
            kind = message.message_type
            if kind in (b"A", b"F"):
                orders[message.order_reference_number] = [message.stock.decode().strip(), message.buy_sell_indicator.decode(),
                                                          message.price, message.shares]
            elif kind in (b"E", b"C", b"X"):
                order = orders[message.order_reference_number]
                order[3] -= message.cancelled_shares if kind == b"X" else message.executed_shares
                if order[3] == 0:
                    del orders[message.order_reference_number]
            elif kind == b"D":
                del orders[message.order_reference_number]
            elif kind == b"U":
                symbol, side, _, _ = orders.pop(message.order_reference_number)
                orders[message.new_order_reference_number] = [symbol, side, message.price, message.shares]
    books = collections.Counter()
    for symbol, side, price, shares in orders.values():
        books[symbol, side, price] += shares
    return books


READERS = {"meatpy": meatpy, "itchfeed": itchfeed}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in READERS:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        books = READERS[sys.argv[1]](sys.argv[2])
    except ImportError as missing:
        print(missing, file=sys.stderr)
        return 3
    except Exception as trouble:  # noqa: BLE001: whatever a reader says of our messages
        print(f"{type(trouble).__name__}: {trouble}", file=sys.stderr)
        return 1
    print(json.dumps(sorted([*level, shares] for level, shares in books.items() if shares)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
