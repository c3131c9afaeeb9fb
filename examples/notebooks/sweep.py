# %% [markdown]
# # A sweep
# Every combination of parameters, on every core, into one table; the same table for any number of workers, and for a sweep that
# was interrupted and goes on.

# %%
import statistics

import dojima

market = dojima.market(length="10s")
grid = {"offset": [0, 1, 2], "max_position": [2, 10], "market.seed": range(4)}
sweep = dojima.sweep("touch", grid, market, seed=1, out="touch.sweep")
print(sweep, sweep.best("profit"), sep="\n")
assert len(sweep) == 24 and not sweep.troubles

# %% [markdown]
# Names with a point are keys of the market: here every setting trades in the same four markets, so that they can be compared.

# %%
for offset in grid["offset"]:
    for most in grid["max_position"]:
        profits = [row["profit"] for row in sweep.rows if (row["point"]["offset"], row["point"]["max_position"]) == (offset, most)]
        print(f"offset {offset}, at most {most:>2}: profit {statistics.mean(profits):8.3f}, from {min(profits):8.3f} to {max(profits):8.3f}")

# %% [markdown]
# The file has every row as it came: the same call again runs nothing.

# %%
again = []
assert dojima.sweep("touch", grid, market, seed=1, out="touch.sweep", progress=lambda *done: again.append(done)).rows == sweep.rows
assert not again
print(sweep.csv().splitlines()[0])
