#pragma once

// A reader of a venue's live market data over real sockets: lines A and B, the replay and the recovery channel, and a
// mitch::FeedClient on a loop of its own. For showing that gaps are closed it can drop datagrams, and then keeps a
// second client beside the first, which gets everything: both must come to the same books.
//
//   FeedSession session(options, handler);
//   if (const auto started = session.start(); !started) ...
//   session.run([&] { return !stop.is_raised(); }, 1s, [&](time::Time now) { show(session); });

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/station.hpp"
#include "dojima/mitch/feed/feed_client.hpp"

namespace dojima::app {

struct FeedSessionOptions {
  std::string line_a, line_b;  ///< HOST:PORT; one of them may be empty
  std::string interface = "127.0.0.1";
  mitch::FeedClientOptions client;
  std::uint32_t drop_ppm = 0;  ///< of a million datagrams of each line
  /// By which the client that gets everything logs in, for the books of a day that it joins late; empty: by the name of
  /// the other one, which may have one session at a time, so that it waits until that has ended.
  std::string control_user, control_password;
  std::uint64_t seed = 1;  ///< of those that are dropped
  net::IdlePolicy idle = net::IdlePolicy::block;
};

/// How often the books of both clients were held against each other.
struct FeedComparison {
  std::uint64_t compared = 0;
  std::uint64_t different = 0;
  std::string first;  ///< what differed first; empty: nothing
};

class FeedSession {
 public:
  /// Throws std::invalid_argument, std::bad_alloc, std::system_error.
  FeedSession(FeedSessionOptions options, mitch::FeedHandler& handler);
  ~FeedSession();
  FeedSession(const FeedSession&) = delete;
  FeedSession& operator=(const FeedSession&) = delete;

  /// Subscribes. The error is text for a person.
  [[nodiscard]] std::expected<void, std::string> start();
  /// Turns until `goes_on()` says no, which is asked after each turn, and then until nothing is missing or both lines
  /// are lost, two seconds at most, without a channel a tenth of one; `show` is called at every `interval`. What the
  /// clients have is what they had at that end.
  void run(const std::function<bool()>& goes_on, time::Duration interval, const std::function<void(time::Time)>& show);

  [[nodiscard]] const mitch::FeedClient& client() const noexcept { return *client_; }
  /// Datagrams that were dropped on purpose.
  [[nodiscard]] std::uint64_t dropped() const noexcept;
  /// Where datagrams are dropped; counts whenever both clients are at the same message, no more often than asked.
  [[nodiscard]] const FeedComparison& comparison() const noexcept { return comparison_; }
  /// Looks once more, if both are at the same message. False: they are not.
  bool compare();

 private:
  class Filter;
  struct Silent;

  [[nodiscard]] std::expected<void, std::string> subscribe(const char* option, const std::string& line,
                                                           link::DatagramReceiver& receiver);
  void on_show(time::Time now);
  /// Every group is live, and where datagrams are dropped both clients are at the same message.
  [[nodiscard]] bool is_whole() const;
  /// Both lines are lost, one that is not followed too: nothing that is missing will come.
  [[nodiscard]] bool is_gone() const;

  FeedSessionOptions options_;
  Station station_;
  std::unique_ptr<Silent> silent_;
  std::unique_ptr<mitch::FeedClient> client_;
  std::unique_ptr<mitch::FeedClient> control_;  // null: nothing is dropped
  std::vector<std::unique_ptr<Filter>> filters_;
  FeedComparison comparison_;
  time::Duration interval_{};
  std::function<void(time::Time)> show_;
  sched::TimerOf<&FeedSession::on_show> show_timer_;
};

}  // namespace dojima::app
