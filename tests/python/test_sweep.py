"""Sweeps: the same bytes from every engine, also when they were interrupted."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dojima
from dojima._sweep import seed_of

GRID = {"period": ["100ms", "300ms", "1s"], "max_position": [2, 5], "quantity": [1, 3]}


def test_every_engine_gives_the_same_bytes(day_file, day, tmp_path):
    samples = tmp_path / "samples"
    samples.write_text("\n".join(map(str, range(100_000, 3_000_000, 77_777))))
    bytes_of = set()
    for at, (engine, workers) in enumerate([("threads", 1), ("threads", 3), ("processes", 2)]):
        out = tmp_path / f"sweep{at}"
        sweep = dojima.sweep("touch", GRID, day_file, engine=engine, workers=workers, out=out, seed=7, exchange="orders",
                             entry=f"samples:{samples}")
        assert len(sweep) == 12 and not sweep.troubles
        bytes_of.add((out.read_bytes(), sweep.csv()))
    assert len(bytes_of) == 1
    one = sweep.rows[5]
    alone = dojima.Backtest(day, "touch", one["point"], seed=one["seed"], exchange="orders", entry=f"samples:{samples}").run()
    assert (one["profit"], one["fills"]) == (alone.profit, len(alone.fills()))
    assert sweep.best()["profit"] == max(row["profit"] for row in sweep.rows)
    assert len({row["seed"] for row in sweep.rows}) == 12


def test_an_interrupted_sweep_goes_on(day_file, tmp_path):
    out, whole = tmp_path / "part", tmp_path / "whole"
    dojima.sweep("touch", GRID, day_file, out=whole)
    counts = []

    def stop(done, total):
        counts.append((done, total))
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dojima.sweep("touch", GRID, day_file, out=out, workers=1, progress=stop)
    with open(out, "ab") as file:
        file.write(b'{"point": {"cut off')  # as of a machine that lost power
    again = []
    dojima.sweep("touch", GRID, day_file, out=out, progress=lambda done, total: again.append(done))
    assert counts[-1] == (5, 12) and again == list(range(6, 13))
    assert out.read_bytes() == whole.read_bytes()
    with pytest.raises(ValueError, match="another sweep: seed"):
        dojima.sweep("touch", GRID, day_file, out=out, seed=2)
    with pytest.raises(ValueError, match="another sweep: settings"):
        dojima.sweep("touch", GRID, day_file, out=out, exchange="orders")
    (tmp_path / "text").write_text("not a sweep\n")
    with pytest.raises(ValueError, match="no file of a sweep"):
        dojima.sweep("touch", GRID, day_file, out=tmp_path / "text")
    assert (tmp_path / "text").read_text() == "not a sweep\n"


def test_a_run_that_fails_is_a_row(day):
    class Sometimes:
        def __init__(self, which):
            self.which = which

        def on_trade(self, desk, trade):
            if self.which == 1:
                raise LookupError("one")

    sweep = dojima.sweep(Sometimes, {"which": [0, 1, 2]}, day)
    assert [row["trouble"] is None for row in sweep.rows] == [True, False, True]
    assert "LookupError" in sweep.rows[1]["trouble"] and "event" in sweep.rows[1]["trouble"]
    assert sweep.columns()["profit"][1] is None and len(sweep.csv().splitlines()) == 4


def test_a_table_for_arrow_and_parquet(day, tmp_path):
    pa = pytest.importorskip("pyarrow.parquet")
    sweep = dojima.sweep("touch", GRID, day)
    sweep.write_parquet(tmp_path / "sweep.parquet")
    table = pa.read_table(tmp_path / "sweep.parquet")
    assert table.num_rows == 12 and table.column("profit").to_pylist() == [row["profit"] for row in sweep.rows]
    assert table.column("seed").to_pylist() == [row["seed"] for row in sweep.rows]


@given(st.integers(), st.dictionaries(st.text(max_size=3), st.one_of(st.integers(), st.text(max_size=3), st.booleans())))
def test_a_seed_is_of_the_point_alone(seed, point):
    turned = dict(reversed(list(point.items())))
    assert seed_of(seed, point) == seed_of(seed, turned) < 2**64
    assert seed_of(seed, point) != seed_of(seed + 1, point)


@pytest.mark.parametrize("arguments", [{"grid": []}, {"grid": {"period": "1s"}}, {"grid": {"period": []}},
                                       {"grid": {"quantity": [1, 1]}}, {"grid": {"quantity": [None]}},
                                       {"grid": {"quantity": [float("nan")]}}, {"grid": [{5: 1}]}, {"grid": {"colour": [1]}},
                                       {"grid": {"quantity": [1, -1]}}, {"engine": "ray"}, {"engine": "dask"}, {"engine": "processes"},
                                       {"workers": 0}, {"workers": True}, {"seed": "x"}, {"strategy": object()},
                                       {"strategy": "nobody"}, {"exchange": "venue"}, {"parameters": {}}, {"date": "2020-01-01"}])
def test_what_makes_no_sense_is_a_value_error(day, arguments):
    with pytest.raises(ValueError):
        dojima.sweep(arguments.pop("strategy", "touch"), arguments.pop("grid", GRID), day, **arguments)


def test_a_class_that_no_process_can_import_is_refused(day_file):
    class Local:
        def on_begin(self, desk):
            pass

    with pytest.raises(ValueError, match="threads"):
        dojima.sweep(Local, {"x": [1]}, day_file, engine="processes")


def test_ctrl_c_keeps_the_rows(day_file, tmp_path):
    out = tmp_path / "out"
    text = f"""
import dojima
if __name__ == "__main__":
    dojima.sweep("touch", {{"quantity": list(range(1, 5000))}}, {str(day_file)!r}, out={str(out)!r}, workers=2)
"""
    child = subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.DEVNULL)
    for _ in range(600):
        time.sleep(0.05)
        if out.exists() and len(out.read_text().splitlines()) > 5:
            break
    os.kill(child.pid, signal.SIGINT)
    assert child.wait(30) != 0
    rows = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    assert 5 <= len(rows) < 4999 and all(row["fills"] is not None for row in rows)


@pytest.fixture(scope="module")
def on_ray():
    """Ray, begun once: two workers of this machine, which import the package from where this process has it."""
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False,
             runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}})
    yield ray
    ray.shutdown()


class Joins(dojima.Strategy):
    """The workers import it from this file."""

    period = "100ms"

    def __init__(self, quantity):
        self.quantity = quantity

    def on_wake(self, desk):
        bid = desk.bid()
        if self.quantity == 13:
            raise LookupError("thirteen")
        if bid and not desk.orders:
            desk.buy(bid[0], self.quantity, post_only=True)


def test_ray_gives_the_same_bytes(on_ray, day_file, tmp_path):
    samples = tmp_path / "samples"
    samples.write_text("\n".join(map(str, range(100_000, 3_000_000, 77_777))))
    for at, (strategy, grid, data) in enumerate([("touch", GRID, day_file), (Joins, {"quantity": range(8, 20)}, day_file),
                                                 ("touch", {"quantity": [1, 2], "market.seed": range(3)}, dojima.market(length="1s"))]):
        results = []
        for engine in ("threads", "ray"):
            out = tmp_path / f"{engine}{at}"
            more = {"exchange": "orders"} if data is day_file else {}
            sweep = dojima.sweep(strategy, grid, data, engine=engine, out=out, seed=7, entry=f"samples:{samples}", **more)
            results.append((out.read_bytes(), sweep.csv()))
            assert len(sweep.troubles) == (1 if strategy is Joins else 0)
        assert results[0] == results[1]


def test_a_sweep_goes_on_with_another_engine(on_ray, day_file, tmp_path):
    out, whole = tmp_path / "part", tmp_path / "whole"
    dojima.sweep("touch", GRID, day_file, out=whole)

    def stop(done, total):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dojima.sweep("touch", GRID, day_file, out=out, engine="ray", progress=stop)
    again = []
    dojima.sweep("touch", GRID, day_file, out=out, engine="processes", progress=lambda done, total: again.append(done))
    assert 1 <= len(again) <= 7 and out.read_bytes() == whole.read_bytes()


def test_tasks_of_ray_carry_no_data(on_ray, day_file):
    captured = b"x" * 1_000_000

    class Captures(dojima.Strategy):
        def on_begin(self, desk):
            assert captured

    with pytest.raises(ValueError, match="captured"):
        dojima.sweep(Captures, {}, day_file, engine="ray")


def test_ray_refuses_a_file_that_is_another_one_by_now(on_ray, tmp_path):
    from conftest import RICE, generated
    from dojima import _sweep

    file = tmp_path / "day.events"
    dojima.events(generated(77, 200), RICE).write(file)  # one that no worker has read
    digest = _sweep._digest_of(file)
    file.write_bytes(file.read_bytes() + b"more")
    carried = on_ray.cloudpickle.dumps(("touch", None, {}, {}))
    with pytest.raises(ValueError, match="another file"):
        on_ray.get(on_ray.remote(_sweep._run_on_ray).remote(carried, str(file), digest, [({}, 1)]))


def test_without_ray_it_is_said_how_to_get_it(day_file, monkeypatch):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"dojima\[ray\]"):
        dojima.sweep("touch", GRID, day_file, engine="ray")


def test_the_page_has_the_means_of_each_pair(day, tmp_path):
    sweep = dojima.sweep("touch", GRID, day, exchange="orders")
    page = tmp_path / "sweep.html"
    sweep.report(page, title="Offsets & <more>")
    text = page.read_text()
    assert "http" not in text and "<script" not in text and "Offsets &amp; &lt;more&gt;" in text
    assert text.count('class="heat"') == 3  # of three parameters
    from dojima._sweep_page import number_text

    for period in GRID["period"]:
        for most in GRID["max_position"]:
            profits = [row["profit"] for row in sweep.rows if (row["point"]["period"], row["point"]["max_position"]) == (period, most)]
            assert len(profits) == 2 and f"<span>{number_text(sum(profits) / 2)}</span>" in text
    again = tmp_path / "again.html"
    dojima.sweep("touch", GRID, day, exchange="orders", workers=1).report(again, title="Offsets & <more>")
    assert again.read_bytes() == page.read_bytes()
    sweep.report(page, by="fills")
    with pytest.raises(ValueError, match="colour"):
        sweep.report(page, by="colour")
    with pytest.raises(OSError):
        sweep.report(tmp_path / "no" / "page.html")
    one = dojima.sweep("touch", {"quantity": [1, 2]}, day)
    one.report(page)
    assert 'class="heat"' not in page.read_text()


def test_the_optuna_example_finds_a_better_point():
    pytest.importorskip("optuna")
    import importlib.util
    from pathlib import Path

    spec = importlib.util.spec_from_file_location("optuna_study", Path(__file__).parents[2] / "examples" / "python" / "optuna_study.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    study, again = example.main(6), example.main(6)
    assert len(study.trials) == 6 and study.best_value == max(trial.value for trial in study.trials)
    assert [trial.value for trial in study.trials] == [trial.value for trial in again.trials]
