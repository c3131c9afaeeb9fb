// One strategy of the back-tests, three drivers: as fast as it can (event-driven), ten times as fast as live (paced),
// and live. Prints what each did and how long it took; fails when their logs differ. Takes about a second.

#include "quoter.hpp"

#include <chrono>
#include <cstdio>

namespace {

using namespace dojima;
using namespace three_drivers;

constexpr std::size_t k_prices = 1'000;

template <class PacerOf>
std::vector<std::string> timed(const char* name, PacerOf pacer_of) {
  time::SystemClock clock;
  const Time start = clock.now();
  auto pacer = pacer_of(clock, start);
  const auto log = run(pacer, start, k_prices, [](sched::Loop::Turn) {});
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(clock.now() - start);
  std::printf("%-12s %6zu lines in %8lld us\n", name, log.size(), static_cast<long long>(took.count()));
  return log;
}

}  // namespace

int main() {
  const auto event_driven = timed("event-driven", [](time::Clock&, Time start) { return sched::EventPacer(start); });
  const auto paced =
      timed("paced x10", [](time::Clock& clock, Time start) { return sched::PacedPacer(clock, start, 10); });
  const auto live = timed("live", [](time::Clock& clock, Time) { return sched::LivePacer(clock); });
  const bool is_same = event_driven == paced && event_driven == live;
  std::puts(is_same ? "the logs are identical" : "the logs differ");
  return is_same ? 0 : 1;
}
