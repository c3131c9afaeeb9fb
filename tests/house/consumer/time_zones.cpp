// The time zones of the system, installed: one is found by its name. Exit status 0 when all came as expected.

#include <chrono>

#include "dojima/time/zones.hpp"

int main() {
  const auto tokyo = dojima::time::load_zone("Asia/Tokyo");
  const dojima::time::Time noon = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20} + std::chrono::hours{3};
  return tokyo && dojima::time::clock_of(tokyo->local(noon)) == std::chrono::hours{12} ? 0 : 1;
}
