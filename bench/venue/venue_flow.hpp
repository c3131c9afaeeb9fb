#pragma once

// The commands that all tables of dojima-bench-venue are about, and the partition that they are for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "dojima/base/splitmix.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace dojima::bench_venue {

constexpr std::uint32_t k_instruments = 4;
constexpr std::size_t k_users = 8;
constexpr std::int64_t k_tick = 1'000'000;
constexpr time::Time k_start = time::from_nanoseconds(1'800'000'000'000'000'000);

inline venue::PartitionSettings settings_of(std::size_t orders) {
  venue::PartitionSettings settings{.config = {.app_id = 1}, .build = "bench"};
  for (std::uint32_t id = 1; id <= k_instruments; ++id)
    settings.config.instruments.push_back(
        {.id = id,
         .symbol = "I" + std::to_string(id),
         .ticks = market::TickTable::uniform({k_tick}, {k_tick}, {100'000 * k_tick}).value(),
         .maximum_quantity = {1'000'000},
         .reference = {10'000 * k_tick}});
  settings.config.users.resize(k_users);
  settings.user_names.resize(k_users);
  settings.config.limits = {.orders = orders, .levels = 1 << 14, .reports = std::size_t{1} << 16};
  return settings;
}

/// An endless flow that is the same for everybody and keeps its size: of eleven commands five new orders around a
/// price, half of which cross, five cancels, of each order that was entered 2,000 orders before, traded or not, and a
/// replace. Orders are meant by client order ids, so no answer is needed to make the next command.
class Flow {
 public:
  /// Calls `submit(header)` with the next command.
  template <class Submit>
  void next(Submit&& submit) {
    const std::uint64_t pick = step_++ % 11;
    if (entered_ < k_memory || (pick < 10 && pick % 2 == 0)) return submit(new_order().header);
    if (pick < 10) return submit(cancel().header);
    submit(replace().header);
  }

  market::NewOrder& new_order() {
    const std::uint64_t number = entered_++;
    const std::uint64_t shape = hash(number);
    order_ = {};
    order_.header.instrument = 1 + static_cast<std::uint32_t>(number % k_instruments);
    order_.header.user = static_cast<std::uint16_t>(shape % 8);
    order_.terms.owner = order_.header.user;
    const bool is_buy = (shape >> 8U & 1U) == 0;
    order_.terms.side = is_buy ? market::Side::buy : market::Side::sell;
    const std::int64_t away = static_cast<std::int64_t>(shape >> 9U & 15U) - 8;
    const std::int64_t ticks = 10'000 + (is_buy ? -away : away);
    order_.terms.limit = {ticks * k_tick};
    order_.terms.quantity = order_.terms.displayed = {static_cast<std::int64_t>(100 + (shape >> 40U) % 900)};
    order_.terms.type = market::OrderType::limit;
    order_.terms.capacity = market::Capacity::dealing;
    order_.labels.client_order_id = id_of(number);
    return order_;
  }

 private:
  static constexpr std::uint64_t k_memory = 2'000;  // orders that may still be there

  market::Cancel& cancel() {
    const std::uint64_t number = entered_ - k_memory;
    cancel_ = {};
    cancel_.header.instrument = 1 + static_cast<std::uint32_t>(number % k_instruments);
    cancel_.header.user = static_cast<std::uint16_t>(hash(number) % 8);
    cancel_.side = (hash(number) >> 8U & 1U) == 0 ? market::Side::buy : market::Side::sell;
    cancel_.original_client_order_id = id_of(number);
    cancel_.client_order_id = id_of(number);
    return cancel_;
  }
  market::Replace& replace() {
    const std::uint64_t number = entered_ - 1 - below(k_memory);
    const std::uint64_t shape = hash(number);
    replace_ = {};
    replace_.header.instrument = 1 + static_cast<std::uint32_t>(number % k_instruments);
    replace_.header.user = static_cast<std::uint16_t>(shape % 8);
    const bool is_buy = (shape >> 8U & 1U) == 0;
    replace_.side = is_buy ? market::Side::buy : market::Side::sell;
    const std::int64_t away = 5 + static_cast<std::int64_t>(below(20));
    replace_.limit = {(10'000 + (is_buy ? -away : away)) * k_tick};
    replace_.quantity = replace_.displayed = {static_cast<std::int64_t>(1000 + below(100))};
    replace_.original_client_order_id = replace_.client_order_id = id_of(number);
    return replace_;
  }

  static Text<20> id_of(std::uint64_t number) {
    std::array<char, 20> text{};
    for (std::size_t at = 0; at < 10; ++at, number >>= 4U) text[at] = static_cast<char>('A' + (number & 15U));
    return Text<20>::cut({text.data(), 10});
  }
  static std::uint64_t hash(std::uint64_t value) { return splitmix64(value); }
  std::uint64_t below(std::uint64_t bound) { return hash(random_ += 0x9e3779b97f4a7c15U) % bound; }

  std::uint64_t step_ = 0;
  std::uint64_t entered_ = 0;
  std::uint64_t random_ = 7;
  market::NewOrder order_;
  market::Cancel cancel_;
  market::Replace replace_;
};

/// Reads what there is, as a front would, and forgets it.
inline std::uint64_t drain(const venue::Partition& partition, venue::Cursor& cursor) {
  std::uint64_t count = 0;
  for (auto batch = partition.reports().read(cursor, partition.durable()); !batch.reports.empty();
       batch = partition.reports().read(cursor, partition.durable()))
    count += batch.reports.size();
  return count;
}

}  // namespace dojima::bench_venue
