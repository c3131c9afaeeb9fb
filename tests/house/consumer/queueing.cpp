// Formulas of waiting lines, installed: the mean wait of M/M/1 at half load is its service. Exit status 0 when it is.

#include "dojima/queueing/formulas/markov_queues.hpp"

int main() {
  const auto station = dojima::queueing::mm1(0.5, 1);
  return station && station->means.wait > 0.999 && station->means.wait < 1.001 ? 0 : 1;
}
