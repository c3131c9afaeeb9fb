#include "echo_config.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <toml++/toml.h>
#include <tuple>
#include <utility>

#include "dojima/fix/dictionary_model.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/zones.hpp"

namespace echo {
namespace {

using namespace dojima;

/// A session that is only made to see whether it can be.
struct Nobody final : fix::Handler {
  void on_logon(fix::Session&, time::Time) override {}
  void on_message(fix::Session&, const fix::MessageView&, time::Time) override {}
  void on_logout(fix::Session&, std::string_view, time::Time) override {}
  void on_trouble(fix::Session&, const Error&) override {}
};

/// Trouble with a configuration, with its place.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One table: every key must be taken by somebody.
class Keys {
 public:
  Keys(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

  template <class T>
  void take(std::string_view key, T& value) {
    taken_.emplace_back(key);
    const toml::node* const node = table_.get(key);
    if (node == nullptr) return;
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
      const auto found = node->value_exact<T>();
      if (!found) fail(*node, std::string(key) + (std::is_same_v<T, bool> ? ": true or false" : ": a text"));
      value = *found;
    } else {
      const auto found = node->value_exact<std::int64_t>();
      if (!found || !std::in_range<T>(*found)) fail(*node, std::string(key) + ": a whole number in its range");
      value = static_cast<T>(*found);
    }
  }
  template <class Period>
  void take(std::string_view key, std::chrono::duration<std::int64_t, Period>& value) {
    std::int64_t count = value.count();
    take(key, count);
    value = std::chrono::duration<std::int64_t, Period>{count};
  }
  template <class T, std::size_t N>
  void choose(std::string_view key, T& value, const std::array<std::pair<std::string_view, T>, N>& choices) {
    std::string word;
    take(key, word);
    if (word.empty()) return;
    const auto found = std::ranges::find(choices, word, &std::pair<std::string_view, T>::first);
    if (found != choices.end()) {
      value = found->second;
      return;
    }
    std::string all;
    for (const auto& [name, ignored] : choices) all += (all.empty() ? "" : ", ") + std::string(name);
    fail(*table_.get(key), std::string(key) + ": one of " + all);
  }
  [[nodiscard]] const toml::node* find(std::string_view key) {
    taken_.emplace_back(key);
    return table_.get(key);
  }

  /// No key may be left over.
  void finish() const {
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(taken_, key.str()) == taken_.end()) fail(node, "unknown key " + std::string(key.str()));
    }
  }
  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw Wrong(file_ + ":" + std::to_string(node.source().begin.line) + ": " + what);
  }
  /// At the key where it is given, else at the table.
  [[noreturn]] void fail(std::string_view key, const std::string& what) const {
    const toml::node* const node = table_.get(key);
    fail(node == nullptr ? static_cast<const toml::node&>(table_) : *node, what);
  }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

 private:
  const toml::table& table_;
  std::string file_;
  std::vector<std::string> taken_;
};

/// The table that a key of another one is.
const toml::table& table_at(const Keys& keys, const toml::node& node, const char* what) {
  if (node.as_table() == nullptr) keys.fail(node, what);
  return *node.as_table();
}

void read_checks(Keys& above, const toml::node& node, fix::Checks& checks) {
  Keys keys(table_at(above, node, "checks: a table of flags"), above.file());
  keys.take("unknown_tags", checks.unknown_tags);
  keys.take("user_tags", checks.user_tags);
  keys.take("message_tags", checks.message_tags);
  keys.take("required", checks.required);
  keys.take("instrument", checks.instrument);
  keys.take("required_components", checks.required_components);
  keys.take("empty_values", checks.empty_values);
  keys.take("formats", checks.formats);
  keys.take("values", checks.values);
  keys.take("repeated", checks.repeated);
  keys.take("order", checks.order);
  keys.take("groups", checks.groups);
  keys.take("group_order", checks.group_order);
  keys.take("separators", checks.separators);
  keys.take("encryption", checks.encryption);
  keys.take("signatures", checks.signatures);
  keys.take("versions", checks.versions);
  keys.finish();
}

/// A dictionary in the XML form that QuickFIX made common; two files, with a comma between, are transport and
/// application.
const fix::Dictionary* read_dictionary(const Keys& keys, const std::string& names, Config& config) {
  std::vector<fix::DictionaryModel> models;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find(',', at), names.size());
    const std::filesystem::path file =
        std::filesystem::path(keys.file()).parent_path() / std::filesystem::path(names.substr(at, end - at));
    std::ifstream input(file);
    if (!input) keys.fail("dictionary", "cannot read the dictionary " + file.string());
    auto model = fix::parse_dictionary_xml(std::string{std::istreambuf_iterator<char>(input), {}});
    if (!model) throw Wrong(file.string() + ":" + std::to_string(model.error().line) + ": " + model.error().text);
    models.push_back(*std::move(model));
    at = end + 1;
  }
  auto compiled = fix::Dictionary::compile(std::move(models));
  if (!compiled) keys.fail("dictionary", "dictionary " + names + ": " + compiled.error().text);
  config.dictionaries.push_back(std::make_unique<fix::Dictionary>(*std::move(compiled)));
  return config.dictionaries.back().get();
}

constexpr std::array<std::string_view, 7> k_weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                     "Thursday", "Friday", "Saturday"};

/// "08:30" or "08:30:00".
std::chrono::seconds clock_of(Keys& keys, const toml::node& node, const std::string& text) {
  int hours = 0, minutes = 0, seconds = 0, end = 0;
  const int found = std::sscanf(text.c_str(), "%2d:%2d%n:%2d%n", &hours, &minutes, &end, &seconds, &end);
  const bool is_clock = found >= 2 && static_cast<std::size_t>(end) == text.size() && hours >= 0 && hours < 24 &&
                        minutes >= 0 && minutes < 60 && seconds >= 0 && seconds < 60;
  if (!is_clock) keys.fail(node, "a time of day such as 08:30 or 08:30:00, not \"" + text + "\"");
  return std::chrono::hours{hours} + std::chrono::minutes{minutes} + std::chrono::seconds{seconds};
}

std::chrono::weekday weekday_of(Keys& keys, const toml::node& node, const std::string& name) {
  const auto found = std::ranges::find(k_weekdays, name);
  if (found == k_weekdays.end()) keys.fail(node, "a day such as Monday, not \"" + name + "\"");
  return std::chrono::weekday{static_cast<unsigned>(found - k_weekdays.begin())};
}

/// The days on which hours begin, as they are written: a list, or the first and the last of a week.
struct Days {
  std::string first, last;
  const toml::node* list = nullptr;
  [[nodiscard]] bool are_given() const noexcept { return list != nullptr || !first.empty() || !last.empty(); }
};

Days take_days(Keys& keys, const std::string& prefix) {
  Days days;
  keys.take(prefix + "start_day", days.first);
  keys.take(prefix + "end_day", days.last);
  if (days.first.empty() && days.last.empty()) days.list = keys.find(prefix + "days");
  return days;
}

fix::Hours read_hours(Keys& keys, const toml::node& node, const std::string& prefix, const Days& days) {
  std::string start = "00:00", end = "00:00";
  keys.take(prefix + "start", start);
  keys.take(prefix + "end", end);
  const std::chrono::seconds from = clock_of(keys, node, start), to = clock_of(keys, node, end);
  if (!days.first.empty() || !days.last.empty())
    return fix::Hours::weekly(weekday_of(keys, node, days.first), from, weekday_of(keys, node, days.last), to);
  fix::Hours hours = fix::Hours::daily(from, to);
  if (days.list == nullptr) return hours;
  const toml::array* const list = days.list->as_array();
  if (list == nullptr) keys.fail(*days.list, "days: a list such as [\"Monday\", \"Tuesday\"]");
  hours.days = 0;
  for (const toml::node& day : *list) {
    const auto name = day.value_exact<std::string>().value_or(std::string{});
    hours.days = static_cast<std::uint8_t>(hours.days | 1u << weekday_of(keys, day, name).c_encoding());
  }
  return hours;
}

/// schedule = { start = "08:00", end = "17:00", days = ["Monday", ...], zone = "Europe/London", logon_start = ... }
/// Hours of logons are of the session's days unless they have days of their own.
fix::ScheduleConfig read_schedule(const Keys& above, const toml::node& node) {
  const toml::table& table = table_at(above, node, "schedule: a table with start and end");
  Keys keys(table, above.file());
  fix::ScheduleConfig schedule;
  const Days days = take_days(keys, "");
  schedule.session = read_hours(keys, node, "", days);
  if (table.contains("logon_start") || table.contains("logon_end")) {
    const Days logon_days = take_days(keys, "logon_");
    schedule.logon = read_hours(keys, node, "logon_", logon_days.are_given() ? logon_days : days);
  }
  std::string zone = "UTC";
  keys.take("zone", zone);
  if (zone != "UTC") {
    auto rules = time::load_zone(zone);
    if (!rules) keys.fail(node, "zone: the system knows no time zone \"" + zone + "\"");
    schedule.zone = *std::move(rules);
  }
  keys.finish();
  try {
    static_cast<void>(fix::SessionSchedule(schedule));
  } catch (const std::invalid_argument& trouble) {
    keys.fail(node, std::string("schedule: ") + trouble.what());
  }
  return schedule;
}

net::TlsConfig read_tls(const Keys& above, const toml::node& node) {
  Keys keys(table_at(above, node, "tls: a table with certificate and key"), above.file());
  net::TlsConfig tls;
  keys.take("certificate", tls.certificate_file);
  keys.take("key", tls.key_file);
  keys.take("trusted", tls.trusted_file);
  keys.take("demand_client_certificate", tls.demand_client_certificate);
  keys.finish();
  return tls;
}

void read_resets_and_names(Keys& keys, fix::SessionConfig& session) {
  keys.take("begin_string", session.begin_string);
  keys.take("sender_comp_id", session.sender_comp_id);
  keys.take("target_comp_id", session.target_comp_id);
  keys.take("sender_sub_id", session.sender_sub_id);
  keys.take("target_sub_id", session.target_sub_id);
  keys.take("sender_location_id", session.sender_location_id);
  keys.take("target_location_id", session.target_location_id);
  keys.take("qualifier", session.qualifier);
  keys.take("default_appl_ver_id", session.default_appl_ver_id);
  keys.take("reset_on_logon", session.reset_on_logon);
  keys.take("reset_on_logout", session.reset_on_logout);
  keys.take("reset_on_disconnect", session.reset_on_disconnect);
  keys.take("reset_on_error", session.reset_on_error);
  keys.take("username", session.username);
  keys.take("password", session.password);
}

/// What only an initiator has.
Connecting read_connecting(Keys& keys, fix::SessionConfig& session) {
  Connecting connecting{.address = {.host = "127.0.0.1"}};
  keys.take("host", connecting.address.host);
  keys.take("port", connecting.address.port);
  keys.take("reconnect_ms", connecting.reconnect);
  keys.take("orders_at_start", connecting.orders);
  keys.take("logout_after_ms", connecting.logout_after);
  keys.take("heartbeat_interval_s", session.heartbeat_interval);
  keys.take("new_password", session.new_password);
  if (connecting.address.port == 0) keys.fail("port", "port: where the session connects to, 1 to 65535");
  if (connecting.reconnect.count() < 1 || connecting.reconnect > std::chrono::minutes{1})
    keys.fail("reconnect_ms", "reconnect_ms: 1 to 60000");
  if (connecting.logout_after.count() < 0) keys.fail("logout_after_ms", "logout_after_ms: 0 or more");
  if (session.target_comp_id == "*")
    keys.fail("target_comp_id", "target_comp_id = \"*\" is a template, which an initiator cannot be");
  return connecting;
}

/// Whether a session of this row can be. Templates are made when a peer comes, which is too late to hear of it.
void check_session(const Keys& keys, const SessionRow& row) {
  fix::SessionConfig config = row.config;
  if (row.is_template()) config.target_comp_id = "PEER";
  sched::Scheduler scheduler(64, time::Time{});
  Nobody nobody;
  try {
    fix::Session(scheduler, std::move(config), nobody);
  } catch (const std::invalid_argument& trouble) {
    // It begins with the name of what is wrong, which is the key but for times.
    std::string what = trouble.what();
    const std::string name = what.substr(0, what.find_first_of(":,"));
    std::string key = name;
    if (name == "sending_time_tolerance") key = "max_latency_s";
    if (name == "logon_timeout" || name == "logout_timeout" || name == "heartbeat_interval") key = name + "_s";
    if (key != name) what.replace(0, name.size(), key);
    keys.fail(key, what);
  }
}

SessionRow read_session(const toml::table& table, const std::string& file, Config& config) {
  SessionRow row;
  fix::SessionConfig& session = row.config;
  Keys keys(table, file);
  read_resets_and_names(keys, session);
  keys.choose("role", session.role,
              std::array<std::pair<std::string_view, fix::Role>, 2>{
                  {{"acceptor", fix::Role::acceptor}, {"initiator", fix::Role::initiator}}});
  if (session.role == fix::Role::initiator) row.connecting = read_connecting(keys, session);
  keys.take("max_latency_s", session.sending_time_tolerance);
  keys.take("logon_timeout_s", session.logon_timeout);
  keys.take("logout_timeout_s", session.logout_timeout);
  keys.take("timestamp_decimals", session.timestamp_decimals);
  keys.take("max_body", session.max_body);
  keys.take("announces_max_message_size", session.announces_max_message_size);
  keys.take("resend_chunk", session.resend_chunk);
  keys.take("resend_limit", session.resend_limit);
  keys.take("next_expected", session.next_expected);
  keys.take("last_processed", session.last_processed);
  keys.take("test_request_text", session.test_request_text);
  keys.take("test_request_percent", session.test_request_percent);
  keys.take("give_up_percent", session.give_up_percent);
  keys.take("rejects_garbled", session.rejects_garbled);
  keys.take("rejects_in_a_row", session.rejects_in_a_row);
  keys.take("store_messages", session.store.messages);
  keys.take("store_bytes", session.store.bytes);
  keys.choose("profile", session.profile,
              std::array<std::pair<std::string_view, fix::Profile>, 2>{
                  {{"canonical", fix::Profile::canonical}, {"compact", fix::Profile::compact}}});
  keys.choose("refusal", session.refusal,
              std::array<std::pair<std::string_view, fix::Refusal>, 2>{
                  {{"silent", fix::Refusal::silent}, {"logout", fix::Refusal::logout}}});
  keys.choose("store", row.store,
              std::array<std::pair<std::string_view, Store>, 3>{
                  {{"memory", Store::memory}, {"none", Store::none}, {"journal", Store::journal}}});
  if (const toml::node* const checks = keys.find("checks")) read_checks(keys, *checks, session.checks);
  if (const toml::node* const hosts = keys.find("allowed_hosts")) {
    const toml::array* const list = hosts->as_array();
    if (list == nullptr) keys.fail(*hosts, "allowed_hosts: a list of texts");
    for (const toml::node& host : *list) {
      const auto text = host.value_exact<std::string>();
      if (!text) keys.fail(host, "allowed_hosts: a list of texts");
      session.allowed_hosts.push_back(*text);
    }
  }
  if (const toml::node* const schedule = keys.find("schedule")) row.schedule = read_schedule(keys, *schedule);
  std::string dictionary;
  keys.take("dictionary", dictionary);
  if (!dictionary.empty()) session.dictionary = read_dictionary(keys, dictionary, config);
  keys.finish();
  check_session(keys, row);
  return row;
}

Config read_table(const toml::table& table, const std::string& file) {
  Config config;
  Keys keys(table, file);
  keys.take("host", config.host);
  keys.take("port", config.port);
  keys.take("store_directory", config.store_directory);
  keys.take("made_sessions", config.made_sessions);
  keys.choose("idle", config.idle,
              std::array<std::pair<std::string_view, net::IdlePolicy>, 4>{{{"spin", net::IdlePolicy::spin},
                                                                           {"yield", net::IdlePolicy::yield},
                                                                           {"block", net::IdlePolicy::block},
                                                                           {"ring", net::IdlePolicy::ring}}});
  keys.choose(
      "durability", config.durability,
      std::array<std::pair<std::string_view, journal::Durability>, 3>{{{"none", journal::Durability::none},
                                                                       {"process", journal::Durability::process},
                                                                       {"power", journal::Durability::power}}});
  if (const toml::node* const tls = keys.find("tls")) config.tls = read_tls(keys, *tls);
  const toml::node* const sessions = keys.find("session");
  const toml::array* const rows = sessions == nullptr ? nullptr : sessions->as_array();
  if (rows == nullptr || rows->empty()) throw Wrong(file + ": at least one [[session]]");
  for (const toml::node& row : *rows) {
    if (row.as_table() == nullptr) keys.fail(row, "session: a table");
    SessionRow read = read_session(*row.as_table(), file, config);
    if (read.store == Store::journal && config.store_directory.empty())
      keys.fail(*row.as_table()->get("store"), "store = \"journal\" needs store_directory");
    const auto names = [](const SessionRow& of) {
      const fix::SessionConfig& session = of.config;
      return std::tie(session.begin_string, session.sender_comp_id, session.target_comp_id, session.sender_sub_id,
                      session.target_sub_id, session.sender_location_id, session.target_location_id);
    };
    const auto is_same = [&](const SessionRow& other) { return names(other) == names(read); };
    if (std::ranges::any_of(config.sessions, is_same)) keys.fail(row, "the same session as one before it");
    config.sessions.push_back(std::move(read));
  }
  keys.finish();
  if (config.tls && config.has_initiator())
    keys.fail("tls", "tls: of sessions that are connected to; one here has role = \"initiator\"");
  return config;
}

/// `parse` gives the table.
template <class Parse>
std::expected<Config, std::string> read_with(const std::string& file, Parse parse) try {
  const toml::parse_result parsed = parse();
  return read_table(parsed, file);
} catch (const toml::parse_error& trouble) {
  const auto line = trouble.source().begin.line;  // 0: the file could not be read
  return std::unexpected(file + (line == 0 ? "" : ":" + std::to_string(line)) + ": " +
                         std::string(trouble.description()));
} catch (const Wrong& trouble) {
  return std::unexpected(std::string(trouble.what()));
}

}  // namespace

std::expected<Config, std::string> read_config(const std::string& file) {
  if (std::filesystem::is_directory(file)) return std::unexpected(file + ": is a directory");
  return read_with(file, [&] { return toml::parse_file(file); });
}

std::expected<Config, std::string> read_config_text(std::string_view text, const std::string& name) {
  return read_with(name, [&] { return toml::parse(text); });
}

}  // namespace echo
