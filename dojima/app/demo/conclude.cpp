#include "dojima/app/demo/conclude.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

#include "dojima/simulate/checks.hpp"

namespace dojima::app::demo {
namespace {

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
  if (verdict.offender) result.history = clients.ledger().history(*verdict.offender);
  result.checks = std::move(verdict.checks);
  return result;
}

}  // namespace dojima::app::demo
