"""Calls everything in the package with values that nobody would take, in a process of its own.

    python3 hostile_calls.py SEED COUNT LOG

What comes back is a value, or an exception of a kind that says whose mistake it is; anything else ends this process, and the
last line of LOG is the call that did. Exit status 0: all calls came back; 2: an exception of another kind, which is printed.
"""

import datetime
import decimal
import io
import os
import pathlib
import random
import resource
import signal
import sys
import tempfile
import types

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from conftest import RICE, generated  # noqa: E402

import dojima  # noqa: E402

try:
    import numpy as np
except ImportError:
    np = None

#: Whose mistake: the caller's, the machine's, or a desk that is used when its strategy is not being called.
ALLOWED = (ValueError, TypeError, KeyError, IndexError, OSError, MemoryError, RuntimeError, RecursionError, TimeoutError,
           BufferError, ImportError)
MEMORY = 3 << 30


class Angry:
    """Whatever is asked of it goes wrong, in the way that is asked for."""

    def __init__(self, thrown):
        self._thrown = thrown

    def _throw(self, *_, **__):
        raise self._thrown

    __index__ = __int__ = __float__ = __str__ = __repr__ = __len__ = __iter__ = __getitem__ = __fspath__ = __call__ = _throw
    __eq__ = __bool__ = __arrow_c_array__ = __arrow_c_stream__ = __dlpack__ = _throw
    __hash__ = object.__hash__


class Liar:
    """Says that it is something and is not."""

    total_seconds = microseconds = days = seconds = tzinfo = timestamp = astype = dtype = property(lambda self: 10**30)
    shape, __array_interface__, __len__ = (2**62,), {"shape": (2**40,), "typestr": "<i8", "version": 3, "data": (0, True)}, lambda self: 2**60

    def __index__(self):
        return 2**200

    def __fspath__(self):
        return 5

    def __arrow_c_stream__(self, requested_schema=None):
        return object()

    def __dlpack__(self, **_):
        return object()

    def __dlpack_device__(self):
        return (99, 99)


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words for it")

    __repr__ = __str__


class Breaks:
    period = 1_000_000

    def __init__(self, **_):
        self.done = 0

    def on_wake(self, desk):
        self.done += 1
        if self.done > 3:
            raise Unspeakable


class Nester:
    """Runs another back-test, and itself, from within."""

    period = "1s"
    backtest = None

    def on_wake(self, desk):
        global kept_desk
        kept_desk = desk
        try:
            self.backtest.run() if self.backtest else None
        except RuntimeError:
            pass
        dojima.Backtest(small_day, "touch").run()


kept_desk = None
small_day = dojima.events(generated(2, 60), RICE)


def numbers(draw):
    return draw.choice([0, 1, 2, 3, -1, 7, 255, 256, 2**16, 2**31 - 1, 2**31, 2**32, 2**53, 2**60, 2**62, 2**63 - 1, 2**63,
                        2**64 - 1, 2**64, -2**31, -2**63, -2**63 - 1, 10**30, 1_700_000_000_000_000_000])


def texts(draw):
    return draw.choice(["", "buy", "sell", "levels", "orders", "match", "market", "touch", "grid", "glft", "twap", "imbalance",
                        "recorded", "1ms", "1e9s", "9" * 40, "0.1", "-1bp", "nan", "power3:1e999", "\ud800", "a\0b", "\u2028", "x" * 5000,
                        "triples:/dev/null", "samples:/dev/zero", "load:1us+1us", "lab:/dev/null#submit", "/dev/full", "/", ".",
                        "2012-06-21T13:30:00", "9999-12-31T23:59:59", "RICE", "limit", "ioc", "{}", "%s%n"])


def arrays(draw):
    if np is None:
        return [1, 2, 3]
    base = np.array([draw.choice([0, 1, 2, 3, 2**40, 2**62, 2**63 - 1, -2**63, -1]) for _ in range(draw.choice([0, 1, 2, 8]))],
                    dtype=np.int64)
    return draw.choice([
        lambda: base, lambda: base[::-1], lambda: base.astype(draw.choice(["i1", "u1", "i2", "u4", "u8", "f4", "f8", ">i8", "?"])),
        lambda: np.broadcast_to(np.int64(draw.choice([0, 1, 2**62])), (5,)), lambda: base.reshape(-1, 1), lambda: np.array(3),
        lambda: np.array([object(), None], dtype=object), lambda: np.array(["a", "b"]), lambda: base.view("M8[ns]"),
        lambda: np.zeros(2, dtype=[("ev", "u8"), ("px", "f8")]), lambda: np.array([1 + 2j]), lambda: np.int64(5), lambda: np.float32(2),
        lambda: np.datetime64("NaT"), lambda: np.datetime64(2**62, "s"), lambda: np.ma.masked_array([1, 2], [0, 1]),
    ])()


def any_value(draw, depth=0):
    kind = draw.randrange(14)
    if kind < 3:
        return numbers(draw)
    if kind < 6:
        return texts(draw)
    if kind == 6:
        return arrays(draw)
    if kind == 7 and depth < 2:
        return draw.choice([list, tuple])(any_value(draw, depth + 1) for _ in range(draw.randrange(4)))
    if kind == 8 and depth < 2:
        keys = [draw.choice(["market", "population", "instrument", "seed", "market.seed", "kind", "count", "quantity", "period", "event_time",
                             "price", "side", "order", "x", texts(draw)]) for _ in range(draw.randrange(4))]
        return {key: any_value(draw, depth + 1) for key in keys}
    if kind == 9:
        return draw.choice([0.0, -0.0, 1.5, 1e308, float("inf"), float("nan"), 5e-324, decimal.Decimal("1e99"), 1j])
    if kind == 10:
        return draw.choice([Angry(ValueError("angry")), Angry(KeyboardInterrupt()), Angry(Unspeakable()), Angry(SystemExit(3)), Liar(), object(),
                            types.SimpleNamespace(), lambda *_, **__: 2**70, Breaks, Breaks(), Nester, Nester(), type, io.BytesIO(b"x")])
    if kind == 11:
        return draw.choice([datetime.timedelta.max, datetime.timedelta.min, datetime.timedelta(microseconds=1), datetime.datetime.max,
                            datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc), datetime.date.max, pathlib.Path("/nowhere/at/all"), b"\xff\xfe", b""])
    if kind == 12:
        return draw.choice([small_day, small_day.tops(), small_day.events(), market, dojima.Book(orders=4), RICE, dojima.Side.BUY, kept_desk,
                            dojima.EventKind.ADD, dojima.Action.SUBMIT])
    return draw.choice([None, True, False, ..., NotImplemented])


market = dojima.market({"market": {"length_ms": 200, "news_a_minute": 0}, "population": [{"kind": "noise", "count": 3}]})


def good_values(draw, name):
    """What an argument of that name takes, sometimes: calls have to come in to go wrong further in."""
    return {"data": small_day, "strategy": draw.choice(["touch", "grid", Breaks, Nester]), "parameters": {}, "side": draw.choice([1, 2, "buy"]), "price": draw.choice([1, 100, 10_000]),
            "quantity": draw.choice([1, 5]), "order": 1, "number": 1, "instrument": 0, "instruments": [RICE], "table": small_day.events(),
            "levels": 3, "depth": 3, "rows": 1, "horizon": "1s", "exchange": draw.choice(["levels", "orders", "match"]),
            "action": draw.choice([0, 1, 2]), "orders": 16, "config": {}, "keys": {"market.seed": 3}, "grid": {"quantity": [1, 2]}}.get(name)


def targets(folder):
    """Callables with the names of their arguments, where they are known."""
    book = dojima.Book(lowest=-50, highest=50, orders=8, levels=4, owners=2)
    book.apply(0, [1, 2], [-1, 1], 3)
    result = dojima.Backtest(small_day, "touch", exchange="orders").run()
    kept = [small_day, small_day.tops(), small_day.depth(2), market, book, result, result.fills(), RICE,
            dojima.Backtest(small_day, "touch"), dojima.Backtest(market, "touch")]
    if kept_desk is not None:
        kept.append(kept_desk)
    found = [dojima.read, dojima.info, dojima.convert, dojima.events, dojima.strategies, dojima.market, dojima.sweep,
             dojima.from_hftbacktest, dojima.Backtest, dojima.Book, dojima.Instrument, dojima.Market, dojima.Day, dojima.Desk,
             dojima.Result, dojima.Table, dojima.Event, dojima.Order, dojima.Report, dojima.Trade, dojima.Side, dojima.EventKind]
    for one in kept:
        for name in dir(type(one)):
            # What every object has is not ours.
            if getattr(type(one), name, None) is getattr(object, name, one) or name in ("__class__", "__init_subclass__", "__subclasshook__",
                                                                                      "__reduce_ex__", "__sizeof__", "__dir__", "__format__"):
                continue
            try:
                value = getattr(one, name)
            except RuntimeError:  # a desk that was kept
                continue
            if callable(value):
                found.append(value)
    for kind in (dojima.Day, dojima.Book, dojima.Backtest, dojima.Market, dojima.Table, dojima.Desk, dojima.Result, dojima.Event, dojima.Order):
        try:
            empty = kind.__new__(kind)
        except TypeError:
            continue
        found += [getattr(empty, name) for name in dir(kind) if not name.startswith("__") and callable(getattr(kind, name, None))
                  and not isinstance(getattr(kind, name), property)]
    return found


def names_of(call):
    text = getattr(call, "__doc__", None) or ""
    head = text[text.find("(") + 1:text.find(")")] if "(" in text else ""
    if hasattr(call, "__code__"):
        head = ", ".join(call.__code__.co_varnames[:call.__code__.co_argcount + call.__code__.co_kwonlyargcount])
    names = [part.split(":")[0].split("=")[0].strip().lstrip("*/") for part in head.split(",")]
    return [name for name in names if name.isidentifier() and name != "self"]


def one_call(draw, calls):
    call = draw.choice(calls)
    names = names_of(call)

    def value(name):
        good = good_values(draw, name)
        return good if good is not None and draw.random() < 0.7 else any_value(draw)

    arguments = [value(name) for name in names[:draw.randrange(len(names) + 1)]] if names else [any_value(draw) for _ in range(draw.randrange(4))]
    keywords = {name: value(name) for name in names[len(arguments):] if draw.random() < 0.15}
    return call, arguments, keywords


def shown(value):
    try:
        return repr(value)[:200]
    except BaseException:
        return f"<{type(value).__name__}>"


def main():
    seed, count, log = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    draw = random.Random(seed)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def late(*_):
        raise TimeoutError("long enough")

    signal.signal(signal.SIGALRM, late)
    with tempfile.TemporaryDirectory() as folder, open(log, "w", buffering=1) as stream:
        os.chdir(folder)
        dojima.Backtest(small_day, Nester()).run()
        calls = targets(folder)
        for at in range(count):
            call, arguments, keywords = one_call(draw, calls)
            if getattr(call, "__name__", "") == "sweep":
                keywords["engine"] = "threads"
            line = f"{at} {getattr(call, '__qualname__', shown(call))} {shown(arguments)} {shown(keywords)}"
            stream.write(line.replace("\n", " ") + "\n")
            signal.setitimer(signal.ITIMER_REAL, 1.0)
            try:
                call(*arguments, **keywords)
            except ALLOWED:
                pass
            except (KeyboardInterrupt, SystemExit, Unspeakable, AttributeError, StopIteration) as thrown:
                # Their own, which say what was asked of them; attributes of values that are none.
                if isinstance(thrown, SystemExit) and thrown.code != 3:
                    raise
            except BaseException as thrown:
                print(f"{type(thrown).__name__}: {shown(thrown)}")
                os._exit(2)
            finally:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except TimeoutError:  # it came late in the call
                    pass


if __name__ == "__main__":
    main()
