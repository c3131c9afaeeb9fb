// The keys of a venue's configuration.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "dojima/app/configuration/config_schema.hpp"
#include "dojima/app/configuration/copy_schema.hpp"
#include "dojima/app/configuration/feed_schema.hpp"
#include "dojima/app/configuration/instrument_rows.hpp"
#include "dojima/app/configuration/market_schema.hpp"
#include "dojima/app/configuration/password_schema.hpp"
#include "dojima/app/configuration/shared_schema.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/venue/limit_keys.hpp"
#include "dojima/venue/settings.hpp"

namespace dojima::app {
namespace {

constexpr std::array<std::string_view, 4> k_policies = {"fifo", "pro_rata", "top_pro_rata", "size_time"};
constexpr std::array<std::string_view, 5> k_self_trades = {"allowed", "cancel_newest", "cancel_oldest", "cancel_both",
                                                           "decrement"};
constexpr std::array<std::string_view, 3> k_scopes = {"owner", "account", "group"};
static_assert(static_cast<std::size_t>(book::Policy::size_time) + 1 == k_policies.size());
static_assert(static_cast<std::size_t>(book::SelfTrade::decrement) + 1 == k_self_trades.size());
static_assert(static_cast<std::size_t>(book::SelfTradeScope::group) + 1 == k_scopes.size());

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

void describe_date(std::string_view key, std::optional<std::chrono::sys_days>& value, std::string_view meaning,
                   ConfigVisitor& visitor) {
  constexpr std::size_t k_size = 10;
  std::string text = value ? date_text(*value) : std::string();
  visitor.text(key, text, k_size, meaning);
  value = parse_date(text);
  if (!text.empty() && !value) visitor.complain(key, "\"" + text + "\" is no date such as \"2026-11-23\"");
}

/// What instruments of a file have, too.
void describe_reference(simulate::InstrumentConfig& instrument, ConfigVisitor& visitor) {
  visitor.text("name", instrument.name, 60, "of what is traded");
  visitor.text("isin", instrument.isin, 12, "of ISO 6166");
  visitor.text("sedol", instrument.sedol, 7, "of the London Stock Exchange");
  visitor.text("currency", instrument.currency, 3, "of its prices, of ISO 4217: \"JPY\"");
  visitor.integer("lot", instrument.lot, 1, k_int32_max, "units in a lot; quantities are in lots");
  describe_date("first_day", instrument.first_day, "on which orders are taken: \"2026-11-23\"; empty: always", visitor);
  describe_date("last_day", instrument.last_day, "on which orders are taken; empty: for ever", visitor);
  for (const auto& [key, what] : complaints_of(instrument)) visitor.complain(key, what);
}

/// Rows of the file behind those of the configuration; all problems with them are reported at once.
void add_file(VenueConfig& config, ConfigVisitor& visitor) {
  if (config.instrument_file.empty() || !visitor.reads_files()) return;
  const auto text = read_text_file(config.instrument_file);
  if (!text) return visitor.complain("reference.instruments", text.error());
  InstrumentRows read = parse_instruments(*text, config.instrument_file);
  for (const std::string& problem : read.problems) visitor.complain("reference.instruments", problem);
  for (simulate::InstrumentConfig& row : read.instruments) config.instruments.push_back(std::move(row));
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
  describe_reference(instrument, visitor);
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

constexpr std::array<std::string_view, 2> k_roles = {"trade", "read"};
static_assert(static_cast<std::size_t>(simulate::UserRole::read) + 1 == k_roles.size());

/// What a user has besides its name and password.
void describe_set_up(simulate::VenueUserConfig& user, ConfigVisitor& visitor) {
  visitor.text("account", user.account, 25, "users with the same one belong together; empty: alone");
  visitor.integer("throttle", user.throttle, 0, k_million, "messages per second; 0: session.throttle");
  visitor.integer("open_orders", user.open_orders, 1, 100 * k_million, "live orders per partition");
  visitor.integer("order_quantity", user.order_quantity, 1, k_int32_max, "largest order");
  visitor.flag("cancel_on_disconnect", user.cancel_on_disconnect, "for orders with AutoCancel, when the link is lost");
  visitor.flag("cancel_on_logout", user.cancel_on_logout, "... and after a logout");
}

void describe_spare_user(simulate::SpareUserConfig& spare, ConfigVisitor& visitor) {
  visitor.integer("places", spare.places, 1, 10'000, "so many");
  describe_set_up(spare.user, visitor);
}

void describe_user(simulate::VenueUserConfig& user, VenueConfig& config, ConfigVisitor& visitor) {
  visitor.text("name", user.name, 25, "UserName of its Logon");
  if (!describe_password("password", user.password, 25, {.hash = true}, config.password_files,
                         "1 to 25 characters in clear, which whoever reads this file knows", visitor))
    visitor.complain("password", "a user needs a password, or a password_hash");
  describe_set_up(user, visitor);
  describe_enum("role", user.role, k_roles,
                "trade, or read: it may log on, hear of its orders and cancel them, and enter none", visitor);
  visitor.flag("first_password", user.first_password, "the first logon has to bring a new one (logon.new_passwords)");
  if (user.name.empty()) visitor.complain("name", "a user needs a name");
}

constexpr std::array<std::string_view, 3> k_permits = {"unset", "yes", "no"};
constexpr std::array<std::string_view, 2> k_collar_from = {"last", "reference"};

/// Percent with at most two decimals.
void describe_percent(const venue::LimitKey& key, std::int64_t& value, ConfigVisitor& visitor) {
  constexpr std::int64_t k_hundredth = market::k_price_scale / 100;
  market::Price percent{value * k_hundredth};
  visitor.price(key.name, percent, key.meaning);
  value = percent.units / k_hundredth;
  if (percent.units % k_hundredth != 0 || value < 0 || value > key.most)
    visitor.complain(key.name, "0 to 10000 percent, with at most two decimals");
}

void describe_value(const venue::LimitKey& key, std::int64_t& value, ConfigVisitor& visitor) {
  auto place = static_cast<std::size_t>(value);
  switch (key.form) {
    case venue::LimitForm::percent:
      return describe_percent(key, value, visitor);
    case venue::LimitForm::permit:
      visitor.choice(key.name, place, k_permits, key.meaning);
      value = static_cast<std::int64_t>(place);
      return;
    case venue::LimitForm::from:
      visitor.choice(key.name, place, k_collar_from, key.meaning);
      value = static_cast<std::int64_t>(place);
      return;
    default:
      return visitor.integer(key.name, value, 0, key.most, key.meaning);
  }
}

void describe_limit(simulate::LimitConfig& limit, const VenueConfig& config, ConfigVisitor& visitor) {
  visitor.text("user", limit.user, 25, "of whom; empty, as the account: each order of anybody");
  visitor.text("account", limit.account, 10, "of all orders that carry it, whoever sends them");
  visitor.text("instrument", limit.instrument, 24, "its symbol; empty: in all of them");
  std::vector<std::pair<market::LimitKind, std::int64_t>> values;
  for (const venue::LimitKey& key : venue::limit_keys()) {
    if (static_cast<std::size_t>(key.kind) >= market::k_limit_kinds || key.kind == market::LimitKind::killed) continue;
    const auto known = std::ranges::find(limit.values, key.kind, &std::pair<market::LimitKind, std::int64_t>::first);
    std::int64_t value = known == limit.values.end() ? 0 : known->second;
    describe_value(key, value, visitor);
    if (value == 0) continue;
    values.emplace_back(key.kind, value);
    if (key.is_counted && limit.user.empty() && limit.account.empty())
      visitor.complain(key.name, "needs a user or an account: nothing is counted of everybody");
  }
  limit.values = std::move(values);
  if (!limit.user.empty() && !limit.account.empty())
    visitor.complain("account", "of a user or of an account, not both");
  if (!limit.user.empty() &&
      std::ranges::find(config.users, limit.user, &simulate::VenueUserConfig::name) == config.users.end())
    visitor.complain("user", "there is no [[user]] " + limit.user);
  if (!limit.instrument.empty() && std::ranges::find(config.instruments, limit.instrument,
                                                     &simulate::InstrumentConfig::symbol) == config.instruments.end())
    visitor.complain("instrument", "there is no [[instrument]] " + limit.instrument);
  if (limit.values.empty()) visitor.complain("user", "this [[limit]] limits nothing");
}

/// Once there are timetables, a segment without one, or one without instruments, is a slip of the pen.
void check_segments(const VenueConfig& config, ConfigVisitor& visitor) {
  check_unique(config.segments, &venue::Segment::name, "segment", "name", visitor);
  for (std::size_t row = 0; row < config.segments.size(); ++row)
    if (std::none_of(config.instruments.begin(), config.instruments.end(),
                     [&](const simulate::InstrumentConfig& each) { return each.segment == config.segments[row].name; }))
      visitor.complain("segment." + std::to_string(row) + ".name", "no [[instrument]] is of this segment");
  for (std::size_t row = 0; row < config.instruments.size() && !config.segments.empty(); ++row) {
    const simulate::InstrumentConfig& instrument = config.instruments[row];
    const std::string& name = instrument.segment;
    if (name.empty() || std::any_of(config.segments.begin(), config.segments.end(),
                                    [&](const venue::Segment& each) { return each.name == name; }))
      continue;
    if (instrument.file_line == 0)
      visitor.complain("instrument." + std::to_string(row) + ".segment", "there is no [[segment]] of this name");
    else
      visitor.complain("reference.instruments", fmt::format("{}:{}: segment: there is no [[segment]] {}",
                                                            config.instrument_file, instrument.file_line, name));
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
  visitor.text(
      "day_files", journal.day_files, 4096,
      "folder for orders, trades, positions, statistics and audit of each day of the venue, written when it is "
      "over; empty: none are");
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
  visitor.flag("clear_passwords", config.clear_passwords,
               "passwords of users and readers may be in clear in the configuration, with a warning at the start");
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
  if (config.instruments.empty())
    visitor.complain("instrument", "a venue needs an [[instrument]], or reference.instruments");
  if (config.users.empty()) visitor.complain("user", "a venue needs a [[user]]");
  constexpr std::size_t k_most_users = 65'535;
  std::size_t places = config.users.size() + config.spare_users;
  for (const simulate::SpareUserConfig& kind : config.spare_user_kinds) places += kind.places;
  if (places > k_most_users)
    visitor.complain("spare_user", "a venue has at most 65535 users, with the places for those that come later");
  if (!config.journal.day_files.empty() && config.journal.directory.empty())
    visitor.complain("journal.day_files", "the files of a day are made of the journal: journal.directory is empty");
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
  for (std::size_t row = 0; row < config.users.size() && !config.clear_passwords; ++row)
    if (!config.users[row].password.empty() && !is_scrypt_text(config.users[row].password))
      visitor.complain("user." + std::to_string(row) + ".password",
                       "it is in clear, which logon.clear_passwords refuses: let password_hash be what dojima config "
                       "hash-password says");
  for (std::size_t row = 0; row < config.feed.readers.size() && !config.clear_passwords; ++row)
    if (const std::string path = "feed_reader." + std::to_string(row) + ".password";
        !config.feed.readers[row].password.empty() && !is_scrypt_text(config.feed.readers[row].password) &&
        !config.password_files.contains(path))
      visitor.complain(path,
                       "it is in clear, which logon.clear_passwords refuses: password_hash is what dojima config "
                       "hash-password prints, password_file names a file");
  check_segments(config, visitor);
  check_unique_with_file(config.instruments, &simulate::InstrumentConfig::id, "instrument", "id",
                         config.instrument_file, "id", visitor);
  check_unique_with_file(config.instruments, &simulate::InstrumentConfig::symbol, "instrument", "symbol",
                         config.instrument_file, "symbol", visitor);
  check_unique(config.users, &simulate::VenueUserConfig::name, "user", "name", visitor);
}

void describe_memory(VenueConfig& config, ConfigVisitor& visitor) {
  visitor.section("limits", "memory of each partition, taken at start-up; what is used up is refused");
  visitor.integer("orders", config.orders, 1, 1 << 26, "live orders");
  visitor.integer("levels", config.levels, 1, 1 << 24, "occupied price levels per side of an instrument");
  visitor.integer("reports", config.reports, 1024, 1 << 26, "kept for users who read slowly");
  visitor.integer("maximum_lag", config.maximum_lag, 1, 1 << 25,
                  "reports a session may be behind before it is ended, at most half of `reports`; at half of it those "
                  "who cause more are not read, as long as it reads");
  visitor.integer(
      "trades", config.trades, 0, 1 << 26,
      "the newest ones that the operator can still bust, 112 bytes each; between trading days it can change");
  visitor.integer(
      "spare_users", config.spare_users, 0, 10'000,
      "places for users that dojima admin user add brings, beside those of [[user]]; a journal keeps as many "
      "as it began with");
  visitor.integer(
      "slice", config.slice, 0, venue::k_most_slice,
      "where more orders end by one command, they end in slices of so many; 0: at once; between trading days "
      "it can change");
}

void describe_day(VenueConfig& config, ConfigVisitor& visitor) {
  visitor.section("day", "trading days; they begin where there is a [[segment]] with a timetable");
  auto day_seed = static_cast<std::int64_t>(config.day_seed);
  visitor.integer("seed", day_seed, 0, std::numeric_limits<std::int64_t>::max(), "of the random ends of calls");
  config.day_seed = static_cast<std::uint64_t>(day_seed);
  visitor.integer("utc_offset_minutes", config.utc_offset_minutes, -14 * 60, 14 * 60,
                  "of the venue's midnight: 60 is an hour before UTC's");
  visitor.integer("end_minutes", config.day_end_minutes, -1, 24 * 60 - 1,
                  "since the venue's midnight: when day orders of instruments without a timetable expire; -1: never by "
                  "themselves, see dojima admin end-of-day");
  visitor.integer("next_minutes", config.next_day_minutes, -1, 24 * 60 - 1,
                  "since the venue's midnight: when everybody is logged out and the numbers of reports and market data "
                  "begin anew; -1: never by themselves, see dojima admin next-day");
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
  describe_copy_channel(config, visitor);
  visitor.section("session", "");
  visitor.integer("heartbeat_ms", config.heartbeat_ms, 100, 60'000,
                  "both sides; a connection that does not log on goes after two, a silent one after five");
  describe_dialect(config.dialect, "of MIT203: LSE-21.2, BIT-9.4 or LSE-11.8.5; gateways must have the same", visitor);
  visitor.integer("stall_ms", config.stall_ms, 100, 3'600'000,
                  "a session that takes nothing of what it is sent for so long is ended; it is not read meanwhile");
  visitor.integer("throttle", config.throttle, 0, k_million,
                  "messages per second of a connection or user without a limit of its own; 0: no limit");
  describe_logon(config, visitor);
  describe_memory(config, visitor);
  describe_rules(config.rules, visitor);
  visitor.section("reports", "");
  visitor.flag("full", config.full_reports,
               "owners hear of parked and restated orders too (ExecTypes 9 and D); between trading days it can change");
  describe_day(config, visitor);
  visitor.section("feed", "market data: units of MIT303, see docs/mitch.md");
  visitor.text("file", config.feed_file, 4096, "where they are written, one after the other; empty: nowhere");
  describe_feed(config.feed, visitor);
  describe_journal(config, visitor);
  visitor.section("reference", "instruments in a file, besides those of [[instrument]]: docs/reference-data.md");
  visitor.text("instruments", config.instrument_file, 4096,
               "comma-separated values, a row for each; empty: there is none");
  describe_admin(config.admin, visitor);
  describe_dashboard(config.dashboard, visitor);
  visitor.integer("timed_one_in", config.dashboard.timed_one_in, 1, 1 << 16,
                  "of so many requests one is timed for the screens, chosen at random: a power of two");
  if (!std::has_single_bit(config.dashboard.timed_one_in)) visitor.complain("timed_one_in", "it is no power of two");
  describe_loop(config.idle, config.loop, visitor);
  visitor.integer("threads", config.threads, 1, 5,
                  "1: one for all; more: one for sessions, the others for partitions, see docs/venue.md");
  visitor.section("", "");
  visitor.list("segment", config.segments, "timetables and price bands of instruments: docs/trading-day.md",
               [&](venue::Segment& row) { describe_segment(row, visitor); });
  // What a file has is not part of the configuration that is printed.
  std::erase_if(config.instruments, [](const simulate::InstrumentConfig& row) { return row.file_line != 0; });
  visitor.list("instrument", config.instruments, "what is traded",
               [&](simulate::InstrumentConfig& row) { describe_instrument(row, visitor); });
  add_file(config, visitor);
  visitor.list("user", config.users, "who may log on",
               [&](simulate::VenueUserConfig& row) { describe_user(row, config, visitor); });
  visitor.list("spare_user", config.spare_user_kinds,
               "places for users that dojima admin user add brings, beside limits.spare_users, with what is said here; "
               "a journal keeps them as it began",
               [&](simulate::SpareUserConfig& row) { describe_spare_user(row, visitor); });
  visitor.list("feed_reader", config.feed.readers, "who may ask for market data again, at the channels of [feed]",
               [&](FeedReaderConfig& row) { describe_feed_reader(row, config.password_files, visitor); });
  describe_copy_readers(config, visitor);
  visitor.list("limit", config.limits, "what users, accounts or all may do: docs/risk.md",
               [&](simulate::LimitConfig& row) { describe_limit(row, config, visitor); });
  describe_operators(config.admin, visitor);
  check_venue(config, visitor);
  check_feed(config.feed, visitor);
}

}  // namespace dojima::app
