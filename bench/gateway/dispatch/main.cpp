// dojima-gateway-dispatch-ENGINE: one of the engines of the translator's tables, for dojima-bench-gateway, which runs
// several in turn. Reads lines `memory|sockets in_order|out_of_order ORDERS` and answers each with the nanoseconds of
// its stages, or `error` and why.

#include "translation.hpp"

#include <cstdio>
#include <exception>
#include <fmt/core.h>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

using namespace dojima::bench;

class Program {
 public:
  StageTimes answer(const std::string& line) {
    std::istringstream words(line);
    std::string way, arrival;
    std::size_t orders = 0;
    words >> way >> arrival >> orders;
    if ((way != "memory" && way != "sockets") || (arrival != "in_order" && arrival != "out_of_order") || orders == 0 ||
        orders > k_batch_most)
      throw std::runtime_error("expected memory or sockets, in_order or out_of_order, and a number up to 256");
    std::unique_ptr<Translation>& world = way == "memory" ? memory_ : sockets_;
    if (world == nullptr) world = way == "memory" ? translation_in_memory() : translation_over_sockets();
    return world->run(arrival == "in_order" ? Arrival::in_order : Arrival::out_of_order, orders);
  }

 private:
  std::unique_ptr<Translation> memory_, sockets_;
};

}  // namespace

int main() {
  Program program;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const StageTimes times = program.answer(line);
      fmt::print("{} {} {} {} {} {} {} {}\n", times.to_request, times.request, times.venue, times.to_report,
                 times.report, times.to_client, times.total, times.timing);
    } catch (const std::exception& error) {
      fmt::print("error {}\n", error.what());
    }
    std::fflush(stdout);
  }
  return 0;
}
