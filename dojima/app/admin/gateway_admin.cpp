#include "dojima/app/admin/gateway_admin.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fmt/core.h>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>

#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/gateway/unknown_trades.hpp"
#include "dojima/market/price.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::app {
namespace {

using measure::Gauge;
using measure::GaugeBoard;

constexpr std::array<AdminVerb, 11> k_gateway_verbs = {{
    {"status", "", "what the gateway does, and how much of what it has is used", false},
    {"sessions", "", "every client: its FIX session, its numbers, its venue user", false},
    {"orders", "[CLIENT]", "open orders, of a client or of all", false},
    {"unknown-trades", "[CLIENT]", "the last trades that clients said they do not know (DontKnowTrade)", false},
    {"numbers", "CLIENT IN OUT", "sets the next MsgSeqNum that is expected and that is sent; not while it is connected",
     true},
    {"logout", "CLIENT [TEXT]", "ends a client's FIX session; it may log on again", true},
    {"limits", "[CLIENT [KEY=VALUE...]]",
     "what limits are set, a client's, or other ones from now on; keys as in [[client]]", true, true},
    {"kill", "CLIENT|all [cancel]", "refuses new orders and replaces; cancel: and cancels what is open", true},
    {"revive", "CLIENT|all", "takes a kill switch back", true},
    {"drain", "", "refuses new orders of all clients; what is open can be changed and cancelled", true},
    {"undrain", "", "takes new orders again", true},
}};

constexpr std::string_view k_limit_keys[] = {"max_rate",  "rate_action",  "rate_queue",      "max_quantity",
                                             "max_value", "price_collar", "max_open_orders", "duplicate_ms",
                                             "symbols",   "accounts"};

/// Where a client's keys are in a configuration that has it alone.
constexpr std::string_view k_row_of_client = "client.0.";

/// Complaints about the keys of a client, which name them as the operator has.
std::string as_typed(std::string complaints) {
  const std::string prefix = "--set " + std::string(k_row_of_client);
  for (std::size_t at = complaints.find(prefix); at != std::string::npos; at = complaints.find(prefix, at))
    complaints.erase(at, prefix.size());
  return complaints;
}

struct GatewayCounter {
  const char* name;
  std::uint64_t gateway::GatewayCounters::* value;
  const char* help;
};

using GatewayCounts = gateway::GatewayCounters;
constexpr GatewayCounter k_gateway_counters[] = {
    {"dojima_gateway_requests_total", &GatewayCounts::requests,
     "Orders, cancels, replaces and mass cancels of clients"},
    {"dojima_gateway_requests_sent_total", &GatewayCounts::sent, "Requests that were handed to the venue"},
    {"dojima_gateway_requests_limited_total", &GatewayCounts::limited, "Refused because of a limit of the client"},
    {"dojima_gateway_requests_waited_total", &GatewayCounts::waited, "Requests that waited for their client's rate"},
    {"dojima_gateway_rate_logouts_total", &GatewayCounts::rate_logouts, "Sessions ended because of their rate"},
    {"dojima_gateway_cancels_all_total", &GatewayCounts::cancels_all,
     "Mass cancels for clients that went or were killed"},
    {"dojima_gateway_status_requests_total", &GatewayCounts::status_requests, "Questions answered from the records"},
    {"dojima_gateway_unknown_trades_total", &GatewayCounts::unknown_trades, "Fills that a client does not know"},
    {"dojima_gateway_unsupported_total", &GatewayCounts::unsupported, "Messages of other types"},
    {"dojima_gateway_answers_total", &GatewayCounts::answers, "Requests that the venue answered"},
    {"dojima_gateway_reports_total", &GatewayCounts::reports, "Messages of the venue about orders"},
    {"dojima_gateway_executions_total", &GatewayCounts::executions, "Fills"},
    {"dojima_gateway_strays_total", &GatewayCounts::strays, "Reports of no request of ours, which were dropped"},
    {"dojima_gateway_stale_total", &GatewayCounts::stale,
     "Requests that were unanswered when their venue session ended"},
    {"dojima_gateway_missed_lots_total", &GatewayCounts::missed_lots, "Lots executed without a report that came"},
    {"dojima_gateway_journal_waits_total", &GatewayCounts::journal_waits,
     "Times that nobody was read until the journal had room again"},
    {"dojima_gateway_unwritten_total", &GatewayCounts::unwritten, "Changes that the journal had no room for at first"},
    {"dojima_gateway_recovered_total", &GatewayCounts::recovered, "Reports that came over the recovery channel"},
    {"dojima_gateway_partitions_unavailable_total", &GatewayCounts::unavailable,
     "Times that a venue said that a partition is not available"},
    {"dojima_gateway_recovery_waits_total", &GatewayCounts::recovery_waits,
     "Times that a venue said that a partition cannot be recovered now"},
    {"dojima_gateway_settled_total", &GatewayCounts::settled, "Requests that the venue turned out not to have"},
    {"dojima_gateway_lost_orders_total", &GatewayCounts::lost_orders, "Open orders that a venue no longer had"},
    {"dojima_gateway_undelivered_total", &GatewayCounts::undelivered,
     "Messages that a client's session could not take"},
    {"dojima_gateway_copied_total", &GatewayCounts::copied, "Executions that drop copies were sent"},
    {"dojima_gateway_uncopied_total", &GatewayCounts::uncopied, "Executions that a drop copy's session could not take"},
    {"dojima_gateway_venue_logons_total", &GatewayCounts::venue_sessions, "Logons of venue users"},
    {"dojima_gateway_venue_attempts_total", &GatewayCounts::venue_attempts, "Connections to the venue that were tried"},
};

std::string limit_price_text(market::Price price) {
  std::array<char, market::k_price_text_max> text{};
  return price.units == 0 ? std::string() : std::string(market::format_price(price, text));
}

std::string order_id_text(market::OrderId id) {
  if (id.value == 0) return "";
  std::array<char, mit::k_order_id_width> text{};
  return mit::format_base62(id.value, text) ? std::string(text.data(), text.size()) : std::string();
}

/// None: it is no number above 0.
std::optional<market::Sequence> sequence_of(const std::string& word) {
  market::Sequence number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number.value);
  if (error != std::errc{} || end != word.data() + word.size() || number.value == 0) return std::nullopt;
  return number;
}

/// As gateway::RefusedFor.
constexpr std::array<std::string_view, gateway::k_refused_for> k_refused_for = {
    "other",    "kill switch", "drained",       "rate",     "limit",     "unknown symbol", "unknown order", "duplicate",
    "too late", "pending",     "not supported", "quantity", "malformed", "not possible",   "sent before"};

}  // namespace

struct GatewayAdmin::Figures {
  struct OfClient {
    Gauge& is_up;
    Gauge& is_venue_ready;
    Gauge& incoming;
    Gauge& outgoing;
    Gauge& waiting;
    Gauge& is_killed;
  };

  Figures(const GatewayConfig& server, GaugeBoard& board, bool has_journal)
      : open_orders(board.gauge("dojima_gateway_open_orders", "Orders that are open")),
        order_limit(board.gauge("dojima_gateway_order_records", "Orders that can be remembered")),
        requests(board.gauge("dojima_gateway_request_records_used", "Request records in use")),
        is_draining(board.gauge("dojima_gateway_draining", "Whether new orders of all clients are refused")),
        waits_for_journal(
            board.gauge("dojima_gateway_waits_for_journal", "Whether nobody is read until the journal has room")),
        from_clients(connections(board, "clients")),
        from_strangers(connections(board, "without a session")),
        from_copies(connections(board, "drop copies")),
        to_venues(connections(board, "venues")) {
    const gateway::GatewayConfig& config = server.gateway;
    board.gauge("dojima_gateway_connections_most", "Connections of clients, drop copies and strangers that are taken")
        .set(std::uint64_t{server.connections});
    if (has_journal) {
      segments = &board.gauge("dojima_gateway_journal_segments", "Files of the journal, those made ready included");
      bytes = &board.gauge("dojima_gateway_journal_bytes", "What they take of the disk");
    }
    order_limit.set(static_cast<std::uint64_t>(config.limits.orders));
    for (const GatewayCounter& each : k_gateway_counters) counters.push_back(&board.counter(each.name, each.help));
    for (const std::string_view reason : k_refused_for)
      refused.push_back(&board.counter("dojima_gateway_requests_refused_total",
                                       "Requests that the gateway refused itself, by the reason",
                                       {{"reason", std::string(reason)}}));
    for (const gateway::ClientConfig& client : config.clients) {
      const GaugeBoard::Labels labels = {{"client", client.comp_id}};
      clients.push_back(
          {.is_up = board.gauge("dojima_gateway_client_up", "Whether the client is logged on", labels),
           .is_venue_ready =
               board.gauge("dojima_gateway_venue_ready", "Whether the client's requests reach the venue", labels),
           .incoming = board.gauge("dojima_gateway_next_incoming", "MsgSeqNum that is expected next", labels),
           .outgoing = board.gauge("dojima_gateway_next_outgoing", "MsgSeqNum that is sent next", labels),
           .waiting = board.gauge("dojima_gateway_waiting_messages",
                                  "Messages that the client's connection has not taken", labels),
           .is_killed = board.gauge("dojima_gateway_client_killed", "Whether its kill switch is set", labels)});
    }
  }

  Gauge& open_orders;
  Gauge& order_limit;
  Gauge& requests;
  Gauge& is_draining;
  Gauge& waits_for_journal;
  Gauge &from_clients, &from_strangers, &from_copies, &to_venues;
  Gauge *segments = nullptr, *bytes = nullptr;  // without a journal
  std::vector<Gauge*> counters;
  std::vector<Gauge*> refused;  // as gateway::RefusedFor
  std::vector<OfClient> clients;

 private:
  static Gauge& connections(GaugeBoard& board, std::string_view channel) {
    return board.gauge("dojima_gateway_connections", "Connections by what they are for", {{"channel", channel}});
  }
};

GatewayAdmin::GatewayAdmin(const GatewayConfig& config, gateway::Gateway& gateway, GaugeBoard& board,
                           const journal::FileJournal* journal)
    : config_(config),
      gateway_(gateway),
      journal_(journal),
      figures_(std::make_unique<Figures>(config, board, journal != nullptr)) {}

GatewayAdmin::~GatewayAdmin() = default;

std::span<const AdminVerb> GatewayAdmin::verbs() const {
  return k_gateway_verbs;
}

void GatewayAdmin::publish(time::Time) {
  const GatewayCounts& counters = gateway_.counters();
  for (std::size_t at = 0; at < std::size(k_gateway_counters); ++at)
    figures_->counters[at]->set(counters.*(k_gateway_counters[at].value));
  for (std::size_t at = 0; at < figures_->refused.size(); ++at) figures_->refused[at]->set(counters.refused_for[at]);
  figures_->open_orders.set(gateway_.open_orders());
  figures_->requests.set(gateway_.requests_in_use());
  figures_->is_draining.set(gateway_.is_draining());
  figures_->waits_for_journal.set(gateway_.waits_for_journal());
  const gateway::GatewayConnections connections = gateway_.connections();
  figures_->from_clients.set(std::uint64_t{connections.clients});
  figures_->from_strangers.set(std::uint64_t{connections.strangers});
  figures_->from_copies.set(std::uint64_t{connections.drop_copies});
  figures_->to_venues.set(std::uint64_t{connections.venues});
  if (journal_ != nullptr) {
    const journal::JournalFiles files = journal_->files();
    figures_->segments->set(files.segments);
    figures_->bytes->set(files.bytes);
  }
  for (std::size_t client = 0; client < figures_->clients.size(); ++client) {
    const gateway::ClientStatus status = gateway_.status(client);
    Figures::OfClient& figures = figures_->clients[client];
    figures.is_up.set(status.is_up);
    figures.is_venue_ready.set(status.is_venue_ready);
    figures.incoming.set(status.next_incoming.value);
    figures.outgoing.set(status.next_outgoing.value);
    figures.waiting.set(status.waiting);
    figures.is_killed.set(gateway_.is_killed(client));
  }
}

std::string GatewayAdmin::waits_for() const {
  std::size_t ready = 0;
  for (std::size_t client = 0; client < gateway_.clients(); ++client)
    ready += gateway_.is_venue_ready(client) ? 1U : 0U;
  if (gateway_.is_draining()) return "it is being drained";
  if (ready == gateway_.clients()) return "";
  return fmt::format("{} of {} venue users are ready", ready, gateway_.clients());
}

AdminAnswer GatewayAdmin::on_command(Words words, time::Time) {
  const std::string& verb = words.front();
  if (verb == "status" || verb == "sessions") {
    if (words.size() != 1) return AdminAnswer::refusal(verb + " takes no words");
    return verb == "status" ? status() : sessions();
  }
  if (verb == "orders") return orders(words);
  if (verb == "unknown-trades") return unknown_trades(words);
  if (verb == "numbers") return numbers(words);
  if (verb == "limits") return limits(words);
  if (verb == "kill") return kill(words);
  if (verb == "revive") return revive(words);
  if (verb == "drain" || verb == "undrain") return drain(words);
  return log_out(words);
}

AdminAnswer GatewayAdmin::status() const {
  AdminAnswer answer;
  answer.text = waits_for().empty() ? "ready" : waits_for();
  answer.columns = {"what", "value"};
  const auto row = [&](std::string what, std::uint64_t value) {
    answer.rows.push_back({std::move(what), std::to_string(value)});
  };
  std::size_t up = 0;
  for (std::size_t client = 0; client < gateway_.clients(); ++client) up += gateway_.is_client_up(client) ? 1U : 0U;
  row("clients", gateway_.clients());
  row("clients logged on", up);
  row("open orders", gateway_.open_orders());
  row("order records", config_.gateway.limits.orders);
  row("request records used", gateway_.requests_in_use());
  for (const GatewayCounter& each : k_gateway_counters) {
    std::string what = each.name;
    what = what.substr(std::string_view("dojima_gateway_").size());
    what.resize(what.size() - std::string_view("_total").size());
    std::ranges::replace(what, '_', ' ');
    row(std::move(what), gateway_.counters().*(each.value));
  }
  return answer;
}

/// Whom the client trades as, with spaces between.
std::string GatewayAdmin::users_of(std::size_t client) const {
  const gateway::VenueUsers& users = gateway_.translator().users();
  std::string names;
  for (const std::uint32_t user : users.of(static_cast<std::uint32_t>(client)))
    names += (names.empty() ? "" : " ") + users[user].name;
  return names;
}

AdminAnswer GatewayAdmin::sessions() const {
  AdminAnswer answer;
  answer.columns = {"client", "version", "session", "next_in", "next_out", "waiting", "venue_user", "venue", "notes"};
  for (std::size_t client = 0; client < gateway_.clients(); ++client) {
    const gateway::ClientConfig& config = config_.gateway.clients[client];
    const gateway::ClientStatus status = gateway_.status(client);
    const char* venue = status.is_venue_ready ? "ready" : status.is_venue_up ? "recovering" : "down";
    answer.rows.push_back({config.comp_id, std::string(gateway::name_of(config.version)), status.is_up ? "up" : "down",
                           std::to_string(status.next_incoming.value), std::to_string(status.next_outgoing.value),
                           std::to_string(status.waiting), users_of(client), venue,
                           gateway_.is_killed(client) ? "killed" : ""});
  }
  return answer;
}

AdminAnswer GatewayAdmin::orders(Words words) const {
  if (words.size() > 2) return AdminAnswer::refusal("orders takes one CLIENT at most");
  const bool is_one = words.size() == 2;
  const std::size_t wanted = is_one ? client_of(words[1]) : 0;
  if (is_one && wanted == gateway_.clients()) return unknown_client(words[1]);
  AdminAnswer answer;
  answer.columns = {"client",   "cl_ord_id", "order_id", "symbol", "side",  "quantity",
                    "executed", "leaves",    "price",    "stop",   "state", "notes"};
  gateway_.visit_open_orders([&](const gateway::OrderSummary& order) {
    if (is_one && order.client != wanted) return;
    std::string notes = order.has_pending_change ? "change pending" : "";
    if (order.is_stale) notes += notes.empty() ? "executions may be missing" : ", executions may be missing";
    answer.rows.push_back({config_.gateway.clients[order.client].comp_id, std::string(order.cl_ord_id.view()),
                           order_id_text(order.order_id), symbol_of(order.instrument),
                           order.terms.side == market::Side::buy ? "buy" : "sell",
                           std::to_string(order.terms.quantity.lots), std::to_string(order.executed.lots),
                           std::to_string(order.leaves.lots), limit_price_text(order.terms.limit),
                           limit_price_text(order.terms.stop), std::string(order.state), std::move(notes)});
  });
  return answer;
}

AdminAnswer GatewayAdmin::unknown_trades(Words words) const {
  if (words.size() > 2) return AdminAnswer::refusal("unknown-trades takes one CLIENT at most");
  const bool is_one = words.size() == 2;
  const std::size_t wanted = is_one ? client_of(words[1]) : 0;
  if (is_one && wanted == gateway_.clients()) return unknown_client(words[1]);
  AdminAnswer answer;
  answer.columns = {"time", "client", "order_id", "exec_id", "dk_reason", "text"};
  const gateway::UnknownTrades& trades = gateway_.unknown_trades();
  for (std::size_t place = 0; place < trades.size(); ++place) {
    const gateway::UnknownTrade& trade = trades.at(place);
    if (is_one && trade.client != wanted) continue;
    std::array<char, time::k_timestamp_max> room;
    answer.rows.push_back(
        {std::string(time::format_timestamp(trade.time, 3, room)), config_.gateway.clients[trade.client].comp_id,
         std::string(trade.order_id.view()), std::string(trade.exec_id.view()),
         trade.reason == '\0' ? std::string() : std::string(1, trade.reason), std::string(trade.text.view())});
  }
  return answer;
}

AdminAnswer GatewayAdmin::numbers(Words words) {
  if (words.size() != 4) return AdminAnswer::refusal("numbers takes CLIENT, IN and OUT");
  const std::size_t client = client_of(words[1]);
  if (client == gateway_.clients()) return unknown_client(words[1]);
  const auto incoming = sequence_of(words[2]), outgoing = sequence_of(words[3]);
  if (!incoming || !outgoing) return AdminAnswer::refusal("IN and OUT are whole numbers from 1");
  const gateway::ClientStatus before = gateway_.status(client);
  if (!gateway_.set_numbers(client, *incoming, *outgoing))
    return AdminAnswer::refusal(words[1] + " is connected; log it out first");
  return {.text = fmt::format("{} expects {} (was {}) and sends {} (was {})", words[1], incoming->value,
                              before.next_incoming.value, outgoing->value, before.next_outgoing.value)};
}

AdminAnswer GatewayAdmin::log_out(Words words) {
  if (words.size() < 2) return AdminAnswer::refusal("logout takes a CLIENT, and a TEXT if you like");
  const std::size_t client = client_of(words[1]);
  if (client == gateway_.clients()) return unknown_client(words[1]);
  if (!gateway_.is_client_up(client)) return AdminAnswer::refusal(words[1] + " is not logged on");
  std::string text;
  for (const std::string& word : words.subspan(2)) text += (text.empty() ? "" : " ") + word;
  gateway_.log_out(client, text.empty() ? "logged out by the operator" : text);
  return {.text = words[1] + " is being logged out"};
}

/// A client's keys are read as they are in a configuration: one with this client alone.
AdminAnswer GatewayAdmin::limits(Words words) {
  if (words.size() < 2) return limits_of_all();
  const std::size_t client = client_of(words[1]);
  if (client == gateway_.clients()) return unknown_client(words[1]);
  if (words.size() == 2) return limits_table(client);
  GatewayConfig alone = default_gateway();
  alone.gateway.symbols = config_.gateway.symbols;
  alone.gateway.clients = {{.comp_id = words[1], .venue_user = "-", .venue_password = "-"}};
  alone.gateway.clients.front().limits = gateway_.limits(client);
  std::vector<Override> changes;
  for (const std::string& word : words.subspan(2)) {
    auto change = parse_override(word);
    if (!change || std::ranges::find(k_limit_keys, change->key) == std::end(k_limit_keys))
      return AdminAnswer::refusal(
          fmt::format("\"{}\" is no KEY=VALUE; known are {}", word, fmt::join(k_limit_keys, ", ")));
    change->key.insert(0, k_row_of_client);
    changes.push_back(*std::move(change));
  }
  const auto wanted = parse_gateway(text_of(alone), "limits", changes);
  if (!wanted) return AdminAnswer::refusal(as_typed(wanted.error()));
  if (const auto changed = gateway_.change_limits(client, wanted->gateway.clients.front().limits); !changed) {
    std::array<char, 160> text{};
    return AdminAnswer::refusal(std::string(describe(changed.error(), text)));
  }
  AdminAnswer answer = limits_table(client);
  answer.text = words[1] + " has these limits from now on";
  return answer;
}

/// Those that limit something, of every client, with the venue users that it trades as.
AdminAnswer GatewayAdmin::limits_of_all() const {
  AdminAnswer answer;
  answer.columns = {"client", "venue_user", "limit", "value"};
  for (std::size_t client = 0; client < gateway_.clients(); ++client) {
    const AdminAnswer of_client = limits_table(client);
    const bool has_rate = gateway_.limits(client).rate != 0;
    for (const auto& row : of_client.rows) {
      const bool is_of_rate = row[0] == "rate_action" || row[0] == "rate_queue";
      if (row[1] == "none" || row[1] == "all" || row[1] == "not set" || (is_of_rate && !has_rate)) continue;
      answer.rows.push_back({config_.gateway.clients[client].comp_id, users_of(client), row[0], row[1]});
    }
  }
  if (answer.rows.empty()) answer.text = "no limits are set";
  return answer;
}

AdminAnswer GatewayAdmin::limits_table(std::size_t client) const {
  const gateway::ClientLimits& limits = gateway_.limits(client);
  constexpr std::array<std::string_view, 3> k_actions = {"reject", "queue", "logout"};
  AdminAnswer answer;
  answer.columns = {"limit", "value"};
  const auto number = [](auto value) { return value == 0 ? std::string("none") : std::to_string(value); };
  const auto list = [](const std::vector<std::string>& words) {
    return words.empty() ? std::string("all") : fmt::format("{}", fmt::join(words, " "));
  };
  answer.rows = {{"max_rate", number(limits.rate)},
                 {"rate_action", std::string(k_actions[static_cast<std::size_t>(limits.rate_action)])},
                 {"rate_queue", number(limits.queue)},
                 {"max_quantity", number(limits.quantity.lots)},
                 {"max_value", number(limits.value)},
                 {"price_collar", limits.collar_bp == 0 ? "none" : fmt::format("{:g} %", limits.collar_bp / 100.0)},
                 {"max_open_orders", number(limits.open_orders)},
                 {"duplicate_ms", number(limits.duplicate_window.count())},
                 {"symbols", list(limits.symbols)},
                 {"accounts", list(limits.accounts)},
                 {"kill switch", gateway_.is_killed(client) ? "set" : "not set"}};
  return answer;
}

AdminAnswer GatewayAdmin::kill(Words words) {
  const bool has_cancel = words.size() == 3 && words[2] == "cancel";
  if (words.size() != 2 && !has_cancel)
    return AdminAnswer::refusal("kill takes a CLIENT or all, and cancel if you like");
  const auto clients = clients_of(words[1]);
  if (clients.empty()) return unknown_client(words[1]);
  for (const std::size_t client : clients) gateway_.kill(client, has_cancel);
  return {.text =
              fmt::format("no new orders of {}{}", words[1], has_cancel ? "; what is open is being cancelled" : "")};
}

AdminAnswer GatewayAdmin::revive(Words words) {
  if (words.size() != 2) return AdminAnswer::refusal("revive takes a CLIENT or all");
  const auto clients = clients_of(words[1]);
  if (clients.empty()) return unknown_client(words[1]);
  bool is_any_revived = false;
  for (const std::size_t client : clients) {
    if (!gateway_.is_killed(client)) continue;
    gateway_.revive(client);
    is_any_revived = true;
  }
  if (!is_any_revived) return AdminAnswer::refusal(fmt::format("no kill switch of {} is set", words[1]));
  return {.text = fmt::format("{} may trade again", words[1])};
}

AdminAnswer GatewayAdmin::drain(Words words) {
  if (words.size() != 1) return AdminAnswer::refusal(words.front() + " takes no words");
  const bool is_draining = words.front() == "drain";
  if (gateway_.is_draining() == is_draining)
    return AdminAnswer::refusal(is_draining ? "it is being drained already" : "it is not being drained");
  gateway_.set_draining(is_draining);
  if (!is_draining) return {.text = "new orders are taken again"};
  return {.text = fmt::format("new orders are refused; {} are open", gateway_.open_orders())};
}

/// Empty: there is no such client.
std::vector<std::size_t> GatewayAdmin::clients_of(std::string_view name) const {
  std::vector<std::size_t> clients;
  for (std::size_t client = 0; client < gateway_.clients(); ++client)
    if (name == "all" || config_.gateway.clients[client].comp_id == name) clients.push_back(client);
  return clients;
}

AdminAnswer GatewayAdmin::unknown_client(std::string_view name) const {
  std::string known;
  for (const gateway::ClientConfig& each : config_.gateway.clients) {
    if (known.size() > 200)
      return AdminAnswer::refusal(fmt::format("there is no client {}; sessions lists them", name));
    known += (known.empty() ? "" : ", ") + each.comp_id;
  }
  return AdminAnswer::refusal(fmt::format("there is no client {}; known are {}", name, known));
}

/// The number of clients: there is no such client.
std::size_t GatewayAdmin::client_of(std::string_view comp_id) const {
  const auto& clients = config_.gateway.clients;
  return static_cast<std::size_t>(std::ranges::find(clients, comp_id, &gateway::ClientConfig::comp_id) -
                                  clients.begin());
}

std::string GatewayAdmin::symbol_of(std::uint32_t instrument) const {
  const auto& symbols = config_.gateway.symbols;
  const auto found = std::ranges::find(symbols, instrument, &gateway::SymbolConfig::instrument);
  return found == symbols.end() ? std::to_string(instrument) : found->symbol;
}

}  // namespace dojima::app
