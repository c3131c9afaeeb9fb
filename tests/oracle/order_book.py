"""The order book's rules once more, in another language: an independent oracle for `dojima book run`.

Written from docs/book.md and docs/auctions.md, with nothing but the standard library. Exact, plain and slow: the orders that can trade next
are sorted out anew at every step, prices are fractions of nothing (integers of 1e-8), and nothing is kept that could
be worked out. `run(text)` answers with what `dojima book run --print` prints for the same script, byte for byte.
"""

from __future__ import annotations

from order_auctions import Auctions
from order_matching import Matching
from order_places import Places
from order_refusals import Refusals
from order_terms import AUCTIONS, CALLS, PHASES, TIMED, Order, Trouble, price_of, text_of  # noqa: F401


class Book(Refusals, Matching, Places, Auctions):
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
        self.published: tuple | None = None
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
