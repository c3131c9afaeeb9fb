#include "dojima/cli/trading/feed_view.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <optional>
#include <utility>

namespace dojima::cli {
namespace {

constexpr std::size_t k_kept = 12;

std::string feed_price(market::Price price) {
  std::array<char, market::k_price_text_max> text{};
  return std::string(market::format_price(price, text));
}

std::string level_text(const std::optional<mitch::DisplayedLevel>& level, bool is_bid) {
  if (!level) return std::string(28, ' ');
  const std::string price = level->is_market ? "market" : feed_price(level->price);
  if (is_bid) return fmt::format("{:>5} {:>10} {:>11}", level->orders, level->quantity, price);
  return fmt::format("{:<11} {:>10} {:>5}", price, level->quantity, level->orders);
}

const char* channel_name(mitch::FeedChannel channel) {
  return channel == mitch::FeedChannel::replay ? "replay" : "recovery";
}

/// Of a trade that no order's report says.
[[nodiscard]] const char* kind_text(std::uint8_t flags, const char* usual) noexcept {
  if ((flags & mitch::k_trade_cancelled) != 0) return " cancelled";
  return (flags & mitch::k_trade_amended) != 0 ? " corrected" : usual;
}

}  // namespace

void FeedView::say(const std::string& line) {
  if (line_) return line_(line);
  kept_.push_back(line);
  if (kept_.size() > k_kept) kept_.pop_front();
}

std::string FeedView::name_of(std::uint32_t instrument) const {
  const auto found = names_.find(instrument);
  return found == names_.end() ? std::to_string(instrument) : found->second;
}

void FeedView::print_trade(std::uint32_t instrument, std::uint64_t quantity, market::Price price, std::uint64_t trade,
                           const char* kind) {
  ++trades_;
  if (has_tape_)
    say(fmt::format("trade {} {} at {} #{}{}", name_of(instrument), quantity, feed_price(price), trade, kind));
}

void FeedView::on_message(char group, std::uint32_t, Bytes message, time::Time) {
  using namespace mitch;
  const BookBuilder* const books = client_ != nullptr ? client_->books(group) : nullptr;
  if (books == nullptr) return;
  if (const auto executed = decode<OrderExecuted>(message)) {
    const auto order = books->find_order(executed->order_id);
    if (order)
      print_trade(*books->instrument_of(executed->order_id), executed->executed_quantity, order->price,
                  executed->trade_match_id, "");
  } else if (const auto priced = decode<OrderExecutedWithPriceSize>(message); priced && priced->printable == 'Y') {
    const auto instrument = books->instrument_of(priced->order_id);
    if (instrument) print_trade(*instrument, priced->executed_quantity, priced->price, priced->trade_match_id, "");
  } else if (const auto hidden = decode<Trade>(message)) {
    print_trade(hidden->instrument_id, hidden->executed_quantity, hidden->price, hidden->trade_match_id,
                kind_text(hidden->pt_mod_flags, " hidden"));
  } else if (const auto auction = decode<AuctionTrade>(message)) {
    print_trade(auction->instrument_id, auction->quantity, auction->price, auction->trade_match_id,
                kind_text(auction->pt_mod_flags, " auction"));
  }
}

void FeedView::on_notice(const mitch::FeedNotice& notice, time::Time) {
  say(text_of(notice));
}

std::string FeedView::text_of(const mitch::FeedNotice& notice) const {
  using Kind = mitch::FeedNoticeKind;
  const std::string group = notice.group == '\0' ? "" : fmt::format(" of group {}", notice.group);
  const char line = notice.line == 0 ? 'A' : 'B';
  switch (notice.kind) {
    case Kind::joined:
      return fmt::format("joined group {} at message {}", notice.group, notice.first);
    case Kind::gap:
      return fmt::format("gap{}: {} messages from {} on are missing", group, notice.count, notice.first);
    case Kind::gap_closed:
      return fmt::format("gap{} is closed: {} messages from {} on", group, notice.count, notice.first);
    case Kind::recovering:
      return fmt::format("messages{}: {} from {} on will not come; the books are asked for", group, notice.count,
                         notice.first);
    case Kind::recovered:
      return fmt::format("the book of {} is as of message {}", name_of(notice.instrument), notice.first);
    case Kind::live:
      return fmt::format("group {} is live at message {}", notice.group, notice.first);
    case Kind::refused:
      return fmt::format("the {} channel refuses {}: {} (status {})", channel_name(notice.channel),
                         refused_text(notice), mitch::refusal_words(notice), notice.status);
    case Kind::unreachable:
      return fmt::format("the {} channel cannot be had; it is tried again", channel_name(notice.channel));
    case Kind::restarted:
      return fmt::format("group {} numbers anew from {} on", notice.group, notice.first);
    case Kind::misfit:
      return fmt::format("message {}{} does not fit the book of {}", notice.first, group, name_of(notice.instrument));
    case Kind::given_up:
      if (!notice.segment.is_empty())
        return fmt::format("the books of segment {} cannot be had", notice.segment.view());
      if (notice.instrument == 0) return fmt::format("what is missing{} cannot be had", group);
      return fmt::format("the book of {} cannot be had", name_of(notice.instrument));
    case Kind::line_lost:
      return fmt::format("line {} is silent", line);
    case Kind::line_back:
      return fmt::format("line {} is back", line);
  }
  return "unnamed notice";
}

/// What a channel refused.
std::string FeedView::refused_text(const mitch::FeedNotice& notice) const {
  if (notice.is_login) return "the login";
  if (!notice.segment.is_empty()) return fmt::format("segment {}", notice.segment.view());
  if (notice.instrument != 0) return "the book of " + name_of(notice.instrument);
  return fmt::format("{} messages of group {} from {} on", notice.count, notice.group, notice.first);
}

std::string FeedView::summary(const mitch::FeedClient& client) const {
  const mitch::FeedClientCounts& counts = client.counts();
  std::string text;
  for (const char group : client.groups())
    text += fmt::format("group {} at {} {}, ", group, client.next(group), client.is_live(group) ? "live" : "not live");
  if (text.empty()) text = "nothing has come, ";
  text += fmt::format("{} messages, {} gaps, {} missing now, {} replayed, {} skipped, {} books recovered, {} suspect",
                      counts.messages, counts.gaps, client.missing(), counts.replayed, counts.skipped, counts.snapshots,
                      client.suspects());
  if (client.lacking_segments() != 0) text += fmt::format(", {} segments lacking", client.lacking_segments());
  for (std::size_t line = 0; line < mitch::FeedClient::k_lines; ++line)
    if (client.is_line_lost(line)) text += fmt::format(", line {} silent", line == 0 ? 'A' : 'B');
  return text;
}

std::vector<std::string> FeedView::ladder(const mitch::FeedClient& client, const mitch::BookView& book,
                                          std::size_t depth) const {
  std::vector<mitch::DisplayedLevel> sides[2];
  for (const market::Side side : {market::Side::buy, market::Side::sell})
    book.each_level(side, [&](const mitch::DisplayedLevel& level) {
      auto& levels = sides[side == market::Side::buy ? 0 : 1];
      if (levels.size() < depth) levels.push_back(level);
    });
  const mitch::InstrumentState& state = book.state();
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "{}{}{}{}", name_of(book.instrument()),
      state.status.instrument_id != 0 ? fmt::format("  status {}", state.status.trading_status) : std::string(),
      state.last_price ? "  last " + feed_price(*state.last_price) : std::string(),
      client.is_suspect(book.instrument()) ? "  SUSPECT" : ""));
  const std::size_t rows = std::max(sides[0].size(), sides[1].size());
  for (std::size_t row = 0; row < rows; ++row) {
    const auto level = [&](std::size_t side) {
      return row < sides[side].size() ? std::optional(sides[side][row]) : std::nullopt;
    };
    std::string line = level_text(level(0), true) + "   " + level_text(level(1), false);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  if (rows == 0) lines.emplace_back("  no orders");
  return lines;
}

}  // namespace dojima::cli
