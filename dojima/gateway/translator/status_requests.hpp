#pragma once

// What clients ask about their orders, answered from the gateway's records: the state of one order, or of all open
// ones. The venue is not asked; what it has said so far is in the records. No allocation; O(1), for all orders O(order
// capacity).

#include <cstdint>
#include <optional>

#include "dojima/fix/message.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

class StatusRequests {
 public:
  /// All outlive this.
  StatusRequests(const SymbolTable& symbols, const Records& records, const VenueUsers& users, ClientChannels& channels)
      : symbols_(symbols), records_(records), users_(users), channels_(channels) {}

  /// OrderStatusRequest(H): an ExecutionReport of the order that ClOrdID(11) or else OrderID(37) names.
  void answer_order(std::uint32_t client, const fix::MessageView& view, Time now);
  /// OrderMassStatusRequest(AF): an ExecutionReport of each open order; type 1 of one instrument, 7 of all.
  void answer_all(std::uint32_t client, const fix::MessageView& view, Time now);

 private:
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t client, const fix::MessageView& view) const noexcept;
  /// The instrument of a mass request; none: all. False in `is_known`: it names one that there is not.
  [[nodiscard]] std::optional<std::uint32_t> instrument_of(const fix::MessageView& view, bool& is_known) const;

  const SymbolTable& symbols_;
  const Records& records_;
  const VenueUsers& users_;
  ClientChannels& channels_;
};

}  // namespace dojima::gateway
