#include "dojima/recorded/formats/itch_messages.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "dojima/base/straight_line.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

constexpr std::uint32_t k_no_index = 0xffffffff;
constexpr std::uint8_t k_market_decimals = 8;

struct MessageFacts {
  char type;
  std::uint8_t size;
  std::uint8_t stock_at;  // 0: it names none
};

/// Every type with its size, and where the stock's name is.
constexpr std::array k_messages = {
    MessageFacts{'S', 12, 0},  MessageFacts{'R', 39, 11}, MessageFacts{'H', 25, 11}, MessageFacts{'Y', 20, 11},
    MessageFacts{'L', 26, 15}, MessageFacts{'V', 35, 0},  MessageFacts{'W', 12, 0},  MessageFacts{'K', 28, 11},
    MessageFacts{'J', 35, 11}, MessageFacts{'h', 21, 11}, MessageFacts{'A', 36, 24}, MessageFacts{'F', 40, 24},
    MessageFacts{'E', 31, 0},  MessageFacts{'C', 36, 0},  MessageFacts{'X', 23, 0},  MessageFacts{'D', 19, 0},
    MessageFacts{'U', 35, 0},  MessageFacts{'P', 44, 24}, MessageFacts{'Q', 40, 19}, MessageFacts{'B', 19, 0},
    MessageFacts{'I', 50, 28}, MessageFacts{'N', 20, 11}, MessageFacts{'O', 48, 11}};

constexpr std::array<MessageFacts, 256> k_by_type = [] {
  std::array<MessageFacts, 256> facts{};
  for (const MessageFacts& one : k_messages) facts[static_cast<unsigned char>(one.type)] = one;
  return facts;
}();

const MessageFacts& facts_of(char type) noexcept {
  return k_by_type[static_cast<unsigned char>(type)];
}

/// Where a usual message has its numbers; 0: it has none. The order's number is in the same place in all.
struct UsualMessage {
  std::uint8_t size = 0;  // 0: not usual
  std::uint8_t other_at = 0;
  std::uint8_t quantity_at = 0;
  std::uint8_t price_at = 0;
  EventKind kind = EventKind::none;
  std::uint8_t side_of_indicator = 0;  // which row of k_sides
};
constexpr std::size_t k_order_at = 11, k_indicator_at = 19, k_time_at = 3, k_locate_at = 1;
/// No usual message is longer, with its length and the bytes that are read behind it.
constexpr std::size_t k_usual_room = 64;
enum : std::uint8_t { k_no_side, k_own_side, k_other_side };
constexpr std::array<UsualMessage, 256> k_usual = [] {
  std::array<UsualMessage, 256> usual{};
  usual['A'] = {36, 0, 20, 32, EventKind::add, k_own_side};
  usual['E'] = {31, 23, 19, 0, EventKind::execute, k_no_side};
  usual['X'] = {23, 0, 19, 0, EventKind::reduce, k_no_side};
  usual['D'] = {19, 0, 0, 0, EventKind::remove, k_no_side};
  usual['U'] = {35, 19, 27, 31, EventKind::replace, k_no_side};
  usual['P'] = {44, 36, 20, 32, EventKind::hidden_trade, k_other_side};
  return usual;
}();
constexpr auto k_sides = [] {
  std::array<std::array<Side, 256>, 3> sides{};
  sides[k_own_side]['B'] = sides[k_other_side]['S'] = Side::buy;
  sides[k_own_side]['S'] = sides[k_other_side]['B'] = Side::sell;
  return sides;
}();
constexpr std::uint64_t k_six_bytes = (std::uint64_t{1} << 48) - 1;

constexpr Side side_of(char indicator) noexcept {
  if (indicator == 'B') return Side::buy;
  return indicator == 'S' ? Side::sell : Side::none;
}

constexpr MarketState state_of(char trading_state) noexcept {
  switch (trading_state) {
    case 'T':
      return MarketState::trading;
    case 'H':
      return MarketState::halted;
    case 'P':
      return MarketState::paused;
    case 'Q':
      return MarketState::quoting;
    default:
      return MarketState::unknown;
  }
}

constexpr MarketState state_of_event(char code) noexcept {
  switch (code) {
    case 'O':
      return MarketState::start_of_messages;
    case 'S':
      return MarketState::pre_open;
    case 'Q':
      return MarketState::trading;
    case 'M':
      return MarketState::closing;
    case 'E':
      return MarketState::closed;
    case 'C':
      return MarketState::end_of_messages;
    default:
      return MarketState::unknown;
  }
}

template <class Number>
Number network(const char* at) noexcept {
  Number value;
  std::memcpy(&value, at, sizeof value);
  return std::byteswap(value);
}

}  // namespace

ItchMessages::ItchMessages(std::vector<RecordedInstrument>& instruments, Time midnight)
    : instruments_(instruments), midnight_(midnight), index_of_locate_(std::size_t{1} << 16, k_no_index) {}

std::size_t ItchMessages::size_of(char type) noexcept {
  return facts_of(type).size;
}

std::vector<TypeCount> ItchMessages::counts() const {
  std::vector<TypeCount> counts;
  for (const MessageFacts& facts : k_messages) {
    const std::uint64_t count = counts_[static_cast<unsigned char>(facts.type)];
    if (count != 0) counts.push_back({std::string(1, facts.type), count});
  }
  return counts;
}

std::uint16_t ItchMessages::u16(std::size_t at) const noexcept {
  return network<std::uint16_t>(at_ + at);
}
std::uint32_t ItchMessages::u32(std::size_t at) const noexcept {
  return network<std::uint32_t>(at_ + at);
}
std::uint64_t ItchMessages::u64(std::size_t at) const noexcept {
  return network<std::uint64_t>(at_ + at);
}

/// Up to eight characters in a number, the first one lowest.
std::uint64_t ItchMessages::characters(std::size_t at, std::size_t size) const noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at_ + at, size);
  return value;
}

/// `stock` padded with blanks; empty: the message names none.
std::uint32_t ItchMessages::index_of(std::uint16_t locate, std::string_view stock) {
  std::uint32_t& index = index_of_locate_[locate];
  if (index != k_no_index) [[likely]]
    return index;
  index = static_cast<std::uint32_t>(instruments_.size());
  RecordedInstrument made{.number = locate, .price_decimals = 4, .tick = 100};
  made.symbol = stock.substr(0, stock.find_last_not_of(' ') + 1);
  if (locate == 0) {
    made.price_decimals = k_market_decimals;
    made.tick = 0;
  }
  instruments_.push_back(std::move(made));
  return index;
}

/// An event with what every message has: stock and time, in nanoseconds since midnight in six bytes.
RecordedEvent& ItchMessages::begin(EventBatch& batch, EventKind kind) {
  RecordedEvent& event = batch.add();
  event.kind = kind;
  const std::size_t stock_at = facts_of(*at_).stock_at;
  event.instrument = index_of(u16(1), stock_at == 0 ? std::string_view() : std::string_view(at_ + stock_at, 8));
  event.event_time = midnight_ + time::Duration{static_cast<std::int64_t>(u64(3) & k_six_bytes)};
  event.receive_time = receive_time_;
  event.sequence = number_;
  event.flags = k_last;
  return event;
}

const char* ItchMessages::add(EventBatch& batch, std::string_view message, std::uint64_t number, Time receive_time) {
  if (message.empty()) return "a message without a type";
  const MessageFacts& facts = facts_of(message.front());
  if (facts.size == 0) return "a message of a type that ITCH 5.0 does not have";
  if (facts.size != message.size()) return "a message that is not as long as its type is in ITCH 5.0";
  at_ = message.data();
  number_ = number;
  receive_time_ = receive_time;
  ++counts_[static_cast<unsigned char>(facts.type)];
  switch (facts.type) {
    case 'A':
    case 'F':
      add_order(batch);
      break;
    case 'E':
    case 'C':
      add_execution(batch);
      break;
    case 'X': {
      RecordedEvent& event = begin(batch, EventKind::reduce);
      event.order = u64(11);
      event.quantity = u32(19);
      break;
    }
    case 'D':
      begin(batch, EventKind::remove).order = u64(11);
      break;
    case 'U':
      add_replace(batch);
      break;
    case 'P':
      add_trade(batch);
      break;
    case 'Q':
      add_cross(batch);
      break;
    case 'B':
      begin(batch, EventKind::trade_cancel).other = u64(11);
      break;
    case 'I':
      add_imbalance(batch);
      break;
    case 'S':
    case 'H':
    case 'h':
      add_status(batch);
      break;
    case 'J':
    case 'V':
    case 'O':
      add_values(batch);
      break;
    default:
      add_notice(batch);
  }
  return nullptr;
}

std::size_t ItchMessages::add_usual(EventBatch& batch, std::string_view bytes, std::uint64_t& number) {
  constexpr std::size_t k_length = 2;
  const std::span<RecordedEvent> room = batch.room();
  std::size_t at = 0, added = 0;
  for (; added < room.size() && bytes.size() - at >= k_usual_room; ++added) {
    const char* const message = bytes.data() + at + k_length;
    const auto type = static_cast<unsigned char>(*message);
    const UsualMessage& usual = k_usual[type];
    const std::uint32_t instrument = index_of_locate_[network<std::uint16_t>(message + k_locate_at)];
    if (!all(usual.size != 0, usual.size == network<std::uint16_t>(bytes.data() + at), instrument != k_no_index))
        [[unlikely]]
      break;
    // A number that a message does not have is read as well, from its beginning, and thrown away: cheaper than a
    // branch.
    const auto other = network<std::uint64_t>(message + usual.other_at);
    const std::int64_t quantity = network<std::uint32_t>(message + usual.quantity_at);
    const std::int64_t price = network<std::uint32_t>(message + usual.price_at);
    const auto indicator = static_cast<unsigned char>(message[k_indicator_at]);
    const auto since = static_cast<std::int64_t>(network<std::uint64_t>(message + k_time_at) & k_six_bytes);
    RecordedEvent& event = room[added];
    event.event_time = midnight_ + time::Duration{since};
    event.receive_time = k_unknown_time;
    event.order = network<std::uint64_t>(message + k_order_at);
    event.other = usual.other_at != 0 ? other : 0;
    event.price = usual.price_at != 0 ? price : k_unknown;
    event.quantity = usual.quantity_at != 0 ? quantity : k_unknown;
    event.sequence = number + added + 1;
    event.instrument = instrument;
    event.kind = usual.kind;
    event.side = k_sides[usual.side_of_indicator][indicator];
    event.flags = k_last;
    event.code = 0;
    ++counts_[type];
    at += k_length + usual.size;
  }
  number += added;
  batch.commit(added);
  return at;
}

void ItchMessages::add_order(EventBatch& batch) {
  RecordedEvent& event = begin(batch, EventKind::add);
  event.order = u64(11);
  event.side = side_of(at_[19]);
  event.quantity = u32(20);
  event.price = u32(32);
  if (*at_ != 'F') return;
  event.code = 'F';
  event.other = characters(36, 4);  // who shows the order
}

void ItchMessages::add_execution(EventBatch& batch) {
  RecordedEvent& event = begin(batch, EventKind::execute);
  event.order = u64(11);
  event.quantity = u32(19);
  event.other = u64(23);
  if (*at_ != 'C') return;
  event.price = u32(32);
  event.code = static_cast<std::uint8_t>(at_[31]);
  if (at_[31] == 'N') event.flags |= k_not_printable;
}

void ItchMessages::add_replace(EventBatch& batch) {
  RecordedEvent& event = begin(batch, EventKind::replace);
  event.order = u64(11);
  event.other = u64(19);
  event.quantity = u32(27);
  event.price = u32(31);
}

/// The side in the message is that of the order that rested there.
void ItchMessages::add_trade(EventBatch& batch) {
  RecordedEvent& event = begin(batch, EventKind::hidden_trade);
  event.order = u64(11);
  const Side resting = side_of(at_[19]);
  event.side = resting == Side::none ? Side::none : market::opposite(resting);
  event.quantity = u32(20);
  event.price = u32(32);
  event.other = u64(36);
}

void ItchMessages::add_cross(EventBatch& batch) {
  RecordedEvent& event = begin(batch, EventKind::trade);
  constexpr std::uint64_t k_most = std::uint64_t{1} << 62;
  event.quantity = static_cast<std::int64_t>(std::min(u64(11), k_most));
  event.price = u32(27);
  event.other = u64(31);
  event.code = static_cast<std::uint8_t>(at_[39]);
  event.flags |= k_in_auction;
}

void ItchMessages::add_imbalance(EventBatch& batch) {
  constexpr std::uint64_t k_most = std::uint64_t{1} << 62;
  const std::array prices = {std::pair{AuctionPrice::far_price, 36}, std::pair{AuctionPrice::near_price, 40},
                             std::pair{AuctionPrice::reference, 44}};
  for (const auto& [code, at] : prices) {
    RecordedEvent& event = begin(batch, EventKind::auction);
    event.code = static_cast<std::uint8_t>(code);
    event.quantity = static_cast<std::int64_t>(std::min(u64(11), k_most));
    event.other = u64(19);
    event.side = side_of(at_[27]);
    event.price = u32(static_cast<std::size_t>(at));
    event.order = characters(48, 2) | characters(27, 1) << 16;  // cross, variation, direction
    if (code != AuctionPrice::reference) event.flags = 0;
  }
}

void ItchMessages::add_status(EventBatch& batch) {
  RecordedEvent& event = begin(batch, EventKind::status);
  if (*at_ == 'S') {
    event.code = static_cast<std::uint8_t>(state_of_event(at_[11]));
    event.order = characters(11, 1);
  } else if (*at_ == 'H') {
    event.code = static_cast<std::uint8_t>(state_of(at_[19]));
    event.order = characters(19, 1) | characters(21, 4) << 8;  // state, reason
  } else {
    event.code = static_cast<std::uint8_t>(state_of(at_[20]));
    event.order = characters(20, 1) | characters(19, 1) << 8;  // state, market
  }
}

RecordedEvent& ItchMessages::add_value(EventBatch& batch, ValueCode code, std::int64_t price) {
  RecordedEvent& event = begin(batch, EventKind::value);
  event.code = static_cast<std::uint8_t>(code);
  event.price = price;
  event.flags = 0;
  return event;
}

void ItchMessages::add_values(EventBatch& batch) {
  if (*at_ == 'J') {  // the collars of an auction after a pause
    add_value(batch, ValueCode::reference, u32(19)).other = u32(31);
    add_value(batch, ValueCode::upper_limit, u32(23));
    add_value(batch, ValueCode::lower_limit, u32(27));
  } else if (*at_ == 'V') {  // where the whole market stops: three levels
    for (std::uint64_t level = 1; level <= 3; ++level)
      add_value(batch, ValueCode::lower_limit, static_cast<std::int64_t>(u64(3 + 8 * level))).order = level;
  } else {  // a direct listing
    add_value(batch, ValueCode::low, u32(20)).order = characters(19, 1);
    add_value(batch, ValueCode::high, u32(24));
    add_value(batch, ValueCode::reference, u32(28)).other = u64(32);
    add_value(batch, ValueCode::lower_limit, u32(40));
    add_value(batch, ValueCode::upper_limit, u32(44));
  }
  batch.back().flags = k_last;
}

void ItchMessages::add_notice(EventBatch& batch) {
  RecordedEvent& event = begin(batch, EventKind::notice);
  event.code = static_cast<std::uint8_t>(*at_);
  switch (*at_) {
    case 'R':
      event.order = characters(19, 2) | characters(25, 4) << 16;  // market, status, round lots only, class, sub-type
      event.quantity = u32(21);                                   // round lot
      event.other = characters(29, 5) | std::uint64_t{u32(34) & 0xffff} << 40 | characters(38, 1) << 56;
      break;
    case 'L':
      event.order = characters(11, 4) | characters(23, 3) << 32;
      break;
    case 'K':
      event.order = characters(23, 1);
      event.other = u32(19);
      event.price = u32(24);
      break;
    case 'W':
      event.order = characters(11, 1);
      break;
    default:  // Y, N
      event.order = characters(19, 1);
  }
}

}  // namespace dojima::recorded
