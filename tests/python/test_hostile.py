"""No call ends the interpreter: every function and method with values that nobody would take, and situations that nobody wants.

Each runs in a process of its own, so that one that ends it is seen. HOSTILE_CALLS and HOSTILE_SEEDS make it longer.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CALLS = int(os.environ.get("HOSTILE_CALLS", "500"))
SEEDS = int(os.environ.get("HOSTILE_SEEDS", "4"))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_call_ends_the_interpreter(seed, tmp_path):
    log = tmp_path / "log"
    done = subprocess.run([sys.executable, HERE / "hostile_calls.py", str(seed), str(CALLS), log], capture_output=True, text=True)
    calls = log.read_text().splitlines()
    assert done.returncode == 0, f"{done.returncode} after {calls[-1] if calls else 'nothing'}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}"
    assert len(calls) == CALLS


def run(text, code=0, timeout=60):
    """Runs it with a small day `day` of 400 orders; gives what it printed."""
    head = f"""
import sys, time, threading
sys.path.insert(0, {str(HERE)!r})
import dojima
from conftest import RICE, generated
day = dojima.events(generated(5, 400), RICE)
"""
    done = subprocess.run([sys.executable, "-c", head + textwrap.dedent(text)], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == code, f"{done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


def test_an_exception_without_words_comes_through(day):
    class Unspeakable(Exception):
        def __str__(self):
            raise ValueError("no words")

    class Raises:
        period = "1s"

        def on_wake(self, desk):
            raise Unspeakable

    backtest = dojima_backtest(day, Raises)
    with pytest.raises(Unspeakable) as caught:
        backtest.run()
    assert any("event" in note for note in caught.value.__notes__)
    assert "Unspeakable" in backtest.result.trouble


def test_a_single_time_of_numpy_is_no_array():
    pytest.importorskip("numpy")
    output = run("""
        import numpy as np
        for value in (np.datetime64(5, "s"), np.timedelta64(5, "s"), np.datetime64("NaT")):
            for call in (lambda: day.trades(value), lambda: dojima.Book(orders=4).apply(value, 1, 1, 1), lambda: dojima.Book(orders=4).apply(0, 1, value, 1),
                         lambda: dojima.events({"kind": value, "price": [1]}, RICE)):
                try:
                    call()
                except ValueError as trouble:
                    print(trouble)
    """)
    assert output.count("\n") == 12, output
    assert "instrument takes a whole number, or an array of them; got np.datetime64(" in output


def dojima_backtest(*arguments, **keywords):
    import dojima

    return dojima.Backtest(*arguments, **keywords)


def test_the_interpreter_ends_while_back_tests_run_in_its_threads():
    output = run("""
        class Slow:
            period = 1000
            def on_wake(self, desk):
                pass

        class Events:
            def on_event(self, desk, event):
                pass

        def again(strategy):
            while True:
                dojima.Backtest(day, strategy).run()

        for strategy in (Slow, Slow, Events, "touch", "grid"):
            threading.Thread(target=again, args=(strategy,), daemon=True).start()
        time.sleep(0.3)
        print("over")
    """)
    assert output == "over\n"


def test_the_interpreter_ends_while_an_episode_waits():
    pytest.importorskip("gymnasium")
    pytest.importorskip("numpy")
    output = run("""
        from dojima.gym import MarketMaking, MarketMakingVector
        env = MarketMaking(day, period="100ms")
        env.reset(seed=1)
        env.step((1, 1))
        envs = MarketMakingVector(day, num_envs=3, period="100ms")
        envs.reset(seed=1)
        print("over")
    """)
    assert output == "over\n"


def test_an_array_that_another_thread_changes_while_it_is_used():
    pytest.importorskip("numpy")
    run("""
        import numpy as np
        rows = 300_000
        prices, sides = np.full(rows, 50), np.ones(rows, dtype=np.int64)
        quantities, owners = np.ones(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        is_over = False

        def change():
            while not is_over:
                for array, wild in ((owners, 60_000), (sides, 77), (quantities, -5), (prices, 2**62)):
                    good = array[-1]
                    array[-1000:] = wild
                    array[-1000:] = good

        thread = threading.Thread(target=change)
        thread.start()
        for _ in range(60):
            try:
                dojima.Book(highest=100, orders=400_000).apply(0, sides, prices, quantities, owner=owners)
            except ValueError:
                pass
        is_over = True
        thread.join()
    """)


def test_a_day_that_lasts_for_ever_has_no_room_for_its_marks():
    run("""
        times = [1, 2**61, 2**62]
        long = dojima.events({"kind": [1, 1, 6], "event_time": times, "side": [1, 2, 1], "order": [1, 2, 1], "price": [5, 9, 5],
                              "quantity": [3, 3, 3]}, RICE)
        for exchange in ("levels", "orders", "match"):
            for mark_every in ("1s", 1):
                try:
                    dojima.Backtest(long, "touch", exchange=exchange, mark_every=mark_every).run()
                except ValueError as wrong:
                    assert "mark_every" in str(wrong), wrong
                else:
                    raise AssertionError(f"{mark_every} was taken")
        assert dojima.Backtest(long, "touch", {"period": "1000000s"}, exchange="orders", mark_every="1000000s").run().summary["events"] == 3
    """)


@pytest.mark.parametrize("last", ["2**63 - 1", "2**63 - 10**9", "2**62"])
def test_times_at_the_end_of_time(last):
    run(f"""
        last = {last}
        columns = {{"kind": [1, 1, 6, 1], "event_time": [last - 40, last - 30, last - 20, last], "receive_time": [last - 39, last - 29, last, last],
                    "side": [1, 2, 1, 1], "order": [1, 2, 1, 3], "price": [5, 9, 5, 4], "quantity": [3, 3, 3, 1]}}

        class Everything:
            period, wake_on_reports, books = 10**12, True, "all"
            def on_begin(self, desk):
                self.look(desk)
            def look(self, desk):
                self.looks = getattr(self, "looks", 0) + 1
                # Who answers each report of no latency with a request is asked again: not for ever.
                if self.looks > 40:
                    return
                for at in (0, last, 2**63 - 1, -2**63):
                    try:
                        desk.arm(0, at)
                        desk.arm(7, at)
                    except ValueError:
                        pass
                if len(desk.orders) < 4:
                    desk.buy(5, 1)
                    desk.sell(9, 1)
                for order in desk.orders:
                    desk.cancel(order.number)
            on_wake = look
            def on_book(self, desk, instrument):
                self.look(desk)
            def on_timer(self, desk, timer, due):
                self.look(desk)
            def on_report(self, desk, report):
                pass

        try:
            late = dojima.events(columns, RICE)
            late.tops(), late.depth(3), late.trades(), late.labels("1s"), late.labels(2**63 - 1), late.info()
        except ValueError:
            raise SystemExit(0)
        for exchange in ("levels", "orders", "match"):
            for more in ({{}}, {{"entry": "3600s", "response": "3600s", "feed": "3600s"}}, {{"mark_every": 2**63 - 1}},
                         {{"silence": 2**63 - 1}}, {{"computing": "3600s"}}, {{"entry": "load:3600s+3600s"}}, {{"start": 2**63 - 1}}, {{"until": 2**63 - 1}}):
                for strategy in (Everything, "touch", "grid", "twap", "glft", "imbalance"):
                    try:
                        dojima.Backtest(late, strategy, exchange=exchange, **more).run()
                    except ValueError:
                        pass
    """, timeout=240)


@pytest.mark.parametrize("period", ["1", "2**62", "2**63 - 1"])
def test_periods_beyond_time(period):
    run(f"""
        class Wakes:
            period = {period}
            count = 0
            def on_wake(self, desk):
                Wakes.count += 1
                if Wakes.count == 1000:
                    raise StopIteration
        try:
            dojima.Backtest(day, Wakes, mark_every=2**62, silence=2**62).run()
        except (StopIteration, ValueError):
            pass
    """)


def test_more_money_than_an_account_holds_is_reported():
    run("""
        decimals = dojima.Instrument("DEEP", price_decimals=18, quantity_decimals=18, tick=1)
        price, quantity = 2**59, 2**49
        rows = [(1, 1, 1, 0, price - 10, quantity), (2, 1, 2, 0, price, quantity)]
        rows += [(number, 1, 2, 0, price, quantity) for number in range(3, 40)]
        columns = {"kind": [row[1] for row in rows], "event_time": [10**9 * row[0] for row in rows], "side": [row[2] for row in rows],
                   "order": [row[0] for row in rows], "price": [row[4] for row in rows], "quantity": [row[5] for row in rows]}
        columns["kind"] += [6]; columns["event_time"] += [10**9 * 50]; columns["side"] += [2]; columns["order"] += [2]
        columns["price"] += [price]; columns["quantity"] += [1]

        class Buys:
            period = "1s"
            def on_wake(self, desk):
                if desk.ask():
                    desk.buy(desk.ask()[0], 2**49)

        deep = dojima.events(columns, decimals)
        for exchange in ("levels", "orders", "match"):
            for fee in (0, 10**6):
                backtest = dojima.Backtest(deep, Buys, exchange=exchange, trade_fee=fee)
                try:
                    backtest.run()
                except ValueError as wrong:
                    print(wrong)
                if backtest.result is not None and backtest.result.trouble:
                    print("trouble", backtest.result.trouble)
                if backtest.result is not None:
                    assert '"FAILED"' not in str(backtest.result)
    """)


def test_a_desk_that_is_kept_is_no_good():
    run("""
        kept = []

        class Keeps:
            period = "1s"
            def on_wake(self, desk):
                kept.append(desk)

        dojima.Backtest(day, Keeps).run()
        for call in (lambda: kept[0].now, lambda: kept[0].buy(1, 1), lambda: kept[0].orders, lambda: kept[0].bid(), lambda: kept[0].levels("buy")):
            try:
                call()
            except RuntimeError:
                continue
            raise AssertionError("a desk of a run that is over")
    """)


def test_a_strategy_that_runs_itself_and_others():
    run("""
        class Inner:
            period = "1s"
            def on_wake(self, desk):
                desk.buy(1, 1)

        class Outer:
            period = "1s"
            backtest = None
            def on_wake(self, desk):
                try:
                    Outer.backtest.run()
                    raise AssertionError
                except RuntimeError:
                    pass
                dojima.Backtest(day, Inner).run()
                dojima.sweep("touch", {"quantity": [1, 2]}, day)
                desk.buy(1, 1)

        Outer.backtest = dojima.Backtest(day, Outer)
        assert Outer.backtest.run().summary["requests"] > 0
    """)


def test_memory_that_is_not_there_is_refused_before_it_is_taken():
    output = run("""
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (4_000_000 * 1024, 4_000_000 * 1024))

        def taken():
            fields = dict(line.split(":", 1) for line in open("/proc/self/status"))
            return int(fields["VmPeak"].split()[0])

        crowded = dojima.market({"market": {"orders": 2**24, "length_ms": 100}, "population": [{"kind": "noise"}]})
        calls = (lambda: day.depth(levels=1, every=40), lambda: day.depth(levels=1000, every=20_000),
                 lambda: dojima.Book(orders=2**26), lambda: dojima.Book(orders=2**25, owners=65_535),
                 lambda: dojima.Backtest(day, "touch", exchange="match", orders=2**26).run(),
                 lambda: dojima.Backtest(crowded, "touch").run())
        before = taken()
        for at, call in enumerate(calls):
            try:
                call()
            except ValueError as wrong:
                assert "memory" in str(wrong) or "too much" in str(wrong), wrong
                print(at, "memory" in str(wrong))
            else:
                raise AssertionError(f"call {at} was taken")
        assert taken() - before < 100_000, taken() - before
        assert len(day.depth(levels=3, every="1ms")) > 10
    """)
    assert output.count("True") >= 5, output
