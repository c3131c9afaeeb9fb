#pragma once

// What clients ask about their orders, answered from the gateway's records: the state of one order, or of all open
// ones. The venue is not asked; what it has said so far is in the records. An answer of many reports pauses while the
// journal is short of room. No allocation; O(1), for all orders O(order capacity).

#include <cstdint>
#include <optional>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

class StatusRequests {
 public:
  /// For so many clients. All outlive this. Throws std::bad_alloc.
  StatusRequests(const SymbolTable& symbols, const Records& records, const VenueUsers& users, ClientChannels& channels,
                 std::size_t clients)
      : symbols_(symbols), records_(records), users_(users), channels_(channels), answers_(clients) {}

  /// OrderStatusRequest(H): an ExecutionReport of the order that ClOrdID(11) or else OrderID(37) names.
  void answer_order(std::uint32_t client, const fix::MessageView& view, Time now);
  /// OrderMassStatusRequest(AF): an ExecutionReport of each open order; type 1 of one instrument, 7 of all. One that
  /// comes while the answer to another is paused is refused, unless that can end now.
  void answer_all(std::uint32_t client, const fix::MessageView& view, Time now);
  /// The journal has room again: paused answers go on. O(clients).
  void go_on(Time now);

 private:
  /// The answer to a mass request that is being sent.
  struct MassAnswer {
    Text<64> request_id{};
    std::optional<std::uint32_t> instrument{};  // none: all
    std::uint32_t next = k_no_slot;             // the order that is reported next; none: no answer is under way
    unsigned total = 0;
  };
  /// The next of the client's orders that is meant, from this slot on.
  [[nodiscard]] std::uint32_t find_meant(std::uint32_t client, const MassAnswer& answer,
                                         std::uint32_t slot) const noexcept;
  void report_orders(std::uint32_t client, Time now);
  void report_none(std::uint32_t client, const fix::MessageView& view, Execution execution);
  void refuse_second(std::uint32_t client, const fix::MessageView& view);
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t client, const fix::MessageView& view) const noexcept;
  /// The instrument of a mass request; none: all. False in `is_known`: it names one that there is not.
  [[nodiscard]] std::optional<std::uint32_t> instrument_of(const fix::MessageView& view, bool& is_known) const;

  const SymbolTable& symbols_;
  const Records& records_;
  const VenueUsers& users_;
  ClientChannels& channels_;
  std::vector<MassAnswer> answers_;  // by client
};

}  // namespace dojima::gateway
