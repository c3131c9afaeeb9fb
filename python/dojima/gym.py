"""A market maker's environment for Gymnasium: a back-test that waits for an action at every step.

    import gymnasium
    from dojima.gym import MarketMaking

    env = MarketMaking("day.events", period="1s", exchange="orders")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step((1, 1))

Needs Gymnasium and NumPy. The back-test runs in a thread of its own, which stands still between two steps.
"""

import os
import queue
import threading
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from . import _dojima

_BUY, _SELL = _dojima.Side.BUY, _dojima.Side.SELL


class _Stopped(BaseException):
    """Ends a run from outside."""


class _Asking:
    """The strategy: at each wake it shows the market and does what comes back."""

    wake_on_reports = False

    def __init__(self, period: Any, levels: int, ticks: int, quantity: int, most: int, instrument: int) -> None:
        self.period = period
        self._levels, self._ticks, self._quantity, self._most, self._instrument = levels, ticks, quantity, most, instrument
        self.told: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._cash = 0
        self._middle = 0.0

    def on_report(self, desk: _dojima.Desk, report: _dojima.Report) -> None:
        if report.kind == _dojima.ReportKind.TRADED and report.instrument == self._instrument:
            self._cash += (1 if report.side == _SELL else -1) * report.price * report.quantity

    def on_wake(self, desk: _dojima.Desk) -> None:
        bid, ask = desk.bid(self._instrument), desk.ask(self._instrument)
        if bid is None or ask is None or bid[0] >= ask[0]:
            return
        self.told.put(self._look(desk, bid[0], ask[0]))
        action = self.asked.get()
        if action is None:
            raise _Stopped
        tick, position = desk.tick(self._instrument), desk.position(self._instrument)
        for side, best, sign, behind in ((_BUY, bid[0], -1, action[0]), (_SELL, ask[0], 1, action[1])):
            is_full = position >= self._most if side == _BUY else position <= -self._most
            self._keep(desk, side, None if behind == 0 or is_full else best + sign * (behind - 1) * tick)

    def on_end(self, desk: _dojima.Desk) -> None:
        bid, ask = desk.bid(self._instrument), desk.ask(self._instrument)
        if bid is not None and ask is not None and bid[0] < ask[0]:
            self.told.put((self._look(desk, bid[0], ask[0]), "end"))

    def _keep(self, desk: _dojima.Desk, side: int, price: int | None) -> None:
        is_there = False
        for order in desk.orders:
            if order.side != side or order.instrument != self._instrument:
                continue
            if order.price == price:
                is_there = True
            elif order.is_accepted and not order.is_changing:
                desk.cancel(order.number)
        if price is not None and not is_there:
            desk.submit(side, price, self._quantity, self._instrument, post_only=True)

    def _look(self, desk: _dojima.Desk, bid: int, ask: int) -> tuple[Any, float, dict[str, Any]]:
        self._middle = (bid + ask) / 2
        tick, position = desk.tick(self._instrument), desk.position(self._instrument)
        seen = np.zeros(4 * self._levels + 2)
        for at, side in enumerate(("buy", "sell")):
            for level, (price, quantity) in enumerate(desk.levels(side, self._levels, self._instrument)):
                place = 2 * (at * self._levels + level)
                seen[place], seen[place + 1] = abs(price - self._middle) / tick, quantity
        seen[-2], seen[-1] = position, (ask - bid) / tick
        equity = self._cash + position * self._middle
        return seen, equity, {"time": desk.now, "position": position, "equity": equity, "orders": len(desk.orders)}


class MarketMaking(gymnasium.Env[Any, Any]):
    """One instrument, one order a side, moved at every step.

    Action: for bid and ask each, 0 wants no order, n an order n - 1 ticks behind the best price.
    Observation: of the first `levels` of both sides, bids first, the distance from the middle in ticks and the quantity; then
    position and spread in ticks. A step in which the market has not two sides is passed over.
    Reward: the change of the equity at the middle, in price units times quantity units, fees left aside.
    Terminated: the data is at its end; info then has the `result`. `settings` are those of Backtest; reset(seed=...) is the seed of
    latencies that are drawn, so the same seed and actions give the same episode, to the byte.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, data: "str | os.PathLike[str] | _dojima.Day", *, period: Any = "1s", levels: int = 5, ticks: int = 5,
                 quantity: int = 1, max_position: int = 10, instrument: int = 0, **settings: Any) -> None:
        for name, value in (("levels", levels), ("ticks", ticks), ("quantity", quantity), ("max_position", max_position)):
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1000 and name in ("levels", "ticks") \
                    or value < 1:
                raise ValueError(f"{name} takes a whole number from 1; got {value!r}")
        if "seed" in settings:
            raise ValueError("the seed is that of reset()")
        self._day = data if isinstance(data, _dojima.Day) else _dojima.read(data)
        if not 0 <= instrument < len(self._day.instruments):
            raise ValueError(f"instrument takes 0 to {len(self._day.instruments) - 1}; got {instrument!r}")
        self._make: Callable[[], _Asking] = lambda: _Asking(period, levels, ticks, quantity, quantity * max_position, instrument)
        self._settings = settings
        # What is wrong with the settings is told now.
        _dojima.Backtest(self._day, self._make(), **settings)
        self.action_space = gymnasium.spaces.MultiDiscrete([ticks + 1, ticks + 1])
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4 * levels + 2,), np.float64)
        self._strategy: _Asking | None = None
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._result: _dojima.Result | None = None
        self._equity = 0.0
        self._last: tuple[Any, float, dict[str, Any]] | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._stop()
        self._strategy = strategy = self._make()
        self._failure = self._result = None
        drawn = int(self.np_random.integers(1 << 62)) if seed is None else seed
        backtest = _dojima.Backtest(self._day, strategy, seed=drawn, **self._settings)

        def run() -> None:
            try:
                self._result = backtest.run()
            except _Stopped:
                pass
            except BaseException as thrown:
                self._failure = thrown
            strategy.told.put(None)

        self._thread = threading.Thread(target=run, daemon=True, name="dojima.gym")
        self._thread.start()
        is_over = self._wait()
        if self._last is None or is_over:
            raise ValueError("the market never has two sides at a wake: there is no step to take")
        seen, self._equity, info = self._last
        return seen, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._strategy is None or self._thread is None:
            raise RuntimeError("reset() begins an episode")
        wanted = np.asarray(action)
        if wanted.shape != (2,) or not np.issubdtype(wanted.dtype, np.integer) or not self.action_space.contains(
                wanted.astype(np.int64)):
            raise ValueError(f"action takes {self.action_space}; got {action!r}")
        self._strategy.asked.put((int(wanted[0]), int(wanted[1])))
        is_over = self._wait()
        assert self._last is not None
        seen, equity, info = self._last
        reward, self._equity = equity - self._equity, equity
        if is_over:
            info = info | {"result": self._result}
            self._strategy = self._thread = None
        return seen, reward, is_over, False, info

    def _wait(self) -> bool:
        """Until the strategy shows something; True: the run is over."""
        assert self._strategy is not None
        self._last = self._last if self._thread is not None else None
        while True:
            told = self._strategy.told.get()
            if told is None:
                if self._thread is not None:
                    self._thread.join()
                if self._failure is not None:
                    failure, self._failure = self._failure, None
                    self._strategy = self._thread = None
                    raise failure
                return True
            if len(told) == 2:
                self._last = told[0]
                continue
            self._last = told
            return False

    def _stop(self) -> None:
        if self._strategy is not None and self._thread is not None:
            self._strategy.asked.put(None)
            self._thread.join()
        self._strategy = self._thread = self._last = None

    def close(self) -> None:
        self._stop()
