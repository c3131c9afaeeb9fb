#include "dojima/app/trade/trade_client.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

#include "dojima/app/trade/fix/fix_trade_session.hpp"
#include "dojima/app/trade/native_trade_session.hpp"
#include "dojima/app/trade/report_text.hpp"

namespace dojima::app {
namespace {

constexpr std::size_t k_own_timers = 1;
/// Lines of a script between two turns of the loop.
constexpr int k_lines_a_turn = 64;
/// Between two looks for keys of a person.
constexpr time::Duration k_key_interval = std::chrono::milliseconds{10};

StationOptions station_options(const LoopSettings& loop) {
  return {.scheduler = FixTradeSession::timers() + NativeTradeSession::k_timers + k_own_timers,
          .idle = net::IdlePolicy::block,
          .fabric = {.max_connections = FixTradeSession::k_connections,
                     .busy_poll_us = busy_poll_of(loop),
                     .max_wakes = max_wakes_of(loop),
                     .wakes_by_trial = has_usual_wakes(loop)}};
}

}  // namespace

TradeClient::TradeClient(TradeOptions options, Print print)
    : options_(std::move(options)),
      print_(std::move(print)),
      station_(station_options(options_.loop)),
      session_(make_session()),
      wake_(station_.scheduler(), *this) {
  const auto begun =
      std::chrono::duration_cast<std::chrono::milliseconds>(station_.scheduler().now().time_since_epoch()).count();
  // MIT203 has twenty characters for an id.
  prefix_ = options_.native ? fmt::format("{:x}-", begun) : fmt::format("{}-{}-", options_.sender, begun);
}

std::unique_ptr<TradeSession> TradeClient::make_session() {
  if (options_.native) return std::make_unique<NativeTradeSession>(station_, options_, *this);
  return std::make_unique<FixTradeSession>(station_.scheduler(), station_.fabric(), options_, *this);
}

TradeClient::~TradeClient() = default;

TradeOutcome TradeClient::run(LineSource& lines, bool is_terminal, const std::function<bool()>& stops) {
  is_terminal_ = is_terminal;
  script_.emplace(lines, is_terminal ? "" : "stdin");
  if (!options_.script.empty()) {
    if (auto read = script_->source(options_.script); !read) {
      print_(read.error());
      return TradeOutcome::refused;
    }
  }
  session_->start(station_.scheduler().now());
  station_.run([&] {
    if (stops() && !is_leaving_) finish();
    step();
    return !is_closed_;
  });
  if (is_broken_) return TradeOutcome::unreachable;
  return !refusals_.empty() && !is_terminal ? TradeOutcome::refused : TradeOutcome::done;
}

/// When that will be; the loop turns then, at the latest.
Time TradeClient::wait_for(time::Duration patience) {
  const Time until = station_.scheduler().now() + patience;
  if (!wake_.is_armed() || until < wake_.deadline()) wake_.arm(until);
  return until;
}

/// Something may have been waited for too long: step() looks. What is waited for longer needs another turn.
void TradeClient::on_wake(Time now) {
  Time next = time::k_never;
  const auto consider = [&](Time until) {
    if (until > now) next = std::min(next, until);
  };
  if (!is_logged_on_) consider(logon_deadline_);
  consider(wait_until_);
  if (awaited_) consider(awaited_->until);
  for (const auto& [id, pending] : unanswered_) consider(pending.until);
  wake_.arm(next);
}

/// Between two turns: runs the next lines when it is time for them.
void TradeClient::step() {
  const Time now = station_.scheduler().now();
  if (is_leaving_ || is_closed_) return;
  if (!is_logged_on_) {
    if (now < logon_deadline_) return;
    print_(fmt::format("no logon: the {} does not answer", session_->peer_name()));
    is_broken_ = true;
    return finish();
  }
  give_up_unanswered(now);
  // Keys are looked for, not waited for.
  if (is_terminal_) static_cast<void>(wait_for(k_key_interval));
  for (int count = 0; count < k_lines_a_turn; ++count)
    if (is_held(now) || !run_line() || is_leaving_ || is_closed_) return;
}

void TradeClient::give_up_unanswered(Time now) {
  for (auto at = unanswered_.begin(); at != unanswered_.end();) {
    if (at->second.until > now) {
      ++at;
      continue;
    }
    const std::string where = at->second.where;
    const auto order = orders_by_id_.find(at->first);
    refuse(fmt::format("{} was not answered in time", at->first), where,
           order == orders_by_id_.end() ? 0 : order->second);
    at = unanswered_.erase(at);
  }
}

/// Whether the next line has to wait.
bool TradeClient::is_held(Time now) {
  settle_expectation(now);
  return awaited_ || now < wait_until_ || (!is_terminal_ && !unanswered_.empty());
}

/// Runs one line; false: there is none.
bool TradeClient::run_line() {
  auto line = script_->next();
  if (!line) {
    refuse(line.error().text, line.error().where);
    return true;
  }
  if (!*line) {
    if (script_->is_over() && unanswered_.empty()) finish();
    return false;
  }
  where_ = (*line)->where;
  const auto command = parse_trade_command((*line)->text, station_.scheduler().now());
  if (command) {
    execute(*command);
  } else {
    refuse(command.error(), where_);
  }
  return true;
}

/// The request that it belongs to, with what it is about; the blotter's order may move when another is entered.
BlotterOrder* TradeClient::order_of(const TradeReport& report) {
  for (const std::string* id : {&report.id, &report.original_id}) {
    const auto side = orders_by_id_.find(side_key(*id, report.side));
    if (side != orders_by_id_.end()) return blotter_.find(side->second);
    const auto found = orders_by_id_.find(*id);
    if (found == orders_by_id_.end()) continue;
    BlotterOrder* const order = blotter_.find(found->second);
    // A cancel of one side of a quote ends the other, too.
    const bool is_other = order != nullptr && is_quote_side(*order) && report.side != market::Side::none &&
                          report.side != order->entry.terms.side;
    return is_other ? blotter_.find_by_order_id(report.order_id) : order;
  }
  return report.order_id == "NONE" ? nullptr : blotter_.find_by_order_id(report.order_id);
}

void TradeClient::on_report(const TradeReport& report, Time) {
  const std::string where = report.is_last ? answered(report.id) : std::string{};
  print_all(report.lines);
  if (report.kind == TradeReportKind::answer) return;
  if (report.kind == TradeReportKind::mass_cancelled) return print_("the mass cancel was taken");
  BlotterOrder* const order = order_of(report);
  if (order == nullptr) {
    if (!is_refusal(report)) return print_(foreign_line(report));
    reject_sent_sides(report.id);
    return refuse(fmt::format("refused: {}", reason_text(report)), where);
  }
  const TradeReport complete = completed(*order, report);
  if (!blotter_.apply(*order, complete)) return;
  const std::string line = report_line(*order, complete);
  if (is_refusal(report)) return refuse(line, where, order->number);
  print_(line);
}

std::string TradeClient::side_key(std::string_view id, market::Side side) {
  return fmt::format("{} {}", id, side == market::Side::buy ? "buy" : "sell");
}

/// A report of MIT203 does not repeat what a quote asked for.
TradeReport TradeClient::completed(const BlotterOrder& order, const TradeReport& report) const {
  TradeReport complete = report;
  const auto quote = quotes_.find(report.id);
  if (report.kind != TradeReportKind::replaced || report.total || quote == quotes_.end()) return complete;
  complete.total = market::Quantity{order.executed.lots + report.leaves.value_or(market::Quantity{}).lots};
  complete.limit = order.entry.terms.side == market::Side::buy ? quote->second.bid : quote->second.ask;
  return complete;
}

/// A quote was refused as a whole: its new sides are over, those that are there live on.
void TradeClient::reject_sent_sides(const std::string& id) {
  for (const market::Side side : {market::Side::buy, market::Side::sell}) {
    const auto found = orders_by_id_.find(side_key(id, side));
    BlotterOrder* const order = found == orders_by_id_.end() ? nullptr : blotter_.find(found->second);
    if (order != nullptr && order->state == OrderState::sent)
      static_cast<void>(blotter_.apply(*order, {.kind = TradeReportKind::rejected}));
  }
}

/// The peer's session refused a message: where it does not say which, what was asked last is what it means.
void TradeClient::on_refused(const std::string& id, const std::string& text) {
  if (id.empty()) unanswered_.clear();
  const std::string where = answered(id);
  const auto found = orders_by_id_.find(id);
  const std::uint32_t number = found == orders_by_id_.end() ? 0 : found->second;
  BlotterOrder* const order = blotter_.find(number);
  const bool is_change = order != nullptr && order->state != OrderState::sent;
  if (order != nullptr && !is_change) static_cast<void>(blotter_.apply(*order, {.kind = TradeReportKind::rejected}));
  reject_sent_sides(id);
  refuse(number == 0 ? "rejected: " + text
                     : fmt::format("{} {}: {}", number, is_change ? "not changed" : "rejected", text),
         where, number);
}

void TradeClient::on_attempt(Time) {
  // The session's own limit comes first, but for a connection that never comes about.
  logon_deadline_ = wait_for(2 * options_.answer_timeout);
}

void TradeClient::on_logged_on(const std::string& line, Time) {
  is_logged_on_ = true;
  print_(line);
}

void TradeClient::on_logged_out(const std::string& line) {
  is_logged_on_ = false;
  if (is_leaving_) return;
  is_broken_ = true;
  print_(line);
}

void TradeClient::send(const TradeRequest& request, std::uint32_t order) {
  const std::string id(request.id);
  if (order != 0) orders_by_id_[id] = order;
  if (auto sent = session_->send(request); !sent) {
    if (BlotterOrder* const entered = blotter_.find(order); entered != nullptr && entered->state == OrderState::sent)
      static_cast<void>(blotter_.apply(*entered, {.kind = TradeReportKind::rejected}));
    reject_sent_sides(id);
    return refuse(order == 0 ? sent.error() : fmt::format("{} not sent: {}", order, sent.error()), where_, order);
  }
  unanswered_[id] = {.until = wait_for(options_.answer_timeout), .where = where_};
}

/// Forgets that it is waited for; the line that sent it.
std::string TradeClient::answered(std::string_view id) {
  const auto found = unanswered_.find(id);
  if (found == unanswered_.end()) return {};
  std::string where = std::move(found->second.where);
  unanswered_.erase(found);
  return where;
}

void TradeClient::print_all(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) print_(line);
}

void TradeClient::refuse(const std::string& line, const std::string& where, std::uint32_t order) {
  refusals_.push_back({order});
  print_(where.empty() ? line : fmt::format("{}: {}", where, line));
}

void TradeClient::finish() {
  is_leaving_ = true;
  session_->stop();
  if (!session_->is_connected()) is_closed_ = true;
}

}  // namespace dojima::app
