// Recorded days, installed: a format is known by its name. Exit status 0 when all came as expected.

#include "dojima/recorded/formats/format.hpp"

int main() {
  const auto format = dojima::recorded::format_named("lobster");
  return format && dojima::recorded::name_of(*format) == "lobster" ? 0 : 1;
}
