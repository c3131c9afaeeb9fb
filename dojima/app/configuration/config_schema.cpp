#include "dojima/app/configuration/config_schema.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "dojima/app/configuration/drop_copy_schema.hpp"
#include "dojima/app/configuration/fix_schema.hpp"
#include "dojima/app/configuration/limits_schema.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/mit/describe.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

constexpr std::int64_t k_million = 1'000'000;
constexpr std::int64_t k_uint32_max = 4'294'967'295;
constexpr std::int64_t k_int32_max = 2'147'483'647;  // of quantities and instruments on the native wire

constexpr std::array<std::string_view, 2> k_kinds = {"venue", "gateway"};
constexpr std::array<std::string_view, 3> k_idle = {"spin", "yield", "block"};
constexpr std::array<std::string_view, 4> k_policies = {"fifo", "pro_rata", "top_pro_rata", "size_time"};
constexpr std::array<std::string_view, 5> k_self_trades = {"allowed", "cancel_newest", "cancel_oldest", "cancel_both",
                                                           "decrement"};
constexpr std::array<std::string_view, 3> k_scopes = {"owner", "account", "group"};
static_assert(static_cast<std::size_t>(book::Policy::size_time) + 1 == k_policies.size());
constexpr std::array<std::string_view, 3> k_durabilities = {"none", "process", "power"};
static_assert(static_cast<std::size_t>(book::SelfTrade::decrement) + 1 == k_self_trades.size());
static_assert(static_cast<std::size_t>(book::SelfTradeScope::group) + 1 == k_scopes.size());

void describe_kind(ConfigKind kind, ConfigVisitor& visitor) {
  visitor.section("", "");
  auto value = static_cast<std::size_t>(kind);
  visitor.choice("kind", value, k_kinds, "what this file configures");
  if (value != static_cast<std::size_t>(kind))
    visitor.complain("kind", "this file configures a " + std::string(k_kinds[value]) + ", wanted is one for a " +
                                 std::string(k_kinds[static_cast<std::size_t>(kind)]));
}

/// `allow_remote` of the section decides whether other machines may reach its host.
void check_host(const std::string& host, bool allow_remote, std::string_view section, ConfigVisitor& visitor) {
  if (!net::is_host(host)) {
    visitor.complain("host", "\"" + host + "\" is not a numeric address or localhost");
  } else if (!allow_remote && !net::is_loopback(host)) {
    visitor.complain("host", "other machines can reach " + host + "; say " + std::string(section) +
                                 ".allow_remote = true when that is wanted, or use 127.0.0.1");
  }
}

void describe_listen(net::ListenConfig& listen, ConfigVisitor& visitor, std::string_view meaning) {
  visitor.section("listen", meaning);
  visitor.text("host", listen.host, 64, "numeric address, or localhost");
  visitor.integer("port", listen.port, 0, 65535, "0: any free port, which the start-up lines then name");
  visitor.flag("allow_remote", listen.allow_remote, "needed to listen on an address that other machines can reach");
  check_host(listen.host, listen.allow_remote, "listen", visitor);
}

void describe_admin(AdminConfig& admin, ConfigVisitor& visitor) {
  visitor.section("admin", "dojima admin, and the figures that Prometheus collects: docs/operations.md");
  visitor.text("host", admin.host, 64, "numeric address, or localhost");
  visitor.integer("port", admin.port, -1, 65535, "0: any free port, which the start-up lines then name; -1: none");
  visitor.flag("allow_remote", admin.allow_remote,
               "needed to listen on an address that other machines can reach, without encryption");
  visitor.text("token_file", admin.token_file, 4096,
               "who can read it may command; made where it is missing; empty: a new one for each run");
  check_host(admin.host, admin.allow_remote, "admin", visitor);
}

void describe_network(net::NetworkConfig& network, std::uint32_t& connections, ConfigVisitor& visitor) {
  visitor.section("network", "memory for connections, taken at start-up");
  visitor.integer("connections", connections, 1, 65'535, "at a time; more are refused");
  visitor.integer("input_bytes", network.input_bytes, 1024, 1 << 26, "kept per connection of what was not used yet");
  visitor.integer("output_bytes", network.output_bytes, 1024, 1 << 28, "kept per connection for a peer that is slow");
}

void describe_loop(net::IdlePolicy& idle, ConfigVisitor& visitor) {
  visitor.section("loop", "");
  auto value = static_cast<std::size_t>(idle);
  visitor.choice("idle", value, k_idle,
                 "when there is nothing to do: spin takes a whole core, block sleeps until a socket or timer is ready");
  idle = static_cast<net::IdlePolicy>(value);
}

/// A dialect of MIT203 by its name.
void describe_dialect(const mit::Dialect*& dialect, std::string_view meaning, ConfigVisitor& visitor) {
  const std::span<const mit::Dialect* const> all = mit::dialects();
  std::vector<std::string_view> names;
  for (const mit::Dialect* each : all) names.emplace_back(each->name);
  auto place = static_cast<std::size_t>(std::ranges::find(all, dialect) - all.begin());
  visitor.choice("dialect", place, names, meaning);
  dialect = all[place];
}

void describe_rules(book::BookRules& rules, ConfigVisitor& visitor) {
  visitor.section("rules", "of all books: how a price level is shared out, and what happens between one's own orders");
  describe_enum("policy", rules.policy, k_policies, "who at the best price trades first", visitor);
  describe_enum("self_trade", rules.self_trade, k_self_trades, "what happens where an order meets its own side",
                visitor);
  describe_enum("self_trade_by", rules.scope, k_scopes,
                "own is the same user, the same account of users, or the same user and group", visitor);
  visitor.integer("most_peaks", rules.most_peaks, 1, k_million,
                  "an iceberg's total is at most so many times its peak: it bounds the trades of one command");
  auto seed = static_cast<std::int64_t>(rules.seed);
  visitor.integer("seed", seed, 0, std::numeric_limits<std::int64_t>::max(), "of random peaks");
  rules.seed = static_cast<std::uint64_t>(seed);
}

void describe_time(std::string_view key, time::Duration& value, std::string_view meaning, ConfigVisitor& visitor) {
  std::string text = time_of_day_text(value);
  visitor.text(key, text, 12, meaning);
  if (const auto parsed = parse_time_of_day(text))
    value = *parsed;
  else
    visitor.complain(key, "\"" + text + "\" is not a time of day such as \"08:00:00\" or \"16:30:00.250\"");
}

void describe_duration(std::string_view key, time::Duration& value, std::string_view meaning, ConfigVisitor& visitor) {
  constexpr std::int64_t k_nanoseconds = 1'000'000;
  constexpr std::int64_t k_day_ms = 86'400'000;
  std::int64_t milliseconds = value.count() / k_nanoseconds;
  visitor.integer(key, milliseconds, 0, k_day_ms, meaning);
  value = time::Duration{milliseconds * k_nanoseconds};
}

/// A duration that is configured in whole `Unit`s.
template <class Unit>
void describe_whole(std::string_view key, time::Duration& value, std::int64_t lowest, std::int64_t highest,
                    std::string_view meaning, ConfigVisitor& visitor) {
  std::int64_t count = std::chrono::duration_cast<Unit>(value).count();
  visitor.integer(key, count, lowest, highest, meaning);
  value = Unit{count};
}

void describe_segment(venue::Segment& segment, ConfigVisitor& visitor) {
  constexpr std::int64_t k_whole_bp = 10'000;
  venue::Timetable& table = segment.timetable;
  visitor.text("name", segment.name, 4, "what instruments say as their segment");
  describe_time("start_of_day", table.start_of_day, "the day begins; nothing enters", visitor);
  describe_time("opening_call", table.opening_call, "orders collect for the opening auction", visitor);
  describe_time("opening", table.opening, "the earliest end of that call", visitor);
  describe_time("intraday_call", table.intraday_call, "of the intraday auction; 00:00:00: there is none", visitor);
  describe_time("intraday", table.intraday, "the earliest end of that call", visitor);
  describe_time("closing_call", table.closing_call, "orders collect for the closing auction", visitor);
  describe_time("closing", table.closing, "the earliest end of that call; then trades at the closing price", visitor);
  describe_time("cross_end", table.cross_end, "the end of trading at the closing price", visitor);
  describe_time("end_of_day", table.end_of_day, "day orders expire", visitor);
  describe_duration("random_end_ms", table.random_end, "a call ends up to so much later, drawn by [day] seed", visitor);
  describe_duration("extension_ms", table.extension,
                    "a call whose price lies outside the static band goes on for so long; 0: it does not", visitor);
  visitor.integer("extensions", table.extensions, 0, 100, "at most so often");
  describe_duration("halt_ms", table.halt, "nothing enters for so long after a price outside the static band", visitor);
  describe_duration("reopening_call_ms", table.reopening_call,
                    "the call after that, and after a price outside the dynamic band", visitor);
  visitor.integer("static_bp", segment.bands.static_bp, 0, k_whole_bp,
                  "basis points that a price may be from the last auction's; 0: any");
  visitor.integer("dynamic_bp", segment.bands.dynamic_bp, 0, k_whole_bp,
                  "basis points that a price may be from the last trade; 0: any");
  visitor.flag("halts_together", segment.halts_together, "what interrupts one instrument interrupts the segment");
  if (const char* wrong = complaint(segment)) visitor.complain("name", wrong);
}

void describe_instrument(simulate::InstrumentConfig& instrument, ConfigVisitor& visitor) {
  visitor.integer("id", instrument.id, 1, k_int32_max, "InstrumentID on the native wire");
  visitor.text("symbol", instrument.symbol, 24, "what people call it");
  visitor.integer("partition", instrument.partition, 1, 4, "matching partition (AppID)");
  visitor.text("segment", instrument.segment, 4, "for what is done with many instruments at once; empty: none");
  visitor.price("highest", instrument.highest, "highest price");
  visitor.price("reference", instrument.reference,
                "last close, a price on the tick table; where simulated flows start");
  visitor.integer("maximum_quantity", instrument.maximum_quantity.lots, 1, k_int32_max, "largest order");
  visitor.list("ticks", instrument.ticks,
               "bands of prices; a price is valid when it lies a whole number of ticks above"
               " the start of its band",
               [&](simulate::TickConfig& band) {
                 visitor.price("from", band.from, "first price of the band");
                 visitor.price("tick", band.tick, "distance of prices");
               });
  if (instrument.symbol.empty()) visitor.complain("symbol", "an instrument needs a symbol");
  const auto table = tick_table(instrument);
  if (!table) {
    visitor.complain("ticks",
                     "no tick table: bands must rise from price to price up to `highest`, each a whole number "
                     "of its ticks wide");
  } else if (!table->level_of(instrument.reference)) {
    visitor.complain("reference", "the reference price is not a price of the tick table");
  }
}

void describe_user(simulate::VenueUserConfig& user, ConfigVisitor& visitor) {
  visitor.text("name", user.name, 25, "UserName of its Logon");
  visitor.text("password", user.password, 25, "choose another one");
  visitor.text("account", user.account, 25, "users with the same one belong together; empty: alone");
  visitor.integer("throttle", user.throttle, 0, k_million, "messages per second; 0: session.throttle");
  visitor.integer("open_orders", user.open_orders, 1, 100 * k_million, "live orders per partition");
  visitor.integer("order_quantity", user.order_quantity, 1, k_int32_max, "largest order");
  visitor.flag("cancel_on_disconnect", user.cancel_on_disconnect, "for orders with AutoCancel, when the link is lost");
  visitor.flag("cancel_on_logout", user.cancel_on_logout, "... and after a logout");
  visitor.flag("first_password", user.first_password, "the first logon has to bring a new one (logon.new_passwords)");
  if (user.name.empty()) visitor.complain("name", "a user needs a name");
  if (user.password.empty()) visitor.complain("password", "a user needs a password");
}

void describe_client(gateway::ClientConfig& client, const GatewayConfig& config, ConfigVisitor& visitor) {
  visitor.text("comp_id", client.comp_id, 32, "its SenderCompID (49)");
  describe_client_session(client, config, visitor);
  visitor.text("password", client.password, 32,
               "Password (554) of its Logon, until it chooses another (with [journal] directory); empty: any");
  auto version = static_cast<std::size_t>(client.version);
  visitor.choice("version", version, k_client_versions, "of FIX that it speaks");
  client.version = static_cast<gateway::FixVersion>(version);
  visitor.flag("venue_fields", client.has_venue_fields,
               "its reports carry the venue's own fields and values, see docs/gateway.md");
  visitor.text("venue_user", client.venue_user, 25, "the venue's user that it trades as");
  visitor.text("venue_password", client.venue_password, 25, "");
  visitor.text("venue_new_password", client.venue_new_password, 25,
               "the venue is asked to take it: the password from the next logon on; empty: none");
  visitor.integer("executing_trader", client.defaults.executing_trader, 3, k_uint32_max,
                  "who executes: 3 the client itself, from 4 a short code, which needs its role qualifier");
  visitor.integer("client_id", client.defaults.client, 0, k_uint32_max,
                  "ClientID: 0 none, 1 aggregated, 2 pending allocation, from 4 a short code");
  visitor.integer("decision_maker", client.defaults.decision_maker, 0, k_uint32_max, "0 none, from 4 a short code");
  visitor.integer("role_qualifiers", client.defaults.role_qualifiers, 0, 63,
                  "three 2-bit groups, as PartyRoleQualifiers");
  visitor.integer("clearing_account", client.defaults.clearing_account, 1, 3, "1 client, 3 house");
  visitor.integer("mifid_flags", client.defaults.mifid_flags, 0, 7,
                  "1 direct access, 2 liquidity provision, 4 algorithm, added");
  auto capacity = static_cast<std::uint8_t>(client.defaults.capacity);
  visitor.integer("capacity", capacity, 1, 3, "1 matched principal, 2 own account, 3 any other");
  client.defaults.capacity = static_cast<market::Capacity>(capacity);
  visitor.text("account", client.defaults.account, 10, "");
  visitor.text("trader", client.defaults.trader, 11, "TraderID");
  visitor.flag("auto_cancel", client.defaults.auto_cancel, "its orders end when the gateway loses the venue");
  visitor.flag("named", client.defaults.is_named, "show who it is before the trade");
  describe_client_limits(client, config, visitor);
  if (client.defaults.clearing_account == 2)
    visitor.complain("clearing_account", "2 is no clearing account: 1 client, 3 house");
  if (client.comp_id.empty()) visitor.complain("comp_id", "a client needs a CompID");
  if (client.venue_user.empty()) visitor.complain("venue_user", "a client needs a user of the venue");
  if (client.venue_password.empty()) visitor.complain("venue_password", "a client needs its venue password");
}

/// Complains about the rows of a list that repeat an earlier one's key.
template <class Row, class Key>
void check_unique(const std::vector<Row>& rows, Key Row::* key, std::string_view list, std::string_view name,
                  ConfigVisitor& visitor) {
  std::set<Key> seen;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!seen.insert(rows[row].*key).second)
      visitor.complain(std::string(list) + "." + std::to_string(row) + "." + std::string(name),
                       "an earlier row of the list has the same " + std::string(name));
  }
}

/// Once there are timetables, a segment without one, or one without instruments, is a slip of the pen.
void check_segments(const VenueConfig& config, ConfigVisitor& visitor) {
  check_unique(config.segments, &venue::Segment::name, "segment", "name", visitor);
  for (std::size_t row = 0; row < config.segments.size(); ++row)
    if (std::none_of(config.instruments.begin(), config.instruments.end(),
                     [&](const simulate::InstrumentConfig& each) { return each.segment == config.segments[row].name; }))
      visitor.complain("segment." + std::to_string(row) + ".name", "no [[instrument]] is of this segment");
  for (std::size_t row = 0; row < config.instruments.size() && !config.segments.empty(); ++row) {
    const std::string& name = config.instruments[row].segment;
    if (!name.empty() && std::none_of(config.segments.begin(), config.segments.end(),
                                      [&](const venue::Segment& each) { return each.name == name; }))
      visitor.complain("instrument." + std::to_string(row) + ".segment", "there is no [[segment]] of this name");
  }
}

void describe_journal(VenueConfig& config, ConfigVisitor& visitor) {
  simulate::JournalConfig& journal = config.journal;
  visitor.section("journal", "what survives the venue's end: docs/journal.md, docs/operations.md");
  visitor.text("directory", journal.directory, 4096,
               "every command is written there before it has any effect; empty: nothing survives");
  describe_enum("durability", journal.durability, k_durabilities,
                "what answers wait for: nothing, what a killed process cannot take back, or the disk", visitor);
  visitor.integer("segment_megabytes", journal.segment_megabytes, 1, 2048, "size of its files");
  visitor.integer("spare_segments", journal.spare_segments, 1, 8,
                  "files made ahead; the last is kept for cancels, ends of sessions and phases");
  visitor.integer("snapshot_every", journal.snapshot_every, 0, k_million * 1000,
                  "commands between snapshots of the state, by a thread that follows; 0: none");
  visitor.integer("snapshots", journal.snapshots, 1, 1000,
                  "good ones that are kept, with the commands behind the oldest");
  visitor.integer("snapshot_days", journal.snapshot_days, 0, 36'500,
                  "snapshots younger than so many days are kept as well; 0: only their number counts");
  visitor.integer("checkpoint_every", journal.checkpoint_every, 0, k_million * 1000,
                  "commands between records that a replay is compared with; 0: none");
  visitor.integer("clock_tolerance_s", journal.clock_tolerance_s, 0, 86'400,
                  "a start whose clock is further behind the last command is refused");
  visitor.flag("cut_holes", journal.cut_holes,
               "with durability process: go on where a loss of power has left a hole, and lose what is behind it");
  visitor.flag("keep", config.keep_journal,
               "without a directory: keep every command in memory; when it is full, commands are refused");
  visitor.integer("megabytes", config.journal_megabytes, 1, 1 << 16, "per partition, when kept in memory");
}

void describe_logon(VenueConfig& config, ConfigVisitor& visitor) {
  venue::LogonRules& rules = config.logon;
  visitor.section("logon", "passwords, locked users and repeated logons: docs/venue.md");
  visitor.flag("new_passwords", rules.takes_new_passwords, "users may choose a password with their Logon");
  visitor.text("password_file", config.password_file, 4096,
               "where those are kept; empty: the next start has those of the configuration");
  visitor.integer("password_days", rules.password_days, 0, 36'500, "that a password is good for; 0: for ever");
  visitor.integer("failures", rules.failures, 0, 1000, "wrong passwords in a row that lock a user; 0: none do");
  describe_whole<std::chrono::milliseconds>("delay_ms", rules.delay, 0, 60'000,
                                            "of the second logon of a user in a row, doubled with each more; 0: none",
                                            visitor);
  describe_whole<std::chrono::milliseconds>("longest_delay_ms", rules.longest_delay, 1, 600'000, "", visitor);
  describe_whole<std::chrono::seconds>("quiet_s", rules.quiet, 1, 86'400,
                                       "without a logon of the user until the next is a first one again", visitor);
}

void check_venue(const VenueConfig& config, ConfigVisitor& visitor) {
  if (config.instruments.empty()) visitor.complain("instrument", "a venue needs an [[instrument]]");
  if (config.users.empty()) visitor.complain("user", "a venue needs a [[user]]");
  if (config.maximum_lag > config.reports / 2)
    visitor.complain("limits.maximum_lag", "maximum_lag must be at most half of reports");
  const bool has_accounts =
      std::any_of(config.users.begin(), config.users.end(), [](const auto& user) { return !user.account.empty(); });
  if (config.rules.self_trade != book::SelfTrade::allowed && config.rules.scope == book::SelfTradeScope::account &&
      !has_accounts)
    visitor.complain("rules.self_trade_by", "no [[user]] has an account; give those that belong together the same one");
  const bool has_first = std::any_of(config.users.begin(), config.users.end(),
                                     [](const simulate::VenueUserConfig& user) { return user.first_password; });
  if (!config.logon.takes_new_passwords && (has_first || config.logon.password_days != 0))
    visitor.complain("logon.new_passwords", "passwords that have to be changed need logon.new_passwords = true");
  check_segments(config, visitor);
  check_unique(config.instruments, &simulate::InstrumentConfig::id, "instrument", "id", visitor);
  check_unique(config.instruments, &simulate::InstrumentConfig::symbol, "instrument", "symbol", visitor);
  check_unique(config.users, &simulate::VenueUserConfig::name, "user", "name", visitor);
}

void describe_journal(GatewayConfig& config, ConfigVisitor& visitor) {
  GatewayJournalConfig& journal = config.journal;
  visitor.section("journal", "orders and FIX sessions that survive the gateway's end: docs/gateway.md");
  visitor.text("directory", journal.directory, 4096, "where they are written; empty: they are in memory");
  describe_enum("durability", journal.durability, k_durabilities,
                "what requests and answers wait for: nothing, what a killed process cannot take back, or the disk",
                visitor);
  visitor.integer("segment_megabytes", journal.segment_megabytes, 1, 2048, "size of its files");
  visitor.integer("spare_segments", journal.spare_segments, 1, 8,
                  "files made ahead; the last is kept for reports, logouts and numbers");
  visitor.integer("megabytes", journal.megabytes, 1, 1 << 22,
                  "of all files; the oldest messages go first. At least five files and spare_segments more");
  visitor.integer("messages", journal.messages, 64, 1 << 28, "kept of all sessions together; 16 bytes of memory each");
  visitor.flag("cut_holes", journal.cut_holes,
               "with durability process: go on where a loss of power has left a hole, and lose what is behind it");
  const std::uint64_t state = 2 * gateway::SavedState::bytes_most(config.gateway);
  const std::uint64_t segment = std::uint64_t{journal.segment_megabytes} << 20U;
  const std::uint64_t files_least = 5 + (state + segment - 1) / segment;
  if (journal.megabytes / journal.segment_megabytes < journal.spare_segments + files_least)
    visitor.complain("megabytes", "megabytes must be at least segment_megabytes * (spare_segments + " +
                                      std::to_string(files_least) + "), as large as the limits are");
}

void describe_message_log(MessageLogConfig& log, ConfigVisitor& visitor) {
  visitor.section("message_log", "every FIX message in and out, and what happens to the sessions: docs/fix.md");
  visitor.text("file", log.file, 4096, "dojima fix print shows it, --follow while it is written; empty: none");
  visitor.integer("megabytes", log.megabytes, 1, 1 << 20, "until it becomes FILE.1 and another one is begun");
  visitor.integer("files", log.files, 1, 1000, "kept, the one in use too");
}

void check_gateway(const GatewayConfig& whole, ConfigVisitor& visitor) {
  const gateway::GatewayConfig& config = whole.gateway;
  std::size_t largest = config.fix.session.max_body;
  for (const gateway::SessionTemplate& each : config.templates) largest = std::max(largest, each.session.max_body);
  constexpr std::size_t k_around_body = 32;
  if (largest + k_around_body > whole.network.input_bytes)
    visitor.complain("network.input_bytes", "input_bytes must be at least the largest max_body and " +
                                                std::to_string(k_around_body) + " more");
  if (config.clients.empty()) visitor.complain("client", "a gateway needs a [[client]]");
  if (config.symbols.empty()) visitor.complain("symbol", "a gateway needs a [[symbol]]");
  if (config.limits.requests / 2 < config.limits.orders)
    visitor.complain("limits.requests", "requests must be at least twice orders");
  check_unique(config.templates, &gateway::SessionTemplate::name, "template", "name", visitor);
  check_unique(config.clients, &gateway::ClientConfig::comp_id, "client", "comp_id", visitor);
  check_unique(config.clients, &gateway::ClientConfig::venue_user, "client", "venue_user", visitor);
  check_unique(config.symbols, &gateway::SymbolConfig::symbol, "symbol", "symbol", visitor);
  check_unique(config.symbols, &gateway::SymbolConfig::instrument, "symbol", "instrument", visitor);
}

}  // namespace

void describe(VenueConfig& config, ConfigVisitor& visitor) {
  describe_kind(ConfigKind::venue, visitor);
  describe_listen(config.listen, visitor, "where MIT203 real-time sessions are taken");
  describe_network(config.network, config.connections, visitor);
  visitor.section("secondary", "the venue's secondary gateway, for members that do not reach [listen]");
  visitor.integer("port", config.secondary_port, -1, 65535, "on the host of [listen]; 0: any free port, -1: none");
  visitor.section("recovery",
                  "the recovery channel of MIT203: members ask for reports that they missed, see docs/mit.md");
  visitor.integer("port", config.recovery_port, -1, 65535, "on the host of [listen]; 0: any free port, -1: none");
  visitor.integer("connections", config.recovery.connections, 1, 65'535, "at a time; more are refused");
  visitor.integer("requests", config.recovery.requests, 1, k_million, "of a user in one real-time session");
  visitor.integer("messages", config.recovery.messages, 1, 1 << 30, "sent for one request; the member asks on");
  visitor.section("session", "");
  visitor.integer("heartbeat_ms", config.heartbeat_ms, 100, 60'000,
                  "both sides; a connection that does not log on goes after two, a silent one after five");
  describe_dialect(config.dialect, "of MIT203: LSE-21.2, BIT-9.4 or LSE-11.8.5; gateways must have the same", visitor);
  visitor.integer("throttle", config.throttle, 0, k_million,
                  "messages per second of a connection or user without a limit of its own; 0: no limit");
  describe_logon(config, visitor);
  visitor.section("limits", "memory of each partition, taken at start-up; what is used up is refused");
  visitor.integer("orders", config.orders, 1, 1 << 26, "live orders");
  visitor.integer("levels", config.levels, 1, 1 << 24, "occupied price levels per side of an instrument");
  visitor.integer("reports", config.reports, 1024, 1 << 26, "kept for users who read slowly");
  visitor.integer("maximum_lag", config.maximum_lag, 1, 1 << 25,
                  "reports a session may be behind before it is ended; at most half of `reports`");
  visitor.integer(
      "trades", config.trades, 0, 1 << 26,
      "the newest ones that the operator can still bust, 112 bytes each; between trading days it can change");
  describe_rules(config.rules, visitor);
  visitor.section("reports", "");
  visitor.flag("full", config.full_reports,
               "owners hear of parked and restated orders too (ExecTypes 9 and D); between trading days it can change");
  visitor.section("day", "trading days; they begin where there is a [[segment]] with a timetable");
  auto day_seed = static_cast<std::int64_t>(config.day_seed);
  visitor.integer("seed", day_seed, 0, std::numeric_limits<std::int64_t>::max(), "of the random ends of calls");
  config.day_seed = static_cast<std::uint64_t>(day_seed);
  visitor.integer("utc_offset_minutes", config.utc_offset_minutes, -14 * 60, 14 * 60,
                  "of the venue's midnight: 60 is an hour before UTC's");
  visitor.section("feed", "market data: units of MIT303, see docs/mitch.md");
  visitor.text("file", config.feed_file, 4096, "where they are written, one after the other; empty: nowhere");
  describe_journal(config, visitor);
  describe_loop(config.idle, visitor);
  visitor.section("", "");
  visitor.list("segment", config.segments, "timetables and price bands of instruments: docs/trading-day.md",
               [&](venue::Segment& row) { describe_segment(row, visitor); });
  visitor.list("instrument", config.instruments, "what is traded",
               [&](simulate::InstrumentConfig& row) { describe_instrument(row, visitor); });
  visitor.list("user", config.users, "who may log on",
               [&](simulate::VenueUserConfig& row) { describe_user(row, visitor); });
  check_venue(config, visitor);
}

void describe(GatewayConfig& config, ConfigVisitor& visitor) {
  describe_kind(ConfigKind::gateway, visitor);
  describe_listen(config.listen, visitor, "where FIX sessions are taken");
  describe_network(config.network, config.connections, visitor);
  gateway::GatewayConfig& gateway = config.gateway;
  visitor.section("fix", "FIX sessions of clients: docs/fix.md");
  visitor.text("comp_id", gateway.comp_id, 32, "ours: what clients send as TargetCompID (56)");
  visitor.integer("store_messages", gateway.limits.store_messages, 16, 1 << 24, "kept per client for resends");
  std::size_t megabytes = gateway.limits.store_bytes >> 20U;
  visitor.integer("store_megabytes", megabytes, 1, 4096, "kept per client for resends");
  gateway.limits.store_bytes = megabytes << 20U;
  std::int64_t probe_ms = gateway.probe_timeout.count();
  visitor.integer("probe_timeout_ms", probe_ms, 1, 600'000,
                  "a client that connects again: so long its old connection has to show that it is alive");
  gateway.probe_timeout = std::chrono::milliseconds{probe_ms};
  describe_fix_session(gateway.fix.session, config.fix, visitor);
  visitor.section("venue", "where orders go");
  visitor.text("host", config.venue_host, 64, "numeric address, or localhost");
  visitor.integer("port", config.venue_port, 1, 65535, "");
  visitor.integer("recovery_port", config.venue_recovery_port, -1, 65535,
                  "its recovery channel, for what was missed; -1: there is none, and what was missed is lost");
  describe_whole<std::chrono::milliseconds>("heartbeat_ms", gateway.venue_heartbeat, 100, 60'000, "as the venue has it",
                                            visitor);
  describe_dialect(gateway.dialect, "of MIT203 that the venue speaks", visitor);
  describe_whole<std::chrono::milliseconds>("reconnect_ms", gateway.reconnect, 10, 600'000,
                                            "until a lost connection is tried again", visitor);
  if (!net::is_host(config.venue_host))
    visitor.complain("host", "\"" + config.venue_host + "\" is not a numeric address or localhost");
  visitor.section("secondary", "the venue's secondary gateway, after three attempts on [venue] in vain");
  visitor.text("host", config.secondary_host, 64, "numeric address, or localhost");
  visitor.integer("port", config.secondary_port, -1, 65535, "-1: there is none");
  visitor.integer("recovery_port", config.secondary_recovery_port, -1, 65535,
                  "its recovery channel; -1: there is none");
  if (!net::is_host(config.secondary_host))
    visitor.complain("host", "\"" + config.secondary_host + "\" is not a numeric address or localhost");
  visitor.section("limits", "memory taken at start-up; what is used up is refused");
  visitor.integer("orders", gateway.limits.orders, 1, 1 << 26,
                  "orders of all clients: live ones, and closed ones still known");
  visitor.integer("requests", gateway.limits.requests, 2, 1 << 27, "requests still known; at least twice `orders`");
  visitor.integer("remembered_ids", gateway.limits.remembered_ids, 1, 1 << 27, "ClOrdIDs recognised as duplicates");
  visitor.integer("held_reports", gateway.limits.held_reports, 1, 1 << 24, "that wait while others are recovered");
  visitor.integer("pending_links", gateway.limits.pending_links, 1, 65'535, "connections that have not logged on yet");
  visitor.integer("waiting_requests", gateway.limits.waiting_requests, 1, 1 << 20,
                  "of all clients, that wait for their client's max_rate");
  visitor.integer("recent_orders", gateway.limits.recent_orders, 1, 1 << 24,
                  "of clients with duplicate_ms; the oldest is forgotten");
  describe_tls(config.tls, visitor);
  describe_journal(config, visitor);
  describe_message_log(config.message_log, visitor);
  describe_admin(config.admin, visitor);
  describe_loop(config.idle, visitor);
  visitor.section("", "");
  describe_templates(config, visitor);
  visitor.list("symbol", gateway.symbols, "Symbol (55) to the venue's instrument", [&](gateway::SymbolConfig& row) {
    visitor.text("symbol", row.symbol, 24, "");
    visitor.integer("instrument", row.instrument, 1, k_int32_max, "");
    visitor.price("reference", row.reference, "for limits of clients, until the first trade; \"0\": none");
    if (row.reference.units < 0) visitor.complain("reference", "a reference price is above 0, or 0 for none");
    if (row.symbol.empty()) visitor.complain("symbol", "a row of the symbol table needs a symbol");
  });
  visitor.list("client", gateway.clients, "who may log on",
               [&](gateway::ClientConfig& row) { describe_client(row, config, visitor); });
  describe_drop_copies(config, visitor);
  check_gateway(config, visitor);
}

std::optional<time::Duration> parse_time_of_day(std::string_view text) {
  // HH:MM:SS, then a point and one to three decimals.
  const bool has_shape = text.size() >= 8 && text.size() <= 12 && text.size() != 9 && text[2] == ':' &&
                         text[5] == ':' && (text.size() == 8 || text[8] == '.');
  if (!has_shape) return std::nullopt;
  std::array<std::int64_t, 4> parts{};
  constexpr std::array<std::int64_t, 4> k_most = {24, 59, 59, 999};
  std::int64_t scale = 100;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at == 2 || at == 5 || at == 8) continue;
    if (text[at] < '0' || text[at] > '9') return std::nullopt;
    const std::int64_t digit = text[at] - '0';
    if (at < 8) {
      parts[at / 3] = parts[at / 3] * 10 + digit;
    } else {
      parts[3] += digit * scale;
      scale /= 10;
    }
  }
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (parts[part] > k_most[part]) return std::nullopt;
  const auto time = std::chrono::hours{parts[0]} + std::chrono::minutes{parts[1]} + std::chrono::seconds{parts[2]} +
                    std::chrono::milliseconds{parts[3]};
  if (time > std::chrono::hours{24}) return std::nullopt;
  return time;
}

std::string time_of_day_text(time::Duration since_midnight) {
  const std::int64_t milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since_midnight).count();
  const auto two = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  std::string text =
      two(milliseconds / 3'600'000) + ":" + two(milliseconds / 60'000 % 60) + ":" + two(milliseconds / 1000 % 60);
  if (milliseconds % 1000 != 0) text += "." + std::to_string(1000 + milliseconds % 1000).substr(1);
  return text;
}

venue::Segment example_segment() {
  using namespace std::chrono_literals;
  return {.name = "RICE",
          .timetable = {.start_of_day = 7h,
                        .opening_call = 7h + 50min,
                        .opening = 8h,
                        .intraday_call = 12h,
                        .intraday = 12h + 2min,
                        .closing_call = 16h + 30min,
                        .closing = 16h + 35min,
                        .cross_end = 16h + 40min,
                        .end_of_day = 17h + 15min,
                        .random_end = 30s,
                        .extension = 5min,
                        .extensions = 1,
                        .halt = 5min,
                        .reopening_call = 5min},
          .bands = {.static_bp = 1000, .dynamic_bp = 500}};
}

VenueConfig default_venue() {
  VenueConfig config;
  const std::int64_t hundred = 100 * market::k_price_scale;
  const std::int64_t cent = market::k_price_scale / 100;
  const std::pair<const char*, std::int64_t> symbols[] = {
      {"KAGA", hundred}, {"CHIKUZEN", 2 * hundred}, {"HIGO", 5 * hundred}, {"CHUGOKU", hundred / 2}};
  for (const auto& [symbol, reference] : symbols) {
    config.instruments.push_back({.id = static_cast<std::uint32_t>(1001 + config.instruments.size()),
                                  .symbol = symbol,
                                  .partition = 1,
                                  .ticks = {{{cent}, {cent}}},
                                  .highest = {20 * hundred},
                                  .reference = {reference},
                                  .maximum_quantity = {k_million}});
  }
  for (const char* user : {"KONOIKE", "YODOYA"}) config.users.push_back({.name = user, .password = "rice-1730"});
  return config;
}

GatewayConfig default_gateway() {
  GatewayConfig config;
  for (const simulate::InstrumentConfig& instrument : default_venue().instruments)
    config.gateway.symbols.push_back({instrument.symbol, instrument.id, instrument.reference});
  for (const simulate::VenueUserConfig& user : default_venue().users)
    config.gateway.clients.push_back({.comp_id = user.name, .venue_user = user.name, .venue_password = user.password});
  return config;
}

}  // namespace dojima::app
