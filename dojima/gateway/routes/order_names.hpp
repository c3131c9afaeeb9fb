#pragma once

// Which order a client means by OrderID(37): the venue's own id, behind the place of its venue (report_writer.hpp).
// O(users of the client).

#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/venue_users.hpp"

namespace dojima::gateway {

/// The slot of the client's order; none: it has none of that id.
[[nodiscard]] std::optional<std::uint32_t> find_by_order_id(const Records& records, const VenueUsers& users,
                                                            std::uint32_t client, std::string_view order_id) noexcept;

}  // namespace dojima::gateway
