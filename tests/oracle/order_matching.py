"""How orders trade in the oracle's book while trading is continuous."""

from __future__ import annotations

from order_terms import LASTING, Order


class Matching:
    """Of a book (order_book.py), whose state it uses."""

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
