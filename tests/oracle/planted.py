"""Bugs planted into copies of the oracle, one at a time: each must be found by random logs, and shrunk to a few commands.

  python3 tests/oracle/planted.py --program build/release/bin/dojima [--table]

What finds and shrinks them is what holds the book against its oracle (compare.py): the two differ, and which of them has
the bug makes no difference to it. A log is shrunk against the oracle without the bug, as thousands of starts of the program
would cost far more than they show; that the program differs from the bug too is asked of the first log and of what it was
shrunk to. Exit status 1: a bug was not found, or its log stayed long.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import compare  # noqa: E402

# The modules of the oracle, each behind those that it imports.
MODULES = ("order_terms", "order_refusals", "order_matching", "order_places", "order_auctions", "order_book")
IMPORTS = re.compile(rf"^from ({'|'.join(MODULES)}) import", re.MULTILINE)
SOURCES = {name: (pathlib.Path(__file__).parent / f"{name}.py").read_text() for name in MODULES}

# What is wrong, the text in the oracle, the text in its place.
PLANTED = (
    ("trades are made at the aggressor's price",
     "price = self.price(maker)\n        taker.executed", "price = self.price(taker) or self.price(maker)\n        taker.executed"),
    ("a partial fill sends the resting order to the back",
     "        partners = [", "        self.clock += 1\n        maker.since = self.clock\n        partners = ["),
    ("a smaller total loses priority", "or new.total > order.total or shows_more", "or new.total != order.total or shows_more"),
    ("a larger total keeps priority", "or new.total > order.total or shows_more", "or shows_more"),
    ("a replaced order rests without matching", "                self.enter(order, passive)", "                self.rest(order)"),
    ("a replace to exactly what was executed is accepted", "new.total <= order.executed", "new.total < order.executed"),
    ("stop orders are looked at once, not until none triggers", "            self.trigger(order)\n\n    def next_stop",
     "            self.trigger(order)\n            return\n\n    def next_stop"),
    ("buyers' stops trigger from the highest price down", "((0, order.stop, order.since), order)", "((0, -order.stop, order.since), order)"),
    ("a trailing stop follows both ways", "order.trigger = max(order.trigger, price - order.stop)", "order.trigger = price - order.stop"),
    ("fill-or-kill counts only what icebergs show", "total += min(left, maker.leaves)", "total += min(left, self.chunk(maker))"),
    ("fill-or-kill counts its own side's orders", "                    return before", "                    total += min(left, maker.leaves)"),
    ("what is left of an immediate-or-cancel order rests", "order.tif in LASTING:\n            return self.rest",
     "order.tif in LASTING + (\"ioc\",):\n            return self.rest"),
    ("a limit order walks one tick through its limit", "price <= limit if taker.is_buy", "price <= limit + self.tick if taker.is_buy"),
    ("an iceberg's next peak keeps its place", "            self.show_peak(maker)\n",
     "            since = maker.since\n            self.show_peak(maker)\n            maker.since = since\n"),
    ("the last peak of a random iceberg is drawn as well", "if order.is_random and order.show < order.leaves:", "if order.is_random:"),
    ("hidden orders are among the displayed ones", "{\"lit\": 0, \"hidden\": 1, \"dark\": 2}", "{\"lit\": 0, \"hidden\": 0, \"dark\": 2}"),
    ("the middle is rounded to a tick", "(bid + ask) // 2", "(bid + ask) // 2 // self.tick * self.tick"),
    ("a resting order's minimum is not looked at", "if min(left, maker.leaves) < least:", "if min(left, maker.leaves) < 0:"),
    ("a dark order does not wake", "                order = self.next_waking()", "                order = None"),
    ("the aggressor's linked order is not cancelled", "partners = [self.part(maker), self.part(taker)]", "partners = [self.part(maker)]"),
    ("good-till orders end one tick of the clock late", "each.until <= book.now", "each.until < book.now"),
    ("mass cancel goes by entry alone", "key=lambda each: (each.owner, each.number)", "key=lambda each: each.number"),
    ("what pro rata leaves over goes to the newest", "for each, lots in zip(level, shares):", "for each, lots in reversed(list(zip(level, shares))):"),
    ("decrement leaves the larger order as it was", "                self.reduce(maker, taker, ours)", "                pass"),
    ("a passive-only rule allows one level more", "return len(better) < rule", "return len(better) <= rule"),
    ("one level more than there may be", "for each in here if each is not old}) < self.most[place]", "for each in here if each is not old}) <= self.most[place]"),
)

# Likewise, found by logs that go through the phases of days.
PLANTED_IN_DAYS = (
    ("with more to buy at every price, an auction takes the lowest", "price = prices[-1]", "price = prices[0]"),
    ("what is left over does not decide between prices", "if each[0] == volume and abs(each[1]) == least]", "if each[0] == volume]"),
    ("the lower of two prices beside the reference", "(abs(price - reference), -price)", "(abs(price - reference), price)"),
    ("the reserve of an iceberg does not count", "lots.get((order.side, order.limit), 0) + order.leaves",
     "lots.get((order.side, order.limit), 0) + (order.shown or order.leaves)"),
    ("orders without a limit trade last in an auction", "return 0, 0, 0, order.since", "return 2, 0, 0, order.since"),
    ("hidden orders trade in time with the displayed ones", "order.place == \"hidden\", order.since", "0, order.since"),
    ("an auction is no trade for stop orders", "        if volume:\n            self.follow(price)",
     "        if volume:\n            self.last = price"),
    ("a stop order of a call whose price was reached before sleeps on", "            self.traded.append(self.last)\n", "            pass\n"),
    ("what is left of a market order rests at the auction's price", "elif order.kind == \"market\" or order.tif not in LASTING:",
     "elif price is None or order.tif not in LASTING:"),
    ("orders for auctions alone stay behind their auction", "                    if order.tif in AUCTIONS:", "                    if not order:"),
    ("a buyer's offset price is rounded up", "price -= (price - self.lowest) % self.tick", "price += (self.lowest - price) % self.tick"),
    ("a scheduled auction's orders take part in a re-opening", "\"gfs\": (\"opening_call\", \"intraday_call\", \"closing_call\")", "\"gfs\": CALLS"),
    ("an order can be replaced in a halt", "                return \"side_mismatch\"\n            if self.phase in SHUT:",
     "                return \"side_mismatch\"\n            if not self.phase:"),
    ("the closing price is the last trade's", "            if self.closing is None:\n                self.closing = self.last if",
     "            if True:\n                self.closing = self.last if True or"),
    ("an order linked with one that traded stays", "self.part(buyer), self.part(seller)", "self.part(buyer), None"),
)
ALL = tuple((bug, compare.make_log) for bug in PLANTED) + tuple((bug, compare.make_day) for bug in PLANTED_IN_DAYS)


def with_bug(number: int) -> types.ModuleType:
    what, there, instead = ALL[number][0]
    if sum(source.count(there) for source in SOURCES.values()) != 1:
        raise SystemExit(f"planted.py: the oracle has changed: {what}")
    for name, source in SOURCES.items():
        copy = IMPORTS.sub(rf"from \1_{number} import", source.replace(there, instead))
        module = types.ModuleType(f"{name}_{number}")
        sys.modules[module.__name__] = module  # where dataclasses and the other copies look
        exec(compile(copy, module.__name__, "exec"), module.__dict__)  # noqa: S102
    module.Book.say = ending(module.Book.say)
    return module


def ending(say):
    """A book with a bug may wake an order again and again: it stops after more reports than any log has."""
    def counted(book, *words, **more):
        book.count = getattr(book, "count", 0) + 1
        if book.count > 5000:
            raise RecursionError
        say(book, *words, **more)
    return counted


def hunt(program, number: int, logs: int, commands: int, tries: int) -> list[str] | None:
    """The shortest of the first logs that find it, shrunk."""
    planted, right = compare.Oracle(with_bug(number)), compare.Oracle()
    found = []
    for seed in range(1, logs + 1):
        lines = ALL[number][1](seed, commands)
        if compare.differs(planted, program, lines):
            small = compare.shrink(planted, right, lines)
            if compare.differs(planted, program, small):
                found.append(small)
            if len(found) == tries:
                break
    return min(found, key=len, default=None)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", required=True, help="a dojima")
    options.add_argument("--logs", type=int, default=200, help="until a bug counts as not found")
    options.add_argument("--commands", type=int, default=150, help="of each log")
    options.add_argument("--tries", type=int, default=1, help="logs to shrink for each bug: the shortest counts")
    options.add_argument("--most", type=int, default=12, help="commands of a shrunk log")
    options.add_argument("--table", action="store_true", help="print what was found as Markdown")
    given = options.parse_args()
    program = compare.Program(given.program)
    failed = 0
    if given.table:
        print("| bug | commands | the log |\n|---|---|---|")
    for number, ((what, _, _), _) in enumerate(ALL):
        small = hunt(program, number, given.logs, given.commands, given.tries)
        is_fine = small is not None and len(small) - 1 <= given.most
        failed += not is_fine
        if small is None:
            print(f"not found: {what}")
        elif given.table:
            print(f"| {what} | {len(small) - 1} | " + "<br>".join(f"`{line}`" for line in small) + " |")
        else:
            print(f"{'found' if is_fine else 'stayed long'} ({len(small) - 1} commands): {what}")
        sys.stdout.flush()
    if not given.table:
        print(f"{len(ALL) - failed} of {len(ALL)} planted bugs found and shrunk to at most {given.most} commands")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
