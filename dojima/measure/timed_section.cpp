#include "dojima/measure/timed_section.hpp"

#include <cstdio>

namespace dojima::measure {

std::string to_text(const SectionCost& cost, const CycleClock& clock) {
  char line[200];
  std::snprintf(line, sizeof line, "an empty section shows %llu ns (p99 %llu ns) and takes %.1f ns; clock step %.1f ns",
                static_cast<unsigned long long>(cost.shown_p50_ns), static_cast<unsigned long long>(cost.shown_p99_ns),
                cost.whole_ns, clock.quantum_ns());
  return line;
}

}  // namespace dojima::measure
