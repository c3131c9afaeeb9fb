"""The book against a naive one, by arrays and one by one."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dojima

np = pytest.importorskip("numpy")


class NaiveBook:
    """Price, then time; every trade at the resting order's price."""

    def __init__(self):
        self.orders = []  # [label, side, price, leaves], oldest first
        self.trades = []

    def enter(self, label, side, price, quantity):
        while quantity:
            fits = [order for order in self.orders if order[1] != side and (order[2] <= price if side == 1 else order[2] >= price)]
            if not fits:
                break
            best = min(fits, key=lambda order: order[2] if side == 1 else -order[2])
            traded = min(quantity, best[3])
            self.trades.append((best[0], label, best[2], traded))
            best[3] -= traded
            quantity -= traded
            if best[3] == 0:
                self.orders.remove(best)
        if quantity:
            self.orders.append([label, side, price, quantity])

    def cancel(self, label):
        found = [order for order in self.orders if order[0] == label]
        for order in found:
            self.orders.remove(order)
        return bool(found)


instruction = st.tuples(st.sampled_from([0, 0, 0, 1]), st.integers(1, 2), st.integers(95, 105), st.integers(1, 9),
                        st.integers(0, 30))


@settings(max_examples=150, deadline=None)
@given(st.lists(instruction, max_size=60))
def test_trades_are_those_of_a_naive_book(rows):
    book, naive, ids = dojima.Book(highest=200, orders=100), NaiveBook(), []
    trades = []
    for action, side, price, quantity, which in rows:
        if action == 0:
            naive.enter(len(ids), side, price, quantity)
            ids.append(book.submit(side, price, quantity))
            assert ids[-1] != 0
        else:
            known = naive.cancel(which) if which < len(ids) else False
            assert book.cancel(ids[which] if which < len(ids) else 12345) == known
        labels = {number: label for label, number in enumerate(ids)}
        table = book.trades()
        trades += [(labels[resting], labels[taker], price, quantity) for resting, taker, price, quantity in
                   zip(*(table[name].tolist() for name in ("resting", "taker", "price", "quantity")))]
    assert trades == naive.trades
    assert len(book) == len(naive.orders)
    for side in (1, 2):
        table = book.orders(side)
        own = sorted((order for order in naive.orders if order[1] == side), key=lambda order: order[2] * (-1 if side == 1 else 1))
        assert [(number, price, left) for number, price, left in
                zip(*(table[name].tolist() for name in ("order", "price", "quantity")))] == \
               [(ids[label], price, left) for label, _, price, left in own]
        assert book.best(side) == ((own[0][2], sum(order[3] for order in own if order[2] == own[0][2])) if own else None)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 2), st.integers(95, 105), st.integers(1, 9)), min_size=1, max_size=80))
def test_arrays_do_what_single_calls_do(rows):
    one, many = dojima.Book(highest=200), dojima.Book(highest=200)
    sides, prices, quantities = (np.array(column) for column in zip(*rows))
    ids = many.apply(dojima.Action.SUBMIT, sides, prices.astype("int32"), quantities.tolist())
    assert ids.dtype == np.uint64
    assert ids.tolist() == [one.submit(*map(int, row)) for row in rows]
    assert one.digest() == many.digest()
    again = many.apply(1, order=ids)
    assert len(many) == 0
    assert set(again.tolist()) <= set(ids.tolist()) | {0}


def test_a_replacement_keeps_its_place_when_only_the_quantity_falls():
    book = dojima.Book()
    first, second = book.submit("buy", 100, 5), book.submit("buy", 100, 5)
    assert book.replace(first, 100, 3)
    assert book.orders("buy")["order"].tolist() == [first, second]
    assert book.replace(first, 100, 8)
    assert book.orders("buy")["order"].tolist() == [second, first]
    assert not book.replace(99, 100, 8)
    assert book.reports()["reason"][0] == dojima.Reason.UNKNOWN_ORDER


def test_levels_and_reports():
    book = dojima.Book(owners=3)
    book.apply(0, [1, 1, 1, 2], [100, 100, 99, 103], [5, 6, 7, 8], owner=[0, 1, 2, 0])
    levels = book.levels("buy", 1)
    assert (levels["price"].tolist(), levels["quantity"].tolist(), levels["orders"].tolist()) == ([100], [11], [2])
    assert book.orders("buy")["owner"].tolist() == [0, 1, 2]
    assert book.submit("buy", 10**9, 1) == 0
    assert book.reports()["kind"].tolist() == [dojima.BookReportKind.REJECTED]
    assert book.submit("sell", 0, 3, type="market", time_in_force="ioc", owner=1) != 0
    assert book.trades()["price"].tolist() == [100] and book.trades()["side"].tolist() == [dojima.Side.SELL]
    assert book.submit("sell", 100, 1, post_only=True, owner=2) != 0 and len(book.trades()) == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: dojima.Book(tick=0), lambda: dojima.Book(tick=3, highest=100), lambda: dojima.Book(lowest=5, highest=4),
        lambda: dojima.Book(orders=0), lambda: dojima.Book(orders=2**40), lambda: dojima.Book(levels=0),
        lambda: dojima.Book(owners=0), lambda: dojima.Book(owners=70_000), lambda: dojima.Book(highest=2**40),
        lambda: dojima.Book().submit("both", 1, 1), lambda: dojima.Book().submit(0, 1, 1), lambda: dojima.Book().submit(3, 1, 1),
        lambda: dojima.Book().submit("buy", 1, 0), lambda: dojima.Book().submit("buy", 1, 1, owner=1),
        lambda: dojima.Book().submit("buy", 1, 1, owner=-1), lambda: dojima.Book().submit("buy", 1, 1, type="pegged"),
        lambda: dojima.Book().submit("buy", 1, 1, time_in_force="gtd"),
        lambda: dojima.Book().submit("buy", 1, 1, type="market", post_only=True),
        lambda: dojima.Book().cancel(0), lambda: dojima.Book().replace(0, 1, 1), lambda: dojima.Book().replace(1, 1, 0),
        lambda: dojima.Book().apply(3, 1, 1, 1), lambda: dojima.Book().apply(0, 0, 1, 1), lambda: dojima.Book().apply(0, 1, 1, 0),
        lambda: dojima.Book().apply(0, [1, 2], [1, 2, 3], 1), lambda: dojima.Book().apply(1), lambda: dojima.Book().apply(0, 1, 1.5, 1),
        lambda: dojima.Book().apply(0, 1, np.array([1.0]), 1), lambda: dojima.Book().apply(0, 1, np.array([[1]]), 1),
        lambda: dojima.Book().apply(0, 1, 1, np.array([2**63], dtype="uint64")), lambda: dojima.Book().apply(0, 1, 1, 1, owner=[0, 1]),
        lambda: dojima.Book().levels("buy", 0), lambda: dojima.Book().best("up"),
    ],
)
def test_what_makes_no_sense_is_a_value_error(call):
    with pytest.raises(ValueError):
        call()


def test_a_refused_array_changes_nothing():
    book = dojima.Book()
    with pytest.raises(ValueError, match="row 2"):
        book.apply(0, [1, 1, 1], [5, 5, 5], [1, 1, 0])
    assert len(book) == 0


def test_a_full_book_refuses_and_goes_on():
    book = dojima.Book(orders=4)
    ids = book.apply(0, 1, np.arange(1, 8), 1)
    assert np.count_nonzero(ids) == 4 and len(book) == 4
    assert book.cancel(int(ids[0])) and book.submit("buy", 50, 1)


wild = st.one_of(st.integers(-5, 5), st.integers(-(2**63), 2**63 - 1))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(wild, wild, wild, wild, wild, wild), min_size=1, max_size=20), st.sampled_from(["limit", "market"]),
       st.sampled_from(["gtc", "ioc", "fok", "day"]), st.booleans(), st.integers(1, 3))
def test_no_instructions_end_the_interpreter(rows, kind, time_in_force, post_only, owners):
    book = dojima.Book(lowest=-5, highest=5, orders=8, levels=3, owners=owners)
    book.apply(0, [1, 2], [-1, 1], 3)
    arrays = [np.array(column, dtype=np.int64) for column in zip(*rows)]
    for values in ([array[at:at + 1] for array in arrays] for at in range(len(rows))):
        try:
            book.apply(*values, type=kind, time_in_force=time_in_force, post_only=post_only)
        except ValueError:
            pass
    assert len(book) <= 8


def test_one_book_has_one_thread_at_a_time():
    book = dojima.Book(orders=2_000_000, highest=1000)
    refused = []

    def fill():
        try:
            for _ in range(20):
                book.apply(0, 1, np.full(20_000, 5), 1)
        except RuntimeError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=fill) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in text for text in refused)
    assert len(book) % 20_000 == 0


def test_a_call_has_all_its_reports_however_many_they_are():
    book = dojima.Book(orders=20_000)
    rows = 5_000
    ids = book.apply(0, 1, [10] * rows, 1)
    reports = book.reports()
    assert len(reports["row"]) == 2 * rows
    assert [int(row) for row in reports["row"]] == [row for row in range(rows) for _ in range(2)]
    assert [int(kind) for kind in reports["kind"]] == [1, 2] * rows  # accepted, added
    # One order, whose reports are more than are kept in one piece, and one that ends among them.
    taken = book.apply(0, 2, [10, 10], [rows - 2, 1])
    assert all(taken)
    trades = book.trades()
    assert [int(order) for order in trades["resting"]] == [int(order) for order in ids[: rows - 1]]
    assert [int(row) for row in trades["row"]] == [0] * (rows - 2) + [1]
    assert [int(order) for order in book.apply(1, order=list(ids[-2:]))] == [0, int(ids[-1])]
    assert len(book) == 0
