# %% [markdown]
# # Auctions in a generated market
# Instruments with a timetable open and close by auction, and stop where a price breaks a band. A population is TOML, or a dict.

# %%
import collections

import dojima

POPULATION = """
[market]
seed = 7
start_s = 1800000000        # 2027-01-15 08:00:00 UTC
length_ms = 60000
news_a_minute = 300
news_ticks = 5

[[segment]]
name = "RICE"
start_of_day = "08:00:00"
opening_call = "08:00:02"
opening = "08:00:08"
closing_call = "08:00:48"
closing = "08:00:54"
cross_end = "08:00:57"
end_of_day = "08:00:58"
static_bp = 50
dynamic_bp = 6
halt_ms = 1000
reopening_call_ms = 2000

[[instrument]]
symbol = "KAGA"
segment = "RICE"
"""
market = dojima.market(POPULATION)
day = market.day()
print(market, day)

# %% [markdown]
# What happened: indicative prices while orders collect, states of the market, executions.

# %%
events = day.events()
kinds = collections.Counter(dojima.EventKind(kind).name for kind in events["kind"])
print(dict(kinds))
assert kinds["AUCTION"] and kinds["STATUS"] > 4

# %%
for row in (events["kind"] == dojima.EventKind.STATUS).nonzero()[0][:12]:
    print(str(events["event_time"][row])[11:23], "state", events["code"][row])

# %% [markdown]
# A strategy trades beside them. Nothing is lost or made: quantity and money of all come to 0, and the same seed gives the same
# state of the venue.

# %%
runs = [dojima.Backtest(market, "touch", {"quantity": 5}).run() for _ in range(2)]
print(runs[0].market)
assert runs[0].market == runs[1].market and runs[0].market["trouble"] is None
assert runs[0].market["auctions"] >= 2
assert runs[0].market["digest"] != dojima.Backtest(market.changed({"market.seed": 8}), "touch", {"quantity": 5}).run().market["digest"]
