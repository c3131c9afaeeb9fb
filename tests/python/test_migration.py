"""Days out of hftbacktest's rows."""

import pytest

import dojima

np = pytest.importorskip("numpy")

BOTH, EXCHANGE, LOCAL, BUY, SELL = 3 << 30, 1 << 31, 1 << 30, 1 << 29, 1 << 28
ROW = np.dtype([("ev", "u8"), ("exch_ts", "i8"), ("local_ts", "i8"), ("px", "f8"), ("qty", "f8"), ("order_id", "u8"),
                ("ival", "i8"), ("fval", "f8")], align=True)
T = 1_700_000_000_000_000_000


def rows_of(*rows):
    """(flags, exchange's time, strategy's time, price, quantity[, order])"""
    return np.array([(ev, T + at, T + seen, px, qty, *(rest or (0,)), 0, 0.0) for ev, at, seen, px, qty, *rest in rows], dtype=ROW)


LEVELS = rows_of(
    (BOTH | BUY | 4, 0, 5, 100.1, 2.0), (BOTH | BUY | 4, 0, 5, 100.0, 3.5), (BOTH | SELL | 4, 0, 5, 100.2, 1.0),
    (BOTH | SELL | 1, 10, 15, 100.2, 0.0), (BOTH | SELL | 1, 10, 15, 100.3, 4.0),
    (BOTH | BUY | 2, 20, 26, 100.3, 0.5), (BOTH | SELL | 1, 20, 26, 100.3, 3.5),
)


def migrated(rows, **more):
    return dojima.from_hftbacktest(rows, **{"tick_size": 0.1, "lot_size": 0.001, "symbol": "BTC", **more})


def test_levels_and_trades():
    day = migrated(LEVELS)
    assert day.instruments == [dojima.Instrument("BTC", price_decimals=1, quantity_decimals=3, tick=1)]
    tops = day.tops(exact=True)
    assert list(zip(*(tops[name].tolist() for name in ("bid_price", "bid_quantity", "ask_price", "ask_quantity")))) == [
        (1001, 2000, 1002, 1000), (1001, 2000, 1003, 4000), (1001, 2000, 1003, 3500)]
    assert tops["time"].astype("int64").tolist() == [T + 5, T + 15, T + 26]
    trades = day.trades()
    assert (trades["price"].tolist(), trades["quantity"].tolist(), trades["side"].tolist()) == ([100.3], [0.5], [1])


def test_files_and_parts_give_the_same(tmp_path):
    np.savez_compressed(tmp_path / "day.npz", data=LEVELS[:3])
    np.save(tmp_path / "day.npy", LEVELS[3:])
    parts = migrated([tmp_path / "day.npz", str(tmp_path / "day.npy")])
    assert all((parts.events()[name] == migrated(LEVELS).events()[name]).all() for name in parts.events())


def test_rows_of_the_exchange_and_of_the_recorder_become_one_event():
    apart = rows_of((EXCHANGE | BUY | 1, 0, 30, 100.0, 1.0), (BOTH | SELL | 1, 10, 20, 100.5, 1.0), (LOCAL | BUY | 1, 0, 30, 100.0, 1.0))
    events = migrated(apart).events()
    assert events["event_time"].astype("int64").tolist() == [T, T + 10]
    assert events["receive_time"].astype("int64").tolist() == [T + 30, T + 20]
    with pytest.raises(ValueError, match="as many"):
        migrated(apart[:2])


def test_clearing_up_to_a_price_leaves_what_lies_behind():
    more = rows_of((BOTH | BUY | 3, 40, 45, 100.1, 0.0), (BOTH | SELL | 3, 50, 55, 0.0, 0.0))
    tops = migrated(np.concatenate([LEVELS, more])).tops()
    assert tops["bid_price"].tolist()[-2:] == [100.0, 100.0]
    assert np.isnan(tops["ask_price"][-1])


def test_orders():
    day = migrated(rows_of((BOTH | BUY | 10, 0, 1, 100.0, 1.0, 7), (BOTH | BUY | 12, 5, 6, 100.1, 2.0, 7),
                           (BOTH | SELL | 2, 7, 8, 100.1, 0.5, 0), (BOTH | BUY | 13, 7, 8, 100.1, 0.5, 7),
                           (BOTH | BUY | 11, 9, 10, 100.1, 2.0, 7)))
    assert day.tops()["bid_price"].tolist()[:2] == [100.0, 100.1] and np.isnan(day.tops()["bid_price"][-1])
    assert day.info()["kinds"] == {"add": 1, "amend": 1, "trade": 1, "fill": 1, "remove": 1}


@pytest.mark.parametrize(("rows", "more", "words"), [
    (rows_of((BOTH | BUY | 1, 0, 1, 100.05, 1.0)), {}, "row 0: px"),
    (rows_of((BOTH | BUY | 1, 0, 1, 100.6, 1.0)), {"tick_size": 1.5}, "row 0: .* no multiple"),
    (rows_of((BOTH | BUY | 1, 0, 1, 100.1, 0.0001)), {}, "row 0: qty"),
    (rows_of((BOTH | BUY | 1, 0, 1, float("nan"), 1.0)), {}, "row 0: px"),
    (rows_of((BOTH | BUY | 99, 0, 1, 100.0, 1.0)), {}, "no kind"),
    (rows_of((BUY | 1, 0, 1, 100.0, 1.0)), {}, "as many"),
    (rows_of((BOTH | BUY | 1, -2 * T, 1, 100.0, 1.0)), {}, "1970"),
    (LEVELS, {"tick_size": 0}, "tick_size"), (LEVELS, {"lot_size": "x"}, "lot_size"), (LEVELS, {"tick_size": 1e-30}, "18 decimals"),
    (np.zeros(3), {}, "fields"),
])
def test_what_makes_no_sense_is_a_value_error(rows, more, words):
    with pytest.raises(ValueError, match=words):
        migrated(rows, **more)
