#pragma once

// The messages that a session itself writes: Logon, Logout, Heartbeat, TestRequest, ResendRequest, Reject. Each is put
// into the outbox under the next number and leaves with the next transmission. Used by SessionCore; no allocation.

#include <chrono>
#include <cstdint>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/session/outbox.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/order.hpp"

namespace dojima::fix {

class AdminMessages {
 public:
  /// Both outlive it.
  AdminMessages(const SessionConfig& config, Outbox& outbox) noexcept : config_(config), outbox_(outbox) {}

  void logon(bool is_reset, std::chrono::seconds heartbeat, Time now) noexcept;
  /// Up to 128 characters of `text` are sent, none behind a separator; it may be empty.
  void logout(std::string_view text, Time now) noexcept;
  void heartbeat(Time now) noexcept;
  /// The answer to a TestRequest of that TestReqID(112). False: it is longer than any message of ours and not worth an
  /// answer; the peer's next one tells.
  [[nodiscard]] bool heartbeat_for(std::string_view test_req_id, Time now) noexcept;
  void test_request(Time now) noexcept;
  /// For all messages from `first` on.
  void resend_request(market::Sequence first, Time now) noexcept;
  /// Reject(3) of `message`. In FIX 4.2 `reason` is named only up to 11. An empty text becomes the reason's standard
  /// name; `ref_tag` 0: none. Errors: as Outbox::commit.
  Result<market::Sequence> reject(const MessageView& message, RejectReason reason, std::uint32_t ref_tag,
                                  std::string_view text, Time now) noexcept;

 private:
  const SessionConfig& config_;
  Outbox& outbox_;
};

}  // namespace dojima::fix
