// The scheduler, installed: an event stamped by the scheduler prints a price. Exit status 0 when all came as expected.

#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "dojima/market/price.hpp"
#include "dojima/sched/scheduler.hpp"

namespace {

using namespace std::chrono_literals;
using dojima::time::Time;

class Quote final : public dojima::sched::Event {
 public:
  explicit Quote(dojima::market::Price price) : price_(price) {}

  void fire(Time due, void*) override {
    std::array<char, dojima::market::k_price_text_max> text{};
    is_right_ = due == Time{3s} && dojima::market::format_price(price_, text) == std::string_view{"123.45"};
  }
  [[nodiscard]] bool is_right() const { return is_right_; }

 private:
  dojima::market::Price price_;
  bool is_right_ = false;
};

}  // namespace

int main() {
  const auto price = dojima::market::parse_price("123.45");
  if (!price) return 1;
  Quote quote(*price);
  dojima::sched::Scheduler scheduler(4);
  if (!scheduler.schedule(quote, Time{3s})) return 1;
  const auto fired = scheduler.check(Time{5s}, 10);
  const bool is_right = fired.count == 1 && fired.is_drained && quote.is_right();
  std::printf("consumer of the installed rooms: %s\n", is_right ? "works" : "does not work");
  return is_right ? 0 : 1;
}
