#include "dojima/mitch/server/snapshot_writer.hpp"

#include "dojima/base/assert.hpp"
#include "dojima/mitch/server/shown_orders.hpp"

namespace dojima::mitch {
namespace {

constexpr std::uint64_t k_nanoseconds = 1'000'000'000;
constexpr std::uint8_t k_unavailable = 9;  // SessionChangeReason where nothing was published

bool has_orders(const BookView& book, SubBook which) noexcept {
  return book.level_count(market::Side::buy, which) + book.level_count(market::Side::sell, which) != 0;
}

}  // namespace

SnapshotWriter::SnapshotWriter(std::span<const PublishedFeed* const> feeds, std::size_t unit_size)
    : feeds_(feeds), room_(unit_size), unit_(room_, '1') {}

bool SnapshotWriter::is_wanted(const BookView& book) const {
  if (wanted_.segment.is_empty()) return book.instrument() == wanted_.instrument_id;
  return book.state().directory.segment == wanted_.segment;
}

bool SnapshotWriter::has(const SnapshotRequest& wanted) const {
  if (wanted.segment.is_empty()) {
    for (const PublishedFeed* feed : feeds_)
      if (feed->books().find(wanted.instrument_id)) return true;
    return false;
  }
  bool is_there = false;
  for (const PublishedFeed* feed : feeds_)
    feed->books().each_book(
        [&](const BookView& book) { is_there = is_there || book.state().directory.segment == wanted.segment; });
  return is_there;
}

void SnapshotWriter::begin(const SnapshotRequest& wanted) {
  wanted_ = wanted;
  feed_ = place_ = 0;
  is_closed_ = false;
  instruments_ = messages_ = 0;
  staged_.clear();
  sent_ = 0;
}

Bytes SnapshotWriter::rest() {
  if (sent_ == staged_.size()) {
    staged_.clear();
    sent_ = 0;
    if (!stage_next()) return {};
  }
  return Bytes(staged_).subspan(sent_);
}

/// The next instrument that is wanted, as its book is now; behind the last one of a segment its end.
bool SnapshotWriter::stage_next() {
  for (; feed_ < feeds_.size(); ++feed_, place_ = 0) {
    const PublishedFeed& feed = *feeds_[feed_];
    while (place_ < feed.books().instrument_count()) {
      const BookView book = feed.books().book_at(place_++);
      if (!is_wanted(book)) continue;
      stage(feed, book);
      return true;
    }
  }
  if (is_closed_ || wanted_.segment.is_empty()) return false;
  is_closed_ = true;
  append(SnapshotComplete{.segment = wanted_.segment});
  flush();
  return true;
}

void SnapshotWriter::stage(const PublishedFeed& feed, const BookView& book) {
  ++instruments_;
  unit_ = UnitWriter(room_, feed.group());
  unit_.begin(0);
  const std::uint64_t of_day = feed.books().nanoseconds_of_day();
  append(Time{.seconds = static_cast<std::uint32_t>(of_day / k_nanoseconds)});
  nanosecond_ = static_cast<std::uint32_t>(of_day % k_nanoseconds);
  for (const SubBook which : {SubBook::orders, SubBook::firm_quotes, SubBook::private_rfq}) {
    if (which != SubBook::orders && !has_orders(book, which)) continue;
    stage_orders(book, which);
    if (which == SubBook::orders) {
      SymbolStatus status = book.state().status;
      if (status.instrument_id == 0) status = {.trading_status = 'T', .session_change_reason = k_unavailable};
      status.instrument_id = book.instrument();
      status.nanosecond = nanosecond_;
      if (status.book_type == 0) status.book_type = 1;
      append(status);
    }
    append(
        SnapshotComplete{.sequence_number = feed.last(), .instrument_id = book.instrument(), .flags = flag_of(which)});
  }
  flush();
}

void SnapshotWriter::stage_orders(const BookView& book, SubBook which) {
  for (const market::Side side : {market::Side::buy, market::Side::sell})
    book.each_order(
        side,
        [&](const DisplayedOrder& order) {
          add_order(order, book.instrument(), which, nanosecond_, [this](const auto& message) { append(message); });
        },
        which);
}

/// What was published once can be encoded again.
template <class Message>
void SnapshotWriter::append(const Message& message) {
  if (is_administrative(Message::k_type)) flush();
  Result<void> added = unit_.append(message);
  if (!added && added.error().code == ErrorCode::no_room) {
    flush();
    added = unit_.append(message);
  }
  DOJIMA_ASSERT(added.has_value(), "what was read can be written", Message::k_type);
  if (is_administrative(Message::k_type))
    flush();
  else
    ++messages_;
}

void SnapshotWriter::flush() {
  if (unit_.message_count() == 0) return;
  const Bytes unit = unit_.finish();
  staged_.insert(staged_.end(), unit.begin(), unit.end());
  unit_.begin(0);
}

}  // namespace dojima::mitch
