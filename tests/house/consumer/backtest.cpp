// A strategy over a recorded day, installed: a file that is not there is an error in words. Exit status 0 when all came
// as expected.

#include "dojima/backtest/backtest.hpp"

#include "dojima/time/clock.hpp"

int main() {
  dojima::backtest::BacktestSettings settings;
  settings.file = "/no/such/file.csv";
  dojima::time::SystemClock clock;
  const auto result = dojima::backtest::run_backtest(settings, {}, clock);
  return !result && !result.error().empty() ? 0 : 1;
}
