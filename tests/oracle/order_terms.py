"""Orders as the order book's oracle knows them: their words, prices as text, and in which phases they rest."""

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
# In which phases an order for auctions alone rests in the book, and in which it may enter.
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
