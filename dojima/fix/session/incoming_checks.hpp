#pragma once

// What a session holds an incoming message against before it believes it: names, times, duplicates, the dictionary's
// rules, and for the first message of a connection all that makes it a Logon of this session. Sequence numbers are not
// looked at. Functions of the message, the configuration, the password in force and the time; checks allocate nothing.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/session/version_rules.hpp"
#include "dojima/fix/session_config.hpp"
#include "dojima/fix/session_name.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

/// A violation as an error that check_message could have given.
[[nodiscard]] std::unexpected<Error> violation(RejectReason reason, ErrorCode code, Tag tag,
                                               const char* expected) noexcept;

class IncomingChecks {
 public:
  /// Both outlive it.
  IncomingChecks(const SessionConfig& config, const Dictionary& dictionary)
      : config_(config),
        dictionary_(dictionary),
        password_(config.password),
        is_fixt_(config.begin_string == k_fixt),
        has_further_names_(!(config.target_sub_id.empty() && config.target_location_id.empty() &&
                             config.sender_sub_id.empty() && config.sender_location_id.empty())) {}

  /// How messages of this session are taken apart.
  [[nodiscard]] ReadRules read_rules() const noexcept;
  /// Whether what could not be read counts as garbled: a tag that is no number. Then the message is ignored as if it
  /// had never arrived, unless the configuration wants a separator in a value to be rejected.
  [[nodiscard]] bool is_garbled(const Result<void>& read) const noexcept;
  /// The peer was not read for so long: what it sent then may be as much older, until forget_unread().
  void allow_unread(std::chrono::nanoseconds time) noexcept { unread_ = std::max(unread_, time); }
  void forget_unread() noexcept { unread_ = {}; }
  /// Names and time of the header.
  [[nodiscard]] Result<void> check_header(const MessageView& message, Time now) const noexcept;
  /// What PossDupFlag(43) demands.
  [[nodiscard]] Result<void> check_duplicate(const MessageView& message) const noexcept;
  /// The dictionary's rules, as far as the configuration has them on.
  [[nodiscard]] Result<void> check_content(const MessageView& message) const noexcept {
    return check_message(message, dictionary_of(message), config_.checks, date_);
  }
  /// What the message is held against: in FIXT.1.1 the transport alone for session messages, and the version that the
  /// message names in ApplVerID(1128), where it is known.
  [[nodiscard]] const Dictionary& dictionary_of(const MessageView& message) const noexcept {
    return is_fixt_ ? dictionary_in_fixt(message) : dictionary_;
  }
  /// Whether the first message of a connection, read with the result `read`, begins a session.
  [[nodiscard]] Result<void> check_logon(const MessageView& message, const Result<void>& read, Time now) const;

  /// The password that the next Logon must carry. Allocates where it is longer than any before.
  void set_password(std::string_view password) { password_ = password; }
  /// Whether the peer may choose another password itself.
  [[nodiscard]] bool may_change_password() const noexcept {
    return config_.role == Role::acceptor && config_.credentials != nullptr && !config_.password.empty();
  }
  /// It has. Error: it is not taken.
  [[nodiscard]] Result<void> change_password(std::string_view chosen) const {
    return config_.credentials->change(name(), config_.password, chosen);
  }

 private:
  [[nodiscard]] const Dictionary& dictionary_in_fixt(const MessageView& message) const noexcept;
  [[nodiscard]] Result<void> check_names(const MessageView& message) const noexcept;
  [[nodiscard]] Result<void> check_further_names(const MessageView& message) const noexcept;
  [[nodiscard]] bool are_credentials_right(const MessageView& logon) const;
  /// Whether a Logon may carry this tag whatever its dictionary says.
  [[nodiscard]] bool is_agreed(Tag tag) const noexcept;
  [[nodiscard]] Result<void> check_logon_content(const MessageView& logon) const noexcept;
  [[nodiscard]] SessionName name() const noexcept {
    return {config_.begin_string, config_.sender_comp_id, config_.target_comp_id, config_.qualifier};
  }

  const SessionConfig& config_;
  const Dictionary& dictionary_;
  std::string password_;
  bool is_fixt_, has_further_names_;
  std::chrono::nanoseconds unread_{};  // the longest that the peer was not read
  mutable time::ReadDate date_;        // of the peer's latest timestamp: remembered, never decided by
};

}  // namespace dojima::fix
