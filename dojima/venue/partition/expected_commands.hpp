#pragma once

// What the next commands of a partition will need, fetched into the cache together while there is time: the places of
// their client order ids, the orders that these mean, and what rests beside those. Nothing changes but what the cache
// holds, and no branch hangs on a command, which would be guessed wrong as often as the branch on the command itself.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "dojima/base/text.hpp"
#include "dojima/market/command.hpp"

namespace dojima::venue {

/// As many commands as Partition::prefetch() looks at.
inline constexpr std::size_t k_expected_commands = 16;

/// Where a command of each type has the ids of the order that it is about: what other commands have there does no harm
/// to a hint.
struct IdPlaces {
  std::uint8_t order = 0;            ///< an OrderId
  std::uint8_t client_order_id = 0;  ///< a Text<20>
};
inline constexpr auto k_id_places = [] {
  std::array<IdPlaces, 256> places{};
  const auto set = [&places](market::CommandType type, std::size_t order, std::size_t client_order_id) {
    places[static_cast<std::size_t>(type)] = {static_cast<std::uint8_t>(order),
                                              static_cast<std::uint8_t>(client_order_id)};
  };
  using market::CommandType;
  // A new order is about none that is there but the one that it is linked with; its client order id gets a place.
  set(CommandType::new_order, offsetof(market::NewOrder, linked),
      offsetof(market::NewOrder, labels) + offsetof(market::OrderLabels, client_order_id));
  set(CommandType::replace, offsetof(market::Replace, order), offsetof(market::Replace, original_client_order_id));
  set(CommandType::cancel, offsetof(market::Cancel, order), offsetof(market::Cancel, original_client_order_id));
  return places;
}();
static_assert(sizeof(market::CommandHeader) >= sizeof(Text<20>), "the other types have bytes enough");
static_assert(sizeof(market::NewOrder) <= 256 && sizeof(market::Replace) <= 256, "a place is a byte");

/// The ids of the order that a command is about, if it is about one.
struct ExpectedIds {
  explicit ExpectedIds(const market::CommandHeader& header) noexcept {
    const IdPlaces places = k_id_places[static_cast<std::size_t>(header.type)];
    const auto* const bytes = reinterpret_cast<const std::byte*>(&header);
    std::memcpy(&order, bytes + places.order, sizeof order);
    client_order_id = reinterpret_cast<const Text<20>*>(bytes + places.client_order_id);
  }
  market::OrderId order;  ///< 0: by the client order id
  const Text<20>* client_order_id;
};

}  // namespace dojima::venue
