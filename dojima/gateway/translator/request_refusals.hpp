#pragma once

// How a client hears that a new order, cancel or replace was not sent: an ExecutionReport, an OrderCancelReject, or a
// reject of the message. O(1), no allocation, one thread.

#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/client_message.hpp"
#include "dojima/gateway/translator/request_probe.hpp"

namespace dojima::gateway {

class RequestRefusals {
 public:
  /// What it works on; all of it outlives this.
  struct Parts {
    const Records& records;
    ClientChannels& channels;
    const RequestProbe& probe;
    GatewayCounters& counters;
  };
  explicit RequestRefusals(const Parts& parts) : parts_(parts) {}

  /// The message is refused for this reason.
  void refuse(const ClientMessage& message, const Refusal& refusal);
  /// PossResend(97) on an order that is known: not a second order, but the state of the first.
  void answer_possible_resend(const ClientMessage& message);

 private:
  void send_order_reject(const ClientMessage& message, const Refusal& refusal);
  void send_cancel_reject(const ClientMessage& message, const Refusal& refusal);

  Parts parts_;
};

}  // namespace dojima::gateway
