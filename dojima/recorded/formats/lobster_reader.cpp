#include "dojima/recorded/formats/lobster_reader.hpp"

#include <algorithm>

#include "dojima/recorded/formats/lobster_lines.hpp"

namespace dojima::recorded {
namespace {

constexpr std::size_t k_longest_line = std::size_t{1} << 16;
constexpr unsigned k_time_decimals = 9;
constexpr std::int64_t k_latest = 1'000'000'000'000'000'000;  // of a time, so that midnight can be added
constexpr std::int64_t k_no_price = 9'999'999'999;            // of a level that is not there

enum Type : std::uint64_t { k_new = 1, k_partial_cancel, k_delete, k_execution, k_hidden, k_cross, k_halt };
constexpr std::array<std::string_view, 8> k_type_names = {"",
                                                          "1 new order",
                                                          "2 partial cancel",
                                                          "3 delete",
                                                          "4 execution",
                                                          "5 hidden execution",
                                                          "6 cross trade",
                                                          "7 trading halt"};

/// A field of price 0 or below says which change of the trading it was.
MarketState state_of(std::int64_t price) noexcept {
  if (price == -1) return MarketState::halted;
  if (price == 0) return MarketState::quoting;
  return price == 1 ? MarketState::trading : MarketState::unknown;
}

}  // namespace

LobsterReader::LobsterReader(ByteSource& messages, ByteSource* book, const ReaderOptions& options)
    : messages_(messages, k_longest_line), midnight_(options.midnight) {
  if (book != nullptr) book_.emplace(*book, k_longest_line);
  instruments_.push_back({.symbol = options.symbol, .price_decimals = 4, .tick = 100});
}

std::uint64_t LobsterReader::bytes_read() const noexcept {
  return messages_.position() + (book_ ? book_->position() : 0);
}

std::vector<TypeCount> LobsterReader::type_counts() const {
  std::vector<TypeCount> counts;
  for (std::size_t type = k_new; type <= k_halt; ++type)
    if (counts_[type] != 0) counts.push_back({std::string(k_type_names[type]), counts_[type]});
  return counts;
}

std::vector<std::pair<std::string, std::string>> LobsterReader::notes() const {
  if (!book_) return {{"order book file", "none"}};
  return {{"levels", std::to_string(levels_)}};
}

void LobsterReader::fail_at(const ByteWindow& window, std::string text) {
  fail({std::move(text), window.line_position(), window.line(), &window == &messages_ ? 0u : 1u});
}

void LobsterReader::decode(EventBatch& batch) {
  while (!batch.is_full()) {
    if (!book_) {
      add_usual(batch);
      if (batch.is_full()) return;
    }
    const auto line = messages_.next_line();
    if (!line) return finish();
    if (!add_message(batch, *line)) return;
    if (book_ && !add_window(batch, RecordedEvent(batch.back()))) return;
  }
}

/// All messages of the usual kind up to the next one that is not.
void LobsterReader::add_usual(EventBatch& batch) {
  if (messages_.bytes_before() < k_lobster_before) return;
  const Bytes rest = messages_.rest();
  const auto* const from = reinterpret_cast<const char*>(rest.data());
  const std::span<RecordedEvent> room = batch.room();
  LobsterLines lines{.at = from,
                     .end = from + rest.size(),
                     .out = room.data(),
                     .out_end = room.data() + room.size(),
                     .line = messages_.line(),
                     .type_count = counts_.data(),
                     .midnight_ns = midnight_.time_since_epoch().count()};
  lobster_kernel()(lines);
  messages_.consume_lines(static_cast<std::size_t>(lines.at - from), lines.line - messages_.line());
  batch.commit(static_cast<std::size_t>(lines.out - room.data()));
}

/// The messages end here: a file that ends well, or trouble.
void LobsterReader::finish() {
  const auto fail_behind = [this](const ByteWindow& window, std::string text) {
    fail({std::move(text), window.position(), window.line() + 1, &window == &messages_ ? 0u : 1u});
  };
  if (!messages_.trouble().empty()) return fail_behind(messages_, messages_.trouble());
  if (messages_.is_too_long()) return fail_behind(messages_, "no end of line in 65,536 characters");
  if (messages_.line() == 0) return fail_behind(messages_, "the file is empty");
  if (book_ && !book_->is_at_end())
    fail_behind(*book_, "the order-book file has more rows than the message file has messages");
}

bool LobsterReader::add_message(EventBatch& batch, std::string_view line) {
  Fields fields(line);
  std::int64_t nanoseconds = 0, size = 0, price = 0;
  std::uint64_t type = 0, order = 0;
  const bool is_read = fields.take_decimal(k_time_decimals, nanoseconds) && fields.take(',') &&
                       fields.take_number(type) && fields.take(',') && fields.take_number(order) && fields.take(',') &&
                       fields.take_decimal(0, size) && fields.take(',') && fields.take_decimal(0, price) &&
                       fields.take(',');
  const bool is_sell = fields.take('-');
  // A halt has direction -1; newer files end every line with a seventh field.
  if (!is_read || !fields.take('1') || !(fields.is_at_end() || fields.take(',')) || type < k_new || type > k_halt ||
      nanoseconds < 0 || nanoseconds > k_latest || (size < 0 && type != k_halt)) {
    fail_at(messages_, "no LOBSTER message: expected time, type 1 to 7, order id, size, price, direction 1 or -1");
    return false;
  }
  ++counts_[type];
  RecordedEvent& event = batch.add();
  event.event_time = midnight_ + time::Duration{nanoseconds};
  event.order = order;
  event.sequence = messages_.line();
  event.price = price;
  if (type == k_halt) {
    event.kind = EventKind::status;
    event.flags = k_last;
    event.code = static_cast<std::uint8_t>(state_of(price));
    return true;
  }
  const LobsterTail tail = lobster_tail(type, is_sell);
  event.kind = tail.kind;
  event.side = tail.side;
  event.flags = tail.flags;
  event.quantity = size;
  return true;
}

bool LobsterReader::add_window(EventBatch& batch, const RecordedEvent& event) {
  const auto line = book_->next_line();
  if (!line) {
    fail({book_->trouble().empty() ? "the order-book file has fewer rows than the message file has messages"
                                   : book_->trouble(),
          book_->position(), book_->line() + 1, 1});
    return false;
  }
  Fields fields(*line);
  std::size_t values = 0;
  std::uint64_t level = 0;
  for (; values == 0 || fields.take(','); values += 2) {
    const bool is_ask = values % 4 == 0;
    std::int64_t price = 0, size = 0;
    if (!fields.take_decimal(0, price) || !fields.take(',') || !fields.take_decimal(0, size) || size < 0) break;
    const bool is_empty = price == k_no_price || price == -k_no_price;
    RecordedEvent& row = batch.add();
    row.event_time = event.event_time;
    row.sequence = event.sequence;
    row.kind = EventKind::window;
    row.order = level;
    row.side = is_ask ? market::Side::sell : market::Side::buy;
    row.price = is_empty ? k_unknown : price;
    row.quantity = is_empty ? 0 : size;
    level += is_ask ? 0 : 1;
  }
  if (!fields.is_at_end() || values % 4 != 0 || (levels_ != 0 && level != levels_)) {
    fail_at(*book_, "no row of a LOBSTER order book: expected ask price, ask size, bid price, bid size of " +
                        (levels_ == 0 ? std::string("each level") : std::to_string(levels_) + " levels"));
    return false;
  }
  levels_ = level;
  batch.back().flags = k_last;
  return true;
}

}  // namespace dojima::recorded
