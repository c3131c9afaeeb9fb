# %% [markdown]
# # What latency costs
# The same strategy over the same day, with longer and longer ways to the exchange and back: constant ones, drawn ones, and
# one that grows with the load of the exchange.

# %%
import dojima

day = dojima.market(seed=2, length="30s", keys={"market.news_a_minute": 600}).day()


def run(**latencies):
    return dojima.Backtest(day, "touch", {"period": "10ms"}, exchange="orders", **latencies).run()


# %%
rows = []
for one_way in ("10us", "100us", "1ms", "10ms", "50ms"):
    result = run(entry=one_way, response=one_way)
    account = result.accounts()[0]
    after = next(markout["gain"] for markout in result.markouts() if markout["after_ns"] == 1_000_000_000)
    rows.append((one_way, result.summary["fills"], account["too_late"], round(result.profit, 2), round(after, 5)))
print(f"{'one way':>8} {'fills':>6} {'too late':>9} {'profit':>8} {'gain after 1 s':>15}")
for row in rows:
    print("{:>8} {:>6} {:>9} {:>8} {:>15}".format(*row))
assert rows[-1][2] > rows[0][2], "the slow one asks for the cancel of what has been filled"

# %% [markdown]
# Drawn from measured values, a line each in nanoseconds; the same draws with the same seed. `dojima lab latency --out FILE`
# measures a venue, and `latency=FILE` takes what it wrote: each kind of message has its own times then.

# %%
with open("samples.txt", "w") as file:
    file.write("\n".join(str(nanoseconds) for nanoseconds in (80_000, 90_000, 100_000, 120_000, 2_000_000)))
drawn = [run(entry="samples:samples.txt", response="samples:samples.txt").fills_csv() for _ in range(2)]
assert drawn[0] == drawn[1]

# %%
with open("lab.csv", "w") as file:
    file.write("kind,sent,exchange,received\n")
    for at in range(0, 100_000_000, 1_000_000):
        file.write(f"submit,{at},{at + 40_000 + at // 1000},{at + 90_000 + at // 500}\n")
print(run(latency="lab.csv").summary["fills"], "fills with measured latencies")

# %% [markdown]
# Behind a burst of events messages wait: each event of the exchange is 20 us of work for one server.

# %%
loaded = run(entry="load:100us+20us", response="100us")
print(loaded.summary["fills"], "fills,", loaded.accounts()[0]["too_late"], "requests too late")
