# %% [markdown]
# # Impact
# Over a recorded day an order takes nothing from anybody. In the matching book (`match`) it takes what it takes, but nobody
# reacts. In a generated market the others react.


# %%
import json

import dojima

market = dojima.market(seed=4, length="40s")
day = market.day()


class Buyer(dojima.Strategy):
    """Buys `quantity` at the best ask each 100 ms for ten seconds, from the tenth on."""

    period = "100ms"

    def __init__(self, quantity):
        self.quantity, self.begin, self.asks = quantity, None, []

    def on_wake(self, desk):
        self.begin = self.begin or desk.now
        seconds = (desk.now - self.begin) / 1e9
        ask = desk.ask()
        if ask:
            self.asks.append((seconds, ask[0]))
        if ask and self.quantity and 10 <= seconds < 20:
            desk.buy(ask[0], self.quantity, time_in_force="ioc")


def mean_ask(asks, since, until):
    prices = [price for seconds, price in asks if since <= seconds < until]
    return sum(prices) / len(prices)


# %% [markdown]
# What the strategy sees in the generated market moves with what it buys; the recorded books do not.

# %%
moves = {}
for quantity in (0, 5, 20, 80):
    row = []
    for data, settings in ((market, {}), (day, {"exchange": "match"})):
        buyer = Buyer(quantity)
        result = dojima.Backtest(data, buyer, **settings).run()
        row.append(mean_ask(buyer.asks, 18, 20) - mean_ask(buyer.asks, 8, 10))
        bought = sum(account["filled"] for account in result.accounts())
    moves[quantity] = row
    print(f"{quantity:>3} each 100 ms: the ask moved {row[0]:7.2f} ticks in the market, {row[1]:7.2f} in the record; {bought:g} bought there")
assert moves[80][0] > moves[0][0] + 1 and moves[80][1] == moves[0][1]

# %% [markdown]
# How far the matching book has left its record: executions that met another order than then.

# %%
for quantity in (0, 80):
    artefact = json.loads(dojima.Backtest(day, Buyer(quantity), exchange="match").run().artefact())
    record = next(table for table in artefact["tables"] if table["name"] == "record")
    print(f"{quantity:>3} each 100 ms:", *record["rows"])
