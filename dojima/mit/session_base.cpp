#include "dojima/mit/session_base.hpp"

#include <stdexcept>
#include <utility>

#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {
namespace {

Text<25> credential(std::string_view text, bool is_required, const char* complaint) {
  bool is_ascii = true;
  for (const char c : text) is_ascii = is_ascii && static_cast<signed char>(c) > 0;
  const Result<Text<25>> fits = Text<25>::from(text);
  if (!fits || !is_ascii || (is_required && text.empty())) throw std::invalid_argument(complaint);
  return *fits;
}

Text<25> user_of(std::string_view text) {
  return credential(text, true, "the user name must have 1 to 25 ASCII characters");
}

Text<25> password_of(std::string_view text) {
  return credential(text, true, "the password must have 1 to 25 ASCII characters");
}

Text<25> new_password_of(std::string_view text) {
  return credential(text, false, "the new password must have at most 25 ASCII characters");
}

}  // namespace

SessionBase::SessionBase(const Dialect& dialect, sched::Scheduler& scheduler, Duration heartbeat)
    : dialect_(dialect),
      scheduler_(scheduler),
      heartbeat_(heartbeat),
      heartbeat_timer_(scheduler, *this),
      watch_timer_(scheduler, *this) {
  DOJIMA_ASSERT(heartbeat > Duration{0}, "a heartbeat interval is positive", heartbeat);
}

void SessionBase::attach(link::Transport& transport) {
  DOJIMA_ASSERT(transport_ == nullptr, "a session has one connection at a time", scheduler_.now());
  transport_ = &transport;
  holds_ = 0;
}

void SessionBase::detach() noexcept {
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_ = nullptr;
  holds_ = 0;
}

void SessionBase::hold(std::uint8_t why) {
  if (transport_ == nullptr) return;
  if (holds_ == 0) transport_->set_reading(false);
  holds_ = static_cast<std::uint8_t>(holds_ | why);
}

void SessionBase::resume(std::uint8_t why) {
  if ((holds_ & why) == 0) return;
  holds_ = static_cast<std::uint8_t>(holds_ & ~why);
  if (holds_ == 0) transport_->set_reading(true);
}

void SessionBase::close_connection(link::CloseReason reason) {
  DOJIMA_ASSERT(transport_ != nullptr, "what is closed is connected", reason);
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_->close(reason);
}

void SessionBase::put_heartbeat(Time due) {
  if (!put(true, [&](Room room) { return dialect_.encode_heartbeat(room); })) heartbeat_timer_.arm(due + heartbeat_);
}

void SessionBase::put_logout(std::string_view text) {
  const Logout logout{Text<20>::cut(text)};
  static_cast<void>(put(false, [&](Room room) { return dialect_.encode_logout(logout, room); }));
  heartbeat_timer_.disarm();
}

MemberSession::MemberSession(const Options& options, const Dialect& dialect, sched::Scheduler& scheduler)
    : SessionBase(dialect, scheduler, options.heartbeat),
      reply_timeout_(options.reply_intervals * options.heartbeat),
      silence_(options.silence_intervals * options.heartbeat),
      logon_{user_of(options.user), password_of(options.password), new_password_of(options.new_password)} {}

void MemberSession::set_password(std::string_view password) {
  logon_.password = password_of(password);
}

void MemberSession::set_new_password(std::string_view password) {
  logon_.new_password = new_password_of(password);
}

bool MemberSession::put_logon(Time now) {
  end_text_ = {};
  watch_timer_.arm(now + reply_timeout_);
  return put(false, [&](Room room) { return dialect_.encode_logon(logon_, room); }).has_value();
}

void MemberSession::close(std::string_view text) {
  if (end_text_.is_empty()) end_text_ = Text<40>::cut(text);
  close_connection(link::CloseReason::by_us);
}

Text<40> MemberSession::take_end_text() noexcept {
  return std::exchange(end_text_, {});
}

Reject reject_of_broken_stream(Bytes rest, const Error& error) {
  const bool has_type = error.offset != 0;  // a wrong length is found behind a whole header
  return {.code = code::k_value_invalid,
          .reason = Text<30>::cut(has_type ? "MessageLength" : "StartOfMessage"),
          .type = has_type ? load_little<char>(rest, k_type_offset) : '\0'};
}

}  // namespace dojima::mit
