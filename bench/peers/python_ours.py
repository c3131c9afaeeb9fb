"""Our side of python_peers.py, in an environment that has the package: python python_ours.py WHAT ...

    maker FILE PERIOD_NS QUANTITY LATENCY_NS MOST      the market maker `touch`, as a class of Python
    callbacks FILE                                     a callback an event, which looks at the time and both best prices
    batches FILE ROWS                                  so many events at once, which are looked at as arrays
    book SEED STEPS ROWS                               instructions for a book, as arrays of so many rows
    sweep FILE ENGINE WORKERS POINTS                   `touch` at so many points
    cold FILE                                          one run of the maker each 100 ms, and its fills

All but the last run once for each line of standard input, after one run that is not counted, and print a JSON object a line:
seconds of processor time of the run (sweep: wall-clock time), and how much was done.
"""

import json
import sys
import time


def touch(dojima, period, quantity, most):
    buy, sell = dojima.Side.BUY, dojima.Side.SELL

    class Touch:
        def __init__(self):
            self.period = period

        def on_wake(self, desk):
            bid, ask = desk.bid(), desk.ask()
            if bid is None or ask is None or bid[0] >= ask[0]:
                return
            position = desk.position()
            held = abs(position) // quantity
            if position < 0:
                held = -held
            keep(desk, buy, bid[0], held < most)
            keep(desk, sell, ask[0], held > -most)

    def keep(desk, side, price, is_wanted):
        is_there = False
        for order in desk.orders:
            if order.side != side:
                continue
            if is_wanted and order.price == price:
                is_there = True
            elif order.is_accepted and not order.is_changing:
                desk.cancel(order.number)
        if is_wanted and not is_there:
            desk.submit(side, price, quantity, post_only=True)

    return Touch


def maker(dojima, file, period, quantity, latency, most):
    day = dojima.read(file)
    backtest = dojima.Backtest(day, touch(dojima, int(period), int(quantity), int(most)), queue="power3:3", fills="whole",
                               entry=int(latency), response=int(latency), mark_every="86400s")

    def once():
        return {"rows": len(day), "fills": len(backtest.run().fills())}

    return once


def callbacks(dojima, file):
    day = dojima.read(file)

    class Looks:
        def __init__(self):
            self.sum = 0

        def on_event(self, desk, event):
            bid, ask = desk.bid(), desk.ask()
            if bid and ask:
                self.sum += desk.now + bid[0] + ask[0]

    backtest = dojima.Backtest(day, Looks, mark_every="86400s")

    def once():
        backtest.run()
        return {"rows": len(day)}

    return once


def batches(dojima, file, rows):
    day = dojima.read(file)

    class Batches:
        batch = int(rows)

        def __init__(self):
            self.sum = 0

        def on_batch(self, desk, table):
            self.sum += int(table["bid_price"].sum() & 0xffff)

    backtest = dojima.Backtest(day, Batches, mark_every="86400s")

    def once():
        backtest.run()
        return {"rows": len(day)}

    return once


def instructions(seed, steps, rows):
    """New orders around a price, and cancels of half of those of the step before: sides, prices, quantities of each step."""
    import numpy as np

    draw = np.random.default_rng(int(seed))
    return [(draw.integers(1, 3, rows), draw.integers(480, 521, rows), draw.integers(1, 20, rows)) for _ in range(int(steps))]


def book(dojima, seed, steps, rows):
    rows = int(rows)
    all_steps = instructions(seed, steps, rows)

    def once():
        one = dojima.Book(lowest=1, highest=1000, orders=1 << 21)
        ids, count = None, 0
        for sides, prices, quantities in all_steps:
            if ids is not None:
                one.apply(1, order=ids[::2][ids[::2] != 0])
                count += len(ids[::2])
            ids = one.apply(0, sides, prices, quantities)
            count += rows
        return {"rows": count, "live": len(one)}

    return once


def sweep(dojima, file, engine, workers, points):
    if engine == "ray":
        import ray

        ray.init(num_cpus=int(workers), include_dashboard=False, log_to_driver=False, configure_logging=False)
    grid = {"period": ["10ms"], "max_position": range(1, int(points) + 1)}

    def once():
        done = dojima.sweep("touch", grid, file, engine=engine, workers=int(workers))
        return {"rows": len(done), "fills": sum(row["fills"] for row in done.rows)}

    return once


def main():
    import dojima

    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "cold":
        result = dojima.Backtest(arguments[0], touch(dojima, 100_000_000, int(arguments[1]), 10), queue="power3:3", fills="whole").run()
        print(len(result.fills()))
        return
    once = {"maker": maker, "callbacks": callbacks, "batches": batches, "book": book, "sweep": sweep}[what](dojima, *arguments)
    clock = time.perf_counter if what == "sweep" else time.process_time
    once()
    print(json.dumps({"ready": True}), flush=True)
    for _ in sys.stdin:
        begin = clock()
        figures = once()
        print(json.dumps({"seconds": clock() - begin, **figures}), flush=True)


if __name__ == "__main__":
    main()
