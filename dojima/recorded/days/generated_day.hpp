#pragma once

// A day that never was: intents of an OrderFlow go through real books with matching, and what the books report becomes
// recorded events, as a reader gives them. So whatever eats recorded data eats this, and it is a valid market: orders
// queue, trade against each other at crossing prices, and are cancelled and amended by those who own them. The same
// configuration gives the same events on every machine.
//
//   GeneratedDay day({.flow = {.seed = 7, .rate = 5000}, .instruments = {{.symbol = "RICE"}}, .requests = 100'000});
//   while (day.next(event) == Next::event) ...
//
// Order numbers are dense from 1 up and never come back; a change that costs an order its place is `remove` and `add`
// with a new number. Trades are `execute` of the resting order, `other` their number. Memory as OrderTable's capacity.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dojima/book/book.hpp"
#include "dojima/flow/order_flow.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

struct GeneratedInstrument {
  std::string symbol = "RICE";
  std::uint8_t price_decimals = 4;
  std::uint8_t quantity_decimals = 0;
  std::int64_t tick = 100;             ///< price units, > 0
  std::int64_t reference = 1'000'000;  ///< price units, on the tick
};

struct GeneratedDayConfig {
  flow::FlowConfig flow;
  std::vector<GeneratedInstrument> instruments = {{}};
  Time start = time::from_nanoseconds(1'700'000'000'000'000'000);
  std::uint64_t requests = 0;       ///< end behind so many; 0: only the time ends it
  time::Duration length{};          ///< end behind this time; 0: only the requests end it
  std::size_t resting_target = 25;  ///< see decide()
  std::size_t capacity = 1 << 17;   ///< live orders
};

class GeneratedDay final : public RecordedReader {
 public:
  /// Throws std::invalid_argument for what makes no sense, std::bad_alloc.
  explicit GeneratedDay(GeneratedDayConfig config);
  ~GeneratedDay() override;

  [[nodiscard]] std::string_view format() const noexcept override { return "generated"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return 0; }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;

  /// Requests made so far.
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  /// When the last request was made.
  [[nodiscard]] Time now() const noexcept { return now_; }
  [[nodiscard]] const GeneratedDayConfig& config() const noexcept { return config_; }
  [[nodiscard]] const book::Book& book(std::uint32_t instrument) const noexcept;

 private:
  class Market;

  void decode(EventBatch& batch) override;

  GeneratedDayConfig config_;
  std::unique_ptr<Market> market_;
  std::uint64_t requests_ = 0;
  std::uint64_t trades_ = 0;
  Time now_;
  bool is_over_ = false;
};

}  // namespace dojima::recorded
