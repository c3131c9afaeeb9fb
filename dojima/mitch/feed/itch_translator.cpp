#include "dojima/mitch/feed/itch_translator.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "dojima/base/assert.hpp"

namespace dojima::mitch {
namespace {

constexpr std::uint64_t k_itch_second = 1'000'000'000;
constexpr std::int64_t k_itch_price = 10'000;  // units of ours in one of ITCH

/// ITCH's price of four decimals; none where it has another.
std::optional<std::uint32_t> itch_price(market::Price price) noexcept {
  if (price.units < 0 || price.units % k_itch_price != 0 ||
      price.units / k_itch_price > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return static_cast<std::uint32_t>(price.units / k_itch_price);
}

/// H, P (volatility), Q (quotations, no trading: a call), T.
char itch_state(char trading_status) noexcept {
  switch (trading_status) {
    case 'T':
      return 'T';
    case 'l':
      return 'P';
    case 'a':
    case 'd':
    case 'e':
    case 'f':
    case 'q':
    case 'r':
    case 'G':
      return 'Q';
    default:
      return 'H';
  }
}

/// O opening, C closing, H what is left by a halt or a call within the day.
char itch_cross(char auction_type) noexcept {
  return auction_type == 'O' || auction_type == 'C' ? auction_type : 'H';
}

}  // namespace

/// Bytes of one message, numbers big end first.
class ItchTranslator::Message {
 public:
  Message(char type, std::uint16_t locate, const Group& group, std::uint32_t nanosecond) {
    put_text({&type, 1}, 1);
    put(locate, 2);
    put(0, 2);  // tracking number
    put(group.second * k_itch_second + nanosecond, 6);
  }
  void put(std::uint64_t value, std::size_t size) {
    for (std::size_t byte = size; byte-- > 0;) bytes_[size_++] = static_cast<std::byte>(value >> (8 * byte));
  }
  void put_text(std::string_view text, std::size_t size) {
    for (std::size_t at = 0; at < size; ++at)
      bytes_[size_++] = static_cast<std::byte>(at < text.size() ? text[at] : ' ');
  }
  [[nodiscard]] Bytes bytes() const { return Bytes(bytes_).first(size_); }

 private:
  std::array<std::byte, k_longest_itch> bytes_{};
  std::size_t size_ = 0;
};

ItchTranslator::ItchTranslator(ItchSink& sink, std::string_view groups, const BookBuilderLimits& books,
                               std::span<const ItchInstrument> instruments)
    : sink_(sink), instruments_(instruments.begin(), instruments.end()), locates_(instruments.size()) {
  DOJIMA_ASSERT(instruments.size() <= std::numeric_limits<std::uint16_t>::max(), "a stock locate has two bytes",
                instruments.size());
  for (std::size_t at = 0; at < instruments_.size(); ++at)
    DOJIMA_ASSERT(locates_.insert(instruments_[at].id, static_cast<std::uint16_t>(at + 1)), "instruments differ",
                  instruments_[at].id);
  for (const char name : groups) groups_.push_back(std::make_unique<Group>(name, books));
}

void ItchTranslator::write(char name, Bytes message) {
  const auto group = std::ranges::find(groups_, name, [](const auto& each) { return each->name; });
  if (group == groups_.end()) return;
  group_ = group->get();
  if (!dispatch<ApplicationMessages>(message, *this)) ++untranslated_;
  if (!group_->books.apply(message)) ++untranslated_;
}

std::uint16_t ItchTranslator::locate_of(std::uint32_t instrument) const noexcept {
  const std::uint16_t* const locate = locates_.find(instrument);
  return locate == nullptr ? std::uint16_t{0} : *locate;
}

ItchTranslator::PublishedOrder ItchTranslator::find_published(std::uint64_t id) {
  const auto order = group_->books.find_order(id);
  const auto instrument = group_->books.instrument_of(id);
  std::uint64_t* const reference = group_->references.find(id);
  if (!order || !instrument || reference == nullptr) return {};
  return {.reference = reference, .order = *order, .instrument = *instrument, .locate = locate_of(*instrument)};
}

// ---- The day and its instruments -----------------------------------------------------------------------------------

void ItchTranslator::operator()(const Time& message) {
  group_->second = message.seconds;
}

/// Days of several groups begin and end once, with the first of them; the others' events say nothing new.
void ItchTranslator::operator()(const SystemEvent& message) {
  if (group_ != groups_.front().get()) return;
  for (const char event : std::string_view(message.event_code == 'O' ? "OSQ" : "MEC"))
    system_event(event, message.nanosecond);
}

void ItchTranslator::system_event(char event, std::uint32_t nanosecond) {
  Message out('S', 0, *group_, nanosecond);
  out.put_text({&event, 1}, 1);
  sink_.on_itch(out.bytes());
}

void ItchTranslator::operator()(const SymbolDirectory& message) {
  const std::uint16_t locate = locate_of(message.instrument_id);
  if (locate == 0) return void(++untranslated_);
  Message out('R', locate, *group_, message.nanosecond);
  out.put_text(instruments_[locate - 1U].stock.view(), 8);
  out.put_text("QN", 2);  // market category, financial status
  out.put(1, 4);          // round lot
  out.put_text("NCZ PNN1N", 9);
  out.put(0, 4);  // leverage factor
  out.put_text("N", 1);
  sink_.on_itch(out.bytes());
}

void ItchTranslator::operator()(const SymbolStatus& message) {
  const std::uint16_t locate = locate_of(message.instrument_id);
  if (locate == 0) return;
  Message out('H', locate, *group_, message.nanosecond);
  out.put_text(instruments_[locate - 1U].stock.view(), 8);
  const char state = itch_state(message.trading_status);
  out.put_text({&state, 1}, 2);  // and a reserved one
  out.put_text(message.reason.view(), 4);
  sink_.on_itch(out.bytes());
}

// ---- Orders --------------------------------------------------------------------------------------------------------

void ItchTranslator::operator()(const AddOrder& message) {
  add(message, {});
}

void ItchTranslator::operator()(const AddAttributedOrder& message) {
  add({.nanosecond = message.nanosecond,
       .order_id = message.order_id,
       .side = message.side,
       .quantity = message.quantity,
       .instrument_id = message.instrument_id,
       .price = message.price,
       .flags = message.flags},
      message.attribution.view());
}

/// An order that does not fit our own book, or that ITCH cannot express, is not published, nor is anything about it.
void ItchTranslator::add(const AddOrder& message, std::string_view attribution) {
  const std::uint16_t locate = locate_of(message.instrument_id);
  const bool is_plain = (message.flags & (k_market_order | k_firm_quote | k_private_rfq)) == 0;
  if (locate == 0 || !is_plain || !itch_price(message.price) || message.quantity == 0 ||
      group_->books.find_order(message.order_id) || !group_->references.insert(message.order_id, 0))
    return void(++untranslated_);
  PublishedOrder order{.reference = group_->references.find(message.order_id),
                       .order = {.id = message.order_id,
                                 .side = message.side == 'B' ? market::Side::buy : market::Side::sell,
                                 .price = message.price,
                                 .quantity = message.quantity},
                       .instrument = message.instrument_id,
                       .locate = locate};
  show(*order.reference, order, message.quantity, message.nanosecond, attribution);
}

void ItchTranslator::show(std::uint64_t& reference, const PublishedOrder& of, std::uint32_t quantity,
                          std::uint32_t nanosecond, std::string_view attribution) {
  reference = next_reference_++;
  Message out(attribution.empty() ? 'A' : 'F', of.locate, *group_, nanosecond);
  out.put(reference, 8);
  out.put_text(of.order.side == market::Side::buy ? "B" : "S", 1);
  out.put(quantity, 4);
  out.put_text(instruments_[of.locate - 1U].stock.view(), 8);
  out.put(*itch_price(of.order.price), 4);
  if (!attribution.empty()) out.put_text(attribution, 4);
  sink_.on_itch(out.bytes());
}

void ItchTranslator::take_off(const PublishedOrder& of, std::uint32_t quantity, std::uint32_t nanosecond) {
  Message out('X', of.locate, *group_, nanosecond);
  out.put(*of.reference, 8);
  out.put(quantity, 4);
  sink_.on_itch(out.bytes());
}

void ItchTranslator::operator()(const OrderDeleted& message) {
  remove(message.order_id, message.nanosecond);
}

void ItchTranslator::remove(std::uint64_t id, std::uint32_t nanosecond) {
  const PublishedOrder order = find_published(id);
  if (order.reference == nullptr) return;
  Message out('D', order.locate, *group_, nanosecond);
  out.put(*order.reference, 8);
  group_->references.erase(id);
  sink_.on_itch(out.bytes());
}

void ItchTranslator::operator()(const OrderModified& message) {
  const PublishedOrder order = find_published(message.order_id);
  if (order.reference == nullptr) return;
  const bool keeps_priority = (message.flags & k_priority_retained) != 0 && message.new_price == order.order.price;
  change(order, message.new_quantity, message.new_price, keeps_priority, message.nanosecond);
  if (!itch_price(message.new_price)) group_->references.erase(message.order_id);
}

/// The order has this quantity and price from now on. One whose price ITCH cannot express is gone for its readers.
void ItchTranslator::change(const PublishedOrder& of, std::uint32_t quantity, market::Price price, bool keeps_priority,
                            std::uint32_t nanosecond) {
  if (quantity == 0) return;  // nothing that our own book takes
  if (keeps_priority && quantity == of.order.quantity) return;
  if (keeps_priority && quantity < of.order.quantity) return take_off(of, of.order.quantity - quantity, nanosecond);
  const auto itch = itch_price(price);
  if (!itch) {
    ++untranslated_;
    Message out('D', of.locate, *group_, nanosecond);
    out.put(*of.reference, 8);
    return sink_.on_itch(out.bytes());
  }
  Message out('U', of.locate, *group_, nanosecond);
  out.put(*of.reference, 8);
  *of.reference = next_reference_++;
  out.put(*of.reference, 8);
  out.put(quantity, 4);
  out.put(*itch, 4);
  sink_.on_itch(out.bytes());
}

void ItchTranslator::operator()(const OrderBookClear& message) {
  if ((message.flags & (k_firm_quote | k_private_rfq)) != 0) return;
  const auto book = group_->books.find(message.instrument_id);
  if (!book) return;
  for (const market::Side side : {market::Side::buy, market::Side::sell})
    book->each_order(side, [&](const DisplayedOrder& order) { remove(order.id, message.nanosecond); });
}

// ---- Trades --------------------------------------------------------------------------------------------------------

void ItchTranslator::operator()(const OrderExecuted& message) {
  const PublishedOrder order = find_published(message.order_id);
  if (order.reference == nullptr || message.executed_quantity > order.order.quantity || message.executed_quantity == 0)
    return;
  Message out('E', order.locate, *group_, message.nanosecond);
  out.put(*order.reference, 8);
  out.put(message.executed_quantity, 4);
  out.put(message.trade_match_id, 8);
  if (message.executed_quantity == order.order.quantity) group_->references.erase(message.order_id);
  sink_.on_itch(out.bytes());
}

/// ITCH takes what is executed off what is shown: more than that was never shown and trades as if hidden; what is shown
/// afterwards is published after it.
void ItchTranslator::operator()(const OrderExecutedWithPriceSize& message) {
  const PublishedOrder order = find_published(message.order_id);
  const auto price = itch_price(message.price);
  if (order.reference == nullptr) return;
  const std::uint32_t shown = std::min(message.executed_quantity, order.order.quantity);
  if (price && shown != 0) {
    Message out('C', order.locate, *group_, message.nanosecond);
    out.put(*order.reference, 8);
    out.put(shown, 4);
    out.put(message.trade_match_id, 8);
    out.put_text({&message.printable, 1}, 1);
    out.put(*price, 4);
    sink_.on_itch(out.bytes());
  } else if (shown != 0) {
    ++untranslated_;
    take_off(order, shown, message.nanosecond);
  }
  if (shown < message.executed_quantity && message.printable == 'Y')
    write_trade(order.instrument, message.executed_quantity - shown, message.price, message.trade_match_id,
                message.nanosecond);
  const std::uint32_t left = order.order.quantity - shown;
  if (left == 0 && message.display_quantity == 0) {
    group_->references.erase(message.order_id);
  } else if (left == 0) {
    show(*order.reference, order, message.display_quantity, message.nanosecond);
  } else if (message.display_quantity < left) {
    take_off(order, left - message.display_quantity, message.nanosecond);
    if (message.display_quantity == 0) group_->references.erase(message.order_id);
  } else if (message.display_quantity > left) {
    change(order, message.display_quantity, order.order.price, false, message.nanosecond);
  }
}

/// ITCH has no word for a trade of another price: it is broken and then, under its number, made anew.
void ItchTranslator::operator()(const Trade& message) {
  if ((message.pt_mod_flags & (k_trade_cancelled | k_trade_amended)) != 0)
    break_trade(message.instrument_id, message.trade_match_id, message.nanosecond);
  if ((message.pt_mod_flags & k_trade_cancelled) != 0) return;
  write_trade(message.instrument_id, message.executed_quantity, message.price, message.trade_match_id,
              message.nanosecond);
}

void ItchTranslator::write_trade(std::uint32_t instrument, std::uint64_t quantity, market::Price price,
                                 std::uint64_t trade, std::uint32_t nanosecond) {
  const std::uint16_t locate = locate_of(instrument);
  const auto itch = itch_price(price);
  if (locate == 0 || !itch) return void(++untranslated_);
  Message out('P', locate, *group_, nanosecond);
  out.put(0, 8);
  out.put_text("B", 1);
  out.put(quantity, 4);
  out.put_text(instruments_[locate - 1U].stock.view(), 8);
  out.put(*itch, 4);
  out.put(trade, 8);
  sink_.on_itch(out.bytes());
}

void ItchTranslator::break_trade(std::uint32_t instrument, std::uint64_t trade, std::uint32_t nanosecond) {
  const std::uint16_t locate = locate_of(instrument);
  if (locate == 0) return void(++untranslated_);
  Message out('B', locate, *group_, nanosecond);
  out.put(trade, 8);
  sink_.on_itch(out.bytes());
}

void ItchTranslator::operator()(const AuctionTrade& message) {
  const std::uint16_t locate = locate_of(message.instrument_id);
  const auto price = itch_price(message.price);
  if ((message.pt_mod_flags & (k_trade_cancelled | k_trade_amended)) != 0)
    break_trade(message.instrument_id, message.trade_match_id, message.nanosecond);
  if ((message.pt_mod_flags & k_trade_cancelled) != 0) return;
  if (locate == 0 || !price) return void(++untranslated_);
  Message out('Q', locate, *group_, message.nanosecond);
  out.put(message.quantity, 8);
  out.put_text(instruments_[locate - 1U].stock.view(), 8);
  out.put(*price, 4);
  out.put(message.trade_match_id, 8);
  const char cross = itch_cross(message.auction_type);
  out.put_text({&cross, 1}, 1);
  sink_.on_itch(out.bytes());
}

/// The imbalance of one side is not in the feed: the direction says so.
void ItchTranslator::operator()(const AuctionInfo& message) {
  const std::uint16_t locate = locate_of(message.instrument_id);
  const auto price = itch_price(message.price);
  if (locate == 0 || !price) return void(++untranslated_);
  Message out('I', locate, *group_, message.nanosecond);
  out.put(message.paired_quantity, 8);
  out.put(0, 8);
  out.put_text("O", 1);
  out.put_text(instruments_[locate - 1U].stock.view(), 8);
  for (int which = 0; which < 3; ++which) out.put(*price, 4);  // far, near, reference
  const char cross = itch_cross(message.auction_type);
  out.put_text({&cross, 1}, 2);  // and the variation: none is stated
  sink_.on_itch(out.bytes());
}

}  // namespace dojima::mitch
