#include "dojima/web/dashboard/screen.hpp"

#include <algorithm>
#include <utility>

#include "dojima/web/dashboard/client_view.hpp"

namespace dojima::web {
namespace {

void read_levels(SectionReader& from, std::size_t count, std::vector<ScreenLevel>& to) {
  to.clear();
  for (std::size_t at = 0; at < count; ++at) {
    ScreenLevel& level = to.emplace_back();
    level.price = from.i64();
    level.quantity = from.i64();
    level.orders = from.u32();
    level.own = from.u32();
  }
}

void read_bands(SectionReader& from, Bands& bands) {
  for (std::int64_t* price : {&bands.static_low, &bands.static_high, &bands.dynamic_low, &bands.dynamic_high})
    *price = from.i64();
}

void read_cells(SectionReader& from, std::size_t count, std::vector<HistoryCell>& to) {
  if (!from.has(count, 16)) return;
  for (std::size_t at = 0; at < count; ++at) {
    const std::int64_t price = from.i64();
    to.push_back({.price = price, .quantity = from.i64()});
  }
}

}  // namespace

std::expected<void, std::string> Screen::apply(std::span<const std::byte> bytes) {
  const auto frame = read_frame(bytes);
  if (!frame) return std::unexpected(frame.error());
  if (frame->header.is_snapshot) state_ = {};
  last_ = frame->header;
  for (const SectionView& section : frame->sections)
    if (!apply(section)) return std::unexpected("a section of type " + std::to_string(section.type) + " is cut short");
  return {};
}

bool Screen::apply(const SectionView& section) {
  SectionReader from(section.body);
  switch (static_cast<Section>(section.type)) {
    case Section::source: {
      const std::uint8_t flags = from.u8();
      state_.has_pace = (flags & 1U) != 0;
      state_.has_books = (flags & 2U) == 0;
      state_.has_account = (flags & 4U) != 0;
    }
      state_.source = from.text();
      break;
    case Section::instruments:
      read_instruments(from);
      break;
    case Section::names: {
      std::vector<std::string>& list = state_.names[from.u8()];
      list.clear();
      const std::size_t count = from.u16();
      for (std::size_t at = 0; at < count && from.is_sound(); ++at) list.push_back(from.text());
      break;
    }
    case Section::market:
      read_market(from);
      break;
    case Section::ladder:
      read_ladder(from);
      break;
    case Section::queue:
      read_queue(from);
      break;
    case Section::tape:
      read_tape(from);
      break;
    case Section::auction:
      read_auction(from);
      break;
    case Section::history:
      read_history(from);
      break;
    case Section::latency:
      read_latency(from);
      break;
    case Section::counters:
      read_counters(from);
      break;
    case Section::sessions:
      read_sessions(from);
      break;
    case Section::account:
      read_account(from);
      break;
    case Section::last_rejects:
      state_.last_rejects.clear();
      while (!from.is_at_end() && from.is_sound()) {
        const std::uint16_t place = from.u16();
        std::string text = from.text();
        if (from.is_sound()) state_.last_rejects[place] = std::move(text);
      }
      break;
    case Section::pace:
      state_.speed = from.f64();
      state_.is_paused = from.u8() != 0;
      {
        const std::uint8_t flags = from.u8();
        state_.can_jump = (flags & 1U) != 0;
        state_.is_over = (flags & 2U) != 0;
      }
      from.skip(6);
      state_.first = from.i64();
      state_.last = from.i64();
      state_.progress = from.f64();
      break;
    case Section::trouble:
      state_.lost = from.u64();
      state_.snapshots = from.u64();
      break;
    case Section::notices:
      read_notices(from);
      break;
    default:
      break;
  }
  return from.is_sound();
}

void Screen::read_instruments(SectionReader& from) {
  const std::size_t count = from.u32();
  state_.instruments.clear();
  for (std::size_t at = 0; at < count && from.is_sound(); ++at) {
    PictureInstrument& each = state_.instruments.emplace_back();
    each.id = from.u32();
    each.reference = from.i64();
    each.partition = from.u8();
    each.quantity_decimals = from.u8();
    each.symbol = from.text();
    each.segment = from.text();
  }
}

void Screen::read_market(SectionReader& from) {
  while (!from.is_at_end() && from.is_sound()) {
    MarketRow row;
    row.instrument = from.u32();
    row.phase = from.u8();
    row.day_phase = from.u8();
    row.has = from.u8();
    from.skip(1);
    for (std::int64_t* value :
         {&row.bid, &row.bid_quantity, &row.ask, &row.ask_quantity, &row.last, &row.last_quantity})
      *value = from.i64();
    row.volume = from.u64();
    row.trades = from.u64();
    if (from.is_sound()) state_.market[row.instrument] = row;
  }
}

void Screen::read_ladder(SectionReader& from) {
  ScreenLadder& ladder = state_.ladder;
  ladder.instrument = from.u32();
  const std::size_t bids = from.u16();
  const std::size_t asks = from.u16();
  ladder.bid_levels = from.u32();
  ladder.ask_levels = from.u32();
  if (!from.has(bids + asks, 24)) return;
  read_levels(from, bids, ladder.bids);
  read_levels(from, asks, ladder.asks);
}

void Screen::read_queue(SectionReader& from) {
  ScreenQueue& queue = state_.queue;
  queue.instrument = from.u32();
  queue.side = from.u8();
  from.skip(1);
  const std::size_t count = from.u16();
  queue.price = from.i64();
  queue.orders = from.u32();
  from.skip(4);
  queue.shown.clear();
  queue.own.clear();
  if (!from.has(count, 24)) return;
  for (std::size_t at = 0; at < count; ++at) {
    const std::uint64_t id = from.u64();
    queue.shown.emplace_back(id, from.i64());
    queue.own.push_back((from.u8() & 1U) != 0);
    from.skip(7);
  }
}

void Screen::read_tape(SectionReader& from) {
  state_.trades = from.u64();
  const std::size_t count = from.u32();
  from.skip(4);
  if (!from.has(count, 40)) return;
  for (std::size_t at = 0; at < count; ++at) {
    TapeRow& row = state_.tape.emplace_back();
    row.number = from.u64();
    row.time = from.i64();
    row.price = from.i64();
    row.quantity = from.i64();
    row.instrument = from.u32();
    row.side = from.u8();
    row.flags = from.u8();
    from.skip(2);
  }
  while (state_.tape.size() > ClientView::k_tape_rows) state_.tape.pop_front();
}

void Screen::read_auction(SectionReader& from) {
  ScreenAuction& auction = state_.auction;
  const std::uint32_t instrument = from.u32();
  const std::uint32_t call = from.u32();
  if (instrument != auction.instrument || call != auction.call) auction.points.clear();
  auction.instrument = instrument;
  auction.call = call;
  auction.imbalance_side = from.u8();
  auction.type = static_cast<char>(from.u8());
  const std::size_t count = from.u16();
  from.skip(4);
  for (std::int64_t* value : {&auction.until, &auction.price, &auction.quantity, &auction.imbalance,
                              &auction.last_price, &auction.last_quantity})
    *value = from.i64();
  read_bands(from, auction.bands);
  if (from.u64() == 1) auction.points.clear();
  if (!from.has(count, 32)) return;
  for (std::size_t at = 0; at < count; ++at) {
    AuctionPoint& point = auction.points.emplace_back();
    for (std::int64_t* value : {&point.time, &point.price, &point.quantity, &point.imbalance}) *value = from.i64();
  }
  while (auction.points.size() > AuctionState::k_points) auction.points.pop_front();
}

void Screen::read_history(SectionReader& from) {
  ScreenHistory& history = state_.history;
  history.instrument = from.u32();
  history.generation = from.u32();
  history.interval = from.i64();
  const std::size_t first = from.u32();
  const std::size_t count = from.u32();
  if (first < history.columns.size()) history.columns.resize(first);
  if (!from.has(count, 56)) return;
  for (std::size_t at = 0; at < count && from.is_sound(); ++at) {
    HistoryColumn& column = history.columns.emplace_back();
    column.time = from.i64();
    column.indicative = from.i64();
    read_bands(from, column.bands);
    const std::size_t bids = from.u16(), asks = from.u16(), trades = from.u16();
    from.skip(2);
    read_cells(from, bids, column.bids);
    read_cells(from, asks, column.asks);
    read_cells(from, trades, column.trades);
  }
}

void Screen::read_latency(SectionReader& from) {
  ScreenLatency& latency = state_.latencies[from.u16()];
  latency = {};
  const std::size_t rows = from.u16();
  const std::size_t cells = from.u32();
  if (!from.has(rows, 64)) return;
  for (std::size_t at = 0; at < rows; ++at) {
    LatencyRow& row = latency.rows.emplace_back();
    row.number = from.u64();
    row.time = from.i64();
    for (std::uint64_t* value : {&row.count, &row.p50, &row.p90, &row.p99, &row.p999, &row.most}) *value = from.u64();
  }
  if (!from.has(cells, 16)) return;
  for (std::size_t at = 0; at < cells; ++at) {
    const std::uint64_t lowest = from.u64();
    latency.cells.emplace_back(lowest, from.u64());
  }
}

void Screen::read_counters(SectionReader& from) {
  const std::size_t counters = from.u16();
  const std::size_t reasons = from.u16();
  from.skip(4);
  if (!from.has(counters + 2 * reasons, 8)) return;
  state_.counters.clear();
  for (std::size_t at = 0; at < counters; ++at) state_.counters.push_back(from.u64());
  state_.rejects.clear();
  for (std::size_t at = 0; at < reasons; ++at) {
    const std::uint64_t reason = from.u64();
    state_.rejects[reason] = from.u64();
  }
}

void Screen::read_sessions(SectionReader& from) {
  while (!from.is_at_end() && from.is_sound()) {
    ScreenSession session;
    for (std::uint64_t* value : {&session.logons, &session.open_orders, &session.next_out, &session.session_begin,
                                 &session.next_in, &session.lag, &session.rejects})
      *value = from.u64();
    const std::uint16_t place = from.u16();
    session.is_up = from.u8() != 0;
    session.is_locked = from.u8() != 0;
    session.is_killed = from.u8() != 0;
    session.kind = from.u8();
    session.last_reject = from.u8();
    from.skip(1);
    if (from.is_sound()) state_.sessions[place] = session;
  }
}

void Screen::read_account(SectionReader& from) {
  const std::size_t rows = from.u32(), first = from.u32(), points = from.u32();
  from.skip(4);
  ScreenAccount& account = state_.account;
  account.rows.clear();
  if (!from.has(rows, 56)) return;
  for (std::size_t at = 0; at < rows; ++at) {
    const std::uint32_t instrument = from.u32();
    ScreenAccountRow& row = account.rows[instrument];
    row.open_orders = from.u32();
    row.position = from.i64();
    row.fills = from.u64();
    row.orders = from.u64();
    for (double* value : {&row.equity, &row.cash, &row.fees}) *value = from.f64();
  }
  if (!from.has(points, 16)) return;
  account.points.resize(std::min(first, account.points.size()));
  for (std::size_t at = 0; at < points; ++at) {
    const std::int64_t time = from.i64();
    account.points.push_back({.time = time, .equity = from.f64()});
  }
}

void Screen::read_notices(SectionReader& from) {
  state_.notice_count = from.u64();
  const std::size_t count = from.u32();
  from.skip(4);
  for (std::size_t at = 0; at < count && from.is_sound(); ++at) {
    NoticeRow row;
    row.number = from.u64();
    row.time = from.i64();
    row.text = from.text();
    if (from.is_sound()) state_.notices.push_back(std::move(row));
  }
  while (state_.notices.size() > ClientView::k_notice_rows) state_.notices.pop_front();
}

}  // namespace dojima::web
