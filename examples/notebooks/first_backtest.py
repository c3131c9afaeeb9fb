# %% [markdown]
# # A first back-test
# A day of orders, a strategy that is a class, and what came of it. The day is a generated one, so that nothing has to be
# downloaded: `dojima.read("day.gz")` reads a recorded one, in any format of docs/recorded-data.md.

# %%
import dojima

day = dojima.market(seed=1, length="60s").day()
print(day, day.instruments[0])

# %% [markdown]
# Tables give NumPy arrays without a copy; Polars, pandas and PyArrow take them whole.

# %%
tops = day.tops()
spread = (tops["ask_price"] - tops["bid_price"])[10:]
print(f"{len(tops)} changes of the best prices, mean spread {spread.mean():.4f}")

# %% [markdown]
# The strategy joins the best bid when it holds nothing, and the best ask when it does. It has no clock and does no I/O.


# %%
class Joiner(dojima.Strategy):
    period = "100ms"

    def on_wake(self, desk):
        bid, ask = desk.bid(), desk.ask()
        if not bid or not ask or desk.orders:
            return
        if desk.position() == 0:
            desk.buy(bid[0], 1, post_only=True)
        else:
            desk.sell(ask[0], 1, post_only=True)


result = dojima.Backtest(day, Joiner, exchange="orders", maker_fee="0.1bp").run()
print(result)

# %% [markdown]
# Money is exact to the unit: the account is that of the fills.

# %%
fills, account = result.fills(exact=True), result.accounts(exact=True)[0]
print(account)
assert len(fills) == account["fills"] > 4
result.report("first_backtest.html")
