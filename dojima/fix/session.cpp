#include "dojima/fix/session.hpp"

#include <charconv>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/session/session_core.hpp"

namespace dojima::fix {

Session::Session(sched::Scheduler& scheduler, SessionConfig config, Handler& handler)
    : core_(std::make_unique<SessionCore>(*this, scheduler, std::move(config), handler, nullptr)) {}

Session::Session(sched::Scheduler& scheduler, SessionConfig config, Handler& handler, MessageStore& store)
    : core_(std::make_unique<SessionCore>(*this, scheduler, std::move(config), handler, &store)) {}

Session::~Session() = default;

Writer Session::begin(MsgType type) noexcept {
  return begin(type, core_->now());
}

Writer Session::begin(MsgType type, Time sending_time) noexcept {
  return core_->outbox.begin(type, sending_time);
}

Result<market::Sequence> Session::send(Writer& writer) noexcept {
  const auto sequence = core_->outbox.commit(writer);
  if (sequence || core_->outbox.has_failed()) core_->transmit();
  return sequence;
}

Result<market::Sequence> Session::reject(const MessageView& message, RejectReason reason, std::uint32_t ref_tag,
                                         std::string_view text, std::string_view target_sub_id) noexcept {
  char digits[16];
  const char* const end = ref_tag == 0 ? digits : std::to_chars(digits, digits + sizeof digits, ref_tag).ptr;
  const std::string_view number(digits, static_cast<std::size_t>(end - digits));
  const auto sequence = core_->admin.reject(message, {reason, number, text, target_sub_id}, core_->now());
  if (sequence || core_->outbox.has_failed()) core_->transmit();
  return sequence;
}

void Session::logout(std::string_view text) {
  core_->post(SessionEvent::logout_by_us, {.text = text});
}

void Session::reset() {
  if (core_->transport == nullptr) return core_->store.reset(core_->now());
  core_->post(SessionEvent::reset_by_us, {});
}

void Session::disconnect() {
  core_->post(SessionEvent::disconnect_by_us, {.text = "disconnected"});
}

void Session::probe(std::chrono::nanoseconds limit) {
  if (!core_->timers.is_test_request_sent()) core_->post(SessionEvent::probe_by_us, {.limit = limit});
}

void Session::set_reading(bool is_wanted) {
  is_wanted ? core_->resume(SessionCore::k_by_owner) : core_->hold(SessionCore::k_by_owner);
}

bool Session::is_blocked() const noexcept {
  return core_->is_blocked;
}

Error Session::refusal() const noexcept {
  return core_->refusal;
}

std::string_view Session::refusal_text() const noexcept {
  return core_->refusal_text.view();
}

bool Session::has_ended_by_logout() const noexcept {
  return core_->end == SessionEnd::logout;
}

bool Session::is_logged_on() const noexcept {
  return core_->state == SessionState::logged_on;
}

bool Session::is_connected() const noexcept {
  return core_->transport != nullptr;
}

market::Sequence Session::next_outgoing() const noexcept {
  return core_->store.next_outgoing();
}

market::Sequence Session::next_incoming() const noexcept {
  return core_->store.next_incoming();
}

std::uint64_t Session::waiting() const noexcept {
  return is_logged_on() ? core_->outbox.waiting() : 0;
}

const SessionConfig& Session::config() const noexcept {
  return core_->config;
}

const Dictionary& Session::dictionary_of(const MessageView& message) const noexcept {
  return core_->checks.dictionary_of(message);
}

MessageStore& Session::store() noexcept {
  return core_->store;
}

const MessageStore& Session::store() const noexcept {
  return core_->store;
}

void Session::on_open(link::Transport& transport, Time now) {
  DOJIMA_ASSERT(core_->transport == nullptr, "a session has one connection at a time", core_->state);
  DOJIMA_ASSERT(core_->store.next_outgoing().value > 0 && core_->store.next_incoming().value > 0, "numbers begin at 1",
                core_->store.next_outgoing(), core_->store.next_incoming());
  core_->transport = &transport;
  core_->timers.move_to(now);
  if (!core_->store.numbers_begun()) core_->store.set_numbers_begun(core_->now());
  core_->log.event("connected", core_->now());
  core_->post(SessionEvent::opened, {});
  core_->outbox.hold_back();
  core_->transmit();
}

std::size_t Session::on_bytes(Bytes bytes, Time now) {
  core_->timers.move_to(now);
  return core_->receive(bytes);
}

void Session::on_writable(Time now) {
  core_->timers.move_to(now);
  core_->post(SessionEvent::writable, {});
}

void Session::on_closed(link::CloseReason reason, Time now) {
  core_->timers.move_to(now);
  core_->post(SessionEvent::closed, {.reason = reason, .time = now});
}

}  // namespace dojima::fix
