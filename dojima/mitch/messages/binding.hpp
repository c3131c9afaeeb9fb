#pragma once

// What ties a member of a message's record to its place on the wire. Constants only.
//
//   bind(&AddOrder::order_id, UInt64Field{6, "OrderID"})

#include <cstddef>

#include "dojima/base/layout.hpp"
#include "dojima/mitch/messages/values.hpp"

namespace dojima::mitch {

/// A member of a record and its place on the wire.
template <class Record, class Member, class Field>
struct Bound {
  Member Record::* member;
  Field field;
};

template <class Record, class Member, class Field>
[[nodiscard]] constexpr Bound<Record, Member, Field> bind(Member Record::* member, Field field) noexcept {
  return {member, field};
}

/// Every message begins with its length, itself included, and its type.
inline constexpr std::size_t k_message_header_size = 2;

}  // namespace dojima::mitch
