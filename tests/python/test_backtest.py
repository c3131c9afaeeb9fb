"""Back-tests through Python: strategies in Python do what those in C++ do, and nothing that they do ends the interpreter."""

import datetime
import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import RICE, generated
from hypothesis import given, settings
from hypothesis import strategies as st

import dojima

EXCHANGES = ("levels", "orders", "match")


class Touch(dojima.Strategy):
    """The built-in strategy `touch`, again."""

    def __init__(self, quantity=1, period="100ms", max_position=10):
        self.quantity, self.period, self.most = quantity, period, max_position * quantity

    def on_wake(self, desk):
        bid, ask = desk.bid(), desk.ask()
        if not bid or not ask or bid[0] >= ask[0]:
            return
        position = desk.position()
        self.keep(desk, dojima.Side.BUY, bid[0] if position < self.most else None)
        self.keep(desk, dojima.Side.SELL, ask[0] if position > -self.most else None)

    def keep(self, desk, side, price):
        own = [order for order in desk.orders if order.side == side]
        is_there = any(order.price == price for order in own)
        for order in own:
            if order.price != price and order.is_accepted and not order.is_changing:
                desk.cancel(order.number)
        if price is not None and not is_there:
            desk.submit(side, price, self.quantity, post_only=True)


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_a_strategy_in_python_trades_as_the_same_in_cpp(day, exchange):
    ours = dojima.Backtest(day, Touch, {"quantity": 2}, exchange=exchange).run()
    theirs = dojima.Backtest(day, "touch", {"quantity": 2}, exchange=exchange).run()
    assert ours.fills_csv().count("\n") > 20
    assert ours.fills_csv() == theirs.fills_csv()
    assert ours.accounts(exact=True) == theirs.accounts(exact=True)
    assert ours.summary | {"strategy": ""} == theirs.summary | {"strategy": ""}


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_the_program_gives_the_same_bytes(program, day, day_file, tmp_path, exchange):
    csv = tmp_path / "fills.csv"
    subprocess.run([program, "backtest", day_file, "--exchange", exchange, "--strategy", "grid", "--set", "levels=2",
                    "--maker-fee=-1bp", "--taker-fee", "0.05%", "--csv", csv, "--no-progress"],
                   check=True, stdout=subprocess.DEVNULL)
    keywords = {"exchange": exchange, "maker_fee": "-1bp", "taker_fee": 0.0005}
    for data in (day, day_file):
        result = dojima.Backtest(data, "grid", {"levels": 2}, **keywords).run()
        assert result.fills_csv().encode() == csv.read_bytes()
    assert len(result.fills()) > 20


def test_figures_agree_with_each_other(day):
    np = pytest.importorskip("numpy")
    result = dojima.Backtest(day, "touch", exchange="orders", maker_fee="1bp").run()
    fills, account = result.fills(exact=True), result.accounts()[0]
    signs = np.where(fills["side"] == dojima.Side.BUY, 1, -1)
    assert (np.cumsum(signs * fills["quantity"]) == fills["position"]).all()
    worth = fills["price"] * fills["quantity"] / 100
    assert account["cash"] == pytest.approx(-(signs * worth).sum() - worth.sum() * 1e-4)
    assert account["position"] == fills["position"][-1]
    assert (fills["received"] - fills["time"] == np.timedelta64(1, "ms")).all()
    assert result.profit == pytest.approx(result.equity()["equity"][-1] - result.equity()["equity"][0])
    assert result.summary["fills"] == len(fills) == account["fills"]
    assert str(result).count("accounts") >= 1 and "touch" in repr(result)


def test_markouts_say_how_long_after_the_fill_they_are(day):
    markouts = dojima.Backtest(day, "touch", exchange="orders").run().markouts()
    assert [markout["after_ns"] for markout in markouts] == [10**6, 10**7, 10**8, 10**9, 10**10]
    assert all(markout["symbol"] == "RICE" and markout["fills"] > 0 for markout in markouts[:4])


def test_a_report_is_written(day, tmp_path):
    result = dojima.Backtest(day, "touch").run()
    result.report(tmp_path / "run.html")
    assert "<html" in (tmp_path / "run.html").read_text()[:400].lower()
    assert '"dojima backtest"' in result.artefact()
    with pytest.raises(OSError):
        result.report(tmp_path / "no" / "run.html")


def test_a_timer_for_a_time_that_has_come_fires_at_the_next_instant(day):
    class Impatient:
        def __init__(self):
            self.fired = []

        def on_begin(self, desk):
            desk.arm(0, desk.now)

        def on_timer(self, desk, timer, due):
            assert due == desk.now
            self.fired.append(due)
            desk.arm(0, 0 if len(self.fired) % 2 else desk.now)

    impatient = Impatient()
    summary = dojima.Backtest(day, impatient, exchange="orders").run().summary
    assert impatient.fired == sorted(set(impatient.fired)), "never twice within an instant"
    # An instant for each event where it happened, and one where it was heard of, unless several share it.
    assert 1 < len(impatient.fired) <= 2 * summary["events"]


def test_events_that_a_strategy_keeps_stay_what_they_were(day, columns):
    class Keeper:
        def __init__(self):
            self.all, self.some, self.prices, self.last = [], [], [], None

        def on_event(self, desk, event):
            self.prices.append(event.price)
            assert self.last is None or self.last.receive_time == self.was
            if len(self.prices) % 3 == 0:
                self.some.append(event)
            if len(self.prices) % 7 < 3:  # kept until another one is
                self.last, self.was = event, event.receive_time

    keeper = Keeper()
    dojima.Backtest(day, keeper, exchange="orders").run()
    prices = [None if price == -(2**63) else price for price in columns["price"]]
    assert keeper.prices == prices
    assert [event.price for event in keeper.some] == keeper.prices[2::3]
    assert len({id(event) for event in keeper.some}) == len(keeper.some)

    class All:
        def __init__(self):
            self.events = []

        def on_event(self, desk, event):
            self.events.append(event)

    every = All()
    dojima.Backtest(day, every, exchange="orders").run()
    assert [event.price for event in every.events] == prices
    assert [event.receive_time for event in every.events] == list(columns["receive_time"])


def test_callbacks_come_in_order_and_all_of_them(day, columns):
    calls = []

    class Watcher:
        period, wake_on_reports = "1s", True

        def on_begin(self, desk):
            calls.append("begin")
            desk.arm(3, columns["receive_time"][10])

        def on_event(self, desk, event):
            calls.append("event")
            assert event.receive_time == desk.now

        def on_trade(self, desk, trade):
            calls.append("trade")
            assert trade.quantity > 0 and trade.side in (1, 2)
            assert desk.last_trade() == (trade.price, trade.quantity)

        def on_book(self, desk, instrument):
            calls.append("book")
            assert desk.levels("buy", 1)[:1] == ([desk.bid()] if desk.bid() else [])
            if calls.count("book") == 200:
                self.order = desk.buy(desk.bid()[0], 1)
                assert [order.number for order in desk.orders] == [self.order]

        def on_report(self, desk, report):
            calls.append("report")
            assert report.order == self.order and report.received == desk.now and report.received - report.time == 1_000_000

        def on_timer(self, desk, timer, due):
            calls.append("timer")
            assert (timer, due) == (3, columns["receive_time"][10]) and desk.now == due

        def on_wake(self, desk):
            calls.append("wake")

        def on_end(self, desk):
            calls.append("end")
            assert desk.buy(1, 1) == 0

    dojima.Backtest(day, Watcher, exchange="orders").run()
    assert calls[0] == "begin" and calls[-1] == "end" and calls.count("timer") == 1
    assert calls.count("event") == len(columns["kind"])
    assert calls.count("trade") == sum(kind == dojima.EventKind.EXECUTE for kind in columns["kind"])
    assert calls.count("report") >= 1 and calls.count("wake") > 20


def test_batches_have_every_event_once(day, columns):
    pytest.importorskip("numpy")
    times, sizes = [], []

    class Batches:
        batch = 100

        def on_batch(self, desk, batch):
            sizes.append(len(batch))
            times.extend(batch["time"].astype("int64").tolist())
            bid = desk.bid()
            assert (batch["bid_price"][-1], batch["bid_quantity"][-1]) == bid

    dojima.Backtest(day, Batches).run()
    assert times == columns["receive_time"] and all(size >= 100 for size in sizes[:-1])


def test_what_a_strategy_raises_comes_through_and_results_stay(day):
    class Breaks(dojima.Strategy):
        period = "1s"

        def on_wake(self, desk):
            if len(desk.orders) == 2:
                raise LookupError("no third")
            desk.buy(1, 1)

    backtest = dojima.Backtest(day, Breaks)
    with pytest.raises(LookupError, match="no third") as caught:
        backtest.run()
    assert any("event" in note and "Breaks" in note for note in caught.value.__notes__)
    assert backtest.result.summary["requests"] >= 1
    assert "strategy Breaks: LookupError: no third" in backtest.result.trouble


@pytest.mark.parametrize("arguments", [{"strategy": "nobody"}, {"parameters": {"quantity": 0}}, {"parameters": {"color": 1}},
                                       {"parameters": {"quantity": [1]}}, {"parameters": 5}, {"exchange": "venue"}, {"exchange": "market"}, {"exchange": 5},
                                       {"queue": "power9"}, {"fills": "some"}, {"lot": "0"}, {"lot": "0.001"}, {"entry": "1 day"},
                                       {"entry": -1}, {"entry": None}, {"entry": "triples:nowhere"}, {"entry": "90000s"},
                                       {"response": None}, {"feed": "soon"}, {"feed": None}, {"entry_cancel": "x"},
                                       {"maker_fee": "2"}, {"maker_fee": "1e-3"}, {"taker_fee": float("nan")}, {"trade_fee": "x"},
                                       {"mark_every": 0}, {"mark_every": "x"}, {"silence": -1}, {"latency": "nowhere"}, {"latency": 5}, {"entry": "lab:nowhere#submit"}, {"orders": 0}, {"orders": 2**40},
                                       {"speed": 0.0}, {"speed": float("nan")}, {"start": "x"}, {"until": object()},
                                       {"symbols": 5}, {"symbols": [5]}, {"symbols": ["BEANS"]}, {"format": "csv"},
                                       {"symbol": "X"}, {"strategy": object()}, {"strategy": object}, {"strategy": 5}])
def test_every_wrong_argument_is_a_value_error(day, arguments):
    with pytest.raises(ValueError):
        dojima.Backtest(day, arguments.pop("strategy", "touch"), arguments.pop("parameters", None), **arguments).run()


def test_latencies_of_a_lab_are_taken_from_its_file(day, program, day_file, tmp_path):
    lab, csv = tmp_path / "lab.csv", tmp_path / "fills.csv"
    lab.write_text("kind,sent,exchange,received\n" + "".join(
        f"{kind},{at * 10**7 + place},{at * 10**7 + 300_000 + 7 * at * at},{at * 10**7 + 900_000 + 11 * at * at + place}\n"
        for at in range(100) for place, kind in enumerate(("submit", "cancel", "trade"))))
    subprocess.run([program, "backtest", day_file, "--exchange", "orders", "--latency", lab, "--csv", csv, "--no-progress"],
                   check=True, stdout=subprocess.DEVNULL)
    result = dojima.Backtest(day, "touch", exchange="orders", latency=lab).run()
    assert result.fills_csv().encode() == csv.read_bytes()
    assert result.fills_csv() != dojima.Backtest(day, "touch", exchange="orders").run().fills_csv()
    assert "lab:lab.csv#submit" in result.artefact()


def test_times_come_in_three_forms(day):
    csv = {dojima.Backtest(day, "touch", entry=entry, response=2_000_000).run().fills_csv()
           for entry in ("2ms", 2_000_000, datetime.timedelta(milliseconds=2))}
    assert len(csv) == 1


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"on_trades": lambda self, desk, trade: 0}, "on_trades"),
        ({"on_wake": lambda self, desk: 0}, "period"),
        ({"period": "1s", "on_end": lambda self, desk: 0}, "on_wake"),
        ({"period": 0, "on_wake": lambda self, desk: 0}, "above 0"),
        ({"on_book": lambda self, desk, instrument: 0, "books": "some"}, "books"),
        ({"on_batch": lambda self, desk, batch: 0, "batch": 0}, "batch"),
        ({"on_batch": lambda self, desk, batch: 0, "on_event": lambda self, desk, event: 0}, "not both"),
        ({"on_event": 5}, "no method"),
        ({"wake_on_reports": 1, "on_wake": lambda self, desk: 0}, "wake_on_reports"),
    ],
)
def test_a_strategy_that_would_not_be_called_is_refused(day, attributes, words):
    with pytest.raises(ValueError, match=words):
        dojima.Backtest(day, type("Odd", (), attributes)).run()


def test_a_desk_is_good_only_while_the_strategy_is_called(day):
    kept = []

    class Keeper:
        def on_begin(self, desk):
            kept.append(desk)

    dojima.Backtest(day, Keeper).run()
    with pytest.raises(RuntimeError, match="only while"):
        kept[0].bid()


def test_a_backtest_runs_once_at_a_time(day):
    class Nested:
        def on_begin(self, desk):
            with pytest.raises(RuntimeError, match="is running"):
                backtest.run()

    backtest = dojima.Backtest(day, Nested)
    backtest.run()
    assert backtest.run().fills_csv() == backtest.result.fills_csv()


wild = st.one_of(st.integers(-2, 12), st.integers(9_900, 10_100), st.integers(-(2**63), 2**63 - 1))
action = st.tuples(st.sampled_from(["submit", "buy", "sell", "cancel", "replace", "levels", "bid", "arm", "disarm", "tick",
                                    "position", "order", "cancel_all", "last_trade"]),
                   wild, wild, wild, st.sampled_from(["limit", "market", "stop", "stop_limit", "peg"]),
                   st.sampled_from(["gtc", "ioc", "fok", "day"]), st.booleans(), wild, wild)


@settings(max_examples=60, deadline=None)
@given(st.lists(action, min_size=1, max_size=30), st.sampled_from(EXCHANGES), st.sampled_from(["partial", "whole"]))
def test_nothing_that_a_strategy_asks_ends_the_interpreter(actions, exchange, fills):
    day = wild_day()

    class Monkey:
        period = "200ms"
        todo = list(actions)

        def on_wake(self, desk):
            if not self.todo:
                return
            what, a, b, c, kind, time_in_force, post_only, displayed, stop = self.todo.pop()
            try:
                if what == "submit":
                    desk.submit(a % 4, b, c, type=kind, time_in_force=time_in_force, post_only=post_only, displayed=displayed,
                                stop=stop)
                elif what in ("buy", "sell"):
                    getattr(desk, what)(b, c, post_only=post_only, time_in_force=time_in_force)
                elif what == "replace":
                    desk.replace(a, b, c)
                elif what == "levels":
                    desk.levels(a, b, c)
                elif what == "arm":
                    desk.arm(a, b)
                elif what == "cancel_all":
                    desk.cancel_all()
                else:
                    getattr(desk, what)(a)
            except (ValueError, TypeError):
                pass

    dojima.Backtest(day, Monkey, exchange=exchange, fills=fills, orders=1000).run()


_wild = []


def wild_day():
    if not _wild:
        _wild.append(dojima.events(generated(5, 400), RICE))
    return _wild[0]


def test_threads_run_while_cpp_runs():
    day = dojima.events(generated(8, 20_000), RICE)
    seconds = []

    def run():
        begin = time.perf_counter()
        dojima.Backtest(day, "grid", {"period": "100us", "levels": 3}).run()
        seconds.append(time.perf_counter() - begin)

    thread = threading.Thread(target=run)
    thread.start()
    count = 0
    while thread.is_alive():
        count += 1
    assert seconds and count > 1000


def test_ctrl_c_ends_a_run_and_keeps_what_was_reached(day_file):
    text = f"""
import dojima, sys
day = dojima.read({str(day_file)!r})

class Slow:
    period = "100ms"
    def on_begin(self, desk):
        print("ready", flush=True)
    def on_wake(self, desk):
        pass
    def on_end(self, desk):
        assert len(str(desk.now)) > 1

backtest = dojima.Backtest(day, Slow, speed=1.0)
try:
    backtest.run()
except KeyboardInterrupt:
    # Where it came while Python code ran, it is the strategy's.
    assert backtest.result.summary["was_interrupted"] or "KeyboardInterrupt" in backtest.result.trouble
    sys.exit(42)
"""
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 42


def test_runs_leave_no_memory_behind(day):
    def resident():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(5):
        dojima.Backtest(day, Touch).run()
    before = resident()
    for _ in range(20):
        dojima.Backtest(day, Touch).run()
        day.depth(10)
    assert resident() - before < 20 << 20


def test_strategies_are_listed():
    assert dojima.strategies()["touch"]["period"] == "100ms"


def test_a_misspelt_keyword_is_named_with_the_nearest(day):
    with pytest.raises(TypeError) as thrown:
        dojima.Backtest(day, "touch", exchnge="orders")
    assert str(thrown.value) == "Backtest() got an unexpected keyword argument 'exchnge'; did you mean 'exchange'?"
    with pytest.raises(TypeError, match="unexpected keyword argument 'zzzzzzzzzzzzzzz'$"):
        dojima.Backtest(day, "touch", zzzzzzzzzzzzzzz=1)
    with pytest.raises(TypeError, match="did you mean 'maker_fee'"):
        dojima.sweep("touch", {"offset": [0, 1]}, day, maker_fe="1bp")


def test_an_argument_left_out_is_named(day):
    with pytest.raises(TypeError, match=r"^Backtest\(\) missing required argument: 'strategy'"):
        dojima.Backtest(day)
    with pytest.raises(TypeError, match=r"^Backtest\(\) missing required arguments: 'data'"):
        dojima.Backtest()
    with pytest.raises(TypeError, match="missing required arguments: 'data'"):
        dojima.Backtest(strategy="touch")
    with pytest.raises(ValueError):
        dojima.Backtest(day, None)


def test_every_keyword_can_be_the_nearest(day):
    (text, *_), *_ = dojima.Backtest.__init__.__nb_signature__
    names = re.findall(r"[(,] ?(\w+):", text)
    assert {"data", "exchange", "symbol"} <= set(names)
    for name in names:
        with pytest.raises(TypeError, match=f"did you mean '{name}'"):
            dojima.Backtest(day, "touch", **{"_" + name: 1})


def test_times_in_which_nothing_can_be_done_are_refused(day):
    with pytest.raises(ValueError, match="start takes a time before until"):
        dojima.Backtest(day, "touch", start="2023-11-14T22:13:21", until="2023-11-14T22:13:21")
    with pytest.raises(ValueError, match="before 20300101-00:00:00.000000000, where trading begins"):
        dojima.Backtest(day, "touch", start="2030-01-01T00:00:00").run()
    with pytest.raises(ValueError, match="it has nothing of WHEAT; there "):
        dojima.Backtest(day, "touch", symbols="WHEAT").run()


def test_a_built_in_strategy_says_what_it_has_not_reached(day):
    assert dojima.Backtest(day, "touch").run().remark is None
    result = dojima.Backtest(day, "twap", {"total": 1000, "duration": "1000000s"}).run()
    assert result.remark.startswith("twap: ") and result.remark in str(result)
