// The keys of a gateway's configuration.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "dojima/app/configuration/config_schema.hpp"
#include "dojima/app/configuration/drop_copy_schema.hpp"
#include "dojima/app/configuration/fix_schema.hpp"
#include "dojima/app/configuration/instrument_rows.hpp"
#include "dojima/app/configuration/limits_schema.hpp"
#include "dojima/app/configuration/password_schema.hpp"
#include "dojima/app/configuration/shared_schema.hpp"
#include "dojima/app/configuration/venues_schema.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

constexpr std::array<std::string_view, 2> k_venue_refusals = {"reports", "rejects"};
static_assert(static_cast<std::size_t>(gateway::VenueRefusals::rejects) + 1 == k_venue_refusals.size());

/// Where it logs on as.
void describe_venue_user(gateway::ClientConfig& client, SecretFiles& files, ConfigVisitor& visitor) {
  visitor.text("venue_user", client.venue_user, 25,
               "the venue's user that it trades as; several clients may name the same");
  if (!describe_password("venue_password", client.venue_password, 25, {.file = true}, files, "", visitor) &&
      !client.venue_user.empty())
    visitor.complain("venue_password", "a client needs its venue password, or a venue_password_file");
  static_cast<void>(describe_password("venue_new_password", client.venue_new_password, 25, {.file = true}, files,
                                      "the venue is asked to take it: the password from the next logon on; empty: none",
                                      visitor));
}

/// What the gateway would not start with.
void check_parties(const gateway::ClientConfig& client, ConfigVisitor& visitor) {
  const gateway::OrderDefaults& defaults = client.defaults;
  const std::string who = "client " + client.comp_id + ": ";
  struct Party {
    const char* key;
    std::uint32_t id;
    std::uint32_t least;  // numbers from here on, below 4, are none
    unsigned qualifier;   // added to role_qualifiers
  };
  constexpr std::uint32_t k_short_codes = 4;
  for (const Party& party :
       {Party{"client_id", defaults.client, 3, 1}, Party{"decision_maker", defaults.decision_maker, 1, 4},
        Party{"executing_trader", defaults.executing_trader, k_short_codes, 16}}) {
    const std::string id = std::to_string(party.id);
    if (party.id >= party.least && party.id < k_short_codes)
      visitor.complain(party.key, who + id + " is neither one of the fixed numbers nor a short code");
    if (party.id >= k_short_codes && (defaults.role_qualifiers & party.qualifier * 3U) == 0)
      visitor.complain(party.key, who + "short code " + id + " needs its qualifier: add " +
                                      std::to_string(party.qualifier) + ", " + std::to_string(party.qualifier * 2) +
                                      " or " + std::to_string(party.qualifier * 3) + " to role_qualifiers");
  }
}

void describe_client(gateway::ClientConfig& client, GatewayConfig& config, ConfigVisitor& visitor) {
  visitor.text("comp_id", client.comp_id, 32, "its SenderCompID (49)");
  describe_client_session(client, config, visitor);
  static_cast<void>(describe_password(
      "password", client.password, 32, {.file = true}, config.password_files,
      "Password (554) of its Logon, until it chooses another (with [journal] directory); empty: any", visitor));
  auto version = static_cast<std::size_t>(client.version);
  visitor.choice("version", version, k_client_versions, "of FIX that it speaks");
  client.version = static_cast<gateway::FixVersion>(version);
  visitor.flag("venue_fields", client.has_venue_fields,
               "its reports carry the venue's own fields and values, see docs/gateway.md");
  describe_enum("venue_refusals", client.venue_refusals, k_venue_refusals,
                "what the venue's Reject and BusinessReject become: reports on the order, or FIX's own 3 and j",
                visitor);
  describe_venue_user(client, config.password_files, visitor);
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
  visitor.integer("chain", client.chain, 0, 1000,
                  "cancels and replaces that may wait for the answer to the one before them; 0: a second is refused");
  if (client.defaults.clearing_account == 2)
    visitor.complain("clearing_account", "2 is no clearing account: 1 client, 3 house");
  if (client.comp_id.empty()) visitor.complain("comp_id", "a client needs a CompID");
  check_parties(client, visitor);
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

void describe_standby(StandbyConfig& standby, ConfigVisitor& visitor) {
  visitor.section("standby", "dojima gateway --follow, until it takes over: docs/operations.md");
  visitor.integer("admin_port", standby.admin_port, -1, 65535,
                  "as [admin] port, which the other gateway has; 0: any free port; -1: none");
  describe_whole<std::chrono::milliseconds>(
      "poll_ms", standby.poll, 1, 1000, "how often it looks for records, and whether the other one is gone", visitor);
}

/// What a file of the venue's has of its instruments, behind those of the configuration.
void add_symbol_file(GatewayConfig& config, ConfigVisitor& visitor) {
  if (config.instrument_file.empty() || !visitor.reads_files()) return;
  const auto text = read_text_file(config.instrument_file);
  if (!text) return visitor.complain("reference.instruments", text.error());
  InstrumentRows read = parse_instruments(*text, config.instrument_file);
  for (const std::string& problem : read.problems) visitor.complain("reference.instruments", problem);
  for (simulate::InstrumentConfig& row : read.instruments)
    config.gateway.symbols.push_back({.symbol = std::move(row.symbol),
                                      .instrument = row.id,
                                      .reference = row.reference,
                                      .name = std::move(row.name),
                                      .isin = std::move(row.isin),
                                      .sedol = std::move(row.sedol),
                                      .currency = std::move(row.currency),
                                      .lot = row.lot,
                                      .file_line = row.file_line});
}

void describe_symbol(gateway::SymbolConfig& row, ConfigVisitor& visitor) {
  visitor.text("symbol", row.symbol, 24, "");
  visitor.integer("instrument", row.instrument, 1, k_int32_max, "");
  visitor.text("venue", row.venue, 32, "name of the venue where it is traded; empty: [venue]");
  visitor.price("reference", row.reference, "for limits of clients, until the first trade; \"0\": none");
  visitor.text("name", row.name, 60, "of what is traded; with the next four, for SecurityList");
  visitor.text("isin", row.isin, 12, "of ISO 6166");
  visitor.text("sedol", row.sedol, 7, "of the London Stock Exchange");
  visitor.text("currency", row.currency, 3, "of its prices, of ISO 4217: \"JPY\"");
  visitor.integer("lot", row.lot, 1, k_int32_max, "units in a lot; quantities are in lots");
  if (row.reference.units < 0) visitor.complain("reference", "a reference price is above 0, or 0 for none");
  if (row.symbol.empty()) visitor.complain("symbol", "a row of the symbol table needs a symbol");
  const simulate::InstrumentConfig data{.isin = row.isin, .sedol = row.sedol, .currency = row.currency};
  for (const auto& [key, what] : complaints_of(data)) visitor.complain(key, what);
}

void describe_fix_side(GatewayConfig& config, ConfigVisitor& visitor) {
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
}

void describe_venue_side(GatewayConfig& config, ConfigVisitor& visitor) {
  gateway::GatewayConfig& gateway = config.gateway;
  visitor.section("venue", "where orders go, unless their symbol names another venue");
  visitor.text("name", gateway.venue_name, 32, "by which [[symbol]] and [[user]] may name it");
  visitor.text("host", config.venue_host, 64, "numeric address, or localhost");
  visitor.integer("port", config.venue_port, 1, 65535, "");
  visitor.integer("recovery_port", config.venue_recovery_port, -1, 65535,
                  "its recovery channel, for what was missed; -1: there is none, and what was missed is lost");
  describe_whole<std::chrono::milliseconds>("heartbeat_ms", gateway.venue_heartbeat, 100, 60'000, "as the venue has it",
                                            visitor);
  describe_dialect(gateway.dialect, "of MIT203 that the venue speaks", visitor);
  describe_whole<std::chrono::milliseconds>("reconnect_ms", gateway.reconnect, 10, 600'000,
                                            "until a lost connection is tried again", visitor);
  visitor.integer(
      "shared_cancel_rate", gateway.shared_cancel_rate, 0, 1'000'000,
      "cancels a second for each user that clients share, whose orders are cancelled one by one; 0: no limit");
  if (!net::is_host(config.venue_host))
    visitor.complain("host", "\"" + config.venue_host + "\" is not a numeric address or localhost");
}

void describe_secondary(GatewayConfig& config, ConfigVisitor& visitor) {
  visitor.section("secondary", "the venue's secondary gateway, after three attempts on [venue] in vain");
  visitor.text("host", config.secondary_host, 64, "numeric address, or localhost");
  visitor.integer("port", config.secondary_port, -1, 65535, "-1: there is none");
  visitor.integer("recovery_port", config.secondary_recovery_port, -1, 65535,
                  "its recovery channel; -1: there is none");
  if (config.secondary_port < 0 && config.secondary_recovery_port >= 0)
    visitor.complain("recovery_port", "a secondary gateway with a recovery channel needs its port");
  if (!net::is_host(config.secondary_host))
    visitor.complain("host", "\"" + config.secondary_host + "\" is not a numeric address or localhost");
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
  if (config.symbols.empty()) visitor.complain("symbol", "a gateway needs a [[symbol]], or reference.instruments");
  if (config.limits.requests / 2 < config.limits.orders)
    visitor.complain("limits.requests", "requests must be at least twice orders");
  check_unique(config.templates, &gateway::SessionTemplate::name, "template", "name", visitor);
  check_unique(config.clients, &gateway::ClientConfig::comp_id, "client", "comp_id", visitor);
  check_venues(whole, visitor);
  check_unique_with_file(config.symbols, &gateway::SymbolConfig::symbol, "symbol", "symbol", whole.instrument_file,
                         "symbol", visitor);
  check_unique_with_file(config.symbols, &gateway::SymbolConfig::instrument, "symbol", "instrument",
                         whole.instrument_file, "id", visitor);
}

}  // namespace

void describe(GatewayConfig& config, ConfigVisitor& visitor) {
  describe_kind(ConfigKind::gateway, visitor);
  describe_listen(config.listen, visitor, "where FIX sessions are taken");
  describe_network(config.network, config.connections, visitor);
  describe_fix_side(config, visitor);
  describe_venue_side(config, visitor);
  describe_secondary(config, visitor);
  gateway::GatewayConfig& gateway = config.gateway;
  visitor.section("limits", "memory taken at start-up; what is used up is refused");
  visitor.integer("orders", gateway.limits.orders, 1, 1 << 26,
                  "orders of all clients: live ones, and closed ones still known");
  visitor.integer("requests", gateway.limits.requests, 2, 1 << 27, "requests still known; at least twice `orders`");
  visitor.integer("remembered_ids", gateway.limits.remembered_ids, 1, 1 << 27, "ClOrdIDs recognised as duplicates");
  visitor.integer("held_reports", gateway.limits.held_reports, 1, 1 << 24, "that wait while others are recovered");
  visitor.integer("in_flight", gateway.limits.in_flight, 1, 1 << 24,
                  "requests of a venue user without an answer; at so many its clients are not read");
  visitor.integer("pending_links", gateway.limits.pending_links, 1, 65'535, "connections that have not logged on yet");
  visitor.integer("waiting_requests", gateway.limits.waiting_requests, 1, 1 << 20,
                  "of all clients, that wait for their client's max_rate");
  visitor.integer("recent_orders", gateway.limits.recent_orders, 1, 1 << 24,
                  "of clients with duplicate_ms; the oldest is forgotten");
  describe_tls(config.tls, visitor);
  describe_journal(config, visitor);
  describe_message_log(config.message_log, visitor);
  visitor.section("reference", "instruments of [venue] in a file, besides those of [[symbol]]: docs/reference-data.md");
  visitor.text("instruments", config.instrument_file, 4096, "as the venue has it; empty: there is none");
  describe_admin(config.admin, visitor);
  describe_dashboard(config.dashboard, visitor);
  describe_standby(config.standby, visitor);
  describe_loop(config.idle, config.loop, visitor);
  visitor.section("", "");
  describe_templates(config, visitor);
  // What a file has is not part of the configuration that is printed.
  std::erase_if(gateway.symbols, [](const gateway::SymbolConfig& row) { return row.file_line != 0; });
  visitor.list("symbol", gateway.symbols, "Symbol (55) to the venue's instrument",
               [&](gateway::SymbolConfig& row) { describe_symbol(row, visitor); });
  add_symbol_file(config, visitor);
  visitor.list("client", gateway.clients, "who may log on",
               [&](gateway::ClientConfig& row) { describe_client(row, config, visitor); });
  describe_other_venues(config, visitor);
  describe_venue_users(config, visitor);
  describe_drop_copies(config, visitor);
  describe_operators(config.admin, visitor);
  check_gateway(config, visitor);
}

}  // namespace dojima::app
