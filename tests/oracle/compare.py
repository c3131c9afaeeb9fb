"""Random command logs for the order book and its oracle, compared byte for byte; what differs is shrunk.

  python3 tests/oracle/compare.py --program build/release/bin/dojima --logs 400 --commands 400 --seed 1 [--days]

The program is asked with `book run --print`; every log has its own rules (policy, self-trade prevention, capacities).
A log on which the two differ is reduced to the fewest commands that still do, and printed. Exit status 1 then.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import order_book  # noqa: E402

POLICIES = ("fifo", "fifo", "fifo", "pro_rata", "top_pro_rata", "size_time")
SELF_TRADES = ("allowed", "allowed", "cancel_newest", "cancel_oldest", "cancel_both", "decrement")


def make_log(seed: int, commands: int) -> list[str]:
    """A script of random commands, most of them sensible."""
    draw = random.Random(seed)
    lines = [f"book tick=0.02 lowest=0.02 highest=40 orders={draw.choice((12, 40, 200))} owners=4 "
             f"levels={draw.choice((3, 12, 100))} hidden_levels={draw.choice((2, 50))} "
             f"stop_levels={draw.choice((2, 50))} "
             f"policy={draw.choice(POLICIES)} self_trade={draw.choice(SELF_TRADES)} "
             f"own={draw.choice(('owner', 'account', 'group'))} accounts=0,0,1 seed={draw.randrange(1000)} "
             f"peaks={draw.choice((5, 10000))}"]
    names: list[str] = []
    middle, now = 500, 0

    def tick(number: int) -> str:
        return f"{max(number, 0) * 2 // 100}.{max(number, 0) * 2 % 100:02d}"

    def one() -> str:
        nonlocal middle, now
        middle = min(max(middle + draw.randint(-1, 1), 100), 900)
        pick = draw.randrange(100)
        if pick < 2:
            now += 10 * draw.randrange(4)
            return f"time {now}"
        if pick < 4:
            return draw.choice(("expire", "expire", "expire day=yes",
                                f"cancel_all owner={draw.randrange(4)}" + (" account=yes" if now % 20 else ""),
                                f"cancel_all owner={draw.randrange(4)} side=buy group=1", "cancel_all everyone=yes"))
        if pick < 6:
            return "show"
        if names and pick < 20:
            return (f"cancel {draw.choice(names[-40:])}" + draw.choice(("", "", "", " owner=1", " side=sell")))
        if names and pick < 38:
            lots = draw.randint(1, draw.choice((6, 30)))
            words = f"replace {draw.choice(names[-40:])} {lots} @ {tick(middle + draw.randint(-6, 6))}"
            for chance, option in ((30, f" show={draw.randrange(12)}"),
                                   (30, f" stop={tick(middle + draw.randint(-6, 6))}"),
                                   (20, f" min={draw.randint(1, 8)}"),
                                   (15, f" passive={draw.choice((99, 100, 1, 2, 3, 4))}"),
                                   (50, f" until={now + 10 * draw.randrange(6)}"), (10, f" group={draw.randrange(3)}")):
                if draw.randrange(100) < chance:
                    words += option
            return words
        return new_order()

    def new_order() -> str:
        side = draw.choice(("buy", "sell"))
        sign = 1 if side == "buy" else -1
        lots, name = draw.randint(1, 30), f"o{len(names) + 1}"
        limit = f" @ {tick(middle - sign * draw.randint(-3, 7))}"
        kind = draw.choice(("plain",) * 6 + ("market", "to_limit", "iceberg", "iceberg", "hidden", "stop", "stop_limit", "trail",
                                             "peg", "peg", "min", "aon", "passive"))
        words = f"{side} {name} {lots}"
        if kind in ("plain", "iceberg", "hidden", "min", "aon", "passive"):
            words += limit
        if kind in ("market", "to_limit"):
            words += f" {kind}"
        if kind in ("stop", "stop_limit"):
            words += f" stop {tick(middle + sign * draw.randint(-1, 6))}"
            words += f" @ {tick(middle + sign * draw.randint(0, 8))}" if kind == "stop_limit" else ""
        if kind == "trail":
            words += f" trail {tick(draw.randint(0, 6))}"
        if kind == "peg":
            words += " peg" + draw.choice(("", limit)) + draw.choice(("", "", f" offset=-{tick(draw.randint(0, 4))}",
                                                                      " offset=-0.01"))
            words += draw.choice(("", "", f" min={draw.randint(1, lots)}"))
        if kind == "iceberg":
            words += f" show={draw.randint(1, lots)}" + draw.choice(("", " random=yes"))
        if kind == "hidden":
            words += " show=0" + draw.choice(("", "", " passive=99"))
        if kind == "min":
            words += f" min={draw.randint(1, lots)}"
        if kind == "aon":
            words += " aon=yes"
        if kind == "passive":
            words += f" passive={draw.choice((99, 100, 1, 2, 3))}"
        tif = draw.choice(("day",) * 5 + ("gtc", "gtd", "gtt", "ioc", "ioc", "fok", "fok", "fok"))
        words += "" if tif == "day" else f" tif={tif}"
        if tif in ("gtd", "gtt"):
            words += f" until={now + 10 * draw.randint(0, 6)}"
        words += f" owner={draw.randrange(4)} group={draw.randrange(3)}"
        if names and draw.randrange(100) < 6:
            words += f" linked={draw.choice(names[-12:])}"
        names.append(name)
        return words

    lines += [one() for _ in range(commands)]
    return lines


DAY = ("opening_call", "continuous", "intraday_call", "continuous", "halted", "reopening_call", "continuous",
       "closing_call", "closing_price_cross", "closed")


def make_day(seed: int, commands: int) -> list[str]:
    """The same through the phases of days, with orders for auctions among the others."""
    draw = random.Random(f"day {seed}")
    lines, hour, price = [], draw.randrange(3), "10.00"
    for line in make_log(seed, commands):
        words = line.split()
        if words[0] in ("buy", "sell") and "@" in words:
            price = words[words.index("@") + 1]
        if draw.randrange(100) < 4 and not line.startswith("book"):
            phase = draw.choice(order_book.PHASES) if draw.randrange(100) < 15 else DAY[hour % len(DAY)]
            hour += 1
            half = f"{price[:-1]}{int(price[-1]) + 1}"  # between two ticks
            lines.append(f"phase {phase}" + draw.choice(("", f" reference={price}", f" reference={half}")) +
                         draw.choice(("", "", "", " uncross=yes")))
        if words[0] in ("buy", "sell") and draw.randrange(100) < 25:
            tif = draw.choice(tuple(order_book.AUCTIONS))
            kind = draw.choice(("market", "to_limit", f"@ {price}", f"@ {price}", f"@ {price} show=0",
                                f"@ {price} show=3", f"@ {price} show=2 random=yes", f"@ {price} min=2",
                                f"offset {draw.randint(-150, 250)}", f"offset {draw.randint(-150, 250)} @ {price}",
                                f"offset {draw.choice((-10001, -10000, 10000, 10001))}"))
            if kind.startswith("offset") and draw.randrange(100) < 95:
                tif = "atc"
            line = f"{' '.join(words[:3])} {kind} tif={tif} owner={draw.randrange(4)}"
        elif words[0] == "replace" and draw.randrange(100) < 10:
            line += f" bp={draw.randint(-150, 250)}"
        lines.append(line)
    return lines


class Program:
    """What a `dojima` prints for a log."""

    def __init__(self, path: str):
        self.path = path

    def __call__(self, lines: list[str]) -> str:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text_of(lines))
            file.flush()
            answer = subprocess.run([self.path, "book", "run", "--print", file.name], capture_output=True, text=True,
                                    check=False)
        # A process that stopped itself over a broken invariant differs as well.
        return answer.stdout + ("" if answer.returncode == 0 else f"exit {answer.returncode}: {answer.stderr[-300:]}")


class Oracle:
    """What an oracle prints for a log: the module order_book, or a copy of it with a bug."""

    def __init__(self, module=order_book):
        self.module = module

    def __call__(self, lines: list[str]) -> str:
        try:
            return self.module.run(text_of(lines))
        except RecursionError:
            return "it does not come to an end"


def text_of(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def differs(one, other, lines: list[str]) -> bool:
    try:
        expected = one(lines)
    except KeyError:  # a name whose order was shrunk away: nothing to compare
        return False
    return other(lines) != expected


def shrink(one, other, lines: list[str]) -> list[str]:
    """As few commands as possible on which the two still differ: what comes behind the first difference goes, then
    halves, quarters, single commands and pairs of them, then the words that do not matter, until nothing more does."""
    low, high = 1, len(lines)
    while low < high:  # the shortest beginning that differs
        middle = (low + high) // 2
        if differs(one, other, lines[:middle]):
            high = middle
        else:
            low = middle + 1
    lines, before = lines[:low], None
    while lines != before:
        before = lines
        lines = without_pairs(one, other, without_runs(one, other, lines))
        lines = without_words(one, other, lines)
    return lines


def without_runs(one, other, lines: list[str]) -> list[str]:
    size = max(len(lines) // 2, 1)
    while True:
        at, is_smaller = 1, False  # the first line says the rules
        while at < len(lines):
            fewer = lines[:at] + lines[at + size:]
            if differs(one, other, fewer):
                lines, is_smaller = fewer, True
            else:
                at += size
        if size == 1 and not is_smaller:
            return lines
        size = max(size // 2, 1)


def without_pairs(one, other, lines: list[str]) -> list[str]:
    """Two commands that only matter together, such as an order and its cancel."""
    if len(lines) > 24:
        return lines
    for first in range(1, len(lines)):
        for second in range(first + 1, len(lines)):
            fewer = lines[:first] + lines[first + 1:second] + lines[second + 1:]
            if differs(one, other, fewer):
                return without_pairs(one, other, fewer)
    return lines


def without_words(one, other, lines: list[str]) -> list[str]:
    """The same log with fewer key=value words."""
    lines = list(lines)
    for at, line in enumerate(lines):
        for word in [word for word in line.split() if "=" in word and not word.startswith(("tick=", "lowest="))]:
            shorter = " ".join(each for each in lines[at].split() if each != word)
            fewer = lines[:at] + [shorter] + lines[at + 1:]
            try:
                if differs(one, other, fewer):
                    lines = fewer
            except (order_book.Trouble, ValueError, ZeroDivisionError):  # it cannot do without this word
                continue
    return lines


def first_difference(one, other, lines: list[str]) -> str:
    expected, got = one(lines).splitlines(), other(lines).splitlines()
    for first, second in zip(expected + [""], got + [""]):
        if first != second:
            return f"oracle:  {first}\nprogram: {second}"
    return "one goes on where the other ends"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", required=True, help="a dojima")
    options.add_argument("--logs", type=int, default=400)
    options.add_argument("--commands", type=int, default=400, help="of each log")
    options.add_argument("--seed", type=int, default=1, help="of the first log")
    options.add_argument("--days", action="store_true", help="logs that go through the phases of days")
    options.add_argument("--write", metavar="FOLDER", help="write each log with its reports there, as a scenario")
    given = options.parse_args()
    program, oracle = Program(given.program), Oracle()
    make, name = (make_day, "day") if given.days else (make_log, "flow")
    for seed in range(given.seed, given.seed + given.logs):
        lines = make(seed, given.commands)
        if given.write:
            (pathlib.Path(given.write) / f"{name}-{seed}.txt").write_text(oracle(lines))
        if not differs(oracle, program, lines):
            continue
        small = shrink(oracle, program, lines)
        print(f"log {seed} differs; {len(lines)} lines shrunk to {len(small)}:\n")
        print("\n".join(small))
        print("\n" + first_difference(oracle, program, small))
        return 1
    print(f"{given.logs} logs of {given.commands} commands, seeds {given.seed} to {given.seed + given.logs - 1}: "
          "the same bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
