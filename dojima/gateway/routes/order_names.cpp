#include "dojima/gateway/routes/order_names.hpp"

#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/mit/identifiers.hpp"

namespace dojima::gateway {

std::optional<std::uint32_t> find_by_order_id(const Records& records, const VenueUsers& users, std::uint32_t client,
                                              std::string_view order_id) noexcept {
  std::uint8_t venue = 0;
  if (order_id.size() == Identifier{}.characters.size()) {
    const char place = order_id.front();
    if (place < '0' || place > '9') return std::nullopt;
    venue = static_cast<std::uint8_t>(place - '0');
    order_id.remove_prefix(1);
  }
  const Result<std::uint64_t> id = mit::parse_base62(order_id);
  if (!id) return std::nullopt;
  for (const std::uint32_t user : users.of(client)) {
    const auto slot = users[user].venue == venue ? records.find_by_venue_id(user, {*id}) : std::nullopt;
    if (slot && records.order_at(*slot).client == client) return slot;
  }
  return std::nullopt;
}

}  // namespace dojima::gateway
