#include "dojima/gateway/messages/venue_commands.hpp"

#include <array>
#include <string_view>

#include "dojima/gateway/messages/whole_words.hpp"
#include "dojima/mit/identifiers.hpp"

namespace dojima::gateway {
namespace {

/// By the venue's id where it is known, else by the request that the venue knows the order by. The latter too when
/// reports may have been missed: a venue that lost its orders may have given their ids to others, our numbers never.
template <class Command>
void address(Command& command, const Order& order) noexcept {
  command.header.instrument = order.instrument;
  if (!order.is_stale) command.order = order.order_id;
  // The venue knows both sides of a quote by the number of the bid.
  const bool is_ask = (order.terms.flags & market::k_quote) != 0 && order.terms.side == market::Side::sell;
  if (command.order.value == 0)
    command.original_client_order_id = venue_id_of(order.current_request - (is_ask ? 1 : 0));
}

}  // namespace

Text<20> venue_id_of(std::uint64_t number) noexcept {
  std::array<char, mit::k_base62_max> text;
  const std::string_view digits = mit::format_base62_shortest(number, text);
  Text<20> id;
  if (digits.size() > 8) return Text<20>::cut(digits);
  // All of it as one word, in which the first character is lowest.
  std::uint64_t word = 0;
  for (std::size_t at = digits.size(); at-- != 0;) word = word << 8U | static_cast<unsigned char>(digits[at]);
  store_pair(id.chars.data(), word, 0);
  return id;
}

VenueNumber venue_number_of(const Text<20>& venue_id) noexcept {
  const Result<std::uint64_t> number = mit::parse_base62(venue_id.view());
  return number ? VenueNumber{*number, 1} : VenueNumber{};
}

market::Cancel cancel_command(std::uint64_t number, const Order& order) noexcept {
  market::Cancel command;
  address(command, order);
  command.client_order_id = venue_id_of(number);
  command.side = order.terms.side;
  return command;
}

market::Replace replace_command(std::uint64_t number, const Order& order, const market::OrderTerms& terms,
                                const Text<10>& account) noexcept {
  market::Replace command;
  address(command, order);
  command.client_order_id = venue_id_of(number);
  // A negative price says "none" or "unchanged"; the client's own prices are above zero.
  constexpr market::Price k_none{-1};
  command.limit = terms.limit.units != 0 || terms.sub_type == market::OrderSubType::offset ? terms.limit : k_none;
  command.stop = terms.stop.units != 0 ? terms.stop : k_none;
  command.quantity = terms.quantity;
  command.displayed = terms.displayed;
  command.minimum = terms.minimum;
  command.expiry = terms.expiry;
  command.offset_bp = terms.offset_bp;
  command.side = terms.side;
  command.group = terms.group == order.terms.group ? std::uint8_t{0} : terms.group;
  command.passive = terms.passive;
  command.account = account;
  return command;
}

}  // namespace dojima::gateway
