"""Generated markets: populations from TOML or dicts."""

import os
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _dojima

if TYPE_CHECKING:
    import datetime


_LARGEST = 64 << 20  # of a population's file


def _keys_of(population: Any) -> dict[str, Any]:
    if population is None:
        return {}
    if isinstance(population, Mapping):
        return dict(population)
    if isinstance(population, str) and "\n" in population:
        name, text = "the population", population
    elif isinstance(population, (str, bytes, os.PathLike)):
        name = os.fsdecode(population)
        with open(population, encoding="utf-8") as file:
            try:
                text = file.read(_LARGEST + 1)
            except UnicodeDecodeError as wrong:
                raise ValueError(f"{name}: no text in UTF-8: {wrong}") from None
        if len(text) > _LARGEST:
            raise ValueError(f"{name}: more than {_LARGEST >> 20} MiB, which no population has")
    else:
        raise ValueError(f"population takes a path, TOML, or a dict; got {population!r}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise ValueError(f"{name}: {wrong}") from None


def market(population: "str | os.PathLike[str] | Mapping[str, Any] | None" = None, *, seed: int | None = None,
           length: "str | int | datetime.timedelta | None" = None, keys: Mapping[str, Any] | None = None) -> _dojima.Market:
    """A generated market, in which participants trade with each other and with a strategy (docs/backtest.md).

    population: a file of TOML, such as `dojima backtest --default-population` prints; TOML itself, which has a line break in it;
    or the same as nested dicts. What is left out has its standard value; None: the standard participants.
    seed: in the place of market.seed; the same seed, the same market. length: how long it goes, such as "10s"; without it as
    the population says, or a minute. keys: other values by path, {"population.0.count": 40}.

    Market.day() gives what happens in it without a strategy, as a day; Backtest and sweep() take the market itself, as file
    and exchange in one. Raises ValueError for what is unknown, of the wrong type or out of its range; FileNotFoundError.
    """
    if keys is not None and not isinstance(keys, Mapping):
        raise ValueError(f"keys takes a dict of values by path; got {keys!r}")
    changes = dict(keys or {})
    if seed is not None:
        if "market.seed" in changes:
            raise ValueError("the seed is given twice: as seed and as the key market.seed")
        changes["market.seed"] = seed
    if length is not None and "market.length_ms" in changes:
        raise ValueError("the length is given twice: as length and as the key market.length_ms")
    made = _dojima.Market(_keys_of(population), length)
    return made.changed(changes) if changes else made
