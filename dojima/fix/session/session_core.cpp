#include "dojima/fix/session/session_core.hpp"

#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/session/checked_config.hpp"
#include "dojima/fix/session/connection_actions.hpp"
#include "dojima/fix/session/live_actions.hpp"
#include "dojima/fix/session_machine.hpp"
#include "dojima/fsm/machine.hpp"

namespace dojima::fix {
namespace {

Identity identity_of(const SessionConfig& config) noexcept {
  return {.begin_string = config.begin_string,
          .names = {.sender = config.sender_comp_id,
                    .sender_sub = config.sender_sub_id,
                    .sender_location = config.sender_location_id,
                    .target = config.target_comp_id,
                    .target_sub = config.target_sub_id,
                    .target_location = config.target_location_id},
          .decimals = config.timestamp_decimals,
          .has_last_processed = config.last_processed,
          .resend_limit = config.resend_limit};
}

}  // namespace

SessionCore::SessionCore(Session& face, sched::Scheduler& scheduler, SessionConfig wanted, Handler& user,
                         MessageStore* given)
    : session(face),
      log(wanted.log, {wanted.begin_string, wanted.sender_comp_id, wanted.target_comp_id}),
      logged(user, *this),
      handler(wanted.log == nullptr ? user : logged),
      config(checked(std::move(wanted))),
      version(version_rules_of(config)),
      dictionary(dictionary_for(config)),
      own_store(given == nullptr ? std::make_unique<MemoryStore>(config.store) : nullptr),
      store(given == nullptr ? *own_store : *given),
      outbox(identity_of(config), store, message_size_max(config)),
      admin(config, outbox),
      incoming(store, config.early_bytes, config.resend_chunk, config.early_buffers),
      checks(config, dictionary),
      own_view(config.early_buffers == nullptr ? std::make_unique<MessageView>() : nullptr),
      view(own_view == nullptr ? config.early_buffers->view() : *own_view),
      timers(scheduler, *this, config) {
  store.listen(this);
  if (log.is_written()) outbox.write_down(log);
}

SessionCore::~SessionCore() {
  store.listen(nullptr);
}

void SessionCore::post(SessionEvent event, const SessionInput& input) {
  fsm::process<Session::Machine>(state, event, *this, input);
}

std::size_t SessionCore::receive(Bytes bytes) {
  std::size_t used = 0;
  while (is_receiving() && used < bytes.size() && !is_held()) {
    const FrameSearch found = find_frame(bytes.subspan(used), config.max_body);
    if (found.state == FrameState::incomplete) break;
    const Bytes taken = bytes.subspan(used, found.size);
    used += found.size;
    if (found.state == FrameState::whole) {
      log.incoming(found.frame.bytes, now());
      receive_frame(*this, found.frame);
    } else if (found.error.code == ErrorCode::too_long) {
      post(SessionEvent::oversized, {.error = &found.error});
    } else {
      post(SessionEvent::garbled, {.error = &found.error, .text = as_text(taken)});
    }
  }
  DOJIMA_ASSERT(used <= bytes.size(), "what is used was handed in", used, bytes.size());
  report_store();
  return is_receiving() ? used : bytes.size();
}

void SessionCore::transmit() {
  if (transport == nullptr) return;
  const Outbox::Sent sent = outbox.transmit(now());
  if (outbox.take_has_sent() && state != SessionState::closing) timers.note_sent();
  has_room = sent != Outbox::Sent::partly;
  if (sent == Outbox::Sent::partly && !is_blocked) [[unlikely]]
    note_blocked();
  if (sent == Outbox::Sent::too_late) post(SessionEvent::deaf, {});
  if (outbox.has_failed()) [[unlikely]]
    post(state == SessionState::awaiting_logon ? SessionEvent::disconnect_by_us : SessionEvent::must_end,
         {.text = sent == Outbox::Sent::unread ? "stored messages cannot be read" : "messages cannot be stored"});
}

/// An acceptor does not read on while its answers wait. An initiator goes on reading: of two that wait for each other
/// one has to.
void SessionCore::note_blocked() {
  is_blocked = true;
  if (config.role != Role::acceptor || config.stall_timeout.count() == 0) return;
  timers.note_blocked();
  hold(k_blocked);
}

/// What waited has left, or waits for something else than room: on_writable has come, the only end of waiting for room.
void SessionCore::note_unblocked() {
  is_blocked = false;
  resume(k_blocked);
  handler.on_unblocked(session, now());
}

void SessionCore::hold(std::uint8_t why) {
  if (transport == nullptr) return;
  if (holds == 0) {
    transport->set_reading(false);
    held_since = now();
  }
  holds = static_cast<std::uint8_t>(holds | why);
  timers.watch_held(is_blocked);
}

void SessionCore::resume(std::uint8_t why) {
  if ((holds & why) == 0) return;
  holds = static_cast<std::uint8_t>(holds & ~why);
  if (holds != 0) return;
  checks.allow_unread(now() - held_since);
  if (transport != nullptr) transport->set_reading(true);
  timers.note_received(state == SessionState::logged_on);
}

void SessionCore::on_gate_moved() {
  transmit();
  if (closes_once_sent && !outbox.is_held()) actions::close_transport(*this);
}

void SessionCore::on_room(bool is_short) {
  if (is_short) {
    if (state == SessionState::logged_on || state == SessionState::logout_sent) hold(k_store);
    return;
  }
  if (!is_held(k_store)) return;
  resume(k_store);
  serve_early(*this);
  report_store();
}

void SessionCore::report_store() {
  if (const Error failure = outbox.take_failure(); failure.code != ErrorCode::none)
    handler.on_trouble(session, failure);
  const std::uint64_t count = outbox.take_omitted();
  if (count == 0) return;
  handler.on_trouble(session, {.code = ErrorCode::no_room,
                               .field = tag::k_begin_seq_no,
                               .got = static_cast<std::int64_t>(count),
                               .expected = "resent messages in the store and within the limit of a resend"});
}

void SessionCore::close(std::string_view reason) {
  end_reason = decltype(end_reason)::cut(reason);
  if (outbox.is_held()) {
    closes_once_sent = true;
    timers.limit_state(config.logout_timeout);
    return;
  }
  transport->close(link::CloseReason::by_us);
}

}  // namespace dojima::fix
