#!/usr/bin/env python3
"""Writes one generated day in every format that the readers know.

    dojima gen --requests 300 --seed 7 --clients 3 --resting 5 --start 2024-01-15T14:30:00 --rate 20 --out day.csv
    dojima gen ... --to lobster --out RICE_2024-01-15_34200000_57600000_message_5.csv
    make_samples.py day.csv FOLDER

An encoder of its own on purpose: it shares nothing with the readers but the formats' specifications. Standard library
only; the same input gives the same bytes.
"""

import argparse
import collections
import csv
import pathlib
import struct

MIDNIGHT = 1705294800 * 10**9  # 2024-01-15 00:00 in New York, ns since 1970
SYMBOL = "RICE"


def read_events(path):
    """Our CSV as dictionaries with whole numbers: prices in 1/10,000."""
    events = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "instrument":
                continue
            whole, _, part = row["price"].partition(".")
            events.append({
                "kind": row["kind"], "time": int(row["event_time"]), "side": row["side"],
                "price": int(whole) * 10000 + int((part + "0000")[:4]), "quantity": int(row["quantity"]),
                "order": int(row["order"]), "match": int(row["other"] or 0), "sequence": int(row["sequence"]),
            })
    return events


def messages(events):
    """Events of one request, together."""
    group = []
    for event in events:
        if group and group[-1]["sequence"] != event["sequence"]:
            yield group
            group = []
        group.append(event)
    if group:
        yield group


def other(side):
    return "sell" if side == "buy" else "buy"


class Book:
    """Orders and levels, to know what is left."""

    def __init__(self):
        self.orders = {}
        self.levels = {"buy": collections.Counter(), "sell": collections.Counter()}

    def apply(self, event):
        """The order's quantity behind the event."""
        if event["kind"] == "add":
            self.orders[event["order"]] = event["quantity"]
            self.levels[event["side"]][event["price"]] += event["quantity"]
            return event["quantity"]
        left = self.orders[event["order"]] - event["quantity"]
        self.orders[event["order"]] = left
        self.levels[event["side"]][event["price"]] -= event["quantity"]
        assert left >= 0 and self.levels[event["side"]][event["price"]] >= 0
        return left

    def best(self, side):
        prices = [price for price, quantity in self.levels[side].items() if quantity > 0]
        if not prices:
            return None
        price = max(prices) if side == "buy" else min(prices)
        return price, self.levels[side][price]


def decimal(price):
    return f"{price // 10000}.{price % 10000:04d}"


# ------------------------------------------------------------------------------------------------------ ITCH 5.0


def itch(events):
    locate, tracking = 1, 0

    def head(kind, time, at=locate):
        return struct.pack(">cHH", kind, at, tracking) + (time - MIDNIGHT).to_bytes(6, "big")

    def framed(message):
        return len(message).to_bytes(2, "big") + message

    stock = SYMBOL.ljust(8).encode()
    begin = events[0]["time"] - 10**9
    out = [head(b"S", begin, 0) + b"O",
           head(b"R", begin) + stock + b"QN" + struct.pack(">I", 100) + b"NCZ P" + b"N" + b"N" + b"1" + b"N"
           + struct.pack(">I", 0) + b"N",
           head(b"H", begin) + stock + b"T" + b" " + b"    ",
           head(b"S", begin + 10**6, 0) + b"S", head(b"S", begin + 2 * 10**6, 0) + b"Q"]
    for event in events:
        side = b"B" if event["side"] == "buy" else b"S"
        order, quantity, time = event["order"], event["quantity"], event["time"]
        if event["kind"] == "add":
            out.append(head(b"A", time) + struct.pack(">QcI", order, side, quantity) + stock
                       + struct.pack(">I", event["price"]))
        elif event["kind"] == "execute":
            out.append(head(b"E", time) + struct.pack(">QIQ", order, quantity, event["match"]))
        elif event["kind"] == "reduce":
            out.append(head(b"X", time) + struct.pack(">QI", order, quantity))
        else:
            out.append(head(b"D", time) + struct.pack(">Q", order))
    end = events[-1]["time"] + 10**9
    out += [head(b"S", end, 0) + b"M", head(b"S", end, 0) + b"E", head(b"S", end, 0) + b"C"]
    return b"".join(framed(message) for message in out)


# ----------------------------------------------------------------------------------------------------------- DBN


def dbn(events, version=1):
    symbol_size = 22 if version == 1 else 71
    instrument = 4711

    def symbol(text):
        return text.encode().ljust(symbol_size, b"\0")

    first, last = events[0]["time"], events[-1]["time"] + 1
    fixed = b"XDOJ.GEN".ljust(16, b"\0") + struct.pack("<HQQQ", 0, first, last, 0)
    if version == 1:
        fixed += struct.pack("<Q", len(events))  # record count
        fixed += struct.pack("<BBB", 1, 0, 0)
    else:
        fixed += struct.pack("<BBBH", 1, 0, 0, symbol_size)
    fixed = fixed.ljust(100, b"\0")
    lists = struct.pack("<I", 0)                                             # schema definition
    lists += struct.pack("<I", 1) + symbol(SYMBOL) + struct.pack("<II", 0, 0)  # asked for; partly; not found
    lists += struct.pack("<I", 1) + symbol(SYMBOL) + struct.pack("<I", 1)
    lists += struct.pack("<II", 20240115, 20240116) + symbol(str(instrument))
    metadata = fixed + lists
    metadata = metadata.ljust(-(-len(metadata) // 8) * 8, b"\0")
    out = [b"DBN" + bytes([version]) + struct.pack("<I", len(metadata)) + metadata]

    def record(event, action, side, order, is_last):
        flags = 128 if is_last else 0
        sides = {"buy": b"B", "sell": b"A", "": b"N"}
        out.append(struct.pack("<BBHIQQqIBBccQiI", 14, 0xa0, 1, instrument, event["time"], order,
                               event["price"] * 100000, event["quantity"], flags, 0, action, sides[side],
                               event["time"] + 80000, 80000, event["sequence"]))

    for group in messages(events):
        for event in group:
            is_last = event is group[-1]
            if event["kind"] == "add":
                record(event, b"A", event["side"], event["order"], is_last)
            elif event["kind"] == "execute":
                record(event, b"T", other(event["side"]), 0, False)
                record(event, b"F", event["side"], event["order"], False)
                record(event, b"C", event["side"], event["order"], is_last)
            else:
                record(event, b"C", event["side"], event["order"], is_last)
    return b"".join(out)


# ------------------------------------------------------------------------------------------------------- Binance


def binance(events):
    """The picture of the book comes late: behind changes that are newer than it."""
    name = SYMBOL + "USDT"
    book, out, update = Book(), [], 1000
    picture, picture_at = "", 0
    groups = list(messages(events))
    for number, group in enumerate(groups):
        time = group[-1]["time"]
        received, ms = time + 1_200_000, time // 10**6
        first = update + 1
        touched = {"buy": {}, "sell": {}}
        best = (book.best("buy"), book.best("sell"))
        for event in group:
            book.apply(event)
            update += 1
            touched[event["side"]][event["price"]] = True
            if event["kind"] == "execute":
                maker = "true" if event["side"] == "buy" else "false"
                out.append(f'{received} {{"stream":"{name.lower()}@trade","data":{{"e":"trade","E":{ms},"s":"{name}",'
                           f'"t":{event["match"]},"p":"{decimal(event["price"])}","q":"{event["quantity"]}",'
                           f'"T":{ms},"m":{maker},"M":true}}}}')

        def side(which):
            return ",".join(f'["{decimal(price)}","{book.levels[which][price]}"]' for price in sorted(touched[which]))

        out.append(f'{received} {{"stream":"{name.lower()}@depth@100ms","data":{{"e":"depthUpdate","E":{ms},"s":"{name}",'
                   f'"U":{first},"u":{update},"b":[{side("buy")}],"a":[{side("sell")}]}}}}')
        now = (book.best("buy"), book.best("sell"))
        if now != best and all(now):
            out.append(f'{received} {{"stream":"{name.lower()}@bookTicker","data":{{"u":{update},"s":"{name}",'
                       f'"b":"{decimal(now[0][0])}","B":"{now[0][1]}","a":"{decimal(now[1][0])}","A":"{now[1][1]}"}}}}')
        if number == len(groups) // 10:
            def levels(which):
                rows = sorted(((p, q) for p, q in book.levels[which].items() if q > 0), reverse=which == "buy")
                return ",".join(f'["{decimal(price)}","{quantity}"]' for price, quantity in rows)
            picture = f'{{"lastUpdateId":{update},"bids":[{levels("buy")}],"asks":[{levels("sell")}]}}'
            picture_at = number + 12
        if picture and number == picture_at:
            out.append(f"{received + 1} {picture}")
    return ("\n".join(out) + "\n").encode()


# ------------------------------------------------------------------------------------------------------ Bitstamp


def bitstamp(events):
    book, out = Book(), ["id,timestamp,exchange.timestamp,price,volume,action,direction"]
    for event in events:
        left = book.apply(event)
        action = "created" if event["kind"] == "add" else "changed" if left else "deleted"
        ms = event["time"] // 10**6
        out.append(f'{event["order"]},{ms + 35},{ms},{decimal(event["price"])},{left * 10**8},{action},'
                   f'{"bid" if event["side"] == "buy" else "ask"}')
    return ("\n".join(out) + "\n").encode()


# ----------------------------------------------------------------------------------------------------------- FIX


def fix(events):
    out = []
    for number, group in enumerate(messages(events), 1):
        time = group[0]["time"]
        seconds, rest = divmod(time - 1705276800 * 10**9, 10**9)
        stamp = (f"20240115-{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest // 10**6:03d}")
        entries, left_of = [], {}
        for event in group:
            kind = "0" if event["side"] == "buy" else "1"
            if event["kind"] == "execute":
                entries.append(f'279=0|269=2|55={SYMBOL}|270={decimal(event["price"])}|271={event["quantity"]}|'
                               f'1003={event["match"]}|')
            left = fix.book.apply(event)
            action = "0" if event["kind"] == "add" else "1" if left else "2"
            entries.append(f'279={action}|269={kind}|278={event["order"]}|55={SYMBOL}|'
                           f'270={decimal(event["price"])}|271={left}|')
        body = f"35=X|49=DOJIMA|56=YOU|34={number}|52={stamp}|268={len(entries)}|" + "".join(entries)
        body = body.replace("|", "\x01")
        message = f"8=FIX.4.4\x019={len(body)}\x01{body}"
        out.append(message + f"10={sum(message.encode()) % 256:03d}\x01")
    return "\n".join(out).encode() + b"\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("day", help="CSV that dojima gen wrote")
    parser.add_argument("folder")
    options = parser.parse_args()
    events = read_events(options.day)
    fix.book = Book()
    folder = pathlib.Path(options.folder)
    name = f"{SYMBOL}_2024-01-15"
    (folder / f"{name}.itch").write_bytes(itch(events))
    (folder / f"{name}.v1.dbn").write_bytes(dbn(events, 1))
    (folder / f"{name}.v3.dbn").write_bytes(dbn(events, 3))
    (folder / f"{name}.binance").write_bytes(binance(events))
    (folder / f"{name}.bitstamp.csv").write_bytes(bitstamp(events))
    (folder / f"{name}.fix").write_bytes(fix(events))


if __name__ == "__main__":
    main()
