#pragma once

// Answers to messages that are well-formed but cannot be served: BusinessMessageReject(j), and the fields that lead an
// answer back the way its question came. Functions over a session, no state, no allocation.
//
//   business_reject(session, view, BusinessRejectReason::unsupported_message_type);

#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/market/order.hpp"

namespace dojima::fix {

/// Sends BusinessMessageReject with RefSeqNum(45), RefMsgType(372), BusinessRejectRefID(379: the ClOrdID where there is
/// one), 380 and Text(58); an empty text becomes the reason's standard name. FIX 4.0 and 4.1 have no such
/// message: a Reject(3) with the text is sent there. Errors: as Session::send.
Result<market::Sequence> business_reject(Session& session, const MessageView& view, BusinessRejectReason reason,
                                         std::string_view text = {}) noexcept;

/// business_reject with 380=5 and a text that names the tag, where a conditionally required one is missing. Says
/// whether it did.
bool reject_missing_conditional(Session& session, const MessageView& view) noexcept;

/// Copies the routing fields of a question into its answer, directions swapped: 115 and 128, 116 and 129, 144 and 145;
/// empty and absent ones are omitted. To be called before other fields: routing fields belong to the header.
Writer& route_back(Writer& writer, const MessageView& question) noexcept;

}  // namespace dojima::fix
