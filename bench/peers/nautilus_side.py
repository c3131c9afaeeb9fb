"""NautilusTrader's side of python_peers.py: a callback an event that looks at the time and both best prices of its book.

    python nautilus_side.py ROWS.csv

ROWS.csv is a day of levels in whole ticks and lots, as backtest_peers.py makes it. Runs once for each line of standard input,
after one run that is not counted, and prints a JSON object a line: seconds of processor time of the run, and the callbacks.
"""

import csv
import json
import sys
import time

from nautilus_trader.backtest.config import BacktestEngineConfig
from nautilus_trader.backtest.engine import BacktestEngine
from nautilus_trader.config import LoggingConfig
from nautilus_trader.model.currencies import USDT
from nautilus_trader.model.data import BookOrder, OrderBookDelta
from nautilus_trader.model.enums import AccountType, BookAction, BookType, OmsType, OrderSide
from nautilus_trader.model.objects import Money
from nautilus_trader.test_kit.providers import TestInstrumentProvider
from nautilus_trader.trading.strategy import Strategy

INSTRUMENT = TestInstrumentProvider.btcusdt_perp_binance()
LAST = 128  # the record flag of the last delta of an event


class Looks(Strategy):
    def __init__(self):
        super().__init__()
        self.calls = self.sum = 0

    def on_start(self):
        self.subscribe_order_book_deltas(INSTRUMENT.id, BookType.L2_MBP)

    def on_order_book_deltas(self, deltas):
        book = self.cache.order_book(INSTRUMENT.id)
        bid, ask = book.best_bid_price(), book.best_ask_price()
        self.calls += 1
        if bid is not None and ask is not None:
            self.sum += deltas.ts_init + bid.raw + ask.raw


def rows_of(file):
    rows = []
    with open(file, newline="") as stream:
        for row in csv.DictReader(stream):
            if row["kind"] != "level":
                continue
            price = INSTRUMENT.make_price(int(row["price"]) / 10)
            quantity = int(row["quantity"]) / 1000
            side = OrderSide.BUY if row["side"] == "buy" else OrderSide.SELL
            action = BookAction.UPDATE if quantity > 0 else BookAction.DELETE
            order = BookOrder(side, price, INSTRUMENT.make_qty(quantity), int(row["price"]))
            rows.append(OrderBookDelta(INSTRUMENT.id, action, order, LAST, 0, int(row["event_time"]), int(row["receive_time"])))
    return rows


def main():
    rows = rows_of(sys.argv[1])

    def once():
        engine = BacktestEngine(BacktestEngineConfig(logging=LoggingConfig(bypass_logging=True), run_analysis=False))
        engine.add_venue(INSTRUMENT.id.venue, OmsType.NETTING, AccountType.MARGIN, [Money(1_000_000, USDT)], book_type=BookType.L2_MBP)
        engine.add_instrument(INSTRUMENT)
        engine.add_data(rows)
        strategy = Looks()
        engine.add_strategy(strategy)
        begin = time.process_time()
        engine.run()
        seconds = time.process_time() - begin
        calls = strategy.calls
        engine.dispose()
        return seconds, calls

    once()
    print(json.dumps({"ready": True}), flush=True)
    for _ in sys.stdin:
        seconds, calls = once()
        print(json.dumps({"seconds": seconds, "rows": len(rows), "fills": calls}), flush=True)


if __name__ == "__main__":
    main()
