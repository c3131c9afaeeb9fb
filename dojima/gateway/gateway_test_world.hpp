#pragma once

// What the tests of this room share: a gateway over the simulated network, between FIX clients that note every message
// and a venue made of real server sessions whose answers the test writes, all in virtual time.

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/session.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/gateway/venue_progress.hpp"
#include "dojima/link/network_test_support.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/mit/server_session.hpp"

namespace dojima::gateway::testing {

/// One of the currency, as prices count.
inline constexpr std::int64_t k_unit = market::k_price_scale;

using namespace std::chrono_literals;

/// 2026-07-20 12:00:00 UTC.
inline constexpr Time k_noon = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20} + std::chrono::hours{12};
inline const link::Address k_fix_address{"gateway", 1};
inline const link::Address k_venue_address{"venue", 2};

/// A FIX message as it was received.
struct Message {
  std::string type;
  std::map<int, std::string> fields;  // the last of several
  [[nodiscard]] std::string at(int tag) const {
    const auto found = fields.find(tag);
    return found == fields.end() ? "" : found->second;
  }
  [[nodiscard]] bool has(int tag) const { return fields.contains(tag); }
  /// "8 150=0 39=0 11=A-1": the type and the fields named.
  [[nodiscard]] std::string show(std::initializer_list<int> tags) const {
    std::string text = type;
    for (const int tag : tags) text += " " + std::to_string(tag) + "=" + at(tag);
    return text;
  }
};

/// An order or execution of the first venue, as its clients know it.
inline std::string wire_id(std::uint64_t number) {
  std::string text(mit::k_order_id_width, '0');
  EXPECT_TRUE(mit::format_base62(number, text));
  return text;
}

/// A request as fields, to be changed before it is sent.
struct Fields {
  std::vector<std::pair<int, std::string>> list;
  Fields& set(int tag, std::string value) {
    for (auto& [known, old] : list) {
      if (known == tag) return old = std::move(value), *this;
    }
    list.emplace_back(tag, std::move(value));
    return *this;
  }
  Fields& drop(int tag) {
    std::erase_if(list, [tag](const auto& field) { return field.first == tag; });
    return *this;
  }
};

class FixClient final : public fix::Handler {
 public:
  /// Without a dictionary its messages are held against the published one of the version, and venue fields pass.
  FixClient(sched::Scheduler& scheduler, const std::string& comp_id, const std::string& password = {},
            FixVersion version = FixVersion::fix_4_4, const fix::Dictionary* dictionary = nullptr)
      : session(scheduler,
                {.role = fix::Role::initiator,
                 .begin_string = std::string(begin_string_of(version)),
                 .sender_comp_id = comp_id,
                 .target_comp_id = "DOJIMA",
                 .password = password,
                 .default_appl_ver_id = std::string(application_version_of(version)),
                 .dictionary = dictionary,
                 .checks = {.user_tags = dictionary == nullptr}},
                *this) {}

  void on_logon(fix::Session&, Time) override { ++logons; }
  void on_logout(fix::Session&, std::string_view, Time) override { ++logouts; }
  void on_message(fix::Session&, const fix::MessageView& view, Time) override { note(view); }
  void on_reject(fix::Session&, const fix::MessageView& view, Time) override { note(view); }
  void on_trouble(fix::Session&, const Error&) override { ++troubles; }

  /// Returns the sequence number.
  std::uint64_t send(std::string_view type, const Fields& fields) {
    fix::Writer writer = session.begin(fix::msg_type(type));
    for (const auto& [tag, value] : fields.list) writer.field(static_cast<fix::Tag>(tag), value);
    const auto sent = session.send(writer);
    EXPECT_TRUE(sent.has_value());
    return sent ? sent->value : 0;
  }
  std::vector<Message> take() { return std::exchange(received, {}); }
  /// The only message received since the last look.
  Message only() {
    const std::vector<Message> all = take();
    EXPECT_EQ(all.size(), 1u) << (all.empty() ? "" : all.back().show({11, 150, 39, 58}));
    return all.empty() ? Message{} : all.front();
  }

  fix::Session session;
  std::vector<Message> received;
  int logons = 0, logouts = 0, troubles = 0;

 private:
  void note(const fix::MessageView& view) {
    Message message;
    message.type = fix::text_of(view.msg_type()).view();
    for (std::size_t index = 0; index < view.size(); ++index)
      message.fields[view[index].tag] = std::string(view[index].value);
    received.push_back(std::move(message));
  }
};

/// A venue that notes what it gets and answers what the test scripts.
class ScriptedVenue final : public link::Acceptor, public mit::ServerHandler {
 public:
  explicit ScriptedVenue(sched::Scheduler& scheduler, const mit::Dialect& dialect = mit::lse_21_2::k_dialect) {
    for (int count = 0; count < 4; ++count) {
      sessions_.push_back(std::make_unique<mit::ServerSession>(mit::ServerOptions{}, dialect, scheduler, *this));
      free_.push_back(sessions_.back().get());
    }
  }

  link::Connection* on_accept(const link::Address&) override {
    if (!is_open || free_.empty()) return nullptr;
    mit::ServerSession* session = free_.back();
    free_.pop_back();
    return session;
  }
  mit::LogonReply on_logon(mit::ServerSession& session, const mit::Logon& logon, Time) override {
    if (logon_code != 0) return {.code = logon_code};
    users[std::string(logon.user.view())] = &session;
    session.set_user(static_cast<std::uint16_t>(users.size()));
    return {};
  }
  void on_new_order(mit::ServerSession&, market::NewOrder& order, Time) override {
    orders.push_back(order);
    inbox.push_back('D');
  }
  void on_replace(mit::ServerSession&, market::Replace& replace, Time) override {
    replaces.push_back(replace);
    inbox.push_back('G');
  }
  void on_cancel(mit::ServerSession&, market::Cancel& cancel, Time) override {
    cancels.push_back(cancel);
    inbox.push_back('F');
  }
  void on_mass_cancel(mit::ServerSession&, market::MassCancel& cancel, Time) override {
    mass_cancels.push_back(cancel);
    inbox.push_back('q');
  }
  void on_quote(mit::ServerSession&, market::Quote& quote, Time) override {
    quotes.push_back(quote);
    inbox.push_back('S');
  }
  void on_end(mit::ServerSession& session, market::SessionEnd, Time) override {
    std::erase_if(users, [&](const auto& user) { return user.second == &session; });
  }
  void on_free(mit::ServerSession& session, Time) override { free_.push_back(&session); }

  /// A report on the order as it was entered, with its own numbers.
  market::OwnerReport about(const market::NewOrder& order, market::OwnerReportKind kind, std::uint64_t order_id) {
    market::OwnerReport report;
    report.sequence = {++last_sequence};
    report.time = k_noon + 1s;
    report.order = report.public_order = {order_id};
    report.execution = (std::uint64_t{1} << 60) | ++last_execution;
    report.client_order_id = order.labels.client_order_id;
    report.partition = 1;
    report.instrument = order.header.instrument;
    report.kind = kind;
    report.side = order.terms.side;
    report.capacity = order.terms.capacity;
    report.leaves = order.terms.quantity;
    return report;
  }
  market::OwnerReport accepted(const market::NewOrder& order, std::uint64_t order_id) {
    return about(order, market::OwnerReportKind::accepted, order_id);
  }
  market::OwnerReport traded(const market::NewOrder& order, std::uint64_t order_id, std::int64_t quantity,
                             std::int64_t price_units, std::int64_t leaves) {
    market::OwnerReport report = about(order, market::OwnerReportKind::traded, order_id);
    report.quantity = {quantity};
    report.price = {price_units};
    report.leaves = {leaves};
    report.status = leaves == 0 ? market::OrderStatus::filled : market::OrderStatus::partially_filled;
    report.liquidity = 'A';
    report.trade = ++last_trade;
    report.last_market = 21;
    return report;
  }
  /// The answer to a cancel or replace.
  market::OwnerReport answer(const market::NewOrder& order, market::OwnerReportKind kind, std::uint64_t order_id,
                             const Text<20>& request, std::int64_t leaves) {
    market::OwnerReport report = about(order, kind, order_id);
    report.client_order_id = request;
    report.leaves = {leaves};
    if (kind == market::OwnerReportKind::cancelled) report.status = market::OrderStatus::cancelled;
    return report;
  }
  void say(const market::OwnerReport& report, std::string_view user = "USER1") {
    say(report, mit::code_of(report.reason), user);
  }
  void say(const market::OwnerReport& report, std::int32_t code, std::string_view user = "USER1") {
    if (is_forgetful && !users.contains(std::string(user))) return;
    ASSERT_TRUE(users.contains(std::string(user)));
    ASSERT_TRUE(users.at(std::string(user))->send(report, code));
  }

  std::vector<market::NewOrder> orders;
  std::vector<market::Replace> replaces;
  std::vector<market::Cancel> cancels;
  std::vector<market::MassCancel> mass_cancels;
  std::vector<market::Quote> quotes;
  std::string inbox;  // the types of all of these, as they came
  std::map<std::string, mit::ServerSession*> users;
  bool is_open = true;
  bool is_forgetful = false;  // what is said to a user who is not there is lost
  std::int32_t logon_code = 0;
  std::uint64_t last_sequence = 0, last_execution = 0, last_trade = 0;

 private:
  std::vector<std::unique_ptr<mit::ServerSession>> sessions_;
  std::vector<mit::ServerSession*> free_;
};

inline GatewayConfig small_config() {
  GatewayConfig config;
  config.clients = {{.comp_id = "CLIENT1", .venue_user = "USER1", .venue_password = "Secret#1"},
                    {.comp_id = "CLIENT2", .password = "open", .venue_user = "USER2", .venue_password = "Secret#2"}};
  config.symbols = {{"ALPHA", 7}, {"BETA", 8}};
  config.limits = {.orders = 64,
                   .requests = 256,
                   .remembered_ids = 64,
                   .store_messages = 512,
                   .store_bytes = 1 << 18,
                   .pending_links = 4};
  return config;
}

/// What a gateway remembers, counted. It and what follows are read in gateway_inside_test.cpp, so that tests that see a
/// gateway from outside are not compiled again when its inside changes.
struct Held {
  std::uint64_t orders = 0, closed_orders = 0;  ///< all, and those of them that are over
  std::uint64_t requests = 0;
  std::uint64_t known_ids = 0;
  std::uint64_t next_number = 0;  ///< of the next request
};
[[nodiscard]] Held held_by(const Gateway& gateway);
/// Requests of the client that wait for its rate.
[[nodiscard]] std::uint32_t waiting(const Gateway& gateway, std::uint32_t client);
/// As its limits count them.
[[nodiscard]] std::uint64_t counted_open_orders(const Gateway& gateway, std::uint32_t client);
/// Which day of its venue the last reports to the venue user were of.
[[nodiscard]] KnownDay known_day(const Gateway& gateway, std::uint32_t user);

/// When the client's orders are cancelled, and why they are to be now; nothing: they are not.
struct Cancels {
  CancelOnDisconnect mode;
  std::string_view why;
};
[[nodiscard]] Cancels cancels_at(const Gateway& gateway, std::uint32_t client);
/// The order of the first venue user that the venue knows by this id is remembered as cancelled.
[[nodiscard]] bool is_cancelled(const Gateway& gateway, std::uint64_t order_id);
/// The first order is of the client's user at that venue, which knows it by this id.
[[nodiscard]] bool is_order_of(const Gateway& gateway, std::uint32_t client, std::uint8_t venue,
                               std::uint64_t order_id);
/// A gateway of this configuration can begin with what was saved.
[[nodiscard]] bool goes_with(const SavedState& saved, const GatewayConfig& config);

/// Everything between two clients and the venue.
struct World {
  explicit World(const GatewayConfig& config = small_config(), GatewayParts parts = {},
                 link::SimulatedNetworkOptions options = {})
      : network(scheduler, options), venue(scheduler, *config.dialect), gateway(config, network, scheduler, parts) {
    EXPECT_TRUE(network.listen(k_venue_address, venue).has_value());
    EXPECT_TRUE(gateway.start(k_fix_address, k_venue_address).has_value());
    run(1ms);
  }
  ~World() {
    gateway.stop("end");
    client.session.logout("end");
    other.session.logout("end");
    venue.is_open = false;
    run(30s);
  }

  void log_on() {
    network.connect(k_fix_address, client.session);
    run(10ms);
    ASSERT_TRUE(client.session.is_logged_on());
    client.take();
  }
  void log_on_other() {
    network.connect(k_fix_address, other.session);
    run(10ms);
    ASSERT_TRUE(other.session.is_logged_on());
  }
  void run(time::Duration duration) { link::run_for(network, scheduler, duration); }

  [[nodiscard]] Held held() const { return held_by(gateway); }
  [[nodiscard]] const GatewayCounters& counters() const { return gateway.counters(); }

  /// Sends a limit order of 100 at 10 and has the venue accept it under this id.
  market::NewOrder enter(const std::string& id, std::uint64_t order_id);

  sched::Scheduler scheduler{512, k_noon};
  link::SimulatedNetwork network;
  ScriptedVenue venue;
  Gateway gateway;
  FixClient client{scheduler, "CLIENT1"};
  FixClient other{scheduler, "CLIENT2", "open"};
};

/// A limit order to buy 100 ALPHA at 10.
inline Fields new_order(std::string id) {
  return {{{11, std::move(id)},
           {55, "ALPHA"},
           {54, "1"},
           {60, "20260720-12:00:00.000"},
           {38, "100"},
           {40, "2"},
           {44, "10"}}};
}
inline Fields cancel(std::string id, std::string orig) {
  return {{{41, std::move(orig)}, {11, std::move(id)}, {55, "ALPHA"}, {54, "1"}, {60, "20260720-12:00:00.000"}}};
}
inline Fields replace(std::string id, std::string orig, std::string quantity, std::string price) {
  return {{{41, std::move(orig)},
           {11, std::move(id)},
           {55, "ALPHA"},
           {54, "1"},
           {60, "20260720-12:00:00.000"},
           {38, std::move(quantity)},
           {40, "2"},
           {44, std::move(price)}}};
}

inline market::NewOrder World::enter(const std::string& id, std::uint64_t order_id) {
  client.send("D", new_order(id));
  run(1ms);
  EXPECT_FALSE(venue.orders.empty());
  const market::NewOrder order = venue.orders.back();
  venue.say(venue.accepted(order, order_id));
  run(1ms);
  EXPECT_EQ(client.only().show({11, 150, 39}), "8 11=" + id + " 150=0 39=0");
  return order;
}

}  // namespace dojima::gateway::testing
