// What the operator of a venue may change.

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/core.h>
#include <iterator>

#include "dojima/app/admin/venue_admin.hpp"
#include "dojima/app/admin/venue_words.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/market/day.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/limit_keys.hpp"

namespace dojima::app {

using simulate::InstrumentConfig;

namespace {

// Before the name of a place, where it says which of the two is meant.
constexpr std::string_view k_instrument = "instrument:", k_segment = "segment:";

}  // namespace

AdminAnswer VenueAdmin::lock(Words words, time::Time now) {
  if (words.size() != 2) return AdminAnswer::refusal(words.front() + " takes a USER");
  const auto users = users_of(words[1]);
  if (users.size() != 1 || words[1] == "all") return unknown_user(words[1]);
  const bool is_locked = words.front() == "lock";
  venue::Front& front = exchange_.front();
  if (front.accounts().is_locked(users.front()) == is_locked)
    return AdminAnswer::refusal(fmt::format("{} is {}locked", words[1], is_locked ? "already " : "not "));
  if (const auto done = front.accounts().set_locked(users.front(), is_locked, now); !done)
    return refusal_of(done.error());
  if (!is_locked) return {.text = words[1] + " may log on"};
  return {.text =
              fmt::format("{} cannot log on{}", words[1],
                          front.is_logged_on(users.front()) ? "; it is logged on and stays so: logout ends that" : "")};
}

namespace {

constexpr std::string_view k_scrypt = "$scrypt$";

AdminAnswer password_refusal(const std::string& word) {
  return AdminAnswer::refusal(
      (word.starts_with(k_scrypt) ? "this is not" : "a password is never sent as it is, but as") +
      std::string(" what dojima config hash-password makes of it: $scrypt$ln=14,r=8,p=1$SALT$KEY"));
}

}  // namespace

std::string VenueAdmin::words_for_log(Words words) {
  std::string text;
  for (const std::string& word : without_secrets(words, true)) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Locks, and what expires, have verbs of their own, too.
AdminAnswer VenueAdmin::user(Words words, time::Time now) {
  constexpr std::string_view k_what =
      "user takes add USER HASH [read] [first] [account=ACCOUNT] [KEY=VALUE...], remove USER, role USER trade|read, "
      "password USER HASH [first], or lock, unlock or expire USER";
  if (words.size() < 3) return AdminAnswer::refusal(std::string(k_what));
  const std::string& what = words[1];
  if (what == "lock" || what == "unlock") return lock(words.subspan(1), now);
  if (what == "expire") return expire(words.subspan(1), now);
  try {
    if (what == "add") return add_user(words, now);
    if (what == "password") return set_password(words, now);
    const auto users = users_of(words[2]);
    if (users.size() != 1 || words[2] == "all" || exchange_.users()[users.front()].is_removed)
      return what == "remove" || what == "role" ? unknown_user(words[2]) : AdminAnswer::refusal(std::string(k_what));
    if (what == "remove" && words.size() == 3) {
      if (const auto done = exchange_.remove_user(users.front(), now); !done) return refusal_of(done.error());
      return {.text = words[2] + " is no user any more; its session ends and its open orders are being cancelled"};
    }
    if (what == "role" && words.size() == 4 && (words[3] == "trade" || words[3] == "read")) {
      const auto role = words[3] == "read" ? simulate::UserRole::read : simulate::UserRole::trade;
      if (exchange_.users()[users.front()].role == role)
        return AdminAnswer::refusal(words[2] + " has this role already");
      if (const auto done = exchange_.set_role(users.front(), role, now); !done) return refusal_of(done.error());
      return {.text = fmt::format("{} may {} from now on, whatever its [[user]] says", words[2], words[3])};
    }
  } catch (const std::exception& trouble) {  // what its role says could not be set in a partition
    return AdminAnswer::refusal(trouble.what());
  }
  return AdminAnswer::refusal(std::string(k_what));
}

struct VenueAdmin::AddedUser {
  venue::NewUser user;
  std::string account;
  std::vector<std::string> limits;
};

AdminAnswer VenueAdmin::add_user(Words words, time::Time now) {
  if (words.size() < 4) return AdminAnswer::refusal("user add takes a USER and what is kept of its password");
  AddedUser added{.user = {.name = words[2], .password = words[3]}, .account = {}, .limits = {}};
  venue::NewUser& user = added.user;
  if (!is_scrypt_text(user.password)) return password_refusal(words[3]);
  constexpr std::string_view k_in_account = "account=";
  for (const std::string& word : words.subspan(4)) {
    if (word == "read") {
      user.right = venue::UserRight::read;
    } else if (word == "first") {
      user.must_change_password = true;
    } else if (word.starts_with(k_in_account)) {
      added.account = word.substr(k_in_account.size());
    } else if (venue::find_limit_key(std::string_view(word).substr(0, word.find('='))) != nullptr) {
      added.limits.push_back(word);
    } else {  // it may be a password, and what is refused is logged
      return AdminAnswer::refusal(
          "user add USER HASH may be followed by read, first, account=ACCOUNT and limits as KEY=VALUE, and by nothing "
          "else");
    }
  }
  if (words[2] == "all" || words[2].starts_with("account:"))
    return AdminAnswer::refusal("a user cannot be called " + words[2] + ", which means others here");
  if (user.must_change_password && !config_.logon.takes_new_passwords)
    return AdminAnswer::refusal("users cannot choose passwords here: logon.new_passwords is false");
  const auto place = place_for(added);
  if (!place) return place.error();
  user.place = *place;
  market::RiskCommand about = *command_about("all");
  about.of = market::LimitOf::user;
  about.header.user = *place;
  auto limits = limits_in(added.limits, about, user.name, user.right == venue::UserRight::read);
  if (!limits) return std::move(limits.error());
  const auto number = exchange_.add_user(user, now);
  if (!number) return refusal_of_user(added, number.error());
  if (const auto done = set_limits(*limits, now); !done)
    return AdminAnswer::refusal(fmt::format("{} is user {}, but not all its limits are set: {}; limits {} shows them",
                                            user.name, *number, refusal_of(done.error()).text, user.name));
  const std::string& account = exchange_.users()[*number].account;
  std::string text = fmt::format("{} is user {} and may {}{}", user.name, *number,
                                 user.right == venue::UserRight::read ? "read" : "trade",
                                 user.must_change_password ? ", once it has chosen a password" : "");
  text += account.empty() ? "; it has no account" : "; its account is " + account;
  if (!limits->empty()) text += fmt::format(", {} limits are set", limits->size());
  return {.text = std::move(text)};
}

std::expected<std::uint16_t, AdminAnswer> VenueAdmin::place_for(const AddedUser& added) const {
  const auto& users = exchange_.users();
  const auto known = std::ranges::find(users, added.user.name, &simulate::VenueUserConfig::name);
  if (known != users.end()) {
    if (!known->is_removed)
      return std::unexpected(AdminAnswer::refusal("there is a user " + added.user.name + " already"));
    if (!added.account.empty() && known->account != added.account)
      return std::unexpected(AdminAnswer::refusal(
          fmt::format("{} comes back in its own place, {}", added.user.name,
                      known->account.empty() ? "which has no account" : "whose account is " + known->account)));
    return static_cast<std::uint16_t>(known - users.begin());
  }
  std::string accounts;
  bool is_any = false;
  for (std::size_t at = 0; at < users.size(); ++at) {
    if (!users[at].name.empty()) continue;
    if (users[at].account == added.account) return static_cast<std::uint16_t>(at);
    is_any = true;
    if (!users[at].account.empty() && accounts.find(users[at].account) == std::string::npos)
      accounts += (accounts.empty() ? "" : ", ") + users[at].account;
  }
  if (!is_any) return std::unexpected(refusal_of_user(added, {.code = ErrorCode::no_room, .got = 0}));
  const std::string left = accounts.empty() ? "those that are left have none" : "there are some with " + accounts;
  return std::unexpected(AdminAnswer::refusal(
      added.account.empty() ? fmt::format("no place without an account is left; {}: account=ACCOUNT", left)
                            : fmt::format("no place with the account {} is left; {}", added.account, left)));
}

AdminAnswer VenueAdmin::refusal_of_user(const AddedUser& added, const Error& error) const {
  switch (error.code) {
    case ErrorCode::duplicate:
      return AdminAnswer::refusal("there is a user " + added.user.name + " already");
    case ErrorCode::not_supported:
      return no_passwords();
    case ErrorCode::no_room:
      if (error.got >= 0)
        return AdminAnswer::refusal(fmt::format(
            "all places are taken: limits.spare_users and [[spare_user]] have {}, and a journal keeps as many "
            "as it began with",
            std::ranges::count_if(exchange_.users(), &simulate::VenueUserConfig::is_spare)));
      return refusal_of(error);
    default:
      return refusal_of(error);
  }
}

AdminAnswer VenueAdmin::no_passwords() {
  return AdminAnswer::refusal("passwords are not kept: logon.password_file names no file");
}

AdminAnswer VenueAdmin::set_password(Words words, time::Time now) {
  const bool is_first = words.size() == 5 && words[4] == "first";
  if (words.size() != 4 && !is_first)
    return AdminAnswer::refusal(
        "user password takes a USER and what is kept of its password, and may be followed by first");
  if (!is_scrypt_text(words[3])) return password_refusal(words[3]);
  const auto users = users_of(words[2]);
  if (users.size() != 1 || words[2] == "all" || exchange_.users()[users.front()].is_removed)
    return unknown_user(words[2]);
  if (is_first && !config_.logon.takes_new_passwords)
    return AdminAnswer::refusal("users cannot choose passwords here: logon.new_passwords is false");
  const auto done = exchange_.front().accounts().set_password(users.front(), words[3], is_first, now);
  if (!done) return done.error().code == ErrorCode::not_supported ? no_passwords() : refusal_of(done.error());
  return {.text = words[2] + " has to log on with its new password" + (is_first ? ", and to choose another then" : "")};
}

AdminAnswer VenueAdmin::expire(Words words, time::Time now) {
  if (words.size() != 2) return AdminAnswer::refusal("expire takes a USER");
  const auto users = users_of(words[1]);
  if (users.size() != 1 || words[1] == "all") return unknown_user(words[1]);
  if (!config_.logon.takes_new_passwords)
    return AdminAnswer::refusal("users cannot choose passwords here: logon.new_passwords is false");
  if (exchange_.front().accounts().access_of(users.front()).is_expired)
    return AdminAnswer::refusal(words[1] + " has to choose a new password already");
  if (const auto done = exchange_.front().accounts().expire_password(users.front(), now); !done)
    return refusal_of(done.error());
  return {.text = words[1] + " has to bring a new password with its next logon"};
}

AdminAnswer VenueAdmin::bust(Words words, time::Time now) {
  const auto trade = words.size() == 3 ? number_of(words[2]) : std::nullopt;
  if (!trade) return AdminAnswer::refusal("bust takes an INSTRUMENT and the number of a TRADE of it");
  const auto target = target_of(words[1]);
  if (!target || target->instruments.size() != 1 || !target->segment.empty() || target->is_all)
    return unknown_place(words[1], false);
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  const auto done = exchange_.front().bust_trade(target->instruments.front()->id, *trade, now);
  if (!done) return refusal_of(done.error());
  return {.text = fmt::format("trade {} of {} is taken back", *trade, words[1])};
}

AdminAnswer VenueAdmin::correct(Words words, time::Time now) {
  const auto trade = words.size() == 4 ? number_of(words[2]) : std::nullopt;
  if (!trade) return AdminAnswer::refusal("correct takes an INSTRUMENT, the number of a TRADE of it and a PRICE");
  const Result<market::Price> price = market::parse_price(words[3]);
  if (!price) return refusal_of(price.error());
  const auto target = target_of(words[1]);
  if (!target || target->instruments.size() != 1 || !target->segment.empty() || target->is_all)
    return unknown_place(words[1], false);
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  const auto done = exchange_.front().correct_trade(target->instruments.front()->id, *trade, *price, now);
  if (!done) return refusal_of(done.error());
  return {.text = fmt::format("trade {} of {} has the price {} now", *trade, words[1], words[3])};
}

AdminAnswer VenueAdmin::log_out(Words words, time::Time now) {
  if (words.size() != 2) return AdminAnswer::refusal("logout takes a USER");
  const auto users = users_of(words[1]);
  if (users.size() != 1 || words[1] == "all") return unknown_user(words[1]);
  if (!exchange_.front().is_logged_on(users.front())) return AdminAnswer::refusal(words[1] + " is not logged on");
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  if (const auto done = exchange_.front().log_out(users.front(), "logged out by the operator"); !done)
    return refusal_of(done.error());
  return {.text = words[1] + " is being logged out"};
}

/// With a timetable it is an event of the day; without one the phase of the book.
AdminAnswer VenueAdmin::halt(Words words, time::Time now) {
  if (words.size() != 2) return AdminAnswer::refusal(words.front() + " takes an INSTRUMENT, a SEGMENT or all");
  const auto target = target_of(words[1]);
  if (!target) return unknown_place(words[1]);
  const bool is_halt = words.front() == "halt";
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  for (const InstrumentConfig* instrument : target->instruments) {
    Result<void> done;
    if (has_timetable(*instrument)) {
      market::DayCommand command{.event = is_halt ? market::DayEvent::halt : market::DayEvent::resume};
      command.header.instrument = instrument->id;
      command.header.user = market::k_no_user;
      done = exchange_.front().operate(command.header, now);
    } else {
      market::PhaseChange command{.phase = is_halt ? market::Phase::halted : market::Phase::continuous};
      command.header.instrument = instrument->id;
      command.header.user = market::k_no_user;
      done = exchange_.front().operate(command.header, now);
    }
    if (!done) return refusal_of(done.error());
  }
  return {.text = fmt::format("{} instruments get the command: {}", target->instruments.size(), words.front())};
}

AdminAnswer VenueAdmin::phase(Words words, time::Time now) {
  const auto known = words.size() == 3 ? std::ranges::find(k_phases, words[2], &PhaseName::name) : std::end(k_phases);
  if (known == std::end(k_phases)) {
    std::string names;
    for (const PhaseName& each : k_phases) names += (names.empty() ? "" : ", ") + std::string(each.name);
    return AdminAnswer::refusal("phase takes an INSTRUMENT or all, and one of " + names);
  }
  const auto target = target_of(words[1]);
  if (!target) return unknown_place(words[1]);
  for (const InstrumentConfig* instrument : target->instruments)
    if (has_timetable(*instrument))
      return AdminAnswer::refusal(instrument->symbol +
                                  " follows the timetable of its segment; halt and resume go before it");
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  for (const InstrumentConfig* instrument : target->instruments) {
    market::PhaseChange command{.phase = known->phase, .is_uncrossed = known->phase != market::Phase::halted};
    // As with a timetable: before the first trade the last close decides.
    if (market::is_call(known->phase) && !partition_of(*instrument).book(instrument->id)->last_trade())
      command.reference = instrument->reference;
    command.header.instrument = instrument->id;
    command.header.user = market::k_no_user;
    if (const auto done = exchange_.front().operate(command.header, now); !done) return refusal_of(done.error());
  }
  return {.text = fmt::format("{} instruments are in {}", target->instruments.size(), known->name)};
}

AdminAnswer VenueAdmin::end_of_day(time::Time now) {
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  std::size_t ended = 0;
  for (const InstrumentConfig& instrument : config_.instruments) {
    if (has_timetable(instrument)) continue;
    ++ended;
    if (partition_of(instrument).slice() != 0) continue;  // of all of them with one command, below
    market::Expire command{.is_end_of_day = true};
    command.header.instrument = instrument.id;
    command.header.user = market::k_no_user;
    if (const auto done = exchange_.front().operate(command.header, now); !done) return refusal_of(done.error());
  }
  if (ended != 0 && exchange_.partitions().front()->slice() != 0) {
    market::Expire command{.is_end_of_day = true};
    command.header.flags = venue::k_untimed;
    command.header.user = market::k_no_user;
    if (const auto done = exchange_.front().operate(command.header, now); !done) return refusal_of(done.error());
  }
  if (ended == 0) return AdminAnswer::refusal("every instrument has a timetable, which ends the day");
  return {.text = fmt::format("the day of {} instruments is over", ended)};
}

AdminAnswer VenueAdmin::next_day(time::Time now) {
  venue::Front& front = exchange_.front();
  if (front.is_ending_day()) return AdminAnswer::refusal("the day is being ended already");
  for (const InstrumentConfig& instrument : config_.instruments)
    if (!partition_of(instrument).is_between_days())
      return AdminAnswer::refusal("the trading day of " + instrument.symbol + " is not over; its timetable ends it");
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  const std::size_t logged_on = front.logged_on();
  if (const auto done = front.end_day(now); !done) return refusal_of(done.error());
  return {.text = fmt::format("day {} is ending, day {} begins when all reports have left; {} users are logged out",
                              front.day_number(), front.day_number() + 1, logged_on)};
}

AdminAnswer VenueAdmin::drain(bool is_draining, time::Time now) {
  venue::Front& front = exchange_.front();
  if (front.is_draining() == is_draining)
    return AdminAnswer::refusal(is_draining ? "it is being drained already" : "it is not being drained");
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  front.set_draining(is_draining);
  if (!is_draining) return {.text = "new orders are taken again"};
  std::uint64_t open = 0;
  for (const venue::Partition* partition : exchange_.partitions()) open += partition->live_orders();
  return {.text = fmt::format("new orders are refused; {} are open", open)};
}

AdminAnswer VenueAdmin::recovery(Words words, time::Time now) {
  const bool is_off = words.size() > 1 && words[1] == "off";
  if (words.size() < 2 || words.size() > 3 || (!is_off && words[1] != "on"))
    return AdminAnswer::refusal("recovery takes off or on, and may be followed by the number of a PARTITION");
  if (config_.recovery_port < 0) return AdminAnswer::refusal("there is no recovery channel: recovery.port is not set");
  const auto number = words.size() == 3 ? number_of(words[2]) : std::nullopt;
  venue::RecoveryFront& recovery = exchange_.recovery();
  const auto& partitions = exchange_.partitions();
  std::vector<std::size_t> meant;
  for (std::size_t at = 0; at < partitions.size(); ++at)
    if (words.size() == 2 || (number && partitions[at]->app_id() == *number)) meant.push_back(at);
  if (meant.empty())
    return AdminAnswer::refusal(fmt::format("there is no partition {}; instruments has them", words[2]));
  std::erase_if(meant, [&](std::size_t at) { return recovery.is_available(at) != is_off; });
  const std::string which = words.size() == 3 ? "partition " + words[2] : "any partition";
  if (meant.empty())
    return AdminAnswer::refusal(
        is_off ? fmt::format("nothing of {} is served already", which)
               : fmt::format("{} is served already", words.size() == 3 ? which : "every partition"));
  if (!log_.keep_words(now))
    return refusal_of({.code = ErrorCode::no_room, .expected = "room in the operator's journal"});
  for (const std::size_t at : meant) recovery.set_available(at, !is_off);
  return {.text = is_off ? fmt::format("the recovery channel serves nothing of {}", which)
                         : fmt::format("the recovery channel serves {} again",
                                       words.size() == 3 ? which : "every partition")};
}

// ---- Words ---------------------------------------------------------------------------------------------------------

std::optional<VenueAdmin::Target> VenueAdmin::target_of(std::string_view word) const {
  const bool is_instrument = word.starts_with(k_instrument), is_segment = word.starts_with(k_segment);
  if (is_instrument || is_segment) word.remove_prefix(is_instrument ? k_instrument.size() : k_segment.size());
  Target target{.instruments = {}, .segment = {}, .is_all = word == "all" && !is_instrument && !is_segment};
  const auto id = number_of(word);
  for (const InstrumentConfig& instrument : config_.instruments) {
    const bool is_named = !is_segment && (instrument.symbol == word || (id && instrument.id == *id));
    if (target.is_all || is_named) target.instruments.push_back(&instrument);
  }
  if (!target.instruments.empty()) return target;
  for (const InstrumentConfig& instrument : config_.instruments)
    if (!is_instrument && !word.empty() && instrument.segment == word) target.instruments.push_back(&instrument);
  if (target.instruments.empty()) return std::nullopt;
  target.segment = target.instruments.front()->segment;
  return target;
}

AdminAnswer VenueAdmin::unknown_place(std::string_view word, bool takes_segments) {
  const bool is_instrument = word.starts_with(k_instrument), is_segment = word.starts_with(k_segment);
  if (is_instrument || is_segment) word.remove_prefix(is_instrument ? k_instrument.size() : k_segment.size());
  const bool is_either = takes_segments && !is_instrument && !is_segment;
  return AdminAnswer::refusal(fmt::format("there is no {} {}; instruments lists them",
                                          is_either                      ? "instrument or segment"
                                          : is_segment && takes_segments ? "segment"
                                                                         : "instrument",
                                          word));
}

/// Empty: there is no such user.
std::vector<std::uint16_t> VenueAdmin::users_of(std::string_view name) const {
  std::vector<std::uint16_t> users;
  for (std::size_t user = 0; user < exchange_.users().size(); ++user)
    if (!exchange_.users()[user].name.empty() && (name == "all" || exchange_.users()[user].name == name))
      users.push_back(static_cast<std::uint16_t>(user));
  return users;
}

AdminAnswer VenueAdmin::unknown_user(std::string_view name) const {
  return AdminAnswer::refusal(fmt::format("there is no user {}; users lists them", name));
}

AdminAnswer VenueAdmin::refusal_of(const Error& error) {
  std::array<char, 160> text{};
  return AdminAnswer::refusal(std::string(describe(error, text)));
}

bool VenueAdmin::has_timetable(const InstrumentConfig& instrument) const {
  return partition_of(instrument).day(instrument.id) != nullptr;
}

const venue::Partition& VenueAdmin::partition_of(const InstrumentConfig& instrument) const {
  const auto& partitions = exchange_.partitions();
  return **std::ranges::find_if(partitions, [&](const auto* each) { return each->app_id() == instrument.partition; });
}

}  // namespace dojima::app
