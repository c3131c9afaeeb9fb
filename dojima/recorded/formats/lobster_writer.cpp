#include "dojima/recorded/formats/lobster_writer.hpp"

#include <algorithm>
#include <vector>

#include "dojima/market/price.hpp"
#include "dojima/recorded/new_york.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

constexpr std::size_t k_flush_at = std::size_t{1} << 18;
constexpr unsigned k_price_decimals = 4, k_time_decimals = 9;

/// 0: LOBSTER has no such message.
char type_of(EventKind kind) noexcept {
  switch (kind) {
    case EventKind::add:
      return '1';
    case EventKind::reduce:
      return '2';
    case EventKind::remove:
      return '3';
    case EventKind::execute:
      return '4';
    case EventKind::hidden_trade:
      return '5';
    default:
      return '\0';
  }
}

void put_number(std::string& text, std::int64_t value) {
  text += std::to_string(value);
}

}  // namespace

Written LobsterWriter::flush() {
  if (auto written = messages_.write(as_bytes(message_text_)); !written) return written;
  message_text_.clear();
  if (book_ == nullptr) return {};
  auto written = book_->write(as_bytes(book_text_));
  book_text_.clear();
  return written;
}

Written LobsterWriter::write(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) {
  if (instruments.size() > 1)
    return std::unexpected(std::string("a LOBSTER file holds one instrument; --symbol says which"));
  if (!instruments.empty() &&
      (instruments[0].price_decimals != k_price_decimals || instruments[0].quantity_decimals != 0))
    return std::unexpected(std::string("a LOBSTER file has prices of four decimals and whole quantities"));
  for (const RecordedEvent& event : events) {
    if (event.kind == EventKind::window) continue;  // a row is written of our own book
    if (auto written = put_message(event); !written) return written;
    books_.apply(event, instruments);
    if (book_ != nullptr) put_row();
    if (message_text_.size() + book_text_.size() >= k_flush_at)
      if (auto written = flush(); !written) return written;
  }
  return {};
}

Written LobsterWriter::put_message(const RecordedEvent& event) {
  const char type = type_of(event.kind);
  if (type == '\0') return std::unexpected("LOBSTER has no message for " + std::string(name_of(event.kind)));
  if (event.event_time == k_unknown_time || event.price == k_unknown || event.quantity == k_unknown)
    return std::unexpected(std::string("LOBSTER needs time, price and quantity of every event"));
  if (midnight_ == k_unknown_time) midnight_ = new_york_midnight_before(event.event_time);
  const std::int64_t since = (event.event_time - midnight_).count();
  constexpr std::int64_t k_second = 1'000'000'000;
  if (since < 0) return std::unexpected(std::string("LOBSTER has no time before the first day's midnight"));
  std::string fraction = std::to_string(since % k_second);
  fraction.insert(0, k_time_decimals - fraction.size(), '0');
  put_number(message_text_, since / k_second);
  message_text_ += '.' + fraction + ',' + type + ',';
  message_text_ += std::to_string(type == '5' ? 0 : event.order) + ',';
  put_number(message_text_, event.quantity);
  message_text_ += ',';
  put_number(message_text_, event.price);
  // The direction is the resting order's; a hidden trade has the aggressor's side.
  const bool is_buy = (event.side == Side::buy) != (type == '5');
  message_text_ += is_buy ? ",1\n" : ",-1\n";
  return {};
}

void LobsterWriter::put_row() {
  std::vector<DepthLevel> asks, bids;
  const auto first_levels = [this](const DepthSide& side, std::vector<DepthLevel>& levels) {
    side.each([&](const DepthLevel& level) {
      if (levels.size() == levels_) return false;
      levels.push_back(level);
      return true;
    });
  };
  first_levels(books_.of(0).asks, asks);
  first_levels(books_.of(0).bids, bids);
  const auto put_level = [this](const std::vector<DepthLevel>& levels, std::size_t at, const char* none) {
    book_text_ += at < levels.size() ? std::to_string(levels[at].price) + ',' + std::to_string(levels[at].quantity)
                                     : std::string(none) + ",0";
  };
  for (std::size_t at = 0; at < levels_; ++at) {
    if (at != 0) book_text_ += ',';
    put_level(asks, at, "9999999999");
    book_text_ += ',';
    put_level(bids, at, "-9999999999");
  }
  book_text_ += '\n';
}

}  // namespace dojima::recorded
