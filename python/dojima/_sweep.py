"""A strategy over many points of its parameters, in threads, processes or on Ray, with the same result whoever runs it."""

import concurrent.futures
import hashlib
import importlib
import importlib.util
import inspect
import itertools
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import _dojima

Point = dict[str, Any]
Row = dict[str, Any]

_FIGURES = (
    "events", "wakes", "requests", "fills", "resting_at_the_end", "profit", "drawdown", "longest_fall_s", "sharpe_of_a_day",
    "sortino_of_a_day", "unknown_orders",
)
_TOTALS = (
    "fees", "turnover", "maker_fills", "round_trips", "winners", "trip_profit", "orders", "cancels", "replaces", "expired",
    "rejected", "too_late",
)
_OF_FILES = ("format", "date", "symbol")
ENGINES = ("threads", "processes", "ray")
#: What a task of Ray may carry beside its points, in bytes: more than a class with its parameters is data that it captured.
MOST_CARRIED = 1 << 18


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=str)


def seed_of(seed: int, point: Mapping[str, Any]) -> int:
    """A run's seed: of the sweep's and of its parameters alone, so that order and engine do not matter."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{_canonical(point)}".encode()).digest()[:8], "big")


def _points_of(grid: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]]) -> list[Point]:
    if isinstance(grid, Mapping):
        for name, values in grid.items():
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                raise ValueError(f"grid takes a sequence of values for {name!r}; got {values!r}")
        axes = {name: list(values) for name, values in grid.items()}
        points = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    else:
        points = [dict(point) for point in grid]
    if not points:
        raise ValueError("the grid has no points")
    seen = set()
    for point in points:
        for name, value in point.items():
            if not isinstance(name, str):
                raise ValueError(f"parameters have names; got {name!r}")
            if hasattr(value, "item") and not isinstance(value, (str, bytes)):
                value = point[name] = value.item()  # a number of NumPy's
            if not isinstance(value, (bool, int, float, str)):
                raise ValueError(f"parameter {name!r} takes numbers and texts in a sweep; got {value!r}")
        try:
            key = _canonical(point)
        except ValueError:
            raise ValueError(f"the point {point!r} has a number that is none") from None
        if key in seen:
            raise ValueError(f"the point {point!r} is there twice")
        seen.add(key)
    return points


def _parts_of(point: Point) -> tuple[Point, dict[str, Any]]:
    """The strategy's parameters, and the keys of a market, which have points in their names."""
    keys = {name: value for name, value in point.items() if "." in name}
    return {name: value for name, value in point.items() if name not in keys}, keys


def _placed(data: Any, point: Point) -> tuple[Any, Point]:
    """What a point runs over, and the parameters of its strategy."""
    if not isinstance(data, _dojima.Market):
        return data, point
    parameters, keys = _parts_of(point)
    return data.changed(keys) if keys else data, parameters


def _digest_of(data: Any) -> str:
    if isinstance(data, _dojima.Market):
        return hashlib.sha256(_canonical([data.config, data.length]).encode()).hexdigest()
    if isinstance(data, _dojima.Day):
        digest = hashlib.sha256(repr(data.instruments).encode())
        table = data.events()
        for name in table.keys():
            digest.update(memoryview(table.column(name)).cast("B"))
        return digest.hexdigest()
    with open(data, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _name_of(strategy: Any) -> str:
    """With the digest of its source, where that can be read: another code is another strategy."""
    if isinstance(strategy, str):
        return strategy
    name = f"{strategy.__module__}.{strategy.__qualname__}"
    try:
        return f"{name} {hashlib.sha256(inspect.getsource(strategy).encode()).hexdigest()[:16]}"
    except (OSError, TypeError):
        return name


def _run(strategy: Any, data: Any, point: Point, seed: int, settings: Mapping[str, Any]) -> Row:
    row: Row = {"point": point, "seed": seed}
    try:
        where, parameters = _placed(data, point)
        backtest = _dojima.Backtest(where, strategy, parameters, seed=seed, **settings)
        result = backtest.run()
    except Exception as thrown:
        notes = "; ".join(getattr(thrown, "__notes__", []))
        text = f"{type(thrown).__name__}: {thrown}".splitlines()[0]
        row["trouble"] = f"{text} ({notes})" if notes else text
        return row
    summary, accounts = result.summary, result.accounts()
    row["trouble"] = result.trouble or (result.market and result.market["trouble"])
    for name in _FIGURES:
        row[name] = summary[name]
    for name in _TOTALS:
        row[name] = sum(account[name] for account in accounts)
    return row


# A worker process reads its data once.
_worker: dict[str, Any] = {}


def _begin_worker(strategy: Any, data: Any, reading: dict[str, Any], settings: dict[str, Any]) -> None:
    day = data if isinstance(data, _dojima.Market) else _dojima.read(data, partial=True, **reading)
    _worker.update(strategy=strategy, day=day, settings=settings)


def _run_batch(points: list[tuple[Point, int]]) -> list[Row]:
    return [_run(_worker["strategy"], _worker["day"], point, seed, _worker["settings"]) for point, seed in points]


class _Journal:
    """The rows so far in a file, one a line: what is cut off in the middle of a line is done again."""

    def __init__(self, path: "str | os.PathLike[str]", header: dict[str, Any]) -> None:
        self._path, self._header = os.fspath(path), json.loads(_canonical(header))
        self.rows: dict[str, Row] = {}
        if os.path.exists(self._path):
            self._read()
        self._write(self.rows.values())
        self._file = open(self._path, "a", encoding="utf-8", newline="\n")

    def _read(self) -> None:
        with open(self._path, encoding="utf-8", errors="replace", newline="") as file:
            lines = file.read().split("\n")
        if not lines[-1]:
            lines.pop()
        try:
            header = json.loads(lines[0]) if lines else None
        except ValueError:
            header = None
        if not lines:
            return
        if not isinstance(header, dict) or "dojima_sweep" not in header:
            raise ValueError(f"{self._path} is no file of a sweep")
        if header != self._header:
            other = [name for name in self._header if header.get(name) != self._header[name]]
            raise ValueError(f"{self._path} is of another sweep: {', '.join(other) or 'settings'} differ")
        for line in lines[1:]:
            try:
                row = json.loads(line)
                self.rows[_canonical(row["point"])] = row
            except (ValueError, KeyError, TypeError):
                continue

    def _write(self, rows: Iterable[Row]) -> None:
        part = f"{self._path}.part"
        with open(part, "w", encoding="utf-8", newline="\n") as file:
            for line in (self._header, *rows):
                file.write(_canonical(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self._path)

    def add(self, row: Row) -> None:
        self._file.write(_canonical(row) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def finish(self, rows: Sequence[Row]) -> None:
        """In the order of the points: the same bytes, whoever ran them and in which order."""
        self.close()
        self._write(rows)


class Sweep:
    """What a sweep came to: a row for each point, in the order of the grid."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<dojima.Sweep of {len(self.rows)} points, {len(self.troubles)} failed>"

    @property
    def troubles(self) -> list[Row]:
        """The rows of runs that failed."""
        return [row for row in self.rows if row["trouble"] is not None]

    def best(self, figure: str = "profit") -> Row:
        """The row with the most of it. Raises ValueError when no row has it."""
        rows = [row for row in self.rows if row.get(figure) is not None]
        if not rows:
            raise ValueError(f"no row has a figure {figure!r}")
        return max(rows, key=lambda row: row[figure])

    def columns(self) -> dict[str, list[Any]]:
        """Parameters, seed and figures as columns; None where a run has none."""
        names = list(dict.fromkeys(name for row in self.rows for name in row["point"]))
        taken = {"seed", "trouble", *_FIGURES, *_TOTALS}
        columns = {f"set_{name}" if name in taken else name: [row["point"].get(name) for row in self.rows] for name in names}
        for name in ("seed", *_FIGURES, *_TOTALS, "trouble"):
            columns[name] = [row.get(name) for row in self.rows]
        return columns

    def csv(self) -> str:
        """The columns as text, a line for each point."""

        def cell(value: object) -> str:
            text = "" if value is None else repr(value) if isinstance(value, float) else str(value)
            return '"' + text.replace('"', '""') + '"' if any(letter in text for letter in ',"\n\r') else text

        columns = self.columns()
        lines = [",".join(map(cell, columns))]
        lines += (",".join(map(cell, row)) for row in zip(*columns.values(), strict=True))
        return "\n".join(lines) + "\n"

    def report(self, file: "str | os.PathLike[str]", by: str = "profit", title: str = "A sweep") -> None:
        """Writes a page for a browser: the best points by a figure, heat maps of its mean for pairs of parameters, all points.

        Raises OSError, and ValueError when no row has the figure.
        """
        from ._sweep_page import page_of

        text = page_of(self.rows, by, title)
        with open(file, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)

    def to_arrow(self) -> Any:
        """A table of PyArrow, which has to be installed."""
        import pyarrow  # type: ignore[import-untyped, unused-ignore]

        return pyarrow.table({name: pyarrow.array(values, pyarrow.uint64() if name == "seed" else None)
                              for name, values in self.columns().items()})

    def write_parquet(self, path: "str | os.PathLike[str]") -> None:
        """The columns as Parquet, by PyArrow; DuckDB and Polars query it."""
        import pyarrow.parquet  # type: ignore[import-untyped, unused-ignore]

        pyarrow.parquet.write_table(self.to_arrow(), os.fspath(path))


def _by_threads(strategy: Any, data: Any, settings: Mapping[str, Any], work: list[tuple[Point, int]],
                workers: int) -> Iterator[Row]:
    stop = threading.Event()

    def run(point: Point, seed: int) -> Row | None:
        return None if stop.is_set() else _run(strategy, data, point, seed, settings)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        tasks = [pool.submit(run, point, seed) for point, seed in work]
        try:
            for task in concurrent.futures.as_completed(tasks):
                row = task.result()
                if row is not None:
                    yield row
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _by_processes(strategy: Any, data: Any, reading: dict[str, Any], settings: dict[str, Any],
                  work: list[tuple[Point, int]], workers: int) -> Iterator[Row]:
    import multiprocessing
    import pickle

    try:
        pickle.dumps((strategy, reading, settings))
    except Exception as thrown:
        raise ValueError(f"engine \"processes\" needs what can be imported by its name: {thrown}; take \"threads\"") from None
    batch = max(1, min(64, len(work) // (4 * workers)))
    with concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin_worker,
                                                (strategy, data, reading, settings)) as pool:
        tasks = [pool.submit(_run_batch, work[at:at + batch]) for at in range(0, len(work), batch)]
        try:
            for task in concurrent.futures.as_completed(tasks):
                yield from task.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _run_on_ray(carried: bytes, path: "str | None", digest: str, points: list[tuple[Point, int]]) -> list[Row]:
    """A task: the data comes by its path, is read once in each worker, and has to be what was meant."""
    cloudpickle: Any = importlib.import_module("ray.cloudpickle")
    if _worker.get("digest") != digest:
        strategy, market, reading, settings = cloudpickle.loads(carried)
        if path is not None and _digest_of(path) != digest:
            raise ValueError(f"{path} is another file on this machine than where the sweep was begun")
        _begin_worker(strategy, market if path is None else path, reading, settings)
        _worker["digest"], _worker["carried"] = digest, carried
    elif _worker["carried"] != carried:
        strategy, _, _, settings = cloudpickle.loads(carried)
        _worker.update(strategy=strategy, settings=settings, carried=carried)
    return _run_batch(points)


def _by_ray(strategy: Any, data: Any, digest: str, reading: dict[str, Any], settings: dict[str, Any],
            work: list[tuple[Point, int]], workers: int | None) -> Iterator[Row]:
    # Any: where Ray is not installed, its types are not either.
    ray: Any = importlib.import_module("ray")
    cloudpickle: Any = importlib.import_module("ray.cloudpickle")
    market = data if isinstance(data, _dojima.Market) else None
    path = None if market is not None else os.path.abspath(os.fspath(data))
    carried = cloudpickle.dumps((strategy, market, reading, settings))
    if len(carried) > MOST_CARRIED:
        raise ValueError(f"the strategy and its settings are {len(carried):,} bytes for every task of Ray, more than {MOST_CARRIED:,}: "
                         "a class that has captured data should read it from a file")
    is_ours = not ray.is_initialized()
    if is_ours:
        ray.init(num_cpus=workers or len(os.sched_getaffinity(0)), include_dashboard=False, log_to_driver=False,
                 configure_logging=False)
    try:
        at_once = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        batch = max(1, min(64, len(work) // (4 * at_once)))
        waiting = [work[at:at + batch] for at in range(0, len(work), batch)]
        waiting.reverse()
        task = ray.remote(num_cpus=1, max_retries=3)(_run_on_ray)
        running: list[Any] = []
        try:
            while waiting or running:
                while waiting and len(running) < at_once + 1:
                    running.append(task.remote(carried, path, digest, waiting.pop()))
                done, running = ray.wait(running, num_returns=1)
                try:
                    rows = ray.get(done[0])
                except ray.exceptions.RayTaskError as thrown:
                    raise thrown.as_instanceof_cause() from None
                yield from rows
        finally:
            for one in running:
                ray.cancel(one)
    finally:
        if is_ours:
            ray.shutdown()


def sweep(strategy: Any, grid: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]],
          data: "str | os.PathLike[str] | _dojima.Day | _dojima.Market", *, engine: str = "threads", workers: int | None = None, seed: int = 1,
          out: "str | os.PathLike[str] | None" = None, progress: Callable[[int, int], None] | None = None,
          **settings: Any) -> Sweep:
    """Runs `strategy` at every point of `grid`: values by parameter, whose product it is, or the points themselves.

    `strategy` is a built-in one's name or a class; `settings` are those of Backtest. A run's seed follows from `seed` and its
    parameters, so the result is the same, to the byte, with every engine, any number of workers and in any order.

    In a generated market, `data`, the names of keys have points: {"market.seed": range(20), "population.0.count": [20, 40]}.

    engine "threads": the data is read once; C++ runs at once on every core, Python strategies one at a time. "processes": each
    of them reads the file `data` once, and the class must be one that can be imported. "ray": as tasks of Ray, which has to be
    installed (`pip install dojima[ray]`), on the cluster that ray.init() has joined or on this machine; each of its workers reads
    the file `data`, which has to be the same under this path on every machine.
    out: a file that keeps each row as it comes; the same call goes on where an interrupted one ended.
    progress: called with how many points are done, and of how many.

    A run that fails is a row with `trouble`, and the sweep goes on. Raises ValueError, FileNotFoundError.
    """
    points = _points_of(grid)
    if engine not in ENGINES:
        raise ValueError(f"engine takes one of {', '.join(ENGINES)}; got {engine!r}")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= 1024):
        raise ValueError(f"workers takes 1 to 1024; got {workers!r}")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed takes a whole number; got {seed!r}")
    if "parameters" in settings:
        raise ValueError("parameters are what the grid has")
    if not isinstance(strategy, str) and not isinstance(strategy, type):
        raise ValueError("strategy takes a name or a class, which is made anew for each run")
    is_day, is_market = isinstance(data, _dojima.Day), isinstance(data, _dojima.Market)
    if is_day and engine != "threads":
        raise ValueError(f"engine \"{engine}\" reads a file in each process: give its name, not a Day")
    if engine == "ray" and importlib.util.find_spec("ray") is None:
        raise ValueError("engine \"ray\" needs Ray, which is not installed: pip install dojima[ray]")
    reading = {name: settings.pop(name) for name in _OF_FILES if name in settings}
    if (is_day or is_market) and reading:
        raise ValueError(f"{', '.join(reading)} are of files; this day has been read")
    # Errors of the settings or of a point of a built-in strategy are reported before anything runs.
    day: Any = data if isinstance(data, (_dojima.Day, _dojima.Market)) else _dojima.read(data, partial=True, **reading)
    for at, point in enumerate(points):
        where, parameters = _placed(day, point)
        if at == 0 or isinstance(strategy, str):
            _dojima.Backtest(where, strategy, parameters, seed=seed_of(seed, point), **settings)

    journal = None
    done: dict[str, Row] = {}
    digest = _digest_of(data) if out is not None or engine == "ray" else ""
    if out is not None:
        header = {"dojima_sweep": 1, "strategy": _name_of(strategy), "data": digest, "seed": seed,
                  "settings": settings, "reading": reading}
        journal = _Journal(out, header)
        done = journal.rows
    work = [(point, seed_of(seed, point)) for point in points if _canonical(point) not in done]
    source = data if isinstance(data, (_dojima.Market, _dojima.Day)) else os.fspath(data)
    at_once = workers or len(os.sched_getaffinity(0))
    if engine == "threads":
        rows = _by_threads(strategy, day, settings, work, at_once)
    elif engine == "processes":
        rows = _by_processes(strategy, source, reading, settings, work, at_once)
    else:
        rows = _by_ray(strategy, source, digest, reading, settings, work, workers)
    try:
        for count, row in enumerate(rows, len(points) - len(work) + 1):
            done[_canonical(row["point"])] = row
            if journal is not None:
                journal.add(row)
            if progress is not None:
                progress(count, len(points))
    except BaseException:
        if journal is not None:
            journal.close()
        raise
    # As they come back from a file, whether they do or not.
    kept = [json.loads(_canonical(done[_canonical(point)])) for point in points]
    for row, point in zip(kept, points, strict=True):
        row["point"] = point
    if journal is not None:
        journal.finish(kept)
    return Sweep(kept)
