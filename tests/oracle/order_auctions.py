"""Phases and auctions of the oracle's book."""

from __future__ import annotations

from order_terms import AUCTIONS, CALLS, CROSS, LASTING, Order, SHUT, text_of


class Auctions:
    """Of a book (order_book.py), whose state it uses."""

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
            self.published = None
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
        self.is_collected, self.published = False, None

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
