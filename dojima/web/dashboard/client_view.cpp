#include "dojima/web/dashboard/client_view.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <vector>

namespace dojima::web {
namespace {

template <class Number>
[[nodiscard]] std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t space = line.find(' ');
    words.push_back(line.substr(0, space));
    line = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
  }
  return words;
}

void write_bands(FrameWriter& frame, const Bands& bands) {
  for (const std::int64_t price : {bands.static_low, bands.static_high, bands.dynamic_low, bands.dynamic_high})
    frame.i64(price);
}

void write_cells(FrameWriter& frame, const std::vector<HistoryCell>& cells) {
  for (const HistoryCell& cell : cells) {
    frame.i64(cell.price);
    frame.i64(cell.quantity);
  }
}

}  // namespace

std::expected<void, std::string> ClientView::on_words(std::string_view line, Picture& picture) {
  const std::vector<std::string_view> words = words_of(line);
  const std::string_view verb = words.empty() ? std::string_view() : words[0];
  if (verb == "watch" && words.size() == 2) {
    const auto id = whole_number<std::uint32_t>(words[1]);
    if (!id || picture.find(*id) == nullptr)
      return std::unexpected("there is no instrument " + std::string(words[1].substr(0, 20)));
    if (*id == instrument_) return {};
    instrument_ = *id;
    queue_side_ = market::Side::none;
    forget_instrument();
    picture.look_at(*id);
    return {};
  }
  if (verb == "queue" && words.size() == 2 && words[1] == "off") {
    queue_side_ = market::Side::none;
    return {};
  }
  if (verb == "queue" && words.size() == 3 && (words[1] == "B" || words[1] == "S")) {
    const auto price = whole_number<std::int64_t>(words[2]);
    if (!price) return std::unexpected("a price is a whole number of 1e-8");
    queue_side_ = words[1] == "B" ? market::Side::buy : market::Side::sell;
    queue_price_ = *price;
    seen_.queue = 0;
    return {};
  }
  if (verb == "own" && words.size() == 2) {
    const auto place = whole_number<std::uint16_t>(words[1]);
    if (words[1] != "off" && (!place || *place >= picture.sessions().size()))
      return std::unexpected("there is no session " + std::string(words[1].substr(0, 20)));
    own_ = words[1] == "off" ? std::uint16_t{0} : static_cast<std::uint16_t>(*place + 1);
    seen_.ladder = seen_.queue = 0;
    return {};
  }
  if (verb == "show" && words.size() == 2) {
    const auto bits = whole_number<std::uint32_t>(words[1]);
    if (!bits) return std::unexpected("what is shown is a number of bits");
    shown_ = *bits;
    return {};
  }
  if (verb == "again" && words.size() == 1) {
    is_new_ = true;
    return {};
  }
  return std::unexpected("watch ID, queue B|S UNITS, queue off, own PLACE, own off, show BITS, again; not: " +
                         std::string(line.substr(0, 40)));
}

void ClientView::forget_instrument() {
  seen_.ladder = seen_.queue = seen_.auction = seen_.point_number = 0;
  seen_.call = seen_.generation = ~std::uint32_t{0};
  seen_.columns = 0;
}

std::optional<std::string> ClientView::next_frame(const Picture& picture) {
  if (epoch_ != picture.epoch()) is_new_ = true;
  epoch_ = picture.epoch();
  const bool is_snapshot = is_new_;
  if (is_new_) seen_ = {};
  if (instrument_ == 0 && !picture.instruments().empty()) instrument_ = picture.instruments().front().about.id;
  FrameWriter frame({.is_snapshot = is_snapshot, .number = frames_ + 1, .time = picture.time()});
  if (is_snapshot) write_start(frame, picture);
  write_instruments(frame, picture);
  write_market(frame, picture);
  if (const Picture::Instrument* of = picture.find(instrument_)) {
    write_ladder(frame, *of);
    write_queue(frame, *of);
    write_auction(frame, *of);
    write_history(frame, *of);
  }
  write_tape(frame, picture);
  write_latencies(frame, picture);
  write_account(frame, picture);
  write_state(frame, picture);
  write_notices(frame, picture);
  if (frame.sections() == 0) return std::nullopt;
  is_new_ = false;
  ++frames_;
  return frame.finish();
}

void ClientView::write_start(FrameWriter& frame, const Picture& picture) const {
  const PictureConfig& config = picture.config();
  frame.begin(Section::source);
  frame.u8(static_cast<std::uint8_t>((config.has_pace ? 1U : 0U) | (config.has_books ? 0U : 2U) |
                                     (config.has_account ? 4U : 0U)));
  frame.text(config.name);
  const auto names = [&](NameList list, const std::vector<std::string>& texts) {
    frame.begin(Section::names);
    frame.u8(static_cast<std::uint8_t>(list));
    frame.u16(static_cast<std::uint16_t>(texts.size()));
    for (const std::string& text : texts) frame.text(text);
  };
  names(NameList::counters, config.counters);
  names(NameList::stages, config.stages);
  names(NameList::sessions, config.sessions);
}

/// All of them, whenever one is new: the page makes its list anew.
void ClientView::write_instruments(FrameWriter& frame, const Picture& picture) {
  if (seen_.instruments != 0 && picture.versions().instruments <= seen_.instruments) return;
  frame.begin(Section::instruments);
  frame.u32(static_cast<std::uint32_t>(picture.instruments().size()));
  for (const Picture::Instrument& each : picture.instruments()) {
    frame.u32(each.about.id);
    frame.i64(each.about.reference);
    frame.u8(each.about.partition);
    frame.u8(each.about.quantity_decimals);
    frame.text(each.about.symbol);
    frame.text(each.about.segment);
  }
  seen_.instruments = std::max<std::uint64_t>(picture.versions().instruments, 1);
}

void ClientView::write_levels(FrameWriter& frame, const Picture::Instrument& of, market::Side side) const {
  const DisplayedBook::Levels& levels = of.book.levels(side);
  std::size_t left = k_ladder_levels;
  const auto put = [&](const auto& level) {
    frame.i64(level.first);
    frame.i64(level.second.quantity);
    frame.u32(static_cast<std::uint32_t>(level.second.orders()));
    frame.u32(own_ == 0 ? 0 : of.book.owned(own_, side, level.first));
  };
  if (side == market::Side::buy)
    for (auto at = levels.rbegin(); at != levels.rend() && left != 0; ++at, --left) put(*at);
  else
    for (auto at = levels.begin(); at != levels.end() && left != 0; ++at, --left) put(*at);
}

void ClientView::write_notices(FrameWriter& frame, const Picture& picture) {
  if (!is_shown(Section::notices) || picture.versions().notices <= seen_.notices) return;
  const std::deque<NoticeRow>& notices = picture.notices();
  const std::uint64_t news = picture.notice_count() - seen_.notice_number;
  const std::size_t count = std::min<std::size_t>({static_cast<std::size_t>(news), notices.size(), k_notice_rows});
  frame.begin(Section::notices);
  frame.u64(picture.notice_count());
  frame.u32(static_cast<std::uint32_t>(count));
  frame.u32(0);
  for (auto at = notices.end() - static_cast<std::ptrdiff_t>(count); at != notices.end(); ++at) {
    frame.u64(at->number);
    frame.i64(at->time);
    frame.text(at->text);
  }
  seen_.notices = picture.versions().notices;
  seen_.notice_number = picture.notice_count();
}

void ClientView::write_market(FrameWriter& frame, const Picture& picture) {
  if (!is_shown(Section::market) || picture.versions().market <= seen_.market) return;
  frame.begin(Section::market);
  for (const Picture::Instrument& each : picture.instruments()) {
    if (each.row_version <= seen_.market) continue;
    const MarketRow& row = each.row;
    frame.u32(row.instrument);
    frame.u8(row.phase);
    frame.u8(row.day_phase);
    frame.u8(row.has);
    frame.u8(0);
    for (const std::int64_t value : {row.bid, row.bid_quantity, row.ask, row.ask_quantity, row.last, row.last_quantity})
      frame.i64(value);
    frame.u64(row.volume);
    frame.u64(row.trades);
  }
  seen_.market = picture.versions().market;
}

void ClientView::write_ladder(FrameWriter& frame, const Picture::Instrument& of) {
  if (!is_shown(Section::ladder) || of.book_version <= seen_.ladder) return;
  const auto& bids = of.book.levels(market::Side::buy);
  const auto& asks = of.book.levels(market::Side::sell);
  frame.begin(Section::ladder);
  frame.u32(of.about.id);
  frame.u16(static_cast<std::uint16_t>(std::min(bids.size(), k_ladder_levels)));
  frame.u16(static_cast<std::uint16_t>(std::min(asks.size(), k_ladder_levels)));
  frame.u32(std::max(static_cast<std::uint32_t>(bids.size()), of.bid_levels));
  frame.u32(std::max(static_cast<std::uint32_t>(asks.size()), of.ask_levels));
  write_levels(frame, of, market::Side::buy);
  write_levels(frame, of, market::Side::sell);
  seen_.ladder = of.book_version;
}

void ClientView::write_queue(FrameWriter& frame, const Picture::Instrument& of) {
  if (queue_side_ == market::Side::none || !is_shown(Section::queue) || of.book_version <= seen_.queue) return;
  const auto& levels = of.book.levels(queue_side_);
  const auto level = levels.find(queue_price_);
  const std::size_t size = level == levels.end() ? 0 : level->second.orders();
  std::size_t left = level == levels.end() ? 0 : std::min(level->second.queue.size(), k_queue_orders);
  frame.begin(Section::queue);
  frame.u32(of.about.id);
  frame.u8(static_cast<std::uint8_t>(queue_side_));
  frame.u8(0);
  frame.u16(static_cast<std::uint16_t>(left));
  frame.i64(queue_price_);
  frame.u32(static_cast<std::uint32_t>(size));
  frame.u32(0);
  for (auto at = left == 0 ? std::list<std::uint64_t>::const_iterator() : level->second.queue.begin(); left != 0;
       ++at, --left) {
    const DisplayedBook::Order& order = *of.book.find(*at);
    frame.u64(*at);
    frame.i64(order.displayed);
    frame.u8(own_ != 0 && order.owner == own_ ? 1 : 0);
    frame.zeros(7);
  }
  seen_.queue = of.book_version;
}

void ClientView::write_tape(FrameWriter& frame, const Picture& picture) {
  if (!is_shown(Section::tape) || picture.versions().tape <= seen_.tape) return;
  const std::deque<TapeRow>& tape = picture.tape();
  const std::uint64_t news = picture.trades() - seen_.tape_number;
  const std::size_t count = std::min<std::size_t>({static_cast<std::size_t>(news), tape.size(), k_tape_rows});
  frame.begin(Section::tape);
  frame.u64(picture.trades());
  frame.u32(static_cast<std::uint32_t>(count));
  frame.u32(0);
  for (auto at = tape.end() - static_cast<std::ptrdiff_t>(count); at != tape.end(); ++at) {
    frame.u64(at->number);
    frame.i64(at->time);
    frame.i64(at->price);
    frame.i64(at->quantity);
    frame.u32(at->instrument);
    frame.u8(at->side);
    frame.u8(at->flags);
    frame.u16(0);
  }
  seen_.tape = picture.versions().tape;
  seen_.tape_number = picture.trades();
}

void ClientView::write_auction(FrameWriter& frame, const Picture::Instrument& of) {
  if (!is_shown(Section::auction) || of.auction_version <= seen_.auction) return;
  const AuctionState& auction = of.auction;
  if (auction.call != seen_.call) seen_.point_number = 0;
  const std::uint64_t end = auction.first + auction.points.size();
  const std::uint64_t from = std::max(auction.first, seen_.point_number + 1);
  frame.begin(Section::auction);
  frame.u32(of.about.id);
  frame.u32(auction.call);
  frame.u8(auction.imbalance_side);
  frame.u8(static_cast<std::uint8_t>(auction.type));
  frame.u16(static_cast<std::uint16_t>(end - from));
  frame.u32(0);
  for (const std::int64_t value :
       {auction.until, auction.price, auction.quantity, auction.imbalance, auction.last_price, auction.last_quantity})
    frame.i64(value);
  write_bands(frame, of.bands);
  frame.u64(from);
  for (std::uint64_t number = from; number < end; ++number) {
    const AuctionPoint& point = auction.points[static_cast<std::size_t>(number - auction.first)];
    for (const std::int64_t value : {point.time, point.price, point.quantity, point.imbalance}) frame.i64(value);
  }
  seen_.call = auction.call;
  seen_.point_number = end - 1;
  seen_.auction = of.auction_version;
}

void ClientView::write_history(FrameWriter& frame, const Picture::Instrument& of) {
  if (!is_shown(Section::history) || of.history == nullptr) return;
  const History& history = *of.history;
  if (history.generation != seen_.generation) seen_.columns = 0;
  if (history.columns.size() <= seen_.columns) return;
  const std::size_t count = std::min(history.columns.size() - seen_.columns, k_history_columns);
  frame.begin(Section::history);
  frame.u32(of.about.id);
  frame.u32(history.generation);
  frame.i64(history.interval);
  frame.u32(static_cast<std::uint32_t>(seen_.columns));
  frame.u32(static_cast<std::uint32_t>(count));
  for (std::size_t at = seen_.columns; at < seen_.columns + count; ++at) {
    const HistoryColumn& column = history.columns[at];
    frame.i64(column.time);
    frame.i64(column.indicative);
    write_bands(frame, column.bands);
    frame.u16(static_cast<std::uint16_t>(column.bids.size()));
    frame.u16(static_cast<std::uint16_t>(column.asks.size()));
    frame.u16(static_cast<std::uint16_t>(column.trades.size()));
    frame.u16(0);
    write_cells(frame, column.bids);
    write_cells(frame, column.asks);
    write_cells(frame, column.trades);
  }
  seen_.generation = history.generation;
  seen_.columns += count;
}

void ClientView::write_latencies(FrameWriter& frame, const Picture& picture) {
  if (!is_shown(Section::latency) || picture.versions().latency <= seen_.latency_number) return;
  for (std::size_t stage = 0; stage < picture.latencies().size(); ++stage) {
    const Latencies& of = picture.latencies()[stage];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> cells;
    for (std::size_t at = 0; at < of.whole.size(); ++at)
      if (of.whole[at] != 0) cells.emplace_back(Latencies::k_coarse.lowest_of(at), of.whole[at]);
    frame.begin(Section::latency);
    frame.u16(static_cast<std::uint16_t>(stage));
    frame.u16(static_cast<std::uint16_t>(of.rows.size()));
    frame.u32(static_cast<std::uint32_t>(cells.size()));
    for (const LatencyRow& row : of.rows) {
      frame.u64(row.number);
      frame.i64(row.time);
      for (const std::uint64_t value : {row.count, row.p50, row.p90, row.p99, row.p999, row.most}) frame.u64(value);
    }
    for (const auto& [lowest, count] : cells) {
      frame.u64(lowest);
      frame.u64(count);
    }
  }
  seen_.latency_number = picture.versions().latency;
}

void ClientView::write_account(FrameWriter& frame, const Picture& picture) {
  if (!is_shown(Section::account) || picture.versions().account <= seen_.account) return;
  const Account& account = picture.account();
  if (account.generation != seen_.account_generation) seen_.points = 0;
  frame.begin(Section::account);
  frame.u32(static_cast<std::uint32_t>(account.rows.size()));
  frame.u32(static_cast<std::uint32_t>(seen_.points));
  frame.u32(static_cast<std::uint32_t>(account.points.size() - seen_.points));
  frame.u32(0);
  for (const auto& [instrument, row] : account.rows) {
    frame.u32(instrument);
    frame.u32(row.open_orders);
    frame.i64(row.position);
    frame.u64(row.fills);
    frame.u64(row.orders);
    for (const double value : {row.equity, row.cash, row.fees}) frame.f64(value);
  }
  for (std::size_t at = seen_.points; at < account.points.size(); ++at) {
    frame.i64(account.points[at].time);
    frame.f64(account.points[at].equity);
  }
  seen_.account = picture.versions().account;
  seen_.account_generation = account.generation;
  seen_.points = account.points.size();
}

void ClientView::write_state(FrameWriter& frame, const Picture& picture) {
  const Picture::Versions& versions = picture.versions();
  if (is_shown(Section::counters) && versions.counters > seen_.counters) {
    frame.begin(Section::counters);
    frame.u16(static_cast<std::uint16_t>(picture.counters().size()));
    std::uint16_t reasons = 0;
    for (const std::uint64_t count : picture.rejects()) reasons = static_cast<std::uint16_t>(reasons + (count != 0));
    frame.u16(reasons);
    frame.u32(0);
    for (const std::uint64_t value : picture.counters()) frame.u64(value);
    for (std::size_t reason = 0; reason < picture.rejects().size(); ++reason) {
      if (picture.rejects()[reason] == 0) continue;
      frame.u64(reason);
      frame.u64(picture.rejects()[reason]);
    }
    seen_.counters = versions.counters;
  }
  if (is_shown(Section::sessions) && versions.sessions > seen_.sessions) {
    frame.begin(Section::sessions);
    for (const SessionFact& session : picture.sessions()) {
      for (const std::uint64_t value : {session.logons, session.open_orders, session.next_out, session.session_begin,
                                        session.next_in, session.lag, session.rejects})
        frame.u64(value);
      frame.u16(session.session);
      frame.u8(session.is_up);
      frame.u8(session.is_locked);
      frame.u8(session.is_killed);
      frame.u8(static_cast<std::uint8_t>(session.kind));
      frame.u8(session.last_reject);
      frame.zeros(1);
    }
    seen_.sessions = versions.sessions;
  }
  if (is_shown(Section::sessions) && versions.last_rejects > seen_.last_rejects) {
    frame.begin(Section::last_rejects);
    for (std::size_t place = 0; place < picture.last_rejects().size(); ++place) {
      if (picture.last_rejects()[place].empty()) continue;
      frame.u16(static_cast<std::uint16_t>(place));
      frame.text(picture.last_rejects()[place]);
    }
    seen_.last_rejects = versions.last_rejects;
  }
  if (versions.pace > seen_.pace) {
    frame.begin(Section::pace);
    const PaceFact& pace = picture.pace();
    frame.f64(pace.speed);
    frame.u8(pace.is_paused);
    frame.u8(static_cast<std::uint8_t>((pace.can_jump != 0 ? 1U : 0U) | (pace.is_over != 0 ? 2U : 0U)));
    frame.zeros(6);
    frame.i64(pace.first);
    frame.i64(pace.last);
    frame.f64(pace.progress);
    seen_.pace = versions.pace;
  }
  if (versions.trouble > seen_.trouble) {
    frame.begin(Section::trouble);
    frame.u64(picture.lost());
    frame.u64(picture.snapshots());
    seen_.trouble = versions.trouble;
  }
}

}  // namespace dojima::web
