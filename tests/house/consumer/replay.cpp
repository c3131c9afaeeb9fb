// Replay of recorded days, installed: a file that is not there is an error in words. Exit status 0 when all came as
// expected.

#include "dojima/replay/replay.hpp"

#include <atomic>

int main() {
  dojima::replay::ReplaySettings settings;
  settings.file = "/no/such/file.csv";
  const auto result = dojima::replay::replay(settings, {}, [] { return false; });
  return !result && !result.error().empty() ? 0 : 1;
}
