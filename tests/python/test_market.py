"""Generated markets: the same from Python and from the program, and nothing that is asked of one ends the interpreter."""

import json
import pickle
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dojima

RICE = Path(__file__).parents[2] / "examples" / "market" / "rice.toml"
SMALL = {"market": {"length_ms": 2000}, "population": [{"kind": "noise", "count": 8, "actions_a_minute": 600},
                                                       {"kind": "market_maker", "count": 2, "actions_a_minute": 1200}]}
TEXT = """
[market]
length_ms = 2000
[[population]]
kind = "noise"
count = 8
actions_a_minute = 600
[[population]]
kind = "market_maker"
count = 2
actions_a_minute = 1200
"""


def test_a_path_a_text_and_a_dict_are_the_same_market(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(TEXT)
    markets = [dojima.market(of) for of in (SMALL, TEXT, file, str(file))]
    assert all(market == markets[0] for market in markets) and len({hash(market) for market in markets}) == 1
    assert dojima.market(markets[0].config) == markets[0]
    assert pickle.loads(pickle.dumps(markets[0])) == markets[0]
    assert markets[0].length == 2_000_000_000 and markets[0].seed == 1
    assert dojima.market() == dojima.market({}) != markets[0]
    assert "10 participants" in repr(markets[0])


def test_seed_length_and_keys_change_it():
    market = dojima.market(SMALL, seed=7, length="1.5s", keys={"population.0.count": 3, "instrument.0.symbol": "WHEAT"})
    assert (market.seed, market.length) == (7, 1_500_000_000)
    assert market.config["population"][0]["count"] == 3 and market.config["instrument"][0]["symbol"] == "WHEAT"
    odd = dojima.market(SMALL, length=1_234_567)  # no whole milliseconds
    assert odd.changed({"market.seed": 3}).length == odd.length == pickle.loads(pickle.dumps(odd)).length == 1_234_567
    assert odd.changed({"market.length_ms": 5}).length == 5_000_000
    assert market.day().events()["price"].tolist() == market.day().events()["price"].tolist()
    assert len(market.day()) != len(market.changed({"market.seed": 8}).day())


def test_its_day_is_one_like_others(tmp_path):
    day = dojima.market(SMALL, length="10s").day()
    assert len(day) > 300 and day.instruments[0].symbol == "RICE" and day.trouble is None
    trades = day.trades()
    assert len(trades) > 10
    day.write(tmp_path / "day.events")
    again = dojima.read(tmp_path / "day.events")
    assert again.events()["order"].tolist() == day.events()["order"].tolist()
    result = dojima.Backtest(day, "touch", exchange="orders").run()
    assert result.summary["unknown_orders"] == 0 and result.market is None
    assert dojima.Backtest(day, "touch", exchange="match").run().summary["events"] == len(day)


def test_a_strategy_that_asks_for_nothing_sees_its_day():
    seen = []

    class Watcher:
        def on_event(self, desk, event):
            seen.append((event.event_time, event.kind, event.order, event.price, event.quantity))

    market = dojima.market(SMALL)
    dojima.Backtest(market, Watcher, feed=0).run()
    table = market.day().events()
    columns = [table[name].astype("int64").tolist() for name in ("event_time", "kind", "order", "price", "quantity")]
    missing = -(2**63)
    reported = [tuple(missing if value is None else value for value in row) for row in seen]
    assert reported == list(zip(*columns)) and len(reported) > 50


@pytest.mark.parametrize("strategy", ["touch", "grid"])
def test_the_program_gives_the_same_bytes(program, tmp_path, strategy):
    csv, artefact = tmp_path / "fills.csv", tmp_path / "run.json"
    subprocess.run([program, "backtest", "--exchange", "market", "--population", RICE, "--set", "market.seed=11",
                    "--strategy", strategy, "--csv", csv, "--json", artefact, "--no-progress"],
                   check=True, stdout=subprocess.DEVNULL)
    market = dojima.market(RICE, seed=11)
    result = dojima.Backtest(market, strategy).run()
    assert result.fills_csv().encode() == csv.read_bytes() and len(result.fills()) > 20
    check = next(check for check in json.loads(artefact.read_text())["checks"] if check["name"] == "market")
    assert check["detail"].endswith("digest " + result.market["digest"])
    assert result.market["trouble"] is None and result.market["auctions"] > 0
    assert sum(result.market["positions"].values()) == -sum(account["position"] for account in result.accounts())
    assert result.summary["exchange"] == "market" and "generated market" in str(result)


def test_the_standard_keys_are_the_programs(program):
    text = subprocess.run([program, "backtest", "--default-population"], check=True, capture_output=True, text=True).stdout
    assert dojima.market(text) == dojima.market()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"population": 5}, "takes a path, TOML, or a dict"),
        ({"population": "[market\n"}, "the population: "),
        ({"population": {"market": 5}}, "market: takes a dict; got 5"),
        ({"population": {"market": {"seed": -1}}}, "market.seed: -1 is out of range"),
        ({"population": {"market": {"seed": 2**63}}}, "market.seed: takes an integer"),
        ({"population": {"market": {"seed": True}}}, "market.seed: takes an integer; got True"),
        ({"population": {"market": {"sede": 1}}}, 'market.sede: no such key; did you mean "seed"'),
        ({"population": {"population": {}}}, "population: takes a list of dicts"),
        ({"population": {"population": [5]}}, "population: takes a list of dicts"),
        ({"population": {"population": [{"kind": "bull"}]}}, r"population.0.kind: takes one of noise, value, .*; got 'bull'"),
        ({"population": {"population": [{"cuont": 1}]}}, 'population.0.cuont: no such key; did you mean "count"'),
        ({"population": {"population": [{"quantity_least": 9, "quantity_most": 3}]}}, "below quantity_least"),
        ({"population": {"segment": [{"name": "X", "opening": "soon"}]}}, "is not a time of day"),
        ({"population": {"segment": [{"name": "X", "halts_together": 1}]}}, "takes True or False"),
        ({"population": {"instrument": [{"symbol": "R\n"}]}}, "printable"),
        ({"population": {"instrument": []}}, "1 to 100 instruments"),
        ({"population": {"instrument": [{"segment": "NONE"}]}}, "there is no segment"),
        ({"population": {5: 1}}, "keys of a market are texts"),
        ({"keys": {"population.9.count": 1}}, "population.9.count: no such key"),
        ({"keys": {5: 1}}, "keys of a market are texts"),
        ({"keys": [1]}, "keys takes a dict"),
        ({"length": 0}, "above 0"),
        ({"length": "9000000s"}, "at most ten days"),
        ({"length": "soon"}, "is no time"),
        ({"length": "1s", "keys": {"market.length_ms": 5}}, "twice"),
        ({"seed": 1, "keys": {"market.seed": 1}}, "twice"),
        ({"seed": "x"}, "takes an integer"),
    ],
)
def test_what_makes_no_sense_is_a_value_error(arguments, words):
    with pytest.raises(ValueError, match=words):
        dojima.market(**arguments)


def test_a_file_that_is_not_there_and_one_that_is_no_toml(tmp_path):
    with pytest.raises(FileNotFoundError):
        dojima.market(tmp_path / "none.toml")
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="odd.toml"):
        dojima.market(tmp_path / "odd.toml")
    with pytest.raises(ValueError, match="/dev/zero: more than 64 MiB"):
        dojima.market("/dev/zero")
    (tmp_path / "odd.toml").write_text("[market\n")
    with pytest.raises(ValueError, match="odd.toml"):
        dojima.market(tmp_path / "odd.toml")


def test_a_market_is_its_own_exchange(day):
    market = dojima.market(SMALL)
    for wrong in ({"exchange": "levels"}, {"symbols": "RICE"}, {"start": 5}, {"until": 5}, {"format": "csv"}, {"symbol": "X"}):
        with pytest.raises(ValueError):
            dojima.Backtest(market, "touch", **wrong)
    with pytest.raises(ValueError, match="takes a Market"):
        dojima.Backtest(day, "touch", exchange="market")
    both = [dojima.Backtest(market, "touch", **more).run() for more in ({}, {"exchange": "market"})]
    assert both[0].fills_csv() == both[1].fills_csv() and both[0].market == both[1].market


def test_sweeps_have_the_seed_in_the_grid(tmp_path):
    market, whole, part = dojima.market(SMALL), tmp_path / "whole", tmp_path / "part"
    grid = {"quantity": [1, 2], "market.seed": range(3), "population.0.count": [4, 8]}
    files = []
    for engine, workers in (("threads", 2), ("processes", 2)):
        sweep = dojima.sweep("touch", grid, market, engine=engine, workers=workers, out=whole, seed=5)
        assert len(sweep) == 12 and not sweep.troubles
        files.append(whole.read_bytes())
        whole.unlink()
    assert files[0] == files[1]
    row = sweep.rows[7]
    keys = {name: row["point"][name] for name in ("market.seed", "population.0.count")}
    alone = dojima.Backtest(market.changed(keys), "touch", {"quantity": row["point"]["quantity"]}, seed=row["seed"]).run()
    assert (row["profit"], row["fills"]) == (alone.profit, len(alone.fills()))
    assert sweep.columns()["market.seed"] == [0, 0, 1, 1, 2, 2] * 2

    def stop(done, total):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dojima.sweep("touch", grid, market, out=part, workers=1, seed=5, progress=stop)
    rest = []
    dojima.sweep("touch", grid, market, out=part, seed=5, progress=lambda done, total: rest.append(done))
    assert part.read_bytes() == files[0] and rest == list(range(6, 13))
    with pytest.raises(ValueError, match="another sweep: data"):
        dojima.sweep("touch", grid, market.changed({"market.news_ticks": 9}), out=part, seed=5)
    with pytest.raises(ValueError, match="no such key"):
        dojima.sweep("touch", {"market.sede": [1]}, market)
    with pytest.raises(ValueError):
        dojima.sweep("touch", {"market.seed": [1]}, market.day())


number = st.one_of(st.integers(-3, 30), st.integers(-(2**70), 2**70), st.booleans(), st.none(), st.text(max_size=3))
small = st.integers(0, 12)
population = st.fixed_dictionaries(
    {},
    optional={"kind": st.sampled_from(["noise", "value", "momentum", "market_maker", "flow", "bull"]), "count": small,
              "actions_a_minute": st.integers(0, 3000), "quantity_least": small, "quantity_most": small, "depth": small,
              "threshold": small, "error": small, "takes": st.integers(0, 1001), "resting": small, "most_position": small,
              "arrivals": st.sampled_from(["poisson", "bursts", "hawkes"]), "odd": number})
instrument = st.fixed_dictionaries(
    {}, optional={"symbol": st.sampled_from(["A", "B", "", "\u00e9"]), "price_decimals": st.integers(0, 10),
                  "tick": st.integers(0, 20), "reference": st.sampled_from([0, 1, 100, 7000, 10_000, 10**12, 10**13]),
                  "segment": st.sampled_from(["", "X"])})
segment = st.fixed_dictionaries(
    {"name": st.sampled_from(["X", ""])},
    optional={name: st.sampled_from(["08:00:00", "08:00:00.050", "08:00:00.100", "08:00:00.150", "08:00:00.200", "09:00:00", "x"])
              for name in ("start_of_day", "opening_call", "opening", "closing_call", "closing", "cross_end", "end_of_day")}
    | {"random_end_ms": small, "halt_ms": small, "static_bp": st.integers(0, 40), "dynamic_bp": st.integers(0, 40)})
config = st.fixed_dictionaries(
    {"market": st.fixed_dictionaries({"length_ms": st.integers(0, 300)},
                                     optional={"seed": number, "news_a_minute": st.integers(0, 6000), "news_ticks": small,
                                               "value_range": st.integers(0, 200), "orders": st.sampled_from([0, 1, 16, 40])})},
    optional={"population": st.lists(population, max_size=3), "instrument": st.lists(instrument, max_size=2),
              "segment": st.lists(segment, max_size=1), "other": number})


@settings(max_examples=150, deadline=None)
@given(config)
def test_no_configuration_ends_the_interpreter(config):
    try:
        market = dojima.market(config)
    except ValueError:
        return
    day = market.day()
    result = dojima.Backtest(market, "touch", {"period": "10ms"}).run()
    assert result.market["trouble"] is None and dojima.market(market.config) == market
    if len(day):
        day.tops()


wild = st.one_of(st.integers(-2, 12), st.integers(9_900, 10_100), st.integers(-(2**63), 2**63 - 1))
action = st.tuples(st.sampled_from(["submit", "replace", "cancel"]), wild, wild, wild,
                   st.sampled_from(["limit", "market", "stop", "stop_limit", "peg"]), st.sampled_from(["gtc", "ioc", "fok", "day"]),
                   st.booleans(), wild, wild)


@settings(max_examples=60, deadline=None)
@given(st.lists(action, min_size=1, max_size=30))
def test_nothing_that_a_strategy_asks_ends_the_interpreter(actions):
    class Monkey:
        period = "20ms"
        todo = list(actions)

        def on_wake(self, desk):
            if not self.todo:
                return
            what, a, b, c, kind, time_in_force, post_only, displayed, stop = self.todo.pop()
            try:
                if what == "submit":
                    desk.submit(a % 4, b, c, type=kind, time_in_force=time_in_force, post_only=post_only, displayed=displayed,
                                stop=stop)
                else:
                    desk.replace(a, b, c) if what == "replace" else desk.cancel(a)
            except (ValueError, TypeError):
                pass

    result = dojima.Backtest(dojima.market(SMALL, length="700ms"), Monkey).run()
    assert result.market["trouble"] is None
