#include "dojima/measure/pinning.hpp"

#include <cerrno>
#include <sched.h>
#include <system_error>

namespace dojima::measure {
namespace {

std::string last_error() {
  return std::error_code(errno, std::generic_category()).message();
}

}  // namespace

Pinning current_pinning() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {std::nullopt, last_error()};
  if (CPU_COUNT(&allowed) != 1) {
    return {std::nullopt, "the thread may run on " + std::to_string(CPU_COUNT(&allowed)) + " processors"};
  }
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) return {cpu, {}};
  }
  return {std::nullopt, "no processor allowed"};
}

Pinning pin_to_processor(std::optional<int> wanted) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {std::nullopt, last_error()};
  int chosen = wanted.value_or(-1);
  for (int cpu = 0; !wanted && cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) chosen = cpu;
  }
  if (chosen < 0 || chosen >= CPU_SETSIZE) return {std::nullopt, "no such processor"};
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(chosen), &one);
  if (::sched_setaffinity(0, sizeof one, &one) != 0) {
    return {std::nullopt, "processor " + std::to_string(chosen) + ": " + last_error()};
  }
  return current_pinning();
}

}  // namespace dojima::measure
