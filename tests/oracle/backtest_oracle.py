#!/usr/bin/env python3
"""Back-tests again, written down anew and naively, and held against `dojima backtest` fill by fill.

    python3 tests/oracle/backtest_oracle.py --dojima build/release/bin/dojima [--seeds 3] [--requests 3000] [--plant]

Generated days are turned into CSV by `dojima data convert`. A second implementation in lists and dictionaries reads
them: books, the exchanges `orders` (every order in a list of its price) and `levels` (risk averse, power and log
models), constant latencies, a strategy that takes its time to compute, the strategy `touch`. Its fills must be those of
the program: time at the exchange, time of receipt, order, side, price, quantity and what is left, line by line. --plant falsifies a rule of the second
implementation and expects that to be found. Standard library only. Exit status: 0 agreement, 1 a difference, 3 the
program is not there.
"""

import argparse
import collections
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

MS = 1_000_000


def events_of(path):
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            yield row


def scaled(text, decimals):
    sign = -1 if text.startswith("-") else 1
    whole, _, part = text.lstrip("-").partition(".")
    return sign * (int(whole or 0) * 10**decimals + int((part + "0" * decimals)[:decimals] or 0))


class Order:
    def __init__(self, number, side, price, leaves, at):
        self.number, self.side, self.price, self.leaves, self.at = number, side, price, leaves, at
        self.ahead = 0.0
        self.traded = 0.0


class Book:
    """Recorded orders, each in the list of its price, in the order of arrival; own ones are in the same lists."""

    def __init__(self):
        self.levels = {"buy": collections.defaultdict(list), "sell": collections.defaultdict(list)}
        self.where = {}

    def add(self, number, side, price, quantity):
        entry = ["recorded", number, quantity]
        self.levels[side][price].append(entry)
        self.where[number] = (side, price, entry)

    def drop(self, number):
        side, price, entry = self.where.pop(number)
        self.levels[side][price].remove(entry)

    def take(self, number, quantity):
        _, _, entry = self.where[number]
        entry[2] -= quantity
        if entry[2] <= 0:
            self.drop(number)

    def total(self, side, price):
        return sum(entry[2] for entry in self.levels[side][price] if entry[0] == "recorded")

    def best(self, side):
        prices = [price for price in self.levels[side] if self.total(side, price) > 0]
        return (max(prices) if side == "buy" else min(prices)) if prices else None


def opposite(side):
    return "sell" if side == "buy" else "buy"


def over(x, y):
    """x / y as a processor divides."""
    if y != 0:
        return x / y
    return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1, y)


def logarithm(x):
    """As a processor's: a place estimated below the front of its queue has one of 0 or of less."""
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def least(a, b):
    """The second where the first is not a number."""
    return a if a < b else b


def is_better(side, price, than):
    return price > than if side == "buy" else price < than


class Exchange:
    """What both have in common: requests, and the reports that they lead to."""

    def __init__(self, report, options):
        self.book, self.own, self.report, self.options = Book(), [], report, options

    def fill(self, order, quantity, at):
        quantity = min(quantity, order.leaves)
        if quantity > 0:
            order.leaves -= quantity
            self.report("traded", order, at, order.price, quantity, order.leaves, True)
        return quantity

    def sorted_own(self, side):
        orders = [order for order in self.own if order.side == side and order.leaves > 0]
        return sorted(orders, key=lambda order: -order.price if side == "buy" else order.price)  # stable: by age

    def settle(self):
        for order in [order for order in self.own if order.leaves == 0]:
            self.leave(order)

    def leave(self, order):
        self.own.remove(order)

    def request(self, kind, order, at):
        if kind == "cancel":
            if order in self.own:
                self.leave(order)
                self.report("cancelled", order, at, order.price, order.leaves, 0, False)
            else:
                self.report("request_rejected", order, at, order.price, 0, 0, False)
            return
        other = self.book.best(opposite(order.side))
        if other is not None and not is_better(opposite(order.side), order.price, other):
            self.report("expired", order, at, order.price, order.leaves, 0, False)  # post-only
            return
        self.rest(order)
        self.own.append(order)
        self.report("accepted", order, at, order.price, order.leaves, order.leaves, False)


class OrdersExchange(Exchange):
    def rest(self, order):
        self.book.levels[order.side][order.price].append(["own", order, 0])

    def leave(self, order):
        super().leave(order)
        level = self.book.levels[order.side][order.price]
        level.remove(next(entry for entry in level if entry[1] is order))

    def event(self, row, at):
        kind, number, quantity = row["kind"], row["order"], row["quantity"]
        if kind == "execute" and number in self.book.where:
            side, price, executed = self.book.where[number]
            left = quantity
            for order in self.sorted_own(side):
                if order.price == price:
                    level = self.book.levels[side][price]
                    place = next(at for at, entry in enumerate(level) if entry[1] is order)
                    is_first = place < level.index(executed)
                    if self.options["plant"] == "place":
                        is_first = True
                    if not is_first:
                        continue
                elif not is_better(side, order.price, price):
                    continue
                left -= self.fill(order, left, at)
            self.settle()
            self.book.take(number, quantity)
        elif kind == "add":
            self.book.add(number, row["side"], row["price"], quantity)
            self.arrive(row["side"], row["price"], quantity, at)
        elif kind == "reduce" and number in self.book.where:
            self.book.take(number, quantity)
        elif kind == "remove" and number in self.book.where:
            self.book.drop(number)
        elif kind in ("amend", "replace"):
            raise SystemExit("generated days have neither amend nor replace")

    def arrive(self, side, price, quantity, at):
        for order in self.sorted_own(opposite(side)):
            if is_better(opposite(side), price, order.price):
                break
            quantity -= self.fill(order, quantity, at)
        self.settle()


class LevelsExchange(Exchange):
    def rest(self, order):
        order.ahead = float(self.book.total(order.side, order.price))

    def chance(self, ahead, behind):
        model, n = self.options["model"], self.options["n"]
        # Multiplied factor by factor: a power rounds once, and the program as often as it multiplies.
        f = (lambda x: logarithm(1 + x)) if model.startswith("log") else (lambda x: math.prod([x] * n))
        if model in ("power1", "log1"):
            return over(f(behind), f(behind) + f(ahead))
        if model in ("power2", "log2"):
            return over(f(behind), f(behind + ahead))
        return 1 - f(over(ahead, ahead + behind))

    def change(self, order, before, after):
        if self.options["model"] == "risk_averse":
            order.ahead, order.traded = min(order.ahead, float(after)), 0.0
            return
        gone = before - after - order.traded
        order.traded = 0.0
        if gone < 0:
            order.ahead = min(order.ahead, float(after))
            return
        behind = before - order.ahead
        chance = self.chance(order.ahead, behind)
        if math.isinf(chance):
            chance = 1.0
        estimate = order.ahead - (1 - chance) * gone + least(behind - chance * gone, 0.0)
        order.ahead = least(estimate, float(after))

    def event(self, row, at):
        kind, number, quantity = row["kind"], row["order"], row["quantity"]
        if kind == "execute" and number in self.book.where:
            side, price, _ = self.book.where[number]
            self.trade(side, price, quantity, at)
        before = {(order.side, order.price): self.book.total(order.side, order.price) for order in self.own}
        if kind == "add":
            self.book.add(number, row["side"], row["price"], quantity)
        elif kind in ("execute", "reduce") and number in self.book.where:
            self.book.take(number, quantity)
        elif kind == "remove" and number in self.book.where:
            self.book.drop(number)
        for (side, price), was in before.items():
            now = self.book.total(side, price)
            if now == was:
                continue
            for order in self.own:
                if (order.side, order.price) == (side, price):
                    self.change(order, was, now)
        taken = self.options["taken"]
        for level in taken:
            taken[level] = min(taken[level], self.book.total(*level))
        if kind == "add":
            self.meet(opposite(row["side"]), at)

    def trade(self, side, price, quantity, at):
        left = quantity
        for order in self.sorted_own(side):
            if is_better(side, price, order.price):
                break
            if order.price != price:
                left -= self.fill(order, left, at)
                continue
            order.ahead -= quantity
            order.traded += quantity
            # What own orders at better prices have taken may be more than what has come to this one.
            reached = max(min((int(math.floor(-order.ahead + 0.5)) if order.ahead < 0 else 0) - (quantity - left), left), 0)
            filled = self.fill(order, reached, at)
            order.ahead += filled
            left -= filled
        self.settle()

    def meet(self, side, at):
        """The other side has come to own orders; each fills at most what rests there."""
        other = opposite(side)
        taken = self.options["taken"]
        for order in self.sorted_own(side):
            prices = [price for price in self.book.levels[other] if self.book.total(other, price) > 0]
            for price in sorted(prices, reverse=other == "buy"):
                if is_better(other, order.price, price):
                    break
                free = max(self.book.total(other, price) - taken[(other, price)], 0)
                taken[(other, price)] += self.fill(order, free, at)
        self.settle()


class Touch:
    """The strategy `touch`, with what it knows: its own book, its own orders."""

    def __init__(self, quantity, most):
        self.quantity, self.most = quantity, most
        self.book, self.orders, self.position, self.numbers = Book(), [], 0, 0

    def event(self, row):
        kind, number = row["kind"], row["order"]
        if kind == "add":
            self.book.add(number, row["side"], row["price"], row["quantity"])
        elif kind in ("execute", "reduce") and number in self.book.where:
            self.book.take(number, row["quantity"])
        elif kind == "remove" and number in self.book.where:
            self.book.drop(number)

    def report(self, kind, number, quantity, leaves):
        order = next((order for order in self.orders if order["number"] == number), None)
        if order is None:
            return
        if kind == "traded":
            self.position += quantity if order["side"] == "buy" else -quantity
            if leaves == 0:
                self.orders.remove(order)
        elif kind == "accepted":
            order["accepted"] = True
        elif kind in ("cancelled", "expired"):
            self.orders.remove(order)
        elif kind == "request_rejected":
            order["changing"] = False

    def wake(self, send):
        bid, ask = self.book.best("buy"), self.book.best("sell")
        if bid is None or ask is None or bid >= ask:
            return
        held = int(self.position / self.quantity)
        for side, price in (("buy", bid), ("sell", ask)):
            wanted = not (held >= self.most if side == "buy" else held <= -self.most)
            is_there = False
            for order in [order for order in self.orders if order["side"] == side]:
                if wanted and order["price"] == price:
                    is_there = True
                elif order["accepted"] and not order["changing"]:
                    order["changing"] = True
                    send("cancel", order["number"], side, order["price"])
            if wanted and not is_there:
                self.numbers += 1
                self.orders.append({"number": self.numbers, "side": side, "price": price, "accepted": False,
                                    "changing": False})
                send("submit", self.numbers, side, price)


class Run:
    """Everything that is to come, as one sorted list of (time, kind of thing, order of being sent)."""

    # At one instant: events at the exchange, requests, events at the strategy, reports; then it is woken.
    EXCHANGE, REQUEST, FEED, REPORT = range(4)

    def __init__(self, rows, options):
        self.options, self.fills, self.pending, self.sent = options, [], [], 0
        exchange = OrdersExchange if options["exchange"] == "orders" else LevelsExchange
        self.exchange = exchange(self.report, options)
        self.strategy = Touch(options["quantity"], options["most"])
        self.orders = {}
        self.last = {self.REQUEST: 0, self.REPORT: 0}
        at = feed = 0
        for row in rows:
            at = max(at, row["event_time"])
            feed = max(feed, at + options["feed"])
            self.put(at, self.EXCHANGE, row)
            self.put(feed, self.FEED, row)
        self.begin = rows[0]["event_time"]

    def put(self, at, kind, what):
        self.sent += 1
        self.pending.append((at, kind, self.sent, what))

    def report(self, kind, order, at, price, quantity, leaves, is_fill):
        received = self.last[self.REPORT] = max(self.last[self.REPORT], at + self.options["response"])
        self.fresh.append((received, self.REPORT, (kind, order.number, quantity, leaves)))
        if is_fill:
            self.fills.append((at, received, order.number, order.side, price, quantity, leaves))

    def send(self, kind, number, side, price):
        leaves = max(self.now, self.ready)
        at = self.last[self.REQUEST] = max(self.last[self.REQUEST], leaves + self.options["entry"])
        self.fresh.append((at, self.REQUEST, (kind, number, side, price)))

    def go(self):
        import heapq
        heapq.heapify(self.pending)
        self.fresh = []
        wake = self.begin + self.options["period"]
        # It computes until `ready`; where a wake found it computing, it is woken then.
        self.ready, late = 0, None
        while self.pending:
            at = self.pending[0][0]
            due = wake if late is None else min(wake, late)
            if due < at:
                self.now = due
                wake += self.options["period"] if due == wake else 0
                late = self.ready if due < self.ready else None
                if late is None:
                    self.ready = due + self.options["computing"]
                    self.strategy.wake(self.send)
            else:
                at, kind, _, what = heapq.heappop(self.pending)
                self.now = at
                self.handle(kind, what, at)
            for received, kind, what in self.fresh:
                self.sent += 1
                heapq.heappush(self.pending, (received, kind, self.sent, what))
            self.fresh.clear()
        return self.fills

    def handle(self, kind, what, at):
        if kind == self.EXCHANGE:
            self.exchange.event(what, at)
        elif kind == self.FEED:
            self.strategy.event(what)
        elif kind == self.REPORT:
            self.strategy.report(*what)
        else:
            wanted, number, side, price = what
            if wanted == "submit":
                self.orders[number] = Order(number, side, price, self.options["quantity"], at)
            self.exchange.request(wanted, self.orders[number], at)


def rows_of(path, decimals):
    rows = []
    for row in events_of(path):
        if row["kind"] not in ("add", "execute", "reduce", "remove", "amend", "replace"):
            continue
        rows.append({"kind": row["kind"], "order": row["order"], "side": row["side"],
                     "event_time": int(row["event_time"]),
                     "price": scaled(row["price"], decimals) if row["price"] else None,
                     "quantity": int(row["quantity"]) if row["quantity"] else 0})
    return rows


def ours(dojima, day, fills, options):
    queue = options["model"] + (f":{options['n']}" if options["model"].startswith("power") else "")
    subprocess.run([dojima, "backtest", day, "--strategy", "touch", "--set", f"quantity={options['quantity']}",
                    "--set", f"max_position={options['most']}", "--set", f"period={options['period']}ns", "--exchange",
                    options["exchange"], "--queue", queue, "--entry", f"{options['entry']}ns", "--response",
                    f"{options['response']}ns", "--feed", f"{options['feed']}ns", "--computing",
                    f"{options['computing']}ns", "--csv", fills, "--no-progress"],
                   check=True, stdout=subprocess.DEVNULL)
    result = []
    for row in events_of(fills):
        result.append((int(row["exchange_time"]), int(row["receive_time"]), int(row["order"]), row["side"],
                       scaled(row["price"], options["decimals"]), int(row["quantity"]), int(row["leaves"])))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dojima", required=True)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--requests", type=int, default=2500)
    parser.add_argument("--plant", action="store_true", help="falsify a rule and expect to find that")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.dojima).exists():
        print(f"{arguments.dojima} is not built")
        return 3
    runs = failures = fills_in_all = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for seed in range(1, arguments.seeds + 1):
            day, text = str(folder / "day.events"), str(folder / "day.csv")
            subprocess.run([arguments.dojima, "gen", "--model", "poisson", "--seed", str(seed), "--requests",
                            str(arguments.requests), "--out", day, "--no-progress"], check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run([arguments.dojima, "data", "convert", day, text, "--no-progress"], check=True,
                           stdout=subprocess.DEVNULL)
            rows = rows_of(text, 4)
            for exchange, model, n in (("orders", "power3", 3), ("levels", "risk_averse", 0), ("levels", "power1", 2),
                                       ("levels", "power2", 1), ("levels", "power3", 3), ("levels", "log1", 0),
                                       ("levels", "log2", 0)):
                options = {"exchange": exchange, "model": model, "n": n, "quantity": 7, "most": 5,
                           "period": 3 * MS + seed, "entry": 400_000, "response": 300_000, "feed": 200_000,
                           # None, less than a period, and more than one: then wakes are passed over.
                           "computing": (0, 700_000, 4 * MS)[seed % 3],
                           "decimals": 4, "plant": "place" if arguments.plant else None,
                           "taken": collections.defaultdict(int)}
                theirs = Run(rows, options).go()
                mine = ours(arguments.dojima, day, str(folder / "fills.csv"), options)
                runs += 1
                fills_in_all += len(mine)
                if theirs != mine:
                    failures += 1
                    at = next((at for at, (a, b) in enumerate(zip(theirs, mine)) if a != b), min(len(theirs), len(mine)))
                    if not arguments.plant:
                        print(f"seed {seed}, {exchange} {model}: {len(theirs)} and {len(mine)} fills; from {at} on:\n"
                              f"  here    {theirs[at:at + 3]}\n  program {mine[at:at + 3]}")
    if arguments.plant:
        print("the planted fault was found" if failures else "the planted fault was not found")
        return 0 if failures else 1
    print(f"{runs - failures} of {runs} runs agree, {fills_in_all} fills")
    return 1 if failures or fills_in_all == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
