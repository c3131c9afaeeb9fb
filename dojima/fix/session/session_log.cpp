#include "dojima/fix/session/session_log.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "dojima/fix/session/session_core.hpp"
#include "dojima/journal/disk.hpp"

namespace dojima::fix {
namespace {

constexpr std::size_t k_event_max = 256;

/// "logout: the peer's text" without an allocation; what does not fit is cut.
std::string_view joined(std::array<char, k_event_max>& room, std::string_view what, std::string_view text) noexcept {
  const std::size_t front = std::min(what.size(), room.size());
  std::copy_n(what.data(), front, room.data());
  const std::size_t behind = std::min(text.size(), room.size() - front);
  std::copy_n(text.data(), behind, room.data() + front);
  return {room.data(), front + behind};
}

}  // namespace

LogonDecision LoggedHandler::on_logon_request(Session& session, const MessageView& logon, Time now) {
  return user_.on_logon_request(session, logon, now);
}

void LoggedHandler::on_logon(Session& session, Time now) {
  core_.log.event("logon", now);
  user_.on_logon(session, now);
}

void LoggedHandler::on_logout(Session& session, std::string_view reason, Time now) {
  std::array<char, k_event_max> room;
  core_.log.event(joined(room, "logout: ", reason), now);
  user_.on_logout(session, reason, now);
}

void LoggedHandler::on_message(Session& session, const MessageView& message, Time now) {
  user_.on_message(session, message, now);
}

void LoggedHandler::on_reject(Session& session, const MessageView& reject, Time now) {
  user_.on_reject(session, reject, now);
}

void LoggedHandler::on_closed(Session& session, link::CloseReason reason, Time now) {
  std::array<char, k_event_max> room;
  core_.log.event(joined(room, "connection closed: ", link::name_of(reason)), now);
  user_.on_closed(session, reason, now);
}

void LoggedHandler::on_trouble(Session& session, const Error& error) {
  std::array<char, k_event_max> room, text;
  // What a store's disk says is said in the system's words: that is seldom, and may allocate.
  const std::string of_disk = journal::is_of_disk(error) ? journal::text_of(error) : std::string{};
  core_.log.event(joined(room, "trouble: ", of_disk.empty() ? describe(error, text) : std::string_view{of_disk}),
                  core_.now());
  user_.on_trouble(session, error);
}

}  // namespace dojima::fix
