"""Parameters of a market maker by Optuna: each trial is a back-test over the same markets, and other markets have the last word.

    pip install dojima optuna
    python optuna_study.py [TRIALS]

A trial's value is the mean profit over four generated markets, whose seeds are the same for every trial, so that trials can be
compared; the best point is then held against the standard one in markets that no trial has seen. The same seeds give the same study.
"""

import statistics
import sys

import optuna

import dojima

SEEN, UNSEEN = range(1, 5), range(101, 105)


def profit_of(parameters: dict[str, object], seeds: range) -> float:
    grid = [parameters | {"market.seed": seed} for seed in seeds]
    sweep = dojima.sweep("grid", grid, dojima.market(length="10s"), entry="200us", response="200us")
    if sweep.troubles:
        raise RuntimeError(sweep.troubles[0]["trouble"])
    return statistics.mean(row["profit"] for row in sweep.rows)


def objective(trial: optuna.Trial) -> float:
    return profit_of({"levels": trial.suggest_int("levels", 1, 5), "spacing": trial.suggest_int("spacing", 1, 6),
                      "period": f"{trial.suggest_int('period_ms', 10, 400, log=True)}ms"}, SEEN)


def main(trials: int) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(objective, n_trials=trials)
    best = {"levels": study.best_params["levels"], "spacing": study.best_params["spacing"],
            "period": f"{study.best_params['period_ms']}ms"}
    print(f"best of {trials}: {best}, profit {study.best_value:.3f}")
    print(f"in markets that no trial has seen: {profit_of(best, UNSEEN):.3f}, standard parameters {profit_of({}, UNSEEN):.3f}")
    return study


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
