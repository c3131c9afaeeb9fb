#pragma once

// The best prices of one instrument and the changes of its recorded orders, as who waits in a queue sees them.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "dojima/market/order.hpp"
#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::queueing {

/// Both best prices and their quantities. A quantity of 0: that side is empty or not known.
struct Touch {
  std::int64_t bid = 0;
  std::int64_t ask = 0;
  std::int64_t bid_quantity = 0;
  std::int64_t ask_quantity = 0;
  friend bool operator==(const Touch&, const Touch&) = default;

  [[nodiscard]] bool is_market() const noexcept { return bid_quantity > 0 && ask_quantity > 0 && bid < ask; }
  [[nodiscard]] std::int64_t price(market::Side side) const noexcept { return side == market::Side::buy ? bid : ask; }
  [[nodiscard]] std::int64_t quantity(market::Side side) const noexcept {
    return side == market::Side::buy ? bid_quantity : ask_quantity;
  }
};

/// What an event did to the queues.
struct QueueChange {
  enum class Kind : std::uint8_t { none, entered, cancelled, executed, hidden_execution };
  Kind kind = Kind::none;
  market::Side side = market::Side::none;  ///< of the resting order
  std::int64_t price = 0;
  std::int64_t quantity = 0;    ///< that came or went; 0: an execution whose reduction is an event of its own
  std::uint64_t entry = 0;      ///< number of its entry, from 1; 0: it was there before the recording
  bool is_entered_too = false;  ///< cancelled: it rests again, at the back of this or of another level
};

class TouchFollower {
 public:
  explicit TouchFollower(std::uint32_t instrument) : instrument_(instrument) {}

  /// What the event does, which is then done. Only events of the instrument.
  [[nodiscard]] QueueChange apply(const recorded::RecordedEvent& event,
                                  std::span<const recorded::RecordedInstrument> instruments);
  /// Behind an event with k_last: the best prices as the recording shows them, else as its orders make them.
  [[nodiscard]] Touch touch() const noexcept;
  [[nodiscard]] const recorded::Depth* depth() const noexcept {
    return instrument_ < books_.size() ? &books_.of(instrument_) : nullptr;
  }
  /// Whether the recording shows its book beside its orders, and how deep.
  [[nodiscard]] std::size_t shown_levels() const noexcept { return shown_levels_; }
  /// Number of the last entry so far.
  [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }

 private:
  [[nodiscard]] QueueChange change_of(const recorded::RecordedEvent& event);
  [[nodiscard]] QueueChange gone(const recorded::RecordedEvent& event, std::int64_t quantity);
  void note_window(const recorded::RecordedEvent& event) noexcept;

  std::uint32_t instrument_;
  recorded::DepthBooks books_;
  std::unordered_map<std::uint64_t, std::uint64_t> entry_of_;  // by order; never iterated
  std::uint64_t entries_ = 0;
  Touch shown_;
  std::size_t shown_levels_ = 0;
};

}  // namespace dojima::queueing
