#pragma once

// NASDAQ TotalView-ITCH 5.0: one message to its events (specification of 2014 and later, all message types). Orders:
// A, F `add`; E, C `execute`; X `reduce`; D `remove`; U `replace`. P is a `hidden_trade`, Q a `trade` in an auction, B
// a `trade_cancel`, I three `auction` events, H, h and S `status`, J, V and O `value` events, the rest `notice`. ITCH
// has the side only where an order enters: other order events have none. Prices have four decimals (those of V, of no
// stock, eight). O(1) per message, nothing is allocated but for a stock that was not there.
//
//   ItchMessages messages(instruments, midnight);
//   if (messages.add(batch, message, number, k_unknown_time) != nullptr) ...   // what is wrong with it

#include <array>
#include <cstdint>
#include <vector>

#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

class ItchMessages {
 public:
  /// `instruments` outlives this and gets what messages name.
  ItchMessages(std::vector<RecordedInstrument>& instruments, Time midnight);

  void set_midnight(Time midnight) noexcept { midnight_ = midnight; }

  /// The bytes of a message of this type; 0: there is none such.
  [[nodiscard]] static std::size_t size_of(char type) noexcept;

  /// Adds the events of one message, `message.front()` being its type. Null: done; else what is wrong (static text);
  /// nothing was added then.
  [[nodiscard]] const char* add(EventBatch& batch, std::string_view message, std::uint64_t number, Time receive_time);

  /// The messages of a file, each behind two bytes of length, as long as they are about orders and trades (A, E, X, D,
  /// U, P), whole, of stocks that were there, lie well within `bytes`, and the batch has room: how many bytes they
  /// have. `number` is that of the last message before, and then of the last one added. The same events as add() gives,
  /// without a branch on what a message says.
  [[nodiscard]] std::size_t add_usual(EventBatch& batch, std::string_view bytes, std::uint64_t& number);

  [[nodiscard]] std::vector<TypeCount> counts() const;

  /// The instrument that stands for the whole market.
  [[nodiscard]] std::uint32_t market() { return index_of(0, {}); }

 private:
  [[nodiscard]] RecordedEvent& begin(EventBatch& batch, EventKind kind);
  void add_order(EventBatch& batch);
  void add_execution(EventBatch& batch);
  void add_replace(EventBatch& batch);
  void add_trade(EventBatch& batch);
  void add_cross(EventBatch& batch);
  void add_imbalance(EventBatch& batch);
  void add_status(EventBatch& batch);
  void add_values(EventBatch& batch);
  void add_notice(EventBatch& batch);
  RecordedEvent& add_value(EventBatch& batch, ValueCode code, std::int64_t price);
  [[nodiscard]] std::uint32_t index_of(std::uint16_t locate, std::string_view stock);

  [[nodiscard]] std::uint16_t u16(std::size_t at) const noexcept;
  [[nodiscard]] std::uint32_t u32(std::size_t at) const noexcept;
  [[nodiscard]] std::uint64_t u64(std::size_t at) const noexcept;
  [[nodiscard]] std::uint64_t characters(std::size_t at, std::size_t size) const noexcept;

  std::vector<RecordedInstrument>& instruments_;
  Time midnight_;
  std::vector<std::uint32_t> index_of_locate_;  // 65,536
  std::array<std::uint64_t, 256> counts_{};
  // The message in hand.
  const char* at_ = nullptr;
  std::uint64_t number_ = 0;
  Time receive_time_;
};

}  // namespace dojima::recorded
