#pragma once

// A round of a latency probe: an order is entered, changed and cancelled, and where it may trade, another one is taken
// by an order of its own. It says which request comes next, and what an answer means; it sends nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "dojima/app/trade/latency_probe.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"

namespace dojima::app {

class ProbeRound {
 public:
  using Request = std::variant<market::NewOrder, market::Replace, market::Cancel>;

  enum class Then : std::uint8_t {
    wait,  ///< for more
    go_on,
    end_round,  ///< it was the last of its round, and the next request begins another one
    leave,      ///< nothing more can be measured
  };
  struct Answer {
    Then then = Then::wait;
    std::optional<ProbeKind> trip;  ///< a round trip is over
    std::string trouble;            ///< one line for the user; empty: none
  };

  /// `begun`: a number that no other probe has, for the names of its orders. The options outlive it.
  ProbeRound(const LatencyProbeOptions& options, std::int64_t begun) : options_(options), begun_(begun) {}

  [[nodiscard]] Request next();
  [[nodiscard]] bool rests() const noexcept { return resting_.value != 0; }
  /// Of the order that rests.
  [[nodiscard]] market::Cancel cancel();
  /// `is_leaving`: no round goes on, and what rests is being cancelled. `code`: the reject code as on the wire.
  [[nodiscard]] Answer take(const market::OwnerReport& report, std::int32_t code, bool is_leaving);

 private:
  /// The requests of a round, in order; the last two where it trades.
  enum class Step : std::uint8_t { enter, change, cancel, offer, take };

  [[nodiscard]] Text<20> name();
  [[nodiscard]] market::NewOrder order(market::Side side, bool takes);
  [[nodiscard]] std::optional<Answer> trouble_of(const market::OwnerReport& report, std::int32_t code, bool is_leaving);
  [[nodiscard]] Answer take_expected(const market::OwnerReport& report);

  const LatencyProbeOptions& options_;
  std::int64_t begun_;
  std::uint64_t names_ = 0;
  Step step_ = Step::enter;
  market::OrderId resting_;
  Text<20> resting_name_, request_;
  bool has_bid_traded_ = false, has_offer_traded_ = false;
};

}  // namespace dojima::app
