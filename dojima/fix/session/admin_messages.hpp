#pragma once

// The messages that a session itself writes: Logon, Logout, Heartbeat, TestRequest, ResendRequest, Reject. Each is put
// into the outbox under the next number and leaves with the next transmission. Used by SessionCore; no allocation.

#include <chrono>
#include <cstdint>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/session/checked_config.hpp"
#include "dojima/fix/session/outbox.hpp"
#include "dojima/fix/session_config.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/order.hpp"

namespace dojima::fix {

class AdminMessages {
 public:
  /// Both outlive it.
  AdminMessages(const SessionConfig& config, Outbox& outbox) noexcept
      : config_(config), version_(version_rules_of(config)), outbox_(outbox) {}

  struct Logon {
    std::chrono::seconds heartbeat{};
    bool is_reset = false;
    market::Sequence next_expected{};  ///< 789; 0: not said
    bool is_password_changed = false;  ///< SessionStatus(1409) says so, in FIXT 1.1
  };
  void logon(const Logon& values, Time now) noexcept;
  /// Up to 128 characters of `text` are sent, none behind a separator; it may be empty.
  void logout(std::string_view text, Time now) noexcept;
  void heartbeat(Time now) noexcept;
  /// The answer to a TestRequest of that TestReqID(112). False: it is longer than any message of ours and gets no
  /// answer; that to the peer's next one will do.
  [[nodiscard]] bool heartbeat_for(std::string_view test_req_id, Time now) noexcept;
  void test_request(Time now) noexcept;
  /// For the messages from `first` to `last`; `last` 0: all from `first` on.
  void resend_request(market::Sequence first, market::Sequence last, Time now) noexcept;
  struct Rejection {
    RejectReason reason{};
    std::string_view ref_tag = {};        ///< empty: none
    std::string_view text = {};           ///< empty: the reason's standard name
    std::string_view target_sub_id = {};  ///< TargetSubID(57); empty: as the configuration says
  };
  /// Reject(3) of `message`. Reason and RefTagID are named as far as the version knows them. Errors: as Outbox::commit.
  Result<market::Sequence> reject(const MessageView& message, const Rejection& rejection, Time now) noexcept;
  /// Reject(3) of bytes that are no message but show this number.
  void reject_garbled(market::Sequence sequence, std::string_view text, Time now) noexcept;

 private:
  const SessionConfig& config_;
  const VersionRules& version_;
  Outbox& outbox_;
};

}  // namespace dojima::fix
