#pragma once

// The newest trades of a partition, with what is needed to take one back: a ring over their numbers, which follow each
// other without a gap. Part of the partition's state, because a bust must find the same trades when it is replayed.
// O(1), no allocation after construction. One thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/book/digest.hpp"
#include "dojima/market/report.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

/// One side of a trade, as reported to its owner. 40 bytes.
struct TradeSide {
  market::OrderId order;
  std::uint64_t execution = 0;
  Text<20> client_order_id;
  std::uint16_t user = 0;
  market::Side side = market::Side::none;
  market::Capacity capacity = market::Capacity::none;
};

/// 112 bytes.
struct TradeRecord {
  std::uint64_t number = 0;  ///< OwnerReport::trade; 0: none
  market::Price price;
  market::Quantity quantity;
  std::array<TradeSide, 2> sides;
  std::uint32_t instrument = 0;
  std::array<char, 2> liquidity{};  ///< of the sides
  bool is_busted = false;
  std::uint8_t reserved = 0;

  [[nodiscard]] bool is_auction() const noexcept { return liquidity[0] == 'C'; }
};
static_assert(sizeof(TradeRecord) == 112 && market::PlainRecord<TradeRecord>);

class Trades {
 public:
  /// 0: none is kept. Throws std::bad_alloc.
  explicit Trades(std::size_t capacity) : ring_(capacity) {}

  /// The record for a trade with this number, the newest one; null: none is kept.
  [[nodiscard]] TradeRecord* begin(std::uint64_t number) noexcept {
    if (ring_.empty()) return nullptr;
    TradeRecord& record = ring_[number % ring_.size()];
    kept_ += record.number == 0 ? 1 : 0;
    record = {.number = number, .sides = {}};
    return &record;
  }

  /// Records in use, of so many.
  [[nodiscard]] std::size_t kept() const noexcept { return kept_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return ring_.size(); }

  /// Null: the number is of no trade, or too many followed it.
  [[nodiscard]] TradeRecord* find(std::uint64_t number) noexcept {
    return const_cast<TradeRecord*>(static_cast<const Trades&>(*this).find(number));
  }
  [[nodiscard]] const TradeRecord* find(std::uint64_t number) const noexcept {
    if (ring_.empty() || number == 0) return nullptr;
    const TradeRecord& record = ring_[number % ring_.size()];
    return record.number == number ? &record : nullptr;
  }

  /// Those that are kept, in the order of their places.
  void save(StateWriter& out) const;
  /// What another capacity kept is taken as far as there is room, newest first. False: the reader failed.
  [[nodiscard]] bool load(StateReader& in);

 private:
  std::vector<TradeRecord> ring_;
  std::size_t kept_ = 0;
};

}  // namespace dojima::venue
