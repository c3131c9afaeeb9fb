// The benchmark harness, installed: results of no run make no tables. Exit status 0 when all came as expected.

#include "dojima/harness/bench_harness.hpp"

int main() {
  const dojima::harness::BenchProgram program;
  return program.name.empty() ? 0 : 1;
}
