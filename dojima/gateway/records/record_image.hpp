#pragma once

// The records of a gateway as bytes, for its journal: entries of a kind each, one behind the other in a piece of state.
// An order says nothing of its changes that wait, as their requests do. Little-endian, no padding; docs/gateway.md has
// the layout. O(size), no allocation.
//
//   EntryWriter writer(room);
//   write_order(writer, slot, order, id);      // where writer.has_room(k_order_entry_max)
//   ...
//   StateReader in(bytes);
//   while (in.left() != 0) ... read_entry_kind(in) ...

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "dojima/base/assert.hpp"
#include "dojima/base/bytes.hpp"
#include "dojima/base/state.hpp"
#include "dojima/gateway/records/client_order_ids.hpp"
#include "dojima/gateway/records/held_busts.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/records/request.hpp"
#include "dojima/gateway/unknown_trades.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway {

enum class EntryKind : std::uint8_t {
  client = 1,          ///< who a client's number is from here on
  order = 2,           ///< an order as it is
  request = 3,         ///< a request as it is
  closed = 4,          ///< the request is over; its ClOrdID belongs to the past
  withdrawn = 5,       ///< the request was never sent, nor was its order, if it is one
  past_id = 6,         ///< a ClOrdID of the past
  progress = 7,        ///< the last report of a partition to a client's venue user; written by earlier versions
  reserved = 8,        ///< numbers below may have been used
  limits = 9,          ///< a client's limits, where they are not those of the configuration, and its kill switch
  presence = 10,       ///< whether a client is connected, and how far the cancelling of its orders has come
  copied = 11,         ///< how far a drop copy has come in the messages of a client
  busted = 16,         ///< an execution that the venue took back from a client; written by earlier versions
  user = 20,           ///< who a venue user's number is from here on
  user_progress = 21,  ///< the last report of a partition to a venue user
  user_busted = 22,    ///< an execution that the venue took back from a venue user
  order_user = 23,     ///< the venue user of an order, where it is not its client's at a venue without a name
  user_day = 24,       ///< which day of its venue a user's last reports were of, and what that may still have of it
  order_parties = 25,  ///< for whom an order is, behind the order itself, where its client has said so
  unknown_trade = 26,  ///< a trade that a client said that it does not know
  /// An execution of a venue user that has another price, which the next report says; written by earlier versions.
  correction = 27,
  /// For whom the sides of a quote that is not answered are to be, behind its request, where its client has said so.
  quote_parties = 28,
  configured = 29,  ///< what the configuration says that open orders depend on (setup/saved_configuration.hpp)
  held_busts = 30,  ///< the busts of a venue user that may be the first halves of corrections
};

class EntryWriter {
 public:
  explicit EntryWriter(Room room) noexcept : room_(room) {}

  [[nodiscard]] bool has_room(std::size_t size) const noexcept { return room_.size() - size_ >= size; }
  [[nodiscard]] Bytes written() const noexcept { return room_.first(size_); }
  void clear() noexcept { size_ = 0; }

  template <StateValue Value>
  void add(const Value& value) noexcept {
    DOJIMA_ASSERT(has_room(sizeof value), "an entry fits where there was room for it", size_);
    std::memcpy(room_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
  }
  /// Up to 255 characters.
  void add_text(std::string_view text) noexcept {
    add(static_cast<std::uint8_t>(text.size()));
    DOJIMA_ASSERT(text.size() <= 255 && has_room(text.size()), "a text fits where there was room for it", size_);
    std::memcpy(room_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }

 private:
  Room room_;
  std::size_t size_ = 0;
};

/// Flags of EntryKind::user_day.
inline constexpr std::uint8_t k_day_is_over = 1, k_day_is_missed = 2, k_day_has_leftovers = 4;

/// Bytes that no order, request or any other entry takes more of.
inline constexpr std::size_t k_order_entry_max = 192;
inline constexpr std::size_t k_parties_entry_max = 40;
inline constexpr std::size_t k_request_entry_max = 192;  ///< without the parties that it wants
inline constexpr std::size_t k_past_id_max = 64;
inline constexpr std::size_t k_held_busts_max = 1 + 4 + 1 + HeldBusts::k_most_of_user * sizeof(market::OwnerReport);
inline constexpr std::size_t k_entry_max = 192;

/// `id`: the text of the order's ClOrdID.
void write_order(EntryWriter& out, std::uint32_t slot, const Order& order, const ClOrdId& id) noexcept;
void write_parties(EntryWriter& out, std::uint32_t slot, const OrderParties& parties) noexcept;
/// A request as the records have it, whose texts they know, and the parties that it wants: of a quote.
void write_request(EntryWriter& out, const Records& records, const Request& request) noexcept;
void write_past_id(EntryWriter& out, const ClientOrderIds::Key& key, const ClientOrderIds::Target& target) noexcept;

void write_unknown_trade(EntryWriter& out, const UnknownTrade& trade) noexcept;

/// What follows an entry's kind. False: the reader failed.
[[nodiscard]] bool read_order(StateReader& in, std::uint32_t& slot, SavedOrder& order) noexcept;
[[nodiscard]] bool read_parties(StateReader& in, std::uint32_t& slot, OrderParties& parties) noexcept;
[[nodiscard]] bool read_request(StateReader& in, SavedRequest& request) noexcept;
[[nodiscard]] bool read_quote_parties(StateReader& in, std::uint64_t& number, OrderParties& parties) noexcept;
[[nodiscard]] bool read_past_id(StateReader& in, ClientOrderIds::Key& key, ClientOrderIds::Target& target) noexcept;
[[nodiscard]] bool read_unknown_trade(StateReader& in, UnknownTrade& trade) noexcept;
/// A text of at most `most` characters; it dies with what is read.
[[nodiscard]] bool read_text(StateReader& in, std::string_view& text, std::size_t most) noexcept;

}  // namespace dojima::gateway
