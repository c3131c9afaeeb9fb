"""Recorded markets, order books and back-tests: Dojima from Python.

    import dojima

    day = dojima.read("day.events")
    result = dojima.Backtest(day, "touch", {"quantity": "0.01"}).run()
    print(result)

Times are nanoseconds since 1970, prices and quantities of strategies and books whole numbers in units of the instrument.
Nothing here needs NumPy until a table's column is asked for as an array. docs/python.md has the whole of it.
"""

from ._dojima import (
    Action,
    Backtest,
    Book,
    BookReportKind,
    Day,
    Desk,
    Event,
    EventKind,
    Instrument,
    Market,
    Order,
    Reason,
    Report,
    ReportKind,
    Result,
    Side,
    Table,
    Trade,
    convert,
    events,
    info,
    read,
    strategies,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime

    from ._market import market
    from ._migration import from_hftbacktest
    from ._sweep import Sweep, sweep

__version__ = "0.1.0"

__all__ = [
    "Action", "Backtest", "Book", "BookReportKind", "Day", "Desk", "Event", "EventKind", "Instrument", "Market", "Order",
    "Reason", "Report", "ReportKind", "Result", "Side", "Strategy", "Sweep", "Table", "Trade", "convert", "events",
    "from_hftbacktest", "info", "market", "read", "strategies", "sweep",
]


class Strategy:
    """What trades in a back-test: a class with the callbacks that it wants, which need not derive from this one.

    class Joiner(dojima.Strategy):
        period = "100ms"

        def on_wake(self, desk):
            bid = desk.bid()
            if bid and not desk.orders:
                desk.buy(bid[0], 1, post_only=True)
    """

    #: on_wake() each, from the first event on: "100ms", nanoseconds, or a timedelta.
    period: "str | int | datetime.timedelta | None" = None
    #: on_wake() at the end of an instant with reports on own orders.
    wake_on_reports: bool = False
    #: on_book() for a change of the "touch", or for "all" instants with an event.
    books: str = "touch"
    #: Events in a batch of on_batch(): a time's last batch may be longer, the run's last one shorter.
    batch: int = 512

    if TYPE_CHECKING:

        def on_begin(self, desk: Desk) -> None: ...
        def on_event(self, desk: Desk, event: Event) -> None: ...
        def on_trade(self, desk: Desk, trade: Trade) -> None: ...
        def on_book(self, desk: Desk, instrument: int) -> None: ...
        def on_report(self, desk: Desk, report: Report) -> None: ...
        def on_timer(self, desk: Desk, timer: int, due: int) -> None: ...
        def on_wake(self, desk: Desk) -> None: ...
        def on_batch(self, desk: Desk, batch: Table) -> None: ...
        def on_end(self, desk: Desk) -> None: ...


def __getattr__(name: str) -> object:
    # These bring in modules of the standard library that a single back-test has no use for.
    if name in ("sweep", "Sweep"):
        from . import _sweep

        return getattr(_sweep, name)
    if name == "market":
        from . import _market

        return _market.market
    if name == "from_hftbacktest":
        from . import _migration

        return _migration.from_hftbacktest
    raise AttributeError(f"module 'dojima' has no attribute '{name}'")
