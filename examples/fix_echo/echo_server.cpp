#include "echo_server.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <utility>

#include "dojima/base/one_line.hpp"
#include "dojima/fix/business_reject.hpp"
#include "dojima/fix/rewrite.hpp"
#include "dojima/journal/disk.hpp"

namespace echo {
namespace {

using namespace dojima;

constexpr std::size_t k_session_timers = 6;  // of an initiator that follows a schedule and logs out by itself
constexpr std::size_t k_unknown_links = 16;
constexpr std::size_t k_seen_ids = std::size_t{1} << 16;
constexpr std::size_t k_early_buffers = 8;
constexpr std::string_view k_own_order = "START-";  // begins the ClOrdID of an initiator's own orders
constexpr fix::MsgType k_email = fix::msg_type("C");
constexpr fix::MsgType k_security_definition = fix::msg_type("d");

/// FNV-1a.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 14'695'981'039'346'656'037u;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 1'099'511'628'211u;
  return hash;
}

fix::SessionAcceptorOptions acceptor_options(const Config& config) {
  std::size_t max_body = fix::SessionConfig{}.max_body;
  for (const SessionRow& row : config.sessions) max_body = std::max(max_body, row.config.max_body);
  return {.links = config.sessions_most() + k_unknown_links + fix::SessionAcceptorOptions::k_ending_links,
          .unknown_links = k_unknown_links,
          .max_body = max_body};
}

std::size_t largest_early(const Config& config) {
  std::size_t bytes = 0;
  for (const SessionRow& row : config.sessions) bytes = std::max(bytes, row.config.early_bytes);
  return bytes;
}

}  // namespace

bool SeenIds::note(std::string_view id) noexcept {
  const std::uint64_t hash = hash_of(id);
  constexpr std::size_t k_probes = 8;
  for (std::size_t probe = 0; probe < k_probes; ++probe) {
    Slot& slot = slots_[(hash + probe) % capacity_];
    if (slot.generation == generation_ && slot.hash == hash) return true;
    if (slot.generation == generation_) continue;
    slot = {hash, generation_};
    return false;
  }
  slots_[hash % capacity_] = {hash, generation_};  // an older one is forgotten
  return false;
}

EchoSession::EchoSession(sched::Scheduler& scheduler, const SessionRow& row, const fix::SessionConfig& config,
                         fix::MessageStore* store, bool is_quiet)
    : scheduler_(scheduler),
      connecting_(row.connecting),
      seen_(k_seen_ids),
      is_quiet_(is_quiet),
      logout_(scheduler, *this) {
  if (!row.schedule) {
    plain_ = store == nullptr ? std::make_unique<fix::Session>(scheduler, config, *this)
                              : std::make_unique<fix::Session>(scheduler, config, *this, *store);
    return;
  }
  if (store == nullptr) {
    own_store_ = std::make_unique<fix::MemoryStore>(config.store);
    store = own_store_.get();
  }
  scheduled_ =
      std::make_unique<fix::ScheduledSession>(scheduler, fix::SessionSchedule(*row.schedule), config, *this, *store,
                                              fix::ScheduledSessionOptions{.observer = this}, scheduler.now());
}

void EchoSession::on_numbers_reset(fix::Session& session, Time) {
  if (!is_quiet_)
    std::printf("%s: a new session day, numbers begin at 1\n", one_line(session.config().target_comp_id).c_str());
}

void EchoSession::on_failure(const fix::Attempt& attempt, fix::AttemptFailure failure, link::CloseReason reason, Time) {
  if (is_quiet_) return;
  std::fprintf(stderr, "%s: attempt %u at %s:%u failed: %s, %s\n", one_line(session().config().target_comp_id).c_str(),
               attempt.number, attempt.host.host.c_str(), attempt.host.port, fix::name_of(failure),
               link::name_of(reason));
}

void EchoSession::connect(link::Fabric& fabric, Time now) {
  for (unsigned number = 1; number <= connecting_->orders; ++number) send_order(number, now);
  const fix::InitiatorOptions options{
      .hosts = {connecting_->address}, .delay = connecting_->reconnect, .delay_max = connecting_->reconnect};
  initiator_ = scheduled_ == nullptr ? std::make_unique<fix::Initiator>(scheduler_, fabric, *plain_, options, this)
                                     : std::make_unique<fix::Initiator>(scheduler_, fabric, *scheduled_, options, this);
  initiator_->start(now);
}

/// At the market, with what every version demands.
void EchoSession::send_order(unsigned number, Time now) {
  fix::Writer order = session().begin(fix::type::k_new_order_single);
  order.field(fix::tag::k_cl_ord_id, std::string(k_own_order) + std::to_string(number));
  order.field(fix::tag::k_handl_inst, '1').field(fix::tag::k_order_qty, 100);
  order.field(fix::tag::k_ord_type, '1').field(fix::tag::k_side, '1').field(fix::tag::k_symbol, "RICE");
  if (session().config().begin_string > "FIX.4.1") order.field(fix::tag::k_transact_time, now);
  if (const auto sent = session().send(order); !sent) on_trouble(session(), sent.error());
}

void EchoSession::on_logout_due(Time) {
  initiator_->stop();
}

void EchoSession::stop(std::string_view reason) {
  if (initiator_ != nullptr) return initiator_->stop(reason);
  session().logout(reason);
}

void EchoSession::on_logon(fix::Session& session, Time now) {
  seen_.clear();
  if (connecting_ && connecting_->logout_after.count() > 0) logout_.arm(now + connecting_->logout_after);
  if (!is_quiet_)
    std::printf("%s: logged on, next numbers %llu out, %llu in\n", one_line(session.config().target_comp_id).c_str(),
                static_cast<unsigned long long>(session.next_outgoing().value),
                static_cast<unsigned long long>(session.next_incoming().value));
}

void EchoSession::on_logout(fix::Session& session, std::string_view reason, Time) {
  logout_.disarm();
  if (!is_quiet_)
    std::printf("%s: logged out: %s\n", one_line(session.config().target_comp_id).c_str(), one_line(reason).c_str());
}

void EchoSession::on_message(fix::Session& session, const fix::MessageView& message, Time) {
  const fix::MsgType type = message.msg_type();
  if (type != fix::type::k_new_order_single && type != k_security_definition && type != k_email) {
    static_cast<void>(fix::business_reject(session, message, fix::BusinessRejectReason::unsupported_message_type));
    return;
  }
  if (type == fix::type::k_new_order_single) {
    const std::string_view id = message.find(fix::tag::k_cl_ord_id).value_or(std::string_view{});
    // The peer may be an echo as well: an order would never come to rest.
    if (connecting_ && id.starts_with(k_own_order)) return;
    const bool was_seen = seen_.note(id);
    if (was_seen && message.is_set(fix::tag::k_poss_resend)) return;
  }
  echo(session, message);
}

/// An echo that does not fit is reported, and the session goes on.
void EchoSession::echo(fix::Session& session, const fix::MessageView& message) {
  fix::Writer writer = session.begin(message.msg_type());
  if (const auto resend = message.find(fix::tag::k_poss_resend)) writer.field(fix::tag::k_poss_resend, *resend);
  fix::route_back(writer, message);
  const bool is_canonical = session.config().profile == fix::Profile::canonical;
  fix::rewrite_body(message, session.dictionary_of(message),
                    is_canonical ? fix::FieldOrder::canonical : fix::FieldOrder::compact, writer);
  if (const auto sent = session.send(writer); !sent) on_trouble(session, sent.error());
}

void EchoSession::on_trouble(fix::Session& session, const Error& error) {
  if (is_quiet_) return;
  std::fprintf(stderr, "%s: %s\n", one_line(session.config().target_comp_id).c_str(),
               journal::text_of(error).c_str());  // of a disk: in the system's words
}

std::size_t EchoServer::links(const Config& config) noexcept {
  return acceptor_options(config).links;
}

std::size_t EchoServer::timers(const Config& config) noexcept {
  return config.sessions_most() * k_session_timers + links(config);
}

EchoServer::EchoServer(sched::Scheduler& scheduler, const Config& config, fix::JournalStores* stores, bool is_quiet)
    : scheduler_(scheduler),
      left_to_make_(config.made_sessions),
      stores_(stores),
      is_quiet_(is_quiet),
      early_(k_early_buffers, largest_early(config)),
      acceptor_(scheduler, acceptor_options(config), this) {
  if (stores != nullptr) passwords_.emplace(*stores);
  for (const SessionRow& row : config.sessions) {
    if (row.is_template()) {
      templates_.push_back(row);
    } else if (add(row, row.config.target_comp_id) == nullptr) {
      throw std::invalid_argument("session " + row.config.begin_string + " " + row.config.sender_comp_id + " " +
                                  row.config.target_comp_id + " is there twice, or there is no store for it");
    }
  }
}

fix::Session* EchoServer::add(const SessionRow& row, const std::string& target_comp_id) {
  fix::SessionConfig session = row.config;
  session.target_comp_id = target_comp_id;
  session.early_buffers = &early_;
  fix::MessageStore* store = nullptr;
  if (row.store == Store::none) {
    store = null_stores_.emplace_back(std::make_unique<fix::NullStore>()).get();
  } else if (row.store == Store::journal) {
    const auto found =
        stores_->store({session.begin_string, session.sender_comp_id, session.target_comp_id, session.qualifier});
    if (!found) return nullptr;
    store = *found;
    session.credentials = &*passwords_;
  }
  sessions_.push_back(std::make_unique<EchoSession>(scheduler_, row, session, store, is_quiet_));
  if (row.connecting || acceptor_.add(sessions_.back()->session())) return &sessions_.back()->session();
  sessions_.pop_back();
  return nullptr;
}

fix::Session* EchoServer::on_unknown_session(const fix::MessageView& logon, const link::Address&, Time) {
  const auto is_for = [&](const SessionRow& row) {
    return logon.find(fix::tag::k_begin_string) == row.config.begin_string &&
           logon.find(fix::tag::k_target_comp_id) == row.config.sender_comp_id;
  };
  const auto found = std::ranges::find_if(templates_, is_for);
  const auto name = logon.find(fix::tag::k_sender_comp_id);
  if (found == templates_.end() || !name || name->empty() || left_to_make_ == 0) return nullptr;
  fix::Session* const made = add(*found, std::string(*name));
  if (made != nullptr) --left_to_make_;
  return made;
}

void EchoServer::connect(link::Fabric& fabric, Time now) {
  for (const auto& session : sessions_)
    if (session->session().config().role == fix::Role::initiator) session->connect(fabric, now);
}

void EchoServer::stop(std::string_view reason) {
  for (const auto& session : sessions_) session->stop(reason);
}

void EchoServer::on_refused(const fix::RefusedConnection& refused, Time) {
  if (is_quiet_) return;
  const std::string_view reason = fix::text_of(refused.reason);
  std::fprintf(stderr, "%s: refused: %.*s", refused.peer.host.c_str(), static_cast<int>(reason.size()), reason.data());
  for (const std::string_view name : {refused.begin_string, refused.sender_comp_id, refused.target_comp_id})
    if (!name.empty()) std::fprintf(stderr, " %s", dojima::one_line(name).c_str());  // a stranger wrote it
  const std::string error = refused.error.code == ErrorCode::none ? "" : ": " + journal::text_of(refused.error);
  std::fprintf(stderr, "%s\n", error.c_str());
}

std::size_t EchoServer::finish(Time) {
  if (stores_ != nullptr) stores_->deliver();
  return 0;
}

}  // namespace echo
