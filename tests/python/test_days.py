"""Files, days and tables against what a few lines of Python say of the same events."""

import datetime
import math
import subprocess
import sys

import pytest
from conftest import RICE, generated
from hypothesis import given, settings
from hypothesis import strategies as st

import dojima

np = pytest.importorskip("numpy")


class NaiveBook:
    """What rests at each price, from order events."""

    def __init__(self):
        self.orders = {}

    def apply(self, kind, side, order, price, quantity):
        if kind == dojima.EventKind.ADD:
            self.orders[order] = [side, price, quantity]
        elif kind == dojima.EventKind.REMOVE:
            self.orders.pop(order, None)
        elif kind == dojima.EventKind.EXECUTE:
            self.orders[order][2] -= quantity
            if self.orders[order][2] == 0:
                del self.orders[order]

    def levels(self, side):
        levels = {}
        for own, price, quantity in self.orders.values():
            if own == side:
                levels[price] = levels.get(price, 0) + quantity
        return sorted(levels.items(), reverse=side == 1)


def books_of(columns):
    book = NaiveBook()
    rows = zip(*(columns[name] for name in ("kind", "side", "order", "price", "quantity")))
    for row, time in zip(rows, columns["receive_time"]):
        book.apply(*row)
        yield time, book


def test_importing_needs_no_numpy():
    text = "import sys, dojima; assert 'numpy' not in sys.modules; dojima.Book().submit('buy', 1, 1); assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", text], check=True)


def test_without_numpy_a_column_says_what_to_install(day_file):
    text = f"""
import sys
sys.modules["numpy"] = None  # as where it is not installed
import dojima
tops = dojima.read({str(day_file)!r}).tops()
try:
    tops["bid_price"]
except ImportError as thrown:
    assert "pip install dojima[numpy]" in str(thrown) and 'column("bid_price")' in str(thrown), thrown
else:
    raise AssertionError("NumPy was there")
assert len(memoryview(tops.column("bid_price"))) == len(tops)
"""
    subprocess.run([sys.executable, "-c", text], check=True)


def test_tops_are_those_of_a_naive_book(day, columns):
    expected, last = [], None
    for time, book in books_of(columns):
        best = tuple(book.levels(side)[0] if book.levels(side) else None for side in (1, 2))
        if best != last:
            expected.append((time, *best))
        last = best
    tops = day.tops(exact=True)
    assert len(tops) == len(expected) > 100
    missing = np.iinfo(np.int64).min
    for row, (time, bid, ask) in enumerate(expected):
        assert tops["time"][row].astype("int64") == time
        assert (tops["bid_price"][row], tops["bid_quantity"][row]) == (bid or (missing, 0))
        assert (tops["ask_price"][row], tops["ask_quantity"][row]) == (ask or (missing, 0))


def test_doubles_are_the_whole_numbers_in_the_instruments_units(day):
    whole, real = day.tops(exact=True)["bid_price"], day.tops()["bid_price"]
    there = whole != np.iinfo(np.int64).min
    assert there.any()
    assert (real[there] == whole[there] / 100).all()
    assert np.isnan(real[~there]).all()


@pytest.mark.parametrize("levels", [1, 3, 10])
def test_depth_is_that_of_a_naive_book(day, columns, levels):
    expected, last = [], [[], []]
    for _, book in books_of(columns):
        sides = [book.levels(side)[:levels] for side in (1, 2)]
        if sides != last:
            expected.append(sides)
        last = sides
    depth = day.depth(levels, exact=True)
    assert len(depth) == len(expected)
    assert depth["bid_price"].shape == ((len(expected), levels) if levels > 1 else (len(expected),))
    prices, quantities = depth["ask_price"].reshape(-1, levels), depth["ask_quantity"].reshape(-1, levels)
    for row, (_, asks) in enumerate(expected):
        assert [(p, q) for p, q in zip(prices[row], quantities[row]) if q] == asks


def test_depth_by_time_is_the_last_of_each_step(day, columns):
    every = 1_000_000_000
    depth = day.depth(2, every=every, exact=True)
    times = depth["time"].astype("int64")
    assert (np.diff(times) == every).all() and (times % every == 0).all()
    states = [(time, [list(book.levels(side)[:2]) for side in (1, 2)]) for time, book in books_of(columns)]
    for row in range(0, len(depth), 7):
        at = max(index for index, (time, _) in enumerate(states) if time <= times[row])
        bids = [(p, q) for p, q in zip(depth["bid_price"][row], depth["bid_quantity"][row]) if q]
        assert bids == states[at][1][0]


def test_every_nth_change_is_that_of_all(day):
    every, third = day.depth(3, exact=True), day.depth(3, changes=3, exact=True)
    assert (every["bid_price"][2::3] == third["bid_price"]).all()


def test_trades_have_the_side_that_took(day, columns):
    rows = [row for row, kind in enumerate(columns["kind"]) if kind == dojima.EventKind.EXECUTE]
    trades = day.trades(exact=True)
    assert trades["price"].tolist() == [columns["price"][row] for row in rows]
    assert trades["quantity"].tolist() == [columns["quantity"][row] for row in rows]
    assert trades["side"].tolist() == [3 - columns["side"][row] for row in rows]
    assert trades["match"].tolist() == [columns["other"][row] for row in rows]


def test_labels_look_ahead_by_time_and_by_rows(day):
    tops = day.tops()
    middle = (tops["bid_price"] + tops["ask_price"]) / 2
    times = tops["time"].astype("int64")
    end = day.info()["last_receive_time"]
    horizon = 3_000_000_000
    labels = day.labels(horizon)
    assert len(labels) == len(tops)
    for row in range(len(tops)):
        target = times[row] + horizon
        later = middle[np.searchsorted(times, target, side="right") - 1] if target <= end else math.nan
        np.testing.assert_equal(labels["later"][row], later)
    by_rows = day.labels(rows=5)
    np.testing.assert_equal(by_rows["later"][:-5], middle[5:])
    assert np.isnan(by_rows["later"][-5:]).all()
    np.testing.assert_equal(by_rows["change"][:-5], middle[5:] - middle[:-5])


def test_events_come_back_as_they_were(day, columns, tmp_path):
    again = dojima.events({name: day.events()[name] for name in day.events()}, day.instruments)
    for table in (day.events(), again.events()):
        for name, values in columns.items():
            assert table[name].astype("int64").tolist() == values, name
    for name in ("day.events", "day.csv"):
        day.write(tmp_path / name)
        read = dojima.read(tmp_path / name)
        assert read.instruments == [RICE]
        assert all((read.events()[column] == day.events()[column]).all() for column in day.events())


def test_arrow_takes_tables_and_gives_them_back(day):
    pa = pytest.importorskip("pyarrow")
    tops = pa.table(day.tops())
    assert tops.num_rows == len(day.tops()) and str(tops.schema.field("time").type) == "timestamp[ns, tz=UTC]"
    assert tops.column("bid_price").null_count == int(np.isnan(day.tops()["bid_price"]).sum())
    assert pa.table(day.depth(3)).schema.field("bid_price").type.list_size == 3
    table = pa.table(day.events())
    chunks = pa.concat_tables([table.slice(0, 700), table.slice(700)])
    again = dojima.events(chunks, day.instruments)
    assert all((again.events()[name] == day.events()[name]).all() for name in day.events())
    empty = dojima.events(table.slice(0, 0), day.instruments)
    assert len(empty) == 0 and pa.table(empty.tops()).num_rows == 0 and len(empty.tops()["time"]) == 0


@pytest.mark.parametrize("frames", ["polars", "pandas", "duckdb"])
def test_frames_take_tables_and_give_them_back(day, frames):
    library = pytest.importorskip(frames)
    tops, events = day.tops(), day.events()
    if frames == "polars":
        frame, whole = library.DataFrame(tops), library.DataFrame(events)
        bids, missing = frame["bid_price"].to_list(), frame["bid_price"].null_count()
    elif frames == "pandas":
        frame, whole = library.DataFrame.from_arrow(tops), library.DataFrame.from_arrow(events)
        bids, missing = frame["bid_price"].tolist(), int(frame["bid_price"].isna().sum())
    else:
        pytest.importorskip("pyarrow")
        relation = library.from_arrow(tops)
        bids = [value for (value,) in relation.select("bid_price").fetchall()]
        missing = relation.filter("bid_price is null").count("*").fetchall()[0][0]
        whole = library.from_arrow(events).to_arrow_table()
    expected = tops["bid_price"]
    assert missing == int(np.isnan(expected).sum())
    assert [math.nan if value is None else value for value in bids] == pytest.approx(expected.tolist(), nan_ok=True)
    again = dojima.events(whole, day.instruments)
    assert all((again.events()[name] == events[name]).all() for name in events)


def test_a_table_outlives_its_day_and_an_array_its_table():
    bids = dojima.events(generated(3, 200), RICE).tops()["bid_quantity"]
    copy = bids.copy()
    for seed in range(4, 9):
        dojima.events(generated(seed, 200), RICE).tops()
    assert (bids == copy).all()
    with pytest.raises(ValueError):
        bids[0] = 1


def test_reading_chooses_times_and_symbols(day_file, columns):
    start, until = columns["receive_time"][100], columns["receive_time"][200]
    assert len(dojima.read(day_file, start=start, until=until)) == 100
    moment = datetime.datetime.fromtimestamp(0, datetime.timezone.utc) + datetime.timedelta(microseconds=start // 1000)
    assert len(dojima.read(day_file, start=moment)) >= len(columns["kind"]) - 100
    assert len(dojima.read(day_file, start=np.datetime64(start, "ns"))) == len(columns["kind"]) - 100
    assert len(dojima.read(day_file, symbols="RICE")) == len(columns["kind"])
    assert len(dojima.read(day_file, symbols=["BEANS"])) == 0


def test_info_and_convert(day_file, tmp_path, columns):
    info = dojima.info(day_file)
    assert info["events"] == len(columns["kind"]) and info["format"] == "compact" and info["trouble"] is None
    assert info["instruments"][0]["symbol"] == "RICE"
    done = dojima.convert(day_file, tmp_path / "day.csv")
    assert done["events_written"] == len(columns["kind"])
    assert dojima.info(tmp_path / "day.csv")["format"] == "csv"


def test_a_damaged_file_says_where_and_gives_what_stands_before(day_file, tmp_path):
    cut = tmp_path / "cut.csv"
    dojima.convert(day_file, cut)
    lines = cut.read_text().splitlines(keepends=True)
    cut.write_text("".join(lines[:50]) + "nonsense\n")
    with pytest.raises(ValueError, match="line 51"):
        dojima.read(cut)
    part = dojima.read(cut, partial=True)
    assert 0 < len(part) < 50 and "line 51" in part.trouble


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda day: day.tops("BEANS"), "no instrument"),
        (lambda day: day.tops(1), "instrument takes 0 to 0"),
        (lambda day: day.tops(True), "instrument"),
        (lambda day: day.depth(0), "levels takes 1 to 1000"),
        (lambda day: day.depth(1001), "levels takes 1 to 1000"),
        (lambda day: day.depth(5, "1 fortnight"), "no time"),
        (lambda day: day.depth(5, -1), "every"),
        (lambda day: day.depth(5, 0), "above 0"),
        (lambda day: day.depth(5, 1), "too much"),
        (lambda day: day.depth(5, "1s", 2), "not both"),
        (lambda day: day.labels(), "either"),
        (lambda day: day.labels("1s", rows=1), "either"),
        (lambda day: day.labels(rows=0), "rows takes 1"),
        (lambda day: day.write("x", "pcap"), "format takes one of"),
        (lambda day: dojima.read("x", format="pcap"), "format takes one of"),
        (lambda day: dojima.read("x", date="yesterday"), "date takes a day"),
        (lambda day: dojima.read("x", start=datetime.datetime(2020, 1, 1)), "time zone"),
        (lambda day: dojima.read(5), "file takes a path"),
        (lambda day: dojima.Instrument("X", price_decimals=19), "decimals"),
        (lambda day: dojima.Instrument("X", tick=-1), "tick"),
        (lambda day: dojima.events({}, RICE), "kind"),
        (lambda day: dojima.events({"kind": [1], "event_time": [1]}, []), "no instrument"),
        (lambda day: dojima.events({"kind": [77], "event_time": [1]}, RICE), "row 0"),
        (lambda day: dojima.events({"kind": [1], "event_time": [1], "instrument": [1]}, RICE), "row 0"),
        (lambda day: dojima.events({"kind": [1], "event_time": [1], "color": [1]}, RICE), "no column"),
        (lambda day: dojima.events({"kind": [1], "event_time": [1, 2]}, RICE), "rows"),
        (lambda day: dojima.events({"kind": [1], "event_time": [1.5]}, RICE), "event_time"),
        (lambda day: dojima.events({"kind": [1], "event_time": [-5]}, RICE), "1970"),
        (lambda day: dojima.events({"kind": [1], "event_time": [1], "quantity": [-1]}, RICE), "quantity"),
        (lambda day: dojima.events({"kind": [1], "event_time": [1], "side": [3]}, RICE), "row 0"),
        (lambda day: dojima.events({"kind": ["add"], "event_time": [1]}, RICE), "kind"),
    ],
)
def test_what_makes_no_sense_is_a_value_error(day, call, words):
    with pytest.raises(ValueError, match=words):
        call(day)


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match="nowhere"):
        dojima.read("nowhere")
    with pytest.raises(KeyError):
        dojima.Book().trades()["colour"]


whole = st.one_of(st.integers(-3, 30), st.integers(-(2**63), 2**63 - 1), st.just(-(2**63)))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-1, 22), st.integers(-1, 3), st.integers(0, 3), whole, whole, st.integers(0, 2**62),
                       st.integers(0, 255), st.integers(0, 255)), max_size=40),
    st.sampled_from(["levels", "orders", "match"]),
)
def test_no_events_end_the_interpreter(rows, exchange):
    """Whatever the events say: a day of them can be looked at and traded in, or a ValueError says what is wrong."""
    names = ("kind", "side", "order", "price", "quantity", "event_time", "flags", "code")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}

    class Trader:
        books = "all"

        def on_book(self, desk, instrument):
            if len(desk.orders) < 3:
                desk.buy((desk.bid() or (5, 0))[0], 2)
                desk.submit("sell", 0, 3, type="market", time_in_force="ioc")

    try:
        day = dojima.events(columns, RICE)
        for table in (day.tops(), day.depth(3), day.trades(), day.labels(rows=1), day.labels("1s"), day.events()):
            len(table)
        dojima.Backtest(day, Trader, exchange=exchange, orders=64, mark_every="9000s").run()
    except ValueError:
        pass
