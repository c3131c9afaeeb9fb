// Studies of a machine, installed: a list of processors is read. Exit status 0 when all came as expected.

#include "dojima/instruments/cpu_list.hpp"

int main() {
  const auto cpus = dojima::instruments::parse_cpu_list("0,2-3");
  return cpus && cpus->size() == 3 ? 0 : 1;
}
