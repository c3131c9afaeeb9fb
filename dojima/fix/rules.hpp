#pragma once

// Holds one message against a dictionary: which types and tags exist, what a message may and must carry, the format and
// enumeration of each value, the order of header, body and trailer, and nested groups with their counts and order. The
// first violation is the error, those of the structure before those of values, as the SessionRejectReason and RefTagID
// that a Reject(3) carries. Each check can be switched. A pure function over a view: O(fields), no allocation, any
// thread.
//
//   if (const auto checked = check_message(view, fix_4_4()); !checked) reject(view, reason_of(checked.error()), ...);

#include "dojima/base/error.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {

/// Which rules hold; the number is the SessionRejectReason of a violation.
struct Checks {
  bool unknown_tags = true;  ///< 0: the dictionary has no such tag, and it is none of the user's own
  bool user_tags = false;    ///< the user's own tags (5000 and above) pass in messages of the dictionary; off: 0
  bool message_tags = true;  ///< 2: the tag does not belong to this type
  bool required = true;      ///< 1: a required field of the message, or of an entry of a group, is missing
  bool instrument = true;    ///< 1: nothing of a required Instrument is there (SecurityID will do for Symbol)
  bool required_components = false;  ///< 1: the same for every required component; named by its first field
  bool empty_values = true;          ///< 4: a tag without a value
  bool formats = true;               ///< 6: not the format of the type; 12: XMLDATA that is no well-formed XML
  bool values = true;                ///< 5: not in the enumeration
  bool repeated = true;              ///< 13: a tag twice in one place
  bool order = true;                 ///< 14: header, body, trailer
  bool groups = true;                ///< 15: not begun by its first field; 16: not as many entries as its count says
  bool group_order = true;           ///< 15: members of an entry in another order than the dictionary's
  bool separators = false;           ///< 17: a field without `=`; off: such a message is garbled and ignored
  bool encryption = true;            ///< 7: SecureData(91), part of a message that nobody here can decrypt
  bool signatures = false;           ///< 8: Signature(89), which nobody here can verify; off: it is ignored
  bool versions = true;              ///< 18: an ApplVerID or DefaultApplVerID that is not the dictionary's
  friend bool operator==(const Checks&, const Checks&) = default;
};

/// The first tag that users may define for themselves.
inline constexpr Tag k_first_user_tag = 5000;

/// Whether the dictionary defines the type; types that begin with "U" are the user's own and count as defined.
[[nodiscard]] bool is_defined(MsgType type, const Dictionary& dictionary) noexcept;

/// Holds a message against a dictionary. Of a message of the user's own, fields are checked alone: existence, format,
/// enumeration, and header and trailer in full. In the error `field` is the RefTagID, `got` the RejectReason, `offset`
/// where the value begins.
[[nodiscard]] Result<void> check_message(const MessageView& view, const Dictionary& dictionary,
                                         const Checks& checks = {}) noexcept;
/// The same for many messages one after the other: `date` is that of the timestamp read last, which is not looked up
/// again.
[[nodiscard]] Result<void> check_message(const MessageView& view, const Dictionary& dictionary, const Checks& checks,
                                         time::ReadDate& date) noexcept;

/// The RejectReason in an error of check_message, MessageView::read or a typed read of a view.
[[nodiscard]] RejectReason reason_of(const Error& error) noexcept;

/// The first conditionally required tag that is missing from an order message (44 for limit, 99 for stop orders, 126
/// or 432 for good till date); 0 when none is. Whether that is a reason to refuse is the application's decision:
/// business_reject.hpp answers it.
[[nodiscard]] Tag missing_conditional(const MessageView& view) noexcept;

}  // namespace dojima::fix
