// The room of time, installed: a timestamp is read. Exit status 0 when all came as expected.

#include <chrono>

#include "dojima/time/timestamp_text.hpp"

int main() {
  const auto read = dojima::time::parse_timestamp("20260105-09:00:00.250");
  return read && read->time_since_epoch() % std::chrono::seconds{1} == std::chrono::milliseconds{250} ? 0 : 1;
}
