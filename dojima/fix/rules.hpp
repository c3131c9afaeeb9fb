#pragma once

// What FIX 4.4 says about single messages: which types and tags exist, which tags a message may and must carry, which
// format a value has, how repeating groups are counted. A built-in table, no files; a pure function over a view, no
// allocation. A FIX 4.2 session is held against the same table, which knows the fields that 4.4 dropped.
//
//   if (const auto checked = check_message(view); !checked) reject(view, reason_of(checked.error()), ...);

#include "dojima/base/error.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/tags.hpp"

namespace dojima::fix {

/// Whether FIX 4.4 defines the type; types that begin with "U" are the user's own and count as defined.
[[nodiscard]] bool is_defined(MsgType type) noexcept;

/// Holds a message against the rules. Types with a table of their own (0-5, A, 8, 9, D, F, G, j) are checked in full:
/// allowed, required and repeated tags, formats, values of the common enumerations, group counts. Of other defined
/// types the existence of tags, the place of header tags and the formats are checked. The first violation is the
/// error: `field` is the tag, `got` the RejectReason. Tags from 5000 on are the user's own and pass. O(fields).
[[nodiscard]] Result<void> check_message(const MessageView& view) noexcept;

/// The RejectReason in an error of check_message, MessageView::read or a typed read of a view.
[[nodiscard]] RejectReason reason_of(const Error& error) noexcept;

/// The first conditionally required tag that is missing from an order message (44 for limit, 99 for stop orders, 126
/// or 432 for good till date); 0 when none is. Whether that is a reason to refuse is the application's decision:
/// business_reject.hpp answers it.
[[nodiscard]] Tag missing_conditional(const MessageView& view) noexcept;

}  // namespace dojima::fix
