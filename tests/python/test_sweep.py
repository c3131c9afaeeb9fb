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
                                       {"grid": {"quantity": [1, -1]}}, {"engine": "ray"}, {"engine": "processes"},
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
