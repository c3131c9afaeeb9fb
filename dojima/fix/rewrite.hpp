#pragma once

// A message written anew from one that was read: with a BodyLength and a CheckSum of its own (never those of before),
// and with every field, those among them that no dictionary knows. In the order it has, or in the canonical one that
// other engines use, so that messages can be compared byte by byte: 8, 9, 35, then header, body and trailer each
// ascending by tag, the members of a group's entries in the order of the dictionary with strangers behind them, a data
// field right behind its length. No allocation; O(fields log fields).
//
//   rewrite(view, fix_4_4(), FieldOrder::canonical, room)

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/writer.hpp"

namespace dojima::fix {

enum class FieldOrder : std::uint8_t { compact, canonical };

/// Writes into `room`, which must not overlap the message. Errors: `no_room`; `malformed` for a message without
/// MsgType. Empty values are kept.
[[nodiscard]] Result<Bytes> rewrite(const MessageView& view, const Dictionary& dictionary, FieldOrder order,
                                    Room room) noexcept;

/// Writes the body of a message, without header and trailer, behind what `writer` has: an echo, or a message handed on
/// to another session. What is no field of the dictionary counts as body. Trouble is the writer's.
void rewrite_body(const MessageView& view, const Dictionary& dictionary, FieldOrder order, Writer& writer) noexcept;

}  // namespace dojima::fix
