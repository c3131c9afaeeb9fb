// Models of order flow, installed: arrivals come one after the other. Exit status 0 when all came as expected.

#include "dojima/flow/arrivals.hpp"
#include "dojima/flow/random.hpp"

int main() {
  dojima::flow::Random random(1);
  dojima::flow::Arrivals arrivals({.model = dojima::flow::ArrivalModel::poisson}, 1000, random);
  return arrivals.next(random).count() >= 0 ? 0 : 1;
}
