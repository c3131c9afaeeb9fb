"""Data of other back-testers."""

import os
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from . import _dojima

_MISSING = -(2**63)
_LAST, _SNAPSHOT = 1, 2
# hftbacktest's own numbers (its types.py), 2.x.
_EXCHANGE, _LOCAL, _BUY, _SELL = 1 << 31, 1 << 30, 1 << 29, 1 << 28
_DEPTH, _TRADE, _CLEAR, _DEPTH_SNAPSHOT, _BBO, _ADD, _CANCEL, _MODIFY, _FILL = 1, 2, 3, 4, 5, 10, 11, 12, 13


def _steps_of(step: float | str | Decimal, name: str) -> tuple[int, int]:
    """Decimals of a step, and the step in units of them."""
    try:
        exact = Decimal(str(step)).normalize()
    except ArithmeticError:
        raise ValueError(f"{name} takes a number above 0; got {step!r}") from None
    if not exact.is_finite() or exact <= 0:
        raise ValueError(f"{name} takes a number above 0; got {step!r}")
    decimals = max(0, -int(exact.as_tuple().exponent))
    if decimals > 18:
        raise ValueError(f"{name} has at most 18 decimals; got {step!r}")
    return decimals, int(exact * 10**decimals)


def from_hftbacktest(data: Any, *, tick_size: float | str, lot_size: float | str, symbol: str = "") -> "_dojima.Day":
    """A day from hftbacktest's events: its arrays, .npz or .npy files of them, or a sequence of these, in order.

    Rows that hftbacktest shows to the exchange and to the strategy apart, since their clocks cross, become one event with both
    times; feeds stay in the order of the exchange. `tick_size` and `lot_size` are those that its asset was given: every price
    has to be a multiple of the one, every quantity no finer than the other has decimals. A clearing of depth up to a price becomes
    a level of 0 for each price that is cleared. Needs NumPy. Raises ValueError with the row that makes no sense.
    """
    import numpy as np

    price_decimals, tick = _steps_of(tick_size, "tick_size")
    quantity_decimals, _ = _steps_of(lot_size, "lot_size")
    rows = np.concatenate([_rows_of(part) for part in (data if _is_sequence(data) else [data])])
    flags = rows["ev"].astype(np.int64)
    both = _EXCHANGE | _LOCAL
    of_exchange, of_strategy = flags & both == _EXCHANGE, flags & both == _LOCAL
    if np.count_nonzero(of_exchange) != np.count_nonzero(of_strategy) or (flags & both == 0).any():
        raise ValueError("the rows of the exchange alone are not as many as those of the strategy alone; take what "
                         "hftbacktest's correct_event_order() gives")
    seen = np.flatnonzero(~of_strategy)
    rows, flags = rows[seen], flags[seen]
    kinds = flags & 0xff
    sides = np.where(flags & _BUY != 0, 1, np.where(flags & _SELL != 0, 2, 0))
    prices = _whole(rows["px"], price_decimals, "px", seen)
    quantities = _whole(rows["qty"], quantity_decimals, "qty", seen)
    priced = (kinds != _CLEAR) & (kinds != _CANCEL) & (kinds != _FILL)
    off = priced & (prices % tick != 0)
    if off.any():
        at = int(np.flatnonzero(off)[0])
        raise ValueError(f"row {seen[at]}: px {rows['px'][at]} is no multiple of tick_size {tick_size}")
    table = {_DEPTH: _dojima.EventKind.LEVEL, _TRADE: _dojima.EventKind.TRADE, _CLEAR: _dojima.EventKind.CLEAR,
             _DEPTH_SNAPSHOT: _dojima.EventKind.LEVEL, _BBO: _dojima.EventKind.QUOTE, _ADD: _dojima.EventKind.ADD,
             _CANCEL: _dojima.EventKind.REMOVE, _MODIFY: _dojima.EventKind.AMEND, _FILL: _dojima.EventKind.FILL}
    to_kind = np.zeros(256, dtype=np.int64)
    for number, kind in table.items():
        to_kind[number] = int(kind)
    unknown = to_kind[kinds] == 0
    if unknown.any():
        at = int(np.flatnonzero(unknown)[0])
        raise ValueError(f"row {seen[at]}: ev {int(flags[at]):#x} is of no kind that is known here")
    unknown = (kinds == _CLEAR) | (kinds == _CANCEL)
    columns = {
        "event_time": rows["exch_ts"].astype(np.int64), "receive_time": rows["local_ts"].astype(np.int64),
        "kind": to_kind[kinds], "side": sides, "order": rows["order_id"].astype(np.uint64),
        "price": np.where(unknown, _MISSING, prices), "quantity": np.where(unknown, _MISSING, quantities),
        "flags": np.where(kinds == _DEPTH_SNAPSHOT, _SNAPSHOT, 0),
    }
    limited = np.flatnonzero((kinds == _CLEAR) & (prices != 0) & (sides != 0))
    if len(limited):
        columns = _expand_clears(columns, kinds, prices, set(limited.tolist()))
    # A change of the market is over when the exchange's clock goes on, and with every trade.
    times = columns["event_time"]
    is_last = np.append(times[1:] != times[:-1], True) | (columns["kind"] == int(_dojima.EventKind.TRADE))
    columns["flags"] = columns["flags"] | np.where(is_last, _LAST, 0)
    instrument = _dojima.Instrument(symbol, price_decimals=price_decimals, quantity_decimals=quantity_decimals, tick=tick)
    return _dojima.events(columns, instrument)


def _is_sequence(data: Any) -> bool:
    return isinstance(data, Sequence) and not isinstance(data, (str, bytes))


def _rows_of(part: Any) -> Any:
    import numpy as np

    if isinstance(part, (str, bytes, os.PathLike)):
        loaded = np.load(part)
        part = loaded if isinstance(loaded, np.ndarray) else loaded["data" if "data" in loaded.files else loaded.files[0]]
    wanted = {"ev", "exch_ts", "local_ts", "px", "qty", "order_id"}
    if not isinstance(part, np.ndarray) or part.dtype.names is None or not wanted <= set(part.dtype.names):
        raise ValueError(f"hftbacktest's events have the fields {', '.join(sorted(wanted))}; this has not")
    return part


def _whole(values: Any, decimals: int, name: str, seen: Any) -> Any:
    """Doubles as whole numbers of 10**-decimals; one that is none is refused."""
    import numpy as np

    scaled = values * 10.0**decimals
    near = np.rint(scaled)
    # What a double cannot hold of a decimal, and no more.
    bad = ~np.isfinite(scaled) | (np.abs(scaled - near) > 1e-6 + 1e-9 * np.abs(near)) | (np.abs(near) >= 2**62)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise ValueError(f"row {seen[at]}: {name} {values[at]} has more than {decimals} decimals")
    return near.astype(np.int64)


def _expand_clears(columns: dict[str, Any], kinds: Any, prices: Any, limited: set[int]) -> dict[str, Any]:
    """A clearing from the best price up to one: a level of 0 for each price there, by the levels as they then are."""
    import numpy as np

    standing: tuple[set[int], ...] = (set(), set(), set())
    order: list[int] = []
    cleared: list[int] = []
    sides, quantities = columns["side"].tolist(), columns["quantity"].tolist()
    for row, (kind, price) in enumerate(zip(kinds.tolist(), prices.tolist(), strict=True)):
        side = sides[row]
        if row in limited:
            gone = [one for one in standing[side] if (one >= price if side == 1 else one <= price)]
            standing[side].difference_update(gone)
            order += [row] * len(gone)
            cleared += sorted(gone)
            continue
        if kind in (_DEPTH, _DEPTH_SNAPSHOT):
            (standing[side].add if quantities[row] > 0 else standing[side].discard)(price)
        elif kind == _CLEAR:
            for one in standing if side == 0 else (standing[side],):
                one.clear()
        order.append(row)
        cleared.append(_MISSING)
    taken, prices_cleared = np.array(order, dtype=np.int64), np.array(cleared, dtype=np.int64)
    columns = {name: values[taken] for name, values in columns.items()}
    is_cleared = prices_cleared != _MISSING
    columns["kind"] = np.where(is_cleared, int(_dojima.EventKind.LEVEL), columns["kind"])
    columns["price"] = np.where(is_cleared, prices_cleared, columns["price"])
    columns["quantity"] = np.where(is_cleared, 0, columns["quantity"])
    return columns
