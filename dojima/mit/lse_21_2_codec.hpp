#pragma once

// The functions behind `lse_21_2::k_dialect`, which is what others use. Here only so that the table, the readers and
// the writers stand in files of their own.

#include "dojima/mit/lse_21_2.hpp"

namespace dojima::mit::lse_21_2 {

/// The longest message of the issue, QuoteRequest, which has no table here yet: it is skipped whole, not lost track of.
inline constexpr std::size_t k_longest = 184;

Result<void> decode_request(Bytes message, Inbound& request, mit::Reject& refusal);
Result<void> decode_reply(Bytes message, Outbound& reply);

Result<std::size_t> encode_logon(const mit::Logon& logon, Room room);
Result<std::size_t> encode_logon_reply(const mit::LogonReply& reply, Room room);
Result<std::size_t> encode_logout(const mit::Logout& logout, Room room);
Result<std::size_t> encode_heartbeat(Room room);
Result<std::size_t> encode_reject(const mit::Reject& reject, Room room);
Result<std::size_t> encode_new_order(const market::NewOrder& order, Room room);
Result<std::size_t> encode_replace(const market::Replace& replace, Room room);
Result<std::size_t> encode_cancel(const market::Cancel& cancel, Room room);
Result<std::size_t> encode_mass_cancel(const market::MassCancel& cancel, Room room);
Result<std::size_t> encode_report(const market::OwnerReport& report, std::int32_t code, Room room);

/// The times in force of the issue, as bits.
inline constexpr std::uint64_t k_times_in_force = [] {
  std::uint64_t bits = 0;
  for (const int value : {0, 3, 4, 5, 6, 8, 10, 12, 50, 51, 52, 54, 55}) bits |= std::uint64_t{1} << value;
  return bits;
}();

[[nodiscard]] constexpr bool is_time_in_force(std::uint8_t value) noexcept {
  return value < 64 && (k_times_in_force >> value & 1) != 0;
}

/// What a mass cancel request type asks for: whose orders, and which field narrows them down.
struct MassCancelKind {
  std::uint8_t type = 0;  ///< MassCancelRequestType; 0: no such type
  bool is_account = false;
  bool has_instrument = false;
  bool has_segment = false;
  bool has_group = false;
  friend constexpr bool operator==(const MassCancelKind&, const MassCancelKind&) = default;
};

inline constexpr std::array<MassCancelKind, 9> k_mass_cancel_kinds{{
    {.type = 7},
    {.type = 9, .has_instrument = true},
    {.type = 15, .has_segment = true},
    {.type = 56, .has_group = true},
    {.type = 8, .is_account = true},
    {.type = 3, .is_account = true, .has_instrument = true},
    {.type = 4, .is_account = true, .has_segment = true},
    {.type = 58, .is_account = true, .has_group = true},
    {.type = 57, .is_account = true, .has_instrument = true, .has_group = true},
}};

[[nodiscard]] constexpr MassCancelKind mass_cancel_kind(std::uint8_t type) noexcept {
  for (const MassCancelKind& kind : k_mass_cancel_kinds)
    if (kind.type == type) return kind;
  return {};
}

/// OrderTypes 1 market, 2 limit, 3 stop, 4 stop limit.
[[nodiscard]] constexpr bool is_order_type(std::uint8_t value) noexcept {
  return value >= 1 && value <= 4;
}

/// OrderSubTypes 0 plain, 5 pegged, 51 random peak, 55 offset.
[[nodiscard]] constexpr bool is_order_sub_type(std::uint8_t value) noexcept {
  return value == 0 || value == 5 || value == 51 || value == 55;
}

}  // namespace dojima::mit::lse_21_2
