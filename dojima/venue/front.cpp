#include "dojima/venue/front.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/venue/partition/dispatch.hpp"

namespace dojima::venue {

using market::OwnerReport;
using market::OwnerReportKind;
using market::SessionEnd;

namespace {

constexpr std::size_t k_longest_name = 25;

FrontConfig checked(FrontConfig config, std::span<Partition* const> partitions) {
  if (partitions.empty()) throw std::invalid_argument("front: at least one partition");
  if (!std::has_single_bit(config.marked_one_in))
    throw std::invalid_argument("front: a power of two of requests, of which one is marked");
  if (config.sessions == 0) throw std::invalid_argument("front: at least one session");
  if (config.users.empty() || config.users.size() > 65'535) throw std::invalid_argument("front: 1 to 65535 users");
  for (auto user = config.users.begin(); user != config.users.end(); ++user) {
    if (user->name.empty() && user->password.empty()) continue;  // a place
    if (user->name.empty() || user->name.size() > k_longest_name || user->password.empty() ||
        (user->password.size() > k_longest_name && config.hasher == nullptr))
      throw std::invalid_argument("front: user names and passwords have 1 to 25 characters");
    if (std::any_of(config.users.begin(), user, [user](const UserConfig& other) { return other.name == user->name; }))
      throw std::invalid_argument("front: a user name is given once");
  }
  for (const Partition* partition : partitions)
    config.maximum_lag = std::min(config.maximum_lag, partition->reports().capacity() / 4);
  return config;
}

/// What a request of a user calls itself.
const Text<20>& client_order_id_of(const market::CommandHeader& header) {
  switch (header.type) {
    case market::CommandType::new_order:
      return as<market::NewOrder>(header).labels.client_order_id;
    case market::CommandType::replace:
      return as<market::Replace>(header).client_order_id;
    case market::CommandType::cancel:
      return as<market::Cancel>(header).client_order_id;
    case market::CommandType::quote:
      return as<market::Quote>(header).labels.client_order_id;
    default:
      DOJIMA_ASSERT(header.type == market::CommandType::mass_cancel, "a request of a user", header.type, header.user);
      return as<market::MassCancel>(header).client_order_id;
  }
}

std::size_t instruments_of(std::span<Partition* const> partitions) noexcept {
  std::size_t count = 0;
  for (const Partition* partition : partitions) count += partition->instruments().size();
  return count;
}

}  // namespace

Front::Front(FrontConfig config, sched::Scheduler& scheduler, std::span<Partition* const> partitions,
             measure::Probe* probe)
    : config_(checked(std::move(config), partitions)),
      scheduler_(scheduler),
      partitions_(partitions.begin(), partitions.end()),
      partition_of_instrument_(instruments_of(partitions)),
      accounts_(std::move(config_.users), config_.logon,
                {.passwords = config_.passwords, .access = config_.access, .hasher = config_.hasher}, partitions,
                scheduler.now()),
      users_(accounts_.size()),
      marks_(probe, config_.stages, config_.marked_one_in),
      flow_({.maximum_lag = config_.maximum_lag, .stall = config_.session.stall}, scheduler, partitions, users_,
            counters_, marks_),
      is_unavailable_(partitions.size()) {
  for (std::size_t at = 0; at < partitions_.size(); ++at) {
    for (const market::Instrument& instrument : partitions_[at]->instruments())
      if (!partition_of_instrument_.insert(instrument.id, static_cast<std::uint32_t>(at)))
        throw std::invalid_argument("front: an instrument is in one partition only");
  }
  for (FrontUser& user : users_) {
    user.lag.resize(partitions_.size());
    user.end_pending.resize(partitions_.size());
    user.begin.resize(partitions_.size());
    user.begin_number.resize(partitions_.size());
    user.status_due.resize(partitions_.size());
  }
  accounts_.kill_as_kept(scheduler_.now());
  catch_up_with_day();
  accounts_.cancel_of_removed(scheduler_.now());
  if (config_.threads != nullptr) config_.threads->set_taker(*this);
  hosts_.resize(config_.sessions);
  for (std::size_t at = 0; at < config_.sessions; ++at) {
    sessions_.push_back(std::make_unique<mit::ServerSession>(config_.session, *config_.dialect, scheduler, *this));
    sessions_.back()->set_number(static_cast<std::uint32_t>(at));
    free_.push_back(sessions_.back().get());
  }
}

Front::~Front() = default;

// ---- Sessions ------------------------------------------------------------------------------------------------------

link::Connection* Front::on_accept(const link::Address& peer) {
  if (free_.empty()) {
    ++counters_.connections_refused;
    return nullptr;
  }
  ++counters_.connections;
  mit::ServerSession* session = free_.back();
  free_.pop_back();
  hosts_[session->number()] = Text<64>::cut(peer.host);
  return session;
}

void Front::on_free(mit::ServerSession& session, Time) {
  free_.push_back(&session);
}

Cursor Front::session_begin(std::uint16_t user, std::size_t partition) const {
  DOJIMA_ASSERT(is_logged_on(user), "a session's reports begin where it began", user, partition);
  return users_[user].begin[partition];
}

market::Sequence Front::session_begin_number(std::uint16_t user, std::size_t partition) const {
  DOJIMA_ASSERT(is_logged_on(user), "a session's reports begin where it began", user, partition);
  return users_[user].begin_number[partition];
}

Duration Front::logon_delay(mit::ServerSession&, const mit::Logon& logon, Time now) {
  const Duration delay = accounts_.credentials().delay(logon, now);
  if (delay > Duration{0}) ++counters_.logons_delayed;
  return delay;
}

/// The session holds the user's number meanwhile.
Duration Front::logon_wait(mit::ServerSession& session, const mit::Logon& logon, Time) {
  PasswordAsker asker{.connection = session.number(), .user = session.user(), .host = hosts_[session.number()].view()};
  const Duration wait = accounts_.credentials().wait(logon, asker, is_turned_away_);
  session.set_user(asker.user);
  return wait;
}

mit::LogonReply Front::on_logon(mit::ServerSession& session, const mit::Logon& logon, Time now) {
  settle();
  ++counters_.logons_refused;
  if (std::exchange(is_turned_away_, false)) {
    ++counters_.logons_busy;
    return {.code = mit::code::k_logons_busy};
  }
  std::uint16_t index = 0;
  if (const mit::LogonReply who = accounts_.authenticate(logon, index, now); who.code != mit::code::k_success)
    return who;
  FrontUser* const user = &users_[index];
  // Until every partition knows that the old session ended, the user counts as logged in.
  if (user->session != nullptr || user->pending_end != SessionEnd::none)
    return {.code = mit::code::k_already_logged_in};
  if (is_ending_day_) return {.code = mit::code::k_system_suspended};
  const mit::LogonReply reply = accounts_.credentials().check_change(logon, index, now);
  if (reply.code != mit::code::k_success) return reply;
  const bool is_changed = !logon.new_password.is_empty();
  if (is_changed && !accounts_.keep_new_password(logon, index, now)) return {.code = mit::code::k_system_suspended};
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition) {
    market::UserCommand command{.header = {.user = index, .type = market::CommandType::logon}};
    if (submit(partition, command.header, now)) continue;
    if (is_changed) accounts_.take_back_password(index);
    return {.code = mit::code::k_system_suspended};
  }
  accounts_.commit(logon, index, now);
  if (is_changed) ++counters_.passwords_changed;
  --counters_.logons_refused;
  ++counters_.logons;
  user->session = &session;
  user->is_lagging = user->is_held = user->is_too_slow = user->is_day_over = false;
  // What was caused before belongs to the recovery channel, durable yet or not: when that has given all of it, the user
  // knows what became of everything it had sent before.
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition) {
    user->begin[partition].position = partitions_[partition]->reports().end();
    user->begin_number[partition] = partitions_[partition]->reports().next_number();
    user->status_due[partition] = is_unavailable_[partition];
  }
  ++user->logons;
  session.set_user(index);
  session.set_throttle(accounts_[index].throttle);
  return reply;
}

void Front::on_end(mit::ServerSession& session, SessionEnd end, Time now) {
  settle();
  const std::uint16_t index = session.user();
  FrontUser& user = users_[index];
  DOJIMA_ASSERT(user.session == &session, "the session that ends is the user's", index, user.session, user.pending_end);
  if (user.is_lagging) flow_.count_missed(user);
  user.session = nullptr;
  user.is_lagging = user.is_held = user.is_too_slow = false;
  if (std::exchange(user.is_day_over, false)) return;
  user.pending_end = end;
  std::fill(user.end_pending.begin(), user.end_pending.end(), std::uint8_t{1});
  submit_ends(index, now);
}

/// Submits the end of a user's session to the partitions. One that cannot take it now is tried again at the end of
/// every instant.
void Front::submit_ends(std::uint16_t index, Time now) {
  FrontUser& user = users_[index];
  bool is_done = true;
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition) {
    if (user.end_pending[partition] == 0) continue;
    market::UserCommand command{.header = {.user = index, .type = market::CommandType::end_session},
                                .end = user.pending_end};
    if (submit(partition, command.header, now))
      user.end_pending[partition] = 0;
    else
      is_done = false;
  }
  if (is_done)
    user.pending_end = SessionEnd::none;
  else
    is_any_end_pending_ = true;
}

void Front::logout_all(std::string_view text) {
  for (FrontUser& user : users_)
    if (user.session != nullptr) user.session->logout(text);
}

std::size_t Front::logged_on() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(users_.begin(), users_.end(), [](const FrontUser& user) { return user.session != nullptr; }));
}

std::size_t Front::lagging() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(users_, &FrontUser::is_lagging));
}

std::size_t Front::finish(Time now) {
  settle();
  if (is_any_end_pending_) {
    is_any_end_pending_ = false;
    for (std::size_t user = 0; user < users_.size(); ++user)
      if (users_[user].pending_end != SessionEnd::none) submit_ends(static_cast<std::uint16_t>(user), now);
  }
  const std::size_t sent = flow_.send(now, !is_ending_day_);
  if (is_any_unavailable_) [[unlikely]]
    say_unavailable();
  if (is_ending_day_) [[unlikely]]
    go_on_to_next_day(now);
  return sent;
}

// ---- Commands ------------------------------------------------------------------------------------------------------

/// The partition of an instrument; for one that no partition has, the first, which refuses it in its sequence.
[[gnu::always_inline]] inline std::size_t Front::route(std::uint32_t instrument) const noexcept {
  const std::uint32_t* partition = partition_of_instrument_.find(instrument);
  return partition != nullptr ? *partition : 0;
}

/// False: the partition cannot take it now (too many reports wait to become durable, or its journal is full) and
/// nothing happened.
bool Front::submit(std::size_t partition, market::CommandHeader& header, Time now) {
  settle();
  return submit_settled(partition, header, now);
}

[[gnu::always_inline]] inline bool Front::submit_settled(std::size_t partition, market::CommandHeader& header,
                                                         Time now) {
  Partition& target = *partitions_[partition];
  if (flow_.is_crowded(partition)) [[unlikely]] {
    if (!flow_.make_way(partition, header.user, now)) return false;
  }
  if (!target.submit(header, now)) [[unlikely]] {
    note_unavailable(partition);
    return false;
  }
  ++counters_.commands;
  return true;
}

/// Its journal is full or cannot be written. Everybody hears of it at the end of the instant.
[[gnu::noinline]] void Front::note_unavailable(std::size_t partition) {
  if (is_unavailable_[partition] != 0) return;
  is_unavailable_[partition] = 1;
  is_any_unavailable_ = true;
  ++counters_.unavailable;
  for (FrontUser& user : users_) user.status_due[partition] = user.session != nullptr ? 1 : 0;
}

/// Once to everybody who is logged on or logs on meanwhile; nothing of the protocol says that it is over.
void Front::say_unavailable() {
  is_any_unavailable_ = false;
  for (std::size_t at = 0; at < partitions_.size(); ++at) {
    if (is_unavailable_[at] == 0) continue;
    if (partitions_[at]->takes_orders()) {
      is_unavailable_[at] = 0;
      continue;
    }
    is_any_unavailable_ = true;
    const mit::SystemStatus status{partitions_[at]->app_id(), mit::SystemStatus::k_partition_unavailable};
    for (FrontUser& user : users_)
      if (user.status_due[at] != 0 && user.session != nullptr && user.session->send(status)) user.status_due[at] = 0;
  }
}

/// As submit(), of a user's request: where the partition has a thread, it is posted to that, and true then says that it
/// will be applied or refused before the instant is over.
[[gnu::always_inline]] inline bool Front::pass(std::size_t partition, market::CommandHeader& header, Time now) {
  PartitionThreads* const threads = config_.threads;
  if (threads == nullptr) [[likely]]
    return submit_settled(partition, header, now);
  if (threads->is_open() && threads->post(partition, header, now, flow_.crowded_from(partition))) {
    ++counters_.commands;
    return true;
  }
  return submit(partition, header, now);
}

/// A command that a partition's thread left: reports have to leave before it, or the journal has no room.
void Front::take(std::size_t partition, market::CommandHeader& header, Time now) {
  --counters_.commands;
  if (submit_settled(partition, header, now)) return;
  FrontUser& user = users_[header.user];
  DOJIMA_ASSERT(user.session != nullptr, "a session that ends has settled what it asked for", header.user, partition,
                header.type);
  refuse(*user.session, header.instrument, client_order_id_of(header));
}

void Front::forward(mit::ServerSession& session, market::CommandHeader& header, const Text<20>& client_order_id,
                    Time now) {
  marks_.came_in(client_order_id);
  header.user = session.user();
  DOJIMA_ASSERT(users_[header.user].session == &session, "a command comes from the session of its user", header.user,
                header.instrument, header.type);
  if (!pass(route(header.instrument), header, now)) refuse(session, header.instrument, client_order_id);
}

/// Whether the operator lets users enter orders; else that is the answer.
[[gnu::always_inline]] inline bool Front::is_allowed(mit::ServerSession& session, const market::CommandHeader& header,
                                                     const Text<20>& client_order_id) {
  const bool is_entry = header.type == market::CommandType::new_order || header.type == market::CommandType::quote;
  if (!is_draining_ || !is_entry) [[likely]]
    return true;
  ++counters_.drained_refused;
  refuse(session, header.instrument, client_order_id, mit::code::k_system_suspended);
  return false;
}

void Front::on_new_order(mit::ServerSession& session, market::NewOrder& order, Time now) {
  if (is_allowed(session, order.header, order.labels.client_order_id)) [[likely]]
    forward(session, order.header, order.labels.client_order_id, now);
}

void Front::on_replace(mit::ServerSession& session, market::Replace& replace, Time now) {
  if (is_allowed(session, replace.header, replace.client_order_id)) [[likely]]
    forward(session, replace.header, replace.client_order_id, now);
}

/// While the venue is drained nobody can even make a quote smaller by another one; a cancel does.
void Front::on_quote(mit::ServerSession& session, market::Quote& quote, Time now) {
  if (is_allowed(session, quote.header, quote.labels.client_order_id)) [[likely]]
    forward(session, quote.header, quote.labels.client_order_id, now);
}

void Front::on_cancel(mit::ServerSession& session, market::Cancel& cancel, Time now) {
  forward(session, cancel.header, cancel.client_order_id, now);
}

/// One of an instrument concerns its partition, others every partition that has something of the segment, in the order
/// of the partitions; one that nobody has, the first, which refuses it in its sequence. A partition that cannot take it
/// says so, whatever the others do.
void Front::on_mass_cancel(mit::ServerSession& session, market::MassCancel& cancel, Time now) {
  if (cancel.header.instrument != 0) return forward(session, cancel.header, cancel.client_order_id, now);
  marks_.came_in(cancel.client_order_id);
  cancel.header.user = session.user();
  const auto concerns = [&](const Partition* partition) {
    return cancel.segment.is_empty() || partition->has_segment(cancel.segment.view());
  };
  const bool is_known = std::any_of(partitions_.begin(), partitions_.end(), concerns);
  for (std::size_t at = 0; at < (is_known ? partitions_.size() : 1); ++at)
    if ((!is_known || concerns(partitions_[at])) && !pass(at, cancel.header, now))
      refuse(session, 0, cancel.client_order_id);
}

void Front::refuse(mit::ServerSession& session, std::uint32_t instrument, const Text<20>& client_order_id,
                   std::int32_t code) {
  if (code == mit::code::k_partition_suspended) ++counters_.commands_refused;
  OwnerReport refusal{.client_order_id = client_order_id};
  refusal.instrument = instrument;
  refusal.user = session.user();
  refusal.kind = OwnerReportKind::business_rejected;
  refusal.status = market::OrderStatus::rejected;
  refusal.reason = market::Reason::book_closed;
  // A request that cannot even be refused: the user must not go on as if it had been taken.
  if (session.answer(refusal, code))
    marks_.went_out(client_order_id);
  else
    session.logout("no room for answers");
}

}  // namespace dojima::venue
