#include "market.hpp"

namespace dojima::python {

std::shared_ptr<Day> day_of_market(const backtest::MarketConfig& config, const std::function<bool()>& is_interrupted) {
  auto day = std::make_shared<Day>();
  day->file = day->format = "market";
  backtest::Market market(config);
  backtest::EventStream& stream = market.stream();
  backtest::Exchange& exchange = market.exchange();
  day->instruments = stream.instruments();
  const auto take = [&] {
    day->events.insert(day->events.end(), exchange.feed.begin(), exchange.feed.end());
    exchange.feed.clear();
    exchange.reports.clear();
  };
  take();  // of its first instant
  std::uint64_t instants = 0;
  constexpr std::uint64_t k_instants_between = 4096;
  for (auto batch = stream.next_batch(); !batch.empty(); batch = stream.next_batch()) {
    for (const RecordedEvent& event : batch) exchange.on_event(event, day->instruments, event.event_time);
    take();
    if (++instants % k_instants_between == 0 && is_interrupted && is_interrupted()) break;
  }
  return day;
}

}  // namespace dojima::python
