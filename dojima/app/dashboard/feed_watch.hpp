#pragma once

// A reader of a live feed on the screens of browsers: its books order by order, trades, phases and auctions as the
// messages have them, gaps and what became of them, groups and lines. It sits between a FeedSession and other receivers
// of the messages. The reader's thread looks at what messages do not say twenty times a second, and never waits for the
// dashboard's. A book that is recovered, or begins anew, is sent as a whole.
//
//   FeedWatch watch({.name = "feed", .dashboard = {.port = 0}, .next = &view});
//   FeedSession session(options, watch);
//   watch.look_at(session.client());
//   const auto where = watch.start();

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dojima/app/dashboard/screens.hpp"
#include "dojima/market/report.hpp"
#include "dojima/mitch/feed/feed_client.hpp"

namespace dojima::app {

struct FeedWatchOptions {
  std::string name;  ///< what is watched, for a person
  DashboardConfig dashboard;
  std::map<std::uint32_t, std::string> names{};  ///< of instruments; others are called by their numbers
  mitch::FeedHandler* next = nullptr;            ///< who else hears of it; may be null
  /// A notice as words.
  std::function<std::string(const mitch::FeedNotice&)> words{};
  std::size_t orders = 65'536;  ///< on display at a time, of all instruments
  /// web::DashboardOptions::on_pace; empty: time is nobody's to move.
  std::function<bool(std::string_view)> on_pace{};
};

class FeedWatch final : public mitch::FeedHandler {
 public:
  static constexpr std::string_view k_groups = "123456789";  ///< that are shown as sessions

  /// Throws std::bad_alloc.
  explicit FeedWatch(FeedWatchOptions options);

  /// Whose messages come; before the first of them.
  void look_at(const mitch::FeedClient& client) noexcept { client_ = &client; }
  /// Listens and begins the dashboard's thread. The error is for a person.
  [[nodiscard]] std::expected<link::Address, std::string> start() { return screens_.start(); }
  [[nodiscard]] std::string describe() const { return screens_.describe(); }
  [[nodiscard]] web::FactChannel& channel() noexcept { return screens_.channel(); }

  /// How the time of a recorded feed moves.
  void publish_pace(const web::PaceFact& pace, time::Time now) noexcept;
  /// What no message says. Between two turns, also where nothing comes.
  void look(time::Time now);

  // mitch::FeedHandler
  void on_message(char group, std::uint32_t number, Bytes message, time::Time now) override;
  void on_notice(const mitch::FeedNotice& notice, time::Time now) override;

 private:
  struct Translation;  // of a message into facts

  /// Once, and again when its directory comes.
  void tell_instrument(std::uint32_t id, char group, const mitch::SymbolDirectory* news = nullptr);
  void report(const market::BookReport& report);
  void take_snapshot();
  void look_at_sessions();
  void look_at_counters();

  FeedWatchOptions options_;
  Screens screens_;
  const mitch::FeedClient* client_ = nullptr;
  std::unordered_set<std::uint32_t> told_;  // instruments
  std::vector<web::SessionFact> sessions_;  // as they were sent last: lines, then groups
  std::uint64_t trades_ = 0;
  time::Time now_{}, next_look_{};
};

}  // namespace dojima::app
