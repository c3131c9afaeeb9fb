#include "dojima/app/dashboard/backtest_watch.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "dojima/market/price.hpp"
#include "dojima/web/dashboard/facts.hpp"

namespace dojima::app {
namespace {

using backtest::OwnOrder;
using backtest::ReportKind;
using market::Side;
using recorded::EventKind;
using web::FactKind;

constexpr std::array<std::string_view, 7> k_backtest_counters = {
    "events", "trades of the market", "orders", "cancels", "replaces", "fills", "requests refused"};

[[nodiscard]] web::DashboardOptions backtest_screens(const BacktestWatchOptions& options, PaceDesk& desk) {
  web::DashboardOptions made{.picture = {.name = options.name, .sessions = {options.strategy}, .has_account = true}};
  for (const std::string_view each : k_backtest_counters) made.picture.counters.emplace_back(each);
  made.on_pace = [&desk](std::string_view words) { return desk.on_words(words); };
  return made;
}

[[nodiscard]] std::string scaled_text(std::int64_t value, unsigned decimals) {
  std::array<char, market::k_scaled_text_max> text;
  return std::string(market::format_scaled(value, decimals, text));
}

/// The books as the strategy knows them, and its own orders, which are not in them.
class BooksOf final : public BoardBooks {
 public:
  explicit BooksOf(const backtest::Desk& desk) : desk_(desk) {}
  std::size_t size() const override { return desk_.instruments().size(); }
  std::size_t levels(std::uint32_t instrument, Side side, std::span<BoardLevel> levels) const override {
    std::array<recorded::DepthLevel, RecordedBoard::k_levels> found;
    std::size_t count = desk_.levels(instrument, side, std::span(found).first(std::min(found.size(), levels.size())));
    for (std::size_t at = 0; at < count; ++at) levels[at] = {.price = found[at].price, .quantity = found[at].quantity};
    for (const OwnOrder& order : desk_.orders())
      if (order.instrument == instrument && order.side == side && order.is_accepted && order.leaves > 0)
        count = add(order, levels, count);
    return count;
  }

 private:
  /// At its price, best first; one that is worse than all there is room for is left out.
  [[nodiscard]] static std::size_t add(const OwnOrder& order, std::span<BoardLevel> levels, std::size_t count) {
    std::size_t at = 0;
    while (at < count && (order.side == Side::buy ? levels[at].price > order.price : levels[at].price < order.price))
      ++at;
    if (at == levels.size()) return count;
    if (at == count || levels[at].price != order.price) {
      count = std::min(count + 1, levels.size());
      std::move_backward(levels.begin() + static_cast<std::ptrdiff_t>(at),
                         levels.begin() + static_cast<std::ptrdiff_t>(count - 1),
                         levels.begin() + static_cast<std::ptrdiff_t>(count));
      levels[at] = {.price = order.price};
    }
    levels[at].quantity += order.leaves;
    if (levels[at].own != 255) ++levels[at].own;
    return count;
  }

  const backtest::Desk& desk_;
};

}  // namespace

BacktestWatch::BacktestWatch(BacktestWatchOptions options)
    : options_(std::move(options)),
      screens_(options_.dashboard, backtest_screens(options_, desk_), RecordedBoard::k_channel),
      board_(screens_.channel()) {}

void BacktestWatch::on_event(const backtest::Desk& desk, const backtest::RecordedEvent& event, bool is_skipped) {
  const bool has_price = event.price != recorded::k_unknown;
  const bool is_trade = event.kind == EventKind::trade || event.kind == EventKind::hidden_trade ||
                        (event.kind == EventKind::execute && !event.has(recorded::k_not_printable));
  if (is_trade) ++market_trades_;
  board_.reach(desk.now());
  board_.on_event(event, has_price ? event.price : desk.last_trade(event.instrument).price, desk.instruments(),
                  is_skipped);
}

void BacktestWatch::on_report(const backtest::Desk& desk, const backtest::Report& report) {
  board_.reach(desk.now());
  board_.touch(report.instrument, desk.instruments());
  if (report.kind == ReportKind::rejected || report.kind == ReportKind::request_rejected) {
    ++rejects_;
    last_reject_ = report.reason;
  }
  if (report.kind == ReportKind::traded) tell_fill(desk, report);
}

/// "bought 0.02 RICE at 10.50, had waited 1.2 s; position 0.04"
void BacktestWatch::tell_fill(const backtest::Desk& desk, const backtest::Report& report) {
  const recorded::RecordedInstrument& of = desk.instruments()[report.instrument];
  const auto quantity = [&](std::int64_t value) { return scaled_text(value, of.quantity_decimals); };
  std::string text = fmt::format("{} {} {} at {}", report.side == Side::buy ? "bought" : "sold",
                                 quantity(report.quantity), of.symbol, scaled_text(report.price, of.price_decimals));
  if (report.is_maker) text += fmt::format(", had waited {:.3g} s", static_cast<double>(report.rested.count()) / 1e9);
  text += fmt::format("; position {}", quantity(desk.position(report.instrument)));
  channel().notice(board_.reach(desk.now()), text);
}

void BacktestWatch::on_turn(const backtest::Engine& engine, const sched::PacedPacer& pacer, double progress,
                            bool is_over) {
  if (is_over && !is_over_ && options_.on_over) options_.on_over();
  const bool is_last = is_over && !std::exchange(is_over_, is_over);
  const auto wall = std::chrono::steady_clock::now();
  if (wall < next_look_ && !is_last) return;
  next_look_ = wall + options_.pause;
  const time::Time at = board_.reach(engine.now());
  board_.look(BooksOf(engine), engine.instruments());
  web::PaceFact pace{.speed = pacer.speed(), .is_paused = pacer.is_paused() ? std::uint8_t{1} : std::uint8_t{0}};
  pace.is_over = is_over ? 1 : 0;
  pace.first = time::nanoseconds_of(board_.first());
  pace.last = time::nanoseconds_of(board_.last());
  pace.progress = progress;
  channel().offer(FactKind::pace, at, pace);
  tell_counters(engine, at);
  tell_session(engine, at);
  tell_accounts(engine, at);
}

void BacktestWatch::tell_counters(const backtest::Engine& engine, time::Time at) {
  std::uint64_t orders = 0, cancels = 0, replaces = 0;
  for (const backtest::RequestTotals& each : engine.totals()) {
    orders += each.orders;
    cancels += each.cancels;
    replaces += each.replaces;
  }
  const std::array<std::uint64_t, k_backtest_counters.size()> values = {
      engine.event_number(), market_trades_, orders, cancels, replaces, engine.fills().size(), rejects_};
  for (std::size_t counter = 0; counter < values.size(); ++counter)
    channel().offer(FactKind::counter, at,
                    web::CounterFact{.value = values[counter], .counter = static_cast<std::uint32_t>(counter)});
}

void BacktestWatch::tell_session(const backtest::Engine& engine, time::Time at) {
  channel().offer(FactKind::session, at,
                  web::SessionFact{.open_orders = engine.orders().size(),
                                   .rejects = rejects_,
                                   .session = 0,
                                   .is_up = is_over_ ? std::uint8_t{0} : std::uint8_t{1},
                                   .kind = web::SessionKind::strategy,
                                   .last_reject = static_cast<std::uint8_t>(last_reject_)});
}

/// Each instrument that it has asked for orders in, then all together.
void BacktestWatch::tell_accounts(const backtest::Engine& engine, time::Time at) {
  web::AccountFact all{.fills = engine.fills().size(),
                       .open_orders = static_cast<std::uint32_t>(engine.orders().size())};
  const auto& totals = engine.totals();
  for (std::uint32_t instrument = 0; instrument < totals.size(); ++instrument) {
    all.orders += totals[instrument].orders;
    if (totals[instrument].orders == 0) continue;
    web::AccountFact fact{.orders = totals[instrument].orders, .instrument = RecordedBoard::watched_id(instrument)};
    fact.open_orders =
        static_cast<std::uint32_t>(std::ranges::count(engine.orders(), instrument, &OwnOrder::instrument));
    if (instrument < engine.accounts().size()) {
      const backtest::Account& account = engine.accounts()[instrument];
      const auto price_of = [&](Side side) {
        const auto best = engine.best(instrument, side);
        return best ? std::optional(best->price) : std::nullopt;
      };
      fact.equity = account.amount(account.twice_equity(price_of(Side::buy), price_of(Side::sell))) / 2;
      fact.cash = account.amount(account.cash());
      fact.fees = account.amount(account.fees());
      fact.position = account.position();
      fact.fills = account.fills();
      all.equity += fact.equity;
      all.cash += fact.cash;
      all.fees += fact.fees;
    }
    channel().offer(FactKind::account, at, fact);
  }
  channel().offer(FactKind::account, at, all);
}

void BacktestWatch::move(sched::PacedPacer& pacer) {
  if (desk_.apply(pacer)) next_look_ = {};
}

}  // namespace dojima::app
