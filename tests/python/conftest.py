"""Days that the tests share: generated here, so that nothing is read but what a test writes itself."""

import os
import random
import sys
import tempfile

import pytest

# Nothing is kept between runs, and each run draws the same; before Hypothesis is imported.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(tempfile.gettempdir(), f"dojima-hypothesis-{os.getuid()}"))
sys.dont_write_bytecode = True

import hypothesis  # noqa: E402

import dojima  # noqa: E402

hypothesis.settings.register_profile("house", database=None, derandomize=True)
hypothesis.settings.load_profile("house")
LAST = 1


def generated(seed, count=3000, latency_ns=2_000_000):
    """Columns of a day of orders that come, go and trade around a price that wanders; no order crosses another."""
    draw = random.Random(seed)
    rows = []
    live = {1: {}, 2: {}}
    now, number, middle = 1_700_000_000_000_000_000, 0, 10_000

    def note(kind, side, order, price=dojima_missing, quantity=dojima_missing, other=0):
        rows.append((now, now + latency_ns, int(kind), side, order, other, price, quantity))

    while len(rows) < count:
        now += draw.randrange(1, 40_000_000)
        side = draw.choice((1, 2))
        own, opposite = live[side], live[3 - side]
        middle = max(500, middle + draw.choice((-1, 0, 0, 1)))
        choice = draw.random()
        if choice < 0.5 or not own:
            price = middle - draw.randrange(1, 12) if side == 1 else middle + draw.randrange(1, 12)
            if opposite:
                best = min(opposite.values())[0] if side == 1 else max(opposite.values())[0]
                price = min(price, best - 1) if side == 1 else max(price, best + 1)
            number += 1
            quantity = draw.randrange(1, 20)
            own[number] = [price, quantity]
            note(dojima.EventKind.ADD, side, number, price, quantity)
        elif choice < 0.75:
            order = draw.choice(list(own))
            del own[order]
            note(dojima.EventKind.REMOVE, side, order)
        else:
            best = max(price for price, _ in own.values()) if side == 1 else min(price for price, _ in own.values())
            order = next(number for number, (price, _) in own.items() if price == best)
            taken = draw.randrange(1, own[order][1] + 1)
            own[order][1] -= taken
            if own[order][1] == 0:
                del own[order]
            note(dojima.EventKind.EXECUTE, side, order, best, taken, other=len(rows) + 1)
    names = ("event_time", "receive_time", "kind", "side", "order", "other", "price", "quantity")
    columns = {name: list(values) for name, values in zip(names, zip(*rows))}
    columns["flags"] = [LAST] * len(rows)
    return columns


dojima_missing = -(2**63)
RICE = dojima.Instrument("RICE", price_decimals=2, quantity_decimals=0, tick=1)


@pytest.fixture(scope="session")
def columns():
    return generated(1)


@pytest.fixture(scope="session")
def day(columns):
    return dojima.events(columns, RICE)


@pytest.fixture(scope="session")
def day_file(day, tmp_path_factory):
    path = tmp_path_factory.mktemp("days") / "rice.events"
    day.write(path)
    return path


@pytest.fixture(scope="session")
def program():
    """The program `dojima`, where the build has one beside the package."""
    path = os.environ.get("DOJIMA_PROGRAM")
    if not path:
        pytest.skip("DOJIMA_PROGRAM names no program")
    return path
