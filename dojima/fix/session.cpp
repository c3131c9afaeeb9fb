#include "dojima/fix/session.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dojima/fix/session_machine.hpp"
#include "dojima/fsm/machine.hpp"

// Connection, logon, logout and timers of a session; what arrives while it is logged on is in session_in.cpp.

namespace dojima::fix {
namespace {

/// In front of and behind the body: "8=FIXT.1.1", "9=" with five digits, "10=ddd", separators.
constexpr std::size_t k_frame_size = 11 + 8 + 7;
constexpr std::string_view k_fixt = "FIXT.1.1";
/// What we write stays this much below the limit, because its duplicate is longer than the message was.
constexpr std::size_t k_duplicate_reserve = 64;
constexpr std::size_t k_smallest_body_max = 512;
constexpr std::int64_t k_heartbeat_seconds_max = 86'400;

/// What the configuration names, or what its BeginString stands for.
const Dictionary& dictionary_for(const SessionConfig& config) {
  if (config.dictionary != nullptr) return *config.dictionary;
  const Dictionary* built_in = dictionary_of(config.begin_string);
  return built_in == nullptr ? fix_4_4() : *built_in;
}

SessionConfig checked(SessionConfig config) {
  const auto demand = [](bool is_right, const char* what) {
    if (!is_right) throw std::invalid_argument(what);
  };
  const auto is_value = [](const std::string& text) { return text.find('\x01') == std::string::npos; };
  const unsigned decimals = config.timestamp_decimals;
  demand(config.begin_string == "FIX.4.4" || config.begin_string == "FIX.4.2" || config.begin_string == k_fixt,
         "begin_string: FIX.4.4, FIX.4.2 or FIXT.1.1");
  if (config.begin_string == k_fixt) {
    if (config.default_appl_ver_id.empty()) config.default_appl_ver_id = dictionary_for(config).application_version();
    demand(!config.default_appl_ver_id.empty() && is_value(config.default_appl_ver_id),
           "default_appl_ver_id: the dictionary names none");
  }
  demand(!config.sender_comp_id.empty() && is_value(config.sender_comp_id), "sender_comp_id: at least one character");
  demand(!config.target_comp_id.empty() && is_value(config.target_comp_id), "target_comp_id: at least one character");
  demand(!config.test_request_text.empty() && is_value(config.test_request_text),
         "test_request_text: at least one character");
  demand(is_value(config.username) && is_value(config.password), "username, password: no separator (SOH)");
  demand(config.heartbeat_interval.count() >= 0 && config.heartbeat_interval.count() <= k_heartbeat_seconds_max,
         "heartbeat_interval: 0 to 86400 seconds");
  demand(config.sending_time_tolerance.count() >= 0, "sending_time_tolerance: 0 or more seconds");
  demand(config.logon_timeout.count() > 0 && config.logout_timeout.count() > 0,
         "logon_timeout, logout_timeout: at least one second");
  demand(decimals == 0 || decimals == 3 || decimals == 6 || decimals == 9, "timestamp_decimals: 0, 3, 6 or 9");
  demand(config.max_body >= k_smallest_body_max && config.max_body <= k_body_max, "max_body: 512 to 60000 bytes");
  return config;
}

Error refusal(ErrorCode code, Tag field, const char* expected, std::int64_t got = 0) noexcept {
  return {.code = code, .field = field, .got = got, .expected = expected};
}

}  // namespace

Session::Session(sched::Scheduler& scheduler, SessionConfig config, Handler& handler)
    : Session(scheduler, checked(std::move(config)), handler, nullptr, nullptr) {}

Session::Session(sched::Scheduler& scheduler, SessionConfig config, Handler& handler, MessageStore& store)
    : Session(scheduler, checked(std::move(config)), handler, nullptr, &store) {}

Session::Session(sched::Scheduler& scheduler, SessionConfig config, Handler& handler, std::unique_ptr<MemoryStore> own,
                 MessageStore* store)
    : config_(std::move(config)),
      scheduler_(scheduler),
      handler_(handler),
      own_store_(store == nullptr ? std::make_unique<MemoryStore>(config_.store) : std::move(own)),
      store_(store == nullptr ? *own_store_ : *store),
      outbox_({config_.begin_string, config_.sender_comp_id, config_.target_comp_id, config_.timestamp_decimals},
              store_, k_frame_size + config_.max_body - k_duplicate_reserve),
      early_(config_.early_bytes),
      dictionary_(dictionary_for(config_)),
      heartbeat_timer_(scheduler, *this),
      silence_timer_(scheduler, *this),
      state_timer_(scheduler, *this) {}

Session::~Session() = default;

void Session::post(Event event, const Input& input) {
  fsm::process<Machine>(state_, event, *this, input);
}

Writer Session::begin(MsgType type) noexcept {
  return outbox_.begin(type, now());
}

Result<market::Sequence> Session::send(Writer& writer) noexcept {
  const auto sequence = outbox_.commit(writer);
  if (sequence) transmit();
  return sequence;
}

/// Copies to the transport what may go, and starts the heartbeat interval anew when something went.
void Session::transmit() {
  if (transport_ == nullptr) return;
  const Outbox::Sent sent = outbox_.transmit(now());
  if (outbox_.take_has_sent() && heartbeat_.count() > 0 && state_ != State::closing)
    heartbeat_timer_.arm(now() + heartbeat_);
  if (sent == Outbox::Sent::too_late) post(Event::deaf, {});
}

void Session::drop_deaf_peer() {
  end_reason_ = decltype(end_reason_)::cut("the peer does not read");
  transport_->close(link::CloseReason::output_overflow);
}

void Session::report_overwritten() {
  const std::uint64_t count = outbox_.take_overwritten();
  if (count == 0) return;
  handler_.on_trouble(*this, refusal(ErrorCode::no_room, tag::k_begin_seq_no, "resent messages still in the store",
                                     static_cast<std::int64_t>(count)));
}

void Session::on_open(link::Transport& transport, Time now) {
  DOJIMA_ASSERT(transport_ == nullptr, "a session has one connection at a time");
  transport_ = &transport;
  now_ = std::max(now_, now);
  post(Event::opened, {});
  outbox_.hold_back();
  transmit();
}

void Session::begin_connection() {
  heartbeat_ = {};
  is_test_request_sent_ = was_logged_on_ = false;
  end_reason_ = {};
  forget_gap();
  outbox_.attach(*transport_);
  state_timer_.arm(now() + config_.logon_timeout);
}

void Session::begin_as_initiator() {
  begin_connection();
  if (config_.reset_on_logon) {
    store_.reset();
    outbox_.restart();
  }
  heartbeat_ = config_.heartbeat_interval;
  send_logon(config_.reset_on_logon);
}

std::size_t Session::on_bytes(Bytes bytes, Time now) {
  now_ = std::max(now_, now);
  std::size_t used = 0;
  while (is_receiving() && used < bytes.size()) {
    const FrameSearch found = find_frame(bytes.subspan(used), config_.max_body);
    if (found.state == FrameState::incomplete) break;
    used += found.size;
    if (found.state == FrameState::whole) {
      receive(found.frame);
    } else {
      post(Event::garbled, {.error = &found.error});
    }
  }
  report_overwritten();
  return is_receiving() ? used : bytes.size();
}

void Session::on_writable(Time now) {
  now_ = std::max(now_, now);
  post(Event::writable, {});
}

void Session::on_closed(link::CloseReason reason, Time now) {
  now_ = std::max(now_, now);
  post(Event::closed, {.reason = reason, .time = now});
}

void Session::disconnect() {
  post(Event::disconnect_asked, {.text = "disconnected"});
}

void Session::logout(std::string_view text) {
  post(Event::logout_asked, {.text = text});
}

void Session::transmit_more() {
  transmit();
  report_overwritten();
}

void Session::end_connection(const Input& input) {
  transport_ = nullptr;
  outbox_.detach();
  forget_gap();
  heartbeat_timer_.disarm();
  silence_timer_.disarm();
  state_timer_.disarm();
  // Copies: the handler may connect again, which starts a new reason.
  const auto text = end_reason_;
  const bool is_logout = std::exchange(was_logged_on_, false);
  if (is_logout) handler_.on_logout(*this, text.is_empty() ? link::name_of(input.reason) : text.view(), input.time);
  handler_.on_closed(*this, input.reason, input.time);
}

void Session::close(std::string_view reason) {
  end_reason_ = decltype(end_reason_)::cut(reason);
  transport_->close(link::CloseReason::by_us);
}

void Session::close_with_text(const Input& input) {
  close(input.text);
}

/// Ends a connection that never became a session, without a word.
void Session::refuse(const Input& input) {
  close("logon refused");
  handler_.on_trouble(*this, *input.error);
}

void Session::give_up_logon() {
  const Error error = refusal(ErrorCode::unavailable, 0, "a Logon within logon_timeout");
  refuse({.error = &error});
}

void Session::report_trouble(const Input& input) {
  handler_.on_trouble(*this, *input.error);
}

void Session::begin_logout(const Input& input) {
  send_logout(input.text);
  outbox_.hold_back();
  end_reason_ = decltype(end_reason_)::cut(input.text);
  state_timer_.arm(now() + config_.logout_timeout);
  transmit();
}

void Session::give_up_logout() {
  close("no answer to a logout");
}

void Session::send_logout(std::string_view text) {
  Writer logout = outbox_.begin(type::k_logout, now());
  constexpr std::size_t k_text_max = 128;
  const std::string_view shown = text.substr(0, std::min(text.find('\x01'), k_text_max));
  if (!shown.empty()) logout.field(tag::k_text, shown);
  const auto sent = outbox_.commit(logout);
  DOJIMA_ASSERT(sent, "a Logout fits every session");
}

/// Logout with a text, then close without waiting for an answer.
void Session::end_with_logout(const Input& input) {
  outbox_.release();
  send_logout(input.text);
  transmit();
  close(input.text);
}

/// The same before a Logon of ours: what waits from earlier sessions stays unsent.
void Session::end_unopened(const Input& input) {
  outbox_.restart();
  end_with_logout(input);
}

void Session::send_logon(bool is_reset) {
  Writer logon = outbox_.begin(type::k_logon, now());
  logon.field(tag::k_encrypt_method, 0);
  logon.field(tag::k_heart_bt_int, std::chrono::duration_cast<std::chrono::seconds>(heartbeat_).count());
  if (is_reset) logon.field(tag::k_reset_seq_num_flag, true);
  if (config_.begin_string == k_fixt) logon.field(tag::k_default_appl_ver_id, config_.default_appl_ver_id);
  if (config_.role == Role::initiator) {
    if (!config_.username.empty()) logon.field(tag::k_username, config_.username);
    if (!config_.password.empty()) logon.field(tag::k_password, config_.password);
  }
  const auto sent = outbox_.commit(logon);
  DOJIMA_ASSERT(sent, "a Logon fits every session");
}

bool Session::are_credentials_right() const noexcept {
  if (config_.role == Role::initiator) return true;
  return (config_.username.empty() || view_.find(tag::k_username) == config_.username) &&
         (config_.password.empty() || view_.find(tag::k_password) == config_.password);
}

/// Whether the first message of a connection begins a session. What does not is answered with silence.
Result<void> Session::check_logon(const Result<void>& read) const {
  if (!read) return read;
  if (view_.msg_type() != type::k_logon)
    return fail(ErrorCode::refused, tag::k_msg_type, 0, 0, "Logon as the first message");
  if (view_.find(tag::k_begin_string) != config_.begin_string)
    return fail(ErrorCode::refused, tag::k_begin_string, 0, 0, "the session's BeginString");
  if (const auto sequence = view_.msg_seq_num(); !sequence) return std::unexpected(sequence.error());
  if (auto header = check_header(); !header) return header;
  if (auto message = check_message(view_, dictionary_, config_.checks); !message) return message;
  const auto heartbeat = view_.integer(tag::k_heart_bt_int);
  if (!heartbeat || *heartbeat < 0 || *heartbeat > k_heartbeat_seconds_max)
    return fail(ErrorCode::refused, tag::k_heart_bt_int, 0, heartbeat.value_or(-1), "0 to 86400 seconds");
  if (view_.integer(tag::k_encrypt_method).value_or(-1) != 0)
    return fail(ErrorCode::refused, tag::k_encrypt_method, 0, 0, "no encryption");
  if (!are_credentials_right()) return fail(ErrorCode::refused, tag::k_password, 0, 0, "the session's credentials");
  return {};
}

/// The first message of a connection.
void Session::receive_logon(const Input& input) {
  const Result<void>& read = *input.read;
  if (is_initiator() && read && view_.msg_type() == type::k_logout && check_header()) {
    const auto sequence = view_.msg_seq_num();
    if (sequence && *sequence == store_.next_incoming()) store_.set_next_incoming({sequence->value + 1});
    const Error error = refusal(ErrorCode::refused, tag::k_text, "a Logon in answer to ours");
    return post(Event::logon_refused, {.error = &error});
  }
  if (const auto checked = check_logon(read); !checked) return post(Event::logon_refused, {.error = &checked.error()});
  const market::Sequence sequence = *view_.msg_seq_num();
  const bool is_reset =
      view_.is_set(tag::k_reset_seq_num_flag) || (config_.role == Role::acceptor && config_.reset_on_logon);
  if (is_reset) reset_numbers();
  if (sequence < store_.next_incoming()) {
    handler_.on_trouble(*this, refusal(ErrorCode::refused, tag::k_msg_seq_num, "a number that is not used yet",
                                       static_cast<std::int64_t>(sequence.value)));
    return end_too_low(sequence);
  }
  post(Event::logon_accepted, {.sequence = sequence, .is_reset = is_reset});
}

void Session::begin_session(const Input& input) {
  if (config_.role == Role::acceptor) {
    heartbeat_ = std::chrono::seconds{*view_.integer(tag::k_heart_bt_int)};
    outbox_.restart();
    outbox_.release();
    send_logon(input.is_reset);
  }
  was_logged_on_ = true;
  state_timer_.disarm();
  outbox_.release();
  transmit();
  if (heartbeat_.count() > 0) {
    heartbeat_timer_.arm(now() + heartbeat_);
    note_received();
  }
  if (input.sequence == store_.next_incoming()) {
    advance({input.sequence.value + 1});
  } else if (!input.is_reset || view_.is_set(tag::k_reset_seq_num_flag)) {
    // After a reset that the peer did not ask for its number belongs to the old count: it begins anew as well.
    request_resend(input.sequence, false);
  }
  handler_.on_logon(*this, now());
}

/// Both directions begin at 1. An initiator that did not ask for it has used number 1 for its Logon.
void Session::reset_numbers() {
  const bool is_expected = config_.role == Role::initiator && config_.reset_on_logon;
  if (is_expected) {
    store_.set_next_incoming({1});
    return;
  }
  store_.reset();
  if (config_.role == Role::initiator) store_.set_next_outgoing({2});
  outbox_.restart();
}

/// A Logon with ResetSeqNumFlag within a live session: numbers begin anew, and the peer is told so.
void Session::reset_in_session(market::Sequence sequence) {
  if (sequence.value != 1) return post(Event::must_end, {.text = "a Logon that resets has MsgSeqNum 1"});
  store_.reset();
  forget_gap();
  outbox_.restart();
  send_logon(true);
  store_.set_next_incoming({2});
  transmit();
}

/// The peer says goodbye first.
void Session::answer_logout(const Input& input) {
  send_logout({});
  transmit();
  take_logout(input);
}

void Session::take_logout(const Input& input) {
  const Text<128> text = Text<128>::cut(view_.find(tag::k_text).value_or(std::string_view{}));
  if (input.sequence == store_.next_incoming()) store_.set_next_incoming({input.sequence.value + 1});
  close(text.is_empty() ? std::string_view{"logged out"} : text.view());
}

/// Something arrived: the peer is alive.
void Session::note_received() {
  is_test_request_sent_ = false;
  last_received_ = now();
  if (heartbeat_.count() > 0 && state_ == State::logged_on) silence_timer_.arm(last_received_ + heartbeat_ * 6 / 5);
}

void Session::on_heartbeat_due(Time due) {
  post(Event::heartbeat_due, {.time = due});
}

void Session::on_silence_due(Time due) {
  post(Event::silence_due, {.time = due});
}

void Session::on_state_due(Time due) {
  now_ = std::max(now_, due);
  post(Event::state_due, {.time = due});
}

void Session::send_heartbeat(const Input& input) {
  now_ = std::max(now_, input.time);
  if (outbox_.waiting() == 0) {
    Writer heartbeat = outbox_.begin(type::k_heartbeat, now());
    const auto sent = outbox_.commit(heartbeat);
    DOJIMA_ASSERT(sent, "a Heartbeat fits every session");
    transmit();
  }
  if (state_ == State::logged_on && !heartbeat_timer_.is_armed()) heartbeat_timer_.arm(now() + heartbeat_);
}

void Session::send_test_request(const Input& input) {
  now_ = std::max(now_, input.time);
  is_test_request_sent_ = true;
  silence_timer_.arm(last_received_ + heartbeat_ * 12 / 5);
  Writer request = outbox_.begin(type::k_test_request, now());
  request.field(tag::k_test_req_id, config_.test_request_text);
  const auto sent = outbox_.commit(request);
  DOJIMA_ASSERT(sent, "a TestRequest fits every session");
  transmit();
}

void Session::drop_silent_peer() {
  close("no answer to a test request");
}

}  // namespace dojima::fix
