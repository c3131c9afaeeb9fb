#include "clients.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <stdexcept>
#include <utility>

#include "dojima/base/splitmix.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace dojima::crash {
namespace {

constexpr std::chrono::milliseconds k_retry{20};
constexpr std::size_t k_requests_a_turn = 32;

std::string member_name(std::size_t at) {
  return fmt::format("MEMBER{}", at + 1);
}
std::string fix_name(std::size_t at) {
  return fmt::format("FIX{}", at + 1);
}

gateway::GatewayConfig gateway_config(const app::VenueConfig& venue) {
  gateway::GatewayConfig config = app::default_gateway().gateway;
  config.fix.session.reset_on_logon = true;
  config.reconnect = k_retry;
  config.venue_heartbeat = std::chrono::milliseconds{venue.heartbeat_ms};
  config.clients.clear();
  for (std::size_t at = 0; at < CrashClients::k_fix_clients; ++at) {
    gateway::ClientConfig client{
        .comp_id = fix_name(at), .password = {}, .venue_user = fix_name(at), .venue_password = "pass"};
    client.defaults.auto_cancel = false;
    config.clients.push_back(client);
  }
  config.symbols.clear();
  for (const auto& instrument : venue.instruments) config.symbols.push_back({instrument.symbol, instrument.id});
  return config;
}

}  // namespace

void add_users(app::VenueConfig& venue) {
  venue.users.clear();
  for (std::size_t at = 0; at < CrashClients::k_members; ++at)
    venue.users.push_back({.name = member_name(at), .password = "pass", .account = {}});
  for (std::size_t at = 0; at < CrashClients::k_fix_clients; ++at)
    venue.users.push_back({.name = fix_name(at), .password = "pass", .account = {}});
}

CrashClients::CrashClients(const app::VenueConfig& venue, std::uint16_t venue_port, std::uint64_t seed)
    : venue_(venue),
      venue_port_(venue_port),
      random_(seed),
      station_({.scheduler = 4096, .idle = net::IdlePolicy::yield, .fabric = {.max_connections = 64}}),
      members_(k_members),
      fix_clients_(k_fix_clients) {
  for (std::uint32_t at = 0; at < k_members; ++at)
    members_[at].session = std::make_unique<mit::ClientSession>(
        mit::ClientOptions{.user = member_name(at),
                           .password = "pass",
                           .new_password = {},
                           .heartbeat = std::chrono::milliseconds{venue.heartbeat_ms},
                           .tag = at},
        mit::lse_21_2::k_dialect, station_.scheduler(), *this);
  gateway_ = std::make_unique<gateway::Gateway>(gateway_config(venue), station_.fabric(), station_.scheduler());
  const auto where = gateway_->start({"127.0.0.1", 0}, {"127.0.0.1", venue_port});
  if (!where) throw std::runtime_error("the gateway finds no port");
  for (std::uint32_t at = 0; at < k_fix_clients; ++at) {
    fix_clients_[at].session =
        std::make_unique<fix::Session>(station_.scheduler(),
                                       fix::SessionConfig{.role = fix::Role::initiator,
                                                          .sender_comp_id = fix_name(at),
                                                          .target_comp_id = gateway_config(venue).comp_id,
                                                          .reset_on_logon = true},
                                       *this);
    station_.fabric().connect(*where, *fix_clients_[at].session);
  }
  station_.add(*this);
}

CrashClients::~CrashClients() = default;

void CrashClients::run(time::Duration how_long, bool is_trading) {
  is_trading_ = is_trading;
  station_.run_at_most(how_long, [] { return true; });
}

void CrashClients::run_until_auction(time::Duration how_long, const std::function<void()>& call) {
  is_trading_ = true;
  on_auction_ = call;
  station_.run_at_most(how_long, [this] { return on_auction_ != nullptr; });
  on_auction_ = nullptr;
}

bool CrashClients::is_connected() const {
  return std::ranges::all_of(members_, [](const Member& of) { return of.session->is_logged_on(); }) &&
         gateway_->is_venue_up();
}

bool CrashClients::is_alone() const {
  return std::ranges::none_of(members_, [](const Member& of) { return of.session->is_logged_on(); }) &&
         !gateway_->is_venue_up();
}

std::uint64_t CrashClients::below(std::uint64_t bound) {
  return splitmix64(random_) % bound;
}

// ---- Requests ------------------------------------------------------------------------------------------------------

std::size_t CrashClients::deliver(time::Time now) {
  std::size_t made = 0;
  for (Member& member : members_) {
    if (!member.session->is_connected() && now >= member.retry) {
      member.retry = now + k_retry;
      station_.fabric().connect({"127.0.0.1", venue_port_}, *member.session);
    }
    const auto user = static_cast<std::uint16_t>(&member - members_.data());
    while (is_trading_ && member.session->is_logged_on() && member.open < k_open && made < k_requests_a_turn &&
           request(member, user))
      ++made;
  }
  for (FixClient& client : fix_clients_) {
    const auto number = static_cast<std::uint32_t>(&client - fix_clients_.data());
    for (std::size_t count = 0; is_trading_ && gateway_->is_venue_up() && client.open < k_open / 4 && count < 4;
         ++count)
      if (request(client, number, now)) ++made;
  }
  witness_.requests += made;
  return made;
}

bool CrashClients::request(Member& member, std::uint16_t user) {
  char id[mit::k_base62_max];
  const std::string_view name = mit::format_base62_shortest(++next_id_, id);
  if (below(100) < 35 && !member.resting.empty()) {
    const std::size_t at = below(member.resting.size());
    market::Cancel cancel;
    cancel.header.instrument = member.resting[at].instrument;
    cancel.order = {member.resting[at].order};
    cancel.side = member.resting[at].side;
    cancel.client_order_id = Text<20>::cut(name);
    member.resting[at] = member.resting.back();
    member.resting.pop_back();
    if (!member.session->send(cancel)) return false;
    ++member.open;
    return true;
  }
  const auto& instrument = venue_.instruments[below(venue_.instruments.size())];
  market::NewOrder order;
  order.header.instrument = instrument.id;
  order.terms.side = below(2) == 0 ? market::Side::buy : market::Side::sell;
  const std::int64_t ticks = static_cast<std::int64_t>(below(40)) - 20;
  order.terms.limit = {instrument.reference.units + ticks * instrument.ticks.front().tick.units};
  order.terms.quantity = order.terms.displayed = {static_cast<std::int64_t>(1 + below(50)) * 100};
  order.terms.type = market::OrderType::limit;
  order.terms.time_in_force = below(10) == 0 ? market::TimeInForce::immediate_or_cancel : market::TimeInForce::day;
  order.terms.capacity = market::Capacity::dealing;
  order.labels.client_order_id = Text<20>::cut(name);
  order.labels.clearing = 1;
  order.labels.executing_trader = 3;
  if (!member.session->send(order)) return false;
  witness_.sent.insert(fmt::format("{}:{}", user, name));
  ++member.open;
  return true;
}

bool CrashClients::request(FixClient& client, std::uint32_t number, time::Time now) {
  const std::string id = fmt::format("F{}-{}", number, ++next_id_);
  const auto& instrument = venue_.instruments[below(venue_.instruments.size())];
  const std::int64_t ticks = static_cast<std::int64_t>(below(40)) - 20;
  simulate::OrderRequest request{.cl_ord_id = id,
                                 .orig_cl_ord_id = {},
                                 .symbol = instrument.symbol,
                                 .side = below(2) == 0 ? market::Side::buy : market::Side::sell,
                                 .price = {instrument.reference.units + ticks * instrument.ticks.front().tick.units},
                                 .quantity = {static_cast<std::int64_t>(1 + below(50)) * 100},
                                 .time = now};
  if (!simulate::send_new_order(*client.session, request)) return false;
  ++client.open;
  return true;
}

// ---- Answers -------------------------------------------------------------------------------------------------------

void CrashClients::on_report(mit::ClientSession& session, const market::OwnerReport& report, std::int32_t, time::Time) {
  ++witness_.answers;
  constexpr char k_auction = 'C';
  if (on_auction_ && report.kind == market::OwnerReportKind::traded && report.liquidity == k_auction)
    std::exchange(on_auction_, nullptr)();
  Member& member = members_[session.tag()];
  const bool is_answer =
      report.kind != market::OwnerReportKind::traded && report.kind != market::OwnerReportKind::expired &&
      report.kind != market::OwnerReportKind::suspended && report.kind != market::OwnerReportKind::restated;
  if (is_answer && member.open > 0) --member.open;
  if (report.kind == market::OwnerReportKind::accepted)
    member.resting.push_back({report.order.value, report.side, report.instrument});
  if (report.sequence.value == 0) return;
  const auto [seen, is_new] = witness_.reports.emplace(report.sequence.value, report);
  if (!is_new && seen->second != report) ++witness_.contradictions;
}

void CrashClients::on_reject(mit::ClientSession& session, const mit::Reject&, time::Time) {
  Member& member = members_[session.tag()];
  if (member.open > 0) --member.open;
}

void CrashClients::on_end(mit::ClientSession& session, link::CloseReason, std::string_view, time::Time now) {
  Member& member = members_[session.tag()];
  member.open = 0;
  member.retry = now + k_retry;
}

void CrashClients::on_message(fix::Session& session, const fix::MessageView& message, time::Time) {
  ++witness_.answers;
  const auto client =
      std::ranges::find_if(fix_clients_, [&](const FixClient& of) { return of.session.get() == &session; });
  const auto answer = simulate::read_answer(message);
  if (!answer) return;
  const bool is_answer =
      answer->kind != simulate::AnswerKind::traded && answer->kind != simulate::AnswerKind::expired &&
      answer->kind != simulate::AnswerKind::suspended && answer->kind != simulate::AnswerKind::restated;
  if (is_answer && client->open > 0) --client->open;
  const Result<std::uint64_t> order = mit::parse_base62(answer->order_id);
  if (!order || *order == 0) return;
  if (answer->kind == simulate::AnswerKind::accepted) witness_.fix_orders.insert(*order);
  if (answer->kind == simulate::AnswerKind::traded)
    witness_.fix_fills.insert(
        {*order, std::string(answer->trade_id), answer->last_quantity.lots, answer->last_price.units});
}

}  // namespace dojima::crash
