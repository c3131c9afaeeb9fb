"""A naive model of a venue's limits, held against random days of the program.

  python3 tests/oracle/risk_limits.py --program build/release/bin/dojima-risk-days --days 40 --commands 1500 --seed 1

The program prints each command and what the book reported of it. The model says of every request whether a limit refuses
it, and which; it looks at all open orders for every answer and keeps no sums. After each event no count may be above a limit
that holds for it. Exit status 1 at the first difference, with the day and the line. --plant NAME spoils the model in one place,
which must be found; status 1 then, too.
"""

from __future__ import annotations

import argparse
import collections
import subprocess
import sys

(KILLED, PERMITTED, RATE, QUANTITY, COLLAR_BP, COLLAR_TICKS, COLLAR_FROM, VALUE, OPEN_ORDERS, OPEN_VALUE, POSITION, DUPLICATE,
 REPEATS, REPEATS_MS, PROTECTION, PROTECTION_MS, POSITION_NOW, STOPPED, CANCEL) = range(1, 20)
COUNTED = {RATE, OPEN_ORDERS, OPEN_VALUE, POSITION, DUPLICATE, REPEATS, REPEATS_MS, PROTECTION, PROTECTION_MS, POSITION_NOW, STOPPED}
# Reasons by their numbers, in the order of the checks.
ORDER = {"killed": 29, "stopped": 37, "permitted": 30, "rate": 31, "quantity": 8, "collar": 32, "no_price": 21, "value": 33,
         "open_orders": 14, "open_value": 34, "position": 35, "duplicate": 36}
OF_LIMITS = set(ORDER.values()) - {8, 21, 14}
MILLISECOND, SECOND, SCALE = 10**6, 10**9, 10**8
PLANTS = ("rate", "open_value", "position", "duplicate", "collar", "stopped")


class Difference(Exception):
    pass


class Order:
    def __init__(self, user: int, account: str, instrument: int, side: int, kind: int, price: int, leaves: int) -> None:
        self.user, self.account, self.instrument, self.side, self.kind = user, account, instrument, side, kind
        self.price = price        # that it was admitted with
        self.limit = self.stop = 0
        self.leaves = self.quantity = leaves
        self.executed = 0
        self.is_quote = False
        self.is_counted = False

    def subjects(self) -> list:
        return [("user", self.user)] + ([("account", self.account)] if self.account != "-" else [])


class Model:
    def __init__(self, plant: str) -> None:
        self.plant = plant
        self.orders: dict[str, Order] = {}
        self.reference: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self.limits: dict[tuple, dict[int, int]] = {}      # (subject, instrument or 0) -> kind -> value
        self.positions: collections.Counter = collections.Counter()
        self.requests: dict[tuple, list] = collections.defaultdict(list)
        self.executions: dict[tuple, list] = collections.defaultdict(list)
        self.protections: dict[tuple, list] = collections.defaultdict(list)
        self.stopped: set = set()
        self.due: list = []
        self.recent: dict[tuple, int] = {}
        self.time = 0
        self.refusals: collections.Counter = collections.Counter()

    # ---- What holds ----

    def limit(self, scope: tuple, kind: int) -> int:
        return self.limits.get(scope, {}).get(kind, 0)

    def worth(self, price: int, instrument: int) -> int:
        return price or self.last.get(instrument) or self.reference[instrument]

    def of(self, scope: tuple) -> list[Order]:
        (kind, name), instrument = scope
        return [order for order in self.orders.values()
                if order.leaves > 0 and (order.user == name if kind == "user" else order.account == name)
                and instrument in (0, order.instrument)]

    def furthest(self, subject: tuple, instrument: int) -> int:
        mine = self.of((subject, instrument))
        position = self.positions[(subject, instrument)]
        buying = sum(order.leaves for order in mine if order.side == 1)
        selling = sum(order.leaves for order in mine if order.side == 2)
        return max(position + buying, selling - position)

    def position_limit(self, subject: tuple, instrument: int) -> int:
        return self.limit((subject, instrument), POSITION) or self.limit((subject, 0), POSITION)

    # ---- Requests ----

    def refusal(self, user: int, account: str, instrument: int, legs: list, is_new: bool) -> str:
        """The first check that is failed. A leg: side, price, total, leaves, the order that is there or None."""
        found = set()
        subjects = [("user", user)] + ([("account", account)] if account != "-" else [])
        for subject in subjects + ["everybody"]:
            wide, narrow = (subject, 0), (subject, instrument)
            if (self.limit(narrow, PERMITTED) or self.limit(wide, PERMITTED)) == 2:
                found.add("permitted")
            for scope in (wide, narrow):
                found |= self.failed(scope, instrument, legs, is_new)
            if subject != "everybody" and self.is_position_broken(subject, instrument, legs):
                found.add("position")
        return next((name for name in ORDER if name in found), "")

    def failed(self, scope: tuple, instrument: int, legs: list, is_new: bool) -> set:
        found = set()
        limit = lambda kind: self.limit(scope, kind)  # noqa: E731
        if limit(KILLED):
            found.add("killed")
        if scope in self.stopped and self.plant != "stopped":
            found.add("stopped")
        window = SECOND + (1 if self.plant == "rate" else 0)
        times = self.requests[scope]
        if limit(RATE) and len(times) == limit(RATE) and times[0] > self.time - window:
            found.add("rate")
        added_orders, added_value = 0, 0
        for side, price, total, leaves, old in legs:
            if limit(QUANTITY) and total > limit(QUANTITY):
                found.add("quantity")
            base = self.reference[instrument] if limit(COLLAR_FROM) else self.worth(0, instrument)
            if price and base:
                if limit(COLLAR_BP) and abs(price - base) * 10_000 > abs(base) * limit(COLLAR_BP):
                    found.add("collar")
                tick = 50_000_000
                bound = limit(COLLAR_TICKS) + (1 if self.plant == "collar" else 0)
                if limit(COLLAR_TICKS) and abs(price // tick - base // tick) > bound:
                    found.add("collar")
            worth = self.worth(price, instrument)
            if worth == 0 and (limit(VALUE) or limit(OPEN_VALUE)):
                found.add("no_price")
            if limit(VALUE) and worth * total > limit(VALUE) * SCALE:
                found.add("value")
            is_here = old is not None and scope[0] in old.subjects()
            added_orders += 0 if is_here else 1
            added_value += max(0, worth * leaves - (old.price * old.leaves if is_here else 0))
        if scope[0] == "everybody":
            return found
        mine = self.of(scope) if limit(OPEN_ORDERS) or limit(OPEN_VALUE) else []
        if limit(OPEN_ORDERS) and added_orders and len(mine) + added_orders > limit(OPEN_ORDERS):
            found.add("open_orders")
        used = sum(order.price * order.leaves for order in mine)
        bound = limit(OPEN_VALUE) * SCALE + (SCALE // 2 if self.plant == "open_value" else 0)  # the smallest step of values
        if limit(OPEN_VALUE) and added_value > 0 and used + added_value > bound:
            found.add("open_value")
        if is_new and limit(DUPLICATE):
            side, price, total = legs[0][:3]
            last = self.recent.get((scope, instrument, side, price, total))
            window = limit(DUPLICATE) * MILLISECOND - (SECOND if self.plant == "duplicate" else 0)
            if last is not None and last > self.time - window:
                found.add("duplicate")
        return found

    def is_position_broken(self, subject: tuple, instrument: int, legs: list) -> bool:
        limit = self.position_limit(subject, instrument)
        if not limit:
            return False
        more = {1: 0, 2: 0}
        for side, _price, _total, leaves, old in legs:
            is_here = old is not None and subject in old.subjects()
            more[side] += max(0, leaves - (old.leaves if is_here else 0))
        mine = self.of((subject, instrument))
        position = self.positions[(subject, instrument)] + (1 if self.plant == "position" else 0)
        buying = sum(order.leaves for order in mine if order.side == 1)
        selling = sum(order.leaves for order in mine if order.side == 2)
        return (more[1] > 0 and position + buying + more[1] > limit) or (more[2] > 0 and selling - position + more[2] > limit)

    def note(self, times: list, most: int) -> None:
        times.append(self.time)
        del times[:-most]

    def note_request(self, user: int, account: str, instrument: int) -> None:
        for subject in [("user", user)] + ([("account", account)] if account != "-" else []):
            for scope in ((subject, 0), (subject, instrument)):
                if self.limit(scope, RATE):
                    self.note(self.requests[scope], self.limit(scope, RATE))

    # ---- Limits ----

    def set_limit(self, subject, instrument: int, kind: int, value: int) -> None:
        if kind == CANCEL or (subject == "everybody" and kind in COUNTED):
            return
        if kind == POSITION_NOW and instrument == 0:
            return
        if value and kind in (OPEN_ORDERS, OPEN_VALUE, POSITION) and self.used(subject, instrument, kind) > value * (
                SCALE if kind == OPEN_VALUE else 1):
            return
        if kind == POSITION and value == 0 and self.stays(subject, instrument):
            raise Difference(f"the position limit of {subject} in {instrument} goes, and that of all is below what is used")
        if kind == POSITION_NOW:
            before = self.positions[(subject, instrument)]
            self.positions[(subject, instrument)] = value
            limit = self.position_limit(subject, instrument)
            if limit and self.furthest(subject, instrument) > limit:
                self.positions[(subject, instrument)] = before
                return
        scope = (subject, instrument)
        is_new = scope not in self.limits
        mine = self.limits.setdefault(scope, {})
        if kind == STOPPED:
            self.stopped.discard(scope)
            self.executions[scope].clear()
        elif kind != POSITION_NOW:
            mine[kind] = value
            for times, by in ((self.requests, RATE), (self.executions, REPEATS), (self.protections, PROTECTION)):
                if kind == by:
                    times[scope] = times[scope][-value:] if value else []
            if kind == REPEATS and value == 0:
                self.stopped.discard(scope)
            if kind == PROTECTION and value == 0 and scope in self.due:
                self.due.remove(scope)
        if is_new or kind == POSITION:
            self.recount()

    def stays(self, subject: tuple, instrument: int) -> bool:
        """A position limit of one instrument, because what would hold without it is below what is used."""
        of_all = self.limit((subject, 0), POSITION)
        return instrument != 0 and of_all != 0 and self.furthest(subject, instrument) > of_all

    def used(self, subject: tuple, instrument: int, kind: int) -> int:
        mine = self.of((subject, instrument))
        if kind == OPEN_ORDERS:
            return len(mine)
        if kind == OPEN_VALUE:
            return sum((order.price if order.is_counted else self.plain_price(order)) * order.leaves for order in mine)
        places = [instrument] if instrument else [place for place in self.reference if not self.limit((subject, place), POSITION)]
        return max([0] + [self.furthest(subject, place) for place in places])

    def plain_price(self, order: Order) -> int:
        return self.worth(order.limit or (order.stop if order.kind == 3 else 0), order.instrument)

    def scopes(self, order: Order) -> list:
        return [(subject, instrument) for subject in order.subjects() for instrument in (0, order.instrument)
                if (subject, instrument) in self.limits]

    def make_positions(self, order: Order) -> None:
        for subject in order.subjects():
            if self.limit((subject, 0), POSITION):
                self.limits.setdefault((subject, order.instrument), {})

    def recount(self) -> None:
        for order in self.orders.values():
            self.make_positions(order)
            if not order.is_counted:
                order.price = self.plain_price(order)
            order.is_counted = bool(self.scopes(order))

    # ---- What the book reports ----

    def fill(self, order: Order, quantity: int) -> None:
        order.leaves -= quantity
        order.executed += quantity
        if order.is_counted:
            for scope in self.scopes(order):
                if scope[1]:
                    self.positions[scope] += quantity if order.side == 1 else -quantity
                if self.limit(scope, REPEATS):
                    self.note(self.executions[scope], self.limit(scope, REPEATS))
                    if self.is_full(self.executions[scope], self.limit(scope, REPEATS), self.limit(scope, REPEATS_MS)):
                        self.stopped.add(scope)
                if self.limit(scope, PROTECTION):
                    self.note(self.protections[scope], self.limit(scope, PROTECTION))
                    if self.is_full(self.protections[scope], self.limit(scope, PROTECTION), self.limit(scope, PROTECTION_MS)):
                        self.protections[scope].clear()
                        if scope not in self.due:
                            self.due.append(scope)

    def is_full(self, times: list, most: int, milliseconds: int) -> bool:
        return len(times) == most and times[0] > self.time - (milliseconds or 1000) * MILLISECOND

    def check_bounds(self) -> None:
        """No count is above a limit."""
        for scope, limits in self.limits.items():
            if scope[0] == "everybody":
                continue
            mine = self.of(scope)
            if limits.get(OPEN_ORDERS) and len(mine) > limits[OPEN_ORDERS]:
                raise Difference(f"{len(mine)} open orders of {scope} above {limits[OPEN_ORDERS]}")
            value = sum(order.price * order.leaves for order in mine)
            if limits.get(OPEN_VALUE) and value > limits[OPEN_VALUE] * SCALE:
                raise Difference(f"open value {value} of {scope} above {limits[OPEN_VALUE]}")
            if scope[1] == 0 and limits.get(POSITION):
                for place in self.reference:
                    self.check_position(scope[0], place)
            elif limits.get(POSITION):
                self.check_position(*scope)

    def check_position(self, subject: tuple, place: int) -> None:
        if self.furthest(subject, place) > self.position_limit(subject, place):
            raise Difference(f"position {self.furthest(subject, place)} of {subject} in {place} above "
                             f"{self.position_limit(subject, place)}")


class Day:
    def __init__(self, lines: list[str], plant: str) -> None:
        self.lines, self.model = lines, Model(plant)

    def run(self) -> Model:
        at = 0
        while at < len(self.lines):
            end = at + 1
            if self.lines[at].startswith("command"):
                while end < len(self.lines) and self.lines[end].startswith("event"):
                    end += 1
            try:
                self.step(self.lines[at:end])
            except Difference as difference:
                raise Difference(f"line {at + 1}: {difference}\n  " + "\n  ".join(self.lines[at:end])) from None
            at = end
        return self.model

    def step(self, lines: list[str]) -> None:
        words = lines[0].split()
        if words[0] == "instrument":
            self.model.reference[int(words[1])] = int(words[2])
        elif words[0] == "used":
            self.compare_used(words)
        elif words[0] == "stays":
            self.compare_stays(words)
        else:
            self.command(words, [line.split() for line in lines[1:]])

    def subject(self, of: str, user: str, account: str):
        return {"0": "everybody", "1": ("user", int(user)), "2": ("account", account)}[of]

    def compare_used(self, words: list[str]) -> None:
        model, subject, instrument, kind = self.model, self.subject(*words[1:4]), int(words[4]), int(words[5])
        if kind == POSITION_NOW:
            wanted = model.positions[(subject, instrument)]
        else:
            mine = model.of((subject, instrument))
            wanted = len(mine) if kind == OPEN_ORDERS else -(-sum(order.price * order.leaves for order in mine) // SCALE)
        if wanted != int(words[6]):
            raise Difference(f"the program has used {words[6]}, the model {wanted}")

    def compare_stays(self, words: list[str]) -> None:
        stays = self.model.stays(self.subject(*words[1:4]), int(words[4]))
        if stays != (words[5] == "1"):
            raise Difference(f"the model says of whether the position limit stays: {stays}")
        self.model.refusals["stays"] += stays

    def command(self, words: list[str], events: list) -> None:
        model = self.model
        model.time = int(words[2])
        what, rest = words[3], words[4:]
        if model.due:
            scope = model.due[0]
            is_cancel = what == "limit" and rest[6] == "2" and (self.subject(*rest[0:3]), int(rest[3])) == scope
            if not is_cancel:
                raise Difference(f"protection of {scope} was due")
            model.due.pop(0)
        legs, wanted, user, account, instrument = [], "", 0, "-", 0
        if what == "limit":
            subject, kind = self.subject(*rest[0:3]), int(rest[4])
            model.set_limit(subject, int(rest[3]), kind, int(rest[5]))
        elif what in ("new", "replace", "quote"):
            user, account, instrument = int(rest[0]), rest[1], int(rest[2])
            legs, account, is_asked = getattr(self, "legs_of_" + what)(user, account, instrument, rest[3:])
            if is_asked:
                wanted = model.refusal(user, account, instrument, legs, what == "new")
                if wanted not in ("killed", "stopped", "permitted", "rate"):
                    model.note_request(user, account, instrument)
        self.compare(wanted, [int(event[8]) for event in events if event[1] == "7"])
        self.reference = model.worth(0, instrument) if instrument else 0
        for event in events:
            self.event(event, what, user, account, instrument, legs, rest)
            model.check_bounds()
        model.orders = {name: order for name, order in model.orders.items() if order.leaves > 0}
        model.due = [scope for scope in model.due if model.of(scope)]
        model.check_bounds()

    def compare(self, wanted: str, reasons: list[int]) -> None:
        if wanted:
            self.model.refusals[wanted] += 1
            if not reasons or any(reason != ORDER[wanted] for reason in reasons):
                raise Difference(f"the model refuses: {wanted} ({ORDER[wanted]}); the program says {reasons}")
        elif any(reason in OF_LIMITS for reason in reasons):
            raise Difference(f"the model has nothing against it; the program says {reasons}")

    def legs_of_new(self, user: int, account: str, instrument: int, words: list[str]):
        side, kind, limit, stop, quantity = map(int, words)
        price = limit or (stop if kind == 3 else 0)
        return [(side, price, quantity, quantity, None)], account, True

    def legs_of_replace(self, user: int, account: str, instrument: int, words: list[str]):
        order = self.model.orders.get(words[0])
        limit, quantity = int(words[1]), int(words[3])
        if order is None or order.user != user:
            return [], "-", True
        if order.is_quote:
            return [], "-", False
        if order.instrument != instrument:
            return [], "-", True
        wanted = limit if order.limit else 0
        price = wanted or (order.stop if order.kind == 3 else 0)
        account = order.account if account == "-" else account
        return [(order.side, price, quantity, quantity - order.executed, order)], account, True

    def legs_of_quote(self, user: int, account: str, instrument: int, words: list[str]):
        legs = []
        for side, price, size in ((1, int(words[0]), int(words[1])), (2, int(words[2]), int(words[3]))):
            old = next((order for order in self.model.orders.values()
                        if order.is_quote and (order.user, order.instrument, order.side) == (user, instrument, side)), None)
            if size > 0:
                legs.append((side, price, size + (old.executed if old else 0), size, old))
        return legs, "-", True

    def event(self, event: list, what: str, user: int, account: str, instrument: int, legs: list, rest: list) -> None:
        model = self.model
        kind, name, other = int(event[1]), event[2], event[3]
        side, price, quantity, leaves = (int(word) for word in event[4:8])
        if kind == 1:
            leg = next(leg for leg in legs if leg[0] == side)
            order = Order(user, account, instrument, side, int(rest[4]) if what == "new" else 2, leg[1] or self.reference, quantity)
            order.limit = price if order.kind != 3 else 0
            order.stop = int(rest[6]) if what == "new" else 0
            order.is_quote = what == "quote"
            model.make_positions(order)
            order.is_counted = bool(model.scopes(order))
            model.orders[name] = order
            if what == "new":
                for scope in model.scopes(order):
                    if model.limit(scope, DUPLICATE):
                        model.recent[(scope, instrument, side, leg[1], quantity)] = model.time
        elif kind == 2 and model.orders[name].limit == 0:
            model.orders[name].limit = price  # a market-to-limit order rests at the other side's best
        elif kind == 3:
            model.last[model.orders[name].instrument] = price
            model.fill(model.orders[name], quantity)
            model.fill(model.orders[other], quantity)
        elif kind == 4:
            order = model.orders[name]
            leg = next((leg for leg in legs if leg[4] is order), None)
            if leg is not None:
                order.price, order.limit = leg[1] or self.reference, leg[1] if order.limit else 0
                order.account = account if what == "replace" else order.account
                order.quantity = leg[2]
                order.is_counted = bool(model.scopes(order))
                model.make_positions(order)
            elif order.limit == 0:
                order.limit = price  # the end of a call gave it one
            order.leaves = leaves
        elif kind in (5, 6):
            model.orders[name].leaves = 0
        elif kind == 11:
            model.orders[name].leaves -= quantity
            model.orders[name].quantity -= quantity


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--commands", type=int, default=800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", choices=PLANTS, default="", help="a fault in the model, which must be found")
    arguments = parser.parse_args()
    refusals: collections.Counter = collections.Counter()
    for day in range(arguments.seed, arguments.seed + arguments.days):
        run = subprocess.run([arguments.program, str(day), str(arguments.commands)], capture_output=True, text=True)
        if run.returncode != 0:
            print(f"day {day}: the program ended with {run.returncode}: {run.stderr}", file=sys.stderr)
            return 1
        try:
            refusals += Day(run.stdout.splitlines(), arguments.plant).run().refusals
        except Difference as difference:
            print(f"day {day}: {difference}", file=sys.stderr)
            return 1
    missing = [name for name in [*ORDER, "stays"] if refusals[name] == 0]
    print(f"{arguments.days} days of {arguments.commands} commands; refusals: "
          + ", ".join(f"{name} {refusals[name]}" for name in ORDER) + f"; position limits that stayed: {refusals['stays']}")
    if missing and arguments.days >= 20:
        print(f"these checks refused nothing, so nothing was compared: {missing}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
