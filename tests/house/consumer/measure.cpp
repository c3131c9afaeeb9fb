// Measurement, installed: a histogram and a median. Exit status 0 when all came as expected.

#include <array>

#include "dojima/measure/histogram.hpp"
#include "dojima/measure/statistics.hpp"

int main() {
  dojima::measure::Histogram latencies;
  for (const unsigned value : {100U, 200U, 300U}) latencies.record(value);
  const std::array values{1.0, 2.0, 9.0};
  return latencies.value_at(0.5) >= 200 && dojima::measure::median(values) == 2.0 ? 0 : 1;
}
