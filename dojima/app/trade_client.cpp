#include "dojima/app/trade_client.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

using market::OrderType;
using market::Side;
using market::TimeInForce;

constexpr std::size_t k_timers = 5;  // three of the session, the initiator's, and its own
constexpr std::size_t k_connections = 4;
constexpr std::size_t k_longest_line = 4096;

fix::SessionConfig session_config(const TradeOptions& options) {
  return {.role = fix::Role::initiator,
          .sender_comp_id = options.sender,
          .target_comp_id = options.target,
          .reset_on_logon = true,  // nothing is remembered from one run to the next
          .logon_timeout = options.answer_timeout,
          .username = options.username,
          .password = options.password,
          .checks = {.user_tags = true}};  // the gateway marks fills of auctions
}

fix::InitiatorOptions initiator_options(const TradeOptions& options) {
  const auto each = static_cast<unsigned>(options.gateways.size());
  return {.hosts = options.gateways,
          .delay_max = std::chrono::seconds{10},
          .attempts_in_a_row = options.attempts == 0 ? each : options.attempts};
}

/// Null: without TLS.
std::unique_ptr<net::TlsFabric> secured(const TradeOptions& options, Station& station) {
  if (!options.tls) return nullptr;
  const auto context = net::TlsContext::make(net::TlsRole::client, *options.tls);
  if (!context) throw std::runtime_error("tls: " + context.error().text);
  return std::make_unique<net::TlsFabric>(station.fabric(), station.scheduler(), *context,
                                          net::TlsFabricOptions{.max_connections = k_connections});
}

std::string text_of(market::Price price) {
  char text[market::k_price_text_max];
  return std::string(market::format_price(price, text));
}

const char* name_of(Side side) {
  return side == Side::buy ? "buy" : "sell";
}

std::string terms_of(Side side, market::Quantity quantity, const std::string& symbol, OrderType type,
                     market::Price price, TimeInForce time_in_force) {
  const std::string how = type == OrderType::market ? "market" : "@ " + text_of(price);
  const char* until = time_in_force == TimeInForce::immediate_or_cancel ? " ioc"
                      : time_in_force == TimeInForce::fill_or_kill      ? " fok"
                                                                        : "";
  return fmt::format("{} {} {} {}{}", name_of(side), quantity.lots, symbol, how, until);
}

std::string reason_in(const simulate::Answer& answer) {
  return answer.text.empty() ? fmt::format("reason {}", answer.reason) : std::string(answer.text);
}

}  // namespace

std::optional<std::string> DescriptorLines::next() {
  while (!is_ended_ && pending_.find('\n') == std::string::npos && pending_.size() < k_longest_line) {
    pollfd ready{descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) return std::nullopt;
    char bytes[512];
    const ssize_t size = ::read(descriptor_, bytes, sizeof bytes);
    if (size <= 0) {
      is_ended_ = true;
    } else {
      pending_.append(bytes, static_cast<std::size_t>(size));
    }
  }
  if (pending_.empty()) return std::nullopt;
  const std::size_t end = std::min(pending_.find('\n'), pending_.size());
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return line;
}

TradeClient::TradeClient(TradeOptions options, Print print)
    : options_(std::move(options)),
      print_(std::move(print)),
      station_({.scheduler = k_timers + net::TlsFabric::timers({.max_connections = k_connections}),
                .idle = net::IdlePolicy::block,
                .fabric = {.max_connections = k_connections}}),
      secure_(secured(options_, station_)),
      session_(station_.scheduler(), session_config(options_), *this),
      initiator_(station_.scheduler(), secure_ ? static_cast<link::Fabric&>(*secure_) : station_.fabric(), session_,
                 initiator_options(options_), this),
      wake_(station_.scheduler(), *this) {
  const auto begun =
      std::chrono::duration_cast<std::chrono::milliseconds>(station_.scheduler().now().time_since_epoch()).count();
  prefix_ = fmt::format("{}-{}-", options_.sender, begun);
}

TradeOutcome TradeClient::run(LineSource& lines, bool is_terminal, const std::function<bool()>& stops) {
  initiator_.start(station_.scheduler().now());
  station_.run([&] {
    if (stops() && !is_leaving_) finish();
    step(lines, is_terminal);
    return !is_closed_;
  });
  if (is_broken_) return TradeOutcome::unreachable;
  return has_refusal_ && !is_terminal ? TradeOutcome::refused : TradeOutcome::done;
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
  for (const auto& [id, until] : unanswered_) consider(until);
  wake_.arm(next);
}

/// Between two turns: takes the next command when it is time for one.
void TradeClient::step(LineSource& lines, bool is_terminal) {
  const Time now = station_.scheduler().now();
  if (is_leaving_ || is_closed_) return;
  if (!is_logged_on_) {
    if (now < logon_deadline_) return;
    print_("no logon: the gateway does not answer");
    is_broken_ = true;
    return finish();
  }
  for (auto at = unanswered_.begin(); at != unanswered_.end();) {
    if (at->second > now) {
      ++at;
      continue;
    }
    refuse(fmt::format("{} was not answered in time", at->first));
    at = unanswered_.erase(at);
  }
  const bool is_held = now < wait_until_ || (!is_terminal && !unanswered_.empty());
  if (is_held) return;
  if (const auto line = lines.next()) {
    const auto command = parse_trade_command(*line);
    if (command) {
      execute(*command);
    } else {
      refuse(command.error());
    }
  } else if (lines.is_over() && unanswered_.empty()) {
    finish();
  }
}

void TradeClient::execute(const TradeCommand& command) {
  switch (command.verb) {
    case TradeVerb::nothing:
      return;
    case TradeVerb::enter:
      return enter(command);
    case TradeVerb::amend:
      return amend(command);
    case TradeVerb::cancel:
      return cancel(command.order);
    case TradeVerb::cancel_all:
      for (const auto& [number, order] : orders_) {
        if (order.is_open) cancel(number);
      }
      return;
    case TradeVerb::list:
      return list();
    case TradeVerb::wait:
      wait_until_ = wait_for(std::chrono::seconds{command.seconds});
      return;
    case TradeVerb::help:
      return print_(std::string(trade_help()));
    case TradeVerb::quit:
      return finish();
  }
}

void TradeClient::enter(const TradeCommand& command) {
  const std::uint32_t number = ++last_number_;
  const std::string id = prefix_ + std::to_string(number);
  orders_[number] = {.symbol = command.symbol,
                     .cl_ord_id = id,
                     .side = command.side,
                     .type = command.type,
                     .time_in_force = command.time_in_force,
                     .total = command.quantity,
                     .leaves = command.quantity,
                     .price = command.price};
  sent(id, number,
       simulate::send_new_order(session_, {.cl_ord_id = id,
                                           .symbol = command.symbol,
                                           .side = command.side,
                                           .type = command.type,
                                           .time_in_force = command.time_in_force,
                                           .price = command.price,
                                           .quantity = command.quantity,
                                           .time = station_.scheduler().now()}));
}

void TradeClient::amend(const TradeCommand& command) {
  Order* order = open_order(command.order);
  if (order == nullptr) return;
  const std::string id = change_id(command.order, *order);
  sent(id, command.order,
       simulate::send_replace(session_, {.cl_ord_id = id,
                                         .orig_cl_ord_id = order->cl_ord_id,
                                         .symbol = order->symbol,
                                         .side = order->side,
                                         .type = order->type,
                                         .time_in_force = order->time_in_force,
                                         .price = command.price,
                                         .quantity = command.quantity,
                                         .time = station_.scheduler().now()}));
}

void TradeClient::cancel(std::uint32_t number) {
  Order* order = open_order(number);
  if (order == nullptr) return;
  const std::string id = change_id(number, *order);
  sent(id, number,
       simulate::send_cancel(session_, {.cl_ord_id = id,
                                        .orig_cl_ord_id = order->cl_ord_id,
                                        .symbol = order->symbol,
                                        .side = order->side,
                                        .quantity = order->total,
                                        .time = station_.scheduler().now()}));
}

void TradeClient::list() {
  bool is_empty = true;
  for (const auto& [number, order] : orders_) {
    if (!order.is_open) continue;
    is_empty = false;
    print_(fmt::format("{}: {}, {} left", number,
                       terms_of(order.side, order.total, order.symbol, order.type, order.price, order.time_in_force),
                       order.leaves.lots));
  }
  if (is_empty) print_("no open orders");
}

TradeClient::Order* TradeClient::open_order(std::uint32_t number) {
  const auto found = orders_.find(number);
  if (found != orders_.end() && found->second.is_open) return &found->second;
  refuse(fmt::format("there is no open order {}; list shows them", number));
  return nullptr;
}

std::string TradeClient::change_id(std::uint32_t number, Order& order) {
  return fmt::format("{}{}.{}", prefix_, number, ++order.changes);
}

void TradeClient::sent(const std::string& cl_ord_id, std::uint32_t order, const Result<market::Sequence>& result) {
  if (!result) {
    char text[160];
    return refuse(fmt::format("{} could not be sent: {}", order, describe(result.error(), text)));
  }
  orders_by_id_[cl_ord_id] = order;
  unanswered_[cl_ord_id] = wait_for(options_.answer_timeout);
}

void TradeClient::answered(std::string_view cl_ord_id) {
  const auto found = unanswered_.find(cl_ord_id);
  if (found != unanswered_.end()) unanswered_.erase(found);
}

void TradeClient::refuse(const std::string& line) {
  has_refusal_ = true;
  print_(line);
}

void TradeClient::finish() {
  is_leaving_ = true;
  initiator_.stop("bye");
  if (!session_.is_connected()) is_closed_ = true;
}

void TradeClient::on_logon(fix::Session&, Time) {
  is_logged_on_ = was_logged_on_ = true;
  print_(fmt::format("logged on to {} as {}", options_.target, options_.sender));
}

void TradeClient::on_logout(fix::Session&, std::string_view reason, Time) {
  is_logged_on_ = false;
  if (is_leaving_) return;
  is_broken_ = true;
  print_(fmt::format("logged out: {}", reason));
}

/// Before the logon the initiator tells what went wrong, and goes on.
void TradeClient::on_closed(fix::Session&, link::CloseReason, Time) {
  if (was_logged_on_ || is_leaving_) is_closed_ = true;
}

void TradeClient::on_attempt(const fix::Attempt&, Time) {
  // The session's own limit comes first, but for a connection that never comes about.
  logon_deadline_ = wait_for(2 * options_.answer_timeout);
}

void TradeClient::on_failure(const fix::Attempt& attempt, fix::AttemptFailure failure, link::CloseReason reason, Time) {
  const std::string where = net::text_of(attempt.host);
  switch (failure) {
    case fix::AttemptFailure::not_connected:
      return print_(reason == link::CloseReason::refused
                        ? fmt::format("nobody listens at {}; is the gateway running?", where)
                        : fmt::format("no connection to {}: {}", where, link::name_of(reason)));
    case fix::AttemptFailure::closed_early:
      return print_(fmt::format("the gateway ended the connection before the logon ({}); does it know {} and {}?",
                                link::name_of(reason), options_.sender, options_.target));
    case fix::AttemptFailure::no_answer:
      return print_("no logon: the gateway does not answer");
    case fix::AttemptFailure::refused:
      return print_(fmt::format("{} did not take the logon", where));
  }
}

void TradeClient::on_gave_up(unsigned, Time) {
  is_broken_ = is_closed_ = true;
}

void TradeClient::on_trouble(fix::Session&, const Error& error) {
  char text[160];
  print_(fmt::format("trouble: {}", describe(error, text)));
}

void TradeClient::on_reject(fix::Session&, const fix::MessageView& reject, Time) {
  // The peer names the message by its number only; what was asked last is what it means.
  unanswered_.clear();
  refuse(fmt::format("rejected: {}", reject.find(fix::tag::k_text).value_or("no text")));
}

void TradeClient::on_message(fix::Session&, const fix::MessageView& message, Time) {
  const auto answer = simulate::read_answer(message);
  if (!answer) return print_("a message that is no answer to an order");
  const auto found = orders_by_id_.find(answer->cl_ord_id);
  if (found == orders_by_id_.end())
    return print_(fmt::format("a report of an order from before: {}", answer->cl_ord_id));
  const auto order = orders_.find(found->second);
  apply(order->first, order->second, *answer);
}

void TradeClient::apply(std::uint32_t number, Order& order, const simulate::Answer& answer) {
  const bool is_report =
      answer.kind != simulate::AnswerKind::change_rejected && answer.kind != simulate::AnswerKind::business_rejected;
  if (is_report) order.leaves = answer.leaves;
  switch (answer.kind) {
    case simulate::AnswerKind::accepted:
      order.is_open = true;
      print_(
          fmt::format("{} accepted: {}", number,
                      terms_of(order.side, order.total, order.symbol, order.type, order.price, order.time_in_force)));
      break;
    case simulate::AnswerKind::rejected:
      refuse(fmt::format("{} rejected: {}", number, reason_in(answer)));
      break;
    case simulate::AnswerKind::traded:
      order.is_open = answer.leaves.lots != 0;
      print_(fmt::format("{} {}: {} {} {} @ {}, {} left, average {}", number, order.is_open ? "traded" : "filled",
                         order.side == Side::buy ? "bought" : "sold", answer.last_quantity.lots, order.symbol,
                         text_of(answer.last_price), answer.leaves.lots, text_of(answer.average_price)));
      return;  // an execution answers nothing
    case simulate::AnswerKind::cancelled:
      order.is_open = false;
      print_(fmt::format("{} cancelled, {} done", number, answer.cumulative.lots));
      break;
    case simulate::AnswerKind::expired:
      order.is_open = false;
      print_(fmt::format("{} expired, {} done", number, answer.cumulative.lots));
      return;
    case simulate::AnswerKind::replaced:
      order.cl_ord_id = answer.cl_ord_id;
      order.total = answer.total;
      order.price = answer.price;
      order.is_open = answer.leaves.lots != 0;
      print_(fmt::format("{} amended: {}, {} left", number,
                         terms_of(order.side, order.total, order.symbol, order.type, order.price, order.time_in_force),
                         answer.leaves.lots));
      break;
    case simulate::AnswerKind::change_rejected:
      refuse(fmt::format("{} not changed: {}", number, reason_in(answer)));
      break;
    case simulate::AnswerKind::business_rejected:
      refuse(fmt::format("{} refused: {}", number, reason_in(answer)));
      break;
    case simulate::AnswerKind::suspended:
      print_(fmt::format("{} parked: it waits outside the book", number));
      return;
    case simulate::AnswerKind::restated:
      order.total = answer.total;
      order.price = answer.price;
      print_(fmt::format("{} restated by the venue: {}, {} left", number,
                         terms_of(order.side, order.total, order.symbol, order.type, order.price, order.time_in_force),
                         answer.leaves.lots));
      return;
    case simulate::AnswerKind::trade_cancelled:
      order.is_open = answer.leaves.lots != 0;
      print_(fmt::format("{} trade cancelled: execution {} no longer counts, {} done, {} left, average {}", number,
                         answer.exec_ref_id, answer.cumulative.lots, answer.leaves.lots,
                         text_of(answer.average_price)));
      return;
    case simulate::AnswerKind::other:
      print_(fmt::format("{}: a report of type {}", number, answer.exec_type));
      return;
  }
  answered(answer.cl_ord_id);
}

}  // namespace dojima::app
