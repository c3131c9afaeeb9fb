"""Why the oracle's book refuses a command."""

from __future__ import annotations

import dataclasses

from order_terms import AUCTIONS, ENTRIES, LASTING, Order, PHASES, SHUT, TIMED


class Refusals:
    """Of a book (order_book.py), whose state it uses."""

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
