// What the operator of a venue limits, and whose orders he ends.

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <utility>

#include "dojima/app/admin/venue_admin.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/limit_keys.hpp"

namespace dojima::app {
namespace {

using market::LimitKind;
using market::LimitOf;

constexpr std::string_view k_account = "account:";

/// What people set with the verb limits: kill, revive and cancel are verbs of their own.
bool is_settable(const venue::LimitKey& key) {
  return key.kind != LimitKind::killed && key.kind != LimitKind::cancel_orders;
}

}  // namespace

std::optional<market::RiskCommand> VenueAdmin::command_about(const std::string& who) const {
  market::RiskCommand command;
  command.header.user = market::k_no_user;
  command.who = Text<20>::cut(log_.author().who);
  command.why = Text<44>::cut(log_.author().why);
  if (who == "all") return command;
  if (who.starts_with(k_account)) {
    const auto account = Text<10>::from(std::string_view(who).substr(k_account.size()));
    if (!account || account->is_empty()) return {};
    command.of = LimitOf::account;
    command.account = *account;
    return command;
  }
  const auto users = users_of(who);
  if (users.size() != 1) return {};
  command.of = LimitOf::user;
  command.header.user = users.front();
  return command;
}

AdminAnswer VenueAdmin::unknown_subject(std::string_view who) const {
  if (!who.starts_with(k_account)) return unknown_user(who);
  return AdminAnswer::refusal(fmt::format("{} is no account: account: and 1 to 10 characters", who));
}

/// An instrument or a segment in a command. False: neither.
bool VenueAdmin::place_into(market::RiskCommand& command, const std::string& word, bool takes_segments) const {
  const auto target = target_of(word);
  if (!target || target->is_all) return false;
  if (!target->segment.empty() && !takes_segments) return false;
  if (target->segment.empty() && target->instruments.size() != 1) return false;
  if (target->segment.empty())
    command.header.instrument = target->instruments.front()->id;
  else
    command.segment = Text<4>::cut(target->segment);
  return true;
}

// ---- Kill switches and cancels -------------------------------------------------------------------------------------

AdminAnswer VenueAdmin::kill(Words words, time::Time now) {
  const bool is_killed = words.front() == "kill";
  const bool has_cancel = is_killed && words.size() == 3 && words[2] == "cancel";
  if (words.size() != 2 && !has_cancel)
    return AdminAnswer::refusal(is_killed ? "kill takes a USER, account:NAME or all, and cancel if you like"
                                          : "revive takes a USER, account:NAME or all");
  auto command = command_about(words[1]);
  if (!command) return unknown_subject(words[1]);
  command->kind = LimitKind::killed;
  command->value = is_killed ? 1 : 0;
  command->is_cancelling = has_cancel;
  if (!is_killed && words[1] == "all") return revive_all(*command, now);
  const venue::Partition& any = *exchange_.partitions().front();
  const bool was_killed = any.is_killed(command->of, command->header.user, command->account);
  if (was_killed == is_killed && !has_cancel)
    return AdminAnswer::refusal(
        fmt::format("the kill switch of {} is {}set", words[1], is_killed ? "already " : "not "));
  if (const auto done = set_killed(*command, now); !done) return refusal_of(done.error());
  if (!is_killed) return {.text = words[1] + " may trade again"};
  return {.text = fmt::format("no orders and replaces of {}{}", words[1],
                              has_cancel ? "; open ones are being cancelled" : "")};
}

/// A user's is kept in the operator's log as what holds for it, others as what was said.
Result<void> VenueAdmin::set_killed(market::RiskCommand& command, time::Time now) {
  const bool is_of_user = command.of == LimitOf::user;
  venue::UserAccess access =
      is_of_user ? exchange_.front().accounts().access_of(command.header.user) : venue::UserAccess{};
  access.is_killed = command.value != 0;
  if (!log_.keep(is_of_user ? exchange_.users()[command.header.user].name : std::string(), access, "", now))
    return fail(ErrorCode::no_room, 0, 0, 0, "room in the operator's journal");
  return exchange_.front().restrict(command, now);
}

AdminAnswer VenueAdmin::revive_all(market::RiskCommand command, time::Time now) {
  std::size_t revived = 0;
  for (const venue::LimitRow& row : exchange_.partitions().front()->limits()) {
    if (row.kind != LimitKind::killed || row.instrument != 0) continue;
    command.of = row.of;
    command.header.user = row.user;
    command.account = row.account;
    if (const auto done = set_killed(command, now); !done) return refusal_of(done.error());
    ++revived;
  }
  if (revived == 0) return AdminAnswer::refusal("no kill switch is set");
  return {.text = fmt::format("{} kill switches are taken back", revived)};
}

AdminAnswer VenueAdmin::cancel(Words words, time::Time now) {
  if (words.size() != 2 && words.size() != 3)
    return AdminAnswer::refusal("cancel takes a USER, account:NAME or all, and an INSTRUMENT or SEGMENT if you like");
  auto command = command_about(words[1]);
  if (!command) return unknown_subject(words[1]);
  command->kind = LimitKind::cancel_orders;
  if (words.size() == 3 && !place_into(*command, words[2], true)) return unknown_place(words[2]);
  const auto open = [&] {
    std::uint64_t count = 0;
    for (const venue::Partition* partition : exchange_.partitions()) count += partition->live_orders();
    return count;
  };
  const std::uint64_t before = open();
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  if (const auto done = exchange_.front().restrict(*command, now); !done) return refusal_of(done.error());
  const bool is_going_on = std::ranges::any_of(exchange_.partitions(), &venue::Partition::is_sweeping);
  return {.text = is_going_on ? fmt::format("orders of {} are being cancelled, a slice at a time", words[1])
                              : fmt::format("{} orders of {} are cancelled", before - open(), words[1])};
}

// ---- Listing -------------------------------------------------------------------------------------------------------

/// A limit of everybody: no permission in the instrument. It is in the journal, holds at the next start too, and goes
/// before what the days of the reference data say.
AdminAnswer VenueAdmin::set_listed(Words words, time::Time now) {
  if (words.size() != 2) return AdminAnswer::refusal(words.front() + " takes an INSTRUMENT or a SEGMENT");
  const auto target = target_of(words[1]);
  if (!target || target->is_all) return unknown_place(words[1]);
  const bool is_listing = words.front() == "list";
  const std::map<std::uint32_t, bool> unlisted = unlisted_instruments();
  std::vector<market::RiskCommand> commands;
  for (const simulate::InstrumentConfig* instrument : target->instruments) {
    if (words.front() != "delist" && unlisted.contains(instrument->id) != is_listing) continue;
    auto command = command_about("all");
    constexpr std::int64_t k_not_permitted = 2;
    command->kind = LimitKind::permitted;
    command->value = is_listing ? 0 : k_not_permitted;
    command->header.instrument = instrument->id;
    commands.push_back(*command);
    if (words.front() != "delist") continue;
    command->kind = LimitKind::cancel_orders;
    command->value = 0;
    commands.push_back(*command);
  }
  if (commands.empty())
    return AdminAnswer::refusal(fmt::format("{} is {}", words[1], is_listing ? "listed" : "not listed already"));
  for (const market::RiskCommand& each : commands)
    if (const auto fine = complaint_of(each); !fine) return refusal_of(fine.error());
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  for (market::RiskCommand& each : commands)
    if (const auto done = exchange_.front().restrict(each, now); !done) return refusal_of(done.error());
  const auto count = std::ranges::count(commands, LimitKind::permitted, &market::RiskCommand::kind);
  return {.text = fmt::format("orders in {} instruments are {}", count, is_listing ? "taken again" : "refused")};
}

std::map<std::uint32_t, bool> VenueAdmin::unlisted_instruments() const {
  std::map<std::uint32_t, bool> unlisted;
  for (const venue::Partition* partition : exchange_.partitions())
    for (const venue::LimitRow& row : partition->limits())
      if (row.kind == LimitKind::permitted && row.of == LimitOf::everybody && row.instrument != 0 && row.value == 2)
        unlisted[row.instrument] = row.is_by_operator;
  return unlisted;
}

std::string VenueAdmin::listing_of(const std::map<std::uint32_t, bool>& unlisted, std::uint32_t instrument) {
  const auto found = unlisted.find(instrument);
  return found == unlisted.end() ? "listed" : found->second ? "suspended" : "not today";
}

// ---- Limits --------------------------------------------------------------------------------------------------------

AdminAnswer VenueAdmin::limits(Words words, time::Time now) {
  if (words.size() == 1) return limits_table(std::nullopt);
  auto command = command_about(words[1]);
  if (!command) return unknown_subject(words[1]);
  const bool has_place = words.size() > 2 && words[2].find('=') == std::string::npos;
  if (has_place && !place_into(*command, words[2], false)) return unknown_place(words[2], false);
  const Words settings = words.subspan(has_place ? 3 : 2);
  if (settings.empty()) return limits_table(*command);
  const bool is_reader =
      command->of == LimitOf::user && exchange_.users()[command->header.user].role == simulate::UserRole::read;
  auto commands = limits_in(settings, *command, words[1], is_reader);
  if (!commands) return std::move(commands.error());
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  if (const auto done = set_limits(*commands, now); !done) return refusal_of(done.error());
  return {.text = fmt::format("{} limits of {} are set", commands->size(), words[1])};
}

/// All of them are looked at first: what cannot be set leaves the others as they are.
std::expected<std::vector<market::RiskCommand>, AdminAnswer> VenueAdmin::limits_in(Words settings,
                                                                                   market::RiskCommand about,
                                                                                   const std::string& who,
                                                                                   bool is_reader) const {
  std::vector<market::RiskCommand> commands;
  for (const std::string& word : settings) {
    const std::size_t equals = word.find('=');
    const venue::LimitKey* const key = venue::find_limit_key(std::string_view(word).substr(0, equals));
    if (equals == std::string::npos || key == nullptr || !is_settable(*key))
      return std::unexpected(unknown_limit(word));
    if (key->kind == LimitKind::permitted && is_reader)
      return std::unexpected(AdminAnswer::refusal(
          fmt::format("{}: {} has the role read, which permits no orders in any instrument; user role {} trade "
                      "changes that",
                      word, who, who)));
    const auto value = venue::parse_limit(*key, std::string_view(word).substr(equals + 1));
    if (!value)
      return std::unexpected(
          AdminAnswer::refusal(fmt::format("{}: {} takes {}, up to {}", word, key->name, value.error().expected,
                                           venue::text_of_limit(*key, key->most))));
    about.kind = key->kind;
    about.value = *value;
    if (const auto fine = complaint_of(about); !fine)
      return std::unexpected(AdminAnswer::refusal(refused_limit(word, fine.error())));
    commands.push_back(about);
  }
  return commands;
}

Result<void> VenueAdmin::set_limits(std::vector<market::RiskCommand>& commands, time::Time now) {
  for (market::RiskCommand& each : commands)
    if (const auto done = exchange_.front().restrict(each, now); !done) return done;
  return {};
}

AdminAnswer VenueAdmin::unknown_limit(const std::string& word) const {
  std::string names;
  for (const venue::LimitKey& key : venue::limit_keys())
    if (is_settable(key)) names += (names.empty() ? "" : ", ") + std::string(key.name);
  return AdminAnswer::refusal(fmt::format("{} is no limit; KEY=VALUE with one of {}", word, names));
}

/// In every partition that it goes to.
Result<void> VenueAdmin::complaint_of(const market::RiskCommand& command) const {
  for (const venue::Partition* partition : exchange_.partitions()) {
    if (command.header.instrument != 0 && partition->book(command.header.instrument) == nullptr) continue;
    if (const auto fine = partition->complaint(command); !fine) return fine;
  }
  return {};
}

std::string VenueAdmin::refused_limit(const std::string& word, const Error& error) {
  if (error.code == ErrorCode::wrong_state && word.ends_with("=0") && !word.starts_with("position="))
    return fmt::format("{} leaves the limit of all instruments, which is below what is used: {}", word, error.got);
  if (error.code == ErrorCode::wrong_state) return fmt::format("{} is below what is used: {}", word, error.got);
  std::array<char, 200> text{};
  return word + ": " + std::string(describe(error, text));
}

/// `about`: only what concerns this one; none: all of them.
AdminAnswer VenueAdmin::limits_table(const std::optional<market::RiskCommand>& about) const {
  AdminAnswer answer;
  answer.columns = {"of", "instrument", "limit", "value", "used", "partition", "set_by"};
  for (const venue::Partition* partition : exchange_.partitions())
    for (const venue::LimitRow& row : partition->limits()) {
      if (about && (row.of != about->of || row.user != about->header.user || row.account != about->account)) continue;
      if (about && about->header.instrument != 0 && row.instrument != about->header.instrument) continue;
      const venue::LimitKey& key = *venue::key_of(row.kind);
      const auto instrument = std::ranges::find(config_.instruments, row.instrument, &simulate::InstrumentConfig::id);
      answer.rows.push_back({row.of == LimitOf::user      ? exchange_.users()[row.user].name
                             : row.of == LimitOf::account ? std::string(k_account) + std::string(row.account.view())
                                                          : "all",
                             row.instrument == 0 ? "" : instrument->symbol, std::string(key.name),
                             venue::text_of_limit(key, row.value), row.used == 0 ? "" : std::to_string(row.used),
                             std::to_string(partition->app_id()),
                             row.is_by_operator                                           ? "operator"
                             : static_cast<std::size_t>(row.kind) < market::k_limit_kinds ? "configuration"
                                                                                          : ""});
    }
  if (answer.rows.empty()) answer.text = "no limits are set";
  return answer;
}

}  // namespace dojima::app
