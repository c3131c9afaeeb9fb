// Replay of recorded days, installed: a file that is not there is an error in words. Exit status 0 when all came as
// expected.

#include "dojima/replay/replay.hpp"

#include "dojima/time/clock.hpp"

int main() {
  dojima::replay::ReplaySettings settings;
  settings.file = "/no/such/file.csv";
  dojima::time::SystemClock clock;
  const auto result = dojima::replay::replay(settings, {}, clock);
  return !result && !result.error().empty() ? 0 : 1;
}
