"""The order book's rules once more, in another language: an independent oracle for `dojima book run`.

Written from docs/book.md and docs/auctions.md, with nothing but the standard library. Exact, plain and slow: the orders that can trade next
are sorted out anew at every step, prices are fractions of nothing (integers of 1e-8), and nothing is kept that could
be worked out. `run(text)` answers with what `dojima book run --print` prints for the same script, byte for byte.
"""

from __future__ import annotations

import dataclasses

UNIT = 100_000_000
LASTING = ("day", "gtc", "gtd", "gtt")
TIMED = ("gtd", "gtt")
MASK = (1 << 64) - 1
CALLS = ("opening_call", "intraday_call", "reopening_call", "closing_call")
CROSS = "closing_price_cross"
SHUT = ("halted", "closed")
PHASES = ("continuous", *CALLS, CROSS, *SHUT)
# In which phases an order for auctions alone stands in the book, and in which it may enter.
AUCTIONS = {"opg": ("opening_call",), "atc": ("closing_call",), "gfa": CALLS, "gfx": ("intraday_call",),
            "gfs": ("opening_call", "intraday_call", "closing_call"), "cpx": (CROSS,)}
ENTRIES = {"opg": ("opening_call",), "cpx": ("continuous", *CALLS, CROSS), "ioc": ("continuous",),
           "fok": ("continuous",), **{tif: ("continuous", *CALLS) for tif in ("atc", "gfa", "gfx", "gfs")}}


class Trouble(Exception):
    """A line that cannot be understood."""


def price_of(word: str) -> int:
    sign, digits = (-1, word[1:]) if word.startswith("-") else (1, word)
    whole, _, part = digits.partition(".")
    return sign * (int(whole or "0") * UNIT + int((part or "0").ljust(8, "0")))


def text_of(price: int) -> str:
    whole, part = divmod(abs(price), UNIT)
    tail = f"{part:08d}".rstrip("0")
    return ("-" if price < 0 else "") + str(whole) + ("." + tail if tail else "")


@dataclasses.dataclass(eq=False)
class Order:
    name: str
    side: str
    kind: str  # limit market to_limit stop stop_limit trail
    total: int
    limit: int = 0
    stop: int = 0  # stop price, trailing distance, or offset of a peg
    tif: str = "day"
    until: int = 0
    show: int = 0
    minimum: int = 0
    is_peg: bool = False
    is_random: bool = False
    is_offset: bool = False  # `given` is its limit then, 0 for none, and `limit` what it came to
    points: int = 0
    given: int = 0
    is_whole: bool = False
    passive: int = 0
    owner: int = 0
    group: int = 0
    executed: int = 0
    place: str = "out"  # out lit hidden dark stop trail wait (for its phase) free (of a limit); gone when it ended
    shown: int = 0
    since: int = 0  # when it came to its place
    number: int = 0
    trigger: int = 0
    is_fired: bool = False
    partner: "Order | None" = None

    @property
    def leaves(self) -> int:
        return self.total - self.executed

    @property
    def is_buy(self) -> bool:
        return self.side == "buy"

    @property
    def is_dark(self) -> bool:
        return self.is_peg or self.is_whole or self.minimum != 0

    @property
    def is_stop(self) -> bool:
        return self.kind in ("stop", "stop_limit")

    @property
    def has_limit(self) -> bool:
        return self.kind in ("limit", "stop_limit")

    @property
    def displays(self) -> bool:
        """Whether it will show one day."""
        return ((self.has_limit or self.kind == "to_limit") and (self.tif in LASTING or self.tif in AUCTIONS)
                and not self.is_dark)

    @property
    def in_book(self) -> bool:
        return self.place in ("lit", "hidden", "dark", "free")

    @property
    def visible(self) -> int:
        if self.place == "lit":
            return self.shown
        if self.place != "out" or self.is_dark or self.is_stop or self.kind == "trail":
            return 0
        return min(self.show, self.leaves)


class Book:
    def __init__(self, words: dict[str, str]):
        def number(key: str, otherwise: int) -> int:
            return int(words.pop(key, otherwise))

        self.tick = price_of(words.pop("tick", "1"))
        self.lowest = price_of(words.pop("lowest", "1"))
        self.highest = price_of(words.pop("highest", "10000"))
        self.largest = number("largest", 1_000_000_000)
        self.most = {"orders": number("orders", 1000), "lit": number("levels", 1000),
                     "hidden": number("hidden_levels", 256), "stop": number("stop_levels", 256)}
        number("owners", 16)
        self.policy = words.pop("policy", "fifo")
        self.self_trade = words.pop("self_trade", "allowed")
        self.own = words.pop("own", "owner")
        self.random = number("seed", 1)
        self.peaks = number("peaks", 10_000)
        accounts = words.pop("accounts", "")
        self.accounts = [int(each) for each in accounts.split(",")] if accounts else []
        if words:
            raise Trouble(f"{words} mean nothing here")
        self.orders: list[Order] = []  # in the order of entry
        self.last: int | None = None
        self.traded: list[int] = []
        self.middle: int | None = None
        self.phase = "continuous"
        self.reference: int | None = None
        self.closing: int | None = None
        self.is_collected = False  # orders may meet without having traded
        self.told: tuple | None = None
        self.clock = 0
        self.now = 0
        self.says: list[str] = []

    # ---- Reports ----

    def say(self, what: str, order: Order, lots: int, *tail: str, price: int | None = None, leaves: int | None = None,
            shows: int | None = None) -> None:
        words = [what, order.name, order.side, str(lots), "@", text_of(order.limit if price is None else price),
                 "leaves", str(order.leaves if leaves is None else leaves),
                 "shows", str(order.visible if shows is None else shows), *tail]
        self.says.append(" ".join(words))

    def reject(self, name: str, side: str, reason: str, is_request: bool) -> None:
        self.says.append(f"rejected {name} {side} {reason}" + (" request" if is_request else ""))

    # ---- Commands ----

    def enter_new(self, order: Order, linked: Order | None) -> bool:
        reason = self.refusal(order, linked)
        if reason:
            self.reject(order.name, order.side, reason, False)
            return False
        self.clock += 1
        order.number = self.clock
        self.orders.append(order)
        if linked:
            order.partner, linked.partner = linked, order
        self.say("accepted", order, order.total)
        if order.tif in AUCTIONS and self.phase not in AUCTIONS[order.tif]:
            self.wait(order)
        elif order.kind == "trail":
            order.trigger = self.last + order.stop if order.is_buy else self.last - order.stop
            self.park(order)
        elif order.is_stop:
            self.park_or_trigger(order)
        else:
            self.enter(order, order.passive)
        self.settle()
        return True

    def replace(self, order: Order, change: dict, sender: int, side: str) -> None:
        new, reason = self.changed(order, change, sender, side)
        if reason:
            self.reject(order.name, side, reason, True)
            return
        passive = change["passive"] if new.limit != order.limit else 0
        shows_more = order.displays and min(new.show, new.leaves) > min(order.show, order.leaves)
        keeps = not (new.limit != order.limit or new.stop != order.stop or new.total > order.total or shows_more)
        waited, waited_for_phase = order.place in ("stop", "trail", "wait"), order.place == "wait"
        for field in ("total", "limit", "stop", "show", "minimum", "until", "group", "points", "given"):
            setattr(order, field, getattr(new, field))
        if keeps:
            if order.place == "lit":
                order.shown = min(order.shown, order.show, order.leaves)
            self.say("replaced", order, order.total, *(["parked"] if waited else []))
        else:
            order.place = "out"
            self.say("replaced", order, order.total, "lost_priority", *(["parked"] if waited else []))
            if waited_for_phase:
                self.wait(order)
            elif order.is_stop:
                self.park_or_trigger(order)
            elif waited:
                self.park(order)
            else:
                self.enter(order, passive)
        self.settle()

    def cancel(self, order: Order, sender: int, side: str) -> None:
        reason = ("unknown_order" if order.place in ("gone", "never") else "not_owner" if order.owner != sender else
                  "side_mismatch" if order.side != side else "")
        if reason:
            self.reject(order.name, side, reason, True)
            return
        self.end(order, "cancelled", "by_owner")
        self.settle()

    def end_all(self, what: str, reason: str, does_fit) -> None:
        for order in sorted(filter(does_fit, self.orders), key=lambda each: (each.owner, each.number)):
            self.end(order, what, reason)
        self.settle()

    # ---- Refusals ----

    def refusal(self, order: Order, linked: Order | None) -> str:
        lasts = order.tif in LASTING
        if not lasts and order.tif not in ("ioc", "fok") and order.tif not in AUCTIONS:
            return "not_supported"
        if order.tif in AUCTIONS and order.kind not in ("limit", "market", "to_limit"):
            return "not_supported"
        if order.is_offset and (order.tif != "atc" or order.kind != "limit" or abs(order.points) > 10_000):
            return "not_supported"
        if order.passive not in (0, 1, 2, 3, 99, 100):
            return "not_supported"
        if order.is_dark:
            plain_type = order.kind == "limit" or (order.is_peg and order.kind == "market")
            if not plain_type or not lasts or order.passive or order.is_random or self.policy != "fifo":
                return "not_supported"
            if order.is_whole and order.minimum:
                return "not_supported"
            if order.is_peg and self.tick % 2:
                return "not_supported"
        if order.is_random and order.kind not in ("limit", "stop_limit", "to_limit"):
            return "not_supported"
        if order.passive and (order.kind != "limit" or not lasts):
            return "not_supported"
        if order.passive not in (0, 99) and order.show == 0:
            return "not_supported"
        if linked and (self.policy != "fifo" or not lasts):
            return "not_supported"
        if self.phase in SHUT:
            return "book_closed"
        if (order.passive and self.phase != "continuous") or self.phase not in ENTRIES.get(order.tif, PHASES):
            return "wrong_phase"
        if not 0 < order.total <= self.largest or not 0 <= order.minimum <= order.total:
            return "quantity_out_of_range"
        if not 0 <= order.show <= order.total:
            return "display_not_allowed"
        if not order.displays:
            order.show = order.total
        if order.show and order.total > order.show * self.peaks:
            return "display_not_allowed"
        if order.tif in TIMED and order.until <= self.now:
            return "expiry_passed"
        if not order.has_limit:
            order.limit = 0
        if order.is_offset:
            order.given, order.limit = order.limit, 0
        reason = self.price_refusal(order)
        if reason:
            return reason
        if linked and (linked.place in ("gone", "never") or linked.partner or linked.owner != order.owner
                         or linked.side != order.side):
            return "linked_order"
        if len(self.orders) == self.most["orders"]:
            return "order_table_full"
        return "" if self.has_level(order, None) else "levels_full"

    def price_refusal(self, order: Order) -> str:
        span = self.highest - self.lowest
        if order.is_offset:
            return self.on_tick(order.given) if order.given else ""
        if order.has_limit and (reason := self.on_tick(order.limit)):
            return reason
        if order.is_stop:
            return self.on_tick(order.stop)
        if order.kind == "trail":
            if not 0 < order.stop <= span:
                return "price_out_of_range"
            return "" if self.last is not None else "no_price"
        if order.is_peg and not -span <= order.stop <= 0:
            return "price_out_of_range"
        return ""

    def on_tick(self, price: int) -> str:
        if not self.lowest <= price <= self.highest:
            return "price_out_of_range"
        return "price_not_on_tick" if (price - self.lowest) % self.tick else ""

    def changed(self, order: Order, change: dict, sender: int, side: str) -> tuple[Order, str]:
        new = dataclasses.replace(order, total=change["total"], minimum=change["minimum"])
        new.show = change["show"] if order.displays else change["total"]
        if order.has_limit:
            new.limit = change["limit"]
        if order.is_stop and change["stop"] >= 0:
            new.stop = change["stop"]
        if order.tif in TIMED:
            new.until = change["until"]
        if change["group"]:
            new.group = change["group"]
        if order.is_offset:
            new.points, new.given = change["points"], change["limit"]
            new.limit = 0 if order.place == "wait" else self.offset_price(new) or 0

        def reason() -> str:
            if order.place in ("gone", "never"):
                return "unknown_order"
            if order.owner != sender:
                return "not_owner"
            if order.side != side:
                return "side_mismatch"
            if self.phase in SHUT:
                return "book_closed"
            if not order.is_peg and (order.minimum != 0) != (new.minimum != 0):
                return "not_supported"
            if abs(change["points"]) > (10_000 if order.is_offset else 0):
                return "not_supported"
            if order.is_whole and new.minimum:
                return "not_supported"
            if not 0 < new.total <= self.largest:
                return "quantity_out_of_range"
            if new.total <= order.executed:
                return "quantity_already_executed"
            if not 0 <= new.minimum <= new.total:
                return "quantity_out_of_range"
            if not 0 <= change["show"] <= new.total:
                return "display_not_allowed"
            if order.displays and order.show and change["show"] == 0:
                return "display_not_allowed"
            if new.show and new.total > new.show * self.peaks:
                return "display_not_allowed"
            if order.tif in TIMED and change["until"] <= self.now:
                return "expiry_passed"
            wrong = self.price_refusal(new)
            if wrong:
                return wrong
            if order.is_offset and order.place != "wait" and new.limit == 0:
                return "price_out_of_range"
            if new.limit != order.limit and change["passive"]:
                allowed = (99,) if new.show == 0 else (1, 2, 3, 99, 100)
                if (change["passive"] not in allowed or new.is_dark or new.kind != "limit"
                        or new.tif not in LASTING):
                    return "not_supported"
                if self.phase != "continuous":
                    return "wrong_phase"
            stays = (new.limit == order.limit and new.stop == order.stop and new.total <= order.total and not
                     (order.displays and min(new.show, new.leaves) > min(order.show, order.leaves)))
            return "" if stays or self.has_level(new, order) else "levels_full"

        return new, reason()

    def has_level(self, order: Order, old: Order | None) -> bool:
        if order.is_stop:
            place, key = "stop", "stop"
        elif order.kind != "limit" or order.is_dark or order.is_offset:
            return True
        elif order.tif not in LASTING and self.phase not in AUCTIONS.get(order.tif, ()):
            return True
        else:
            place, key = ("hidden" if order.show == 0 else "lit"), "limit"
        here = [each for each in self.orders if each.place == place and each.side == order.side]
        if any(getattr(each, key) == getattr(order, key) for each in here):
            return True
        if len({getattr(each, key) for each in here if each is not old}) < self.most[place]:
            return True
        if place == "stop" or self.phase != "continuous":
            return False
        facing = [each for each in self.orders if each.place in ("lit", "hidden") and each.side != order.side]
        reach = sum(each.leaves for each in facing
                    if (each.limit <= order.limit if order.is_buy else each.limit >= order.limit))
        return reach >= order.leaves

    # ---- Matching ----

    def touch(self, side: str) -> int | None:
        prices = [order.limit for order in self.orders if order.place == "lit" and order.side == side]
        if not prices:
            return None
        return max(prices) if side == "buy" else min(prices)

    def look(self) -> None:
        bid, ask = self.touch("buy"), self.touch("sell")
        self.middle = None if bid is None or ask is None else (bid + ask) // 2

    def price(self, order: Order) -> int | None:
        if not order.is_peg:
            return order.limit
        if self.middle is None:
            return None
        pegged = self.middle + (order.stop if order.is_buy else -order.stop)
        if not order.has_limit:
            return pegged
        return min(pegged, order.limit) if order.is_buy else max(pegged, order.limit)

    def facing(self, taker: Order) -> list[Order]:
        limit = self.price(taker)
        is_free = taker.kind == "market" and not taker.is_peg
        if limit is None:
            return []
        rank = {"lit": 0, "hidden": 1, "dark": 2}
        found = []
        for maker in self.orders:
            if not maker.in_book or maker.side == taker.side:
                continue
            price = self.price(maker)
            if price is None or not (is_free or (price <= limit if taker.is_buy else price >= limit)):
                continue
            by_size = -maker.shown if self.policy == "size_time" and maker.place == "lit" else 0
            found.append(((price if taker.is_buy else -price, rank[maker.place], by_size, maker.since), maker))
        return [maker for _, maker in sorted(found, key=lambda pair: pair[0])]

    @staticmethod
    def chunk(maker: Order) -> int:
        return maker.shown if maker.place == "lit" else maker.leaves

    def fits(self, taker: Order, maker: Order, left: int) -> bool:
        if maker.place == "dark":
            least = maker.leaves if maker.is_whole else min(maker.minimum, maker.leaves)
            if min(left, maker.leaves) < least:
                return False
        return min(left, self.chunk(maker)) >= min(taker.minimum, left)

    def is_own(self, one: Order, other: Order) -> bool:
        if self.self_trade == "allowed":
            return False
        if self.own == "group":
            return one.owner == other.owner and one.group == other.group != 0
        if self.own == "account":
            return self.is_one_account(one.owner, other.owner)
        return one.owner == other.owner

    def is_one_account(self, one: int, other: int) -> bool:
        if max(one, other) < len(self.accounts):
            return self.accounts[one] == self.accounts[other]
        return one == other

    def tradable(self, taker: Order) -> int:
        total = before = 0
        at = None
        for maker in self.facing(taker):
            if self.price(maker) != at:
                if total == taker.leaves:
                    break
                at, before = self.price(maker), total
            left = taker.leaves - total
            if self.is_own(taker, maker):
                if self.self_trade != "cancel_oldest":
                    return before
            elif left and self.fits(taker, maker, left):
                total += min(left, maker.leaves)
        return total

    def is_passive(self, order: Order, rule: int) -> bool:
        other = self.touch("sell" if order.is_buy else "buy")
        if other is not None and (order.limit >= other if order.is_buy else order.limit <= other):
            return False
        levels = {each.limit for each in self.orders if each.place == "lit" and each.side == order.side}
        better = [level for level in levels if (level > order.limit if order.is_buy else level < order.limit)]
        if rule == 99:
            return True
        if rule == 100:
            return not better and order.limit not in levels
        return len(better) < rule

    def enter(self, order: Order, passive: int) -> None:
        if self.phase != "continuous":
            return self.collect(order)
        self.look()
        if order.kind == "to_limit":
            price = self.touch("sell" if order.is_buy else "buy")
            if price is None:
                return self.end(order, "expired", "no_price")
            order.kind, order.limit = "limit", price
        if passive and not self.is_passive(order, passive):
            return self.end(order, "expired", "passive_only")
        if not (order.tif == "fok" or order.is_whole) or self.tradable(order) == order.leaves:
            self.match(order)
        if order.place == "gone":
            return None
        if order.leaves == 0:
            return self.forget(order)
        if (order.kind == "limit" or order.is_peg) and order.tif in LASTING:
            return self.rest(order)
        return self.end(order, "expired", "time_in_force")

    def match(self, taker: Order) -> None:
        while taker.place != "gone" and taker.leaves:
            makers = self.facing(taker)
            maker = next((each for each in makers if self.fits(taker, each, taker.leaves)), None)
            if maker is None:
                return
            if self.policy in ("pro_rata", "top_pro_rata") and maker.place == "lit":
                level = [each for each in makers if each.place == "lit" and each.limit == maker.limit]
                own = next((each for each in level if self.is_own(taker, each)), None)
                if own is None:
                    self.share(taker, level)
                else:
                    self.prevent(taker, own)
            elif self.is_own(taker, maker):
                self.prevent(taker, maker)
            else:
                self.trade(taker, maker, min(taker.leaves, self.chunk(maker)))

    def share(self, taker: Order, level: list[Order]) -> None:
        if self.policy == "top_pro_rata":
            top, *level = level
            self.trade(taker, top, min(taker.leaves, top.shown))
            if top.place == "lit":
                level.append(top)
            if not taker.leaves or not level:
                return
        shown = sum(each.shown for each in level)
        wanted = min(taker.leaves, shown)
        shares = [wanted * each.shown // shown for each in level]
        over = wanted - sum(shares)
        for each, lots in zip(level, shares):
            more = min(over, each.shown - lots)
            over -= more
            if lots + more:
                self.trade(taker, each, lots + more)

    def trade(self, taker: Order, maker: Order, lots: int) -> None:
        price = self.price(maker)
        taker.executed += lots
        maker.executed += lots
        if maker.place == "lit":
            maker.shown -= lots
        tail = [] if maker.place == "lit" else ["hidden"]
        self.say("traded", maker, lots, "with", taker.name, *tail, price=price)
        self.follow(price)
        partners = [self.part(maker), self.part(taker)]
        if maker.leaves == 0:
            self.forget(maker)
        elif maker.place == "lit" and maker.shown == 0:
            self.show_peak(maker)
            self.say("replenished", maker, maker.total)
        for partner in partners:
            if partner:
                self.end(partner, "cancelled", "linked_executed")

    def follow(self, price: int) -> None:
        self.last = price
        self.traded.append(price)
        for order in self.orders:
            if order.place == "trail" and not order.is_fired:
                if order.is_buy:
                    order.is_fired = price >= order.trigger
                    order.trigger = min(order.trigger, price + order.stop)
                else:
                    order.is_fired = price <= order.trigger
                    order.trigger = max(order.trigger, price - order.stop)

    def prevent(self, taker: Order, maker: Order) -> None:
        ours, theirs = taker.leaves, maker.leaves
        ends_maker = self.self_trade in ("cancel_oldest", "cancel_both")
        ends_taker = self.self_trade in ("cancel_newest", "cancel_both")
        if self.self_trade == "decrement":
            ends_maker, ends_taker = theirs <= ours, ours <= theirs
        if ends_maker:
            self.end(maker, "expired", "self_trade")
        if self.self_trade == "decrement":
            if not ends_maker:
                self.reduce(maker, taker, ours)
            if not ends_taker:
                self.reduce(taker, maker, theirs)
        if ends_taker:
            self.end(taker, "expired", "self_trade")

    def reduce(self, order: Order, other: Order, lots: int) -> None:
        order.total -= lots
        order.show = min(order.show, order.total)
        order.minimum = min(order.minimum, order.total)
        order.shown = min(order.shown, order.leaves)
        self.say("reduced", order, lots, "with", other.name, *(["was_resting"] if order.in_book else []))

    # ---- Places ----

    def settled_at(self, order: Order, place: str) -> None:
        self.clock += 1
        order.place, order.since = place, self.clock

    def rest(self, order: Order) -> None:
        if order.is_dark:
            self.settled_at(order, "dark")
            return self.say("added", order, order.total, "hidden", "dark")
        place = "hidden" if order.show == 0 else "lit"
        levels = {each.limit for each in self.orders if each.place == place and each.side == order.side}
        if order.limit not in levels and len(levels) >= self.most[place]:
            return self.end(order, "expired", "levels_full")
        self.settled_at(order, place)
        if place == "hidden":
            return self.say("added", order, order.total, "hidden")
        self.show_peak(order)
        return self.say("added", order, order.total)

    def show_peak(self, order: Order) -> None:
        self.settled_at(order, "lit")
        order.shown = min(order.show, order.leaves)
        if order.is_random and order.show < order.leaves:
            order.shown -= self.draw() % (order.show // 2 + 1)

    def draw(self) -> int:
        self.random = (self.random + 0x9E3779B97F4A7C15) & MASK
        mixed = self.random
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def park_or_trigger(self, order: Order) -> None:
        is_reached = self.last is not None and (self.last >= order.stop if order.is_buy else self.last <= order.stop)
        if is_reached and self.phase == "continuous":
            self.trigger(order)
        else:
            self.park(order)

    def park(self, order: Order) -> None:
        is_trailing = order.kind == "trail"
        self.settled_at(order, "trail" if is_trailing else "stop")
        self.say("parked", order, order.total, price=order.trigger if is_trailing else order.stop)

    def trigger(self, order: Order) -> None:
        was_dark = order.place == "dark"
        order.place = "out"
        if not was_dark:
            order.kind = "limit" if order.kind == "stop_limit" else "market"
        self.say("triggered", order, order.total, *(["was_resting"] if was_dark else []))
        if not was_dark:
            partner = self.part(order)
            if partner:
                self.end(partner, "cancelled", "linked_executed")
        self.enter(order, 0)

    def settle(self) -> None:
        if self.phase == CROSS and self.closing is not None:
            self.cross(self.closing)
        if self.phase in CALLS and (now := self.auction()) != self.told:
            self.told = now
            self.say_auction("indicative", now)
        while self.phase == "continuous":
            order = self.next_stop()
            if order is None:
                self.traded.clear()
                order = self.next_waking()
            if order is None:
                return
            self.trigger(order)

    def next_stop(self) -> Order | None:
        ready = []
        for order in self.orders:
            if order.place == "stop" and self.traded:
                if order.is_buy and max(self.traded) >= order.stop:
                    ready.append(((0, order.stop, order.since), order))
                if not order.is_buy and min(self.traded) <= order.stop:
                    ready.append(((1, -order.stop, order.since), order))
            if order.place == "trail" and order.is_fired:
                ready.append(((2, 0, order.since), order))
        return min(ready, key=lambda pair: pair[0])[1] if ready else None

    def next_waking(self) -> Order | None:
        self.look()
        for order in sorted((each for each in self.orders if each.place == "dark"), key=lambda each: each.since):
            lots = self.tradable(order)
            if lots == order.leaves if order.is_whole else lots > 0:
                return order
        return None

    # ---- Phases ----

    def change_phase(self, phase: str, reference: int, uncross: bool) -> None:
        before = self.phase
        if before == CROSS and phase != CROSS:
            self.end_collected(self.closing)
        if self.is_collected and (phase == "continuous" or (before in CALLS and (phase == CROSS or uncross))):
            self.uncross()
        self.phase = phase
        self.reference = reference or None
        if phase in CALLS or phase == CROSS:
            self.is_collected = True
        if phase not in CALLS:
            self.told = None
        if phase == CROSS:
            if self.closing is None:
                self.closing = self.last if self.reference is None else self.reference
        elif phase not in SHUT:
            self.closing = None
        if phase == "continuous" and before != phase and self.last is not None:
            self.traded.append(self.last)
        self.says.append(f"phase_changed {phase}" + (f" reference {text_of(reference)}" if reference else ""))
        for order in sorted((each for each in self.orders if each.place == "wait"), key=lambda each: each.since):
            if phase in AUCTIONS[order.tif]:
                order.place = "out"
                self.say("triggered", order, order.total)
                self.collect(order)
        self.settle()

    def wait(self, order: Order) -> None:
        self.settled_at(order, "wait")
        self.say("parked", order, order.total)

    def collect(self, order: Order) -> None:
        if order.is_offset:
            price = self.offset_price(order)
            if price is None:
                has_reference = self.reference is not None or self.last is not None
                return self.end(order, "expired", "price_out_of_range" if has_reference else "no_price")
            order.limit = price
        if order.kind in ("market", "to_limit") and not order.is_dark:
            self.settled_at(order, "free")
            return self.say("added", order, order.total, "auction")
        return self.rest(order)

    def offset_price(self, order: Order) -> int | None:
        reference = self.last if self.reference is None else self.reference
        if reference is None:
            return None
        if order.is_buy:
            price = reference * (10_000 + order.points) // 10_000
            price = min(price, self.highest)
            price -= (price - self.lowest) % self.tick
            if price < self.lowest:
                return None
            return min(price, order.given) if order.given else price
        price = -(-reference * (10_000 - order.points) // 10_000)
        price = max(price, self.lowest)
        price += (self.lowest - price) % self.tick
        if price > self.highest:
            return None
        return max(price, order.given) if order.given else price

    def auction(self) -> tuple[int, int, int] | None:
        """Price, volume, and what is left over: to buy if positive, to sell if negative. Every price is tried."""
        reference = self.last if self.reference is None else self.reference
        free = [sum(order.leaves for order in self.orders if order.place == "free" and order.side == side)
                for side in ("buy", "sell")]
        limited = [order for order in self.orders if order.place in ("lit", "hidden")]
        if not limited:
            if reference is None or min(free) == 0:
                return None
            held = min(max(reference, self.lowest), self.highest)
            down = held - (held - self.lowest) % self.tick
            around = [price for price in (down, down + self.tick) if price <= self.highest]
            return self.nearest(around, held), min(free), free[0] - free[1]
        lots: dict[tuple[str, int], int] = {}
        for order in limited:
            lots[order.side, order.limit] = lots.get((order.side, order.limit), 0) + order.leaves
        demand, supply = free[0] + sum(order.leaves for order in limited if order.is_buy), free[1]
        tried = []
        first, last = min(order.limit for order in limited), max(order.limit for order in limited)
        for price in range(first, last + 1, self.tick):
            supply += lots.get(("sell", price), 0)
            tried.append((min(demand, supply), demand - supply, price))
            demand -= lots.get(("buy", price), 0)
        volume = max(each[0] for each in tried)
        if volume == 0:
            return None
        least = min(abs(each[1]) for each in tried if each[0] == volume)
        good = [each for each in tried if each[0] == volume and abs(each[1]) == least]
        prices = [each[2] for each in good]
        if all(each[1] > 0 for each in good):
            price = prices[-1]
        elif all(each[1] < 0 for each in good):
            price = prices[0]
        elif reference is None:
            price = prices[len(prices) // 2]
        else:
            price = self.nearest(prices, reference)
        return next((each[2], volume, each[1]) for each in good if each[2] == price)

    @staticmethod
    def nearest(prices: list[int], reference: int) -> int:
        return min(prices, key=lambda price: (abs(price - reference), -price))

    def say_auction(self, what: str, auction: tuple[int, int, int] | None) -> None:
        if auction is None or auction[1] == 0:
            self.says.append(f"{what} nothing")
            return
        price, volume, left = auction
        tail = f" left {'buy' if left > 0 else 'sell'} {abs(left)}" if left else ""
        self.says.append(f"{what} {volume} @ {text_of(price)}{tail}")

    def uncross(self) -> None:
        auction = self.auction()
        price = None
        if auction:
            price, _, left = auction
            auction = price, self.cross(price), left
        self.say_auction("uncrossed", auction)
        if self.phase == "closing_call":
            self.closing = price
        self.end_collected(price)
        self.is_collected, self.told = False, None

    def in_line(self, side: str) -> list[Order]:
        """Who trades in an auction, the first one first."""
        def turn(order: Order) -> tuple:
            if order.place == "free":
                return 0, 0, 0, order.since
            return 1, -order.limit if order.is_buy else order.limit, order.place == "hidden", order.since
        return sorted((order for order in self.orders
                       if order.side == side and order.place in ("free", "lit", "hidden")), key=turn)

    def cross(self, price: int) -> int:
        volume, partly = 0, []
        while True:
            buyer = next((each for each in self.in_line("buy") if each.place == "free" or each.limit >= price), None)
            seller = next((each for each in self.in_line("sell") if each.place == "free" or each.limit <= price), None)
            if buyer is None or seller is None:
                break
            lots = min(buyer.leaves, seller.leaves)
            volume += lots
            for order in (buyer, seller):
                order.executed += lots
                order.shown = max(order.shown - lots, 0) if order.show < order.total else order.leaves
            self.say("traded", buyer, lots, "with", seller.name, "auction", price=price)
            linked = self.part(buyer), self.part(seller)
            for order in (buyer, seller):
                if order.leaves == 0:
                    self.forget(order)
            for other in filter(None, linked):
                self.end(other, "cancelled", "linked_executed")
            partly = [buyer, seller]
        if volume:
            self.follow(price)
        for order in partly:
            if order.place == "lit" and order.shown == 0:
                self.show_peak(order)
                self.say("replenished", order, order.total)
        return volume

    def end_collected(self, price: int | None) -> None:
        for side in ("buy", "sell"):
            line = self.in_line(side)
            line.sort(key=lambda order: ("free", "lit", "hidden").index(order.place))
            for order in line:
                if order.place != "free":
                    if order.tif in AUCTIONS:
                        self.end(order, "expired", "time_in_force")
                elif order.kind == "to_limit" and price is None:
                    self.end(order, "expired", "no_price")
                elif order.kind == "market" or order.tif not in LASTING:
                    self.end(order, "expired", "time_in_force")
                else:
                    off = (price - self.lowest) % self.tick
                    order.kind = "limit"
                    order.limit = price - off if order.is_buy or not off else price - off + self.tick
                    order.place = "out"
                    self.say("replaced", order, order.total, "lost_priority")
                    self.rest(order)

    # ---- Ends ----

    def part(self, order: Order) -> Order | None:
        partner = order.partner
        if partner:
            order.partner = partner.partner = None
        return partner

    def forget(self, order: Order) -> None:
        self.part(order)
        order.place = "gone"
        self.orders.remove(order)

    def end(self, order: Order, what: str, reason: str) -> None:
        tail = [reason] + (["was_resting"] if order.in_book else [])
        self.say(what, order, order.leaves, *tail, leaves=0, shows=0)
        self.forget(order)

    # ---- View ----

    def view(self) -> list[str]:
        lines = []
        for side in ("buy", "sell"):
            for place, word in (("lit", ""), ("hidden", " hidden"), ("dark", " dark"), ("free", " auction")):
                here = [order for order in self.orders if order.place == place and order.side == side]
                sign = -1 if side == "buy" else 1
                by_price = place in ("lit", "hidden")
                here.sort(key=lambda order: (sign * order.limit if by_price else 0, order.since))
                lines += [f"{side} {order.name} {order.leaves} @ {text_of(order.limit)} shows {order.visible}{word}"
                          for order in here]
        return lines


class Script:
    """The words of a scenario."""

    def __init__(self) -> None:
        self.book: Book | None = None
        self.named: dict[str, Order] = {}

    def run(self, line: str) -> list[str] | None:
        plain = [word for word in line.split() if "=" not in word]
        pairs = dict(word.split("=", 1) for word in line.split() if "=" in word)
        verb = plain.pop(0)
        if verb == "book":
            self.book = Book(pairs)
            return None
        if self.book is None:
            self.book = Book({})
        book = self.book
        book.says = []
        if verb == "time":
            book.now = int(plain.pop(0))
        elif verb == "show":
            return book.view()
        elif verb in ("buy", "sell"):
            self.enter(verb, plain, pairs)
        elif verb == "replace":
            order = self.named[plain.pop(0)]
            total = int(plain.pop(0))
            limit = price_of(plain[1]) if plain[:1] == ["@"] else 0
            del plain[:2]
            change = {"total": total, "limit": limit, "show": int(pairs.pop("show", total)),
                      "stop": price_of(pairs.pop("stop", "-1")), "minimum": int(pairs.pop("min", 0)),
                      "until": int(pairs.pop("until", 0)), "passive": int(pairs.pop("passive", 0)) & 255,
                      "group": int(pairs.pop("group", 0)) & 255, "points": int(pairs.pop("bp", 0))}
            side, sender = pairs.pop("side", order.side), int(pairs.pop("owner", order.owner))
            book.replace(order, change, sender, side)
        elif verb == "cancel":
            order = self.named[plain.pop(0)]
            side, sender = pairs.pop("side", order.side), int(pairs.pop("owner", order.owner))
            book.cancel(order, sender, side)
        elif verb == "cancel_all":
            owner, group = int(pairs.pop("owner", 0)), int(pairs.pop("group", 0))
            side, everyone = pairs.pop("side", ""), pairs.pop("everyone", "") == "yes"
            account = pairs.pop("account", "") == "yes"
            book.end_all("cancelled", "by_owner", lambda each:
                         (everyone or each.owner == owner or account and book.is_one_account(each.owner, owner)) and
                         (not side or each.side == side) and (not group or each.group == group))
        elif verb == "phase":
            phase = plain.pop(0)
            reference, uncross = price_of(pairs.pop("reference", "0")), pairs.pop("uncross", "no") == "yes"
            book.change_phase(phase, reference, uncross)
        elif verb == "expire":
            day = pairs.pop("day", "") == "yes"
            book.end_all("expired", "time_expired", lambda each: each.until <= book.now if each.tif in TIMED else
                         day and each.tif != "gtc")
        else:
            raise Trouble(f"unknown command {verb}")
        if plain or pairs:
            raise Trouble(f"{plain} {pairs} mean nothing here")
        return book.says

    def enter(self, side: str, plain: list[str], pairs: dict[str, str]) -> None:
        order = Order(name=plain.pop(0), side=side, kind="", total=int(plain.pop(0)))
        word = plain[0] if plain else ""
        if word in ("market", "to_limit"):
            order.kind = plain.pop(0)
        elif word in ("stop", "trail"):
            order.kind = plain.pop(0)
            order.stop = price_of(plain.pop(0))
        elif word == "peg":
            plain.pop(0)
            order.kind, order.is_peg, order.stop = "market", True, price_of(pairs.pop("offset", "0"))
        elif word == "offset":
            plain.pop(0)
            order.kind, order.is_offset, order.points = "limit", True, int(plain.pop(0))
        if plain[:1] == ["@"]:
            order.limit = price_of(plain[1])
            del plain[:2]
            if order.kind == "stop":
                order.kind = "stop_limit"
            elif not order.kind or order.is_peg:
                order.kind = "limit"
        order.tif = pairs.pop("tif", "day")
        order.until = int(pairs.pop("until", 0))
        order.show = int(pairs.pop("show", order.total))
        order.is_random = pairs.pop("random", "no") == "yes"
        order.minimum = int(pairs.pop("min", 0))
        order.is_whole = pairs.pop("aon", "no") == "yes"
        order.passive = int(pairs.pop("passive", 0))
        order.group = int(pairs.pop("group", 0))
        order.owner = int(pairs.pop("owner", 0))
        linked = self.named[pairs.pop("linked")] if "linked" in pairs else None
        if not self.book.enter_new(order, linked):
            order.place = "never"
        self.named[order.name] = order


def without_remark(line: str) -> str:
    words = []
    for word in line.split():
        if word.startswith("#"):
            break
        words.append(word)
    return " ".join(words)


def run(text: str) -> str:
    """The commands of a script, each followed by its reports."""
    script = Script()
    lines = []
    for line in map(str.strip, text.splitlines()):
        command = without_remark(line)
        if not command or command.startswith(">"):
            continue
        lines.append(line)
        lines += ["> " + words for words in script.run(command) or []]
    return "".join(line + "\n" for line in lines)
