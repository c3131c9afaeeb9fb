# %% [markdown]
# # Queue models against the truth
# Most recorded days have levels, not orders, so the place in a queue has to be estimated. On a day with orders it is known:
# the same strategy through the exchange `orders`, where its place is exact, and through `levels` with each model.

# %%
import dojima

day = dojima.market(seed=3, length="60s").day()
MODELS = ("risk_averse", "power1", "power2", "power3:3", "log1", "log2")


def run(**settings):
    return dojima.Backtest(day, "touch", {"period": "100ms"}, entry="1ms", response="1ms", **settings).run()


# %%
truth = run(exchange="orders")
rows = [("the truth", truth)] + [(model, run(exchange="levels", queue=model)) for model in MODELS]
print(f"{'model':>12} {'fills':>6} {'of the truth':>13} {'profit':>9}")
for name, result in rows:
    share = result.summary["fills"] / truth.summary["fills"]
    print(f"{name:>12} {result.summary['fills']:>6} {share:>12.1%} {result.profit:>9.2f}")

# %% [markdown]
# Nobody is filled later than who counts everybody as ahead.

# %%
fills = {name: result.summary["fills"] for name, result in rows}
assert truth.summary["fills"] > 20
assert fills["risk_averse"] <= min(fills[model] for model in MODELS if model != "risk_averse")

# %% [markdown]
# One run compares strategies that went different ways after the first difference. `dojima backtest calibrate` compares orders
# one by one: probes that never depend on their fills.
