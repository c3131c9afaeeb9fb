#pragma once

// The feed's messages as NASDAQ TotalView-ITCH 5.0, so that a reader of ITCH can read us: one message of ours becomes
// none, one or a few of its. ITCH counts in prices of four decimals and knows no order without a limit; what it has no
// message for is counted and left out, and so is all that follows about such an order. An order that is changed gets
// another reference number, as ITCH wants it; a change that keeps its priority is published as such only where it takes
// shares off. O(1) a message, but for OrderBookClear; nothing is allocated after construction. One thread.
//
//   ItchTranslator itch(sink, "12", limits, instruments);
//   itch.write('1', message);                                // -> sink.on_itch(...)

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/base/text.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/codec.hpp"

namespace dojima::mitch {

class ItchSink {
 public:
  /// One message, its type first. It dies when this returns.
  virtual void on_itch(Bytes message) = 0;

 protected:
  ~ItchSink() = default;
};

/// How an instrument is called in ITCH.
struct ItchInstrument {
  std::uint32_t id = 0;
  Text<8> stock;
};

inline constexpr std::size_t k_longest_itch = 50;

class ItchTranslator {
 public:
  /// For the market data groups of these names, with books of these capacities each. The stock locate of an instrument
  /// is its place here, from 1 on, at most 65,535; others are left out. Throws std::bad_alloc.
  ItchTranslator(ItchSink& sink, std::string_view groups, const BookBuilderLimits& books,
                 std::span<const ItchInstrument> instruments);

  /// An application message of the group, in its order.
  void write(char group, Bytes message);

  /// Facts that ITCH has no place for.
  [[nodiscard]] std::uint64_t untranslated() const noexcept { return untranslated_; }

  // What dispatch() calls, for the group in hand.
  void operator()(const Time& message);
  void operator()(const SystemEvent& message);
  void operator()(const SymbolDirectory& message);
  void operator()(const SymbolStatus& message);
  void operator()(const AddOrder& message);
  void operator()(const AddAttributedOrder& message);
  void operator()(const OrderDeleted& message);
  void operator()(const OrderModified& message);
  void operator()(const OrderBookClear& message);
  void operator()(const OrderExecuted& message);
  void operator()(const OrderExecutedWithPriceSize& message);
  void operator()(const Trade& message);
  void operator()(const AuctionTrade& message);
  void operator()(const AuctionInfo& message);
  void operator()(const Statistics&) {}
  void operator()(const TopOfBook&) {}

 private:
  struct Group {
    Group(char of, const BookBuilderLimits& limits) : name(of), books(limits), references(limits.orders) {}
    char name;
    std::uint64_t second = 0;
    BookBuilder books;  // before the message in hand
    FixedMap<std::uint64_t, std::uint64_t> references;
  };
  /// An order that readers of ITCH know.
  struct PublishedOrder {
    std::uint64_t* reference = nullptr;  // null: it was not
    DisplayedOrder order;
    std::uint32_t instrument = 0;
    std::uint16_t locate = 0;
  };
  class Message;

  [[nodiscard]] std::uint16_t locate_of(std::uint32_t instrument) const noexcept;
  [[nodiscard]] PublishedOrder find_published(std::uint64_t id);
  void add(const AddOrder& message, std::string_view attribution);
  void show(std::uint64_t& reference, const PublishedOrder& of, std::uint32_t quantity, std::uint32_t nanosecond,
            std::string_view attribution = {});
  void change(const PublishedOrder& of, std::uint32_t quantity, market::Price price, bool keeps_priority,
              std::uint32_t nanosecond);
  void take_off(const PublishedOrder& of, std::uint32_t quantity, std::uint32_t nanosecond);
  void remove(std::uint64_t id, std::uint32_t nanosecond);
  void write_trade(std::uint32_t instrument, std::uint64_t quantity, market::Price price, std::uint64_t trade,
                   std::uint32_t nanosecond);
  void break_trade(std::uint32_t instrument, std::uint64_t trade, std::uint32_t nanosecond);
  void system_event(char event, std::uint32_t nanosecond);

  ItchSink& sink_;
  std::vector<ItchInstrument> instruments_;
  FixedMap<std::uint32_t, std::uint16_t> locates_;
  std::vector<std::unique_ptr<Group>> groups_;
  Group* group_ = nullptr;  // in hand
  std::uint64_t next_reference_ = 1;
  std::uint64_t untranslated_ = 0;
};

}  // namespace dojima::mitch
