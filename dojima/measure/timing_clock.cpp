#include "dojima/measure/timing_clock.hpp"

#include <cstdint>
#include <vector>

#include "dojima/measure/cycle_clock.hpp"
#include "dojima/measure/statistics.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::measure {

TimingClock measure_timing_clock() {
  constexpr std::size_t k_readings = 20'000;
  std::vector<std::uint64_t> differences(k_readings);
  for (std::uint64_t& difference : differences) {
    const time::Ticks before = time::read_ticks();
    difference = time::read_ticks().count - before.count;
  }
  const std::vector<double> values(differences.begin(), differences.end());
  return {.quantum_ns = quantum_of(differences), .reading_ns = median(values)};
}

}  // namespace dojima::measure
