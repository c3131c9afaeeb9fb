#include "dojima/app/admin/venue_admin.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>

#include "dojima/app/admin/venue_words.hpp"
#include "dojima/market/day.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/instrument_day.hpp"

namespace dojima::app {
namespace {

using measure::Gauge;
using measure::GaugeBoard;
using simulate::InstrumentConfig;

constexpr std::string_view k_reason = "--";

constexpr std::array<AdminVerb, 27> k_verbs = {{
    {"status", "", "what the venue does, and how much of what it has is used", false},
    {"sessions", "", "who is logged on", false},
    {"users", "", "every user: its session, its open orders, locks and kill switches", false},
    {"instruments", "", "every instrument: its partition, its phase, its best prices", false},
    {"audit", "[N]", "the last things that the operator did: when, who, what, why", false},
    {"lock", "USER [-- WHY]", "the user cannot log on; who is logged on stays so", true},
    {"unlock", "USER [-- WHY]", "the user may log on again", true},
    {"expire", "USER [-- WHY]", "the user's next logon has to bring a new password", true},
    {"user", "add|remove|role|password|lock|unlock|expire USER [...] [-- WHY]",
     "users while it runs: add USER HASH [read] [first] [account=ACCOUNT] [KEY=VALUE...], with limits as of the verb "
     "limits; remove USER, role USER trade|read, password USER HASH [first]; HASH is what dojima config hash-password "
     "prints",
     true},
    {"logout", "USER [-- WHY]", "ends a user's session; it may log on again", true},
    {"limits", "[WHO [INSTRUMENT] [KEY=VALUE...]] [-- WHY]",
     "shows limits, or sets them from now on; WHO: a USER, account:NAME or all; 0 takes one away", true, true},
    {"kill", "USER|account:NAME|all [cancel] [-- WHY]",
     "refuses orders, replaces and quotes; cancel: and cancels what is open", true},
    {"revive", "USER|account:NAME|all [-- WHY]", "takes a kill switch back; all: every one", true},
    {"cancel", "USER|account:NAME|all [INSTRUMENT|SEGMENT] [-- WHY]", "cancels open orders", true},
    {"bust", "INSTRUMENT TRADE [-- WHY]", "takes a trade back; both sides get a report of it", true},
    {"correct", "INSTRUMENT TRADE PRICE [-- WHY]", "gives a trade another price; both sides get reports of it", true},
    {"halt", "INSTRUMENT|SEGMENT|all [-- WHY]", "nothing enters and nothing trades", true},
    {"resume", "INSTRUMENT|SEGMENT|all [-- WHY]", "goes on: by its timetable with a re-opening call", true},
    {"suspend", "INSTRUMENT|SEGMENT [-- WHY]", "no orders, replaces and quotes of anybody; what is open stays", true},
    {"delist", "INSTRUMENT|SEGMENT [-- WHY]", "likewise, and cancels what is open", true},
    {"list", "INSTRUMENT|SEGMENT [-- WHY]", "takes orders again, suspended, delisted or beyond its days", true},
    {"phase", "INSTRUMENT|all PHASE [-- WHY]", "sets the phase of instruments without a timetable", true},
    {"end-of-day", "[-- WHY]", "day orders of instruments without a timetable expire", true},
    {"next-day", "[-- WHY]", "logs everybody out; reports and market data are numbered from 1 again", true},
    {"drain", "[-- WHY]", "refuses new orders of all users; what is open can be changed and cancelled", true},
    {"undrain", "[-- WHY]", "takes new orders again", true},
    {"recovery", "off|on [PARTITION] [-- WHY]",
     "off: the recovery channel serves nothing of a partition, or of any, and says so; who asks waits", true},
}};

constexpr std::string_view k_day_phases[] = {
    "no day",        "start of day",       "opening call",        "opening extension", "regular trading",
    "intraday call", "intraday extension", "volatility halt",     "re-opening call",   "re-opening extension",
    "closing call",  "closing extension",  "closing price cross", "post close",        "end of day",
    "halted"};

struct Counter {
  const char* name;
  std::uint64_t venue::FrontCounters::* value;
  const char* help;
};

using Counters = venue::FrontCounters;
constexpr Counter k_counters[] = {
    {"dojima_venue_connections_total", &Counters::connections, "Connections that were taken"},
    {"dojima_venue_connections_refused_total", &Counters::connections_refused, "Connections without a free session"},
    {"dojima_venue_logons_total", &Counters::logons, "Logons that were taken"},
    {"dojima_venue_logons_refused_total", &Counters::logons_refused, "Logons that were refused"},
    {"dojima_venue_logons_delayed_total", &Counters::logons_delayed, "Logons that had to wait"},
    {"dojima_venue_logons_busy_total", &Counters::logons_busy, "Logons refused as too many waited for a comparison"},
    {"dojima_venue_commands_total", &Counters::commands, "Commands that a partition took"},
    {"dojima_venue_partitions_unavailable_total", &Counters::unavailable,
     "Times that a partition's journal began to refuse orders, which users are told"},
    {"dojima_venue_reports_sent_total", &Counters::reports_sent, "Reports that were sent to users"},
    {"dojima_venue_reports_missed_total", &Counters::reports_missed, "Reports whose user was not logged on"},
    {"dojima_venue_sessions_ended_total", &Counters::sessions_ended, "Sessions that did not read"},
    {"dojima_venue_trades_busted_total", &Counters::trades_busted, "Trades that were taken back"},
    {"dojima_venue_trades_corrected_total", &Counters::trades_corrected, "Trades that were given another price"},
    {"dojima_venue_day_starts_total", &Counters::days_begun, "Days that began with their numbers since the start"},
};
/// Why a partition refuses, as figures call it. Those of limits come first (docs/risk.md).
struct NamedReason {
  std::string_view name;
  market::Reason reason;
};
constexpr NamedReason k_named_reasons[] = {{"killed", market::Reason::killed},
                                           {"not permitted", market::Reason::not_permitted},
                                           {"rate", market::Reason::rate_exceeded},
                                           {"quantity", market::Reason::quantity_out_of_range},
                                           {"price collar", market::Reason::price_collar},
                                           {"no price", market::Reason::no_price},
                                           {"value", market::Reason::value_out_of_range},
                                           {"open orders", market::Reason::too_many_orders},
                                           {"open value", market::Reason::open_value},
                                           {"position", market::Reason::position_limit},
                                           {"duplicate", market::Reason::duplicate_order},
                                           {"repeated executions", market::Reason::repeated_executions},
                                           {"no room for limits", market::Reason::limits_full},
                                           {"unknown instrument", market::Reason::unknown_instrument},
                                           {"unknown order", market::Reason::unknown_order},
                                           {"not the owner", market::Reason::not_owner},
                                           {"not supported", market::Reason::not_supported},
                                           {"off tick", market::Reason::price_not_on_tick},
                                           {"price out of range", market::Reason::price_out_of_range},
                                           {"other side", market::Reason::side_mismatch},
                                           {"nothing changed", market::Reason::nothing_changed},
                                           {"executed already", market::Reason::quantity_already_executed},
                                           {"no room for orders", market::Reason::order_table_full},
                                           {"no room for levels", market::Reason::levels_full},
                                           {"book closed", market::Reason::book_closed},
                                           {"time in force", market::Reason::time_in_force},
                                           {"display", market::Reason::display_not_allowed},
                                           {"linked order", market::Reason::linked_order},
                                           {"expiry passed", market::Reason::expiry_passed},
                                           {"self trade", market::Reason::self_trade},
                                           {"not passive", market::Reason::passive_only},
                                           {"wrong phase", market::Reason::wrong_phase}};

/// Of those that have no name, so that the figures add up to all.
std::uint64_t refused_otherwise(const simulate::Exchange& exchange) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; at <= static_cast<std::size_t>(market::k_last_reason); ++at) {
    const auto reason = static_cast<market::Reason>(at);
    if (std::ranges::find(k_named_reasons, reason, &NamedReason::reason) != std::end(k_named_reasons)) continue;
    for (const venue::Partition* partition : exchange.partitions()) count += partition->refused(reason);
  }
  return count;
}

std::uint64_t refused_by(const simulate::Exchange& exchange, market::Reason reason) {
  std::uint64_t count = 0;
  for (const venue::Partition* partition : exchange.partitions()) count += partition->refused(reason);
  return count;
}

constexpr const char* k_refused = "dojima_venue_commands_refused_total";
constexpr const char* k_refused_help = "Commands that were refused, by the reason";
constexpr const char* k_applied = "dojima_venue_posted_commands_total";
constexpr const char* k_applied_help =
    "Requests that were posted to a partition with a thread, by the thread that applied them";
constexpr const char* k_used = "dojima_venue_used";
constexpr const char* k_used_help = "How much of a capacity is used";
constexpr const char* k_capacity = "dojima_venue_capacity";
constexpr const char* k_capacity_help = "How much of it there is; what is taken at the start, and never grows";

std::string joined(std::span<const std::string> words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string price_text(std::optional<market::Price> price) {
  std::array<char, market::k_price_text_max> text{};
  return price ? std::string(market::format_price(*price, text)) : std::string();
}

/// The side of an instrument with the most price levels, of a partition whose instruments are looked at a few at a
/// time: each publication costs the same, however many there are.
class LevelLook {
 public:
  /// The most, as of the last time that all of them were looked at; so far, before that.
  [[nodiscard]] std::uint64_t go_on(const venue::Partition& partition) {
    constexpr std::size_t k_instruments = 64;
    const std::span<const market::Instrument> all = partition.instruments();
    for (std::size_t count = 0; count < k_instruments && at_ < all.size(); ++count, ++at_) {
      const book::Book& book = *partition.book(all[at_].id);
      for (const market::Side side : {market::Side::buy, market::Side::sell})
        found_ = std::max<std::uint64_t>(found_, book.level_count(side));
    }
    if (at_ < all.size()) return std::max(most_, found_);
    at_ = 0;
    return most_ = std::exchange(found_, 0);
  }

 private:
  std::size_t at_ = 0;
  std::uint64_t found_ = 0, most_ = 0;
};

}  // namespace

struct VenueAdmin::Figures {
  struct OfPartition {
    Gauge& live_orders;
    Gauge& order_limit;
    Gauge& command;
    Gauge& waiting_commands;
    Gauge& reports;
    Gauge& report_lag;
    Gauge& orders_used;
    Gauge& lag_used;
    Gauge& trades_used;
    Gauge& limits_used;
    Gauge& recent_used;
    Gauge& levels_used;
    Gauge& by_thread;
    Gauge& by_sessions;
    Gauge& most_posted;
    Gauge *segments = nullptr, *bytes = nullptr;  // without a journal on disk
  };
  struct OfCopies {
    Gauge* readers = nullptr;
    Gauge* sent = nullptr;
    Gauge* archived = nullptr;
    Gauge* ended = nullptr;
    Gauge* refused = nullptr;
  };
  Figures(const VenueConfig& config, const simulate::Exchange& exchange, GaugeBoard& board)
      : logged_on(board.gauge("dojima_venue_users_logged_on", "Users that are logged on")),
        sessions_free(board.gauge("dojima_venue_sessions_free", "Connections that can still be taken")),
        lagging(board.gauge("dojima_venue_users_lagging", "Users that do not read as fast as the venue reports")),
        sessions_used(board.gauge(k_used, k_used_help, {{"what", "sessions"}})),
        spare_users_used(board.gauge(k_used, k_used_help, {{"what", "spare users"}})),
        is_draining(board.gauge("dojima_venue_draining", "Whether new orders of all users are refused")),
        real_time(connections(board, "real-time")),
        recovery(connections(board, "recovery")),
        operations(board.counter("dojima_venue_operations_total", "What the operator's log holds")),
        refused(board.counter(k_refused, k_refused_help, {{"reason", "partition"}})),
        refused_drained(board.counter(k_refused, k_refused_help, {{"reason", "drained"}})),
        refused_otherwise(board.counter(k_refused, k_refused_help, {{"reason", "other"}})) {
    for (const Counter& each : k_counters) counters.push_back(&board.counter(each.name, each.help));
    for (const NamedReason& each : k_named_reasons)
      refused_by_partitions.push_back(&board.counter(k_refused, k_refused_help, {{"reason", std::string(each.name)}}));
    for (const venue::Partition* partition : exchange.partitions()) {
      const std::string number = std::to_string(partition->app_id());
      const GaugeBoard::Labels labels = {{"partition", number}};
      partitions.push_back(
          {.live_orders = board.gauge("dojima_venue_live_orders", "Orders that are open", labels),
           .order_limit = board.gauge("dojima_venue_order_limit", "Orders that can be open", labels),
           .command = board.gauge("dojima_venue_last_command", "The number of the last command", labels),
           .waiting_commands =
               board.gauge("dojima_venue_journal_lag_commands", "Commands whose reports wait for the journal", labels),
           .reports = board.gauge("dojima_venue_next_report", "The number of the next report", labels),
           .report_lag =
               board.gauge("dojima_venue_report_lag", "Reports that the slowest user has not been sent", labels),
           .orders_used = board.gauge(k_used, k_used_help, {{"what", "orders"}, {"partition", number}}),
           .lag_used = board.gauge(k_used, k_used_help, {{"what", "report lag"}, {"partition", number}}),
           .trades_used = board.gauge(k_used, k_used_help, {{"what", "trades"}, {"partition", number}}),
           .limits_used = board.gauge(k_used, k_used_help, {{"what", "limits"}, {"partition", number}}),
           .recent_used = board.gauge(k_used, k_used_help, {{"what", "recent orders"}, {"partition", number}}),
           .levels_used = board.gauge(k_used, k_used_help, {{"what", "levels"}, {"partition", number}}),
           .by_thread = board.counter(k_applied, k_applied_help, {{"by", "partition"}, {"partition", number}}),
           .by_sessions = board.counter(k_applied, k_applied_help, {{"by", "sessions"}, {"partition", number}}),
           .most_posted = board.gauge("dojima_venue_most_posted",
                                      "The most commands in a partition's ring between two instants", labels)});
      partitions.back().order_limit.set(std::uint64_t{config.orders});
      if (!exchange.journaled().empty()) {
        partitions.back().segments =
            &board.gauge("dojima_venue_journal_segments", "Files of the journal, those made ready included", labels);
        partitions.back().bytes = &board.gauge("dojima_venue_journal_bytes", "What they take of the disk", labels);
      }
      board.gauge(k_capacity, k_capacity_help, {{"what", "orders"}, {"partition", number}})
          .set(std::uint64_t{config.orders});
      const venue::PartitionUse use = partition->use();
      for (const auto& [what, most] : {std::pair{"report lag", std::uint64_t{config.maximum_lag}},
                                       {"trades", std::uint64_t{use.trades_most}},
                                       {"limits", std::uint64_t{use.limits_most}},
                                       {"recent orders", std::uint64_t{use.limits_most}},
                                       {"levels", std::uint64_t{config.levels}}})
        board.gauge(k_capacity, k_capacity_help, {{"what", what}, {"partition", number}}).set(most);
    }
    board.gauge(k_capacity, k_capacity_help, {{"what", "sessions"}}).set(std::uint64_t{config.connections});
    board.gauge(k_capacity, k_capacity_help, {{"what", "spare users"}})
        .set(static_cast<std::uint64_t>(
            std::ranges::count(exchange.users(), true, &simulate::VenueUserConfig::is_spare)));
    looks.resize(partitions.size());
    if (exchange.copies() == nullptr) return;
    drop_copies = &connections(board, "drop copies");
    copies = {.readers = &board.gauge("dojima_copies_readers", "Readers of drop copies that are logged on"),
              .sent = &board.counter("dojima_copies_reports_sent_total", "Copies of reports that were sent"),
              .archived = &board.counter("dojima_copies_archived_total", "Times that a journal was read for a reader"),
              .ended = &board.counter("dojima_copies_sessions_ended_total", "Readers behind what is kept"),
              .refused = &board.counter("dojima_copies_logons_refused_total", "Logons of readers that were refused")};
  }

  Gauge& logged_on;
  Gauge& sessions_free;
  Gauge& lagging;
  Gauge& sessions_used;
  Gauge& spare_users_used;
  Gauge& is_draining;
  Gauge &real_time, &recovery;
  Gauge* drop_copies = nullptr;  // null: there are none
  Gauge& operations;
  Gauge& refused;
  Gauge& refused_drained;
  Gauge& refused_otherwise;
  std::vector<Gauge*> counters;
  std::vector<Gauge*> refused_by_partitions;  // as k_named_reasons
  std::vector<OfPartition> partitions;
  std::vector<LevelLook> looks;  // as partitions
  OfCopies copies;

 private:
  static Gauge& connections(GaugeBoard& board, std::string_view channel) {
    return board.gauge("dojima_venue_connections", "Connections by their channel, logged on or not",
                       {{"channel", channel}});
  }
};

VenueAdmin::VenueAdmin(const VenueConfig& config, simulate::Exchange& exchange, venue::OperatorLog& log,
                       GaugeBoard& board)
    : config_(config), exchange_(exchange), log_(log), figures_(std::make_unique<Figures>(config, exchange, board)) {}

VenueAdmin::~VenueAdmin() = default;

std::span<const AdminVerb> VenueAdmin::verbs() const {
  return k_verbs;
}

void VenueAdmin::publish(time::Time) {
  const venue::Front& front = exchange_.front();
  const Counters& counters = front.counters();
  for (std::size_t at = 0; at < std::size(k_counters); ++at)
    figures_->counters[at]->set(counters.*(k_counters[at].value));
  figures_->logged_on.set(std::uint64_t{front.logged_on()});
  figures_->sessions_free.set(std::uint64_t{front.free_sessions()});
  figures_->lagging.set(std::uint64_t{front.lagging()});
  figures_->sessions_used.set(std::uint64_t{config_.connections - front.free_sessions()});
  figures_->spare_users_used.set(static_cast<std::uint64_t>(std::ranges::count_if(
      exchange_.users(), [](const simulate::VenueUserConfig& user) { return user.is_spare && !user.name.empty(); })));
  figures_->real_time.set(std::uint64_t{config_.connections - front.free_sessions()});
  figures_->recovery.set(std::uint64_t{exchange_.recovery().connections()});
  figures_->is_draining.set(front.is_draining());
  figures_->operations.set(log_.size());
  figures_->refused.set(counters.commands_refused);
  for (std::size_t at = 0; at < std::size(k_named_reasons); ++at)
    figures_->refused_by_partitions[at]->set(refused_by(exchange_, k_named_reasons[at].reason));
  figures_->refused_otherwise.set(refused_otherwise(exchange_));
  figures_->refused_drained.set(counters.drained_refused);
  for (std::size_t at = 0; at < figures_->partitions.size(); ++at) {
    const venue::Partition& partition = *exchange_.partitions()[at];
    Figures::OfPartition& figures = figures_->partitions[at];
    figures.live_orders.set(std::uint64_t{partition.live_orders()});
    figures.command.set(partition.last_command().value);
    figures.waiting_commands.set(partition.last_command().value - partition.durable().value);
    figures.reports.set(partition.reports().next_number().value);
    figures.orders_used.set(std::uint64_t{partition.live_orders()});
    figures.report_lag.set(front.lag(at));
    figures.lag_used.set(front.lag(at));
    const venue::PartitionUse use = partition.use();
    figures.trades_used.set(std::uint64_t{use.trades});
    figures.limits_used.set(std::uint64_t{use.limits});
    figures.recent_used.set(std::uint64_t{use.recent_orders});
    figures.levels_used.set(figures_->looks[at].go_on(partition));
    if (figures.segments != nullptr) {
      const journal::JournalFiles files = exchange_.journaled()[at]->journal().files();
      figures.segments->set(files.segments);
      figures.bytes->set(files.bytes);
    }
    if (exchange_.threads() == nullptr) continue;
    const venue::PartitionThreadCounters& counters_of_thread = exchange_.threads()->counters(at);
    figures.by_thread.set(counters_of_thread.by_thread);
    figures.by_sessions.set(counters_of_thread.by_sessions);
    figures.most_posted.set(counters_of_thread.most_posted);
  }
  const venue::CopyFront* const copies = exchange_.copies();
  if (copies == nullptr) return;
  figures_->drop_copies->set(std::uint64_t{copies->connections()});
  figures_->copies.readers->set(std::uint64_t{copies->logged_on()});
  figures_->copies.sent->set(copies->counters().reports_sent);
  figures_->copies.archived->set(copies->counters().archived);
  figures_->copies.ended->set(copies->counters().ended);
  figures_->copies.refused->set(copies->counters().logons_refused);
}

std::string VenueAdmin::waits_for() const {
  if (exchange_.front().is_ending_day()) return "its next day is about to begin";
  return exchange_.front().is_draining() ? "it is being drained" : "";
}

// ---- Commands ------------------------------------------------------------------------------------------------------

AdminAnswer VenueAdmin::on_command(Words words, time::Time now) {
  return on_command(words, "", now);
}

AdminAnswer VenueAdmin::on_command(Words words, std::string_view from, time::Time now) {
  const auto verb = std::ranges::find(k_verbs, words.front(), &AdminVerb::name);
  if (verb == k_verbs.end()) return AdminAnswer::refusal("there is no verb " + without_secrets(words, false).front());
  if (!verb->changes) return look(words);
  const auto end = std::ranges::find(words, k_reason);
  const auto size = static_cast<std::size_t>(end - words.begin());
  const Words what = words.first(size);
  const std::string why = end == words.end() ? std::string() : joined(words.subspan(size + 1));
  log_.set_author(from.empty() ? "operator" : std::string(from), words_for_log(what), why);
  AdminAnswer answer = change(what, now);
  log_.clear_author();
  return answer;
}

AdminAnswer VenueAdmin::look(Words words) const {
  const std::string& verb = words.front();
  if (verb == "audit") return audit(words);
  if (words.size() != 1) return AdminAnswer::refusal(verb + " takes no words");
  if (verb == "status") return status();
  if (verb == "instruments") return instruments();
  return sessions(verb == "users");
}

AdminAnswer VenueAdmin::change(Words words, time::Time now) {
  const std::string& verb = words.front();
  if (verb == "lock" || verb == "unlock") return lock(words, now);
  if (verb == "expire") return expire(words, now);
  if (verb == "user") return user(words, now);
  if (verb == "limits") return limits(words, now);
  if (verb == "kill" || verb == "revive") return kill(words, now);
  if (verb == "cancel") return cancel(words, now);
  if (verb == "bust") return bust(words, now);
  if (verb == "correct") return correct(words, now);
  if (verb == "logout") return log_out(words, now);
  if (verb == "halt" || verb == "resume") return halt(words, now);
  if (verb == "suspend" || verb == "delist" || verb == "list") return set_listed(words, now);
  if (verb == "phase") return phase(words, now);
  if (verb == "recovery") return recovery(words, now);
  if (words.size() != 1) return AdminAnswer::refusal(verb + " takes no words but a reason behind --");
  if (verb == "next-day") return next_day(now);
  return verb == "end-of-day" ? end_of_day(now) : drain(verb == "drain", now);
}

AdminAnswer VenueAdmin::status() const {
  const venue::Front& front = exchange_.front();
  AdminAnswer answer;
  answer.text = waits_for().empty() ? "ready" : waits_for();
  answer.columns = {"what", "value"};
  const auto row = [&](std::string what, std::uint64_t value) {
    answer.rows.push_back({std::move(what), std::to_string(value)});
  };
  row("day", front.day_number());
  row("users", front.users());
  row("users logged on", front.logged_on());
  row("sessions free", front.free_sessions());
  for (const venue::Partition* partition : exchange_.partitions()) {
    const std::string name = fmt::format("partition {} ", partition->app_id());
    row(name + "open orders", partition->live_orders());
    row(name + "last command", partition->last_command().value);
    row(name + "commands that wait for the journal", partition->last_command().value - partition->durable().value);
  }
  row("order records of each partition", config_.orders);
  for (const Counter& each : k_counters) {
    std::string what = each.name;
    what = what.substr(std::string_view("dojima_venue_").size());
    what.resize(what.size() - std::string_view("_total").size());
    std::ranges::replace(what, '_', ' ');
    row(std::move(what), front.counters().*(each.value));
  }
  row("commands refused, partition", front.counters().commands_refused);
  for (const NamedReason& each : k_named_reasons)
    row("commands refused, " + std::string(each.name), refused_by(exchange_, each.reason));
  row("commands refused, other", refused_otherwise(exchange_));
  row("commands refused, drained", front.counters().drained_refused);
  return answer;
}

AdminAnswer VenueAdmin::sessions(bool is_of_all) const {
  const venue::Front& front = exchange_.front();
  const venue::UserAccounts& accounts = front.accounts();
  const bool is_all_killed = exchange_.partitions().front()->is_killed(market::LimitOf::everybody);
  AdminAnswer answer;
  answer.columns = {"user", "account", "session", "logons", "open_orders", "notes"};
  for (std::uint16_t user = 0; user < front.users(); ++user) {
    if (accounts.is_vacant(user) || (!is_of_all && !front.is_logged_on(user))) continue;
    std::uint64_t open = 0;
    for (const venue::Partition* partition : exchange_.partitions()) open += partition->open_orders(user);
    std::string notes = accounts.is_removed(user) ? "removed" : accounts.is_locked(user) ? "locked" : "";
    if (exchange_.users()[user].role == simulate::UserRole::read) notes += notes.empty() ? "reads" : ", reads";
    if (accounts.access_of(user).is_expired) notes += notes.empty() ? "expired" : ", expired";
    if (accounts.is_killed(user) || is_all_killed) notes += notes.empty() ? "killed" : ", killed";
    answer.rows.push_back({exchange_.users()[user].name, exchange_.users()[user].account,
                           front.is_logged_on(user) ? "up" : "down", std::to_string(front.logons(user)),
                           std::to_string(open), std::move(notes)});
  }
  return answer;
}

AdminAnswer VenueAdmin::instruments() const {
  AdminAnswer answer;
  answer.columns = {"id",      "symbol", "partition", "segment", "phase",    "bid", "ask",
                    "listing", "isin",   "sedol",     "name",    "currency", "lot"};
  const std::map<std::uint32_t, bool> unlisted = unlisted_instruments();
  for (const InstrumentConfig& instrument : config_.instruments) {
    const venue::Partition& partition = partition_of(instrument);
    const book::Book* const book = partition.book(instrument.id);
    const venue::InstrumentDay* const day = partition.day(instrument.id);
    std::string phase;
    if (day != nullptr) phase = k_day_phases[static_cast<std::size_t>(day->phase())];
    for (const PhaseName& each : k_phases)
      if (day == nullptr && each.phase == book->phase()) phase = each.name;
    answer.rows.push_back({std::to_string(instrument.id), instrument.symbol, std::to_string(instrument.partition),
                           instrument.segment, std::move(phase), price_text(book->best(market::Side::buy)),
                           price_text(book->best(market::Side::sell)), listing_of(unlisted, instrument.id),
                           instrument.isin, instrument.sedol, instrument.name, instrument.currency,
                           std::to_string(instrument.lot)});
  }
  return answer;
}

AdminAnswer VenueAdmin::audit(Words words) const {
  constexpr std::uint64_t k_shown = 20;
  const auto wanted = words.size() == 2 ? number_of(words[1]) : std::optional(k_shown);
  if (words.size() > 2 || !wanted) return AdminAnswer::refusal("audit takes a number of records, or nothing");
  AdminAnswer answer;
  answer.columns = {"when", "who", "what", "why", "user", "access"};
  const auto& recent = log_.recent();
  for (std::size_t at = recent.size() - std::min<std::uint64_t>(*wanted, recent.size()); at < recent.size(); ++at) {
    const venue::OperatorRecord& record = recent[at];
    std::array<char, time::k_timestamp_max> when{};
    std::string access;
    if (!record.user.empty())
      access = record.access.is_removed ? "removed" : record.access.is_locked ? "locked" : "may log on";
    if (!record.user.empty())
      access += record.access.is_killed                         ? ", killed"
                : record.access.right == venue::UserRight::read ? ", may read"
                                                                : ", may trade";
    answer.rows.push_back({std::string(time::format_timestamp(record.time, 3, when)), record.who, record.words,
                           record.why, record.user, std::move(access)});
  }
  return answer;
}

}  // namespace dojima::app
