#pragma once

// What a page knows: rebuilt from frames alone, as the page's own code does it. For programs that watch a dashboard and
// for tests, which hold it against what was sent.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dojima/web/dashboard/frame.hpp"
#include "dojima/web/dashboard/picture.hpp"

namespace dojima::web {

struct ScreenLevel {
  std::int64_t price = 0, quantity = 0;
  std::uint32_t orders = 0;
  std::uint32_t own = 0;  ///< of these, of the session that was asked for
  friend bool operator==(const ScreenLevel&, const ScreenLevel&) = default;
};

struct ScreenLadder {
  std::uint32_t instrument = 0;
  std::uint32_t bid_levels = 0, ask_levels = 0;  ///< in the book; fewer are shown
  std::vector<ScreenLevel> bids, asks;           ///< best first
  friend bool operator==(const ScreenLadder&, const ScreenLadder&) = default;
};

struct ScreenQueue {
  std::uint32_t instrument = 0;
  std::uint8_t side = 0;
  std::int64_t price = 0;
  std::uint32_t orders = 0;                                   ///< in the level
  std::vector<std::pair<std::uint64_t, std::int64_t>> shown;  ///< id and displayed quantity, oldest first
  std::vector<bool> own;                                      ///< of each that is shown
  friend bool operator==(const ScreenQueue&, const ScreenQueue&) = default;
};

struct ScreenAuction {
  std::uint32_t instrument = 0, call = 0;
  std::uint8_t imbalance_side = 0;
  char type = ' ';
  std::int64_t until = 0, price = 0, quantity = 0, imbalance = 0, last_price = 0, last_quantity = 0;
  Bands bands;
  std::deque<AuctionPoint> points;
  friend bool operator==(const ScreenAuction&, const ScreenAuction&) = default;
};

struct ScreenHistory {
  std::uint32_t instrument = 0, generation = 0;
  std::int64_t interval = 0;
  std::vector<HistoryColumn> columns;
  friend bool operator==(const ScreenHistory&, const ScreenHistory&) = default;
};

struct ScreenLatency {
  std::vector<LatencyRow> rows;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> cells;  ///< lowest value and count, of the whole run
  friend bool operator==(const ScreenLatency&, const ScreenLatency&) = default;
};

struct ScreenAccountRow {
  std::uint32_t open_orders = 0;
  std::int64_t position = 0;
  std::uint64_t fills = 0, orders = 0;
  double equity = 0, cash = 0, fees = 0;
  friend bool operator==(const ScreenAccountRow&, const ScreenAccountRow&) = default;
};

struct ScreenAccount {
  std::map<std::uint32_t, ScreenAccountRow> rows;  ///< by instrument; 0: all together
  std::vector<EquityPoint> points;
  friend bool operator==(const ScreenAccount&, const ScreenAccount&) = default;
};

struct ScreenSession {
  std::uint64_t logons = 0, open_orders = 0, next_out = 0, session_begin = 0, next_in = 0, lag = 0, rejects = 0;
  bool is_up = false, is_locked = false, is_killed = false;
  std::uint8_t kind = 0;         ///< SessionKind
  std::uint8_t last_reject = 0;  ///< market::Reason
  friend bool operator==(const ScreenSession&, const ScreenSession&) = default;
};

/// Everything but the number of the last frame.
struct ScreenState {
  std::string source;
  bool has_pace = false, has_books = true, has_account = false;
  std::vector<PictureInstrument> instruments;
  std::map<std::uint8_t, std::vector<std::string>> names;
  std::map<std::uint32_t, MarketRow> market;
  ScreenLadder ladder;
  ScreenQueue queue;
  std::uint64_t trades = 0;
  std::deque<TapeRow> tape;  ///< the newest ClientView::k_tape_rows
  ScreenAuction auction;
  ScreenHistory history;
  std::map<std::uint16_t, ScreenLatency> latencies;
  std::vector<std::uint64_t> counters;
  std::map<std::uint64_t, std::uint64_t> rejects;
  std::map<std::uint16_t, ScreenSession> sessions;
  std::map<std::uint16_t, std::string> last_rejects;
  ScreenAccount account;
  double speed = 1;
  bool is_paused = false, can_jump = false, is_over = false;
  std::int64_t first = 0, last = 0;  ///< between which times it can be moved; 0: unknown
  double progress = -1;
  std::uint64_t notice_count = 0;
  std::deque<NoticeRow> notices;  ///< the newest ClientView::k_notice_rows
  std::uint64_t lost = 0, snapshots = 0;
};

class Screen {
 public:
  /// The error is for a person; of a frame that is not sound some sections may have been taken.
  [[nodiscard]] std::expected<void, std::string> apply(std::span<const std::byte> bytes);

  [[nodiscard]] const ScreenState& state() const noexcept { return state_; }
  [[nodiscard]] const FrameHeader& last() const noexcept { return last_; }

 private:
  [[nodiscard]] bool apply(const SectionView& section);
  void read_instruments(SectionReader& from);
  void read_market(SectionReader& from);
  void read_ladder(SectionReader& from);
  void read_queue(SectionReader& from);
  void read_tape(SectionReader& from);
  void read_auction(SectionReader& from);
  void read_history(SectionReader& from);
  void read_latency(SectionReader& from);
  void read_counters(SectionReader& from);
  void read_sessions(SectionReader& from);
  void read_account(SectionReader& from);
  void read_notices(SectionReader& from);

  ScreenState state_;
  FrameHeader last_;
};

}  // namespace dojima::web
