#pragma once

// The requests whose cost is counted: two FIX clients that enter, cross, replace and cancel in rounds of six, so that
// the books stay as they are, over books with orders at many prices. Bytes as they go over the wire, made without the
// library whose cost is counted.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/demo/settings.hpp"

namespace dojima::bench {

inline constexpr std::size_t k_clients = 2;

/// Venue and gateway of the road: the demo's, with a journal in memory.
[[nodiscard]] app::demo::Settings road_settings();
[[nodiscard]] app::VenueConfig road_venue();
[[nodiscard]] app::GatewayConfig road_gateway();

struct Request {
  std::size_t client = 0;
  std::string bytes;
  std::size_t reports = 0;  ///< that both clients together get for it
};

/// What the clients send, one request after the other.
class OrderScript {
 public:
  OrderScript();

  [[nodiscard]] std::string logon(std::size_t client, time::Time now);
  /// The next request, sent at `now`: orders that rest at many prices first, `resting()` of them, then rounds of six.
  [[nodiscard]] Request next(time::Time now);
  [[nodiscard]] std::size_t resting() const noexcept { return 2 * k_depth * instruments_.size(); }

  static constexpr std::size_t k_round = 6;
  static constexpr std::size_t k_trades_of_round = 2;

 private:
  static constexpr std::size_t k_depth = 50;
  struct Instrument {
    std::string symbol;
    std::int64_t reference = 0;  // in hundredths
  };

  [[nodiscard]] Request resting_order(time::Time now);
  [[nodiscard]] Request step_of_round(time::Time now);
  [[nodiscard]] std::string order(std::size_t client, time::Time now, std::string_view id, const Instrument& of,
                                  char side, std::int64_t hundredths, int quantity, std::string_view original = {});
  [[nodiscard]] std::string message(std::size_t client, char type, time::Time now, std::string_view fields);

  std::vector<Instrument> instruments_;
  std::array<std::string, k_clients> names_;
  std::string gateway_;
  std::array<std::uint64_t, k_clients> sent_{};
  std::uint64_t requests_ = 0;
};

/// Counts what comes back on one connection.
class AnswerCounter {
 public:
  void take(std::string_view bytes);
  [[nodiscard]] std::uint64_t reports() const noexcept { return reports_; }
  [[nodiscard]] bool is_logged_on() const noexcept { return is_logged_on_; }
  /// The first message that is no report and no logon; empty: there was none.
  [[nodiscard]] const std::string& surprise() const noexcept { return surprise_; }

 private:
  void note(std::string_view message);

  std::string rest_;
  std::string surprise_;
  std::uint64_t reports_ = 0;
  bool is_logged_on_ = false;
};

}  // namespace dojima::bench
