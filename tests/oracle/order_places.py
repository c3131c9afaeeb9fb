"""Where orders of the oracle's book rest and wait, and what wakes them."""

from __future__ import annotations

from order_terms import CALLS, CROSS, MASK, Order


class Places:
    """Of a book (order_book.py), whose state it uses."""

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
        if self.phase in CALLS and (now := self.auction()) != self.published:
            self.published = now
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
