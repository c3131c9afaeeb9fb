#pragma once

// A venue on the screens of browsers. Thirty times a second it looks at the books that are shown and have changed, at
// as much of each as the screens show, ten times a second at all others, at sessions and counters. In between it
// publishes what would be missed: trades, phases, rejects, and of an instrument whose orders are shown one by one every
// change of an order; only while there is one does it see the reports of its partition. All of it belongs to the
// venue's thread, which never waits for the dashboard's and allocates nothing; between two instants it costs one
// comparison. Where the partitions have threads, these write what they publish one after the other.
//
//   VenueWatch watch({.name = "venue"}, exchange_config);
//   Exchange exchange(exchange_config, scheduler, {&watch, 0, 1});   // the watch measures, too
//   watch.attach(exchange);  station.add(watch);
//   const auto where = watch.start();

#include <algorithm>
#include <array>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/app/dashboard/screens.hpp"
#include "dojima/app/dashboard_config.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/venue/partition_sinks.hpp"
#include "dojima/web/dashboard/facts.hpp"

namespace dojima::app {

struct VenueWatchOptions {
  std::string name;  ///< what is watched, for a person
  DashboardConfig dashboard;
  measure::Probe* next = nullptr;  ///< who else takes the marks; may be null
  std::uint8_t stage_in = 0;
  std::uint8_t stage_out = 1;
  /// web::DashboardOptions::on_pace; empty: time is nobody's to move.
  std::function<bool(std::string_view)> on_pace;
};

class VenueWatch final : public venue::ReportSink, public venue::FeedSink, public sched::Source, public measure::Probe {
 public:
  /// Throws std::bad_alloc.
  VenueWatch(VenueWatchOptions options, const simulate::ExchangeConfig& config);

  /// What the exchange is made with, so that requests are timed: as many as the configuration says, or all where
  /// somebody else takes marks.
  [[nodiscard]] simulate::ExchangeProbe probe() noexcept;
  /// Watches all partitions from now on. The exchange ends before the watch.
  void attach(simulate::Exchange& exchange);
  /// Listens and begins the dashboard's thread. The error is for a person.
  [[nodiscard]] std::expected<link::Address, std::string> start() { return screens_.start(); }
  /// A line for a person, once started.
  [[nodiscard]] std::string describe() const { return screens_.describe(); }
  /// The address that a person opens, with the token; once started.
  [[nodiscard]] std::string url() const { return screens_.url(); }
  /// How time moves; `is_over`: no more.
  void publish_pace(double speed, bool is_paused, time::Time now, bool is_over = false) noexcept;
  /// Where time stands still: what pages have turned to since the last look is shown all the same.
  void look_at_wanted(time::Time now) noexcept;
  /// The next instant looks at everything, e.g. because it is the last.
  void look_soon() noexcept {
    next_look_ = {};
    looks_ = 0;
  }

  [[nodiscard]] const web::Dashboard& dashboard() const noexcept { return screens_.dashboard(); }
  /// Who drains it himself does not start().
  [[nodiscard]] web::FactChannel& channel() noexcept { return channel_; }

  // venue::ReportSink, venue::FeedSink
  void on_reports(std::span<const market::BookReport> reports, time::Time now) override;
  void on_status(const market::SymbolStatus& status) override;
  void on_auction_info(const market::AuctionInfo& info) override;
  void on_auction_trade(const market::AuctionTrade&) override {}
  void on_trade_break(const market::TradeBreak& broken) override;

  // sched::Source
  [[nodiscard]] time::Time next_time() override { return time::k_never; }
  std::size_t deliver(time::Time) override { return 0; }
  std::size_t finish(time::Time now) override;

  // measure::Probe
  void mark(std::uint8_t stage, std::uint64_t number) override;
  void bind(std::uint64_t number, std::uint64_t client_number) override;

 private:
  /// What was traded of an instrument since the start, and what else is sent of it.
  struct Totals {
    market::Price price;
    market::Quantity quantity;
    std::uint64_t trades = 0, volume = 0;
    const venue::Partition* partition = nullptr;
    std::uint32_t instrument = 0;
    web::Bands bands;                         // as they were sent
    web::Detail detail = web::Detail::touch;  // that is published
    std::uint64_t look = 0;                   // in which it was put into a snapshot last
    bool has_changed = false;                 // since it was looked at last, and is among those
    bool is_shown = false;                    // it is among those of which ladders are shown and that have changed
    bool has_traded = false;                  // or is in another phase, since the last look
  };
  /// What was found last for an instrument, by its number's last bits.
  struct Recent {
    Totals* totals = nullptr;
    std::uint32_t instrument = 0;  // there is no instrument 0
  };
  /// What a partition shows of all its instruments.
  struct Ticker final : venue::TickerSink {
    Ticker(VenueWatch& its_watch, venue::Partition& of) : watch(its_watch), partition(of) {}
    void on_trade(const market::BookReport& report, time::Time now) override { watch.on_trade(report, now); }
    void on_refusal(const market::BookReport& report, std::uint16_t user) override { watch.on_refusal(report, user); }
    void on_book(const market::BookReport& report, time::Time now) override { watch.on_book(report, now); }

    VenueWatch& watch;
    venue::Partition& partition;
    bool is_observed = false;  // somebody looks at the orders of one of its instruments
    /// Its instruments by their place in ChangedBooks.
    std::vector<std::pair<std::size_t, Totals*>> places;
  };
  struct Entered {
    std::uint64_t number = ~std::uint64_t{0};
    time::Ticks at;
  };
  /// Requests on their way through the venue at a time: where all are timed, or few of them, which takes few lines of
  /// the cache.
  static constexpr std::size_t k_all_entered = 4096, k_few_entered = 256;

  /// While it is held no other thread writes; nothing where there is one thread. Between two instants there is too.
  [[nodiscard]] std::unique_lock<std::mutex> hold() {
    return is_shared_ ? std::unique_lock(writing_) : std::unique_lock<std::mutex>();
  }
  [[nodiscard]] Totals* totals_of(std::uint32_t instrument) noexcept {
    Recent& recent = recent_[instrument % recent_.size()];
    if (recent.instrument != instrument) recent = {find_totals(instrument), instrument};
    return recent.totals;
  }
  [[nodiscard]] Totals* find_totals(std::uint32_t instrument) noexcept;
  [[nodiscard]] std::size_t place_of(const Totals& totals) const noexcept {
    return static_cast<std::size_t>(&totals - totals_.data());
  }
  void on_order(Totals& totals, const market::BookReport& report, time::Time now);
  void on_trade(const market::BookReport& report, time::Time now);
  void on_refusal(const market::BookReport& report, std::uint16_t user);
  void on_book(const market::BookReport& report, time::Time now);
  void take_changes() noexcept;
  void choose_observed() noexcept;
  void take_snapshot(time::Time now) noexcept;
  void add_book(web::Snapshot& snapshot, Totals& totals) noexcept;
  void take_details() noexcept;
  void look_at_changes(time::Time now, bool are_all) noexcept;
  void look_at_bands(Totals& totals, time::Time now) noexcept;
  void look(time::Time now) noexcept;
  void look_at_sessions(time::Time now) noexcept;
  void look_at_rejects(time::Time now) noexcept;
  /// Its book, its phase or its details are others: it is looked at the next time.
  void note_change(Totals& totals) noexcept {
    const bool is_shown = std::max(totals.detail, channel_.wanted(place_of(totals))) >= web::Detail::ladder;
    if (std::exchange(is_shown ? totals.is_shown : totals.has_changed, true)) return;
    (is_shown ? shown_ : changed_).push_back(&totals);  // room for every instrument
  }
  void flush_latencies(time::Time now) noexcept;

  VenueWatchOptions options_;
  simulate::Exchange* exchange_ = nullptr;
  Screens screens_;
  web::FactChannel& channel_;
  std::vector<Totals> totals_;
  std::vector<Totals*> shown_, changed_;  // that have changed: those of which ladders or orders are shown, all others
  std::vector<std::unique_ptr<Ticker>> tickers_;  // of the partitions
  std::uint32_t wanted_version_ = 0;              // of the details that have been taken
  bool have_details_changed_ = false;             // that are published, since the last look
  std::mutex writing_;
  bool is_shared_ = false;  // the partitions have threads
  FixedMap<std::uint64_t, std::uint32_t> places_;
  std::array<Recent, 256> recent_{};
  std::vector<web::SessionFact> sessions_;  // as they were sent last
  std::vector<std::uint64_t> counters_;     // likewise
  struct Rejects {
    std::uint64_t count = 0;
    std::uint8_t last = 0;  // market::Reason
  };
  std::vector<Rejects> rejects_;  // by user
  std::array<std::uint64_t, static_cast<std::size_t>(market::k_last_reason) + 1> rejects_for_{}, rejects_sent_{};
  std::vector<Entered> entered_;
  web::LatencyFact latencies_;
  time::Time now_{}, next_look_{};
  std::uint32_t looks_ = 0;  // since the last one at everything that was asked for
  std::uint64_t look_ = 0;   // in hand, counted from 1
};

}  // namespace dojima::app
