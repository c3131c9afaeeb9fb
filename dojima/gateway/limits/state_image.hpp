#pragma once

// What a gateway keeps of a client besides its orders as entries of its journal (records/record_image.hpp):
// docs/gateway.md has the layout. O(size).

#include <cstddef>
#include <cstdint>

#include "dojima/base/state.hpp"
#include "dojima/gateway/limits/client_state.hpp"
#include "dojima/gateway/records/record_image.hpp"

namespace dojima::gateway {

/// Bytes that neither entry takes more of.
inline constexpr std::size_t k_limits_entry_max = 2000;
inline constexpr std::size_t k_presence_entry_max = 32;

void write_limits(EntryWriter& out, std::uint32_t client, const ClientState& state) noexcept;
void write_presence(EntryWriter& out, std::uint32_t client, const ClientPresence& presence) noexcept;

/// What follows an entry's kind and the client's number. False: the reader failed. Allocates.
[[nodiscard]] bool read_limits(StateReader& in, ClientState& state);
[[nodiscard]] bool read_presence(StateReader& in, ClientPresence& presence) noexcept;

}  // namespace dojima::gateway
