"""A market maker's environment for Gymnasium: a back-test that waits for an action at every step; and many at once.

    import gymnasium
    from dojima.gym import MarketMaking

    env = MarketMaking("day.events", period="1s", exchange="orders")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step((1, 1))

    envs = MarketMakingVector(dojima.market(length="60s"), num_envs=8)
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())

With Gymnasium's names: make("dojima/MarketMaking-v0", data=...), make_vec(..., num_envs=8). Needs Gymnasium and NumPy. A back-test
runs in a thread of its own, which waits between two steps.
"""

import atexit
import os
import queue
import threading
import weakref
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
        self.shown: queue.SimpleQueue[Any] = queue.SimpleQueue()
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
        self.shown.put(self._look(desk, bid[0], ask[0]))
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
            self.shown.put((self._look(desk, bid[0], ask[0]), "end"))

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


# Those whose threads wait for an action: at the interpreter's end they get None, as there will be none.
_open: "weakref.WeakSet[MarketMaking]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for env in list(_open):
        env.close()


class MarketMaking(gymnasium.Env[Any, Any]):
    """One instrument, one order a side, moved at every step.

    Action: for bid and ask each, 0 wants no order, n an order n - 1 ticks behind the best price.
    Observation: of the first `levels` of both sides, bids first, the distance from the middle in ticks and the quantity; then
    position and spread in ticks. A step in which the market has not two sides is passed over.
    Reward: the change of the equity at the middle, in price units times quantity units, fees left aside.
    Terminated: the data is at its end; info then has the `result`. `settings` are those of Backtest; reset(seed=...) is the seed of
    latencies that are drawn, and over a Market that of the market, so each episode has another one. The same seed and actions give
    the same episode, to the byte.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, data: "str | os.PathLike[str] | _dojima.Day | _dojima.Market", *, period: Any = "1s", levels: int = 5, ticks: int = 5,
                 quantity: int = 1, max_position: int = 10, instrument: int = 0, **settings: Any) -> None:
        for name, value in (("levels", levels), ("ticks", ticks), ("quantity", quantity), ("max_position", max_position)):
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1000 and name in ("levels", "ticks") \
                    or value < 1:
                raise ValueError(f"{name} takes a whole number from 1; got {value!r}")
        if "seed" in settings:
            raise ValueError("the seed is that of reset()")
        self._data = data if isinstance(data, (_dojima.Day, _dojima.Market)) else _dojima.read(data)
        count = len(self._data.config["instrument"] if isinstance(self._data, _dojima.Market) else self._data.instruments)
        if isinstance(instrument, bool) or not isinstance(instrument, int) or not 0 <= instrument < count:
            raise ValueError(f"instrument takes 0 to {count - 1}; got {instrument!r}")
        self._make: Callable[[], _Asking] = lambda: _Asking(period, levels, ticks, quantity, quantity * max_position, instrument)
        self._settings = settings
        # Errors of the settings are reported now.
        _dojima.Backtest(self._data, self._make(), **settings)
        self.action_space = gymnasium.spaces.MultiDiscrete([ticks + 1, ticks + 1])
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4 * levels + 2,), np.float64)
        self._strategy: _Asking | None = None
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._result: _dojima.Result | None = None
        self._equity = 0.0
        self._last: tuple[Any, float, dict[str, Any]] | None = None

    @property
    def data(self) -> "_dojima.Day | _dojima.Market":
        """What it runs over, read."""
        return self._data

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.begin(seed)
        return self.begun()

    def begin(self, seed: int | None = None) -> None:
        """The first half of reset(): the back-test goes off."""
        super().reset(seed=seed)
        self._stop()
        self._strategy = strategy = self._make()
        self._failure = self._result = None
        drawn = int(self.np_random.integers(1 << 62)) if seed is None else seed
        data = self._data
        if isinstance(data, _dojima.Market):
            data = data.changed({"market.seed": drawn % (1 << 62)})
        backtest = _dojima.Backtest(data, strategy, seed=drawn, **self._settings)

        def run() -> None:
            try:
                self._result = backtest.run()
            except _Stopped:
                pass
            except BaseException as thrown:
                self._failure = thrown
            strategy.shown.put(None)

        self._thread = threading.Thread(target=run, daemon=True, name="dojima.gym")
        _open.add(self)
        self._thread.start()

    def begun(self) -> tuple[Any, dict[str, Any]]:
        """The second half of reset(): waits for what begin() shows first."""
        is_over = self._wait()
        if self._last is None or is_over:
            raise ValueError("the market never has two sides at a wake: there is no step to take")
        seen, self._equity, info = self._last
        return seen, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.send(action)
        return self.receive()

    def send(self, action: Any) -> None:
        """The first half of step(): the back-test goes on."""
        if self._strategy is None or self._thread is None:
            raise RuntimeError("reset() begins an episode")
        wanted = np.asarray(action)
        if wanted.shape != (2,) or not np.issubdtype(wanted.dtype, np.integer) or not self.action_space.contains(
                wanted.astype(np.int64)):
            raise ValueError(f"action takes {self.action_space}; got {action!r}")
        self._strategy.asked.put((int(wanted[0]), int(wanted[1])))

    def receive(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The second half of step(): waits for what send() has led to."""
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
            shown = self._strategy.shown.get()
            if shown is None:
                if self._thread is not None:
                    self._thread.join()
                if self._failure is not None:
                    failure, self._failure = self._failure, None
                    self._strategy = self._thread = None
                    raise failure
                return True
            if len(shown) == 2:
                self._last = shown[0]
                continue
            self._last = shown
            return False

    def _stop(self) -> None:
        if self._strategy is not None and self._thread is not None:
            self._strategy.asked.put(None)
            self._thread.join()
        self._strategy = self._thread = self._last = None

    def close(self) -> None:
        self._stop()
        _open.discard(self)


class MarketMakingVector(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """So many MarketMaking at once over the same data, each with a seed of its own; between two steps they run beside each other.

    `arguments` are those of MarketMaking. An episode that has ended begins anew with the next step, whose action is passed over
    (Gymnasium's autoreset mode NEXT_STEP); the info of its last step has the `result`. reset(seed=n) gives the environments the
    seeds n, n + 1, ...; a sequence has one for each.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, data: "str | os.PathLike[str] | _dojima.Day | _dojima.Market", num_envs: int = 1, **arguments: Any) -> None:
        if isinstance(num_envs, bool) or not isinstance(num_envs, int) or not 1 <= num_envs <= 4096:
            raise ValueError(f"num_envs takes 1 to 4096; got {num_envs!r}")
        first = MarketMaking(data, **arguments)
        self.envs = [first] + [MarketMaking(first.data, **arguments) for _ in range(num_envs - 1)]
        self.num_envs = num_envs
        self.single_action_space, self.single_observation_space = first.action_space, first.observation_space
        self.action_space = gymnasium.vector.utils.batch_space(first.action_space, num_envs)
        self.observation_space = gymnasium.vector.utils.batch_space(first.observation_space, num_envs)
        self._seen = np.zeros((num_envs, *(first.observation_space.shape or ())))
        self._is_over = [False] * num_envs

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seeds = [None if seed is None else seed + at for at in range(self.num_envs)] if seed is None or isinstance(seed, int) \
            else list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed takes a number, or {self.num_envs} of them; got {len(seeds)}")
        for env, one in zip(self.envs, seeds, strict=True):
            env.begin(one)
        infos: dict[str, Any] = {}
        for at, env in enumerate(self.envs):
            self._seen[at], info = env.begun()
            infos = self._add_info(infos, info, at)
        self._is_over = [False] * self.num_envs
        return self._seen.copy(), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        wanted = np.asarray(actions)
        if wanted.shape != self.action_space.shape or not np.issubdtype(wanted.dtype, np.integer) or not self.action_space.contains(
                wanted.astype(np.int64)):
            raise ValueError(f"actions takes {self.action_space}; got {actions!r}")
        for env, action, is_over in zip(self.envs, wanted, self._is_over, strict=True):
            if is_over:
                env.begin()
            else:
                env.send(action)
        rewards, over = np.zeros(self.num_envs), np.zeros(self.num_envs, dtype=np.bool_)
        infos: dict[str, Any] = {}
        for at, env in enumerate(self.envs):
            if self._is_over[at]:
                self._seen[at], info = env.begun()
            else:
                self._seen[at], rewards[at], over[at], _, info = env.receive()
            infos = self._add_info(infos, info, at)
        self._is_over = over.tolist()
        return self._seen.copy(), rewards, over, np.zeros(self.num_envs, dtype=np.bool_), infos

    def close_extras(self, **kwargs: Any) -> None:
        for env in self.envs:
            env.close()


gymnasium.register("dojima/MarketMaking-v0", entry_point="dojima.gym:MarketMaking", vector_entry_point="dojima.gym:MarketMakingVector")
