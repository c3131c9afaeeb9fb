// dojima-bench-gateway: what an order costs on its way through a FIX gateway to a venue and back, beside a relay that
// has as many sockets and hops and reads nothing.

#include "gateway_tables.hpp"

#include "dojima/evidence/build_identity.hpp"

int main(int count, char** words) {
  using namespace dojima;
  return harness::run_benchmarks({.name = "gateway",
                                  .tables = {bench::answer_table(), bench::calls_table(), bench::dispatch_table(),
                                             bench::clients_table(), bench::recover_table()},
                                  .build = evidence::build_identity()},
                                 count, words);
}
