"""What type checkers say of a strategy with types: nothing (mypy --strict, by tools/wheel.py)."""

import dojima


class Joiner(dojima.Strategy):
    period = "100ms"

    def __init__(self, quantity: int = 1) -> None:
        self.quantity = quantity
        self.reports: list[dojima.ReportKind] = []

    def on_wake(self, desk: dojima.Desk) -> None:
        bid = desk.bid()
        if bid is not None and not desk.orders:
            number: int = desk.buy(bid[0], self.quantity, post_only=True)
            assert desk.order(number) is not None

    def on_report(self, desk: dojima.Desk, report: dojima.Report) -> None:
        self.reports.append(report.kind)

    def on_batch(self, desk: dojima.Desk, batch: dojima.Table) -> None:
        print(len(batch), batch["time"], desk.position())


def first(file: str) -> float:
    day = dojima.read(file, start="2024-08-08T12:00:00")
    tops: dojima.Table = day.tops(exact=True)
    result = dojima.Backtest(day, Joiner, {"quantity": 2}, entry="1ms", maker_fee=0.0001).run()
    best = dojima.sweep("touch", {"quantity": [1, 2]}, file, workers=2).best()
    return result.profit + float(best["profit"]) + len(tops)


def in_a_market(file: str) -> int:
    market: dojima.Market = dojima.market(file, seed=7, length="10s", keys={"population.0.count": 40})
    result = dojima.Backtest(market.changed({"market.seed": 8}), Joiner, latency="latency.csv").run()
    day: dojima.Day = market.day()
    rows = dojima.sweep("touch", {"market.seed": range(3)}, market).rows
    return len(day) + len(rows) + (0 if result.market is None else int(result.market["trades"]))
