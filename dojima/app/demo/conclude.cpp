#include "dojima/app/demo/conclude.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

#include "dojima/simulate/checks.hpp"

namespace dojima::app::demo {
namespace {

/// Of a reason that a fixed limit of the demo gives; empty: another one.
std::string_view name_of_limit(market::Reason reason) noexcept {
  using market::Reason;
  switch (reason) {
    case Reason::quantity_out_of_range:
      return "quantity";
    case Reason::price_collar:
      return "collar";
    case Reason::rate_exceeded:
      return "rate";
    case Reason::too_many_orders:
      return "open orders";
    case Reason::position_limit:
      return "position";
    case Reason::duplicate_order:
      return "duplicate";
    case Reason::killed:
      return "kill switch";
    default:
      return {};
  }
}

/// What happened on a trading day, and whether the day was whole.
void add_day(const simulate::DayLog& day, DemoResult& result, simulate::Verdict& verdict) {
  result.day = day.statistics();
  for (const market::SymbolStatus& status : day.statuses())
    result.day_steps.push_back({.at_s = static_cast<double>((status.time - k_virtual_start).count()) / 1e9,
                                .symbol = day.symbol(status.instrument),
                                .phase = status.phase,
                                .reason = status.reason});
  const auto unfinished =
      std::ranges::find_if(result.day, [](const simulate::DayStatistics& of) { return !of.is_whole; });
  const bool is_whole = unfinished == result.day.end();
  verdict.checks.push_back({"a whole trading day", is_whole,
                            is_whole
                                ? fmt::format("{} phases of {} instruments", result.day_steps.size(), result.day.size())
                                : fmt::format("{} did not come to its end of day", unfinished->symbol)});
  const std::string& mismatch = result.venue.replay_mismatch;
  verdict.checks.push_back({"the journal gives the same day again", mismatch.empty(),
                            mismatch.empty() ? "phases and auctions included" : mismatch});
}

/// Whatever the venue refused a client heard of, and nothing else but what the gateway refused itself.
simulate::Check verify_refusals(const DemoResult& result, const std::vector<Refusals>& refusals) {
  std::uint64_t at_venue = 0, by_limits = 0;
  std::string which;
  for (const Refusals& of : refusals) {
    at_venue += of.count;
    const std::string_view limit = name_of_limit(of.reason);
    if (limit.empty()) continue;
    by_limits += of.count;
    which += fmt::format("{}{} {}", which.empty() ? "" : ", ", of.count, limit);
  }
  const std::uint64_t at_clients = result.clients.rejected + result.clients.changes_rejected;
  const std::uint64_t by_gateway = result.gateway.refused;
  return {"what limits refused is counted equally at the venue and by the clients",
          at_venue + by_gateway == at_clients && by_limits != 0,
          fmt::format("{} refused by limits ({}), {} for other reasons, {} by the gateway; the clients heard of {}",
                      by_limits, which.empty() ? "none" : which, at_venue - by_limits, by_gateway, at_clients)};
}

}  // namespace

DemoResult conclude(const Settings& settings, const Board& board, simulate::Clients& clients,
                    const GatewayPart& gateway, const VenuePart& venue) {
  DemoResult result{.settings = settings};
  result.is_interrupted = board.is_stop_wanted.load();
  result.flow_seconds = static_cast<double>(clients.flow_time().count()) / 1e9;
  result.trouble = clients.trouble();
  result.clients = clients.ledger().counts();
  result.gateway = gateway.counters();
  result.venue = venue.snapshot();
  simulate::Verdict verdict =
      simulate::verify(clients.ledger(), settings.clients, static_cast<std::uint32_t>(clients.instruments().size()),
                       result.venue, result.gateway);
  if (clients.lost_sessions() != 0)
    verdict.checks.push_back({"every session lasted", false, fmt::format("{} ended", clients.lost_sessions())});
  if (venue.day() != nullptr) add_day(*venue.day(), result, verdict);
  if (venue.feed_check()) verdict.checks.push_back(*venue.feed_check());
  if (settings.has_limits) verdict.checks.push_back(verify_refusals(result, venue.refusals()));
  if (verdict.offender) result.history = clients.ledger().history(*verdict.offender);
  result.checks = std::move(verdict.checks);
  return result;
}

}  // namespace dojima::app::demo
